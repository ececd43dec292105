#!/usr/bin/env python3
"""docs/program.md and docs/mixed-precision.md show what the code has.

    kinds.py SOURCE_ROOT             checks
    kinds.py SOURCE_ROOT --print     prints the tables of both pages

Checked: the table of precisions is what the rows of all tables say; the tables of kinds, views and passes are those of kinds.def and passes.def; every function of the C interface that submits operators
is in the row of some kind, and every function in a row exists; rondo/tape.h names each operator whose gradient has none; each pass has a file and is a choice of its setting; the page's example pass is that of
tests/unit/graph/passes_test.cc, and the programs that it shows before and after each pass are those of tests of tests/unit/graph, which run them.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

KIND = re.compile(r'^RONDO_KIND\((\w+), (rule|none), (\w+), (\w+), (?:inferred|given|none), "([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)"\)$', re.MULTILINE)
# Of these kinds no task is, so they have neither precision nor effects.
VIEW = re.compile(r'^RONDO_VIEW\((\w+), "([^"]*)", "([^"]*)", "([^"]*)"\)$', re.MULTILINE)
# Kinds whose functions are the rows of a table.
TABLES = {"Normalisation": ("src/ops/operators/normalisations.def", re.compile(r"^NORMALISATION\((\w+),", re.MULTILINE))}
PASS = re.compile(r'^RONDO_PASS\((\w+), "([^"]*)"\)$', re.MULTILINE)
PRECISION = re.compile(r'^RONDO_PRECISION\((\w+), (\w+), "([^"]*)"\)$', re.MULTILINE)
# Operators in their tables: the name, and the precision in front of the sentence.
OPERATOR = re.compile(r"^(?:UNARY|BINARY|TERNARY|REDUCTION|NORMALISATION)\((?:[A-Z]\w*, )?(\w+),.*?\s(\w+),\s+\"[^\"]*\"(?:\s+\"[^\"]*\")*\)$", re.MULTILINE | re.DOTALL)
CHOICES = re.compile(r'^RONDO_SETTING\(graph_passes, "RONDO_GRAPH_PASSES", "all", "([^"]*)"', re.MULTILINE)
# Headers whose functions submit operators, but for those that only answer.
HEADERS = ["attention.h", "recommender.h", "recurrent.h", "control.h", "ops.h", "shapes.h", "convolution.h", "normalisation.h", "pooling.h"]
FUNCTION = re.compile(r"^RONDO_API rondo_status rondo_(\w+)\(", re.MULTILINE)


def kinds(root):
    """(name, gradient, sentence, functions) of each kind."""
    return [(name, gradient, text, " ".join(functions)) for name, gradient, _, text, functions in kinds_with_precisions(root)]


def kinds_with_precisions(root):
    """(name, gradient, precision, sentence, its functions, each with its precision)."""
    for name, gradient, precision, _, _, _, text, listed in KIND.findall((root / "src/ops/program/kinds.def").read_text()):
        if name in TABLES:
            path, row = TABLES[name]
            listed = " ".join(row.findall((root / path).read_text()))
        functions = {}
        for each in listed.split():
            function, _, own = each.partition("=")
            functions[function] = own or precision
        yield name, gradient, precision, text, functions


def passes(root):
    return PASS.findall((root / "src/graph/passes/passes.def").read_text())


def columns(root):
    """(effects, since, operands) of each kind, by its name."""
    return {name: (effects, since, operands)
            for name, _, _, effects, since, operands, _, _ in KIND.findall((root / "src/ops/program/kinds.def").read_text())}


def kind_table(root):
    more = columns(root)
    yield "| kind | | operands | effects | gradient | functions |"
    yield "|---|---|---|---|---|---|"
    for name, gradient, text, functions in kinds(root):
        listed = ", ".join(f"`rondo_{each}`" for each in functions.split()) or "of gradients and of others"
        effects, _, operands = more[name]
        yield f'| {name} | {text} | `{operands}` | {effects} | {"a rule" if gradient == "rule" else "none"} | {listed} |'


def views(root):
    """(name, since, sentence, functions) of each kind of view."""
    return VIEW.findall((root / "src/ops/program/kinds.def").read_text())


def view_table(root):
    yield "| view | | functions |"
    yield "|---|---|---|"
    for name, _, text, functions in views(root):
        yield f'| {name} | {text} | {", ".join(f"`rondo_{each}`" for each in functions.split())} |'


def precisions(root):
    return PRECISION.findall((root / "src/ops/autocast/precisions.def").read_text())


def precision_table(root):
    """Of operators of the tables those that do more than follow the widest, and all functions that are no such operators."""
    named = {}
    for table in ("operators", "reductions", "normalisations"):
        for name, precision in OPERATOR.findall((root / f"src/ops/operators/{table}.def").read_text()):
            if precision != "widest":
                named.setdefault(precision, []).append(name)
    for _, _, _, _, functions in kinds_with_precisions(root):
        for function, precision in functions.items():
            if precision != "row" and function not in named.get(precision, []):
                named.setdefault(precision, []).append(function)
    for name, public, text in precisions(root):
        yield f"| {name} | `RONDO_PRECISION_{public}` | {text} | {', '.join(f'`{each}`' for each in named.get(name, []))} |"


def precision_problems(root):
    if "\n".join(precision_table(root)) not in (root / "docs/mixed-precision.md").read_text():
        yield "docs/mixed-precision.md has not the table of precisions that kinds.py --print prints"
    known = {name for name, _, _ in precisions(root)}
    for table in ("operators", "reductions", "normalisations"):
        text = (root / f"src/ops/operators/{table}.def").read_text()
        found = OPERATOR.findall(text)
        if len(found) != len(re.findall(r"^(?:UNARY|BINARY|TERNARY|REDUCTION|NORMALISATION)\(", text, re.MULTILINE)):
            yield f"src/ops/operators/{table}.def has a row whose precision kinds.py cannot read"
        for name, precision in found:
            if precision not in known:
                yield f"src/ops/operators/{table}.def has the precision '{precision}' for {name}, which is none"
    for name, _, precision, _, functions in kinds_with_precisions(root):
        for each in {precision, *functions.values()} - known - {"row"}:
            yield f"src/ops/program/kinds.def has the precision '{each}' for {name}, which is none"


def order_problems(root):
    """Gradients have gradients of all orders, but for what rondo/tape.h names: kinds of gradients without a rule, by the functions whose
    gradients they are, and operators whose gradient no operator computes."""
    header = (root / "include/rondo/tape.h").read_text()
    functions = {name: listed.split() for name, _, _, listed in kinds(root)}
    without = {f"rondo_{each}" for name, gradient, _, _ in kinds(root) if name.endswith("Grad") and gradient == "none"
               for each in functions[name.removesuffix("Grad")]}
    table = (root / "src/ops/operators/operators.def").read_text()
    unknown = {f"RONDO_{each}" for each in re.findall(r"^(?:UNARY|BINARY|TERNARY)\((\w+),.*?\bUNKNOWN\b", table, re.MULTILINE)}
    for each in sorted(without | unknown):
        if not re.search(rf"\b{each}\b", header):
            yield f"include/rondo/tape.h does not say that gradients of {each} have no gradient, as the tables have it"
    promise = re.search(r"Every operator with a gradient has gradients of any order\.(.*?)RONDO_UNSUPPORTED", header, re.DOTALL)
    if not promise:
        yield "include/rondo/tape.h does not say which operators have gradients of any order"
    else:
        for each in sorted(set(re.findall(r"\brondo_\w+", promise[1])) - without):
            yield f"include/rondo/tape.h says that gradients of {each} have no gradient, and kinds.def has a rule"


def pass_table(root):
    yield "| pass | |"
    yield "|---|---|"
    for name, text in passes(root):
        yield f"| `{name}` | {text} |"


def marked(text, name):
    """Each stretch of lines between `// [name` and `// name]`."""
    return re.findall(rf"^ *// \[{name}\n(.*?)^ *// {name}\]", text, re.MULTILINE | re.DOTALL)


def strings(code):
    """What the string literals of some code say."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', code)).replace("\\n", "\n")


def shown(page):
    """The pairs of programs that the page shows: {pass: (before, after)}."""
    found = {}
    for section in re.split(r"^### ", page, flags=re.MULTILINE)[1:]:
        for before, after in re.findall(r"^```\nbefore:\n(.*?)\nafter:\n(.*?)^```", section, re.MULTILINE | re.DOTALL):
            found.setdefault(section.split("\n")[0], []).append((before, after))
    return found


def tested(root):
    """The pairs that tests have."""
    for path in sorted((root / "tests/unit/graph").glob("*_test.cc")):
        text = path.read_text()
        before, after = ([strings(code) for code in marked(text, name)] for name in ("before", "after"))
        if len(before) != len(after):
            raise SystemExit(f"{path}: {len(before)} programs before a pass and {len(after)} after it")
        yield from zip(before, after)


def pair_problems(root, page):
    pairs = shown(page)
    known = list(tested(root))
    for name, _ in passes(root):
        if len(pairs.get(name, [])) != 1:
            yield f"docs/program.md shows {len(pairs.get(name, []))} pairs of programs under ### {name}; one before the pass and after it is needed"
    for name, (before, after) in ((name, pair) for name, many in pairs.items() for pair in many):
        if (before, after) not in known:
            yield f"docs/program.md: no test of tests/unit/graph has the programs before and after {name}"
    for before, after in known:
        if (before, after) not in [pair for many in pairs.values() for pair in many]:
            yield f"docs/program.md has not the programs that tests/unit/graph has, before {before!r}"


def problems(root):
    page = (root / "docs/program.md").read_text()
    for what, table in (("kinds", kind_table(root)), ("views", view_table(root)), ("passes", pass_table(root))):
        if "\n".join(table) not in page:
            yield f"docs/program.md has not the table of {what} that kinds.py --print prints"
    yield from precision_problems(root)
    yield from order_problems(root)
    rows = {each for row in [*kinds(root), *views(root)] for each in row[3].split()}
    functions = set()
    for header in HEADERS:
        functions |= set(FUNCTION.findall((root / "include/rondo" / header).read_text()))
    everywhere = "".join(path.read_text() for path in (root / "include/rondo").glob("*.h"))
    for each in sorted(functions - rows):
        yield f"rondo_{each} is in no row of src/ops/program/kinds.def"
    for each in sorted(rows):
        if not re.search(rf"\brondo_{each}\(", everywhere):
            yield f"src/ops/program/kinds.def names rondo_{each}, which no header has"
    if len(list(kinds(root))) != len(re.findall(r"^RONDO_KIND\(", (root / "src/ops/program/kinds.def").read_text(), re.MULTILINE)):
        yield "src/ops/program/kinds.def has a row that kinds.py cannot read"
    for name, _ in passes(root):
        if not (root / f"src/graph/passes/{name}.cc").exists():
            yield f"the pass {name} has no file src/graph/passes/{name}.cc"
    wanted = ", ".join(["all", "none", *(name for name, _ in passes(root))])
    if CHOICES.findall((root / "src/base/settings.def").read_text()) != [wanted]:
        yield f"src/base/settings.def: RONDO_GRAPH_PASSES has other choices than '{wanted}', the passes of passes.def"
    test = (root / "tests/unit/graph/passes_test.cc").read_text()
    example = marked(test, "example")
    if len(example) != 1 or example[0] not in page:
        yield "docs/program.md has not the example pass of tests/unit/graph/passes_test.cc, between `// [example` and `// example]`"
    yield from pair_problems(root, page)


def main(root, *flags):
    root = pathlib.Path(root)
    if flags == ("--print",):
        print("\n".join([*kind_table(root), "", *view_table(root), "", *pass_table(root), "", *precision_table(root)]))
        return 0
    found = list(problems(root))
    print("\n".join(found) or f"{len(list(kinds(root)))} kinds, {len(passes(root))} passes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
