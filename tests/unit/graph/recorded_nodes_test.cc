// Operators that are several tasks on some device or at some size, or one task together: a recording has the same nodes
// everywhere, and the compiler of a graph makes of them what the device has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "ops/invoke/lower.h"
#include "program_fixture.h"

namespace rondo {
namespace {

class RecordedNodes : public OnPrograms {
 protected:
  struct Where {
    rondo_device device;
    int64_t times;  // of the smallest sizes
  };
  struct Tape {
    ~Tape() { rondo_tape_destroy(tape); }
    rondo_tape* tape = nullptr;
  };
  struct Layer {
    rondo_dtype dtype;
    int gates;
    int32_t layers, both;
    bool lengths;
  };

  rondo_tensor* tensor(const Where& where, rondo_dtype dtype, const std::vector<int64_t>& shape) {
    kept_.emplace_back();
    must(rondo_tensor_create(engine_, where.device, dtype, static_cast<int32_t>(shape.size()), shape.data(),
                             &kept_.back()));
    must(rondo_fill(kept_.back(), 1));
    return kept_.back();
  }
  void TearDown() override {
    clear();
    OnPrograms::TearDown();
  }
  void clear() {
    for (rondo_tensor* each : kept_) rondo_tensor_destroy(each);
    kept_.clear();
  }
  rondo_tensor* sum(rondo_tensor* of) {
    kept_.emplace_back();
    must(rondo_reduce(RONDO_SUM, of, 0, nullptr, 0, &kept_.back()));
    return kept_.back();
  }

  // A layer and, on a tape, its gradients by x and the weights.
  void layer(const Layer& of, bool gradients, const std::vector<rondo_tensor*>& operands) {
    Tape tape;
    if (gradients) {
      must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &tape.tape));
      for (rondo_tensor* each : operands) must(rondo_tape_watch(tape.tape, each));
    }
    rondo_recurrent_options options = RONDO_RECURRENT_OPTIONS_INIT;
    options.layers = of.layers, options.bidirectional = of.both;
    if (of.lengths) options.lengths = kept_[0];
    Result out, last_h, last_c;
    const std::vector<rondo_tensor*> weights(operands.begin() + 1, operands.end());
    const auto n = static_cast<int32_t>(weights.size());
    if (of.gates == 4)
      must(rondo_lstm(operands[0], n, weights.data(), &options, out.slot(), last_h.slot(), last_c.slot()));
    else if (of.gates == 3)
      must(rondo_gru(operands[0], n, weights.data(), &options, out.slot(), last_h.slot()));
    else
      must(rondo_rnn(operands[0], n, weights.data(), &options, out.slot(), last_h.slot()));
    if (!gradients) return;
    rondo_tensor* const loss = sum(out);
    std::vector<rondo_tensor*> made(operands.size());
    must(rondo_tape_gradients(tape.tape, 1, &loss, nullptr, static_cast<int32_t>(operands.size()), operands.data(),
                              made.data()));
    kept_.insert(kept_.end(), made.begin(), made.end());
  }
  // Lengths, then x and the weights.
  std::vector<rondo_tensor*> operands_of(const Where& where, const Layer& of) {
    const int64_t steps = 2 * where.times, batch = 3 * where.times, inputs = 5, hidden = 4 * where.times;
    tensor(where, RONDO_I32, {batch});
    std::vector<rondo_tensor*> all = {tensor(where, of.dtype, {steps, batch, inputs})};
    for (int line = 0; line < of.layers * (1 + of.both); ++line) {
      all.push_back(tensor(where, of.dtype, {of.gates * hidden, line <= of.both ? inputs : (1 + of.both) * hidden}));
      all.push_back(tensor(where, of.dtype, {of.gates * hidden, hidden}));
      for (int i = 0; i < 2; ++i) all.push_back(tensor(where, of.dtype, {of.gates * hidden}));
    }
    return all;
  }
  void convolution_gradients(const std::vector<rondo_tensor*>& of) {
    Tape tape;
    must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &tape.tape));
    for (rondo_tensor* each : of) must(rondo_tape_watch(tape.tape, each));
    Result out;
    must(rondo_convolution(of[0], of[1], nullptr, out.slot()));
    rondo_tensor *const loss = sum(out), *made[2] = {};
    must(rondo_tape_gradients(tape.tape, 1, &loss, nullptr, 2, of.data(), made));
    kept_.insert(kept_.end(), made, made + 2);
  }
  // The gradient of a gradient needs to know what dropout kept.
  void attention_twice(const std::vector<rondo_tensor*>& of) {
    Tape outer, inner;
    must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &outer.tape));
    must(rondo_tape_watch(outer.tape, of[0]));
    must(rondo_tape_begin(engine_, RONDO_TAPE_DEFAULT, &inner.tape));
    must(rondo_tape_watch(inner.tape, of[0]));
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.dropout = 0.25;
    Result out;
    must(rondo_attention(of[0], of[1], of[1], &options, out.slot(), nullptr));
    rondo_tensor *loss = sum(out), *made = nullptr;
    must(rondo_tape_gradients(inner.tape, 1, &loss, nullptr, 1, &of[0], &made));
    kept_.push_back(made);
    loss = sum(made);
    must(rondo_tape_gradients(outer.tape, 1, &loss, nullptr, 1, &of[0], &made));
    kept_.push_back(made);
  }

  // A line for each node, without what a device or a size may change: its kind, its name, its attributes, the values
  // that it reads and writes, with their dtypes and numbers of axes.
  static std::vector<std::string> lines(const ops::Program& program) {
    std::vector<std::string> all;
    for (const ops::ProgramNode& node : program.nodes) {
      std::string line = format("%s '%s'", row_of(*node.call).name, node.name);
      ops::Words words;
      EXPECT_TRUE(append_words(*node.call, &words)) << line << " is no data";
      for (const uint64_t word : words) line += format(" %llx", static_cast<unsigned long long>(word));
      for (const ops::ProgramOperand& each : node.operands)
        line += format(" %s%%%u %d [%d]", each.written ? "-> " : "", each.value, each.known ? each.view.dtype : -1,
                       each.known ? each.view.layout.ndim : -1);
      all.push_back(line);
    }
    return all;
  }
  static size_t count(const ops::Program& program, const std::string& kind) {
    return static_cast<size_t>(
        std::count_if(program.nodes.begin(), program.nodes.end(),
                      [&](const ops::ProgramNode& node) { return row_of(*node.call).name == kind; }));
  }
  static bool made_by_compilers(const std::string& kind) {
    return kind == "RecurrentCell" || kind == "RecurrentProduct" || kind == "ConvolutionGrads";
  }
  // kinds: some that are expected, once each.
  template <class Make, class Run>
  void expect_same(const Make& make, const Run& run, const std::vector<std::string>& kinds) {
    std::vector<std::string> first;
    for (const Where& where :
         {Where{{RONDO_CPU, 0}, 1}, {{RONDO_CUDA, 0}, 1}, {{RONDO_CPU, 0}, 8}, {{RONDO_CUDA, 0}, 8}}) {
      const auto operands = make(where);
      const ops::Program program = recorded([&] { run(where, operands); });
      const std::vector<std::string> here = lines(program);
      if (first.empty()) first = here;
      EXPECT_EQ(here, first) << (where.device.kind == RONDO_CPU ? "cpu" : "cuda") << ", times " << where.times;
      for (const ops::ProgramNode& node : program.nodes)
        EXPECT_FALSE(made_by_compilers(row_of(*node.call).name)) << program.text(node);
      for (const std::string& kind : kinds) EXPECT_EQ(count(program, kind), 1u) << kind << " in " << program.text();
      clear();
      must(rondo_record_abort(engine_));
    }
  }

  std::vector<rondo_tensor*> kept_;
};

TEST_F(RecordedNodes, LayersAreOneNodeEverywhere) {
  for (const Layer& of : {Layer{RONDO_F32, 4, 2, 1, false}, {RONDO_F16, 3, 1, 0, true}, {RONDO_F64, 1, 1, 1, false}})
    expect_same([&](const Where& where) { return operands_of(where, of); },
                [&](const Where&, const auto& operands) { layer(of, false, operands); }, {"Recurrent"});
}

TEST_F(RecordedNodes, GradientsOfLayersAreOneEverywhere) {
  for (const Layer& of : {Layer{RONDO_F32, 4, 2, 1, false}, {RONDO_F16, 3, 1, 0, true}, {RONDO_F64, 1, 1, 1, false}})
    expect_same([&](const Where& where) { return operands_of(where, of); },
                [&](const Where&, const auto& operands) { layer(of, true, operands); }, {"Recurrent", "RecurrentGrad"});
}

TEST_F(RecordedNodes, ConvolutionGradientsAreTwoNodes) {
  expect_same(
      [&](const Where& where) {
        const int64_t n = where.times;
        return std::vector<rondo_tensor*>{tensor(where, RONDO_F32, {2 * n, 3, 5 * n, 5 * n}),
                                          tensor(where, RONDO_F32, {4, 3, 3, 3})};
      },
      [&](const Where&, const auto& operands) { convolution_gradients(operands); }, {"ConvolutionFilterGrad"});
}

TEST_F(RecordedNodes, WhatDropoutKeptIsANodeEverywhere) {
  expect_same(
      [&](const Where& where) {
        const int64_t n = where.times;
        return std::vector<rondo_tensor*>{tensor(where, RONDO_F32, {2, 3 * n, 4, 8}),
                                          tensor(where, RONDO_F32, {2, 5 * n, 2, 8})};
      },
      [&](const Where&, const auto& operands) { attention_twice(operands); }, {"AttentionKept"});
}

// A part of each row is packed on its device.
TEST_F(RecordedNodes, CopiesBetweenDevicesAreOneNode) {
  const rondo_device cpu = {RONDO_CPU, 0}, cuda = {RONDO_CUDA, 0};
  std::vector<std::string> first;
  for (const auto& [from, to] : {std::pair{cpu, cuda}, std::pair{cuda, cpu}})
    for (const int64_t size : {4, 32}) {
      Result part;
      must(rondo_tensor_slice(tensor({from, 1}, RONDO_F32, {size, size}), 1, 1, 3, 1, part.slot()));
      Result out;
      ops::Program program = recorded([&] { must(rondo_copy_to(part, to, out.slot())); });
      ASSERT_EQ(program.nodes.size(), 1u) << program.text();
      if (first.empty()) first = lines(program);
      EXPECT_EQ(lines(program), first);
      EXPECT_EQ(count(program, "Copy"), 1u);
      const Status status = ops::expand(Engine::thread_sink()->engine, &program);
      EXPECT_TRUE(status.ok()) << status.message();
      // It is packed, then moved to pinned memory and from there.
      EXPECT_EQ(names(program), "copy copy copy") << program.text();
      std::vector<Ref<ops::OperatorTask>> tasks;
      const Status lowered = ops::lower(Engine::thread_sink()->engine, &program, &tasks);
      EXPECT_TRUE(lowered.ok()) << lowered.message();
      for (const ops::ProgramNode& node : program.nodes) EXPECT_FALSE(node.closure()) << program.text(node);
      clear();
      must(rondo_record_abort(engine_));
    }
}

TEST_F(RecordedNodes, CompilersMakeStepsOfLayers) {
  for (const rondo_device device : {rondo_device{RONDO_CPU, 0}, rondo_device{RONDO_CUDA, 0}}) {
    const Layer of = {RONDO_F16, 3, 1, 1, false};
    const auto operands = operands_of({device, 1}, of);
    ops::Program program = recorded([&] { layer(of, false, operands); });
    ASSERT_EQ(program.nodes.size(), 1u) << program.text();
    program.nodes[0].site = "train.c:42";
    const Status status = ops::expand(Engine::thread_sink()->engine, &program);
    EXPECT_TRUE(status.ok()) << status.message();
    // Per direction: two sums of biases, and a cell for each of two steps.
    EXPECT_EQ(count(program, "RecurrentCell"), 2u * (2 + 2)) << program.text();
    // The product of the inputs, and one for each step.
    EXPECT_EQ(count(program, "RecurrentProduct"), 2u * (1 + 2)) << program.text();
    EXPECT_EQ(count(program, "Recurrent"), 0u);
    EXPECT_EQ(count(program, "Opaque"), 0u) << program.text();
    for (const ops::ProgramNode& node : program.nodes) {
      EXPECT_EQ(node.site, "train.c:42");
      EXPECT_STREQ(node.step_of, "Recurrent");
    }
    std::vector<Ref<ops::OperatorTask>> tasks;
    const Status lowered = ops::lower(Engine::thread_sink()->engine, &program, &tasks);
    EXPECT_TRUE(lowered.ok()) << lowered.message();
    clear();
    must(rondo_record_abort(engine_));
  }
}

TEST_F(RecordedNodes, OneTaskHasBothGradientsOnAGpu) {
  for (const rondo_device device : {rondo_device{RONDO_CPU, 0}, rondo_device{RONDO_CUDA, 0}}) {
    const std::vector<rondo_tensor*> operands = {tensor({device, 1}, RONDO_F32, {2, 3, 5, 5}),
                                                 tensor({device, 1}, RONDO_F32, {4, 3, 3, 3})};
    ops::Program program = recorded([&] { convolution_gradients(operands); });
    std::vector<Ref<ops::OperatorTask>> tasks;
    const Status status = ops::lower(Engine::thread_sink()->engine, &program, &tasks);
    EXPECT_TRUE(status.ok()) << status.message();
    const bool gpu = device.kind == RONDO_CUDA;
    EXPECT_EQ(count(program, "ConvolutionGrads"), gpu ? 1u : 0u) << program.text();
    EXPECT_EQ(count(program, "ConvolutionFilterGrad"), gpu ? 0u : 1u) << program.text();
    EXPECT_EQ(tasks.size(), program.nodes.size());
    clear();
    must(rondo_record_abort(engine_));
  }
}

}  // namespace
}  // namespace rondo
