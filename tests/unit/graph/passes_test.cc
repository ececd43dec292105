// Recordings as programs, and passes over them: each alone, on small programs that are read as text.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/elementwise/elementwise_task.h"
#include "ops/invoke/lower.h"
#include "program_fixture.h"

namespace rondo {
namespace {

class Passes : public OnPrograms {
 protected:
  // What dead() makes of it, and how many lines it reports.
  static std::string without_dead(ops::Program program, size_t changes) {
    PassReport report{};
    EXPECT_TRUE(dce(program, &report).ok());
    EXPECT_EQ(report.lines.size(), changes) << program.text();
    return names(program);
  }
};

TEST_F(Passes, AProgramSaysWhatWasRecorded) {
  Result a, b, c;
  filled(4, a.slot());
  const ops::Program program = recorded([&] {
    must(rondo_unary(RONDO_RELU, a, b.slot()));
    must(rondo_binary(RONDO_ADD, a, b, c.slot()));
    rondo_tensor_destroy(b.tensor);
    b.tensor = nullptr;
  });
  EXPECT_EQ(program.text(),
            "0 Elementwise 'relu': %0 (given) f32 [4] -> %1 f32 [4]\n"
            "1 Elementwise 'add': %0 (given) f32 [4], %1 f32 [4] -> %2 (output) f32 [4]\n");
}

// Who has the address may look there at any time: eager, so what is written there stays in a graph.
TEST_F(Passes, KnownAddressMakesAnOutput) {
  Result known, unknown;
  make(4, known.slot());
  make(4, unknown.slot());
  void* address = nullptr;
  must(rondo_tensor_data(known, &address));
  ops::ProgramValues values;
  for (const Result* each : {&known, &unknown}) values.declare(*each->tensor->storage, ops::ValueRole::temporary);
  const uint32_t of_known = values.use(*known.tensor->storage), of_unknown = values.use(*unknown.tensor->storage);
  EXPECT_EQ(values[of_known].role, ops::ValueRole::output);
  EXPECT_TRUE(values[of_known].outlives());
  EXPECT_EQ(values[of_unknown].role, ops::ValueRole::temporary);
  Result a;
  filled(4, a.slot());
  ops::Program program = recorded([&] {
    must(rondo_unary(RONDO_RELU, a, known.slot()));
    Result made;
    must(rondo_unary(RONDO_EXP, a, made.slot()));
    void* refused = nullptr;
    EXPECT_EQ(rondo_tensor_data(made, &refused), RONDO_INVALID_STATE) << "a tensor of the recording has no address yet";
    rondo_tensor_destroy(known.tensor);
    known.tensor = nullptr;
  });
  EXPECT_EQ(without_dead(std::move(program), 1), "relu") << "what is written where the address is known";
}

TEST_F(Passes, UnknownPassIsRefused) {
  Result a, b;
  filled(4, a.slot());
  ops::Program program = recorded([&] { must(rondo_unary(RONDO_RELU, a, b.slot())); });
  ASSERT_EQ(setenv("RONDO_GRAPH_PASSES", "faster", 1), 0);  // after the engine has been created
  std::vector<PassReport> reports;
  const Status status = run_passes(program, &reports);
  unsetenv("RONDO_GRAPH_PASSES");
  EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("RONDO_GRAPH_PASSES=faster is none of all, none"), std::string::npos)
      << status.message();
  EXPECT_TRUE(reports.empty());
}

// The programs that docs/program.md shows.
TEST_F(Passes, ThePageShowsProgramsAsTheyAre) {
  Result x, out;
  const int64_t shape[] = {4, 10};
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shape, x.slot()));
  must(rondo_fill(x, 1));
  ops::Program program = recorded([&] {
    Result hidden, dropped, mask, sum;
    const int32_t axis = 1;
    must(rondo_unary(RONDO_RELU, x, hidden.slot()));
    must(rondo_dropout(hidden, 0.5, dropped.slot(), mask.slot()));
    must(rondo_reduce(RONDO_SUM, hidden, 1, &axis, 0, sum.slot()));
    must(rondo_binary_scalar(RONDO_MUL, dropped, 2, out.slot()));
  });
  const char* const before =
      // [before
      "0 Elementwise 'relu': %0 (given) f32 [4, 10] -> %1 f32 [4, 10]\n"
      "1 Dropout 'dropout': %1 f32 [4, 10] -> %2 f32 [4, 10], %3 u8 [4, 10]\n"
      "2 Reduce 'sum': %1 f32 [4, 10] -> %4 f32 [4]\n"
      "3 Elementwise 'mul': %2 f32 [4, 10] -> %5 (output) f32 [4, 10]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{};
  EXPECT_TRUE(dce(program, &report).ok());
  const char* const after =
      // [after
      "0 Elementwise 'relu': %0 (given) f32 [4, 10] -> %1 f32 [4, 10]\n"
      "1 Dropout 'dropout': %1 f32 [4, 10] -> %2 f32 [4, 10]\n"
      "2 Elementwise 'mul': %2 f32 [4, 10] -> %5 (output) f32 [4, 10]\n";
  // after]
  EXPECT_EQ(program.text(), after);
}

TEST_F(Passes, ThePageShowsANormOfItsParts) {
  Result x, out;
  const int64_t shape[] = {4, 10};
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shape, x.slot()));
  must(rondo_fill(x, 1));
  ops::Program program = recorded([&] {
    Result mean, centred, square, variance, shifted, root;
    const int32_t axis = 1;
    must(rondo_reduce(RONDO_MEAN, x, 1, &axis, 1, mean.slot()));
    must(rondo_binary(RONDO_SUB, x, mean, centred.slot()));
    must(rondo_unary(RONDO_SQUARE, centred, square.slot()));
    must(rondo_reduce(RONDO_MEAN, square, 1, &axis, 1, variance.slot()));
    must(rondo_binary_scalar(RONDO_ADD, variance, 1e-5, shifted.slot()));
    must(rondo_unary(RONDO_RSQRT, shifted, root.slot()));
    must(rondo_binary(RONDO_MUL, centred, root, out.slot()));
  });
  const char* const before =
      // [before
      "0 Reduce 'mean': %0 (given) f32 [4, 10] -> %1 f32 [4, 1]\n"
      "1 Elementwise 'sub': %0 (given) f32 [4, 10], %1 f32 [4, 10] -> %2 f32 [4, 10]\n"
      "2 Elementwise 'square': %2 f32 [4, 10] -> %3 f32 [4, 10]\n"
      "3 Reduce 'mean': %3 f32 [4, 10] -> %4 f32 [4, 1]\n"
      "4 Elementwise 'add': %4 f32 [4, 1] -> %5 f32 [4, 1]\n"
      "5 Elementwise 'rsqrt': %5 f32 [4, 1] -> %6 f32 [4, 1]\n"
      "6 Elementwise 'mul': %2 f32 [4, 10], %6 f32 [4, 10] -> %7 (output) f32 [4, 10]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{};
  EXPECT_TRUE(patterns(program, &report).ok());
  EXPECT_EQ(program.text(), before) << "roundings stay";
  program.fewer_roundings = true;
  EXPECT_TRUE(patterns(program, &report).ok());
  const char* const after =
      // [after
      "0 Normalisation 'layer_norm': %0 (given) f32 [4, 10] -> %7 (output) f32 [4, 10]\n";
  // after]
  EXPECT_EQ(program.text(), after);
  EXPECT_EQ(report.lines.size(), 1u);
}

TEST_F(Passes, WhatNobodyReadsGoesWithWhatOnlyItRead) {
  Result a, out;
  filled(4, a.slot());
  EXPECT_EQ(without_dead(recorded([&] {
                           Result b, c, d;
                           must(rondo_unary(RONDO_RELU, a, b.slot()));
                           must(rondo_unary(RONDO_EXP, b, c.slot()));   // nobody
                           must(rondo_unary(RONDO_SQRT, c, d.slot()));  // nobody
                           must(rondo_unary(RONDO_NEG, b, out.slot()));
                         }),
                         2),
            "relu neg");
}

TEST_F(Passes, HalvesOfATensorAreTwoRanges) {
  Result a, out;
  filled(4, a.slot());
  EXPECT_EQ(without_dead(recorded([&] {
                           Result both, left, right;
                           make(8, both.slot());
                           const int64_t zero = 0, four = 4, eight = 8;
                           must(rondo_tensor_slice(both, 0, zero, four, 1, left.slot()));
                           must(rondo_tensor_slice(both, 0, four, eight, 1, right.slot()));
                           rondo_tensor* slot = left;
                           must(rondo_unary(RONDO_RELU, a, &slot));
                           slot = right;
                           must(rondo_unary(RONDO_EXP, a, &slot));  // nobody reads this half
                           must(rondo_unary(RONDO_NEG, left, out.slot()));
                         }),
                         1),
            "relu neg");
}

TEST_F(Passes, OverwrittenIsUnusedUnlessAddedTo) {
  Result a, over, added;
  filled(4, a.slot());
  filled(4, over.slot());
  filled(4, added.slot());
  EXPECT_EQ(without_dead(recorded([&] {
                           Result adds;
                           must(rondo_fill(over, 2));  // nobody reads it
                           must(rondo_fill(added, 3));
                           rondo_tensor* slot = over;
                           must(rondo_unary(RONDO_RELU, a, &slot));
                           must(rondo_tensor_accumulator(added, adds.slot()));
                           slot = adds;
                           must(rondo_unary(RONDO_EXP, a, &slot));
                         }),
                         1),
            "fill relu exp");
}

TEST_F(Passes, OpaqueTasksStayWithWhatTheyRead) {
  Result a;
  filled(4, a.slot());
  EXPECT_EQ(without_dead(recorded([&] {
                           Result b;
                           must(rondo_unary(RONDO_RELU, a, b.slot()));
                           rondo_variable* read = nullptr;
                           must(rondo_tensor_variable(b, &read));
                           rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
                           options.name = "look";
                           must(rondo_engine_push(
                               engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, &read, 1,
                               nullptr, 0, &options));
                         }),
                         0),
            "relu look");
}

TEST_F(Passes, AResultThatNobodyReadsIsLeftOutOfItsTask) {
  Result a, dropped, values;
  filled(64, a.slot());
  ops::Program program = recorded([&] {
    Result mask, places;
    must(rondo_dropout(a, 0.5, dropped.slot(), mask.slot()));
    must(rondo_topk(a, 3, 0, 1, values.slot(), places.slot()));
  });
  const auto written = [](const ops::ProgramNode& node) {
    return std::count_if(node.operands.begin(), node.operands.end(), [](const auto& each) { return each.written; });
  };
  ASSERT_EQ(program.nodes.size(), 2U);
  EXPECT_EQ(written(program.nodes[0]) + written(program.nodes[1]), 4);
  const uint64_t draws = program.nodes[0].random_count;
  PassReport report{};
  EXPECT_TRUE(dce(program, &report).ok());
  EXPECT_EQ(report.lines.size(), 2U);
  EXPECT_EQ(written(program.nodes[0]) + written(program.nodes[1]), 2) << program.text();
  EXPECT_EQ(program.nodes[0].random_count, draws);
}

// Of a dropout whose mask alone is read nothing is left out, since one that reads nothing is none.
TEST_F(Passes, ADropoutOfWhichTheMaskIsReadStays) {
  Result a, mask;
  filled(64, a.slot());
  ops::Program program = recorded([&] {
    Result dropped;
    must(rondo_dropout(a, 0.5, dropped.slot(), mask.slot()));
  });
  PassReport report{};
  EXPECT_TRUE(dce(program, &report).ok());
  ASSERT_EQ(program.nodes.size(), 1U);
  std::vector<Ref<ops::OperatorTask>> tasks;
  const Status lowered = ops::lower(program.values[0].storage->engine(), &program, &tasks);
  EXPECT_TRUE(lowered.ok()) << lowered.message();
}

TEST_F(Passes, RandomNumbersStayThoseThatWereDrawn) {
  Result out;
  ops::Program program = recorded([&] {
    Result first;
    const int64_t n = 100;
    must(rondo_random_uniform(engine_, {RONDO_CPU, 0}, RONDO_F32, 1, &n, 0, 1, first.slot()));
    must(rondo_random_uniform(engine_, {RONDO_CPU, 0}, RONDO_F32, 1, &n, 0, 1, out.slot()));
  });
  const uint64_t second = program.nodes[1].random_offset;
  EXPECT_GT(second, 0U);
  PassReport report{};
  EXPECT_TRUE(dce(program, &report).ok());
  ASSERT_EQ(program.nodes.size(), 1U);
  EXPECT_EQ(program.nodes[0].random_offset, second);
}

// A launch draws as many numbers as the recording did, and so something of that device must be left of it.
TEST_F(Passes, OfADeviceThatDrawsANodeIsLeft) {
  EXPECT_EQ(without_dead(recorded([&] {
                           Result first;
                           const int64_t n = 100;
                           must(rondo_random_uniform(engine_, {RONDO_CPU, 0}, RONDO_F32, 1, &n, 0, 1, first.slot()));
                         }),
                         0),
            "random_uniform");
}

// Every kind whose attributes say what decides its results.
TEST_F(Passes, OperatorsThatAreCalledTwiceAreComputedOnce) {
  Result a, image, filter, q, places, mean, variance;
  filled(16, a.slot());
  filled(4, mean.slot());
  filled(4, variance.slot());
  const auto shaped = [&](std::vector<int64_t> shape, rondo_tensor** tensor) {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(),
                             tensor));
    must(rondo_fill(*tensor, 1));
  };
  shaped({1, 4, 6, 6}, image.slot());
  shaped({4, 4, 3, 3}, filter.slot());
  shaped({1, 4, 2, 8}, q.slot());
  make(4, places.slot(), RONDO_I64);
  must(rondo_fill(places, 1));
  const int64_t widths[] = {1, 2}, two = 2, window[] = {2, 2};
  const std::function<void(rondo_tensor**)> operators[] = {
      [&](rondo_tensor** out) { must(rondo_pad(a, RONDO_PAD_CONSTANT, 2, widths, 0.5, out)); },
      [&](rondo_tensor** out) { must(rondo_tile(a, 1, &two, out)); },
      [&](rondo_tensor** out) { must(rondo_roll(a, 1, &two, out)); },
      [&](rondo_tensor** out) { must(rondo_repeat(a, 2, 0, out)); },
      [&](rondo_tensor** out) { must(rondo_one_hot(places, 3, RONDO_F32, out)); },
      [&](rondo_tensor** out) { must(rondo_sort(a, 0, 1, out)); },
      [&](rondo_tensor** out) { must(rondo_convolution(image, filter, nullptr, out)); },
      [&](rondo_tensor** out) { must(rondo_max_pool(image, 2, window, nullptr, out)); },
      [&](rondo_tensor** out) { must(rondo_attention(q, q, q, nullptr, out, nullptr)); },
      [&](rondo_tensor** out) {
        must(rondo_arange(engine_, {RONDO_CPU, 0}, RONDO_F32, 0, 16, 1, out));
      },
  };
  for (size_t i = 0; i < std::size(operators); ++i) {
    Result one, two_of_it;
    ops::Program program = recorded([&] {
      Result first, second;
      operators[i](first.slot());
      operators[i](second.slot());
      must(rondo_reduce(RONDO_SUM, first, 0, nullptr, 0, one.slot()));
      must(rondo_reduce(RONDO_MAX, second, 0, nullptr, 0, two_of_it.slot()));
    });
    const size_t before = program.nodes.size();
    PassReport report{};
    EXPECT_TRUE(cse(program, &report).ok());
    EXPECT_LT(program.nodes.size(), before) << i << "\n" << program.text();
    EXPECT_EQ(program.nodes.back().operands[0].value, program.nodes[program.nodes.size() - 2].operands[0].value)
        << i << "\n"
        << program.text();
    must(rondo_record_abort(engine_));
  }
}

// The programs that docs/program.md shows.
TEST_F(Passes, ThePageShowsWhatIsComputedOnce) {
  Result x, one, two;
  const int64_t shape[] = {4, 10};
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shape, x.slot()));
  must(rondo_fill(x, 1));
  ops::Program program = recorded([&] {
    Result first, second, copy;
    must(rondo_softmax(x, 1, first.slot()));
    must(rondo_softmax(x, 1, second.slot()));
    must(rondo_copy(second, copy.slot()));
    must(rondo_cumulative(RONDO_SUM, copy, 1, 0, one.slot()));
    must(rondo_cumulative(RONDO_SUM, first, 1, 0, two.slot()));
  });
  const char* const before =
      // [before
      "0 Softmax 'softmax': %0 (given) f32 [4, 10] -> %1 f32 [4, 10]\n"
      "1 Softmax 'softmax': %0 (given) f32 [4, 10] -> %2 f32 [4, 10]\n"
      "2 Copy 'copy': %2 f32 [4, 10] -> %3 f32 [4, 10]\n"
      "3 Cumulative 'cumulative_sum': %3 f32 [4, 10] -> %4 (output) f32 [4, 10]\n"
      "4 Cumulative 'cumulative_sum': %1 f32 [4, 10] -> %5 (output) f32 [4, 10]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{};
  EXPECT_TRUE(cse(program, &report).ok());
  const char* const after =
      // [after
      "0 Softmax 'softmax': %0 (given) f32 [4, 10] -> %1 f32 [4, 10]\n"
      "1 Cumulative 'cumulative_sum': %1 f32 [4, 10] -> %4 (output) f32 [4, 10]\n"
      "2 Cumulative 'cumulative_sum': %1 f32 [4, 10] -> %5 (output) f32 [4, 10]\n";
  // after]
  EXPECT_EQ(program.text(), after);
}

// The programs that docs/program.md shows. The last operand begins where no memory does.
TEST_F(Passes, ThePageShowsWhatIsJoinedInPlace) {
  Result x, y, out;
  const int64_t shapes[][2] = {{4, 16}, {3, 16}};
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shapes[0], x.slot()));
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shapes[1], y.slot()));
  must(rondo_fill(x, 1));
  must(rondo_fill(y, 1));
  ops::Program program = recorded([&] {
    Result first, second, both, third, all;
    must(rondo_softmax(x, 1, first.slot()));
    must(rondo_softmax(y, 1, second.slot()));
    rondo_tensor* two[] = {first, second};
    must(rondo_concat(2, two, 0, both.slot()));
    must(rondo_cumulative(RONDO_SUM, both, 1, 0, third.slot()));
    rondo_tensor* three[] = {both, third, y};
    must(rondo_concat(3, three, 0, all.slot()));
    must(rondo_cumulative(RONDO_SUM, all, 1, 0, out.slot()));
  });
  const char* const before =
      // [before
      "0 Softmax 'softmax': %0 (given) f32 [4, 16] -> %1 f32 [4, 16]\n"
      "1 Softmax 'softmax': %2 (given) f32 [3, 16] -> %3 f32 [3, 16]\n"
      "2 Concat 'concat': %1 f32 [4, 16], %3 f32 [3, 16] -> %4 f32 [7, 16]\n"
      "3 Cumulative 'cumulative_sum': %4 f32 [7, 16] -> %5 f32 [7, 16]\n"
      "4 Concat 'concat': %4 f32 [7, 16], %5 f32 [7, 16], %2 (given) f32 [3, 16] -> %6 f32 [17, 16]\n"
      "5 Cumulative 'cumulative_sum': %6 f32 [17, 16] -> %7 (output) f32 [17, 16]\n";
  // before]
  EXPECT_EQ(program.text(), before);
  PassReport report{};
  EXPECT_TRUE(concat_in_place(program, &report).ok());
  const char* const after =
      // [after
      "0 Softmax 'softmax': %0 (given) f32 [4, 16] -> %6 f32 [4, 16], bytes 0 to 256\n"
      "1 Softmax 'softmax': %2 (given) f32 [3, 16] -> %6 f32 [3, 16], bytes 256 to 448\n"
      "2 Cumulative 'cumulative_sum': %6 f32 [7, 16], bytes 0 to 448 -> %6 f32 [7, 16], bytes 448 to 896\n"
      "3 Copy 'concat': %2 (given) f32 [3, 16] -> %6 f32 [3, 16], bytes 896 to 1088\n"
      "4 Cumulative 'cumulative_sum': %6 f32 [17, 16] -> %7 (output) f32 [17, 16]\n";
  // after]
  EXPECT_EQ(program.text(), after);
}

// The programs that docs/program.md shows.
TEST_F(Passes, PageShowsAProductFused) {
  Result a, b, bias, out;
  const int64_t shape[] = {4, 4};
  for (rondo_tensor** each : {a.slot(), b.slot()})
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F16, 2, shape, each));
  make(4, bias.slot(), RONDO_F16);
  for (rondo_tensor* each : {a.tensor, b.tensor, bias.tensor}) must(rondo_fill(each, 1));
  ops::Program program = recorded([&] {
    Result product, sum;
    must(rondo_matmul(a, b, nullptr, product.slot()));
    must(rondo_binary(RONDO_ADD, product, bias, sum.slot()));
    must(rondo_unary(RONDO_RELU, sum, out.slot()));
  });
  const std::string before =
      // [before
      "0 Matmul 'matmul': %0 (given) f16 [4, 4], %1 (given) f16 [4, 4] -> %2 f16 [4, 4]\n"
      "1 Elementwise 'add': %2 f16 [4, 4], %3 (given) f16 [4, 4] -> %4 f16 [4, 4]\n"
      "2 Elementwise 'relu': %4 f16 [4, 4] -> %5 (output) f16 [4, 4]\n";
  // before]
  PassReport report{};
  EXPECT_TRUE(epilogue(program, &report).ok());
  EXPECT_EQ(program.text(), before) << "roundings stay unless fewer are wanted";
  program.fewer_roundings = true;
  EXPECT_TRUE(epilogue(program, &report).ok());
  const std::string after =
      // [after
      "0 Matmul 'matmul': %0 (given) f16 [4, 4], %1 (given) f16 [4, 4], %3 (given) f16 [4] -> %5 (output) f16 [4, 4]\n";
  // after]
  EXPECT_EQ(program.text(), after);
  ASSERT_EQ(report.lines.size(), 1U);
  EXPECT_EQ(report.lines[0],
            "one of 0 'matmul', 1 'add', 2 'relu': " + after.substr(2, after.size() - 3) + " (roundings saved: 2)");
}

// The example of docs/program.md: what is copied from one number everywhere is that number everywhere, so that nobody
// needs to read the original.
// [example
Status fill_through(ops::Program& program, PassReport* report) {
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    ops::ProgramNode& copy = program.nodes[i];
    if (!std::holds_alternative<ops::CopyCall>(copy.call->of)) continue;
    const ops::ProgramOperand from = copy.operands[0], to = copy.operands[1];
    // Who wrote last what is copied.
    const ops::ProgramNode* writer = nullptr;
    bool whole = false;
    for (size_t k = 0; k < i; ++k)
      for (const ops::ProgramOperand& each : program.nodes[k].operands) {
        if (!each.written || each.value != from.value || each.begin >= from.end || from.begin >= each.end) continue;
        writer = &program.nodes[k];
        whole = each.covers && each.begin <= from.begin && from.end <= each.end && each.view.dtype == to.view.dtype;
      }
    if (!writer || !whole || !std::holds_alternative<ops::FillCall>(writer->call->of)) continue;
    // The same number, into the copy's place.
    const TaskOperand result[] = {{to.view, true}};
    report->lines.push_back("filled instead: " + program.text(copy));
    program.replace(&copy, "fill", writer->call, result);
  }
  return {};
}
// example]

// A node has one truth: whatever it was, what a pass says that it is now is what later passes and the graph go by.
TEST_F(Passes, WhatANodeIsReplacedByIsWhatRuns) {
  Result a, out;
  filled(4, a.slot());
  ops::Program program = recorded([&] {
    Result doubled;
    must(rondo_binary_scalar(RONDO_MUL, a, 2, doubled.slot()));
    must(rondo_unary(RONDO_NEG, doubled, out.slot()));
  });
  ops::ProgramNode& node = program.nodes[0];
  const TaskOperand operands[] = {{node.operands[0].view, false}, {node.operands[1].view, true}};
  program.replace(&node, "copy", make_ref<const ops::Call>(ops::CopyCall{}), operands);
  const auto task_of = [&] {
    Ref<ops::OperatorTask> task;
    EXPECT_TRUE(ops::lower(a.tensor->view.engine(), program.nodes[0], &task).ok());
    return task;
  };
  const auto kernel = [](const ops::OperatorTask& task) {
    return static_cast<const ops::ElementwiseTask&>(task).expression();
  };
  EXPECT_STREQ(task_of()->name(), "copy");
  EXPECT_EQ(kernel(*task_of()).scalars(), 0) << "nothing is multiplied";
  PassReport report{};
  ASSERT_TRUE(fuse(program, &report).ok());
  ASSERT_EQ(program.text(), "0 Fused 'copy+neg': %0 (given) f32 [4] -> %2 (output) f32 [4]\n");
  EXPECT_EQ(kernel(*task_of()).scalars(), 0);
}

TEST_F(Passes, WhatIsNoOperatorIsNotLowered) {
  Result a, out;
  filled(4, a.slot());
  ops::Program program = recorded([&] { must(rondo_unary(RONDO_NEG, a, out.slot())); });
  ops::ProgramNode& node = program.nodes[0];
  const TaskOperand operands[] = {{node.operands[0].view, false}, {node.operands[1].view, true}};
  program.replace(&node, "task", make_ref<const ops::Call>(ops::UserTaskCall{}), operands);
  node.site = "train.c:42";
  std::vector<Ref<ops::OperatorTask>> tasks;
  const Status status = ops::lower(a.tensor->view.engine(), &program, &tasks);
  EXPECT_EQ(status.code(), RONDO_INTERNAL);
  EXPECT_NE(std::string(status.message()).find("its kind is no operator: UserTask 'task', recorded at train.c:42"),
            std::string::npos)
      << status.message();
}

TEST_F(Passes, TheExampleFillsThroughCopies) {
  Result out;
  ops::Program program = recorded([&] {
    Result b;
    filled(4, b.slot());
    must(rondo_copy(b, out.slot()));
  });
  PassReport report{};
  EXPECT_TRUE(fill_through(program, &report).ok());
  ASSERT_EQ(report.lines.size(), 1U);
  EXPECT_EQ(report.lines[0], "filled instead: Copy 'copy': %0 f32 [4] -> %1 (output) f32 [4]");
  EXPECT_EQ(program.text(),
            "0 Fill 'fill': -> %0 f32 [4]\n"
            "1 Fill 'fill': -> %1 (output) f32 [4]\n");
  EXPECT_EQ(without_dead(std::move(program), 1), "fill");
}

}  // namespace
}  // namespace rondo
