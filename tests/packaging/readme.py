#!/usr/bin/env python3
"""Does what docs/install.md says about building and installing, word for word, in a copy of the sources and an empty home: in C, then
with the same library in Rust and in Java, where their tools are.

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

PAGE = (ROOT / "docs/install.md").read_text()


def recipe(language, begins):
    """The block of commands in the section of a language that has a line which begins so, and what its program prints."""
    section = re.search(rf"^## {language}$(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)[1]
    block = re.search(rf"^(?:    .*\n)*    {begins} .*\n(?:    .*\n)*", section, re.MULTILINE)[0]
    return "".join(line[4:] + "\n" for line in block.splitlines()), printed(section)


def printed(section):
    """The lines, `one` and `another`."""
    return re.findall("`(.*?)`", re.search(r"It prints (`.*?`(?: and `.*?`)*)", section)[1])


def follow(commands, expected, folder, environment):
    print(commands)
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()[-len(expected):]
    assert len(lines) == len(expected), done.stdout
    # Maven puts the terminal's colours back on the same line.
    assert all(line.endswith(each) for line, each in zip(lines, expected)), done.stdout


def rust(sources, home, environment):
    """A program of one's own beside the checkout, as its section says; it must not compile the library anew."""
    section = re.search(r"^## Rust$(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)[1]
    [program] = re.findall(r"^```rust\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    dependency = re.search(r"`(rondo = \{ path = .*?\})`", section)[1].replace("bindings/", f"{sources}/bindings/")
    folder = sources.parent / "program"
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.rs").write_text(program)
    (folder / "Cargo.toml").write_text(f'[package]\nname = "program"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\n{dependency}\n')
    libraries = f"{home}/rondo/lib"
    follow("cargo run --quiet", printed(section), folder, {
        **environment, "RONDO_NO_VENDOR": "1", "PKG_CONFIG_PATH": f"{libraries}/pkgconfig", "LD_LIBRARY_PATH": libraries})


def main():
    with tempfile.TemporaryDirectory() as name:
        home, sources = pathlib.Path(name) / "home", pathlib.Path(name) / "rondo"
        home.mkdir()
        names = run("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        for path in filter(None, names):
            (sources / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, sources / path)
        clean = {name: value for name, value in os.environ.items() if name not in ("PKG_CONFIG_PATH", "LD_LIBRARY_PATH", "DESTDIR")}
        ccache = os.environ.get("CCACHE_DIR") or str(pathlib.Path.home() / ".cache/ccache")  # the home is another, what was compiled is the same
        follow(*recipe("C", "meson setup"), sources, {**clean, "HOME": str(home), "CCACHE_DIR": ccache})
        # Cargo and Maven keep what they fetched in the user's home.
        if shutil.which("cargo"):
            rust(sources, home, clean)
        if shutil.which("mvn") and shutil.which("javac"):
            follow(*recipe("Java", "mvn"), sources, clean)


if __name__ == "__main__":
    main()
