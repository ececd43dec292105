#!/usr/bin/env python3
"""Rondo's hand-typed signatures, layouts and constants are those of the real CUDA headers.

    signatures.py SOURCE_ROOT LIBRARY MAJOR CXX...        against the headers fetched for that major version of CUDA (see fetch.py)
    signatures.py SOURCE_ROOT all installed CXX...        against the toolkits installed on this machine

LIBRARY is driver, nvrtc, cublaslt, cudnn, nccl or simcuda. A source is generated that includes Rondo's types and the real header and asserts, for
each line of the table, that the real declaration is what the table says in the header's own types; and for each type that the
table may use, that ours is laid out as theirs of the same name. Exit 77: there is nothing to compare with.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dataclasses
import os
import pathlib
import re
import subprocess
import sys

import fetch
import tables

HERE = pathlib.Path(__file__).resolve().parent
OLDEST = 11080  # of the headers that are fetched
DECLARATION = re.compile(r"[\w *]*?\b(\w+) ?\([^()]*\)$")  # of a function that takes no pointers to functions
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclasses.dataclass
class Library:
    table: str        # file of entries
    types: list       # (file, section) of the types they use
    headers: list     # the real ones
    typedefs: str = ''  # header whose names of function types tell the version that introduced each
    version: tuple = ("cuda.h", r"CUDA_VERSION (\d+)")  # where the headers say theirs: a number, or its three parts


TYPES = "src/dynlib/cuda_types.h"
LIBRARIES = {
    "driver": Library("src/dynlib/driver.def", [(TYPES, "driver")], ["cuda.h"], "cudaTypedefs.h"),
    "nvrtc": Library("src/dynlib/nvrtc.def", [(TYPES, "NVRTC")], ["nvrtc.h"]),
    "cublaslt": Library("src/dynlib/cublaslt.def", [(TYPES, "cuBLASLt")], ["cublasLt.h"]),
    "cudnn": Library("src/dynlib/cudnn.def", [("src/dynlib/cudnn_types.h", "cuDNN")], ["cudnn.h"],
                     version=("cudnn_version.h", r"CUDNN_MAJOR (\d+)\n#define CUDNN_MINOR (\d+)\n#define CUDNN_PATCHLEVEL (\d+)")),
    "nccl": Library("src/dynlib/nccl.def", [("src/dynlib/nccl_types.h", None)], ["nccl.h"],
                    version=("nccl.h", r"NCCL_VERSION_CODE (\d+)")),
    "simcuda": Library("tests/simcuda/extra.def", [(TYPES, "driver"), ("tests/simcuda/extra_types.h", None)], ["cuda.h"],
                       "cudaTypedefs.h"),
}
# Declares every function under its exact exported name, and undoes the macros that rename them.
PREAMBLE = "#define __CUDA_API_VERSION_INTERNAL\n"


class Problem(Exception):
    """Why nothing can be compared."""


# ------------------------------------------------------------------------------------------------------------------ exceptions


@dataclasses.dataclass
class Exceptional:
    kind: str
    name: str
    first: int
    last: int
    theirs: str
    why: str

    def holds(self, version):
        return self.first <= version <= self.last


def read_exceptions(text):
    found = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        versions = re.fullmatch(r"(\d*)-(\d*)", parts[2]) if len(parts) == 5 else None
        if not versions or parts[0] not in ("since", "signature", "layout", "named") or not parts[4]:
            raise tables.Unreadable(f"exceptions: cannot read the line: {line}")
        found.append(Exceptional(parts[0], parts[1], int(versions[1] or 0), int(versions[2] or 10**6), *parts[3:]))
    return found


# ------------------------------------------------------------------------------------------------------------------ real headers


@dataclasses.dataclass
class Header:
    """What the preprocessor makes of a library's real headers."""
    include: pathlib.Path
    version: int
    text: str
    macros: set

    def __post_init__(self):
        self.names = set(IDENTIFIER.findall(self.text))
        declarations = (" ".join(part.split()) for part in re.split(r"[;{}]", self.text))
        self.declarations = {match[1]: match[0] for match in map(DECLARATION.match, declarations) if match}

    def has(self, name):
        return name in self.names or name in self.macros

    def declaration(self, function):
        return self.declarations.get(function, "of another kind")


def search(include):
    """The compiler finds /usr/include by itself, and with it in front misses its own headers."""
    return [] if include == pathlib.Path("/usr/include") else ["-isystem", str(include)]


def not_fetched(include):
    """What fetch.py could not have for the folder, as `(package: why)`."""
    wheels = include.parent / "wheels"
    lines = re.findall("^without (.*)$", wheels.read_text(), re.MULTILINE) if wheels.is_file() else []
    return f"({'; '.join(lines)})" if lines else ""


def version_of(library, include):
    file, pattern = library.version
    parts = [int(part) for part in re.search(rf"^#\s*define {pattern}", (include / file).read_text(), re.MULTILINE).groups()]
    return parts[0] if len(parts) == 1 else parts[0] * 1000 + parts[1] * 100 + parts[2]


def read_header(library, include, cxx):
    source = PREAMBLE + "".join(f"#include <{name}>\n" for name in [*library.headers, library.typedefs] if name)
    command = [*cxx, "-E", "-P", "-dD", "-std=c++20", "-x", "c++", *search(include), "-"]
    run = subprocess.run(command, input=source, capture_output=True, text=True)
    if run.returncode != 0:
        why = next((line for line in run.stderr.splitlines() if "error" in line), run.stderr.strip())
        raise (Problem if not_fetched(include) else tables.Unreadable)(f"{why} {not_fetched(include)}".strip())
    version = version_of(library, include)
    if "cuda.h" in library.headers and version < OLDEST:
        raise Problem(f"the headers in {include} are of CUDA {version}; what is known of differences begins with {OLDEST}")
    text = re.sub(r"^#.*$", "", run.stdout, flags=re.MULTILINE)
    macros = set(re.findall(r"^#define (\w+)", run.stdout, re.MULTILINE))
    return Header(include, version, text, macros)


# ------------------------------------------------------------------------------------------------------------------ the source


class Source:
    """Collects assertions; whatever can be told without the compiler becomes a problem at once."""

    def __init__(self, header, exceptions):
        self.header, self.exceptions = header, exceptions
        self.before, self.pairs, self.lines, self.problems = [], [], [], []

    def exceptional(self, kind, name):
        return [each for each in self.exceptions if each.kind == kind and each.name == name and each.holds(self.header.version)]

    def assert_that(self, label, condition, message):
        """The label becomes the name of a file, so that all a compiler says begins with it."""
        self.lines.append(f'#line 1 "{label}"\nstatic_assert({condition}, "{message}");')

    def present(self, name):
        """Whether the header has a type or constant; that it has not is a problem unless it is known to be newer."""
        newer = [each for each in self.exceptions if each.kind == "since" and each.name == name
                 and not each.holds(self.header.version)]
        if self.header.has(name):
            if newer:
                self.problems.append(f"exceptions: {name} is in the headers of {self.header.version} already")
            return True
        if not newer:
            self.problems.append(f"{name}: not in the headers of {self.header.version}")
        return False

    def entry(self, entry, typedefs):
        name, version = entry.name, self.header.version
        if name not in self.header.names:
            if entry.since <= version:
                self.problems.append(f"{name}: introduced with {entry.since} says the table; not in the headers of {version}")
            return
        if entry.since > version:
            self.problems.append(f"{name}: introduced with {entry.since} says the table; the headers of {version} declare: "
                                 f"{self.header.declaration(name)}")
            return
        signature = entry.signature()
        for each in self.exceptional("signature", name):
            ours, _, theirs = (part.strip() for part in each.theirs.partition("="))
            signature = entry.signature({ours: theirs})
            self.assert_that(name, f"!toolkits::same<{entry.signature()}, decltype(::{name})>",
                             f"the exception {each.theirs} is not needed with {version}")
        self.assert_that(name, f"toolkits::same<{signature}, decltype(::{name})>",
                         f"ours: {signature}; theirs: {self.header.declaration(name)}")
        if typedefs:
            base = re.sub(r"_v\d+$", "", name)
            known = sorted((name for name in self.header.names if re.fullmatch(rf"PFN_{base}_v\d{{4,}}", name)),
                           key=lambda name: int(name.rpartition("_v")[2]))
            pointer = f"PFN_{base}_v{entry.since}"
            if pointer in known:
                self.assert_that(name, f"toolkits::same<{pointer}, decltype(&::{name})>",
                                 f"{pointer}, of the version that introduced it, is another type")
            else:
                self.problems.append(f"{name}: introduced with {entry.since} says the table; {typedefs} has {' '.join(known)}")

    def alias(self, name, target, is_handle):
        if not self.present(name):
            return
        if is_handle:
            self.pairs.append(f"std::true_type corresponds(rondo::cuda::{name}, ::{name});")
            self.assert_that(name, f"std::is_pointer_v<::{name}>", "ours is a handle; theirs is no pointer")
        self.assert_that(name, f"toolkits::stands_for<rondo::cuda::{name}, ::{name}>", f"ours is {target}; theirs is another type")

    def struct(self, name, fields):
        versions = self.exceptional("layout", name)
        pairs = [each.theirs.partition(" before ")[::2] for each in versions]
        if name not in [theirs for theirs, _ in pairs]:
            pairs.insert(0, (name, ""))
        for theirs, before in pairs:
            if not self.present(theirs):
                continue
            ours, their = f"rondo::cuda::{name}", f"::{theirs}"
            label = name if theirs == name else f"{name} as {theirs}"
            self.pairs.append(f"std::true_type corresponds({ours}*, {their}*);")
            compared = fields
            if before:
                compared = fields[:fields.index(before)]
                self.assert_that(label, f"sizeof({their}) >= offsetof({ours}, {before}) && sizeof({their}) <= sizeof({ours})",
                                 "the size of theirs does not fit")
                self.lines.append(f"template <class T> concept {theirs}_has_{before} = requires(T t) {{ t.{before}; }};")
                self.assert_that(label, f"!{theirs}_has_{before}<{their}>",
                                 f"the exception `before {before}` is not needed with {self.header.version}")
            else:
                self.assert_that(label, f"toolkits::equals<sizeof({ours}), sizeof({their})>", "another size")
            for field in compared:
                if re.match(r"reserved|pad", field.rpartition(".")[2]):
                    continue  # room that nobody uses
                places = (f"offsetof({struct}, {field})" for struct in (ours, their))
                self.assert_that(f"{label}: {field}", f"toolkits::equals<{', '.join(places)}>", "elsewhere")
                types = (f"std::remove_reference_t<decltype((std::declval<{struct}&>().{field}))>" for struct in (ours, their))
                self.assert_that(f"{label}: {field}", f"toolkits::stands_for<{', '.join(types)}>", "of another type")

    def enumerator(self, name, underlying):
        theirs = name
        for each in self.exceptional("named", name):
            theirs = each.theirs
        if not self.present(theirs):
            return
        # Taken before the real header is read: some constants are macros there.
        self.before.append(f"inline constexpr long long value_of_{name} = rondo::cuda::{name};")
        self.assert_that(name, f"toolkits::equals<ours::value_of_{name}, static_cast<long long>({theirs})>", "another value")
        if underlying:
            self.assert_that(name, f"toolkits::same<decltype({theirs}), ::{underlying}>", f"no {underlying}")

    def text(self, library, root):
        typedefs = [library.typedefs] if library.typedefs else []
        return "\n".join([
            *(f'#include "{root / file}"' for file, _ in library.types), f'#include "{HERE / "signatures.h"}"',
            "namespace ours {", *self.before, "}", PREAMBLE.strip(),
            *(f"#include <{name}>" for name in library.headers + typedefs), *self.pairs, *self.lines, ""])


def generate(library, header, root, exceptions):
    source, types, known = Source(header, exceptions), tables.Types(), {}
    for file, section in library.types:
        text = (root / file).read_text()
        types.update(tables.read_types(text, file, section))
        for each in tables.SECTION.findall(text) or [None]:
            known.update(tables.read_types(text, file, each).aliases)
    for name, target in types.aliases.items():
        while target in known:
            target = known[target]
        source.alias(name, target, target.startswith("struct "))
    for name, fields in types.structs.items():
        source.struct(name, fields)
    for name, underlying in types.enumerators.items():
        source.enumerator(name, underlying)
    for entry in tables.read_entries((root / library.table).read_text(), library.table):
        source.entry(entry, library.typedefs)
    return source


ASSERTION = re.compile(r"(?P<label>.*?):1:\d+: error: "
                       r"(?:static assertion failed.*?: |static_assert failed.* \")?(?P<said>.*?)\"?$")
DETAIL = re.compile(r"note: (?:the expression '.*\[with (.*)\]'|because '(?!toolkits::)(.*?)').* evaluated to")


def readable(output):
    """`label: message (what the two are)` from what a compiler says; each has words of its own around a failed assertion."""
    problems = []
    for line in output.splitlines():
        if match := ASSERTION.match(line):
            problems.append(f"{match['label']}: {match['said']}")
        elif problems and (match := DETAIL.search(line)):
            problems[-1] += f" ({match[1] or match[2]})"
    return problems or [output.strip()]


def compare(library, include, root, exceptions, cxx):
    """(number of things compared, problems found) of a library's table and the headers in a folder."""
    header = read_header(library, include, cxx)
    source = generate(library, header, root, exceptions)
    command = [*cxx, "-fsyntax-only", "-std=c++20", "-w", "-x", "c++", f"-I{root / 'src'}", *search(include), "-"]
    run = subprocess.run(command, input=source.text(library, root), capture_output=True, text=True,
                         env={**os.environ, "LC_ALL": "C"})
    problems = list(source.problems)
    if run.returncode != 0:
        problems += readable(run.stderr)
    return sum("static_assert" in line for line in source.lines), problems


# ------------------------------------------------------------------------------------------------------------------ toolkits


def installed():
    """Folders of headers of the toolkits on this machine; a distribution's own are in /usr/include."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), *sorted(map(str, pathlib.Path("/usr/local").glob("cuda*"))),
             "/usr"]
    found = [pathlib.Path(home).resolve() / "include" for home in homes if home]
    return [include for include in dict.fromkeys(found) if (include / "cuda.h").is_file()]


def fetched(major):
    """The folder of headers fetched for a major version."""
    for version, folder in fetch.folders().items():
        if version.split(".")[0] == major:
            return folder / "include"
    raise Problem(f"no headers of CUDA {major} in {fetch.root()}: python3 tests/toolkits/fetch.py fetches them")


def require_headers(library, include):
    absent = [header for header in library.headers if not (include / header).is_file()]
    if absent:
        raise Problem(f"{include} has no {' '.join(absent)} {not_fetched(include)}".strip())


def main(root, library, toolkit, *cxx):
    root = pathlib.Path(root).resolve()
    exceptions = read_exceptions((HERE / "exceptions.txt").read_text())
    compared, failed = False, False
    try:
        includes = installed() if toolkit == "installed" else [fetched(toolkit)]
        if not includes:
            raise Problem("no CUDA toolkit is installed (looked in CUDA_HOME, CUDA_PATH, /usr/local/cuda* and /usr/include)")
    except Problem as problem:
        print(problem)
        return 77
    for include in includes:
        for name in LIBRARIES if library == "all" else [library]:
            try:
                require_headers(LIBRARIES[name], include)
                count, problems = compare(LIBRARIES[name], include, root, exceptions, cxx)
            except Problem as problem:
                print(problem)
                continue
            except tables.Unreadable as error:
                count, problems = 0, [str(error)]
            print(f"{name} and the headers in {include}: {count} assertions, {len(problems)} problems", *problems, sep="\n  ")
            compared, failed = True, failed or bool(problems)
    return 1 if failed else 0 if compared else 77


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
