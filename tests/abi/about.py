#!/usr/bin/env python3
"""Packages say of Rondo what README.md and packaging/about.json say: the files whose tools want it there have it word for word.
The page of the crate has a link to the homepage, and a row for each feature.

    about.py SOURCE_ROOT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import importlib.util
import pathlib
import re
import sys

sys.dont_write_bytecode = True
FIRST_SENTENCE = re.compile(r"\A# Rondo\n\n(Rondo [^.]*\.)\n")


def main(root):
    root = pathlib.Path(root).resolve()
    spec = importlib.util.spec_from_file_location("about_packages", root / "packaging/about.py")
    about = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(about)
    fields = about.about(root)
    problems = [f"{name}: is not what packaging/about.py --write makes of packaging/about.json and README.md"
                for name, text in about.written(root).items() if (root / name).read_text(encoding="utf-8") != text]
    sentence = FIRST_SENTENCE.match((root / "README.md").read_text(encoding="utf-8"))
    if not sentence or " ".join(sentence[1].split()) != fields["description"]:
        problems.append("README.md: its first paragraph is not one sentence that says what Rondo is")
    if f"]({fields['homepage']})" not in (root / "bindings/rust/rondo/README.md").read_text(encoding="utf-8"):
        problems.append("bindings/rust/rondo/README.md: has no link to the homepage of packaging/about.json")
    crate = root / "bindings/rust/rondo"
    features = set(re.findall(r"^(\w+) = ", (crate / "Cargo.toml").read_text(encoding="utf-8").partition("[features]")[2].partition("\n[")[0], re.MULTILINE))
    told = set(re.findall(r"^\| `(\w+)` \|", (crate / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    problems += [f"bindings/rust/rondo/README.md: the feature {name} is in one of Cargo.toml and the table" for name in sorted(features ^ told)]
    print("\n".join(problems) or f"{len(about.written(root))} files say it; placeholders: {', '.join(about.placeholders(root)) or 'none'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
