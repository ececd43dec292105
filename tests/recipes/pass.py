#!/usr/bin/env python3
"""Follows the recipe "A pass" of CONTRIBUTING.md with a scratch pass, `neutral`, in a copy of the sources.

    pass.py SOURCE_ROOT           the copy's tables and pages agree, and its C++ is accepted by the compiler
    pass.py SOURCE_ROOT --build   builds the copy too, and runs the tests of passes, all passes and the new one alone
    pass.py SOURCE_ROOT --apply FOLDER   makes the copy there and leaves it

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from scratch import accepted, built, copy_of, insert, print_into, run

FILE = "src/graph/passes/neutral.cc"
PASS = """\
// Makes copies of factors of one: x * 1, 1 * x and x / 1 are copies of x, which `cse` leaves out where it can. Their
// bits are x's, except the payload of a NaN. x + 0 stays as it is: -0 + 0 is 0.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "graph/passes/passes.h"
#include "ops/operators/scalar.h"

namespace rondo {

namespace {

// True if a node makes of each element the same number of the same dtype.
bool is_neutral(const ops::ProgramNode& node) {
  const auto* const call = node.opaque() ? nullptr : std::get_if<ops::ElementwiseCall>(&node.call->of);
  if (!call || !call->scalar || node.operands.size() != 2) return false;
  if (call->row->op != ops::Op::mul && (call->row->op != ops::Op::div || call->scalar_first)) return false;
  const ops::ProgramOperand &from = node.operands[0], &to = node.operands[1];
  if (!from.known || !to.known || to.view.accumulate || !from.view.layout.same_shape(to.view.layout)) return false;
  const rondo_dtype dtype = from.view.dtype;
  if (dtype != to.view.dtype || dtype != call->computed || dtype == RONDO_BOOL) return false;
  uint64_t one = 0;
  return ops::scalar_word("one", ops::Scalar::of_i64(1), dtype, &one).ok() && call->words[0] == one;
}

}  // namespace

Status neutral(ops::Program& program, PassReport* report) {
  for (ops::ProgramNode& node : program.nodes) {
    if (!is_neutral(node)) continue;
    const TaskOperand operands[] = {{node.operands[0].view, false}, {node.operands[1].view, true}};
    report->lines.push_back("a copy: " + program.text(node));
    program.replace(&node, "copy", make_ref<const ops::Call>(ops::CopyCall{}), operands);
  }
  return {};
}

}  // namespace rondo
"""
MOST_LINES = 60
BEFORE = """\
0 Elementwise 'mul': %0 (given) f32 [4] -> %1 f32 [4]
1 Elementwise 'add': %1 f32 [4] -> %2 (output) f32 [4]
"""
AFTER = """\
0 Copy 'copy': %0 (given) f32 [4] -> %1 f32 [4]
1 Elementwise 'add': %1 f32 [4] -> %2 (output) f32 [4]
"""


def literals(text):
    lines = text.splitlines()
    return "".join(f'      "{line}\\n"{";" if line is lines[-1] else ""}\n' for line in lines)


TEST = f"""\
TEST_F(Passes, AFactorOfOneIsACopyAndASummandOfZeroIsNot) {{
  Result x, out;
  filled(4, x.slot());
  ops::Program program = recorded([&] {{
    Result same;
    must(rondo_binary_scalar(RONDO_MUL, x, 1, same.slot()));
    must(rondo_binary_scalar(RONDO_ADD, same, 0, out.slot()));
  }});
  const char* const before =
      // [before
{literals(BEFORE)}  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{{}};
  EXPECT_TRUE(neutral(program, &report).ok());
  const char* const after =
      // [after
{literals(AFTER)}  // after]
  EXPECT_EQ(program.text(), after);
}}

"""
SECTION = f"""\
### neutral

A factor of one is a copy.

```
before:
{BEFORE}
after:
{AFTER}```

"""
# file, a line of it, what comes in front of that line
PLACES = [
    ("src/graph/passes/passes.def", "RONDO_PASS(cse, ", 'RONDO_PASS(neutral, "makes copies of what is multiplied or divided by one")\n'),
    ("src/graph/passes/meson.build", "  'passes.cc',", "  'neutral.cc',\n"),
    ("tests/unit/graph/passes_test.cc", "TEST_F(Passes, WhatNobodyReadsGoesWithWhatOnlyItRead)", TEST),
    ("docs/program.md", "### cse\n", SECTION),
]
SETTING = ("src/base/settings.def", "none, dce, cse,", "none, dce, neutral, cse,")
UNITS = [FILE, "src/graph/passes/passes.cc", "tests/unit/graph/passes_test.cc"]


def follow(root, copy):
    copy_of(root, copy)
    (copy / FILE).write_text(PASS)
    insert(copy, PLACES)
    file, old, new = SETTING
    text = (copy / file).read_text()
    if text.count(old) != 1:
        sys.exit(f"{file} has not '{old}' once: the recipe has changed, and this test did not")
    # The setting is still without the pass, and its check says so.
    print_into(copy, [("kinds.py", "docs/program.md", "| `")])
    check = [sys.executable, str(copy / "tests/abi/kinds.py"), str(copy)]
    said = subprocess.run(check, capture_output=True, text=True).stdout
    if "RONDO_GRAPH_PASSES" not in said or len(said.splitlines()) != 1:
        sys.exit(f"kinds.py does not ask for the setting's choice alone:\n{said}")
    (copy / file).write_text(text.replace(old, new))


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if len(PASS.splitlines()) > MOST_LINES:
        sys.exit(f"the pass has more than {MOST_LINES} lines")
    if sys.argv[2:3] == ["--apply"]:
        return follow(root, pathlib.Path(sys.argv[3]))
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "rondo"
        follow(root, copy)
        for tool in ("kinds.py", "docs.py", "files.py", "sentences.py"):
            run(sys.executable, copy / "tests/abi" / tool, copy)
        accepted(copy, *UNITS)
        if "--build" in sys.argv:
            built(copy, "passes", "fuse", "conformance_recording")
            built(copy, *(f"conformance_operators_{part}" for part in (1, 2, 3)), RONDO_GRAPH_PASSES="neutral")
    print(f"neutral: {len(PASS.splitlines())} lines, {len(PLACES) + 1} places besides")


main()
