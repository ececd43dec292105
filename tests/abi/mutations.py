#!/usr/bin/env python3
"""Each script of tests/abi finds what it is there to find: it is run over a copy of the tree with things wrong, and must tell of each.

    mutations.py SOURCE_ROOT LIBRARY ABI_JSON C_COMPILER... -- CXX_COMPILER...

A script without a row below is an error. What a script needs that is not installed (it exits 77) is told and left out.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import files

SKIP = 77
HERE = pathlib.Path(__file__).resolve().parent
# Scripts that test a script by calling its functions, and this one.
OTHERS = {"files_selftest.py", "measured_rows.py", "mutations.py"}
BEGIN, END = r"\A", r"\Z"
# Script, file of the tree, what stands there as a regular expression, what takes its place, what the script must say.
ROWS = [
    ("about", "bindings/java/pom.xml", r"<url>https://rondo\.example</url>", "<url>https://elsewhere.example</url>", "bindings/java/pom.xml: is not what"),
    ("about", "bindings/rust/rondo-sys/Cargo.toml", r"repository = [^\n]*\n", "", "rondo-sys/Cargo.toml: is not what"),
    ("about", "README.md", r"Rondo runs a training", "Rondo runs. It is a training", "README.md: its first paragraph"),
    ("about", "bindings/rust/rondo/README.md", r"https://rondo\.example", "https://elsewhere.example", "has no link to the homepage"),
    ("about", "bindings/rust/rondo/README.md", r"\| `serde` \|[^\n]*\n", "", "the feature serde"),
    ("decimals", "src/base/log.cc", END, '\nint f(const char* t) { return std::sscanf(t, "%d", nullptr); }\n', r"log\.cc:\d+: sscanf goes by the locale"),
    ("decimals", "src/base/log.cc", END, '\nvoid f(double x) {\n  std::fprintf(stderr,\n    "a %d %.3f", 1, x);\n}\n', r"fprintf with %\.3f"),
    ("decimals", "src/engine/trace.cc", END, '\nvoid f(double x, char* t) { snprintf(t, 9, "%-*g", 5, x); }\n', r"snprintf with %-\*g"),
    ("decimals", "src/base/log.cc", END, '\ndouble f(const char* t) { return strtod(t, 0); }\n', "strtod"),
    ("decimals", "src/base/log.cc", END, "\nbool f(char c) { return std::isspace(c); }\n", "isspace"),
    ("decimals", "include/rondo/hpp/print.hpp", r"  text\.imbue\(std::locale::classic\(\)\);\n", "", "print.hpp:.*ostringstream goes by the locale"),
    ("decimals", "src/onnx/main.cc", r"  stream\.imbue\(std::locale::classic\(\)\);\n", "", "main.cc:.*istringstream goes by the locale"),
    ("decimals", "bindings/java/src/main/java/dev/rondo/Device.java", r"toLowerCase\(Locale.ROOT\)", "toLowerCase()", "Device.java:.*without a Locale"),
    ("calls", "docs/c.md", r"rondo_engine_seed\(engine, 7\)", "rondo_engine_seed(engine)", "has 1 arguments; it takes 2"),
    ("calls", "docs/memory.md", "`rondo_memory_trim`", "`rondo_memory_trimmed`", "rondo_memory_trimmed is in no header"),
    ("description", "ABI", r'("name": ?"rondo_engine_options",.*?"size": ?)\d+', r"\g<1>7", "the compiler disagrees"),
    ("description", "tests/abi/symbols.txt", END, "RONDO_0 rondo_that_is_not_there\n", "rondo_that_is_not_there"),
    ("docs", "docs/settings.md", r"\| `RONDO_CACHE_MB` \|[^\n]*\n", "", "lacks the line.*RONDO_CACHE_MB"),
    ("docs", "docs/errors.md", "`RONDO_TIMED_OUT`", "`RONDO_TIMED_OFF`", "RONDO_TIMED_OUT"),
    ("docs", "examples/c/hello.c", r"rondo_tensor_destroy\(a\);", "rondo_tensor_destroy( a);", "docs/install.md: no block of"),
    ("docs", "examples/tutorial/Serve.java", r"xor", "or", "docs/tutorial.md: no block of java equals examples/tutorial/Serve.java"),
    ("docs", "docs/tutorial.md", END, "\n```rust\nfn main() {}\n```\n", "docs/tutorial.md: has a block that is no file"),
    ("docs", "README.md", r"c\.add_assign", "c.add_assigned", "README.md: no block of"),
    ("docs", "README.md", r"    \./tests/run", "    tests/run", "README.md: its first 25 lines do not show ./tests/run"),
    ("docs", "README.md", r"meson install -C build-install", "meson install -C build", "has not the command meson install"),
    ("docs", "docs/install.md", r"meson setup build-install", "meson setup build-release", "docs/install.md: sets up build-release, which examples/run"),
    ("docs", "docs/install.md", r" *<maven\.compiler\.source>[^\n]*\n", "", "its pom.xml lacks maven.compiler.source"),
    ("docs", "README.md", END, "\n" * 30, "README.md: has \\d+ lines"),
    ("docs", "README.md", END, "a long sentence of some words " * 200, "README.md: has \\d+ bytes"),
    ("docs", "README.md", r"\| the same \|", "|" + " word" * 30 + " |", "README.md: a cell has"),
    ("docs", "docs/README.md", r"\[Engine\]\(engine\.md\)", "Engine", "docs/README.md: has no link to docs/engine.md"),
    ("docs", "examples/README.md", r"\[Dlrm\.java\]\(java/Dlrm\.java\)", "Dlrm", "examples/README.md: has no link to examples/java/Dlrm.java"),
    ("docs", "docs/threads.md", END, "\n[there](engine.md#no-such-heading)\n", "names no heading"),
    ("docs", "docs/threads.md", END, "\n[there](no-such-page.md)\n", "leads nowhere"),
    ("docs", "docs/threads.md", END, "\nShown by `Engine.NoSuchTest`.\n", "there is no test Engine.NoSuchTest"),
    ("docs", "docs/threads.md", END, "\nSee `src/engine/no_such_file.cc`.\n", "there is no src/engine/no_such_file.cc"),
    ("docs", "CHANGELOG.md", r"## 0\.1\.0", "## 0.0.9", "CHANGELOG.md: its first section"),
    ("docs", "CHANGELOG.md", END, "- more\n" * 30, "CHANGELOG.md: what the first version holds has"),
    ("docs", "docs/coming-from.md", r"(```c\n[^\n]*)", r"\1  /* more */", "coming-from.md: .* has not the block"),
    ("docs", "docs/coming-from.md", r"(fn gradient_of_parts.*?)\n\}\n```", r"\1\n```", "the block is no whole function that begins: fn gradient_of_parts"),
    ("docs", "docs/coming-from.md", r"```cpp\n(rondo::Tensor train_on_ranks)", r"```text\n\1", "'## NCCL inside' shows nothing in cpp"),
    ("docs", "docs/coming-from.md", r"`a\.concat\(b, 0\)`", "`a.cat(b, 0)`", "EverydayTest.java has not the line of Java: a.cat"),
    ("docs", "docs/cpp.md", r"(```cpp\n[^\n]*)", r"\1  // more", "cpp.md: .* has not the block"),
    ("docs", "tests/packaging/cpp/meson.build", "cpp_std=c", "std=c", "cpp.md: .*meson.build has not the block"),
    ("docs", "docs/design.md", r"         plan  [^\n]*\n", "", "the wings of src/graph have no plan"),
    ("docs", "docs/families.md", r"rotary_cuda\.cc", "rotary_cpu.cc", "does not name src/ops/attention/rotary_cuda.cc"),
    ("docs", "docs/graphs.md", r"\| `memory` \|", "| memory |", "does not explain the lines of a report that begin with 'memory'"),
    ("docs", "docs/design.md", "`KernelTask`", "`KernelDuty`", "docs/design.md: names KernelDuty"),
    ("files", "src/ops/invoke/lower.h", "struct SubmittedTask", "struct Lowered", "rondo::ops::Lowered is a type in"),
    ("files", "src/base/log.cc", END, "\nint heir;\n", "`heir` is not the field's term"),
    ("files", "src/base/log.cc", END, "\nstruct Node {\n};\n", "Node is a type in 4 files, more than 3"),
    ("files", "src/base/log.cc", BEGIN, "int x;\n", "does not start with a comment"),
    ("files", "src/base/log.cc", END, "// more\n" * 600, "is there a seam"),
    ("files", "src/base/log.cc", r"Copyright 2026", "Copyleft 2026", "has no line"),
    ("files", "src/base/log.cc", END, "// TO" + "DO\n", "leaves something open"),
    ("files", "src/base/threads/thread_id.h", r"// Tells the number[^\n]*", "// A number.", r"thread_id\.h:1: its opening comment has 2 words"),
    ("files", "src/base/files/asked.cc", r"// Writes the files", "// See asked.h", r"asked\.cc:1: .*begins with 'See'"),
    ("files", "src/base/path.h", END, "\n// Nobody waits, nobody at all.\n", "words of comments, more than"),
    ("files", "src/base/room.h", END, "\nint x;  // Whether it is. Of both. What it is. Where it is.\n", "sentences of comments, more than"),
    ("files", "docs/threads.md", END, "\n/wo" + "rk/here\n", "path of one machine"),
    ("files", "tests/unit/base_test.cc", END, '\nconst char* const kNone = "/no' + 'where/file";\n', "may be there"),
    ("files", "tests/unit/engine/pool_test.cc", r"TEST\((\w+), (\w+)\)", r"TEST(\1, \2WithANameThatTellsAllThatIsInItAndMore)", "characters, more than 49"),
    ("floors", "src/base/log.cc", END, '\n#include "engine/engine.h"\n', "src/base/log.cc:.*engine/engine.h"),
    ("floors", "src/ops/reduce/reduce.cc", END, '\n#include "ops/rows/rows.h"\n', "src/ops/reduce/reduce.cc:.*rows.h"),
    ("floors", "src/graph/run/graph.cc", END, '\n#include "graph/compile/compiler.h"\n', "src/graph/run/graph.cc:.*compiler.h"),
    ("floors", "src/graph/run/graph.cc", END, '\n#include "graph/tell/tell.h"\n', "src/graph/run/graph.cc:.*tell.h"),
    ("floors", "src/onnx/convert.cc", END, '\n#include "base/status.h"\n', "src/onnx/convert.cc:.*a library of its own"),
    ("floors", "include/rondo/base.h", END, "\n#include <sys/types.h>\n", "a public header includes only"),
    ("floors", "src/device/device.cc", END, "\n#include <cuda.h>\n", "a header of CUDA"),
    ("floors", "src/graph/compile/packed.cc", "#include <unordered_set>\n", "", "packed.cc: uses names of <unordered_set>"),
    ("handles", "ABI", r'"name": ?"RONDO_INVALID_STATE"', '"name": "RONDO_ANOTHER_STATE"', "of a destroyed engine: .*, [1-9]\\d* wrong"),
    ("dtypes", "docs/has-it.md", r"(`rondo_sort` [^\n]*)all but f8", r"\1all", "rondo_sort takes 'all' there"),
    ("has_it", "include/rondo/hpp/operators.hpp", r"inline Tensor gated\(", "inline Tensor gate_of(", "docs/has-it.md: lacks .*`gate_of`"),
    ("has_it", "src/ops/operators/operators.def", r'"e to the x"', '"e to x"', "docs/has-it.md: lacks .*e to x"),
    ("has_it", "bindings/rust/rondo/src/create.rs", "pub fn ones_like", "pub fn one_like", "docs/has-it.md: lacks .*`Tensor::one_like`"),
    ("has_it", "include/rondo/hpp/views.hpp", r"T squeeze\(\)", "T squeezed()", "docs/has-it.md: lacks .*`Tensor::squeezed`"),
    ("has_it", "bindings/java/src/main/java/dev/rondo/TensorContents.java", r"public double item\(", "public double items(", "docs/has-it.md: lacks .*`Tensor.items`"),
    ("headers", "include/rondo/trace.h", END, "\nsize_u rondo_no_type(void);\n", "trace.h does not compile as c99"),
    ("headers", "include/rondo/recurrent.h", r"#ifndef RONDO_RECURRENT_H\n", "#if 1\n", "recurrent.h does not compile as c\\+\\+17"),
    ("kinds", "src/ops/program/kinds.def", r"a product|a matrix product", "a matrix times another", "the table of kinds"),
    ("kinds", "src/graph/passes/passes.def", "leaves out nodes and results", "leaves out a lot of results", "the table of passes"),
    ("kinds", "src/base/settings.def", "none, dce, cse", "none, cse", "RONDO_GRAPH_PASSES has other choices"),
    ("kinds", "docs/mixed-precision.md", r"`matmul`", "`matmuls`", "the table of precisions"),
    ("kinds", "src/ops/program/kinds.def", r"\bgated\b", "", "rondo_gated is in no row"),
    ("kinds", "src/ops/program/kinds.def", r"Pad, rule, widest, pure, inferred", "Pad, rule, widest, pure, owed", "a row that kinds.py cannot read"),
    ("kinds", "docs/program.md", "const ops::ProgramNode\\* writer = nullptr;", "const ops::ProgramNode* writer;", "the example pass"),
    *[("kinds", "docs/program.md", rf"(### {name}\n.*?after:\n\d \w+ ')", r"\1x", f"the programs before and after {name}")
      for name in ("dce", "cse", "patterns", "epilogue", "fuse", "fuse_rows", "batch_products", "horizontal_fuse", "concat_in_place")],
    ("measured", "tests/bench/results/README.md", r"(\n## Where others are ahead.*?\n\| [^\n|]*\|[^\n|]*\d\.\d\d)", r"\g<1>9", "the table under"),
    ("measured", "tests/bench/results/README.md", r"(\n## Measured.*?\| )\d\.\d\d", r"\g<1>9.99", "is no ratio"),
    ("measured", "README.md", r"\| 1\.12 \|", "| 0.93 |", "README.md: the table .* has no loss"),
    ("measured", "README.md", r"\| 0\.87 \|", "| 0.69 |", "README.md: 0.69 is no ratio"),
    ("measured", "README.md", r"\| 0\.64 \|", "| 0.54 |", "README.md: 'host time of one small operator' has 0.54, and add.async of h200 is 0.64"),
    ("measured", "README.md", r"\| ResNet-50 in f16", "| ResNet-50 in f32", "README.md: 'ResNet-50 in f32.*is no row of BOTH"),
    ("measured", "README.md", "2 to 10 times", "1 to 2 times", "README.md: .* must say"),
    ("measured", "tests/bench/results/h100-2026-11-28-encoders.json", r'("id": "encoder\.ask\.768".*?"median_us": )\d+', r"\g<1>600",
     "must say: PyTorch compiled is ahead in three of five"),
    ("measured", "docs/products.md", r"\| 32 \| 384 \| 384 \| 4\.43", "| 32 | 384 | 384 | 3.43", "docs/products.md: the table is not"),
    ("operators", "docs/operators.md", r"\n\| `RONDO_MISH`[^\n]*", "", "RONDO_MISH|mish"),
    ("operators", "src/ops/operators/normalisations.def", r"x / sqrt\(mean", r"|x| / sqrt(mean", r"docs/operators.md: lacks .*\\\|x\\\| / sqrt"),
    ("operators", "include/rondo/ops.h", r"\bRONDO_TANH\b", "RONDO_TANH_OF", "(?i)tanh"),
    ("pinned", "packaging/packages", END, "\ncurl https://example.org/x | sh\n", "packaging/packages"),
    ("pinned", "bindings/java/pom.xml", r"<version>\d[\w.]*</version>(?=\s*<scope>|\s*</plugin>)", "<version>[1,2)</version>", "bindings/java/pom.xml"),
    ("reference", "include/rondo/trace.h", r"Since 0\.1", "Of old", "says not since"),
    ("sentences", "docs/serving.md", END, "\nOne sentence " + "of many words " * 14 + "is long.\n", "docs/serving.md: a sentence has \\d+ words"),
    ("sentences", "docs/memory.md", END, "\n" + "This is a sentence of so many words that the mean grows, here as in all others that follow it now.\n\n" * 300,
     "docs/memory.md: sentences have 19"),
    ("sentences", "docs/engine.md", END, "\nA task waits for whoever is behind it.\n", "docs/engine.md:\\d+: 'whoever'"),
    ("sentences", "docs/program.md", END, "\nOne sentence " + "of many words " * 16 + "is long.\n", "docs/program.md: a sentence has \\d+ words, more than 45"),
    ("sentences", "docs/design.md", END, "\nWhat nobody asks for.\n", "docs/design.md:\\d+: 'nobody'"),
    ("speed", "docs/speed.svg", "ResNet-50", "ResNet-51", "is not what"),
    ("speed", "tests/bench/results/h200-2026-11-29-resnet.json", r'("compiled": \{"median_us": )\d+', r"\g<1>300", "is not what"),
    ("structs", "src/capi/structs.def", r"RONDO_OPTIONS\(rondo_rotary_options, reserved\)\n", "", "rondo_rotary_options"),
    ("structs", "include/rondo/attention.h", r"RONDO_ROTARY_OPTIONS_INIT", "RONDO_ROTARY_OPTIONS_NONE", "rondo_rotary_options"),
    ("symbols", "tests/abi/symbols.txt", r"RONDO_0 rondo_fill\n", "", "rondo_fill is exported but not in"),
    ("symbols", "tests/abi/symbols.txt", END, "RONDO_0 rondo_that_is_not_there\n", "rondo_that_is_not_there is in"),
    ("symbols", "include/rondo/trace.h", r"Since 0\.1", "Of old", "since which version"),
    ("symbols", "include/rondo/mixed_precision.h", END, "\n/* Since 0.1. */\nRONDO_API void rondo_nowhere_made(void);\n", "declared but not exported"),
    ("wrapper", "include/rondo/hpp/operators.hpp", r"\brondo_gated\(", "gated_of_c(", "rondo_gated is not called"),
    ("wrapper_headers", "include/rondo/hpp/reclaim.hpp", r"#include <rondo/hpp/base.hpp>\n", "", r"(?s)hpp/reclaim.hpp by.*error"),
    ("wrapper_headers", "include/rondo/rondo.hpp", r"#elif !defined\(__cpp_exceptions\)", "#elif 0", "not the one error 'rondo.hpp throws'"),
]
# Libraries with something wrong, for needed.py: flags of the linker, what it must say.
LIBRARIES = [(["-Wl,-soname,librondo.so.9"], "the soname is"), (["-Wl,-soname,librondo.so.0", "-Wl,-rpath,/opt"], "carries a search path"),
             (["-Wl,-soname,librondo.so.0", "-Wl,--no-as-needed", "OTHER"], "linked with libother.so")]


class Copy:
    """The tree again, of links: a file that is changed becomes one of its own, and is put back."""

    def __init__(self, root, folder, description):
        self.root = pathlib.Path(folder) / "tree"
        for name in files.files_of(root):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(root / name, self.root / name)
            except OSError:
                (self.root / name).write_bytes((root / name).read_bytes())
        self.description = self.root / "abi.json"
        self.description.write_bytes(pathlib.Path(description).read_bytes())

    def changed(self, name, pattern, to):
        """The file and its bytes; it is another file now, with the change. None if nothing of the kind is in it."""
        file = self.description if name == "ABI" else self.root / name
        before = file.read_bytes()
        text, count = re.subn(pattern, to, before.decode(), count=1, flags=re.DOTALL)
        if not count or text.encode() == before:
            return None
        file.unlink()
        file.write_text(text)
        return file, before


def arguments(script, copy, library, compilers):
    include, symbols = copy.root / "include", copy.root / "tests/abi/symbols.txt"
    return {"description": [copy.description, include, symbols, *compilers[:compilers.index("--")]], "headers": [include, *compilers],
            "handles": [library, copy.description],
            "dtypes": [copy.root, library], "has_it": [copy.root, copy.description],
            "reference": [copy.root, symbols], "structs": [include, copy.root / "src/capi/structs.def"], "symbols": [library, include, symbols],
            "wrapper": [include / "rondo", symbols],
            "wrapper_headers": [copy.root, *compilers[compilers.index("--") + 1:]]}.get(script, [copy.root])


def run(script, *words):
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": "/", "GIT_DIR": os.devnull}  # the copy is no checkout
    done = subprocess.run([sys.executable, HERE / f"{script}.py", *words], text=True, capture_output=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def judge(script, outcome, expected):
    """Problems of a run that must have told of everything that is expected: {text: what was wrong}."""
    code, said = outcome
    if code == SKIP:
        print(f"left out: {script}: {said.strip()}")
        return
    missed = [what for text, what in expected.items() if not re.search(text, said)]
    yield from (f"{script} does not see {what}" for what in missed)
    if code == 0 or missed or "Traceback" in said:
        yield f"{script}: exit code {code}; it says:\n{said[-3000:]}"


def row_problems(copy, library, compilers):
    for script in dict.fromkeys(row[0] for row in ROWS):
        expected, changes = {}, []
        for _, name, pattern, to, text in (row for row in ROWS if row[0] == script):
            what = f"'{to.strip()[:40] or 'nothing'}' for '{pattern[:60]}' in {name}"
            change = copy.changed(name, pattern, to)
            if not change:
                yield f"{script}.py, {what}: there is no such thing in it any more"
                continue
            changes.append(change)
            expected[text] = what
        yield from judge(f"{script}.py", run(script, *arguments(script, copy, library, compilers)), expected)
        for file, before in reversed(changes):
            file.write_bytes(before)


def library_problems(folder, compilers):
    c = compilers[:compilers.index("--")]
    other, made = f"{folder}/libother.so", f"{folder}/made.so"
    build = [*c, "-shared", "-x", "c", os.devnull]
    subprocess.run([*build, "-o", other, "-Wl,-soname,libother.so"], check=True)
    for flags, expected in LIBRARIES:
        words = [word for flag in flags for word in (["-x", "none", other] if flag == "OTHER" else [flag])]
        subprocess.run([*build, "-o", made, *words], check=True)
        yield from judge("needed.py", run("needed", made), {expected: " ".join(flags)})


def baseline_problems(root, library, folder):
    """abidiff.py with what another library promised."""
    if not (shutil.which("abidw") and shutil.which("abidiff")):
        print("left out: abidiff.py: abidw and abidiff are not installed")
        return
    code, said = run("abidiff", "--write", "9.9.9", library, root / "include", folder)
    if code:
        yield f"abidiff.py: exit code {code} where it writes; it says:\n{said[-3000:]}"
        return
    baseline = pathlib.Path(folder) / "rondo-9.9.9.abi"
    baseline.write_text(baseline.read_text().replace("rondo_fill_i64", "rondo_fill_i65"))
    yield from judge("abidiff.py", run("abidiff", library, root / "include", folder), {"rondo_fill_i65": "a function that is gone"})


def main(root, library, description, *compilers):
    root = pathlib.Path(root).resolve()
    tested = {row[0] for row in ROWS} | {"needed", "abidiff"}
    problems = [f"{path.name} has no row in mutations.py: what must it find?" for path in sorted(HERE.glob("*.py"))
                if path.stem not in tested and path.name not in OTHERS]
    json.loads(pathlib.Path(description).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        problems += row_problems(Copy(root, folder, description), library, compilers)
        problems += library_problems(folder, compilers)
        problems += baseline_problems(root, library, folder)
    print("\n".join(problems) or f"{len(ROWS) + len(LIBRARIES) + 1} mutations of {len(tested)} scripts are seen")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
