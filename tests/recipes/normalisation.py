#!/usr/bin/env python3
"""Follows the recipe "A normalisation of rows" of CONTRIBUTING.md with a scratch operator, rondo_l2_norm, in a copy of the sources.

    normalisation.py SOURCE_ROOT           the copy's tables, lists and generated files agree, and its C++ is accepted by the compiler
    normalisation.py SOURCE_ROOT --build   builds the copy too, and runs the tests that take the operator from its table

The recipe is at most six places in C++, and none in Java or Rust, whose operators are generated.
Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
from scratch import accepted, built, copy_of, insert, print_into, run

# file, a line of it, what comes in front of that line
PLACES = [
    ("src/ops/operators/normalisations.def", "NORMALISATION(rms_norm, ", """\
NORMALISATION(l2_norm, L2Norm, (g - n * total(g * n)) * rsqrt(total(x * x) + epsilon), LIMIT, none, single,
              "x / sqrt(sum of squares + epsilon)")
"""),
    ("src/rtc/device/rows/normalisations.h", "struct RmsNorm {", """\
struct L2Norm {
  static constexpr int kSteps = 1, kKnown = 1, kChange = kSteps, kRest = -1, kInverse = 0;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int) {
    return 1;
  }
  template <int, class C>
  RONDO_INLINE static void add(const C*, C x, C, C* terms) {
    terms[0] = x * x;
  }
  template <int, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S, f64 epsilon, f64 scale) {
    known[0] = inverse_deviation<C>(sums[0], epsilon, scale);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C) {
    return x * known[0];
  }
};

struct L2NormGrad {
  static constexpr int kSteps = 2, kKnown = 2, kChange = 1, kRest = -1, kInverse = 0;
  template <class C, class S>
  RONDO_INLINE static constexpr int sums(int) {
    return 1;
  }
  template <int step, class C>
  RONDO_INLINE static void add(const C* known, C x, C change, C* terms) {
    terms[0] = step < kChange ? x * x : change * (x * known[0]);
  }
  template <int step, class C, class S>
  RONDO_INLINE static void know(C* known, const S* sums, S, f64 epsilon, f64 scale) {
    known[step] = step < kChange ? inverse_deviation<C>(sums[0], epsilon, scale) : static_cast<C>(sums[0]);
  }
  template <class C>
  RONDO_INLINE static C result(const C* known, C x, C change) {
    return (change - x * known[0] * known[1]) * known[0];
  }
};

"""),
    ("include/rondo/ops.h", "/* out = a / sqrt(mean of a * a + epsilon) * weight.", """\
/* out = a / sqrt(sum of a * a + epsilon) * weight. weight may be NULL, or is as for rondo_layer_norm. Since 0.1. */
RONDO_API rondo_status rondo_l2_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, double epsilon,
                                     rondo_tensor** out);
"""),
    ("src/capi/operators/ops.cc", "rondo_status rondo_rms_norm(", """\
rondo_status rondo_l2_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, double epsilon, rondo_tensor** out) {
  return normalise("rondo_l2_norm", ops::Normalisation::l2_norm, a, axis, weight, nullptr, epsilon, out);
}

"""),
    ("include/rondo/hpp/operators.hpp", "inline Tensor rms_norm(", """\
inline Tensor l2_norm(const Tensor& a, int32_t axis = -1, const Tensor* weight = nullptr, double epsilon = 1e-5) {
  return a.made([&](rondo_tensor** out) {
    return rondo_l2_norm(a.get(), axis, weight ? weight->get() : nullptr, epsilon, out);
  });
}
"""),
    ("tests/conformance/operators/normalisations.h", "inline void layer_norm(", """\
inline void l2_norm(std::vector<Real>& row, Real epsilon) {
  const Real root = std::sqrt(mean_of_squares(row) * Real(row.size()) + epsilon);
  for (Real& value : row) value /= root;
}
"""),
    ("tests/abi/symbols.txt", "RONDO_0 rondo_last_error\n", "RONDO_0 rondo_l2_norm\n"),
]
CPP = (".cc", ".h", ".hpp", ".def")
MOST_IN_CPP = 6
# Translation units that the table or the declaration reaches.
UNITS = ["src/ops/rows/rows_cpu.cc", "src/ops/rows/rows_cuda.cc", "src/tape/rules/normalisation.cc", "src/capi/operators/ops.cc", "src/ops/autocast/precisions.cc"]
PROGRAMS = ["conformance_models_1", "conformance_models_2", "conformance_models_3", "conformance_tape", "conformance_misuse", "simulated_models_1"]
# Lines that a tool prints for a page.
PAGES = [("operators.py", "docs/operators.md", "| `rondo_"), ("kinds.py", "docs/program.md", "| Normalisation |"),
         ("kinds.py", "docs/mixed-precision.md", "| single |")]


def generated(copy):
    """The bindings have the operator without a line by hand."""
    folder = copy / "made"
    folder.mkdir()
    description = folder / "abi.json"
    run(sys.executable, copy / "packaging/abi/describe.py", "--version", "0.1.0", "--include", copy / "include", "--output", description,
        "--", *os.environ.get("CC", "cc").split())
    run(sys.executable, copy / "bindings/java/generate/generate.py", description, folder / "java")
    found = [path for path in (folder / "java").rglob("Operators.java") if " l2Norm(" in path.read_text()]
    if not found:
        sys.exit("Java's Operators has no l2Norm")
    code = "import json, sys; sys.path.insert(0, sys.argv[1]); import operators; " \
           "print(operators.normalisations(json.load(open(sys.argv[2]))))"
    if "pub fn l2_norm(" not in run(sys.executable, "-c", code, copy / "bindings/rust", description):
        sys.exit("Rust's generator writes no l2_norm")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    places = sum(file.endswith(CPP) for file, *_ in PLACES)
    if places > MOST_IN_CPP:
        sys.exit(f"the recipe has {places} places in C++; {MOST_IN_CPP} are what it may have")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "rondo"
        copy_of(root, copy)
        insert(copy, PLACES)
        print_into(copy, PAGES)
        for tool in ("operators.py", "kinds.py"):
            run(sys.executable, copy / "tests/abi" / tool, copy)
        generated(copy)
        accepted(copy, *UNITS)
        if "--build" in sys.argv:
            built(copy, *PROGRAMS)
    print(f"rondo_l2_norm: {places} places in C++")


main()
