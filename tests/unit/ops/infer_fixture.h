// The base of the tests about what kinds infer: operands with or without memory, and comparisons of what a kind gives
// with what is expected and with what an eager call makes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <random>

#include "../graph/program_fixture.h"
#include "ops/program/infer.h"

namespace rondo {

using ops::Call;
using Shape = std::vector<int64_t>;

inline Shape shape_of(const Layout& layout) {
  return {layout.shape, layout.shape + layout.ndim};
}

// An operand of which there is nothing but its dtype and shape.
inline View imagined(Shape shape, rondo_dtype dtype = RONDO_F32) {
  View view;
  view.dtype = dtype;
  view.layout = Layout::row_major(static_cast<int>(shape.size()), shape.data());
  return view;
}

inline bool is_floating(rondo_dtype dtype) {
  return dtype == RONDO_F16 || dtype == RONDO_BF16 || dtype == RONDO_F32 || dtype == RONDO_F64;
}

class Infer : public OnPrograms {
 protected:
  static constexpr int kRounds = 40;
  using Eager = std::function<rondo_status(rondo_tensor**)>;

  template <class Value>
  Value between(Value low, Value high) {
    return std::uniform_int_distribution<Value>(low, high)(random_);
  }
  rondo_dtype one_of(const std::vector<rondo_dtype>& dtypes) { return dtypes[between<size_t>(0, dtypes.size() - 1)]; }
  rondo_dtype any_dtype() { return static_cast<rondo_dtype>(between<int>(RONDO_BOOL, RONDO_F8_E5M2)); }
  rondo_dtype computed_dtype() { return static_cast<rondo_dtype>(between<int>(RONDO_BOOL, RONDO_U64)); }
  rondo_dtype float_dtype() { return one_of({RONDO_F16, RONDO_BF16, RONDO_F32, RONDO_F64}); }
  rondo_dtype index_dtype() { return one_of({RONDO_I32, RONDO_I64}); }
  Shape random_shape(int least, int most, int64_t smallest = 0) {
    Shape shape(static_cast<size_t>(between(least, most)));
    for (int64_t& size : shape) size = between<int64_t>(smallest, 4);
    return shape;
  }
  // Full of zeros; about half of them have their axes in reverse order in memory.
  rondo_tensor* operand(const Shape& shape, rondo_dtype dtype) {
    const bool reversed = between(0, 1) != 0;
    const Shape in_memory = reversed ? Shape(shape.rbegin(), shape.rend()) : shape;
    rondo_tensor** const made = keep();
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, dtype, static_cast<int>(shape.size()), in_memory.data(), made));
    must(rondo_fill(*made, 0));
    if (!reversed) return *made;
    rondo_tensor** const seen = keep();
    must(rondo_tensor_transpose(*made, nullptr, seen));
    return *seen;
  }
  struct Made {
    rondo_dtype dtype;
    Shape shape;
  };
  // What the kind gives is what is expected, and what the eager call makes. own: results of which the kind asks
  // something.
  void expect_all(const Call& call, const std::vector<rondo_tensor*>& operands, const std::vector<Made>& expected,
                  const std::function<rondo_status(rondo_tensor**, rondo_tensor**)>& eager,
                  const std::vector<Made>& own = {}) {
    std::vector<const View*> inputs;
    std::string text = ops::row_of(call).name;
    for (const rondo_tensor* each : operands) {
      inputs.push_back(&each->view);
      text += " " + operand_text(each->view);
    }
    std::vector<ops::ResultType> results(expected.size());
    for (size_t k = 0; k < own.size(); ++k) results[k].set(own[k].dtype, imagined(own[k].shape).layout);
    const Status status = ops::infer_results(call, inputs, &results);
    ASSERT_TRUE(status.ok()) << text << ": " << status.message();
    Result made[2];
    ASSERT_EQ(eager(made[0].slot(), made[1].slot()), RONDO_OK) << text << ": " << rondo_last_error();
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(results[k].dtype, expected[k].dtype) << text;
      EXPECT_EQ(shape_of(results[k].shape), expected[k].shape) << text;
      if (k >= 2 || !made[k].tensor) continue;
      EXPECT_EQ(made[k].tensor->view.dtype, expected[k].dtype) << text;
      EXPECT_EQ(shape_of(made[k].tensor->view.layout), expected[k].shape) << text;
    }
  }
  // What the kind gives is what is expected, and what the eager call makes.
  void expect(const Call& call, const std::vector<rondo_tensor*>& operands, rondo_dtype dtype, const Shape& shape,
              const Eager& eager) {
    std::vector<const View*> inputs;
    std::string text = ops::row_of(call).name;
    for (const rondo_tensor* each : operands) {
      inputs.push_back(&each->view);
      text += " " + operand_text(each->view);
    }
    std::vector<ops::ResultType> results(1);
    const Status status = ops::infer_results(call, inputs, &results);
    ASSERT_TRUE(status.ok()) << text << ": " << status.message();
    EXPECT_EQ(results[0].dtype, dtype) << text;
    EXPECT_EQ(shape_of(results[0].shape), shape) << text;
    Result made;
    ASSERT_EQ(eager(made.slot()), RONDO_OK) << text << ": " << rondo_last_error();
    EXPECT_EQ(made.tensor->view.dtype, dtype) << text;
    EXPECT_EQ(shape_of(made.tensor->view.layout), shape) << text;
  }
  static void expect_refused(const Call& call, const std::vector<View>& operands, const std::string& words,
                             size_t results = 1) {
    std::vector<const View*> inputs;
    for (const View& each : operands) inputs.push_back(&each);
    std::vector<ops::ResultType> made(results);
    const Status status = ops::infer_results(call, inputs, &made);
    EXPECT_EQ(status.code(), RONDO_INVALID_ARGUMENT) << ops::row_of(call).name << ": " << words;
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos)
        << ops::row_of(call).name << ": " << status.message() << "\nnot: " << words;
  }

  std::mt19937_64 random_{1};

 private:
  rondo_tensor** keep() {
    kept_.push_back(std::make_unique<Result>());
    return kept_.back()->slot();
  }
  void TearDown() override {
    kept_.clear();
    OnPrograms::TearDown();
  }
  std::vector<std::unique_ptr<Result>> kept_;
};

}  // namespace rondo
