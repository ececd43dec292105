#!/usr/bin/env python3
"""Shows Doxygen a public header: `filter.py HEADER` prints it with the comments in Doxygen's form.

The headers are written for readers of C: the first comment is about the file, one at the start of a line is about the
declaration below and those that follow it without one, one behind a member or value is about that.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re
import sys

COPYRIGHT = re.compile(r"(\n \*)?\n \* Copyright [^\n]*\*/")
TRAILING = re.compile(r"(?<=\S)( +)/\* ")


def convert(header, name):
    about = None  # the comment that the next declarations share
    used = False  # by one of them
    comment = []  # the lines so far of the one being read
    of_file = True
    for line in COPYRIGHT.sub("\n */", header).splitlines():
        if comment or line.startswith("/* "):
            comment.append(line)
            if "*/" not in line:
                continue
            text = "/**" + "\n".join(comment).removeprefix("/*")
            comment = []
            if of_file:
                yield text.replace("/** ", f"/** @file {name}\n *\n * ", 1)
                of_file = False
                continue
            about, used = (None if text.startswith("/** ---") else text), False
            continue
        if about and line.startswith(("RONDO_API", "typedef", "#define")):
            yield about
            used = True
        elif used and not line:
            about = None
        yield TRAILING.sub(r"\1/**< ", line)


if __name__ == "__main__":
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        print("\n".join(convert(file.read(), path.rsplit("/", 1)[-1])))
