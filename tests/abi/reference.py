#!/usr/bin/env python3
"""The reference that -Ddocs=enabled makes has every exported function with a text, and Doxygen finds nothing to warn of.

    reference.py SOURCE_ROOT SYMBOLS

Skipped (77) where Doxygen is not installed.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

CHECKED = "GENERATE_HTML = NO\nGENERATE_XML = YES\nWARN_AS_ERROR = FAIL_ON_WARNINGS\n"


def text_of(member):
    return "".join("".join(part.itertext()) for tag in ("briefdescription", "detaileddescription")
                   for part in member.findall(tag)).strip()


def main(root, symbols):
    if not shutil.which("doxygen"):
        print("doxygen is not installed")
        return 77
    root = pathlib.Path(root)
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run(
            ["doxygen", "-"], text=True, capture_output=True,
            input=(root / "packaging/reference/Doxyfile").read_text() + CHECKED,
            env={**os.environ, "RONDO_SOURCE": str(root), "RONDO_VERSION": "0", "RONDO_OUTPUT": out})
        if run.returncode != 0:
            print(run.stderr or run.stdout)
            return 1
        members = [member for page in pathlib.Path(out, "xml").glob("*.xml")
                   for member in xml.etree.ElementTree.parse(page).iter("memberdef")]
    texts = {member.findtext("name"): text_of(member) for member in members if member.get("kind") == "function"}
    exported = {line for line in pathlib.Path(symbols).read_text().split() if line.startswith("rondo_")}
    problems = [f"{name} is not in the reference" for name in sorted(exported - texts.keys())]
    problems += [f"{name} has no text" for name in sorted(exported & texts.keys()) if not texts[name]]
    problems += [f"{name} says not since which version" for name in sorted(exported & texts.keys())
                 if texts[name] and "Since " not in texts[name]]
    print("\n".join(problems) or f"{len(exported)} functions")
    return 1 if problems or not exported else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
