#!/usr/bin/env python3
"""What a call costs in Java over C: builds and runs Calls.java with calls.c on this machine and prints both.

    run.py BUILD_FOLDER [ROUNDS [JDK]]

The build is made by Meson, with optimisation; the library's jar is there too (bindings/java/package, or the test `java`).

`over C` is the difference of the fastest rounds, and beside it the median of the differences of neighbouring rounds, which counts
what else the machine does. `nothing` is a native method that does nothing. `jni` and `foreign` are the bare call by Java's two ways into C,
`binaryInto` and `view` are the library's; `counted` is `binaryInto` in a virtual thread, where the objects count their uses.

JDK is the home of one; without it the one of `javac`. From 22 on it has the foreign-function interface.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIMIT = 150  # nanoseconds that an operator may cost over C


def main(build, rounds="3000", jdk=None):
    here, build = pathlib.Path(__file__).resolve().parent, pathlib.Path(build).resolve()
    jar = min((path for folder in (build / "bindings/java/package", build / "bindings/java/target") for path in folder.glob("rondo-*.jar")),
              key=lambda path: len(path.name))  # the others have a word more
    jdk = pathlib.Path(jdk) if jdk else pathlib.Path(shutil.which("javac")).resolve().parents[1]
    version = int(subprocess.run([jdk / "bin/javac", "-version"], text=True, capture_output=True, check=True).stdout.split()[1].partition(".")[0])
    foreign = version >= 22
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-std=c99", "-O2", "-fPIC", "-shared", "-I", here.parents[2] / "include", "-I", jdk / "include", "-I",
                        jdk / "include/linux", "-o", f"{folder}/libcalls.so", here / "calls.c", build / "src/librondo.so.0",
                        f"-Wl,-rpath,{build}/src"], check=True)
        subprocess.run([jdk / "bin/javac", "-cp", jar, "-d", folder, here / "Calls.java", *[here / "ForeignCalls.java"] * foreign],
                       check=True)
        out = subprocess.run([jdk / "bin/java", *["--enable-native-access=ALL-UNNAMED"] * foreign, f"-Drondo.library={build}/src/librondo.so.0",
                              f"-Ddev.rondo.native.path={build}/bindings/java", "-cp", f"{jar}:{folder}", "Calls",
                              f"{folder}/libcalls.so", rounds], text=True, capture_output=True, check=True).stdout
    print(f"Java {version}\n{'call':<14}{'C ns':>10}{'Java ns':>10}{'over C':>10}{'median':>10}    load {os.getloadavg()[0]:.1f}")
    for line in out.splitlines():
        name, *figures = line.split()
        c, java, median = map(float, figures)
        print(f"{name:<14}{c:>10.1f}{java:>10.1f}{java - c:>10.1f}{median:>10.1f}{'  more than ' + str(LIMIT) if java - c > LIMIT else ''}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
