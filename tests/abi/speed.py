#!/usr/bin/env python3
"""The picture on the first page is drawn from the newest kept results.

    speed.py SOURCE_ROOT            checks docs/speed.svg
    speed.py SOURCE_ROOT --write    writes it

Each panel is one row of a kept table: a peer's bar is its time in times of Rondo's in the same run. Where PyTorch was compiled
too, that is another bar.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys

sys.dont_write_bytecode = True
import measured
from parts import made

PICTURE = "docs/speed.svg"
# Kept table, row, what it is.
PANELS = [("h200-resnet", "resnet.ask.1", "ResNet-50, one image, f16"), ("h200-encoders", "encoder.ask.768", "Encoder 12 x 768, bf16"),
          ("h200-steps", "step.small", "Training step, small layers")]
PEERS = {"torch": "PyTorch, captured", "cupy": "CuPy, captured"}
WIDTH, HEIGHT, PANEL, LONGEST = 840, 190, 272, 130
TEXT = '<text x="{}" y="{}"{}>{}</text>'
STYLE = "text{font:13px sans-serif;fill:#24292f}.title{font-weight:bold}.note{font-size:11px;fill:#57606a}"


def times_of(rows, name):
    """[(who, times of Rondo's)] and Rondo's time in microseconds."""
    row = next(each for each in rows if each["id"] == name)
    mine = row["rondo"]["median_us"]
    peers = {PEERS[peer]: row[peer]["median_us"] for peer in PEERS if peer in row}
    if of_ways := measured.of_ways(row):
        _, peers["PyTorch, captured"], peers["PyTorch, compiled"] = of_ways
    return [("Rondo", 1.0), *((who, time / mine) for who, time in peers.items())], mine


def drawn(root):
    tables = measured.newest(root)
    panels = [(title, *times_of(tables[table], name)) for table, name, title in PANELS]
    longest = max(times for _, bars, _ in panels for _, times in bars)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
           "<title>Time of Rondo and of the fastest peers, shorter is faster</title>", f"<style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="#ffffff"/>']
    for place, (title, bars, mine) in enumerate(panels):
        left = 20 + place * PANEL
        out.append(TEXT.format(left, 30, ' class="title"', title))
        for line, (who, times) in enumerate(bars):
            y = 44 + 38 * line
            shown = f"{mine / 1000:.2f} ms" if mine >= 100 else f"{mine:.0f} us"
            length = LONGEST * times / longest
            out += [TEXT.format(left, y + 12, ' class="note"', who),
                    f'<rect x="{left}" y="{y + 16}" width="{length:.1f}" height="14" rx="2" fill="{"#0969da" if who == "Rondo" else "#afb8c1"}"/>',
                    TEXT.format(f"{left + length + 6:.1f}", y + 28, "", shown if who == "Rondo" else f"{times:.2f} x")]
    out.append(TEXT.format(20, HEIGHT - 12, ' class="note"', "On an H100 or H200, each peer beside Rondo in the same run; shorter is faster."))
    return "\n".join([*out, "</svg>", ""])


def main(root, *options):
    root = pathlib.Path(root).resolve()
    return made.outcome(root, PICTURE, drawn(root), options, "tests/abi/speed.py --write draws of the newest results", f"{len(PANELS)} panels, as kept")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
