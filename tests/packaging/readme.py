#!/usr/bin/env python3
"""Does what README.md says about building and installing, word for word, in a copy of the sources and an empty home.

    readme.py
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from consumer import ROOT, run

BLOCK = re.compile(r"^(?:    .*\n)*    meson setup .*\n(?:    .*\n)*", re.MULTILINE)


def main():
    recipe = "".join(line[4:] + "\n" for line in BLOCK.search((ROOT / "README.md").read_text())[0].splitlines())
    expected = re.search(r"It prints `(.*)`", (ROOT / "README.md").read_text())[1]
    print(recipe)
    with tempfile.TemporaryDirectory() as name:
        home, sources = pathlib.Path(name) / "home", pathlib.Path(name) / "rondo"
        home.mkdir()
        names = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        for path in filter(None, names):
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, sources / path)
        clean = {name: value for name, value in os.environ.items() if name not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DESTDIR")}
        ccache = os.environ.get("CCACHE_DIR") or str(pathlib.Path.home() / ".cache/ccache")  # the home is another, what was compiled is the same
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", recipe], cwd=sources, env={**clean, "HOME": str(home), "CCACHE_DIR": ccache},
                              stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stdout
        assert done.stdout.splitlines()[-1] == expected, done.stdout


if __name__ == "__main__":
    main()
