#!/usr/bin/env python3
"""Starts the digits service of examples/java-service as its users do, which builds it against the library of this tree and trains its
model; then runs its tests: on the cpu, then, those of devices, on the simulated driver that the environment names.

    service.py SOURCE_ROOT BUILD_ROOT

Skipped (77) where there is no Maven or no JDK of version 17. Maven fetches its plugins and the libraries once, into the user's repository.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import service_run

SETTINGS = [name for name in os.environ if name.startswith(("RONDO_", "SIMCUDA_"))]
TOTALS = re.compile(r"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$", re.MULTILINE)


def maven(folder, log, environment, *arguments):
    """What Maven prints; it is kept in a file, and shown if it fails."""
    run = subprocess.run(["mvn", "-B", "-C", "-ntp", "-f", folder, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         env=environment, stdin=subprocess.DEVNULL, errors="replace")
    log.write_text(run.stdout)
    if run.returncode != 0:
        print("\n".join(line for line in run.stdout.splitlines() if not line.startswith("[INFO]"))[-20000:])
        sys.exit(f"Maven fails; {log} has all that it said")
    return run.stdout


def skipped(reports):
    """Lines `test: reason` of the tests that did not run."""
    for report in sorted(reports.glob("TEST-*.xml")):
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            for each in case.iter("skipped"):
                reason = (each.text or each.get("message", "")).partition("\n")[0].rpartition("Assumption failed: ")[2]
                yield f"{case.get('classname').rpartition('.')[2]}.{case.get('name')}: {reason}"


def help_of_run(root):
    """Told at once: nothing is installed, built or fetched for it."""
    said = subprocess.run([f"{root}/examples/java-service/run", "--port", "9000", "--help"], text=True, capture_output=True, timeout=120)
    lines = said.stdout.splitlines()
    assert said.returncode == 0 and lines[:1] == ["usage: examples/java-service/run [options]"], said
    assert all(line.startswith("  --") for line in lines[1:]) and lines[-1].split()[0] == "--help" and '"' not in said.stdout, said.stdout


def asked_in_c(root, build, files, out, environment):
    """Maven's option for the vectors that the C example makes of the questions with kept vectors; none where it was not built."""
    program = pathlib.Path(build, "examples/c/sentences")
    if not program.exists():
        return []
    kept = pathlib.Path(root, "examples/data/sentences.safetensors").read_bytes()
    texts = list(json.loads(kept[8:8 + int.from_bytes(kept[:8], "little")]))[1:]  # behind the metadata
    searched = pathlib.Path(root, "examples/data/sentences.txt").read_text().splitlines()
    questions = [text for text in texts if text not in searched]
    assert len(questions) > 5, texts
    subprocess.run([program, "--model", files / "model.safetensors", "--vocabulary", files / "vocab.txt", "--device", "cpu", "--vectors", out,
                    *questions], check=True, capture_output=True, env=environment)
    return [f"-Dservice.asked={out}"]


def main(root, build):
    help_of_run(root)
    if not shutil.which("mvn") or not shutil.which("javac"):
        print("Maven or a JDK is not installed")
        return 77
    version = subprocess.run(["javac", "-version"], text=True, capture_output=True).stdout.split()[-1]
    if int(version.partition(".")[0]) < 17:
        print(f"the service needs Java 17, this is {version}")
        return 77
    here = pathlib.Path(build, "examples/java-service")
    here.mkdir(parents=True, exist_ok=True)
    cpu = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    cpu.update(RONDO_CUDA_DRIVER="none", RONDO_CACHE=f"{build}/kernel-cache")

    service_run.check(root, build, cpu)
    jar = min((here / "library").glob("rondo-*.jar"), key=lambda path: len(path.name))  # where natives were laid out, theirs is beside it
    given = [f"-Drondo.build={build}", f"-Drondo.jar={jar}", f"-Dservice.target={here}/target",
             f"-Dservice.model={here}/model.safetensors", f"-Dservice.vm={os.environ.get('MAVEN_OPTS', '')}"]
    fetched = subprocess.run([sys.executable, f"{root}/examples/data/photographs.py", "--complete"], text=True, capture_output=True)
    if fetched.returncode == 0:  # else the test of the pretrained network is skipped
        given.append(f"-Dservice.photographs={fetched.stdout.strip()}")
    fetched = subprocess.run([sys.executable, f"{root}/examples/data/sentences.py", "--complete"], text=True, capture_output=True)
    if fetched.returncode == 0:
        given.append(f"-Dservice.sentences={fetched.stdout.strip()}")
        given += asked_in_c(root, build, pathlib.Path(fetched.stdout.strip()), here / "asked.safetensors", cpu)
    for name, environment, goals in (("cpu", cpu, ["test"]), ("simulated", dict(os.environ), ["surefire:test", "-Dgroups=device"])):
        reports = here / "target/surefire-reports"
        shutil.rmtree(reports, ignore_errors=True)
        out = maven(f"{root}/examples/java-service", here / f"{name}.log", environment, *given, *goals)
        totals = TOTALS.findall(out)
        for each in skipped(reports):
            print(f"skipped: {each}")
        print(f"{name}: " + ", ".join(f"{n} {what}" for n, what in zip(totals[-1], ("run", "failed", "broken", "skipped"))))
        if totals[-1][0] == "0":
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
