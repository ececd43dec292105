#!/usr/bin/env python3
"""The documentation says what the sources say.

    docs.py SOURCE_ROOT                      checks
    docs.py SOURCE_ROOT --print-settings     prints the table of docs/settings.md

Checked:
- docs/settings.md has every setting of settings.def with the same words, and no other;
- docs/errors.md has every status code of base.h with its number, and no other;
- docs/design.md draws the floors of src/, what each includes from, and the wings of floors.py;
- docs/families.md names every file of the family that it follows; docs/graphs.md explains every kind of line of a graph's report;
- classes and functions that pages for developers name exist (sentences.py has these pages);
- README.md, docs/install.md and docs/tutorial.md show files of the tree as they are, and no other programs (measured.py has figures);
- README.md fits a screen or four: so many lines and bytes, short cells, what to run on the first screen;
- each block of code in docs/coming-from.md and docs/c.md is whole functions, indented or not, of a program that the tests compile and
  run, and a section has it in all languages;
- each block of C++ and of build files in docs/cpp.md is lines, indented or not, of a program or build file that the tests use;
- docs/README.md has a link to every page, examples/README.md to every example; one that is installed has at most 120 lines;
- the newest section of CHANGELOG.md is for the version of base.h, and short; bindings have that version, and the build asks for it;
- each line of the lists in docs/testing-graphs.md has a test, or begins "not applicable, because";
- every test and every file that a page names exists, and every link to a file or heading of the tree leads somewhere.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import os
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
import floors
import sentences

REQUIRED = ["README.md", "CHANGELOG.md", *(f"docs/{name}.md" for name in (
    "conventions", "design", "engine", "errors", "graphs", "memory", "models", "operators", "serving", "settings", "testing",
    "threads"))]
SETTING = re.compile(r'^RONDO_SETTING\(\w+, "(\w+)", "(.*?)", ".*?", "(.*)"\)$', re.MULTILINE)
STATUS_ENUM = re.compile(r"typedef enum rondo_status \{(.*?)\} rondo_status;", re.DOTALL)
STATUS = re.compile(r"\b(RONDO_\w+) = (\d+)")
STATUS_ROW = re.compile(r"^\| (\d+) \| `(RONDO_\w+)` \|", re.MULTILINE)
HELLO = [("c", "examples/c/hello.c"), ("cpp", "examples/cpp/hello.cc"), ("rust", "bindings/rust/rondo/examples/hello.rs"),
         ("java", "examples/java/Hello.java")]
TUTORIAL = [(language, f"{folder}{name}") for language, folder, names in (
    ("c", "examples/tutorial/", ("train.c", "serve.c")), ("cpp", "examples/tutorial/", ("train.cc", "serve.cc")),
    ("rust", "bindings/rust/rondo/examples/tutorial_", ("train.rs", "serve.rs")),
    ("java", "examples/tutorial/", ("Train.java", "Serve.java"))) for name in names]
PROGRAM = [("c", "examples/c/program.c"), ("cpp", "examples/cpp/program.cc"), ("rust", "bindings/rust/rondo/examples/program.rs"),
           ("java", "examples/java/ProgramFile.java")]
# Pages that show whole files.
SHOWN = {"README.md": HELLO[2:3], "bindings/rust/rondo/README.md": HELLO[2:3],
         "docs/install.md": [each for each in HELLO if each[0] != "cpp"], "docs/tutorial.md": HELLO + TUTORIAL + PROGRAM}
# README.md: most lines, bytes and words of a table's cell; what to run, and the lines that a first screen has.
MOST_LINES, MOST_BYTES, MOST_WORDS = 120, 8000, 20
COMMANDS, FIRST_SCREEN = ("./examples/run", "./tests/run"), 25
# A folder that a page installs from, and the scripts that have folders of their own.
SET_UP = re.compile(r"^    meson setup (\S+) .*--prefix", re.MULTILINE)
SETS_UP = "examples/run", "examples/java-service/run", "tests/run", "packaging/packages", "packaging/portable/build"
# What docs/coming-from.md shows functions of, and docs/c.md.
PARTS_OF = {"docs/coming-from.md": {"c": "examples/c/coming_from.c", "cpp": "examples/cpp/coming_from.cc",
                                    "rust": "bindings/rust/rondo/tests/coming_from.rs",
                                    "java": "bindings/java/src/test/java/dev/rondo/ComingFromTest.java"},
            "docs/c.md": {"c": "examples/c/user_task.c"}}
# Where the lines of the table of everyday ones in docs/coming-from.md run, and those that do not: they need a GPU, or are statements of a test of their own.
EVERYDAY = {"C++": "tests/unit/cpp/page_test.cc", "Rust": "bindings/rust/rondo/tests/everyday.rs",
            "Java": "bindings/java/src/test/java/dev/rondo/EverydayTest.java"}
NOT_RUN = "a.to({RONDO_CUDA, 0})", "rondo_device_count", "optimizer.step(gradients)"
# What docs/cpp.md shows lines of.
LINES_OF = {"docs/cpp.md": {"cpp": ["examples/cpp/hello.cc", "tests/unit/cpp/page_test.cc"], "cmake": ["tests/packaging/cpp/CMakeLists.txt"],
                            "meson": ["tests/packaging/cpp/meson.build"]}}
MOST_EXAMPLE = 120
MOST_HELD = 30  # lines of CHANGELOG.md for what the first version holds; changes are told of above them
# An index, the folder and pattern of what it has, and more patterns from the root. A source in C with a header is a part, told by that.
INDICES = [("docs/README.md", "docs", "*.md", ["CONTRIBUTING.md", "SECURITY.md"]),
           ("examples/README.md", "examples", "*/README.md", ["examples/c/*.[ch]", "examples/cpp/*.cc", "examples/java/*.java", "examples/tutorial/*.[cj]*",
                                                               "bindings/rust/rondo/examples/*.rs", "bindings/rust/rondo/examples/*/main.rs"])]
SHOWN_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE_BLOCK = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"(?<!!)!?\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)
# Files that their tools want a version in.
VERSIONS = {
    "bindings/rust/rondo*/Cargo.toml": re.compile(r'^version = "([^"]+)"', re.MULTILINE),
    "bindings/java/pom.xml": re.compile(r"<artifactId>rondo[^<]*</artifactId>\s*<version>([^<]+)</version>"),
    "README.md": re.compile(r"`dev\.rondo:rondo:([^`]+)`"),
    "docs/install.md": re.compile(r"<artifactId>rondo</artifactId>\s*<version>([^<]+)</version>"),
    "examples/java-service/**/pom.xml": re.compile(r"<artifactId>rondo</artifactId>\s*<version>([^<]+)</version>"),
    "examples/java-embedding/**/pom.xml": re.compile(r"<artifactId>rondo</artifactId>\s*<version>([^<]+)</version>"),
}
# Files as pages name them: from the root of the tree or beside the page, or, as code, from where sources say so too.
FOLDERS = "bindings", "docs", "examples", "include", "packaging", "src", "tests", r"\.ci"
TREE_FILE = re.compile(rf"(?<![\w./$<>{{}}*-])(?:\.\./|\./)*(?:{'|'.join(FOLDERS)})/[\w.*/+-]*")
CODE_FILE = re.compile(r"`((?:[\w.+-]+/)+[\w+*-]+\.[a-z]{1,4})`")
NAMED_FROM = "", "src", "include", "tests", "examples"
MADE = re.compile(r"(?:examples/out|bindings/java/target|share/rondo)/")  # by a program, or by installing
SOURCE_OF = "", ".c", ".cc"  # a program is named as it is built
TEST_NAME = re.compile(r"`([A-Z][A-Za-z0-9]+\.[A-Z][A-Za-z0-9]+)`")
# The family that docs/families.md follows; what lines of reports begin with, as sources have them; classes, but for constants.
FAMILY = "rotary"
REPORT_LINE = re.compile(r'(?:"  |indent \+\s+format\(")([a-z]+)(?=[: ])')
CLASS_NAME = re.compile(r"\b[A-Z][a-z]+[A-Z]\w*")
# Lines of the lists in docs/testing-graphs.md, by what their headings begin with.
LISTS = {"MXNet": 21, "PyTorch": 39}
TEST = re.compile(r"^TEST(?:_[PF])?\((\w+),\s*(\w+)\)", re.MULTILINE)


def setting_rows(root):
    table = (root / "src/base/settings.def").read_text()
    rows = [f"| `{name}` | {f'`{fallback}`' if fallback else 'not set'} | {text} |"
            for name, fallback, text in SETTING.findall(table)]
    if len(rows) != len(re.findall(r"^RONDO_SETTING\(", table, re.MULTILINE)):
        raise SystemExit("src/base/settings.def has a line that docs.py cannot read")
    return rows


def check_settings(root):
    expected = setting_rows(root)
    page = (root / "docs/settings.md").read_text().splitlines()
    found = [line for line in page if line.startswith("| `RONDO_")]
    yield from (f"docs/settings.md: lacks the line {row}" for row in expected if row not in found)
    yield from (f"docs/settings.md: settings.def has no {row}" for row in found if row not in expected)


def check_statuses(root):
    match = STATUS_ENUM.search((root / "include/rondo/base.h").read_text())
    codes = {name: number for name, number in STATUS.findall(match[1])} if match else {}
    if not codes:
        yield "include/rondo/base.h: no enum rondo_status found"
    found = {name: number for number, name in STATUS_ROW.findall((root / "docs/errors.md").read_text())}
    for name in sorted(codes.keys() | found.keys()):
        if codes.get(name) != found.get(name):
            yield f"docs/errors.md: {name} is {found.get(name, 'absent')} there and {codes.get(name, 'absent')} in base.h"


def check_shown(root):
    for page, programs in SHOWN.items():
        blocks = SHOWN_BLOCK.findall((root / page).read_text())
        yield from (f"{page}: no block of {language} equals {program}" for language, program in programs
                    if (language, (root / program).read_text()) not in blocks)
        if sum(language in dict(HELLO) for language, _ in blocks) != len(programs):
            yield f"{page}: has a block that is no file of the tree"


def check_readme(root):
    """What a stranger reads in a minute."""
    text = (root / "README.md").read_text()
    lines = text.splitlines()
    for what, count, most in ("lines", len(lines), MOST_LINES), ("bytes", len(text.encode()), MOST_BYTES):
        if count > most:
            yield f"README.md: has {count} {what}, more than {most}"
    yield from (f"README.md: its first {FIRST_SCREEN} lines do not show {command}" for command in COMMANDS
                if not any(line.startswith(f"    {command}") for line in lines[:FIRST_SCREEN]))
    recipes = (root / "docs/install.md").read_text().splitlines()
    yield from (f"README.md: docs/install.md, which is followed by a test, has not the command{line[3:]}" for line in SHOWN_BLOCK.sub("", text).splitlines()
                if line.startswith("    ") and not line.strip().startswith(COMMANDS) and line not in recipes)
    # Older Maven, such as Debian 12's, compiles for Java 5 if it is not told.
    pom = "".join(block for language, block in SHOWN_BLOCK.findall((root / "docs/install.md").read_text()) if language == "xml")
    yield from (f"docs/install.md: its pom.xml lacks maven.compiler.{each}" for each in ("source", "target") if f"<maven.compiler.{each}>11<" not in pom)
    for page in "README.md", "docs/install.md":
        # Meson says "already configured" of a folder that is set up, and takes no prefix.
        yield from (f"{page}: sets up {folder}, which {script} sets up with other options" for folder in SET_UP.findall((root / page).read_text())
                    for script in SETS_UP if folder in re.findall(r"\bbuild[\w-]*", (root / script).read_text()))
    for cell in (cell for line in lines if line.startswith("| ") for cell in line.split(" | ")):
        words = len(re.sub(r"\]\([^)]*\)", "]", cell).split())
        if words > MOST_WORDS:
            yield f"README.md: a cell has {words} words, more than {MOST_WORDS}: {cell}"


def is_whole(block, before, after):
    """Whether lines of a program are whole functions: what stands around is blank or outer, braces match, the last one closes."""
    text = "\n".join(block)
    outer = not before.strip() or before.rstrip().endswith(("{", "]"))
    return outer and after.strip() in ("", "}") and block[-1] == "}" and text.count("{") == text.count("}") and not block[0].startswith(" ")


def check_parts(root):
    """A block shows whole functions of a program that follow each other; a section that shows one language shows all of its page."""
    for page, programs in PARTS_OF.items():
        for section in re.split(r"^(?=## )", (root / page).read_text(), flags=re.MULTILINE):
            blocks = [(language, block) for language, block in SHOWN_BLOCK.findall(section) if language in programs]
            absent = programs.keys() - {language for language, _ in blocks}
            if blocks and absent:
                yield f"{page}: '{section.splitlines()[0]}' shows nothing in {', '.join(sorted(absent))}"
            for language, block in blocks:
                lines = block.splitlines()
                program = ["", *(root / programs[language]).read_text().splitlines(), ""]
                ends = [(program[i - 1], program[i + len(lines)]) for i in range(1, len(program) - len(lines))
                        if textwrap.dedent("\n".join(program[i:i + len(lines)])).splitlines() == lines]
                if not ends:
                    yield f"{page}: {programs[language]} has not the block that begins: {lines[0]}"
                elif not is_whole(lines, *ends[0]):
                    yield f"{page}: the block is no whole function that begins: {lines[0]}"


def check_lines(root):
    """A block shows lines of a program that follow each other."""
    for page, programs in LINES_OF.items():
        for language, block in SHOWN_BLOCK.findall((root / page).read_text()):
            lines = textwrap.dedent(block).splitlines()
            if language in programs and not any(has_lines((root / name).read_text().splitlines(), lines) for name in programs[language]):
                yield f"{page}: {' or '.join(programs[language])} has not the block that begins: {lines[0]}"


def has_lines(program, lines):
    starts = range(len(program) - len(lines) + 1)
    return any(textwrap.dedent("\n".join(program[i:i + len(lines)])).splitlines() == lines for i in starts)


def check_everyday(root):
    """The lines of the table of everyday ones stand in tests, as they are."""
    lines = (root / "docs/coming-from.md").read_text().partition("\n## Every day\n")[2].partition("\n## ")[0].splitlines()
    rows = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in lines if line.startswith("| ")]
    for number, (language, name) in enumerate(EVERYDAY.items(), 1):
        program = " ".join((root / name).read_text().split())
        for row in rows[1:]:
            # A blank `the same` and what needs a GPU or a parameter's place are no lines of their own.
            for line in re.findall(r"`([^`]+)`", row[number]):
                if line.replace("\\|", "|") not in program and line not in NOT_RUN:
                    yield f"docs/coming-from.md: {name} has not the line of {language}: {line}"


def check_index(root):
    """Indices have what there is: docs/README.md every page, examples/README.md every source that can be read by itself, in any language."""
    for index, folder, pattern, others in INDICES:
        links = {(root / index).parent.joinpath(target).resolve() for target in LINK.findall((root / index).read_text())}
        for path in sorted({*(root / folder).glob(pattern), *(path for each in others for path in root.glob(each))}):
            part = path.suffix == ".c" and path.with_suffix(".h").exists()
            if path.resolve() not in links and path != root / index and not part:
                yield f"{index}: has no link to {path.relative_to(root)}"
    sys.path.insert(0, str(root / "packaging"))
    import documents
    sys.path.pop(0)
    for folder, names, _ in documents.EXAMPLES:
        for path in sorted(path for name in names for path in (root / folder).glob(name)):
            lines = len(path.read_text().splitlines())
            if lines > MOST_EXAMPLE:
                yield f"{path.relative_to(root)}: has {lines} lines; what is installed to be read has at most {MOST_EXAMPLE}"


def check_floors(root):
    """The figure has the floors of src/ from the top down, as floors.py orders them, and what each includes from."""
    page, src = (root / "docs/design.md").read_text(), root / "src"
    order = re.search(r"^FLOORS = (\[.*\])$", (root / "tests/abi/floors.py").read_text(), re.MULTILINE)[1]
    floors = [floor for floor in reversed(re.findall(r"\w+", order)) if (src / floor).is_dir()]
    drawn = re.findall(r"^│ (\w+)  ", page, re.MULTILINE)
    if drawn != floors:
        yield f"docs/design.md: draws the floors {' '.join(drawn)}; there are {' '.join(floors)}"
    arrows = {floor: set(text.split()) for floor, text in re.findall(r"^  (\w+) *─► (.*)$", page, re.MULTILINE)}
    for floor in floors[:-1]:
        used = set()
        for file in (src / floor).rglob("*"):
            if file.suffix in {".cc", ".h"}:
                used |= set(re.findall(r'^#include "(\w+)/', file.read_text(), re.MULTILINE))
        used = (used & set(floors)) - {floor, "base"} or {"nothing"}
        if arrows.get(floor) != used:
            targets = " ".join(sorted(used, key=[*floors, "nothing"].index))
            yield f"docs/design.md: the arrow of src/{floor} must lead to: {targets}"


def check_wings(root):
    """The figure of wings has all of them, and names of files otherwise."""
    figure = re.search(r"^The wings of .*?^```\n(.*?)^```", (root / "docs/design.md").read_text(), re.MULTILINE | re.DOTALL)
    drawn, floor = {}, None
    for line in figure[1].splitlines() if figure else ():
        floor = line[:9].strip() or floor
        drawn.setdefault(floor, set()).update(re.findall(r"\w+", re.split(r" {3,}", line[9:])[0]))
    for floor, storeys in floors.WINGS.items():
        names = drawn.get(floor, set())
        wings = {wing for storey in storeys for wing in storey if wing}
        yield from (f"docs/design.md: the wings of src/{floor} have no {wing}" for wing in sorted(wings - names))
        files = {path.stem for path in (root / "src" / floor).iterdir()} | {"h"}
        yield from (f"docs/design.md: the wings of src/{floor} have {each}, which is not there" for each in sorted(names - wings - files))


def check_family(root):
    page = (root / "docs/families.md").read_text()
    for folder in "src", "include/rondo", "tests/conformance":
        for path in sorted((root / folder).rglob(f"*{FAMILY}*")):
            if path.relative_to(root).as_posix() not in page:
                yield f"docs/families.md: does not name {path.relative_to(root)}"


def check_report(root):
    """What a line of a report begins with is a row of the page's table."""
    page = (root / "docs/graphs.md").read_text()
    table = re.search(r"^### A report, line by line\n(.*?)^### ", page, re.MULTILINE | re.DOTALL)
    rows = " ".join(re.findall(r"^\| (`[^|]*) \|", table[1], re.MULTILINE)) if table else ""
    lines = {match[1] for path in (root / "src/graph").rglob("*.cc") if path.stem != "dot" for match in REPORT_LINE.finditer(path.read_text())}
    if not {"pass", "segment", "memory"} <= lines:
        yield f"docs.py finds no lines of reports in src/graph any more, but {sorted(lines)}"
    yield from (f"docs/graphs.md: does not explain the lines of a report that begin with '{each}'" for each in sorted(lines) if f"`{each}`" not in rows)


def check_names(root):
    """Names with capitals inside, in code, are in the sources."""
    named = {}
    for page in sorted(sentences.DEVELOPERS - {"testing-graphs"}):
        for span in CODE_SPAN.findall(CODE_BLOCK.sub("", (root / f"docs/{page}.md").read_text())):
            for name in CLASS_NAME.findall(span):
                named.setdefault(name, page)
    text = "".join(path.read_text(errors="replace") for folder in ("src", "tests", "include", "bindings", "examples") for path in sorted((root / folder).rglob("*"))
                   if path.suffix in {".h", ".cc", ".hpp", ".def", ".java", ".rs", ".c", ".list"})
    known = set(re.findall(r"\b[A-Z]\w+", text))
    yield from (f"docs/{page}.md: names {name}, which no source has" for name, page in sorted(named.items()) if name not in known)


def check_version(root):
    """base.h has the version; other files either ask for it or say the same."""
    header = (root / "include/rondo/base.h").read_text()
    version = ".".join(re.search(rf"^#define RONDO_VERSION_{part} (\d+)$", header, re.MULTILINE)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    changes = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not changes or changes[1] != version:
        yield f"CHANGELOG.md: its first section is not for version {version} of base.h"
    holds = (root / "CHANGELOG.md").read_text().partition("### What it holds\n\n")[2].splitlines()
    if not 0 < len(holds) <= MOST_HELD:
        yield f"CHANGELOG.md: what the first version holds has {len(holds)} lines, more than {MOST_HELD}: is it a change?"
    for pattern, where in VERSIONS.items():
        for file in sorted(root.glob(pattern)):
            stated = where.search(file.read_text())
            if not stated or stated[1] != version:
                yield f"{file.relative_to(root)}: says version {stated and stated[1]}, base.h says {version}"
    for name in "meson.build", "src/meson.build", "packaging/meson.build":
        if re.search(r"\bversion: *'\d", (root / name).read_text()):
            yield f"{name}: holds a version, which stands in base.h"


def check_lists(root):
    """What others test: each line has a test of ours, or the reason why there is none. That the tests exist is checked for all pages."""
    lists = collections.Counter()
    heading = None
    for line in (root / "docs/testing-graphs.md").read_text().splitlines():
        heading = line[3:] if line.startswith("## ") else heading
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
        if not cells or cells[-1] == "in Rondo":
            continue
        lists[heading] += 1
        if not TEST_NAME.search(cells[-1]) and not cells[-1].startswith("not applicable, because "):
            yield f"docs/testing-graphs.md: no test and no reason for {cells[0]}"
    for start, least in LISTS.items():
        count = sum(lines for name, lines in lists.items() if name and name.startswith(start))
        if count != least:
            yield f"docs/testing-graphs.md: the list of {start} has {count} lines; {least} are theirs"


def tests_of(root):
    tests = set()
    for file in (root / "tests").rglob("*.cc"):
        tests |= {f"{suite}.{name}" for suite, name in TEST.findall(file.read_text())}
    return tests


def anchors(text):
    """What the headings of a page are linked by: lower case, without punctuation, spaces as hyphens."""
    headings = HEADING.findall(CODE_BLOCK.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(root, page, text):
    prose = CODE_SPAN.sub("", CODE_BLOCK.sub("", text))
    for target in LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue  # another site
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        name = page.relative_to(root)
        if path.startswith("/") or not file.is_relative_to(root) or not file.exists():
            yield f"{name}: the link {target} leads nowhere"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{name}: the link {target} names no heading of {file.relative_to(root)}"


def check_files(root, page, text):
    def exists(name):
        bases = page.parent, *(root / each for each in NAMED_FROM)
        return any((base / (name + ending)).exists() or "*" in name and any(base.glob(name)) for base in bases for ending in SOURCE_OF)

    named = {match[1] for match in CODE_FILE.finditer(text)}
    for match in TREE_FILE.finditer(text):
        if text[match.end():match.end() + 1] not in ("<", "{", "$"):  # else the end of its name is left open
            named.add(match[0].rstrip(".-"))
    yield from (f"{page.relative_to(root)}: there is no {name}" for name in sorted(named) if not MADE.match(name) and not exists(name))


def pages(root):
    """The Markdown files of the tree, without build folders and hidden ones."""
    for folder, inside, files in os.walk(root):
        inside[:] = sorted(name for name in inside if not name.startswith((".", "build")) and name != "subprojects")
        yield from (pathlib.Path(folder) / name for name in sorted(files) if name.endswith(".md"))


def main(root, *options):
    root = pathlib.Path(root).resolve()
    if options == ("--print-settings",):
        print("\n".join(setting_rows(root)))
        return 0
    absent = [name for name in REQUIRED if not (root / name).is_file()]
    if absent:
        print("\n".join(f"{name}: is missing" for name in absent))
        return 1
    problems = [problem for check in (check_settings, check_statuses, check_shown, check_readme, check_parts, check_lines, check_everyday, check_index,
                                      check_floors, check_wings, check_family, check_report, check_names, check_version, check_lists) for problem in check(root)]
    tests, count, named = tests_of(root), 0, 0
    for page in pages(root):
        text = page.read_text()
        count += 1
        problems += check_links(root, page, text)
        problems += check_files(root, page, text)
        for test in TEST_NAME.findall(text):
            named += 1
            if test not in tests:
                problems.append(f"{page.relative_to(root)}: there is no test {test}")
    print("\n".join(problems) or f"{count} pages, {named} tests named, all as in the sources")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
