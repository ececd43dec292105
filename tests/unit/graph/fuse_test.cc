// The pass that makes one kernel of elementwise nodes: which it takes, which it leaves, and what that costs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "program_fixture.h"

namespace rondo {
namespace {

class Fuse : public OnPrograms {
 protected:
  // What is left of a recording without dead nodes.
  static std::string fused(ops::Program program, PassReport* report = nullptr) { return names(pass(program, report)); }
  static ops::Program& pass(ops::Program& program, PassReport* report = nullptr) {
    PassReport first{}, second{};
    EXPECT_TRUE(dce(program, &first).ok());
    EXPECT_TRUE(fuse(program, report ? report : &second).ok());
    return program;
  }
  void into(rondo_unary_op op, rondo_tensor* a, rondo_tensor* to) { must(rondo_unary(op, a, &to)); }
  void look(rondo_tensor* at) {
    rondo_variable* read = nullptr;
    must(rondo_tensor_variable(at, &read));
    rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
    options.name = "look";
    must(rondo_engine_push(
        engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, &read, 1, nullptr, 0,
        &options));
  }
};

// The programs that docs/program.md shows.
TEST_F(Fuse, ThePageShowsProgramsAsTheyAre) {
  Result x, y, out;
  filled(4, x.slot());
  filled(4, y.slot());
  ops::Program program = recorded([&] {
    Result a, b, c;
    must(rondo_binary_scalar(RONDO_MUL, x, 2, a.slot()));
    must(rondo_unary(RONDO_TANH, a, b.slot()));
    must(rondo_cumulative(RONDO_SUM, y, 0, 0, c.slot()));
    must(rondo_binary(RONDO_ADD, b, c, out.slot()));
  });
  const char* const before =
      // [before
      "0 Elementwise 'mul': %0 (given) f32 [4] -> %1 f32 [4]\n"
      "1 Elementwise 'tanh': %1 f32 [4] -> %2 f32 [4]\n"
      "2 Cumulative 'cumulative_sum': %3 (given) f32 [4] -> %4 f32 [4]\n"
      "3 Elementwise 'add': %2 f32 [4], %4 f32 [4] -> %5 (output) f32 [4]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{};
  EXPECT_TRUE(fuse(program, &report).ok());
  const char* const after =
      // [after
      "0 Cumulative 'cumulative_sum': %3 (given) f32 [4] -> %4 f32 [4]\n"
      "1 Fused 'mul+tanh+add': %0 (given) f32 [4], %4 f32 [4] -> %5 (output) f32 [4]\n";
  // after]
  EXPECT_EQ(program.text(), after);
  ASSERT_EQ(report.lines.size(), 1U);
  EXPECT_EQ(report.lines[0],
            "one of 0 'mul', 1 'tanh', 3 'add': Fused 'mul+tanh+add': %0 (given) f32 [4], %4 f32 [4] -> %5 (output) "
            "f32 [4]");
}

TEST_F(Fuse, ChainsOfEightOperatorsAreOneNode) {
  Result x, out;
  filled(4, x.slot());
  const auto gelu = [&] {  // 0.5 x (1 + tanh(0.797... (x + 0.044715 x x x)))
    Result square, cube, small, sum, scaled, bent, one, half;
    must(rondo_binary(RONDO_MUL, x, x, square.slot()));
    must(rondo_binary(RONDO_MUL, square, x, cube.slot()));
    must(rondo_binary_scalar(RONDO_MUL, cube, 0.044715, small.slot()));
    must(rondo_binary(RONDO_ADD, x, small, sum.slot()));
    must(rondo_binary_scalar(RONDO_MUL, sum, 0.7978845608028654, scaled.slot()));
    must(rondo_unary(RONDO_TANH, scaled, bent.slot()));
    must(rondo_binary_scalar(RONDO_ADD, bent, 1, one.slot()));
    must(rondo_binary(RONDO_MUL, x, one, out.slot()));
  };
  EXPECT_EQ(fused(recorded(gelu)), "mul+mul+mul+add+4 more");
}

TEST_F(Fuse, ResultsThatAreReadElsewhereAreStored) {
  Result x, y, out, sum;
  filled(4, x.slot());
  filled(4, y.slot());
  ops::Program program = recorded([&] {
    Result a;
    must(rondo_unary(RONDO_RELU, x, a.slot()));
    must(rondo_unary(RONDO_EXP, a, out.slot()));
    must(rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, sum.slot()));
  });
  EXPECT_EQ(pass(program).text(),
            "0 Fused 'relu+exp': %0 (given) f32 [4] -> %1 f32 [4], %2 (output) f32 [4]\n"
            "1 Reduce 'sum': %1 f32 [4] -> %3 (output) f32 []\n");
}

// Two that do not read each other become one where somebody reads both.
TEST_F(Fuse, BranchesThatMeetAreOne) {
  Result x, y, out;
  filled(4, x.slot());
  filled(4, y.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a, b;
              must(rondo_unary(RONDO_SIGMOID, x, a.slot()));
              must(rondo_unary(RONDO_TANH, y, b.slot()));
              must(rondo_binary(RONDO_MUL, a, b, out.slot()));
            })),
            "sigmoid+tanh+mul");
}

// A group would have to come both before and after the sum.
TEST_F(Fuse, NothingGoesAroundInACircle) {
  Result x, out;
  filled(4, x.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a, sum;
              must(rondo_unary(RONDO_EXP, x, a.slot()));
              must(rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, sum.slot()));
              must(rondo_binary(RONDO_DIV, a, sum, out.slot()));
            })),
            "exp sum div");
}

// What is read with another shape is not read element by element, and is computed once.
TEST_F(Fuse, WhatIsBroadcastIsNotComputedAgain) {
  Result x, row, out;
  const int64_t shape[] = {3, 4};
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shape, x.slot()));
  must(rondo_fill(x, 1));
  filled(4, row.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a, b;
              must(rondo_unary(RONDO_EXP, row, a.slot()));
              must(rondo_unary(RONDO_RELU, x, b.slot()));
              must(rondo_binary(RONDO_ADD, b, a, out.slot()));
            })),
            "exp relu+add");
}

TEST_F(Fuse, WhatIsWrittenInPlaceIsStoredOnce) {
  Result x;
  filled(4, x.slot());
  ops::Program program = recorded([&] {
    into(RONDO_RELU, x, x);
    into(RONDO_EXP, x, x);
    into(RONDO_NEG, x, x);
  });
  EXPECT_EQ(pass(program).text(), "0 Fused 'relu+exp+neg': %0 (given) f32 [4] -> %0 (given) f32 [4]\n");
}

// An input that is written between two of a chain: the first must read it before, the last after.
TEST_F(Fuse, AnInputThatChangesInTheMiddleKeepsThemApart) {
  Result x, y, out;
  filled(4, x.slot());
  filled(4, y.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a;
              must(rondo_unary(RONDO_RELU, x, a.slot()));
              rondo_tensor* slot = x;
              must(rondo_cumulative(RONDO_SUM, y, 0, 0, &slot));
              must(rondo_binary(RONDO_MUL, a, x, out.slot()));
            })),
            "relu cumulative_sum mul");
}

// Parts of a tensor that overlap: an element of the one is another element of the other.
TEST_F(Fuse, ViewsThatOverlapKeepThemApart) {
  Result x, y;
  filled(8, x.slot());
  filled(7, y.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result low, high, between;
              must(rondo_tensor_slice(x, 0, 0, 7, 1, low.slot()));
              must(rondo_tensor_slice(x, 0, 1, 8, 1, high.slot()));
              into(RONDO_RELU, y, low);
              must(rondo_unary(RONDO_EXP, low, between.slot()));
              into(RONDO_NEG, between, high);
            })),
            "relu exp neg");
}

// One reads an element that the other writes for the element before.
TEST_F(Fuse, WhatIsReadOneElementOnIsAnotherElement) {
  Result x, y;
  filled(8, x.slot());
  filled(7, y.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result low, high, a, sum;
              must(rondo_tensor_slice(x, 0, 0, 7, 1, low.slot()));
              must(rondo_tensor_slice(x, 0, 1, 8, 1, high.slot()));
              must(rondo_unary(RONDO_EXP, y, a.slot()));
              must(rondo_binary(RONDO_ADD, a, high, sum.slot()));
              into(RONDO_NEG, sum, low);
            })),
            "exp+add neg");
}

TEST_F(Fuse, HalvesThatDoNotOverlapMayBeWrittenTogether) {
  Result x, out;
  filled(4, x.slot());
  ops::Program program = recorded([&] {
    make(8, out.slot());
    Result low, high, a;
    must(rondo_tensor_slice(out, 0, 0, 4, 1, low.slot()));
    must(rondo_tensor_slice(out, 0, 4, 8, 1, high.slot()));
    must(rondo_unary(RONDO_RELU, x, a.slot()));
    into(RONDO_EXP, a, low);
    into(RONDO_NEG, a, high);
  });
  // On the host a part fails with what it reads, so that they have to be two tasks; the first goes into one of them.
  EXPECT_EQ(names(pass(program)), "relu exp neg");
}

TEST_F(Fuse, WhatIsAddedToIsNotReadThere) {
  Result x, sum, out;
  filled(4, x.slot());
  filled(4, sum.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result adds, a;
              must(rondo_tensor_accumulator(sum, adds.slot()));
              must(rondo_unary(RONDO_EXP, x, a.slot()));
              into(RONDO_RELU, a, adds);
              must(rondo_unary(RONDO_NEG, sum, out.slot()));
            })),
            "exp+relu neg");
}

TEST_F(Fuse, TasksThatNameWhatTheyTouchAreNoWall) {
  Result x, other;
  filled(4, x.slot());
  filled(4, other.slot());
  const auto around = [&](rondo_tensor* looked_at) {
    Result last;
    const std::string names = fused(recorded([&] {
      Result a, b;
      must(rondo_unary(RONDO_RELU, x, a.slot()));
      must(rondo_unary(RONDO_EXP, a, b.slot()));
      look(looked_at ? looked_at : b.tensor);
      must(rondo_unary(RONDO_NEG, b, last.slot()));
    }));
    must(rondo_record_abort(engine_));
    return names;
  };
  EXPECT_EQ(around(other), "relu+exp+neg look");
  EXPECT_EQ(around(nullptr), "relu+exp+neg look") << "it reads a result, which is stored, and comes after that";
}

TEST_F(Fuse, NothingMovesAcrossATaskThatNamesNothing) {
  Result x, out;
  filled(4, x.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a;
              must(rondo_unary(RONDO_RELU, x, a.slot()));
              must(rondo_engine_push(
                  engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, nullptr, 0, nullptr,
                  0, nullptr));
              must(rondo_unary(RONDO_NEG, a, out.slot()));
            })),
            "relu user neg");
}

TEST_F(Fuse, CollectivesDoNotCutWhatDoesNotDependOnThem) {
  Result x, gradient, out;
  filled(4, x.slot());
  filled(4, gradient.slot());
  const rondo_device device = {RONDO_CPU, 0};
  rondo_comm* comm = nullptr;
  must(rondo_comm_create_all(engine_, &device, 1, nullptr, &comm));
  EXPECT_EQ(fused(recorded([&] {
              Result a;
              must(rondo_unary(RONDO_RELU, x, a.slot()));
              rondo_tensor* slot = gradient;
              must(rondo_comm_all_reduce(comm, gradient, RONDO_SUM, &slot));
              must(rondo_unary(RONDO_NEG, a, out.slot()));
              must(rondo_comm_all_reduce(comm, gradient, RONDO_SUM, &slot));
            })),
            "relu+neg all_reduce all_reduce");
  rondo_comm_destroy(comm);
}

TEST_F(Fuse, RandomNumbersAreDrawnByThemselves) {
  Result x, out;
  filled(4, x.slot());
  EXPECT_EQ(fused(recorded([&] {
              Result a, dropped, mask;
              must(rondo_unary(RONDO_RELU, x, a.slot()));
              must(rondo_dropout(a, 0.5, dropped.slot(), mask.slot()));
              must(rondo_unary(RONDO_NEG, dropped, out.slot()));
            })),
            "relu dropout neg");
}

// A failure goes as far on the host as it does between eager calls.
TEST_F(Fuse, ResultsOfOtherInputsAreOtherTasksOnTheHost) {
  Result x, y, first, second;
  filled(4, x.slot());
  filled(4, y.slot());
  EXPECT_EQ(fused(recorded([&] {
              must(rondo_unary(RONDO_RELU, x, first.slot()));
              must(rondo_binary(RONDO_ADD, first, y, second.slot()));
            })),
            "relu add");
}

// What an operator that was refused reads is read outside of the group, whoever joins that after it.
TEST_F(Fuse, WhatARefusedOperatorReadsIsStored) {
  Result x, y, sum, twice;
  filled(4, x.slot());
  filled(4, y.slot());
  ops::Program program = recorded([&] {
    Result a, b;
    must(rondo_unary(RONDO_NEG, x, a.slot()));
    must(rondo_unary(RONDO_RELU, a, b.slot()));
    must(rondo_binary(RONDO_ADD, b, y, sum.slot()));  // fails with y too
    must(rondo_binary_scalar(RONDO_MUL, b, 2, twice.slot()));
  });
  EXPECT_EQ(pass(program).text(),
            "0 Fused 'neg+relu+mul': %0 (given) f32 [4] -> %2 f32 [4], %5 (output) f32 [4]\n"
            "1 Elementwise 'add': %2 f32 [4], %3 (given) f32 [4] -> %4 (output) f32 [4]\n");
}

// 16 scalars are what an expression has.
TEST_F(Fuse, LongChainsAreCutWhereTheExpressionEnds) {
  Result x, out;
  filled(4, x.slot());
  ops::Program program = recorded([&] {
    Result last;
    must(rondo_unary(RONDO_NEG, x, last.slot()));
    for (int i = 0; i < 40; ++i) {
      rondo_tensor* next = nullptr;
      must(rondo_binary_scalar(RONDO_ADD, last, i, &next));
      rondo_tensor_destroy(last.tensor);
      last.tensor = next;
    }
    out.tensor = last.tensor;
    last.tensor = nullptr;
  });
  pass(program);
  EXPECT_EQ(program.nodes.size(), 3U) << program.text();
}

// Chains of 10 between sums, many of which read the same tensor: so many nodes cost so many steps.
TEST_F(Fuse, CostIsLinearInTheNodes) {
  Result x;
  filled(4, x.slot());
  const auto steps = [&](int nodes) {
    std::vector<rondo_tensor*> kept;
    ops::Program program = recorded([&] {
      rondo_tensor* last = nullptr;
      must(rondo_copy(x, &last));
      for (int i = 1; i < nodes; ++i) {
        rondo_tensor* next = nullptr;
        if (i % 10 == 0)
          must(rondo_cumulative(RONDO_SUM, last, 0, 0, &next));
        else
          must(rondo_binary(RONDO_ADD, last, x, &next));
        rondo_tensor_destroy(last);
        last = next;
      }
      kept.push_back(last);
    });
    PassReport report{};
    EXPECT_TRUE(fuse(program, &report).ok());
    EXPECT_LT(program.nodes.size(), static_cast<size_t>(nodes) / 4);
    for (rondo_tensor* each : kept) rondo_tensor_destroy(each);
    must(rondo_record_abort(engine_));
    return report.steps;
  };
  const size_t thousand = steps(1000), many = steps(10000);
  EXPECT_LT(thousand, 300000U);
  EXPECT_LT(many, 11 * thousand);
}

}  // namespace
}  // namespace rondo
