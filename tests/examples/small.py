#!/usr/bin/env python3
"""Small examples print what they say: small.py PROGRAM NAME [ARGUMENT]..."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re
import subprocess
import sys

# N: a loss or a time, which no test can know.
MEASURED = re.compile(r"(?<=loss )\d\.\d{3}|(?<=first, )\d\.\d{3}|(?<=then )\d\.\d{3}|\d+(?= us a step)")
BRANCH = """called eagerly: loss N at first, N at last; N us a step; functions of bodies were called 200 times
launched: loss N at first, N at last; N us a step; functions of bodies were called 0 times
the %s decided
the weights are equal, bit for bit
"""
CALLABLE = """layers called eagerly: loss N, then N; N us a step; their functions were called 800 times
layers as graphs: loss N, then N; N us a step; their functions were called 6 times
the weights are equal, bit for bit
"""
EXPECTED = {
    "hello": "1 4 7 10\n",
    "hello_cpp": "1 4 7 10 \n",
    "dlpack": "2 4 6 8 10 12 \nin place: -1 ... -6\nRondo is done with the samples\n",
    "expression": """rondo_expression_create: 1:14: expected a value, found the end
  y = 2 * (x + 
               ^
after 50 steps x[0] is 3.000, and the loss is small
""",
    "branch": BRANCH % "host",
    "branch_cpp": BRANCH % "host",
    "branch_simulated": BRANCH % "CUDA graph",
    "callable": CALLABLE,
    "callable_cpp": CALLABLE,
    "coming_from": """a whole step: 10 launches leave the bits of eager steps
collectives inside: 10 launches leave the bits of eager steps
mixed precision inside: 10 launches leave the bits of eager steps
graphed parts: the bits of eager gradients
graphs for three sizes share their memory
10 tasks of the program's own, in order
""",
    "module": "no GPU here\n",
    "module_simulated": "400 400 400\n",
    "numbers": """rate 0.05: the loss is small after 200 steps
rate 100: rondo_tensor_wait: graph 'step': task 'check_numbers' on cpu:0: operator 'square' (node 2) on cpu:0 made the first infinity of \
graph 'step': element [0, 0] of its result f32 [4, 4], from f32 [4, 4] (task 13 of the graph)
""",
    "user_task": """step 0: checksum 7ac950ba
step 1: rondo_tensor_read: task 'limited' on cpu:0: a value is beyond the limit
step 2: rondo_tensor_read: task 'limited' on cpu:0: a value is beyond the limit
x is spoilt
x is 0 ... 999 again
and the engine reports it once
""",
    "views": """red, 6 x 8
   0   1   2   3   4   5   6   7
  10  11  12  13  14  15  16  17
  20  21  22  23  24  25  26  27
  30  31  32  33  34  35  36  37
  40  41  42  43  44  45  46  47
  50  51  52  53  54  55  56  57
cropped and mirrored, 4 x 4
  15  14  13  12
  25  24  23  22
  35  34  33  32
  45  44  43  42
red with the crop painted, transposed, 8 x 6
   0  10  20  30  40  50
   1  11  21  31  41  51
   2 255 255 255 255  52
   3 255 255 255 255  53
   4 255 255 255 255  54
   5 255 255 255 255  55
   6  16  26  36  46  56
   7  17  27  37  47  57
""",
}
EXPECTED["coming_from_cpp"] = EXPECTED["coming_from"]


def main():
    program, name, *arguments = sys.argv[1:]
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=100)
    falls = [float(loss) for loss in re.findall(r"(?:loss|first,|then) (\d\.\d{3})", run.stdout)]
    if any(last > 0.75 * first for first, last in zip(falls[::2], falls[1::2])):
        sys.exit(f"{name}: the loss does not fall by a quarter:\n{run.stdout}")
    if run.returncode != 0 or run.stderr or MEASURED.sub("N", run.stdout) != EXPECTED[name]:
        sys.exit(f"{name} ended with {run.returncode}\n{run.stderr}it printed\n{run.stdout}instead of\n{EXPECTED[name]}")


main()
