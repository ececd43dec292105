"""Python packages that tests use: fetched once, into a folder of RONDO_TEST_MODELS or of rondo-test-models in the user's cache folder."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import sys
import tempfile
import zipfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "packaging"))
import wheels  # noqa: E402


class Fetched:
    """packages: name, version and the SHA-256 of their wheels; the first is what the tests ask for, the others are what it imports."""

    def __init__(self, packages):
        self.packages = packages

    def folder(self):
        chosen = os.environ.get("RONDO_TEST_MODELS")
        root = pathlib.Path(chosen).absolute() if chosen else (
            pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "rondo-test-models")
        name, version, _ = self.packages[0]
        return root / f"{name}-{version}"

    def unpack(self, new, scratch):
        """Puts what the folder has into `new`; wheels.Problem if it cannot be fetched."""
        for name, version, sums in self.packages:
            with zipfile.ZipFile(wheels.download(name, version, sums, scratch / name)) as archive:
                archive.extractall(new)

    def fetch(self):
        """Makes the folder, or says in one sentence why not."""
        parent = self.folder().parent
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=parent, prefix=".fetch-") as scratch:
            new = pathlib.Path(scratch, "new")
            try:
                self.unpack(new, pathlib.Path(scratch))
            except wheels.Problem as problem:
                return str(problem)
            try:
                new.rename(self.folder())
            except OSError:
                if not self.folder().is_dir():  # else another run was faster
                    raise
        return None

    def main(self, arguments):
        """Of a script: what its documentation says."""
        if arguments == ["--complete"]:
            return 0 if self.folder().is_dir() else 1
        problem = None if self.folder().is_dir() else self.fetch()
        name, version, _ = self.packages[0]
        print(problem or f"the Python package {name} {version} in {self.folder().parent}", flush=True)
        return 1 if problem else 0
