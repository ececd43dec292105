#!/usr/bin/env python3
"""Everything that lists operators lists those of src/ops/operators/operators.def and src/ops/reductions.def.

    operators.py SOURCE_ROOT             checks that the public enums and docs/operators.md have every row, and no other
    operators.py SOURCE_ROOT --print     prints the tables of docs/operators.md
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

ROW = re.compile(r"^(UNARY|BINARY|TERNARY)\((.*?)\)$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^// --- (.*)$", re.MULTILINE)
REDUCTION = re.compile(r"^REDUCTION\((.*?)\)$", re.MULTILINE | re.DOTALL)
NORMALISATION = re.compile(r"^NORMALISATION\((.*?)\)$", re.MULTILINE | re.DOTALL)
ENUM = re.compile(r"typedef enum rondo_(unary|binary|ternary|reduce)_op \{(.*?)\} rondo_\1_op;", re.DOTALL)
DOMAIN = {"any": "any", "real": "float", "whole": "integer, bool"}
RESULT = {"Same": "the same", "Total": "floats and u64: the same; others: i64", "Real": "floats: the same; others: f32",
          "Wide": "floats: the same; others: f32", "Truth": "bool",
          "Position": "i64"}


def split(text):
    """The columns of a row: commas outside parentheses and quotes."""
    columns, depth, quoted, column = [], 0, False, ""
    for c in text:
        if c == '"':
            quoted = not quoted
        if not quoted:
            depth += (c == "(") - (c == ")")
            if c == "," and depth == 0:
                columns.append(" ".join(column.split()))
                column = ""
                continue
        column += c
    return columns + [" ".join(column.split())]


def rows(root):
    """(section, kind, enumerator, domain, result, parameters, bound, gradients, sentence) of every row."""
    text = (root / "src/ops/operators/operators.def").read_text()
    count = len(re.findall(r"^(?:UNARY|BINARY|TERNARY)\(", text, re.MULTILINE))
    found = []
    for match in ROW.finditer(text):
        section = [m[1] for m in SECTION.finditer(text, 0, match.start())][-1]
        columns = split(match[2])
        kind = match[1].lower()
        if kind == "ternary":
            columns.insert(4, "P()")
        name, _, domain, result, parameters, _, _, bound = columns[:8]
        arity = {"unary": 1, "binary": 2, "ternary": 3}[kind]
        if len(columns) != 8 + 2 * arity + 2:
            sys.exit(f"src/ops/operators/operators.def: the row {name} has {len(columns)} columns, not {8 + 2 * arity + 2}")
        sentence = "".join(re.findall(r'"([^"]*)"', columns[-1]))
        found.append((section, kind, "RONDO_" + name, domain, result, parameters[2:-1], bound, columns[8 : 8 + arity], sentence))
    if len(found) != count:
        sys.exit("src/ops/operators/operators.def has a row that operators.py cannot read")
    return found


def reductions(root):
    """(enumerator, domain, parameter, result of nothing, gradient, sentence) of every row."""
    text = (root / "src/ops/operators/reductions.def").read_text()
    found = []
    for match in REDUCTION.finditer(text):
        columns = split(match[1])
        name, _, domain, _, _, _, parameter, of_nothing, _, _, gradient = columns[:11]
        sentence = "".join(re.findall(r'"([^"]*)"', columns[-1]))
        found.append(("RONDO_" + name, domain, parameter[2:-1], of_nothing, gradient, sentence))
    if len(found) != len(re.findall(r"^REDUCTION\(", text, re.MULTILINE)):
        sys.exit("src/ops/operators/reductions.def has a row that operators.py cannot read")
    return found


def normalisations(root):
    """(name, gradient, sentence) of every row."""
    text = (root / "src/ops/operators/normalisations.def").read_text()
    found = [split(match[1]) for match in NORMALISATION.finditer(text)]
    if len(found) != len(re.findall(r"^NORMALISATION\(", text, re.MULTILINE)):
        sys.exit("src/ops/operators/normalisations.def has a row that operators.py cannot read")
    return [(name, gradient, "".join(re.findall(r'"([^"]*)"', sentence))) for name, _, gradient, *_, sentence in found]


def tables(root):
    lines, section = [], None
    for row in rows(root):
        if row[0] != section:
            section = row[0]
            lines += ["", f"## {section[0].upper()}{section[1:]}", "",
                      "| operator | computes | operands | result | parameters | bound | gradient |",
                      "|---|---|---|---|---|---|---|"]
        _, _, name, domain, result, parameters, bound, gradients, sentence = row
        gradient = "no" if all(g in ("NONE", "UNKNOWN") for g in gradients) else "yes"
        defaults = ", ".join("needed" if p.strip() == "REQUIRED" else p.strip() for p in parameters.split(",") if p.strip())
        cells = [f"`{name}`", sentence.replace("|", "\\|"), DOMAIN[domain],
                 "bool" if result == "boolean" else "the same", defaults, bound if bound != "0" else "exact", gradient]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## Reductions", "", "| operator | computes | result | parameter | of nothing | gradient |", "|---|---|---|---|---|---|"]
    for name, domain, parameter, of_nothing, gradient, sentence in reductions(root):
        nothing = {"NAN": "NaN", "-INFINITY": "-infinity", "REFUSED": "refused"}.get(of_nothing, of_nothing)
        cells = [f"`{name}`", sentence.replace("|", "\\|"), RESULT[domain], parameter, nothing, "no" if gradient == "NONE" else "yes"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "## Normalisations", "", "| operator | computes | gradient of x |", "|---|---|---|"]
    for name, gradient, sentence in normalisations(root):
        lines.append("| " + " | ".join([f"`rondo_{name}`", *(text.replace("|", "\\|") for text in (sentence, gradient))]) + " |")
    return lines


def problems(root):
    header = (root / "include/rondo/ops.h").read_text()
    expected = {(kind, name) for _, kind, name, *_ in rows(root)} | {("reduce", name) for name, *_ in reductions(root)}
    declared = {(m[1], name) for m in ENUM.finditer(header) for name in re.findall(r"\b(RONDO_\w+) =", m[2])}
    yield from (f"src/ops/*.def: {kind} {name} has no row" for kind, name in sorted(declared - expected))
    yield from (f"include/rondo/ops.h: {kind} {name} is not declared" for kind, name in sorted(expected - declared))
    for name, *_ in normalisations(root):
        if f" rondo_{name}(" not in header:
            yield f"include/rondo/ops.h: rondo_{name} is not declared"
    page = (root / "docs/operators.md").read_text().splitlines()
    wanted = [line for line in tables(root) if line.startswith(("| `", "## "))]
    yield from (f"docs/operators.md: lacks {line}" for line in wanted if line not in page)
    yield from (f"docs/operators.md: no row gives {line}" for line in page if line.startswith(("| `RONDO_", "| `rondo_")) and line not in wanted)


def main():
    root = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--print"]:
        print("\n".join(tables(root)))
        return
    found = list(problems(root))
    print("\n".join(found) or f"{len(rows(root)) + len(reductions(root))} operators agree")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
