// Translates operators whose results are known while the model is converted: constants, shapes, and what is made of
// them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

Tensor tensor_of(const Call& call, const TensorProto& proto) {
  Contents contents;
  read_contents(proto, call.session().path, call.session().memory_limit, &contents);
  return call.constant_tensor(contents.dtype, contents.shape, contents.bytes.data());
}

}  // namespace

void constant_node(Call& call) {
  if (const Attribute* const value = call.attribute("value"); value && value->tensor) {
    call.out(0, tensor_of(call, *value->tensor));
    return call.narrow(0, narrow_bits(value->tensor->type));
  }
  if (call.has_attribute("value_int")) {
    const int64_t number = call.integer("value_int", 0);
    return call.out_constant(0, RONDO_I64, {}, &number);
  }
  if (call.has_attribute("value_ints")) return call.out_integers(0, call.integers("value_ints"));
  if (call.has_attribute("value_float")) {
    const float number = static_cast<float>(call.real("value_float", 0));
    return call.out_constant(0, RONDO_F32, {}, &number);
  }
  if (call.has_attribute("value_floats")) {
    const std::vector<double> all = call.reals("value_floats");
    const std::vector<float> numbers(all.begin(), all.end());
    return call.out_constant(0, RONDO_F32, {static_cast<int64_t>(numbers.size())}, numbers.data());
  }
  refuse("its constant is sparse or of text");
}

void constant_of_shape(Call& call) {
  const std::vector<int64_t> shape = call.whole_numbers(0, "its sizes");
  Tensor one;
  int bits = 0;
  if (const Attribute* const value = call.attribute("value"); value && value->tensor) {
    one = tensor_of(call, *value->tensor);
    if (one.numel() != 1) malformed("its value has " + std::to_string(one.numel()) + " elements, not one");
    one = one.reshape({});
    bits = narrow_bits(value->tensor->type);
  } else {
    const float zero = 0;
    one = call.constant_tensor(RONDO_F32, {}, &zero);
  }
  count_elements(shape, rondo_dtype_size(one.dtype()), "its result");
  call.out(0, one.broadcast(shape));
  if (bits > 0) call.narrow(0, bits);
}

void eye_like(Call& call) {
  rondo_dtype dtype = call.dtype(0);
  const Shape shape = call.shape(0);
  if (shape.size() != 2) malformed("its input has " + std::to_string(shape.size()) + " dimensions, not 2");
  if (call.has_attribute("dtype") && !find_dtype(call.integer("dtype", 1), &dtype))
    refuse("it makes " + type_name(call.integer("dtype", 1)) + ", which Rondo does not have");
  constexpr int64_t kMost = int64_t{1} << 47;  // beyond the corners of every tensor
  const int64_t k = std::clamp(call.integer("k", 0), -kMost, kMost);
  call.out(0, call.engine().eye(call.device(), dtype, shape[0], shape[1], k));
}

namespace {

constexpr int64_t kMostOfRange = 1000000000;

// How many numbers lie from `start` on before `end`; differences of 64-bit numbers have no sign, so that none
// overflows.
int64_t count_whole(int64_t start, int64_t end, int64_t step) {
  if (step > 0 ? start >= end : start <= end) return 0;
  const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(end), by = static_cast<uint64_t>(step);
  const uint64_t count = step > 0 ? (to - from - 1) / by + 1 : (from - to - 1) / (0 - by) + 1;
  if (count > static_cast<uint64_t>(kMostOfRange)) malformed("it has more than a milliard elements");
  return static_cast<int64_t>(count);
}

bool within(int64_t number, int64_t most) {
  return number >= -most && number <= most;
}

void range_of_whole_numbers(Call& call) {
  std::vector<int64_t> bounds;
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<int64_t> given = call.whole_numbers(i, "its bounds");
    if (given.size() != 1) malformed("a bound is " + std::to_string(given.size()) + " numbers, not one");
    bounds.push_back(given[0]);
  }
  if (bounds[2] == 0) malformed("its step is 0");
  const int64_t count = count_whole(bounds[0], bounds[1], bounds[2]);
  if (!call.folding() && count < kMostOfRange / 2 && within(bounds[0], kMostOfRange) && within(bounds[2], kMostOfRange))
    return call.out(0, call.engine()
                           .arange_i64(call.device(), RONDO_I64, bounds[0], bounds[0] + count * bounds[2], bounds[2])
                           .to(call.dtype(0)));
  call.may_take<int64_t>(count);
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<int64_t>(static_cast<uint64_t>(bounds[0]) + i * static_cast<uint64_t>(bounds[2]));
  call.out(0, call.constant_integers(numbers).to(call.dtype(0)));
}

}  // namespace

void range(Call& call) {
  const rondo_dtype dtype = call.dtype(0);
  if (!is_float(dtype)) return range_of_whole_numbers(call);
  std::vector<double> bounds;
  for (size_t i = 0; i < 3; ++i) {
    const std::vector<double> given = call.numbers(i, "its bounds");
    if (given.size() != 1) malformed("a bound is " + std::to_string(given.size()) + " numbers, not one");
    bounds.push_back(given[0]);
    if (!std::isfinite(bounds[i])) malformed("a bound is not finite");
  }
  if (bounds[2] == 0) malformed("its step is 0");
  const double count = std::max(0.0, std::ceil((bounds[1] - bounds[0]) / bounds[2]));
  if (!(count <= static_cast<double>(kMostOfRange))) malformed("it has more than a milliard elements");
  if (!call.folding() && count > 0)
    return call.out(0,
                    call.engine()
                        .arange(call.device(), RONDO_F64, bounds[0], bounds[0] + (count - 0.5) * bounds[2], bounds[2])
                        .to(dtype));
  call.may_take<double>(static_cast<int64_t>(count));
  std::vector<double> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = bounds[0] + static_cast<double>(i) * bounds[2];
  call.out(0, call.constant_tensor(RONDO_F64, {static_cast<int64_t>(numbers.size())}, numbers.data()).to(dtype));
}

void shape_node(Call& call) {
  const Shape shape = call.shape(0);
  const auto ndim = static_cast<int64_t>(shape.size());
  const auto place = [&](int64_t axis) { return std::clamp<int64_t>(axis < 0 ? axis + ndim : axis, 0, ndim); };
  const int64_t start = place(call.integer("start", 0)), end = place(call.integer("end", ndim));
  call.out_integers(0, start < end ? Shape(shape.begin() + start, shape.begin() + end) : Shape());
}

void size_node(Call& call) {
  const int64_t size = product(call.shape(0));
  call.out_constant(0, RONDO_I64, {}, &size);
}

}  // namespace rondo_onnx
