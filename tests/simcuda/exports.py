# Writes a linker version script that exports the entry points a driver of the given version has, and nothing else.
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
import re
import sys

output, version, extra, tables = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(','), sys.argv[4:]
entry = re.compile(r'^RONDO_FN\(.*?, (\w+), \(.*\), (\d+)\)\s*$')
names = list(extra)
for path in tables:
    with open(path, encoding='utf-8') as table:
        for line in table:
            if not line.startswith('RONDO_FN'):
                continue
            match = entry.match(line)
            if match is None:
                sys.exit(f'{path}: cannot read {line!r}')
            if int(match.group(2)) <= version:
                names.append(match.group(1))
with open(output, 'w', encoding='utf-8') as script:
    script.write('{\n  global:\n' + ''.join(f'    {name};\n' for name in names) + '  local: *;\n};\n')
