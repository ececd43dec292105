// Wrong arguments of the operators that move elements: each is refused by name, and nothing is written.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <array>

#include "harness.h"

namespace conformance {
namespace {

class ShapesMisuse : public OnEngine {
 protected:
  template <class... P, class... A>
  void refused(const char* function, const char* argument, rondo_status (*call)(P...), A&&... arguments) {
    refused_into(nullptr, function, argument, call, arguments...);
  }
  template <class... P, class... A>
  void refused_into(rondo_tensor* target, const char* function, const char* argument, rondo_status (*call)(P...),
                    A&&... arguments) {
    rondo_tensor* out = target;
    expect_refused(call(arguments..., &out), RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, target) << function << " touched its output";
  }
};
CONFORMANCE_ENGINE_SUITE(ShapesMisuse);

TEST_P(ShapesMisuse, Null) {
  const Tensor a = up(range(RONDO_F32, {2, 3})), i = up(range(RONDO_I64, {2}));
  rondo_tensor* const none[] = {a, nullptr};
  rondo_tensor* const one[] = {a};
  const int64_t numbers[4] = {};
  const auto invalid = RONDO_INVALID_ARGUMENT;
  refused("rondo_concat", "tensors", rondo_concat, 1, nullptr, 0);
  refused("rondo_concat", "tensors", rondo_concat, 2, none, 0);
  refused("rondo_stack", "tensors", rondo_stack, 2, none, 0);
  refused("rondo_pad", "a", rondo_pad, nullptr, RONDO_PAD_EDGE, 4, numbers, 0.0);
  refused("rondo_pad", "widths", rondo_pad, a, RONDO_PAD_EDGE, 4, nullptr, 0.0);
  refused("rondo_tile", "a", rondo_tile, nullptr, 1, numbers);
  refused("rondo_tile", "counts", rondo_tile, a, 1, nullptr);
  refused("rondo_repeat", "a", rondo_repeat, nullptr, 1, 0);
  refused("rondo_roll", "a", rondo_roll, nullptr, 2, numbers);
  refused("rondo_roll", "shifts", rondo_roll, a, 2, nullptr);
  refused("rondo_tril", "a", rondo_tril, nullptr, 0);
  refused("rondo_triu", "a", rondo_triu, nullptr, 0);
  refused("rondo_eye", "engine", rondo_eye, nullptr, device(), RONDO_F32, 1, 1, 0);
  refused("rondo_take", "a", rondo_take, nullptr, i, 0);
  refused("rondo_take", "indices", rondo_take, a, nullptr, 0);
  refused("rondo_take_along_axis", "a", rondo_take_along_axis, nullptr, i, 0);
  refused("rondo_take_along_axis", "indices", rondo_take_along_axis, a, nullptr, 0);
  refused("rondo_tensor_flip", "tensor", rondo_tensor_flip, nullptr, 0, nullptr);
  refused("rondo_tensor_flip", "axes", rondo_tensor_flip, a, 1, nullptr);
  refused("rondo_tensor_split", "tensor", rondo_tensor_split, nullptr, 0, 1, 0);
  expect_refused(rondo_concat(1, one, 0, nullptr), invalid, "rondo_concat", "out");
  expect_refused(rondo_stack(1, one, 0, nullptr), invalid, "rondo_stack", "out");
  expect_refused(rondo_pad(a, RONDO_PAD_EDGE, 4, numbers, 0, nullptr), invalid, "rondo_pad", "out");
  expect_refused(rondo_tile(a, 1, numbers, nullptr), invalid, "rondo_tile", "out");
  expect_refused(rondo_repeat(a, 1, 0, nullptr), invalid, "rondo_repeat", "out");
  expect_refused(rondo_roll(a, 2, numbers, nullptr), invalid, "rondo_roll", "out");
  expect_refused(rondo_tril(a, 0, nullptr), invalid, "rondo_tril", "out");
  expect_refused(rondo_triu(a, 0, nullptr), invalid, "rondo_triu", "out");
  expect_refused(rondo_eye(engine(), device(), RONDO_F32, 1, 1, 0, nullptr), invalid, "rondo_eye", "out");
  expect_refused(rondo_take(a, i, 0, nullptr), invalid, "rondo_take", "out");
  expect_refused(rondo_take_along_axis(a, i, 0, nullptr), invalid, "rondo_take_along_axis", "out");
  expect_refused(rondo_tensor_flip(a, 0, nullptr, nullptr), invalid, "rondo_tensor_flip", "view");
  expect_refused(rondo_tensor_split(a, 0, 1, 0, nullptr), invalid, "rondo_tensor_split", "view");
}

TEST_P(ShapesMisuse, Numbers) {
  const Tensor a = up(range(RONDO_F32, {2, 3})), row = up(range(RONDO_F32, {3})), none = empty(RONDO_F32, {0}),
               bytes = up(full(RONDO_U8, {1}, 1));
  rondo_tensor* const pair[] = {a, row};
  const int64_t numbers[] = {1, 1, 1, -1}, huge[] = {INT64_MAX, INT64_MAX};
  refused("rondo_concat", "n", rondo_concat, 0, pair, 0);
  refused("rondo_stack", "n", rondo_stack, -1, pair, 0);
  refused("rondo_concat", "axis", rondo_concat, 1, pair, 2);
  refused("rondo_concat", "axis", rondo_concat, 1, pair, -3);
  refused("rondo_stack", "axis", rondo_stack, 1, pair, 3);
  refused("rondo_pad", "mode", rondo_pad, a, static_cast<rondo_pad_mode>(5), 4, numbers, 0.0);
  refused("rondo_pad", "n", rondo_pad, a, RONDO_PAD_EDGE, 2, numbers, 0.0);
  refused("rondo_pad", "widths", rondo_pad, a, RONDO_PAD_EDGE, 4, numbers, 0.0);
  refused("rondo_pad", "out", rondo_pad, row, RONDO_PAD_EDGE, 2, huge, 0.0);
  refused("rondo_pad", "a", rondo_pad, none, RONDO_PAD_REFLECT, 2, numbers, 0.0);
  refused("rondo_pad", "value", rondo_pad, bytes, RONDO_PAD_CONSTANT, 2, numbers, 256.0);
  refused("rondo_tile", "n", rondo_tile, a, -1, numbers);
  refused("rondo_tile", "n", rondo_tile, a, 9, std::array<int64_t, 9>{}.data());
  refused("rondo_tile", "counts", rondo_tile, a, 4, numbers);
  refused("rondo_tile", "out", rondo_tile, row, 1, huge);
  refused("rondo_repeat", "count", rondo_repeat, a, -1, 0);
  refused("rondo_repeat", "axis", rondo_repeat, a, 1, 2);
  refused("rondo_repeat", "out", rondo_repeat, a, INT64_MAX, 0);
  refused("rondo_roll", "n", rondo_roll, a, 1, numbers);
  refused("rondo_tril", "a", rondo_tril, row, 0);
  refused("rondo_triu", "a", rondo_triu, row, 0);
  refused("rondo_eye", "shape", rondo_eye, engine(), device(), RONDO_F32, -1, 1, 0);
  refused("rondo_eye", "dtype", rondo_eye, engine(), device(), static_cast<rondo_dtype>(99), 1, 1, 0);
  refused_into(row, "rondo_eye", "out", rondo_eye, engine(), device(), RONDO_F32, 1, 1, 0);
  const int32_t twice[] = {0, -2}, beyond[] = {2};
  refused("rondo_tensor_flip", "n_axes", rondo_tensor_flip, a, -1, twice);
  refused("rondo_tensor_flip", "axes", rondo_tensor_flip, a, 2, twice);
  refused("rondo_tensor_flip", "axes", rondo_tensor_flip, a, 1, beyond);
  refused("rondo_tensor_split", "axis", rondo_tensor_split, a, 2, 1, 0);
  refused("rondo_tensor_split", "parts", rondo_tensor_split, a, 0, 0, 0);
  refused("rondo_tensor_split", "part", rondo_tensor_split, a, 0, 2, 2);
  refused("rondo_tensor_split", "part", rondo_tensor_split, a, 0, 2, -1);
}

TEST_P(ShapesMisuse, Operands) {
  const Tensor a = up(range(RONDO_F32, {2, 3})), b = up(range(RONDO_F32, {3, 3})), i = up(range(RONDO_I64, {2})),
               deep = up(full(RONDO_F32, {1, 1, 1, 1, 1, 1, 1, 1}, 1)), scalar = up(full(RONDO_F32, {}, 1)),
               deep_indices = up(full(RONDO_I32, {1, 1, 1, 1, 1, 1, 1, 1}, 0)),
               home = upload(engine(), kCpu, full(RONDO_F32, {2, 3}, 1));
  rondo_tensor* const shapes[] = {a, b};
  rondo_tensor* const dims[] = {a, i};
  rondo_tensor* const deeps[] = {deep};
  rondo_tensor* const scalars[] = {scalar};
  rondo_tensor* const devices[] = {a, home};
  refused("rondo_concat", "tensors", rondo_concat, 2, shapes, 1);
  refused("rondo_concat", "tensors", rondo_concat, 2, dims, 0);
  refused("rondo_concat", "axis", rondo_concat, 1, scalars, 0);
  refused("rondo_stack", "tensors", rondo_stack, 2, shapes, 0);
  refused("rondo_stack", "tensors", rondo_stack, 1, deeps, 0);
  if (on_cuda()) refused("rondo_concat", "tensors", rondo_concat, 2, devices, 0);
  refused("rondo_take", "indices", rondo_take, a, b, 0);  // floats
  refused("rondo_take", "axis", rondo_take, a, i, 2);
  refused("rondo_take", "indices", rondo_take, a, deep_indices, 0);
  refused("rondo_take_along_axis", "indices", rondo_take_along_axis, a, b, 0);
  refused("rondo_take_along_axis", "indices", rondo_take_along_axis, a, i, 0);
  refused("rondo_take_along_axis", "axis", rondo_take_along_axis, scalar, i, 0);
  const Tensor never = empty(RONDO_F32, {2, 2});
  rondo_tensor* out = nullptr;
  expect_refused(rondo_tril(never, 0, &out), RONDO_INVALID_STATE, "rondo_tril", "a");

  // Outputs that share memory with what is read, of a wrong shape, dtype or kind.
  const Tensor large = up(range(RONDO_F32, {6, 6}));
  const int64_t ones[] = {1, 1, 1, 1};
  rondo_tensor* const twice[] = {a, a};
  refused_into(large, "rondo_concat", "out", rondo_concat, 2, twice, 0);
  refused_into(slice(slice(large, 0, 0, 4), 1, 0, 4), "rondo_pad", "out", rondo_pad,
               slice(slice(large, 0, 1, 3), 1, 1, 3), RONDO_PAD_EDGE, 4, ones, 0.0);
  refused_into(large, "rondo_roll", "out", rondo_roll, large, 2, ones);
  refused_into(i, "rondo_repeat", "out", rondo_repeat, a, 1, 0);
  refused_into(broadcast(scalar, {2, 3}), "rondo_tril", "out", rondo_tril, a, 0);
  refused_into(transpose(large, {1, 0}), "rondo_tril", "out", rondo_tril, large, 0);
}

}  // namespace
}  // namespace conformance
