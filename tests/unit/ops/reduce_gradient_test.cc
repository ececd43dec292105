// Gradients of reductions: every formula of reductions.def against finite differences of the reduction itself.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/reduce_gradient.h"

#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "ops/reduce/reduce.h"

namespace rondo::ops {
namespace {

using Numbers = std::vector<double>;

const rondo_reduce_op kAll[] = {
#define REDUCTION(ID, ...) RONDO_##ID,
#include "ops/operators/reductions.def"
#undef REDUCTION
};

struct Owned {
  rondo_tensor* handle = nullptr;
  Owned() = default;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Owned() { rondo_tensor_destroy(handle); }
  Numbers read() const {
    Numbers data(static_cast<size_t>(handle->view.elements()));
    EXPECT_EQ(rondo_tensor_read(handle, data.data(), data.size() * sizeof(double)), RONDO_OK) << rondo_last_error();
    return data;
  }
};

class ReduceGradientOf : public ::testing::TestWithParam<rondo_reduce_op> {
 protected:
  rondo_reduce_op op() const { return GetParam(); }
  const ReductionRow& row() const { return *find_reduction(op()); }
  double parameter() const {
    return row().op == ReduceOp::lp_norm ? 3 : row().op == ReduceOp::var || row().op == ReduceOp::std ? 1 : 0;
  }
  void SetUp() override { ASSERT_EQ(rondo_engine_create(nullptr, &engine_), RONDO_OK); }
  void TearDown() override { rondo_engine_destroy(engine_); }

  Owned tensor(const Numbers& data, const std::vector<int64_t>& shape) {
    Owned made;
    EXPECT_EQ(rondo_tensor_from_host(engine_, {RONDO_CPU, 0}, RONDO_F64, static_cast<int32_t>(shape.size()),
                                     shape.data(), data.data(), &made.handle),
              RONDO_OK);
    return made;
  }
  // The reduction of a [3, 4, 2] tensor over its axes 0 and 2.
  Owned forward(const Owned& x) {
    Owned y;
    Output out(&y.handle);
    EXPECT_TRUE(reduce_over(row().op, parameter(), x.handle->view, 0b101, true, out).ok());
    return y;
  }
  Numbers backward(const Owned& x, const Owned& dy) {
    const Owned y = forward(x);
    Owned dx;
    {
      Output out(&dx.handle);
      const View& view = x.handle->view;
      const ReduceGradient gradient = reduce_gradient_of(row().op, RONDO_F64);
      // What it says it does not use is not there.
      const Status status =
          reduce_gradient(row().op, parameter(), view.layout, 0b101, gradient.uses_operand ? &view : nullptr,
                          gradient.uses_result ? &y.handle->view : nullptr, dy.handle->view, out);
      EXPECT_TRUE(status.ok()) << status.message();
    }
    return dx.read();
  }

  rondo_engine* engine_ = nullptr;
};

TEST_P(ReduceGradientOf, Differences) {
  const ReduceGradient gradient = reduce_gradient_of(row().op, RONDO_F64);
  if (gradient.n_steps == 0) return;  // nothing flows through positions and truth
  for (int i = 0; i < gradient.n_steps; ++i) EXPECT_FALSE(gradient.steps[i].expression.overflow()) << row().name;
  std::mt19937 bits(7);
  std::uniform_real_distribution<double> draw(0.5, 2);
  Numbers x(24), dy(4);
  for (double& each : x) each = draw(bits) * (bits() % 2 ? 1 : -1);
  for (double& each : dy) each = draw(bits);
  if (row().op == ReduceOp::prod) x[3] = 0;                                           // one zero in a group,
  if (row().op == ReduceOp::prod || row().op == ReduceOp::nanprod) x[6] = x[14] = 0;  // and two in another
  const Owned incoming = tensor(dy, {1, 4, 1});
  Numbers actual = backward(tensor(x, {3, 4, 2}), incoming);
  const auto value = [&](const Numbers& at) {
    const Numbers y = forward(tensor(at, {3, 4, 2})).read();
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
    return sum;
  };
  for (size_t i = 0; i < x.size(); ++i) {
    const double step = 1e-5;
    Numbers above = x, below = x;
    above[i] += step, below[i] -= step;
    const double expected = (value(above) - value(below)) / (2 * step);
    EXPECT_NEAR(actual[i], expected, 1e-6 * (1 + std::fabs(expected))) << row().name << " of element " << i;
  }
}

TEST_P(ReduceGradientOf, NanAndTies) {
  const Owned dy = tensor({1, 1, 1, 1}, {1, 4, 1});
  Numbers x(24, 1.5);
  if (row().op == ReduceOp::max || row().op == ReduceOp::min) {
    for (const double each : backward(tensor(x, {3, 4, 2}), dy)) EXPECT_DOUBLE_EQ(each, 1 / 6.0) << "equals share it";
  } else if (row().op == ReduceOp::nansum || row().op == ReduceOp::nanprod) {
    x[5] = NAN;
    const Numbers dx = backward(tensor(x, {3, 4, 2}), dy);
    EXPECT_EQ(dx[5], 0);
    EXPECT_TRUE(std::isfinite(dx[4]) && dx[4] != 0);
  } else if (row().op == ReduceOp::l2_norm || row().op == ReduceOp::std || row().op == ReduceOp::lp_norm) {
    if (row().op != ReduceOp::std) x.assign(24, 0);
    for (const double each : backward(tensor(x, {3, 4, 2}), dy)) EXPECT_EQ(each, 0) << "where there is no slope";
  }
}

TEST(ReduceGradient, KeepsOnlyWhatItNeeds) {
  const ReduceGradient sum = reduce_gradient_of(ReduceOp::sum, RONDO_F16),
                       top = reduce_gradient_of(ReduceOp::max, RONDO_F16);
  EXPECT_EQ(sum.n_steps, 1);
  EXPECT_FALSE(sum.uses_operand || sum.uses_result);
  EXPECT_EQ(top.n_steps, 2);
  EXPECT_TRUE(top.uses_operand && top.uses_result);
  EXPECT_EQ(top.steps[0].expression.inputs(), 2) << "the incoming gradient is not counted with the equals";
  for (const rondo_reduce_op op : kAll)
    EXPECT_FALSE(reduce_gradient_of(find_reduction(op)->op, RONDO_F32).steps[0].expression.overflow());
  EXPECT_EQ(reduce_gradient_of(ReduceOp::argmax, RONDO_F32).n_steps, 0);
}

INSTANTIATE_TEST_SUITE_P(Rows, ReduceGradientOf, ::testing::ValuesIn(kAll),
                         [](const auto& info) { return std::string(rondo_reduce_op_name(info.param)); });

}  // namespace
}  // namespace rondo::ops
