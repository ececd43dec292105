#!/usr/bin/env python3
"""What is built is hard to exploit; what is shipped runs on older systems as well.

    elf.py FILE...             no writable table of functions, no executable stack, no code that is changed while loading
    elf.py --portable FILE...  also: nothing needs more than glibc 2.28, and the C++ library is inside
    elf.py --released FILE...  also: the stack and calls of the C library are checked, nothing but the interface is exported, and the library
                               has the size that docs/design.md states
    elf.py --sized FILE        the last of these alone
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import subprocess
import sys
import tempfile

GLIBC = (2, 28)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 11 * 2**19  # 5.5 MiB
APART_BYTES = 300_000  # between the shipped build and the tests', and what may be added before the page is renewed
STATED = re.compile(r"stripped and with the C\+\+ library inside, it has (\d\.\d) MB")
# What the C library is made of, and the unwinder, of which a process can have only one.
SHIPPED_NEEDS = re.compile(r"(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-x86-64|librondo)\.so\.\d$")
LIBGCC = (8,)  # Debian 10's


def readelf(file, *options):
    return subprocess.run(["readelf", "--wide", *options, file], text=True, capture_output=True, check=True).stdout


def hardening(file):
    headers, dynamic = readelf(file, "--program-headers"), readelf(file, "--dynamic")
    if "GNU_RELRO" not in headers:
        yield "has no part that is read-only after loading (RELRO)"
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)", dynamic) and not re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "binds functions late, so their table stays writable (-z now)"
    stack = re.search(r"GNU_STACK.* (\S+)\s+0x", headers)
    if not stack or "E" in stack[1]:
        yield "has a stack that can be executed"
    if "(TEXTREL)" in dynamic:
        yield "has code that is changed while loading (TEXTREL)"


def symbols(file):
    """(imported, exported): names with versions, as far as they have any."""
    imported, exported = set(), set()
    for line in readelf(file, "--dyn-syms").splitlines():
        words = line.split()
        if len(words) >= 8 and words[0].rstrip(":").isdigit() and words[4] in ("GLOBAL", "WEAK", "UNIQUE"):
            (imported if words[6] == "UND" else exported).add(words[7])
    return imported, exported


def portable(file):
    imported, _ = symbols(file)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", readelf(file, "--dynamic"))
    yield from (f"is linked with {name}" for name in needed if not SHIPPED_NEEDS.match(name))
    for version in sorted(set(re.findall(r"Name: (\S+)\s+Flags", readelf(file, "--version-info")))):
        known = re.fullmatch(r"(GLIBC|GCC)_([\d.]+)", version)
        if version.startswith("RONDO_") or known and tuple(map(int, known[2].split("."))) <= {"GLIBC": GLIBC, "GCC": LIBGCC}[known[1]]:
            continue
        yield f"needs {version}: " + ", ".join(sorted(each for each in imported if each.endswith("@" + version)))


def released(file):
    imported, exported = symbols(file)
    names = {name.partition("@")[0] for name in imported}
    if "__stack_chk_fail" not in names:
        yield "does not check its stack (-fstack-protector-strong)"
    if not any(re.fullmatch(r"__\w+_chk", name) for name in names):
        yield "calls no checked function of the C library (_FORTIFY_SOURCE)"
    foreign = sorted(name for name in exported if not name.startswith(("rondo_", "RONDO_")))
    if ".so" in pathlib.Path(file).name and foreign:
        yield f"exports {len(foreign)} names that are not Rondo's: {', '.join(foreign[:5])}"
    yield from sized(file) if pathlib.Path(file).name.startswith("librondo.so") else []


def sized(file):
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, file], check=True)
        size = pathlib.Path(stripped.name).stat().st_size
    if size > MOST_BYTES:
        yield f"has {size} bytes, more than {MOST_BYTES}"
    page = re.sub(r"\s+", " ", (ROOT / "docs/design.md").read_text())
    stated = STATED.findall(page)
    if len(stated) != 1:
        yield f"has no size in docs/design.md that reads as {STATED.pattern}"
    elif abs(size - float(stated[0]) * 1e6) > APART_BYTES:
        yield f"has {size} bytes, and docs/design.md says {stated[0]} MB"


def main(arguments):
    checks = [hardening]
    if arguments[0].startswith("--"):
        checks = {"--portable": [hardening, portable], "--released": [hardening, portable, released], "--sized": [sized]}[arguments.pop(0)]
    problems = [f"{file}: {problem}" for file in arguments for check in checks for problem in check(file)]
    print("\n".join(problems) or "\n".join(f"{file}: {pathlib.Path(file).stat().st_size} bytes" for file in arguments))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
