#!/usr/bin/env python3
"""Fills the manual page: the version, and the settings from their table.

    man.py TEMPLATE SETTINGS VERSION OUTPUT
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

SETTING = re.compile(r'^RONDO_SETTING\(\w+, "(\w+)", "(.*?)", ".*?", "(.*)"\)$', re.MULTILINE)


def roff(text):
    """Text as it is, in roff: no dash, backslash or leading dot of it means anything else."""
    text = re.sub(r"`([^`]*)`", r"\1", text).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def main(template, settings, version, output):
    rows = SETTING.findall(pathlib.Path(settings).read_text())
    text = "".join(f".TP\n.B {roff(name)}\n{roff(doc)}\n" + (f"Default: {roff(fallback)}.\n" if fallback else "")
                   for name, fallback, doc in rows)
    page = pathlib.Path(template).read_text().replace("@VERSION@", version).replace("@SETTINGS@\n", text)
    pathlib.Path(output).write_text(page)


if __name__ == "__main__":
    main(*sys.argv[1:])
