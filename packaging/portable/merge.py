#!/usr/bin/env python3
"""Makes a static library of one object, in which nothing but the C interface has a global name: names of Rondo's own inside are not those of
programs that are linked with it, of the C++ wrapper's classes for example.

    merge.py ARCHIVE OUTPUT [COMPILER...]

For ELF of x86-64. With COMPILER, which is GCC with the options that link C++, the library brings its C++ library along: it says where its
libstdc++.a is.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import struct
import subprocess
import sys
import tempfile


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def runtime(compiler):
    """The archive that `-static-libstdc++` takes: from a folder of the command line, or of GCC's own."""
    named = [word.removeprefix("-L") for word in compiler if word.startswith("-L")]
    for folder in named:
        if (pathlib.Path(folder) / "libstdc++.a").exists():
            return str(pathlib.Path(folder) / "libstdc++.a")
    path = run(*compiler, "-print-file-name=libstdc++.a")
    return path if "/" in path else sys.exit("this compiler has no libstdc++.a")


def make_unique_global(file):
    """objcopy leaves symbols alone that are unique in a process (binding 10); as common global ones (1) it makes them local."""
    data = bytearray(pathlib.Path(file).read_bytes())
    (sections,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    for header in range(sections, sections + size * count, size):
        kind, offset, length = (struct.unpack_from(form, data, header + at)[0] for form, at in (("<I", 4), ("<Q", 0x18), ("<Q", 0x20)))
        if kind == 2:  # the table of symbols; each has 24 bytes, the fifth has the binding in its upper half
            for info in range(offset + 4, offset + length, 24):
                if data[info] >> 4 == 10:
                    data[info] = 1 << 4 | data[info] & 15
    pathlib.Path(file).write_bytes(data)


def main(archive, output, *compiler):
    with tempfile.TemporaryDirectory() as folder:
        merged = f"{folder}/rondo.o"
        # Groups would be thrown away in favour of ones of the same name in the program, whose names are not those in here.
        run("ld", "-r", "--force-group-allocation", "-o", merged, "--whole-archive", archive, "--no-whole-archive", *([runtime(compiler)] if compiler else []))
        make_unique_global(merged)
        run("objcopy", "--wildcard", "--keep-global-symbol=rondo_*", *(["--strip-debug"] if compiler else []), merged)
        pathlib.Path(output).unlink(missing_ok=True)
        run("ar", "rcsD", output, merged)


if __name__ == "__main__":
    main(*sys.argv[1:])
