#!/usr/bin/env python3
"""House rules for the files of the source tree: size, how many a folder has, opening comment, licence line, words of comments, names
of tests and types, nothing that does not belong here.

    files.py SOURCE_ROOT [BUILD]

With a build folder, the names of its tests too.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import json
import os
import pathlib
import re
import subprocess
import sys

MAX_LINES = 600  # beyond that a file has more than one subject
LONGEST_NAME = 49  # of a test, and of a case with its suite: what fits into a line of a report
MOST_FILES = 30  # of a folder: what a reader takes in at a glance
ABOUT = {"meson.build", "README.md"}  # tell about the folder they are in
# Folders that may have any number, with the reason why they are one folder.
WHOLE = {
    "bindings/java/src/main/java/dev/rondo": "a package of Java is a folder, and what is private to it is shared in it",
    "bindings/java/src/test/java/dev/rondo": "the same package",
    "bindings/rust/rondo/src": "the modules of a crate that has one level of them",
    "docs": "a page for each subject, which others link to by this address",
    "examples/c": "programs of a file or two, each read by itself",
    "include/rondo": "programs include headers by these names",
}
# Folders that had more before this was asked. They get no more files; one that gets fewer gets a smaller number here.
OWED = {}
LEAST_WORDS = 10  # of an opening comment in src: a sentence that says what the file does, and for whom
# In comments of src: words that do not say who acts, or where in the order something is, and sentences that start with one of four
# words, which mostly have no main clause. A limit for each folder that has one of its own, and for all others. They may only fall.
VAGUE = re.compile(r"\b(?:nobody|somebody|whoever|beside|behind)\b", re.IGNORECASE)
FRAGMENT = re.compile(r"(?:What|Of|Where|Whether)\b")
MOST_VAGUE = {"": 13, "src/graph": 0, "src/ops/program": 0, "src/tape": 0}
MOST_FRAGMENTS = {"": 3, "src/graph": 0, "src/ops/program": 0, "src/tape": 0}
# Identifiers that had a meaning here alone, each with the field's term. Texts of kernels may have them.
TERMS = {
    "audience": "subscription", "Audience": "Subscription", "chooser": "selection, or setter of a condition", "Chooser": "the same",
    "chooses": "is conditional", "guards": "prelaunch_checks", "heir": "owner, or successor", "heirs": "the same", "kPatience": "k...Timeout",
    "launching": "before_launch", "let_go": "release", "park": "recycle", "PeerPads": "SymmetricBuffers", "renew": "reset",
    "revive": "resurrect", "settle": "retire, degrade or finish", "shown": "printable, excerpt or visible", "told": "reported or received",
    "visitor": "connection", "Visitor": "PendingConnection",
}
# How many types of one name there may be at namespace scope: a reader who meets the name asks which one it is. A name that has
# more has them here, with the reason.
MOST_MEANINGS = 3
MORE_MEANINGS = {"Clock": (6, "the same alias of a clock of the standard library"), "Json": (9, "the same alias in each file of the command")}
CODE = {".cc", ".h", ".def"}  # what has comments of C++
LEXEME = re.compile(r'R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|(//[^\n]*|/\*.*?\*/)', re.DOTALL)
OPENING_LINES = 40  # the licence line stands in the comment at the top
LICENCE = re.compile(r"Copyright \d{4} the Rondo developers\. SPDX-License-Identifier: Apache-2\.0")
SOURCES = {".c", ".cc", ".h", ".hpp", ".cu", ".cuh", ".def", ".inc", ".py", ".sh", ".rs", ".java", ".map"}
SOURCE_NAMES = {"meson.build", "meson_options.txt", "meson.options", ".clang-tidy"}
NOT_OURS = {".git", ".cache", ".venv", "__pycache__", "out"}  # as .gitignore says
GENERATED = re.compile(r"bindings/.*/(bindings|generated/\w+)\.rs$")
LOCKS = {"bindings/rust/Cargo.lock", "examples/rust/Cargo.lock"}  # written by a tool, with the places that it found things at

# Joined here, so that this file does not hold what it forbids.
REGISTRY_HOSTS = [".".join(parts) for parts in (
    ("pypi", "org"), ("files", "pythonhosted", "org"), ("crates", "io"), ("repo1", "maven", "org"),
    ("repo", "maven", "apache", "org"), ("deb", "debian", "org"), ("registry", "npmjs", "org"), ("proxy", "golang", "org"))]
PATHS = ["/" + path for path in ("work/", "root/", "farm/", "tmp/bash_jobs")]
FORBIDDEN = [
    (re.compile("|".join(rf"\b{re.escape(host)}\b" for host in REGISTRY_HOSTS)), "names the host of a package registry"),
    (re.compile("|".join(rf"(?<![\w./$}}])(?:{re.escape(path)})" for path in PATHS)), "holds a path of one machine"),
]
# What a test counts on not to be there may be there: /dev/null/... is not, on any machine.
MAY_BE_THERE = re.compile("|".join(rf"(?<![\w./-])/{name}\b" for name in ("no" + "where", "non" + "existent", "no-" + "such")))
# What stands at the top of the tree, and what no file is larger than: others were left there, or are no sources.
AT_THE_TOP = {".ci", ".clang-format", ".clang-tidy", ".gitignore", "bindings", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "examples", "include", "LICENSE",
              "meson.build", "meson_options.txt", "packaging", "README.md", "SECURITY.md", "src", "tests"}
MOST_BYTES = 1_000_000
OPEN_ENDS = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")


def files_of(root):
    """Files of the tree, relative: what git tracks or would add; without git everything but build folders."""
    try:
        run = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                             capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        walk = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in walk
                      if not path.parts[0].startswith("build") and not NOT_OURS.intersection(path.parts))
    names = [os.fsdecode(name) for name in run.stdout.split(b"\0") if name]
    return sorted({name for name in names if (root / name).is_file()})


def is_source(name, text):
    path = pathlib.PurePath(name)
    return path.suffix in SOURCES or path.name in SOURCE_NAMES or text.startswith("#!")


def source_problems(name, text):
    lines = text.splitlines()
    if len(lines) > MAX_LINES and not GENERATED.match(name):
        yield len(lines), f"{len(lines)} lines, more than {MAX_LINES}: is there a seam?"
    first = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= first or not lines[first].startswith(("//", "/*", "#", '"""', "{ #")):
        yield first + 1, "does not start with a comment that says what lives in the file"
    # A licence line may be wrapped by the comment it stands in.
    opening = re.sub(r"\s+(?://|\*|#)?\s*", " ", "\n".join(lines[:OPENING_LINES]))
    if not LICENCE.search(opening):
        yield 1, "has no line `Copyright YEAR the Rondo developers. SPDX-License-Identifier: Apache-2.0` at the top"
    for number, line in enumerate(lines, 1):
        if OPEN_ENDS.search(line):
            yield number, "leaves something open; finish it or drop it"


def comments_of(text):
    """The comments of a C++ file, in sentences. Lines of `//` in a row, in one column, are one comment."""
    last, lines = None, []
    for found in LEXEME.finditer(text):
        if not found[2]:
            continue
        begin = text.rfind("\n", 0, found.start()) + 1
        place = text.count("\n", 0, begin), found.start() - begin
        alone = not text[begin : found.start()].strip()
        words = re.sub(r"\s+\*?\s*", " ", found[2].strip("/* "))
        if alone and last == (place[0] - 1, place[1]):
            lines[-1] += " " + words
        else:
            lines.append(words)
        last = place[0] + found[2].count("\n"), place[1]
    return [sentence for each in lines for sentence in re.split(r'(?<=[.!?])\s+(?=[A-Z`"(])', each.strip())]


def opening_problem(text):
    """What is wrong with the opening comment of a file of src; None: nothing."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    opening = LICENCE.split(" ".join(lines))[0]
    if opening.startswith("See "):
        return "its opening comment begins with 'See'; it should say what the file does"
    words = len(opening.split())
    if words < LEAST_WORDS:
        return f"its opening comment has {words} words; {LEAST_WORDS} or more, with a verb, say what the file does"
    return None


def folder_of(name, limits):
    """The longest of the folders with limits that the file is in; the empty one if it is in none."""
    return max((folder for folder in limits if name.startswith(folder + "/")), key=len, default="")


def comment_problems(texts, vague, fragments):
    """texts: of the C++ files of src, by name."""
    counts = collections.Counter()
    for name, text in texts.items():
        for sentence in comments_of(text):
            counts["vague", folder_of(name, vague)] += len(VAGUE.findall(sentence))
            counts["fragments", folder_of(name, fragments)] += bool(FRAGMENT.match(sentence))
        if problem := opening_problem(text):
            yield f"{name}:1: {problem}"
    for folder, most in sorted(vague.items()):
        if counts["vague", folder] > most:
            yield (f"{folder or 'src'}: {counts['vague', folder]} words of comments, more than {most}, match {VAGUE.pattern}: "
                   "say which thread or caller acts, and 'after' or 'next to'")
    for folder, most in sorted(fragments.items()):
        if counts["fragments", folder] > most:
            yield (f"{folder or 'src'}: {counts['fragments', folder]} sentences of comments, more than {most}, start with "
                   "What, Of, Where or Whether: give them a subject and a verb")


CASE = re.compile(r"^ *(?:TYPED_)?TEST(?:_P|_F)?\((\w+),\s*(\w+)\)", re.M)


def case_problems(text):
    for case in CASE.finditer(text):
        if len(name := f"{case[1]}.{case[2]}") > LONGEST_NAME:
            yield text.count("\n", 0, case.start()) + 1, f"{name} has {len(name)} characters, more than {LONGEST_NAME}"


def test_problems(tests):
    """Of the tests of a build, as meson lists them."""
    for name in (test["name"] for test in tests):
        if len(name) > LONGEST_NAME:
            yield f"the test {name}: has {len(name)} characters, more than {LONGEST_NAME}"


def type_problems(texts):
    """Two types of one name in one namespace are one to the linker, which takes the functions of either."""
    found = collections.defaultdict(list)
    for name, text in texts.items():
        if not name.endswith(".h"):
            continue
        around = []
        for line in text.splitlines():
            if begin := re.match(r"namespace ([\w:]+) \{", line):
                around.append(begin[1])
            elif line.startswith("}  // namespace") and around:
                around.pop()
            elif kind := re.match(r"(?:struct|class) (\w+)(?: final)?(?: : [^;]*)? \{", line):
                found["::".join([*around, kind[1]])].append(name)
    return [f"{kind} is a type in {' and in '.join(files)}" for kind, files in found.items() if len(set(files)) > 1]


def code_of(text):
    """The text without comments and literals, in as many lines."""
    return LEXEME.sub(lambda found: "\n" * found[0].count("\n"), text)


def term_problems(texts, terms):
    words = re.compile(rf"\b(?:{'|'.join(terms)})\b")
    for name, text in texts.items():
        code = code_of(text)
        for found in words.finditer(code):
            yield f"{name}:{code.count(chr(10), 0, found.start()) + 1}: `{found[0]}` is not the field's term; say {terms[found[0]]}"


TYPE = re.compile(r"^(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?:\s*:[^;{]*)? \{|^using (\w+) =", re.MULTILINE)


def meaning_problems(texts, most, more):
    """texts: of the C++ files of src. Code for devices is one text with what includes it, and has its own names."""
    found = collections.defaultdict(list)
    for name, text in texts.items():
        if not name.startswith("src/rtc/device/"):
            for kind in TYPE.finditer(code_of(text)):
                found[kind[1] or kind[2]].append(name)
    for kind, names in sorted(found.items()):
        limit = more[kind][0] if kind in more else most
        if len(set(names)) > limit:
            yield f"{kind} is a type in {len(set(names))} files, more than {limit}: {', '.join(sorted(set(names)))}"


def folder_problems(names, whole, owed):
    files = collections.Counter(pathlib.PurePosixPath(name).parent.as_posix() for name in names
                                if pathlib.PurePosixPath(name).name not in ABOUT)
    for folder, count in sorted(files.items()):
        most = owed.get(folder, MOST_FILES)
        if count > most and folder not in whole:
            yield f"{folder}: {count} files, more than {most}: which of them make a folder of their own?"
    for folder, most in owed.items():
        if files[folder] <= MOST_FILES:
            yield f"{folder}: {files[folder]} files, as any folder may have; take it out of OWED in tests/abi/files.py"
        elif files[folder] < most:
            yield f"{folder}: {files[folder]} files, fewer than before; put that number into OWED in tests/abi/files.py"
    for folder in whole:
        if not files[folder]:
            yield f"{folder}: has no files; take it out of WHOLE in tests/abi/files.py"


def main(root, build=None):
    root = pathlib.Path(root).resolve()
    problems, sources, code = [], 0, {}
    if build:
        problems += test_problems(json.loads((pathlib.Path(build) / "meson-info" / "intro-tests.json").read_text()))
    names = files_of(root)
    problems += folder_problems(names, WHOLE, OWED)
    problems += [f"{name}: is not one of those at the top of the tree" for name in names if name.split("/")[0] not in AT_THE_TOP]
    for name in names:
        data = (root / name).read_bytes()
        if len(data) > MOST_BYTES:
            problems.append(f"{name}: {len(data)} bytes, more than {MOST_BYTES}")
        if b"\0" in data:
            continue  # not text
        text = data.decode("utf-8", errors="replace")
        if "\ufffd" in text:
            problems.append(f"{name}: is not UTF-8")
        if is_source(name, text):
            sources += 1
            if name.startswith("src/") and pathlib.PurePath(name).suffix in CODE:
                code[name] = text
            wrong = [*source_problems(name, text), *(case_problems(text) if name.startswith("tests/") else ())]
            problems += [f"{name}:{number}: {why}" for number, why in wrong]
        for number, line in enumerate(text.splitlines() if name not in LOCKS else [], 1):
            problems += [f"{name}:{number}: {why}: {line.strip()[:100]}" for wrong, why in FORBIDDEN if wrong.search(line)]
            if name.startswith("tests/") and "/no" in line and MAY_BE_THERE.search(line):
                problems.append(f"{name}:{number}: a file that may be there; /dev/null/... is not: {line.strip()[:100]}")
    problems += comment_problems(code, MOST_VAGUE, MOST_FRAGMENTS)
    problems += type_problems(code)
    problems += term_problems(code, TERMS)
    problems += meaning_problems(code, MOST_MEANINGS, MORE_MEANINGS)
    if sources == 0:
        problems.append("found no source at all: is this the source folder?")
    print("\n".join(problems) or f"{len(names)} files, {sources} of them sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
