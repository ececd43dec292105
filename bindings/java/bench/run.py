#!/usr/bin/env python3
"""What a call costs in Java over C: builds and runs Calls.java (JMH) and calls.c on this machine and prints both.

    run.py BUILD_FOLDER

The build is made by Meson, with optimisation; the library's jar is there too (bindings/java/package, or the test `java`).
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import subprocess
import sys
import tempfile

LIMIT = 150  # nanoseconds that an operator may cost over C


def main(build):
    here, build = pathlib.Path(__file__).resolve().parent, pathlib.Path(build).resolve()
    jar = next(path for folder in (build / "bindings/java/package", build / "bindings/java/target") for path in folder.glob("rondo-*.*.*.jar"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-std=c99", "-O2", "-I", here.parents[2] / "include", "-o", f"{folder}/calls", here / "calls.c",
                        build / "src/librondo.so.0", f"-Wl,-rpath,{build}/src"], check=True)
        c = {}
        for _ in range(2):
            for line in subprocess.run([f"{folder}/calls"], text=True, capture_output=True, check=True).stdout.splitlines():
                name, took = line.split()
                c[name] = min(float(took), c.get(name, 1e9))
        subprocess.run(["mvn", "-B", "-q", "-ntp", "-f", here, f"-Drondo.target={jar.parent}", f"-Dbench.target={folder}/target", "compile",
                        "exec:exec", f"-Dexec.args=-Ddev.rondo.native.path={build}/bindings/java -cp %classpath org.openjdk.jmh.Main "
                        f"-rf json -rff {folder}/result.json"], check=True)
        results = json.loads(pathlib.Path(folder, "result.json").read_text())
    print(f"{'call':<12}{'C ns':>10}{'Java ns':>10}{'over C':>10}")
    for result in results:
        name = result["benchmark"].split(".")[-1]
        rounds = [value for fork in result["primaryMetric"]["rawData"] for value in fork]
        java = min(rounds)  # the best of both, so that what else the machine does counts for neither
        print(f"{name:<12}{c[name]:>10.1f}{java:>10.1f}{java - c[name]:>10.1f}{'  more than ' + str(LIMIT) if java - c[name] > LIMIT else ''}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
