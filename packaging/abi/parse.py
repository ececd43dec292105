"""Reads public headers: what they declare and the comment that says what each thing is. It knows the C that the headers are
written in, not all of C; a declaration it does not know is an error with its place, so nothing is left out unseen.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TOKEN = re.compile(r"\w+|\.\.\.|[*(),\[\];={}]")
SECTION = re.compile(r"^/\*\s*---")
SINCE = re.compile(r"\bSince\s+(\d+\.\d+)\.?")
# The order matters: what is tried first is more special.
DECLARATIONS = [
    ("define", re.compile(r"#define[ \t]+(\w+)(\([^)]*\))?[ \t]*((?:\\\n|[^\n])*)")),
    ("directive", re.compile(r"#(?:\\\n|[^\n])*")),
    ("language", re.compile(r'extern "C" \{|\}')),
    ("enum", re.compile(r"typedef\s+enum\s+(\w+)\s*\{([^}]*)\}\s*(\w+)\s*;")),
    ("struct", re.compile(r"typedef\s+struct\s+(\w+)\s*\{([^}]*)\}\s*(\w+)\s*;")),
    ("opaque", re.compile(r"typedef\s+struct\s+(\w+)\s+(\w+)\s*;")),
    ("foreign", re.compile(r"struct\s+(\w+)\s*;")),
    ("callback", re.compile(r"typedef\s+([\w\s*]+?)\(\*(\w+)\)\s*\(([^;]*)\)\s*;")),
    ("function", re.compile(r"RONDO_API\s+([\w\s*]+?)\b(\w+)\s*\(([^;]*)\)\s*;")),
]


class Unknown(Exception):
    """A declaration that this file does not know."""


def blank(text):
    """The text with comments as spaces: same length, same lines."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def plain(comment):
    """A comment's words, as paragraphs joined by newlines; lines that are indented further are kept as lines."""
    lines = comment.removeprefix("/*").removesuffix("*/").split("\n")
    lines = [lines[0].strip()] + [re.sub(r"^ ?\*? ?", "", line).rstrip() for line in lines[1:]]
    text = ""
    for line in lines:
        starts = not line or line.startswith(" ") or not text or text.endswith("\n")
        text += ("\n" if starts and text else "" if starts else " ") + line
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def without_copyright(text):
    return re.sub(r"\s*Copyright \d{4}.*$", "", text, flags=re.DOTALL).strip()


class Header:
    """One header: a list of (kind, match, text, line), in order, and what its first comment says."""

    def __init__(self, name, source):
        self.name, self.source = name, source
        self.code = blank(source)
        self.comments = list(COMMENT.finditer(source))
        self.text = without_copyright(plain(self.comments[0][0]))
        self.declarations = list(self._declarations())

    def _declarations(self):
        position, group_end, about = 0, 0, ""
        while True:
            position += len(self.code[position:]) - len(self.code[position:].lstrip())
            if position == len(self.code):
                return
            for kind, pattern in DECLARATIONS:
                match = pattern.match(self.code, position)
                if match:
                    break
            else:
                line = self.code.count("\n", 0, position) + 1
                raise Unknown(f"{self.name}:{line}: not a declaration that is known here: "
                              f"{self.code[position:].splitlines()[0]}")
            if kind not in ("directive", "language"):
                about = self._above(position, group_end, about)
                group_end = match.end()
                yield kind, match, about, self.code.count("\n", 0, position) + 1
            position = match.end()

    def _above(self, start, group_end, about):
        """The comment above a declaration: its own, else that of the group without blank lines it belongs to."""
        before = [comment for comment in self.comments[1:] if comment.end() <= start]
        if before and before[-1].start() >= group_end and not self.source[before[-1].end() : start].strip():
            own = before[-1][0]
            return "" if SECTION.match(own) else plain(own)
        return about if self.source[group_end:start] == "\n" else ""

    def members(self, match):
        """(code, text) of each member of an enum or struct: the comment is behind it, or above it for all that follow."""
        start, end = match.span(2)
        separator = "," if match[0].lstrip().startswith("typedef enum") else ";"
        items, position, shared = [], start, ""
        for piece in re.split(f"(?<={separator})", self.code[start:end]):
            stop = position + len(piece)
            if piece.strip():
                begin = position + len(piece) - len(piece.lstrip())
                for comment in self.comments:
                    # On a line of its own before the member. (One behind the last member was taken with that one.)
                    line = self.source[self.source.rfind("\n", 0, comment.start()) + 1 : comment.start()]
                    if position <= comment.start() < begin and not line.strip():
                        shared = plain(comment[0])
                line_end = self.source.find("\n", stop)
                behind = [comment for comment in self.comments
                          if stop <= comment.start() < min(line_end, end) and not self.code[stop : comment.start()].strip()
                          or begin < comment.start() < stop]
                text = " ".join(plain(comment[0]) for comment in behind)
                items.append((piece.strip().rstrip(separator).strip(), text, shared))
            position = stop
        return items


def split_list(text):
    """The parts between commas that stand in no parentheses or braces."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "({[") - (letter in ")}]")
        if letter == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    parts.append(part.strip())
    return [part for part in parts if part and part != "void"]


def declarator(text):
    """`const int64_t* shape`, `char name[128]`, `void (*destroy)(void* arg)` as a dictionary: name, type and its parts."""
    pointer = re.fullmatch(r"([\w\s*]+?)\(\*(\w+)\)\s*\((.*)\)", text, re.DOTALL)
    if pointer:
        return {"name": pointer[2], "type": f"{spelling(pointer[1])} (*)({', '.join(spelling_of(p) for p in split_list(pointer[3]))})",
                "returns": spelling(pointer[1]), "parameters": [declarator(part) for part in split_list(pointer[3])]}
    simple = re.fullmatch(r"(.*?)(\w+)(?:\[(\w+)\])?", text.strip(), re.DOTALL)
    if not simple or not simple[1].strip():
        raise Unknown(f"not a declaration of a parameter or field: {text}")
    return {"name": simple[2], "type": spelling(simple[1]), **({"count": simple[3]} if simple[3] else {})}


def spelling_of(text):
    return declarator(text)["type"]


def spelling(text):
    """A type in one spelling: `const rondo_tensor**`."""
    return re.sub(r" (?=\*)", "", " ".join(re.findall(r"\w+|\*", text)))


def parts(c_type):
    """(base, pointers, constant) of a type; constant: what the outermost pointer points to is not changed through it."""
    words = re.findall(r"\w+|\*", c_type)
    base = " ".join(word for word in words if word not in ("*", "const"))
    pointers = words.count("*")
    if pointers == 0:
        return base.removeprefix("struct "), 0, False
    inner = words[: len(words) - 1 - words[::-1].index("*")]  # what stands before the last star
    stars = [i for i, word in enumerate(inner) if word == "*"]
    level = inner[stars[-1] + 1 :] if stars else inner
    return base.removeprefix("struct "), pointers, "const" in level
