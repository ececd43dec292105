#!/usr/bin/env python3
"""signatures.py refuses what is wrong: a small header with tables of its own is accepted, and each of many slips is not.

    signatures_selftest.py SOURCE_ROOT CXX...

It also checks that signatures.py leaves out no table of src/dynlib, no section of its types and no exception. Needs nothing fetched.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import tempfile

import fetch
import signatures
import tables

HEADER = """
#pragma once
#define CUDA_VERSION 12000
#include <stddef.h>
typedef enum CUresult_enum { CUDA_SUCCESS = 0, CUDA_ERROR_SMALL = 7 } CUresult;
typedef enum CUmode_enum { CU_MODE_A = 1 } CUmode;
typedef struct CUbox_st *CUbox;
typedef struct CUjar_st *CUjar;
#define CU_FLAG_WIDE 0x04
typedef struct CUparams_v1_st { CUbox box; unsigned int count; } CUparams_v1;
typedef struct CUparams_st { CUbox box; unsigned int count; unsigned int extra; union { char pad[16]; int level; } value; } CUparams;
#define cuBoxOpen cuBoxOpen_v2
extern "C" {
CUresult cuBoxOpen(CUbox *box, const CUparams *params, size_t bytes);
CUresult cuBoxMode(CUbox box, CUmode mode, const char *name);
CUresult cuBoxOld(CUbox box, CUparams_v1 *params);
}
#ifdef __CUDA_API_VERSION_INTERNAL
#undef cuBoxOpen
extern "C" CUresult cuBoxOpen(CUbox *box, unsigned int bytes);
#endif
"""
TYPEDEFS = """
#include <cuda.h>
typedef CUresult (*PFN_cuBoxOpen_v3020)(CUbox *box, const CUparams *params, size_t bytes);
typedef CUresult (*PFN_cuBoxOpen_v2000)(CUbox *box, unsigned int bytes);
typedef CUresult (*PFN_cuBoxMode_v4000)(CUbox box, CUmode mode, const char *name);
typedef CUresult (*PFN_cuBoxOld_v2000)(CUbox box, CUparams_v1 *params);
"""
TYPES = """
#include <cstddef>
namespace rondo::cuda {
// --- small ---
using CUresult = int;
enum : CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_SMALL = 7 };
using CUmode = int;
enum : CUmode { CU_MODE_A = 1 };
using CUbox = struct CUbox_st*;
enum : unsigned { CU_FLAG_WIDE = 4 };
struct CUparams {
  CUbox box;
  unsigned count, extra;
  union {
    char pad[16];
    int level;
  } value;
};
static_assert(sizeof(CUparams) == 32);
}  // namespace rondo::cuda
"""
TABLE = """
RONDO_FN(CUresult, cuBoxOpen_v2, (CUbox *box, const CUparams *params, size_t bytes), 3020)
RONDO_FN(CUresult, cuBoxMode, (CUbox box, CUmode mode, const char *name), 4000)
RONDO_FN(CUresult, cuBoxOld, (CUbox box, CUparams *params), 2000)
RONDO_FN(CUresult, cuBoxLater, (CUbox box), 12030)
"""
EXCEPTIONS = """
layout | CUparams | - | CUparams_v1 before extra | the old entry takes it
signature | cuBoxOld | - | CUparams = CUparams_v1 | reads the prefix
"""
RIGHT = {"header": HEADER, "typedefs": TYPEDEFS, "types": TYPES, "table": TABLE, "exceptions": EXCEPTIONS}

# (what is edited, from, to, what the problem begins with)
SLIPS = [
    ("table", "const CUparams *params", "CUparams *params", "cuBoxOpen_v2: ours: "),
    ("table", "size_t bytes", "unsigned bytes", "cuBoxOpen_v2: ours: "),
    ("table", "size_t bytes", "long bytes", "cuBoxOpen_v2: ours: "),
    ("table", ", size_t bytes", "", "cuBoxOpen_v2: ours: "),
    ("table", "size_t bytes", "size_t bytes, int more", "cuBoxOpen_v2: ours: "),
    ("table", "CUbox *box", "CUbox box", "cuBoxOpen_v2: ours: "),
    ("table", "cuBoxOpen_v2", "cuBoxOpen", "cuBoxOpen: ours: "),
    ("table", "RONDO_FN(CUresult, cuBoxMode", "RONDO_FN(void, cuBoxMode", "cuBoxMode: ours: "),
    ("table", "CUmode mode", "int mode", "cuBoxMode: ours: "),
    ("table", "(CUbox box, CUmode", "(CUjar box, CUmode", "cuBoxMode: ours: "),
    ("table", "cuBoxMode", "cuBoxMood", "cuBoxMood: introduced with 4000 says the table; not in the headers"),
    ("table", "4000)", "5000)", "cuBoxMode: introduced with 5000 says the table; cudaTypedefs.h has PFN_cuBoxMode_v4000"),
    ("table", "3020)", "2000)", "cuBoxOpen_v2: PFN_cuBoxOpen_v2000, of the version that introduced it, is another type"),
    ("table", "4000)", "12030)", "cuBoxMode: introduced with 12030 says the table; the headers of 12000 declare: "),
    ("table", "12030)", "12000)", "cuBoxLater: introduced with 12000 says the table; not in the headers"),
    ("types", "CUDA_ERROR_SMALL = 7", "CUDA_ERROR_SMALL = 8", "CUDA_ERROR_SMALL: another value ("),
    ("types", "CUDA_ERROR_SMALL = 7", "CUDA_ERROR_SMELL = 7", "CUDA_ERROR_SMELL: not in the headers"),
    ("types", "CU_FLAG_WIDE = 4", "CU_FLAG_WIDE = 2", "CU_FLAG_WIDE: another value ("),
    ("types", "enum : CUmode", "enum : CUresult", "CU_MODE_A: no CUresult"),
    ("types", "using CUmode = int", "using CUmode = long", "CUmode: ours is long; theirs is another type ("),
    ("types", "using CUmode = int", "using CUmode = short", "CUmode: ours is short"),
    ("types", "using CUbox = struct CUbox_st*", "using CUbox = unsigned*", "CUbox: ours is unsigned*"),
    ("types", "CUbox box;\n  unsigned count, extra;", "unsigned count, extra;\n  CUbox box;", "CUparams: box: elsewhere ("),
    ("types", "unsigned count, extra", "unsigned extra, count", "CUparams: extra: elsewhere"),
    ("types", "unsigned count", "int count", "CUparams: count: of another type ("),
    ("types", "CUbox box;\n  unsigned", "const void* box;\n  unsigned", "CUparams: box: of another type"),
    ("types", "char pad[16]", "char pad[24]", "CUparams: another size"),
    ("types", "int level", "float level", "CUparams: value.level: of another type"),
    ("types", "int level", "int levels", "CUparams: value.levels: "),
    ("exceptions", "CUparams = CUparams_v1", "CUparams = CUparams", "cuBoxOld: ours: "),
    ("header", "CUparams_v1 *params", "CUparams *params", "cuBoxOld: the exception CUparams = CUparams_v1 is not needed"),
    ("exceptions", "CUparams_v1 before extra", "CUparams before extra", "CUparams: the exception `before extra` is not needed"),
    ("exceptions", "signature | cuBoxOld | - ", "signature | cuBoxOld | -11990 ", "cuBoxOld: ours: "),
    ("header", "CUmode mode, const char *name", "CUmode mode, char *name", "cuBoxMode: ours: "),
    ("header", "CUDA_VERSION 12000", "CUDA_VERSION 12040", "cuBoxLater: introduced with 12030 says the table; not in the headers"),
]
UNREADABLE = [
    ("table", "4000)", "CUDA4)", "cannot read the line"),
    ("types", "using CUmode = int;", "typedef int CUmode;", "cannot read: typedef"),
    ("types", "CU_MODE_A = 1", "CU_MODE_A = 1, CU_MODE_B", "an enumerator has no value"),
    ("exceptions", "| reads the prefix", "|", "cannot read the line"),
]


def problems_of(texts, folder, cxx):
    (folder / "cuda.h").write_text(texts["header"])
    (folder / "cudaTypedefs.h").write_text(texts["typedefs"])
    (folder / "types.h").write_text(texts["types"])
    (folder / "table.def").write_text(texts["table"].lstrip())
    library = signatures.Library("table.def", [("types.h", "small")], ["cuda.h"], "cudaTypedefs.h")
    return signatures.compare(library, folder, folder, signatures.read_exceptions(texts["exceptions"]), cxx)[1]


def slip(part, old, new):
    assert RIGHT[part].count(old) >= 1, f"{old} is nowhere in the {part}"
    return {**RIGHT, part: RIGHT[part].replace(old, new, 1)}


def check_slips(folder, cxx):
    right = problems_of(RIGHT, folder, cxx)
    if right:
        yield "the right tables are refused:\n  " + "\n  ".join(right)
    for part, old, new, expected in SLIPS:
        found = problems_of(slip(part, old, new), folder, cxx)
        if not any(problem.startswith(expected) for problem in found):
            yield f"{part}: {old} -> {new}: expected {expected!r}, found {found}"
    for part, old, new, expected in UNREADABLE:
        try:
            found = problems_of(slip(part, old, new), folder, cxx)
        except tables.Unreadable as error:
            found = str(error)
        if expected not in str(found):
            yield f"{part}: {old} -> {new}: expected {expected!r}, found {found}"


def check_coverage(root):
    libraries = signatures.LIBRARIES.values()
    compared = {library.table for library in libraries}
    for table in sorted((root / "src/dynlib").glob("*.def")):
        own = table.name in ("blas.def", "onednn.def")  # no wheel of CUDA has headers of these
        if not own and table.relative_to(root).as_posix() not in compared:
            yield f"signatures.py compares no {table.relative_to(root)}"
    names = set()
    for file in {file for library in libraries for file, _ in library.types}:
        text = (root / file).read_text()
        compared = {section for library in libraries for name, section in library.types if name == file}
        for section in tables.SECTION.findall(text) or [None]:
            if section not in compared:
                yield f"signatures.py compares nothing of section {section} of {file}"
            types = tables.read_types(text, file, section)
            names |= {*types.aliases, *types.structs, *types.enumerators}
    for library in libraries:
        names |= {entry.name for entry in tables.read_entries((root / library.table).read_text(), library.table)}
    versions = [int(major) * 1000 + int(minor) * 10 for major, minor in (version.split(".") for version in fetch.WHEELS)]
    of_nccl, of_cudnn = ([int(major) * weight + int(minor) * 100 + int(patch) for rows in fetch.WHEELS.values()
                          for package, version, *_ in rows if library in package for major, minor, patch in [version.split(".")[:3]]]
                         for library, weight in (("nccl", 10000), ("cudnn", 1000)))
    exceptions = signatures.read_exceptions((signatures.HERE / "exceptions.txt").read_text())
    names |= {each.theirs for each in exceptions if each.kind == "named"}
    for each in exceptions:
        known = of_nccl if each.name.startswith("nccl") else of_cudnn if each.name.lower().startswith("cudnn") else versions
        if each.name not in names:
            yield f"exceptions.txt: there is no {each.name}"
        elif not any(map(each.holds, known)) or each.kind == "since" and all(map(each.holds, known)):
            yield f"exceptions.txt: no headers that are fetched can tell whether {each.kind} {each.name} is needed"


def main(root, *cxx):
    with tempfile.TemporaryDirectory() as folder:
        problems = [*check_coverage(pathlib.Path(root).resolve()), *check_slips(pathlib.Path(folder), cxx)]
    print("\n".join(problems) or f"{len(SLIPS) + len(UNREADABLE)} slips refused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
