// Gradients of the table's operators: every column of operators.def against finite differences of the operator itself.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/scalar.h"

namespace rondo::ops {
namespace {

struct Range {
  double low, high;
};
// Where the table's tests draw from.
Range range_of(Op op) {
  switch (op) {
#define UNARY(ID, name, domain, result, parameters, low, high, ...) \
  case Op::name:                                                    \
    return {low, high};
#define BINARY UNARY
#define TERNARY(ID, name, domain, result, low, high, ...) \
  case Op::name:                                          \
    return {low, high};
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
    default: return {0, 0};
  }
}

constexpr int kPoints = 64;

Gradient gradient(Op op, unsigned wanted, rondo_dtype dtype) {
  const rondo_dtype dtypes[] = {dtype, dtype, dtype};
  return gradient_of(op, wanted, dtypes, dtype);
}

// Evaluates an expression of f64 inputs and one or more f64 outputs on the host.
std::vector<std::vector<double>> evaluate(const Expression& e, std::vector<std::vector<double>> inputs,
                                          const std::vector<uint64_t>& scalars) {
  Space space;
  space.ndim = 1;
  space.flat = true;
  space.elements = kPoints;
  space.dims.push_back(kPoints);
  for (int k = 0; k < e.operands(); ++k) space.dims.push_back(1);
  std::vector<std::vector<double>> outputs(static_cast<size_t>(e.outputs()), std::vector<double>(kPoints));
  std::vector<char*> addresses;
  for (auto& each : inputs) addresses.push_back(reinterpret_cast<char*>(each.data()));
  for (auto& each : outputs) addresses.push_back(reinterpret_cast<char*>(each.data()));
  evaluate_on_cpu(e, space, addresses.data(), scalars.data(), {});
  return outputs;
}

std::vector<uint64_t> parameters_of(const Operator& row) {
  std::vector<uint64_t> words;
  for (int i = 0; i < row.parameters; ++i)
    words.push_back(float_word(RONDO_F64, std::isnan(row.defaults[i]) ? (i == 0 ? -1.5 : 2.5) : row.defaults[i]));
  return words;
}

std::vector<double> forward(const Operator& row, const std::vector<std::vector<double>>& operands) {
  Expression e;
  Value values[3] = {};
  int next = 0;
  for (size_t i = 0; i < operands.size(); ++i) values[next++] = e.input(RONDO_F64);
  for (int i = 0; i < row.parameters; ++i) values[next++] = e.scalar(RONDO_F64);
  e.output(e.apply(row.op, values[0], values[1], values[2]), RONDO_F64, false);
  return evaluate(e, operands, parameters_of(row))[0];
}

constexpr rondo_dtype kDoubles[] = {RONDO_F64, RONDO_F64, RONDO_F64};

void check(Op op) {
  const Operator& row = operator_of(op);
  const unsigned all = (1u << row.operands) - 1;
  const Gradient gradient = ops::gradient_of(op, all, kDoubles, RONDO_F64);
  ASSERT_FALSE(gradient.expression.overflow()) << row.name;
  if (row.domain == Domain::whole || row.boolean) {
    EXPECT_EQ(gradient.of, 0) << row.name << " has no gradient";
    return;
  }
  if (gradient.of == 0) return;
  if (ops::gradient_unknown(op)) {  // refused where one is asked for
    EXPECT_EQ(gradient.expression.outputs(), 0) << row.name;
    return;
  }

  std::mt19937 bits(7);
  const Range range = range_of(op);
  std::uniform_real_distribution<double> draw(range.low, range.high);
  std::vector<std::vector<double>> operands(row.operands, std::vector<double>(kPoints));
  for (auto& each : operands)
    for (double& value : each) value = draw(bits);
  const std::vector<double> y = forward(row, operands);
  std::vector<double> dy(kPoints);
  for (double& value : dy) value = std::uniform_real_distribution<double>(0.5, 2)(bits);

  std::vector<std::vector<double>> inputs;
  for (int i = 0; i < row.operands; ++i)
    if ((gradient.uses >> i) & 1) inputs.push_back(operands[i]);
  if (gradient.uses_result) inputs.push_back(y);
  inputs.push_back(dy);
  std::vector<uint64_t> scalars = parameters_of(row);
  scalars.insert(scalars.end(), gradient.constants, gradient.constants + gradient.n_constants);
  ASSERT_EQ(gradient.expression.inputs(), static_cast<int>(inputs.size())) << row.name;
  const auto outputs = evaluate(gradient.expression, inputs, scalars);

  size_t output = 0;
  for (int i = 0; i < row.operands; ++i) {
    if (!((gradient.of >> i) & 1)) continue;
    int kinks = 0;
    for (int k = 0; k < kPoints; ++k) {
      auto moved = [&](double step) {
        auto there = operands;
        there[i][k] += step;
        return forward(row, there)[k];
      };
      const double h = 1e-5 * std::max(1.0, std::fabs(operands[i][k]));
      const double left = (y[k] - moved(-h)) / h, right = (moved(h) - y[k]) / h;
      const double slope = (moved(h) - moved(-h)) / (2 * h) * dy[k];
      // A point within a step of a kink or a jump has no slope to compare with.
      if (!(std::fabs(left - right) <= 1e-2 * (1 + std::fabs(left)))) {
        ++kinks;
        continue;
      }
      EXPECT_NEAR(outputs[output][k], slope, 2e-5 * (1 + std::fabs(slope)))
          << row.name << ", operand " << i << " at " << operands[i][k];
    }
    EXPECT_LT(kinks, kPoints / 2) << row.name;
    ++output;
  }
}

TEST(Gradients, AgreeWithFiniteDifferences) {
  for (int op = 0; op < kOperators; ++op) check(static_cast<Op>(op));
}

// What backward does not need is not kept.
TEST(Gradients, SayWhatTheyNeed) {
  EXPECT_EQ(gradient(Op::add, 3, RONDO_F32).uses, 0);
  EXPECT_FALSE(gradient(Op::add, 3, RONDO_F32).uses_result);
  EXPECT_EQ(gradient(Op::exp, 1, RONDO_F32).uses, 0);
  EXPECT_TRUE(gradient(Op::exp, 1, RONDO_F32).uses_result);
  EXPECT_EQ(gradient(Op::mul, 1, RONDO_F32).uses, 2);  // of a: only b
  EXPECT_EQ(gradient(Op::mul, 2, RONDO_F32).uses, 1);
  EXPECT_EQ(gradient(Op::mul, 1, RONDO_F32).of, 1);
  EXPECT_EQ(gradient(Op::eq, 3, RONDO_F32).of, 0);
}

// Half precision is read and written as such, and computed in float.
TEST(Gradients, ComputeInTheRegisterType) {
  const rondo_dtype dtypes[] = {RONDO_F16, RONDO_F32};
  const Gradient made = gradient_of(Op::mul, 3, dtypes, RONDO_F32);
  ASSERT_EQ(made.expression.outputs(), 2);
  EXPECT_EQ(made.expression.operand_dtype(0), RONDO_F16);
  EXPECT_EQ(made.expression.output(0).dtype, RONDO_F16);
  EXPECT_EQ(made.expression.output(1).dtype, RONDO_F32);
  EXPECT_EQ(made.expression.dtype_of(made.expression.output(0).value), RONDO_F32);
}

}  // namespace
}  // namespace rondo::ops
