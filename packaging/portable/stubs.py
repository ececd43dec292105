#!/usr/bin/env python3
"""Makes stand-ins of the C library's parts that offer a linker only what an older glibc has.

    stubs.py GLIBC LIBRARY...

Each LIBRARY is overwritten by one with the same soname that has, of each symbol, the newest version that is not newer than GLIBC, and none of
the symbols that came later. What is linked with it asks for nothing that the older glibc lacks, or the linker says what is missing.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# Num: Value Size Type Bind Vis Ndx Name@version; two @ stand before the version that new programs get.
SYMBOL = re.compile(r"^\s*\d+:\s+\w+\s+(\w+)\s+(FUNC|IFUNC|OBJECT|NOTYPE)\s+(GLOBAL|WEAK)\s+\w+\s+(?!UND)\w+\s+([\w.]+)(@@?)GLIBC_([\d.]+)$",
                    re.MULTILINE)


def number(version):
    return tuple(int(part) for part in version.split("."))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(library, newest):
    """{name: (version, type, binding, size)} that the older library offers to those who link."""
    offered = collections.defaultdict(list)
    for size, kind, binding, name, mark, version in SYMBOL.findall(run("readelf", "--wide", "--dyn-syms", library)):
        offered[name].append((number(version), mark == "@@", version, kind, binding, int(size, 0)))
    chosen = {}
    for name, entries in offered.items():
        # One without a default is kept for old programs only.
        old = [entry for entry in entries if entry[0] <= newest]
        if old and any(default for _, default, *_ in entries):
            chosen[name] = max(old)[2:]
    return chosen


def stand_in(library, newest, folder):
    chosen = symbols(library, newest)
    soname = re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "--wide", "--dynamic", library))[1]
    code, nodes = [".text"], collections.defaultdict(list)
    for name, (version, kind, binding, size) in sorted(chosen.items()):
        nodes[number(version)].append(name)
        code.append(f".{'weak' if binding == 'WEAK' else 'globl'} {name}")
        if kind == "OBJECT":
            code.append(f".data\n.type {name}, @object\n.size {name}, {size}\n{name}: .zero {max(size, 1)}\n.text")
        else:
            code.append(f".type {name}, @function\n{name}: ret")
    script, parent = [], ""
    for version in sorted(nodes):
        node = "GLIBC_" + ".".join(map(str, version))
        script.append(f"{node} {{ global: {'; '.join(nodes[version])};{'' if parent else ' local: *;'} }} {parent};".replace(" ;", ";"))
        parent = node
    (folder / "stub.s").write_text("\n".join(code) + "\n.section .note.GNU-stack,\"\",@progbits\n")
    (folder / "stub.map").write_text("\n".join(script) + "\n")
    run("cc", "-shared", "-nostdlib", f"-Wl,-soname,{soname},--version-script,{folder / 'stub.map'}", folder / "stub.s", "-o", folder / "stub.so")
    library.unlink()  # it may be a link to another name
    (folder / "stub.so").rename(library)


def main(glibc, *libraries):
    for library in map(pathlib.Path, libraries):
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            stand_in(library, number(glibc), pathlib.Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
