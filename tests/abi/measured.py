#!/usr/bin/env python3
"""What is told of speed is what the newest kept results have, losses above all.

    measured.py SOURCE_ROOT            checks
    measured.py SOURCE_ROOT --print    prints the table of tests/bench/results/README.md, "Where others are ahead"
    measured.py SOURCE_ROOT --print-products    prints the table of docs/products.md

The newest of each kind of file in tests/bench/results counts. Checked:
- there, each ratio under "Measured" is one of theirs, and the table under "Where others are ahead" has every row of theirs where a
  peer takes less time, and every goal that is missed;
- in README.md of the tree, each ratio under "How fast, and where not" is one of theirs, of a file with every way of PyTorch where there is
  one of that row; one is a loss, and the sentences below are CLAIMS. A row that both pages have is of one kept run (BOTH);
- docs/products.md has the rows of the newest comparison of products (PRODUCT_ROWS of them), as --print-products prints them;
- a peer is ahead where its time reads less: 1.00 is the same, in tables and in sentences.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import fnmatch
import json
import pathlib
import re
import sys

NAME = re.compile(r"(\w+)-(\d{4}-\d\d-\d\d)((?:-\w+)?)")
AHEAD = 1.005  # what reads 1.00 is the same
PEERS = ("numpy", "onnxruntime", "torch", "cupy")
BY_FACTOR = ("numpy", "onnxruntime")  # the others may not take less at all
HEADER = ["| kept table | a peer takes less time; times its time | missed goals |", "|---|---|---|"]
KEPT = "tests/bench/results/README.md"
PRODUCTS, PRODUCT_ROWS = "docs/products.md", ("32", "128")  # of so many rows of the left matrix
PRODUCT_HEADER = ["| m | k | n | library | small | middle | large | chosen |", "|---|---|---|---|---|---|---|---|"]
# A sentence of README.md, the kept tables and the rows that it is about: {low} and {high} are of the rows where the peer is ahead.
CLAIMS = [
    ("Convolution's gradients on a cpu take {low:.0f} to {high:.0f} times PyTorch's", "cpu-operators", "backward.*"),
    ("attention's gradients on a GPU up to {high:.1f} times", "*-attention", "attention.*.backward"),
    ("Recording a graph takes {low:.1f} to {high:.1f} times what the fastest peer takes", "h?00", "record.*"),
]
# Rows of README.md: what they begin with there and under "Measured", the kept table, and its row.
BOTH = [
    ("host time of one small operator", "host cost of one small operator", "h200", "add.async"),
    ("ResNet-50 in f16, one image", "ResNet-50 in f16, one graph", "h200-resnet", "resnet.ask.1"),
    ("training step of a recommender, batch 256", "a step of a recommender", "h200-recommenders", "dlrm.256"),
    ("training step of an encoder", "4 layers of 1024, trained", "h200-encoders", "encoder.train.32"),
]
NUMBERS = "no one two three four five six seven eight nine ten".split()


def newest(root):
    """{'h200-operators': rows} of the newest file of each kind."""
    files = {}
    for file in sorted((root / "tests/bench/results").glob("*.json")):  # by date, as all else in the name is the same
        card, _, table = NAME.fullmatch(file.stem).groups()
        files[card + table] = file
    return {name: json.loads(file.read_text())["rows"] for name, file in files.items()}


def section(root, page, name):
    return (root / page).read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def of_ways(row):
    """Times of Rondo, of PyTorch captured, of PyTorch by its compiler in its fastest way; None if one of them was not measured."""
    ways = {name: way["median_us"] for name, way in row.get("torch", {}).get("ways", {}).items() if "median_us" in way}
    by_compiler = [ways[name] for name in ("compiled", "max-autotune") if name in ways]
    return (row["rondo"]["median_us"], ways["captured"], min(by_compiler)) if "captured" in ways and by_compiler else None


def compiled(root):
    """{'encoder.ask.1': (of Rondo, of PyTorch captured, of PyTorch compiled)}, times of one run of the card whose name comes first."""
    return {row["id"]: of_ways(row) for _, rows in sorted(newest(root).items(), reverse=True) for row in rows if of_ways(row)}


def ratio(number):
    return f"{number:.2f}"


def ahead(rows):
    behind = [(row["times_fastest_peer"], row["id"]) for row in rows if row.get("times_fastest_peer", 0) >= AHEAD]
    return [f"{name} {ratio(times)}" for times, name in sorted(behind, reverse=True)]


def of_peer(row, factor):
    """Of a goal that is a peer's time: how many times that Rondo takes, and how many it may; the peer that allows least counts, as in report.cc."""
    allowed = {peer: factor if peer in BY_FACTOR else "1.00" for peer in PEERS if peer in row}
    peer = min(allowed, key=lambda each: float(allowed[each]) * row[each]["median_us"])
    return row["rondo"]["median_us"] / row[peer]["median_us"], allowed[peer]


def missed(rows):
    """Goals, and what there is instead; those too that are missed because a peer takes less time."""
    for row in rows:
        if row.get("met") is not False:
            continue
        _, goal, kind = row["goal"].split()
        mine = row["rondo"]["median_us"]
        if kind == "x":
            yield f"{row['id']} {ratio(row['times_floor'])} ({goal})"
        elif kind == "p":
            times, most = of_peer(row, goal)
            yield f"{row['id']} {ratio(times)} ({most})"
        elif goal.startswith("+"):
            yield f"{row['id']} +{mine - row['floor']['median_us']:.1f} us ({goal} us)"
        else:
            yield f"{row['id']} {mine:.0f} us ({goal} us)"


def table(root):
    return HEADER + [f"| {name} | {', '.join(ahead(rows)) or 'nowhere'} | {', '.join(missed(rows)) or 'none'} |" for name, rows in newest(root).items()]


def check_ratios(root):
    """Tables of ratios have what the newest kept runs have, losses too."""
    rows = [row for rows in newest(root).values() for row in rows]
    by_all_ways = {row["id"] for row in rows if "ways" in row.get("torch", {})}

    def ratios(chosen):
        return {ratio(row[key]) for row in chosen for key in ("times_floor", "times_fastest_peer") if row.get(key) is not None}

    fastest = ratios(row for row in rows if row["id"] not in by_all_ways or "ways" in row.get("torch", {}))
    for page, name, allowed in (KEPT, "Measured", ratios(rows)), ("README.md", "How fast, and where not", fastest):
        rows = [line.split("|") for line in section(root, page, name).splitlines() if line.startswith("| ")]
        told = [each for row in rows if row[1].strip() for cell in row[2:] for each in re.findall(r"\b\d\.\d\d\b", cell)]
        if not any(float(each) > 1 for each in told):
            yield f"{page}: the table under '{name}' has no loss"
        yield from (f"{page}: {each} is no ratio of the newest results" for each in told if each not in allowed)


def check_both(root):
    """README.md tells of a row what "Measured" tells: the ratio of one row of one kept run."""
    tables = newest(root)
    pages = {page: [[cell.strip() for cell in line.split("|")[1:-1]] for line in section(root, page, name).splitlines() if line.startswith("| ")]
             for page, name in (("README.md", "How fast, and where not"), (KEPT, "Measured"))}
    for *begins, kind, row in BOTH:
        wanted = next(ratio(each["times_fastest_peer"]) for each in tables[kind] if each["id"] == row)
        for (page, lines), begin in zip(pages.items(), begins):
            told = [line[-1] for line in lines if line[0].startswith(begin)]
            if not any(wanted in re.findall(r"\d+\.\d\d", cell) for cell in told):
                yield f"{page}: '{begin}' has {' '.join(told) or 'no row'}, and {row} of {kind} is {wanted}"
    known = tuple(begin for begin, *_ in BOTH)
    yield from (f"README.md: '{line[0]}' is no row of BOTH in measured.py" for line in pages["README.md"]
                if re.fullmatch(r"\d+\.\d\d", line[-1]) and not line[0].startswith(known))


def claims(root):
    """Sentences that README.md must have."""
    tables = newest(root)
    for text, kinds, names in CLAIMS:
        times = [row["times_fastest_peer"] for kind, rows in tables.items() if fnmatch.fnmatch(kind, kinds)
                 for row in rows if fnmatch.fnmatch(row["id"], names) and row.get("times_fastest_peer", 0) >= AHEAD]
        yield text.format(low=min(times), high=max(times)) if times else text
    others = {name: times for name, times in compiled(root).items() if name.startswith("encoder.")}
    losses = sum(mine / theirs >= AHEAD for mine, _, theirs in others.values())
    yield f"PyTorch compiled is ahead in {NUMBERS[losses]} of {NUMBERS[len(others)]} encoder rows"


def check_claims(root):
    told = " ".join(section(root, "README.md", "How fast, and where not").split())
    yield from (f"README.md: 'How fast, and where not' must say: {claim}" for claim in claims(root) if claim not in told)


def check_table(root):
    found = [line for line in section(root, KEPT, "Where others are ahead").splitlines() if line.startswith("|")]
    if found != table(root):
        yield f"{KEPT}: the table under 'Where others are ahead' is not what tests/abi/measured.py --print makes of the newest results"


def product_table(root):
    """The rows of the newest file of products: m, k, n, library, small, middle, large, chosen."""
    kept = max((root / "tests/bench/results").glob("*-products.txt"), key=lambda path: NAME.match(path.stem).group(2))
    rows = [line.split() for line in kept.read_text().splitlines()]
    rows = [row for row in rows if len(row) == 8 and row[0] in PRODUCT_ROWS]
    assert rows, f"{kept.name} has no rows of eight columns"
    yield from PRODUCT_HEADER
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def check_products(root):
    if "\n".join(product_table(root)) not in (root / PRODUCTS).read_text():
        yield f"{PRODUCTS}: the table is not what the newest comparison of products says; measured.py . --print-products prints it"


def main(root, *options):
    root = pathlib.Path(root).resolve()
    if options == ("--print",):
        print("\n".join(table(root)))
        return 0
    if options == ("--print-products",):
        print("\n".join(product_table(root)))
        return 0
    problems = [*check_products(root), *check_ratios(root), *check_both(root), *check_claims(root), *check_table(root)]
    print("\n".join(problems) or f"as in {', '.join(newest(root))}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
