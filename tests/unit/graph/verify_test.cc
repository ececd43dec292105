// Programs that passes would leave wrong: each is found, with the node and the reason.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/verify.h"

#include <algorithm>

#include "program_fixture.h"

namespace rondo {
namespace {

class Verify : public OnPrograms {
 protected:
  static void expect_wrong(const ops::Program& program, const std::string& words) {
    const Status status = ops::verify(program);
    EXPECT_FALSE(status.ok()) << program.text();
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status.message();
  }
  // relu, sum and a user's task that reads the sum.
  ops::Program three() {
    filled(4, a_.slot());
    return recorded([&] {
      Result positive, sum;
      must(rondo_unary(RONDO_RELU, a_, positive.slot()));
      must(rondo_reduce(RONDO_SUM, positive, 0, nullptr, 0, sum.slot()));
      rondo_tensor* const reads[] = {sum};
      must(rondo_engine_push_tensors(
          engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, reads, 1, nullptr, 0,
          nullptr));
    });
  }
  Result a_;
};

TEST_F(Verify, WhatWasRecordedIsRight) {
  const ops::Program program = three();
  const Status status = ops::verify(program);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(ops::KeptEffects(program).check(program).ok());
}

TEST_F(Verify, AMissingOperandIsFound) {
  ops::Program program = three();
  program.nodes[1].operands.erase(program.nodes[1].operands.begin());
  expect_wrong(program, "node 1 of a program is wrong: its operands are not those of its kind");
}

TEST_F(Verify, AReadBeforeTheWriteIsFound) {
  ops::Program program = three();
  std::swap(program.nodes[0], program.nodes[1]);
  expect_wrong(program, "node 0 of a program is wrong: it reads a value that no node before it writes");
}

TEST_F(Verify, AnOperandOutsideOfItsValueIsFound) {
  ops::Program program = three();
  program.nodes[0].operands[0].end += 1000;
  expect_wrong(program, "an operand lies outside of its value");
}

TEST_F(Verify, AnOperandWithoutElementsIsInside) {
  ops::Program program = three();
  ops::ProgramOperand& operand = program.nodes[0].operands[0];
  operand.begin = operand.end = operand.end + 1000;
  const Status status = ops::verify(program);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(Verify, AViewOfAnotherValueIsFound) {
  ops::Program program = three();
  program.nodes[1].operands[0].value = program.nodes[0].operands[0].value;
  expect_wrong(program, "a view of an operand shows another value");
}

// The operand that a node writes.
ops::ProgramOperand& written(ops::ProgramNode& node) {
  return *std::find_if(node.operands.begin(), node.operands.end(), [](const auto& each) { return each.written; });
}

TEST_F(Verify, AResultOfAnotherDtypeIsFound) {
  ops::Program program = three();
  written(program.nodes[1]).view.dtype = RONDO_I32;
  expect_wrong(program, "node 1 of a program is wrong: result 0 is i32 [], and its kind makes f32 []");
}

TEST_F(Verify, AResultOfAnotherShapeIsFound) {
  ops::Program program = three();
  View& view = written(program.nodes[1]).view;
  view.layout.ndim = 1, view.layout.shape[0] = 1;
  expect_wrong(program, "node 1 of a program is wrong: result 0 is f32 [1], and its kind makes f32 []");
}

TEST_F(Verify, AttributesThatDoNotFitTheirOperandAreFound) {
  ops::Program program = three();
  program.nodes[1].call = make_ref<const ops::Call>(ops::ReduceCall{ops::ReduceOp::sum, 0, 2, false});
  expect_wrong(program, "node 1 of a program is wrong: axes is 0x2");
}

TEST_F(Verify, ANodeThatActsAndIsMissingIsFound) {
  ops::Program program = three();
  const ops::KeptEffects effects(program);
  program.nodes.pop_back();
  EXPECT_FALSE(effects.check(program).ok());
}

TEST_F(Verify, NodesThatActInAnotherOrderAreFound) {
  ops::Program program = recorded([&] {
    for (int i = 0; i < 2; ++i) {
      Result x;
      filled(4, x.slot());
      rondo_tensor* const writes[] = {x};
      must(rondo_engine_push_tensors(
          engine_, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, nullptr, 0, writes, 1,
          nullptr));
    }
  });
  const ops::KeptEffects effects(program);
  std::swap(program.nodes[1], program.nodes[3]);
  EXPECT_FALSE(effects.check(program).ok());
}

TEST_F(Verify, OtherRandomNumbersAreFound) {
  ops::Program program = recorded([&] {
    Result x;
    const int64_t n = 4;
    must(rondo_random_uniform(engine_, {RONDO_CPU, 0}, RONDO_F32, 1, &n, 0, 1, x.slot()));
  });
  const ops::KeptEffects effects(program);
  program.nodes[0].random_offset += 1;
  EXPECT_FALSE(effects.check(program).ok());
}

}  // namespace
}  // namespace rondo
