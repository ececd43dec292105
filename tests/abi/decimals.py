#!/usr/bin/env python3
"""Numbers are written and read with a point whatever the locale, because one file does it.

    decimals.py SOURCE_ROOT

Outside src/base/machine/decimal.cc, whose print(), scan() and read_decimal() have the locale "C", nothing under src and include calls a function that the
locale changes: strtod, sscanf and their kind, printf with %f, %e, %g, %a or grouped digits, streams, classes of characters, letters without case.
format(), log() and error() write by print(). A header and the converter of ONNX models, which have no such file, may have a stream that is given the locale "C" in the statement after it. Java's library names a locale wherever it formats or changes the case of letters.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import re
import sys

ONE_FILE = "src/base/machine/decimal.cc"
READERS = ["strto(?:d|f|ld)(?:_l)?", "atof", "v?[fs]?scanf", "sto(?:d|f|ld)", "v(?:f|s|sn|as|d)?printf"]
LETTERS = ["strn?casecmp", "is(?:alpha|alnum|digit|xdigit|space|print|punct|upper|lower|graph|cntrl|blank)", "to(?:upper|lower)", "strcoll", "strxfrm"]
STREAMS = ["[io]?stringstream", "localeconv", "strfmon"]
CALL = re.compile(rf"(?<![\w.>])(?:std::)?({'|'.join(READERS + LETTERS + STREAMS)})\s*[({{<\s]\s*(?=\S)")
PRINTS = re.compile(r"(?<![\w.>])(?:std::)?((?:f|s|sn|as|d)?printf)\s*\(")
IMBUED = re.compile(r"[^;]*;\s*\w+\.imbue\(std::locale::classic\(\)\);")
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CHANGES = re.compile(r"%[-+ #0]*(?:'|[-+ #0'\d*.]*[lL]?[fFeEgGaA])")
JAVA = [(re.compile(r"\b(?:String\.format|\.printf)\((?!\s*(?:Locale|\)))"), "String.format without a Locale"),
        (re.compile(r"\.formatted\("), "formatted(), which goes by the locale"),
        (re.compile(r"\.to(?:Lower|Upper)Case\(\)"), "a change of case without a Locale")]


def without_comments(text):
    """The text with comments blanked, so that lines keep their numbers."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/',
                  lambda found: found[0] if found[0][0] == '"' else re.sub(r"[^\n]", " ", found[0]), text, flags=re.DOTALL)


def without_texts(text):
    return TEXT.sub(lambda found: '"' + " " * len(found[1]) + '"', text)


def arguments(text, begin):
    """What stands between the parenthesis before `begin` and the one that closes it."""
    depth = 1
    for i, character in enumerate(without_texts(text[begin:begin + 4000])):
        depth += (character == "(") - (character == ")")
        if not depth:
            return text[begin:begin + i]
    return text[begin:begin + 4000]


def problems_of(path, text):
    text = without_comments(text)
    for found in CALL.finditer(without_texts(text)):
        without = path.suffix == ".hpp" or path.parts[:2] == ("src", "onnx")  # the one file is not theirs to include
        if without and "stream" in found[1] and IMBUED.match(text, found.end()):
            continue
        yield path, text.count("\n", 0, found.start()) + 1, f"{found[1]} goes by the locale; {ONE_FILE} has what does not"
    for found in PRINTS.finditer(text):
        for literal in TEXT.findall(arguments(text, found.end())):
            if changed := CHANGES.search(literal.replace("%%", "")):
                yield path, text.count("\n", 0, found.start()) + 1, f"{found[1]} with {changed[0]} goes by the locale; format() does not"


def problems(root):
    files = 0
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cc", ".h", ".hpp", ".c") or str(path.relative_to(root)) == ONE_FILE:
                continue
            files += 1
            yield from problems_of(path.relative_to(root), path.read_text())
    for path in sorted((root / "bindings/java/src/main/java").rglob("*.java")):
        files += 1
        text = without_comments(path.read_text())
        for pattern, what in JAVA:
            for found in pattern.finditer(text):
                yield path.relative_to(root), text.count("\n", 0, found.start()) + 1, what
    if files < 500:
        yield pathlib.Path("."), 0, f"only {files} sources were found"


def main(root):
    found = list(problems(pathlib.Path(root)))
    for path, line, what in found:
        print(f"{path}:{line}: {what}")
    if not found:
        print("every number is written and read in one file")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
