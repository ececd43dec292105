"""A copy of the sources that a recipe is followed in.
Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import shutil
import subprocess
import sys


def run(*command, **options):
    done = subprocess.run([str(each) for each in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-8000:]}")
    return done.stdout


def copy_of(root, folder):
    made = shutil.ignore_patterns(".git", "target", "node_modules", ".cache", "__pycache__")
    builds = shutil.ignore_patterns("build*")
    shutil.copytree(root, folder, symlinks=True,
                    ignore=lambda at, names: made(at, names) | (builds(at, names) if pathlib.Path(at) == pathlib.Path(root) else set()))


def insert(copy, places):
    """places: (file, the beginning of one of its lines, what comes in front of that line)."""
    for file, line, text in places:
        path = copy / file
        whole = path.read_text()
        if whole.count("\n" + line) != 1:
            sys.exit(f"{file} has not one line that begins with {line.strip()!r}: the recipe has changed, and this test did not")
        path.write_text(whole.replace("\n" + line, "\n" + text + line))


def print_into(copy, pages):
    """pages: (tool, page, the beginning of lines); such lines of what tool --print prints take the place of the page's."""
    for tool, page, beginning in pages:
        printed = [line for line in run(sys.executable, copy / "tests/abi" / tool, copy, "--print").splitlines() if line.startswith(beginning)]
        lines = (copy / page).read_text().splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith(beginning))
        kept = [line for line in lines if not line.startswith(beginning)]
        (copy / page).write_text("\n".join([*kept[:first], *printed, *kept[first:]]) + "\n")


def accepted(copy, *units):
    """The compiler accepts these files of the copy."""
    for unit in units:
        run(*os.environ.get("CXX", "c++").split(), "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
            f"-I{copy / 'src'}", f"-I{copy / 'include'}", copy / unit)


def built(copy, *tests, **environment):
    """The copy is built, and passes these tests."""
    if not (copy / "build").exists():
        run("meson", "setup", copy / "build", copy, "-Doptimization=g")
    run("meson", "test", "-C", copy / "build", *tests, env={**os.environ, **environment})
