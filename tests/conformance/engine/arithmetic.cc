// Results do not depend on how the calling threads compute: on what they round to, on whether they take subnormal
// numbers for zeros, on what traps. A thread keeps the mode that it has.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cfenv>
#include <thread>

#include "harness.h"

namespace conformance {
namespace {

#if defined(__x86_64__)
constexpr bool kFlushes = true;
uint64_t control_of_thread() {
  uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return (static_cast<uint64_t>(x87) << 32) | (__builtin_ia32_stmxcsr() & ~0x3fu);
}
void flush(unsigned bits) {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | bits);
}
void flush_results() {
  flush(0x8000);
}
void flush_operands() {
  flush(0x0040);
}
#elif defined(__aarch64__)
constexpr bool kFlushes = true;
uint64_t control_of_thread() {
  uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
void flush_results() {
  const uint64_t control = control_of_thread() | (uint64_t{1} << 24);
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
void flush_operands() {
  flush_results();
}
#else
constexpr bool kFlushes = false;
uint64_t control_of_thread() {
  return static_cast<uint64_t>(std::fegetround());
}
void flush_results() {}
void flush_operands() {}
#endif

struct Mode {
  const char* name;
  void (*set)();
};
constexpr Mode kModes[] = {
    {"results that are subnormal are zeros", flush_results},
    {"operands that are subnormal are zeros", flush_operands},
    {"all that is subnormal is zero",
     [] {
       flush_results();
       flush_operands();
     }},
    {"to the nearest", [] { std::fesetround(FE_TONEAREST); }},
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"downward", [] { std::fesetround(FE_DOWNWARD); }},
    {"toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
    {"exceptions trap", [] { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT); }},
};

// What a test computes, and from what, made before any mode is set.
struct Inputs {
  Array tiny_few = full(RONDO_F32, {4}, 1e-20), tiny_many = full(RONDO_F32, {1 << 17}, 1e-20);
  Array third = full(RONDO_F64, {100}, Real(1) / 3), ones = full(RONDO_F32, {1000}, 1), zeros = full(RONDO_F32, {9}, 0);
  Array matrix = full(RONDO_F32, {40, 40}, Real(0.1)), image = full(RONDO_F32, {1, 3, 12, 12}, Real(0.1)),
        filter = full(RONDO_F32, {4, 3, 3, 3}, Real(0.3));
};

class Arithmetic : public OnEngine {
 protected:
  // On a thread of its own, with the mode: results, and whether the thread has it afterwards.
  std::vector<Array> results(const Mode* mode, bool engine_after) {
    const Inputs in;
    std::vector<Array> made;
    std::thread([&] {
      if (!engine_after) fresh_engine();
      if (mode) mode->set();
      const uint64_t own = control_of_thread();
      try {
        if (engine_after) fresh_engine();
        made = compute(in, own);
      } catch (const std::exception& problem) {
        ADD_FAILURE() << problem.what();
      }
      EXPECT_EQ(control_of_thread(), own) << "at the end";
    }).join();
    return made;
  }
  void fresh_engine() { restart(options()); }

  std::vector<Array> compute(const Inputs& in, uint64_t own) {
    std::vector<Array> made;
    const auto keep = [&](rondo_tensor* tensor) {
      EXPECT_EQ(control_of_thread(), own) << "result " << made.size() << ", submitted";
      made.push_back(download(tensor));
      EXPECT_EQ(control_of_thread(), own) << "result " << made.size() << ", awaited";
    };
    for (const Array* each : {&in.tiny_few, &in.tiny_many}) {
      const Tensor x = up(*each);
      const Tensor small = make(rondo_binary, RONDO_MUL, x, x);
      keep(small);
      keep(make(rondo_binary_scalar, RONDO_MUL, small, 1024.0));
      keep(make(rondo_binary_scalar, RONDO_MUL, small, 1e-39));
    }
    const Tensor third = up(in.third), ones = up(in.ones), zeros = up(in.zeros), matrix = up(in.matrix);
    keep(make(rondo_cast, third, RONDO_F32));
    keep(make(rondo_cast, third, RONDO_F16));
    keep(make(rondo_binary_scalar, RONDO_ADD, ones, 1e-9));
    keep(make(rondo_binary, RONDO_DIV, zeros, zeros));
    keep(make(rondo_unary, RONDO_LOG, zeros));
    keep(make(rondo_unary, RONDO_EXP, make(rondo_binary_scalar, RONDO_MUL, ones, 1000.0)));
    keep(make(rondo_matmul, matrix, matrix, nullptr));
    keep(make(rondo_softmax, matrix, -1));
    keep(reduce(RONDO_SUM, matrix, {0, 1}));
    keep(make(rondo_convolution, up(in.image), up(in.filter), nullptr));
    const Tensor filled = empty(RONDO_F32, {5});
    for (const double value : {1e-40, 0.1, 1e-300}) {
      must(rondo_fill(filled, value));
      keep(filled);
    }
    const Graph graph = record(engine(), [&] {
      const Tensor sum = make(rondo_binary_scalar, RONDO_ADD, matrix, 1e-9);
      into(matrix, rondo_unary, RONDO_SQRT, sum);
    });
    for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
    keep(matrix);
    return made;
  }
};
CONFORMANCE_ENGINE_SUITE(Arithmetic);

TEST_P(Arithmetic, NoModeOfTheCallerChangesAResult) {
  const std::vector<Array> expected = results(nullptr, true);
  ASSERT_FALSE(expected.empty());
  for (const Mode& mode : kModes)
    for (const bool engine_after : {false, true}) {
      const std::string label = std::string(mode.name) + (engine_after ? ", then the engine" : ", behind the engine");
      const std::vector<Array> made = results(&mode, engine_after);
      ASSERT_EQ(made.size(), expected.size()) << label;
      for (size_t i = 0; i < made.size(); ++i)
        expect_same_bits(made[i], expected[i], label + ": result " + std::to_string(i));
    }
}

// Workers, the caller in naive mode, and threads that wait: whoever runs the function, what comes next is computed as
// ever, and the thread of the caller has its own mode.
TEST_P(Arithmetic, WhatAUserFunctionSetsIsUndone) {
  rondo_engine_options one = options();
  one.workers = 1;
  restart(one);
  const Array tiny = full(RONDO_F32, {64}, 1e-20);
  const Tensor x = upload(engine(), kCpu, tiny);
  const Array expected = download(make(rondo_binary, RONDO_MUL, x, x));
  const uint64_t own = control_of_thread();
  for (const Mode& mode : kModes) {
    const auto task = [&mode](rondo_task_context*) {
      mode.set();
      return RONDO_OK;
    };
    must(push(engine(), task, {}, {variable_of(x)}));
    expect_same_bits(download(make(rondo_binary, RONDO_MUL, x, x)), expected, mode.name);
    EXPECT_EQ(control_of_thread(), own) << mode.name;
  }
}

TEST_P(Arithmetic, WhatAFunctionOfACallableSetsIsUndone) {
  const Tensor x = up(full(RONDO_F32, {64}, 1e-20));
  const Array expected = download(make(rondo_binary, RONDO_MUL, x, x));
  const uint64_t own = control_of_thread();
  for (const Mode& mode : kModes) {
    rondo_callable* callable = nullptr;
    const auto function = [](void* arg, int32_t, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) {
      static_cast<const Mode*>(arg)->set();
      return rondo_binary(RONDO_MUL, inputs[0], inputs[0], outputs);
    };
    must(rondo_callable_create(engine(), 1, nullptr, function, const_cast<Mode*>(&mode), nullptr, &callable));
    for (int call = 0; call < 2; ++call) {
      rondo_tensor* const inputs[] = {x};
      Tensor out;
      must(rondo_callable_call(callable, 1, inputs, 1, out.slot()));
      EXPECT_EQ(control_of_thread(), own) << mode.name;
      expect_same_bits(download(out), expected, mode.name);
    }
    rondo_callable_destroy(callable);
  }
}

// That the modes do something here: else these tests would show nothing.
TEST(ArithmeticModes, AreSeenByTheProcessor) {
  std::thread([] {
    const uint64_t usual = control_of_thread();
    for (const Mode& mode : kModes) {
      std::fenv_t before;
      std::fegetenv(&before);
      mode.set();
      if (kFlushes && std::string(mode.name) != "to the nearest") {
        EXPECT_NE(control_of_thread(), usual) << mode.name;
      }
      std::fesetenv(&before);
    }
  }).join();
}

}  // namespace
}  // namespace conformance
