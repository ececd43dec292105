"""What the C++ header calls the functions and operators of the C interface: the function, method or constructor that calls or names each.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import re

CLASS = re.compile(r"^class (\w+)(?: : public Owner<\w+, (rondo_\w+)>)?")
INDENTED = re.compile(r"^  (?!return\b|else\b|if\b|for\b|while\b|throw\b)(?:[\w:<>&*,.]+ )*[*&]?(~?\w+)\(")
FREE = re.compile(r"^(?:inline |template <.*> |static |constexpr )*(?:[\w:<>&*,.]+ )+[*&]?(operator[^\s\w(]+|(?:\w+::)?\w+)\(")
MACRO = re.compile(r"^RONDO_HPP_\w+\((\w+), (RONDO_\w+)\b", re.MULTILINE)  # a function that a macro makes of its name
NAME = re.compile(r"\b(rondo_\w+)(?=[(,)])|\b(RONDO_[A-Z0-9_]+)\b")
BASES = {"Views": "Tensor"}  # a class that another one is named for
GENERAL = {"unary", "binary", "ternary", "reduce"}  # what operators go through that have no function of their own


def functions_of(text):
    """[class or None, whether private or a detail, name, lines] of each function in a header, and (handle's destroy, class) of owners."""
    found, owners, kind, private, inside, detail = [], [], None, False, False, False
    for line in text.splitlines():
        if re.match(r"(?:namespace detail \{|\}  // namespace detail)$", line):
            detail = line.startswith("namespace")
        head = CLASS.match(line)
        if head:
            kind, private = BASES.get(head[1], head[1]), False
            owners += [(head[2], kind)] if head[2] else []
            continue
        if line.startswith("};"):
            kind, private = None, False
        if re.match(r"^ (public|private|protected):", line):
            private, inside = not line.startswith(" public"), False
        if line.strip().startswith("//"):
            continue
        head = INDENTED.match(line) if kind else FREE.match(line)
        if head:
            found.append([kind, private or (detail and not kind), head[1], ""])
            inside = True
        if inside:
            found[-1][3] += line + "\n"
        inside = inside and not line.startswith("}")
    return found, owners


def names_of(text):
    """(C name, C++ name): of the function that has the call, and for a private one of the public one that calls that."""
    functions, owners = functions_of(text)
    yield from ((destroy, f"~{kind}") for destroy, kind in owners)
    yield from ((operator, name) for name, operator in MACRO.findall(text))
    for kind, private, method, body in functions:
        if private:
            yield from ((c, f"~{kind}") for c, _ in NAME.findall(body) if kind and c.endswith("_destroy"))
            callers = [each for each in functions if each[0] == kind and not each[1] and re.search(rf"\b{method}\(", each[3])]
            method = callers[0][2] if callers else None
        if method:
            name = method if not kind else kind if method in (kind, f"~{kind}") else f"{kind}::{method}"
            yield from ((c or constant, name) for c, constant in NAME.findall(body))


def names(root):
    """{C name: C++ name}: the first that calls it, and for an operator one that is named for it."""
    found = {}
    for header in sorted((root / "include/rondo").rglob("*.hpp")):
        for c, cpp in names_of(header.read_text()):
            if c.startswith("rondo_") or cpp not in GENERAL and "::" not in cpp and c.removeprefix("RONDO_").lower() in cpp.lower():
                found.setdefault(c, cpp)
    return found
