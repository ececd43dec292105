"""Reads Rondo's hand-typed tables: entry points (*.def), and the types and constants they are made of (cuda_types.h and its like).

Only what those files are made of is understood; anything else ends the program, so that nothing in them goes unchecked.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dataclasses
import re

ENTRY = re.compile(r"^RONDO_FN\((?P<result>[\w *]+), (?P<name>\w+), \((?P<parameters>.*)\), (?P<since>\d+)\)$")
SECTION = re.compile(r"^// --- (.+) ---$", re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
PIECE = re.compile(  # a declaration at the level of the namespace
    r"\s*(?:using (?P<alias>\w+) = (?P<target>[^;]*);"
    r"|enum(?: \w+)?(?: : (?P<underlying>[\w:]+))? \{(?P<enumerators>[^}]*)\};"
    r"|struct (?P<struct>\w+) \{(?P<fields>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\};"
    r"|static_assert\([^;]*\);)")
ENUMERATOR = re.compile(r"(\w+) = [^,]+")
FIELD = re.compile(r"(\w+)(?:\[[^\]]*\])?$")


class Unreadable(Exception):
    """A table has something that is not understood here."""


@dataclasses.dataclass
class Entry:
    name: str
    result: str
    parameters: str
    since: int

    def signature(self, replace=None):
        """As the type of a function, with one name replaced by another where {name: other} is given."""
        text = f"{self.result}({self.parameters})"
        for name, other in (replace or {}).items():
            text = re.sub(rf"\b{name}\b", other, text)
        return text


@dataclasses.dataclass
class Types:
    aliases: dict = dataclasses.field(default_factory=dict)      # name: what it stands for
    structs: dict = dataclasses.field(default_factory=dict)      # name: its fields, those of nested ones as `outer.inner`
    enumerators: dict = dataclasses.field(default_factory=dict)  # name: the alias its enumeration is based on, or None

    def update(self, other):
        self.aliases.update(other.aliases)
        self.structs.update(other.structs)
        self.enumerators.update(other.enumerators)


def read_entries(text, name):
    entries = []
    for line in text.splitlines():
        if match := ENTRY.match(line):
            entries.append(Entry(match["name"], match["result"].strip(), match["parameters"], int(match["since"])))
        elif line and not line.startswith("//"):
            raise Unreadable(f"{name}: cannot read the line: {line}")
    if not entries:
        raise Unreadable(f"{name}: holds no entry")
    return entries


def statements(body):
    """The parts of a struct's body that end with a semicolon outside of inner braces."""
    depth = start = 0
    for index, character in enumerate(body):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            yield body[start:index].strip()
            start = index + 1
    if body[start:].strip():
        raise Unreadable(f"cannot read the fields {body.strip()}")


def fields_of(body, prefix=""):
    """Names of the fields in a body. An inner struct or union gives its fields; without a name they are those of the outer one."""
    for statement in statements(body):
        if nested := re.fullmatch(r"(?:struct|union) \{(.*)\}\s*(\w*)", statement, re.DOTALL):
            yield from fields_of(nested[1], f"{prefix}{nested[2]}." if nested[2] else prefix)
            continue
        for declarator in re.sub(r" = .*", "", statement, flags=re.DOTALL).split(","):  # without what it begins with
            match = FIELD.search(declarator.strip())
            if not match or "{" in statement:
                raise Unreadable(f"cannot read the field {statement}")
            yield prefix + match[1]


def read_types(text, name, section=None):
    """What a header of types declares in its namespace, or in one of its sections, which lines `// --- name ---` begin."""
    if section:
        parts = SECTION.split(text)
        if section not in parts[1::2]:
            raise Unreadable(f"{name}: has no section {section}")
        body = parts[parts.index(section) + 1]
    else:
        body = re.split(r"^namespace [\w:]+ \{", text, maxsplit=1, flags=re.MULTILINE)[-1]
    body = COMMENT.sub("", re.split(r"^\}  // namespace", body, maxsplit=1, flags=re.MULTILINE)[0])
    types = Types()
    while body.strip():
        piece = PIECE.match(body)
        if not piece:
            raise Unreadable(f"{name}: cannot read: {body.strip().splitlines()[0]}")
        if piece["alias"]:
            types.aliases[piece["alias"]] = piece["target"].strip()
        elif piece["struct"]:
            types.structs[piece["struct"]] = list(fields_of(piece["fields"]))
        elif piece["enumerators"]:
            found = ENUMERATOR.findall(piece["enumerators"])
            if len(found) != len([part for part in piece["enumerators"].split(",") if part.strip()]):
                raise Unreadable(f"{name}: an enumerator has no value in: {piece['enumerators'].strip()}")
            underlying = piece["underlying"] if piece["underlying"] not in ("int", "unsigned") else None
            types.enumerators.update((enumerator, underlying) for enumerator in found)
        body = body[piece.end():]
    return types
