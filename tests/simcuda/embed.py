# Writes C++ source text that is a list of string literals holding the given files, one line of input per literal. Lines that
# include a file of this folder or hold `#pragma once` are left out: the caller gives the files in order.
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
import sys

output, inputs = sys.argv[1], sys.argv[2:]
with open(output, 'w', encoding='utf-8') as target:
    for path in inputs:
        with open(path, encoding='utf-8') as source:
            for line in source:
                if line.startswith(('#include', '#pragma once', '//')):
                    continue
                text = line.rstrip('\n').replace('\\', '\\\\').replace('"', '\\"')
                target.write(f'"{text}\\n"\n')
