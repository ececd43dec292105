"""Where a mutation changes the sources: at the statement that carries its name.

    if (access.write) task.fences_.add(variable.read_fences_);  // mutation: readers_skipped

A comment `// mutation: NAME` (or several names, with commas) stands behind the first line of the statement, or alone on the line
before it. The statement is all from there to its end: a `;`, or the `}` of its block. So what stands around it may change, and most
of what stands in it: only a mutation that replaces a part of the statement says which, as a pattern.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import re

MARK = re.compile(r"[ \t]*// mutation: (\w+(?:, \w+)*)$", re.M)
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\s+', re.S)


class Wrong(Exception):
    """What makes the test fail, in one sentence."""


def marks(source):
    """(name, file) of every mark in the library's sources; a name that is marked twice is there twice."""
    for file in sorted((source / "src").rglob("*.*")):
        if file.suffix in (".cc", ".h", ".cuh"):
            for mark in MARK.finditer(file.read_text()):
                for name in mark[1].split(", "):
                    yield name, str(file.relative_to(source))


def file_of(source, name):
    files = [file for each, file in marks(source) if each == name]
    if len(files) != 1:
        raise Wrong(f"the comment `// mutation: {name}` is {len(files)} times in src, not once")
    return files[0]


def end_of(text, begin):
    """Where the statement that begins there ends."""
    depth, at, conditional = 0, begin, re.compile(r"if\b").match(text, begin)
    while at < len(text):
        skipped = SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        letter, at = text[at], at + 1
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            break
        if depth == 0 and letter in ";}":
            after = SKIPPED.sub(" ", text[at : at + 400])
            if not (conditional and after.split()[:1] and re.match(r"else\b", after.split()[0])):
                return at
    raise Wrong(f"the statement that begins with `{text[begin : begin + 40]}` has no end")


def changed(text, name, part=None, instead=""):
    """The text of a file in which the statement with this mark is gone, or the one part of it that matches has changed."""
    (mark,) = [mark for mark in MARK.finditer(text) if name in mark[1].split(", ")]
    line = text.rfind("\n", 0, mark.start()) + 1
    begin = line if text[line : mark.start()].strip() else mark.end()
    while skipped := SKIPPED.match(text, begin):
        begin = skipped.end()
    end = end_of(text, begin)
    if part is None:
        return text[:begin] + ";" + text[end:]
    statement = MARK.sub("", text[begin:end])
    found = list(re.finditer(part, statement))
    if len(found) != 1:
        raise Wrong(f"the pattern {part} is {len(found)} times in the statement marked {name}, not once: `{statement[:200]}`")
    return text[:begin] + statement[: found[0].start()] + instead + statement[found[0].end() :] + text[end:]
