#!/usr/bin/env python3
"""Prints the version, which stands in include/rondo/base.h and nowhere else.

    version.py HEADER
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys


def version(header):
    found = dict(re.findall(r"^#define RONDO_VERSION_(MAJOR|MINOR|PATCH) (\d+)$", pathlib.Path(header).read_text(), re.MULTILINE))
    return ".".join(found[part] for part in ("MAJOR", "MINOR", "PATCH"))


if __name__ == "__main__":
    print(version(sys.argv[1]))
