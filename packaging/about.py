#!/usr/bin/env python3
"""What packages say of Rondo: its description, which is the first sentence of README.md, and what about.json beside this has.

    about.py FIELD      prints one of description, homepage, repository, files, maintainer, address
    about.py --write    writes all into the files of the tree whose tools want them there: Cargo.toml of the crates, pom.xml

about.json: `files` is where a file of the tree can be read, by its path behind a slash. What ends in PLACEHOLDER is to be replaced before
anything is published; packaging/packages and tests/packaging name it.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACEHOLDER = re.compile(r"\brondo\.example\b")
CRATES = {f"bindings/rust/{name}/Cargo.toml" for name in ("rondo", "rondo-sys", "rondo-sys-build")}
DESCRIBED = {"bindings/rust/rondo/Cargo.toml", "bindings/java/pom.xml"}  # the others are parts, and say of what
POM = "bindings/java/pom.xml"


def about(root):
    fields = json.loads((root / "packaging/about.json").read_text(encoding="utf-8"))
    paragraphs = (root / "README.md").read_text(encoding="utf-8").split("\n\n")
    return {**fields, "description": " ".join(paragraphs[1].split())}


def placeholders(root):
    return [name for name, value in about(root).items() if PLACEHOLDER.search(value)]


def crate(name, text, fields):
    """A Cargo.toml with the fields, after its licence."""
    text = re.sub(r"^(?:homepage|repository) = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(license = .*\n)", rf'\1homepage = "{fields["homepage"]}"\nrepository = "{fields["repository"]}"\n', text, flags=re.MULTILINE)
    return re.sub(r'^description = ".*"', f'description = "{fields["description"]}"', text, flags=re.MULTILINE) if name in DESCRIBED else text


def pom(text, fields):
    """The pom.xml with the fields, around its licence."""
    text = re.sub(r"<description>.*?</description>\n(?:  <url>.*?</url>\n)?", f"<description>{fields['description']}</description>\n"
                  f"  <url>{fields['homepage']}</url>\n", text, flags=re.DOTALL)
    people = (f"  </licenses>\n  <developers>\n    <developer>\n      <name>{fields['maintainer']}</name>\n      <email>{fields['address']}</email>\n"
              f"    </developer>\n  </developers>\n  <scm>\n    <url>{fields['repository']}</url>\n  </scm>\n")
    return re.sub(r"  </licenses>\n(?:  <developers>.*?</scm>\n)?", people, text, flags=re.DOTALL)


def written(root):
    """{file: text} as it must be."""
    fields = about(root)
    texts = {name: crate(name, (root / name).read_text(encoding="utf-8"), fields) for name in sorted(CRATES)}
    return {**texts, POM: pom((root / POM).read_text(encoding="utf-8"), fields)}


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for path, contents in written(ROOT).items():
            (ROOT / path).write_text(contents, encoding="utf-8")
    elif len(sys.argv) == 2 and sys.argv[1] in about(ROOT):
        print(about(ROOT)[sys.argv[1]])
    else:
        sys.exit(__doc__)
