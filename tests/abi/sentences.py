#!/usr/bin/env python3
"""Pages have short sentences and the field's words: those for users, and with other limits those for developers.

    sentences.py SOURCE_ROOT              checks
    sentences.py SOURCE_ROOT --print      prints for each page its mean, its longest sentence, and the words that it should not have

A sentence ends at a full stop, a question mark, an exclamation mark, or the end of its paragraph or item; code counts as one word. Cells of
tables are no sentences, but have the field's words too.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

# The mean of a page, and its longest sentence.
FOR_USERS, FOR_DEVELOPERS = (18, 40), (20, 45)
DEVELOPERS = {"design", "families", "program", "testing", "testing-graphs", "abi", "attention", "convolution", "graphs", "driver-faults"}
MADE_PAGES = {"has-it"}
BANNED = re.compile(r"\b(whoever|nobody|somebody|behind|(?<!in )(?<!in-)(?<!take )(?<!takes )(?<!taking )(?<!last )places?|lets? go of|(?:is|are|be|was) told)\b", re.IGNORECASE)
BLOCK = re.compile(r"^(```|~~~).*?^\1|^(?: {4}[^\n]*\n)+|</?[a-z]+>|<!--.*?-->", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
ITEM = re.compile(r"^\s*(?:[-*]|\d+\.) +")
END = re.compile(r"(?<=[.?!])[*_)\"]*\s+(?=\S)")
SHORT = re.compile(r"\b(e\.g|i\.e|vs|etc)\.")
MADE = re.compile(r"^\| `RONDO_")  # rows that are made from sources


def prose(text):
    """Text without code, links' targets and the marks of emphasis."""
    text = CODE.sub("code", BLOCK.sub("\n\n", text))
    return re.sub(r"\*\*|__", "", LINK.sub(r"\1", LINK.sub(r"\1", text)))


def paragraphs(text):
    """Paragraphs and items, each on one line."""
    lines = []
    for line in prose(text).splitlines():
        if not line.strip() or line.startswith(("#", "|")):
            lines.append("")
        elif ITEM.match(line):
            lines += ["", ITEM.sub("", line)]
        else:
            lines.append(line.strip())
    for paragraph in "\n".join(lines).split("\n\n"):
        if paragraph.strip():
            yield " ".join(paragraph.split())


def sentences(text):
    for paragraph in paragraphs(text):
        for sentence in END.split(SHORT.sub(r"\1", paragraph)):
            words = sentence.split()
            if any(re.search(r"\w", word) for word in words):
                yield [word for word in words if re.search(r"\w", word)]


def figures(text):
    counts = [len(words) for words in sentences(text)]
    return sum(counts) / max(len(counts), 1), max(counts, default=0)


def banned(text):
    """(line, word) of words that a reader would not search for."""
    for number, line in enumerate(BLOCK.sub(lambda m: "\n" * m[0].count("\n"), text).splitlines(), 1):
        if MADE.match(line):
            continue
        for match in BANNED.finditer(LINK.sub(r"\1", CODE.sub("code", line))):
            yield number, match[0]


def problems_of(name, text, most, longest):
    mean, _ = figures(text)
    if mean > most:
        yield f"{name}: sentences have {mean:.1f} words in the mean, more than {most}"
    yield from (f"{name}: a sentence has {len(words)} words, more than {longest}: {' '.join(words)}" for words in sentences(text) if len(words) > longest)
    yield from (f"{name}:{number}: '{word}' is no word of the field here" for number, word in banned(text))


def main(root, *options):
    root = pathlib.Path(root).resolve()
    pages = {path.stem: path for path in sorted((root / "docs").glob("*.md")) if path.stem not in MADE_PAGES} | {"../README": root / "README.md"}
    if options == ("--print",):
        for name, path in pages.items():
            mean, longest = figures(path.read_text())
            words = [word for _, word in banned(path.read_text())]
            print(f"{name:20} mean {mean:5.1f}  longest {longest:3}  {len(words)} {' '.join(sorted(set(words)))}")
        return 0
    problems, meet = [], 0
    for name, path in pages.items():
        found = list(problems_of(path.relative_to(root), path.read_text(), *(FOR_DEVELOPERS if name in DEVELOPERS else FOR_USERS)))
        problems += found
        meet += not found
    print("\n".join(problems) or f"{meet} pages of {len(pages)} have short sentences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
