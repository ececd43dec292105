#!/usr/bin/env python3
"""Installs what is to be read: README.md and what it leads to, the pages of docs, and sources to learn from.

    documents.py SOURCE FOLDER INCLUDE      for `meson install`: FOLDER and INCLUDE are below the prefix, or absolute

A link of an installed page leads to what is installed with it, to a header, or to where the tree can be read (about.json).
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import about

# A folder of the tree, the names in it, and the folder that they are installed into.
PAGES = [(".", ["README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "LICENSE"], "."), ("docs", ["*.md", "*.svg"], "docs"),
         ("examples", ["README.md"], "examples")]
# Examples of a page each; data, and what makes the big ones, stay in the tree.
EXAMPLES = [
    ("examples/c", ["branch.c", "callable.c", "check.h", "hello.c", "views.c", "dlpack.c", "expression.c", "module.c", "numbers.c", "program.c", "serve.c", "user_task.c"], "examples/c"),
    ("examples/cpp", ["branch.cc", "callable.cc", "hello.cc", "program.cc", "run_file.cc", "sequences.cc"], "examples/cpp"),
    ("examples/tutorial", ["*.c", "*.cc", "*.java"], "examples/tutorial"),
    ("examples/java", ["Hello.java", "GraphFunctionLayers.java", "Branch.java", "ProgramFile.java", "RunFile.java", "Sequences.java"], "examples/java"),
    ("bindings/rust/rondo/examples", ["hello.rs", "callable.rs", "branch.rs", "program.rs", "run_file.rs", "sequences.rs", "serve.rs", "tutorial_train.rs", "tutorial_serve.rs"], "examples/rust"),
]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")


def installed(root):
    """{path in the tree: path in the folder of documents}."""
    found = {}
    for folder, names, to in PAGES + EXAMPLES:
        for name in names:
            paths = sorted((root / folder).glob(name))
            if not paths:
                sys.exit(f"packaging/documents.py: there is no {folder}/{name}")
            found.update({path.relative_to(root).as_posix(): os.path.normpath(f"{to}/{path.name}") for path in paths})
    return found


def page(root, name, text, places, to_headers):
    """A page whose links lead somewhere from where it is installed. to_headers: the way from the folder of documents to the headers."""
    files = about.about(root)["files"]

    def led(match):
        before, target, anchor, after = match.groups(default="")
        if re.match(r"[a-z]+:", target):
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(name), target))
        up = os.path.relpath(".", os.path.dirname(places[name]) or ".")
        if path in places:
            new = os.path.relpath(places[path], os.path.dirname(places[name]) or ".")
        elif path.startswith("include/rondo/"):
            new = os.path.normpath(os.path.join(up, to_headers, path.removeprefix("include/")))
        else:
            new = f"{files}/{path}"
        return before + new + anchor + after

    return LINK.sub(led, text)


def install(root, folder, headers):
    places = installed(root)
    to_headers = os.path.relpath(headers, folder)
    for name, place in places.items():
        target = pathlib.Path(folder) / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith(".md"):
            target.write_text(page(root, name, (root / name).read_text(encoding="utf-8"), places, to_headers), encoding="utf-8")
        else:
            target.write_bytes((root / name).read_bytes())
        target.chmod(0o644)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    prefix = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"])
    below = [pathlib.Path(os.environ.get("DESTDIR", "") + word) if os.path.isabs(word) else prefix / word for word in sys.argv[2:]]
    if not os.environ.get("MESON_INSTALL_DRY_RUN"):
        install(pathlib.Path(sys.argv[1]), *below)
