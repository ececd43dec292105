// Tensors: facts, views with their errors, host transfers. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

namespace conformance {
namespace {

class TensorTest : public OnEngine {};
CONFORMANCE_ENGINE_SUITE(TensorTest);

Shape shape_of(rondo_tensor* tensor) {
  const rondo_tensor_info info = query(tensor);
  return Shape(info.shape, info.shape + info.ndim);
}
Shape strides_of(rondo_tensor* tensor) {
  const rondo_tensor_info info = query(tensor);
  return Shape(info.strides, info.strides + info.ndim);
}

TEST_P(TensorTest, Facts) {
  const Tensor a = empty(RONDO_I64, {3, 4, 5});
  const rondo_tensor_info info = query(a);
  EXPECT_EQ(info.dtype, RONDO_I64);
  EXPECT_EQ(info.device.kind, device().kind);
  EXPECT_EQ(info.device.index, device().index);
  EXPECT_EQ(info.ndim, 3);
  EXPECT_EQ(info.contiguous, 1);
  EXPECT_EQ(info.elements, 60);
  EXPECT_EQ(info.bytes, 480);
  EXPECT_EQ(shape_of(a), (Shape{3, 4, 5}));
  EXPECT_EQ(strides_of(a), (Shape{20, 5, 1}));
  const Tensor scalar = make(rondo_tensor_create, engine(), device(), RONDO_F16, 0, nullptr);
  EXPECT_EQ(query(scalar).elements, 1);
  EXPECT_EQ(query(scalar).bytes, 2);
  EXPECT_EQ(query(scalar).contiguous, 1);
  EXPECT_EQ(query(empty(RONDO_F32, {4, 0, 2})).elements, 0);
}

TEST_P(TensorTest, DtypeSizesAndNames) {
  const size_t sizes[] = {1, 1, 1, 4, 8, 2, 2, 4, 8, 2, 2, 4, 8, 1, 1};
  const char* const names[] = {"bool", "u8",  "i8",  "i32", "i64", "f16",     "bf16",   "f32",
                               "f64",  "i16", "u16", "u32", "u64", "f8_e4m3", "f8_e5m2"};
  for (const rondo_dtype dtype : kStoredDtypes) {
    EXPECT_EQ(rondo_dtype_size(dtype), sizes[dtype]);
    EXPECT_STREQ(rondo_dtype_name(dtype), names[dtype]);
  }
  EXPECT_EQ(rondo_dtype_size(static_cast<rondo_dtype>(15)), 0u);
  EXPECT_STREQ(rondo_dtype_name(static_cast<rondo_dtype>(-1)), "unknown");
}

TEST_P(TensorTest, Alignment) {
  for (const int64_t n : {1, 3, 100}) {
    const Tensor a = empty(RONDO_U8, {n});
    void* address = nullptr;
    must(rondo_tensor_data(a, &address));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % (on_cuda() ? 256 : 64), 0u);
    void* again = nullptr;
    must(rondo_tensor_data(a, &again));
    EXPECT_EQ(address, again);
    must(rondo_tensor_data(slice(a, 0, n - 1, n), &again));
    EXPECT_EQ(reinterpret_cast<char*>(again) - reinterpret_cast<char*>(address), n - 1);
  }
}

TEST_P(TensorTest, HostRoundTrip) {
  for (const rondo_dtype dtype : kStoredDtypes) {
    for (const Shape& shape :
         {Shape{}, Shape{1}, Shape{0}, Shape{4099}, Shape{3, 0, 2}, Shape{1, 2, 1, 3, 1, 2, 1, 2}}) {
      const Array x = random_array(dtype, shape, 1, 0, 100);
      expect_same_bits(download(up(x)), x, rondo_dtype_name(dtype));
    }
  }
}

// The source may be reused as soon as the call returns; large enough that a copy in flight would be seen.
TEST_P(TensorTest, HostDataIsTakenAtTheCall) {
  Array x = range(RONDO_I32, {1 << 20});
  const Tensor a = up(x);
  const Array first = x;
  std::fill(x.bytes.begin(), x.bytes.end(), 0xff);
  const Tensor b = empty(RONDO_I32, {1 << 20});
  Array y = range(RONDO_I32, {1 << 20}, 2);
  must(rondo_tensor_write(b, y.bytes.data(), y.bytes.size()));
  const Array second = y;
  std::fill(y.bytes.begin(), y.bytes.end(), 0xff);
  expect_same_bits(download(a), first, "from_host");
  expect_same_bits(download(b), second, "write");
}

TEST_P(TensorTest, WriteAndReadThroughViews) {
  const Tensor a = up(full(RONDO_F32, {4, 6}, 7));
  const Array x = range(RONDO_F32, {6, 2});
  const Tensor view = transpose(slice(a, 0, 1, 4, 2), {1, 0});
  must(rondo_tensor_write(view, x.bytes.data(), x.bytes.size()));
  expect_same_bits(download(view), x, "the view");
  const Array all = download(a);
  for (size_t i = 0; i < 24; ++i) {
    const size_t row = i / 6, column = i % 6, in_view = column * 2 + row / 2;
    EXPECT_EQ(all[i], row % 2 ? Real(in_view) : 7) << i;
  }
  expect_same_bits(download(slice(slice(a, 1, INT64_MAX, INT64_MIN, -2), 0, 3, 4)),
                   host_slice(host_slice(all, 1, 5, 3, -2), 0, 3, 1, 1), "backward columns of one row");
  expect_same_bits(download(broadcast(slice(a, 1, 0, 1), {4, 3})), host_broadcast(host_slice(all, 1, 0, 1, 1), {4, 3}),
                   "repeated");
}

// Writes wait for readers before them and are waited for by readers behind them.
TEST_P(TensorTest, WritesAreOrdered) {
  const Tensor a = up(full(RONDO_F32, {20000}, 1));
  std::vector<Tensor> sums;
  for (int i = 2; i < 12; ++i) {
    sums.push_back(reduce(RONDO_SUM, a, {}));
    const Array x = full(RONDO_F32, {20000}, i);
    must(rondo_tensor_write(a, x.bytes.data(), x.bytes.size()));
  }
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(download(sums[i])[0], Real(20000 * (i + 1)));
}

TEST_P(TensorTest, WrongByteCounts) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  float data[8] = {};
  expect_refused(rondo_tensor_write(a, data, 12), RONDO_INVALID_ARGUMENT, "rondo_tensor_write", "bytes");
  expect_refused(rondo_tensor_write(a, data, 20), RONDO_INVALID_ARGUMENT, "rondo_tensor_write", "bytes");
  expect_refused(rondo_tensor_read(a, data, 0), RONDO_INVALID_ARGUMENT, "rondo_tensor_read", "bytes");
  expect_refused(rondo_tensor_read(a, data, 32), RONDO_INVALID_ARGUMENT, "rondo_tensor_read", "bytes");
  EXPECT_EQ(data[0], 0);
  expect_same_bits(download(a), full(RONDO_F32, {4}, 1), "unchanged");
}

TEST_P(TensorTest, Reshape) {
  const Array x = range(RONDO_F32, {4, 6});
  const Tensor a = up(x);
  expect_same_bits(download(reshape(a, {2, 12})), host_reshape(x, {2, 12}), "2 x 12");
  EXPECT_EQ(shape_of(reshape(a, {3, -1})), (Shape{3, 8}));
  EXPECT_EQ(shape_of(reshape(a, {1, 4, 1, 6, 1})), (Shape{1, 4, 1, 6, 1}));
  // A view that allows it: rows of a wider matrix split, not merged.
  const Tensor left = slice(a, 1, 0, 4);
  expect_same_bits(download(reshape(left, {2, 2, 4})), host_reshape(host_slice(x, 1, 0, 4, 1), {2, 2, 4}),
                   "split axis");
  expect_same_bits(download(reshape(left, {4, 2, 2})), host_reshape(host_slice(x, 1, 0, 4, 1), {4, 2, 2}), "split row");
  EXPECT_EQ(shape_of(reshape(empty(RONDO_F32, {0, 4}), {2, 0, 9})), (Shape{2, 0, 9}));
  EXPECT_EQ(shape_of(reshape(slice(slice(a, 0, 0, 1), 1, 0, 1), {})), Shape{});

  Tensor view;
  const auto refused = [&](rondo_tensor* tensor, Shape shape, const char* argument) {
    expect_refused(rondo_tensor_reshape(tensor, static_cast<int32_t>(shape.size()), shape.data(), view.slot()),
                   RONDO_INVALID_ARGUMENT, "rondo_tensor_reshape", argument);
    EXPECT_EQ(static_cast<rondo_tensor*>(view), nullptr);
  };
  refused(a, {5, 5}, "shape");
  refused(a, {-1, -1}, "shape");
  refused(a, {-1, 7}, "shape");
  refused(a, {-2, 12}, "shape");
  refused(empty(RONDO_F32, {0, 4}), {-1, 0}, "shape");  // what -1 stands for is not defined
  refused(left, {16}, "shape");                         // gaps between the rows
  refused(transpose(a, {1, 0}), {24}, "shape");
  refused(a, {24, 1, 1, 1, 1, 1, 1, 1, 1}, "ndim");
}

TEST_P(TensorTest, SliceAsPython) {
  const Array x = range(RONDO_I32, {10});
  const Tensor a = up(x);
  struct Case {
    int64_t start, stop, step;
    std::vector<Real> expected;
  };
  const Case cases[] = {{2, 5, 1, {2, 3, 4}},
                        {-3, INT64_MAX, 1, {7, 8, 9}},
                        {0, -7, 1, {0, 1, 2}},
                        {-100, 100, 4, {0, 4, 8}},
                        {8, 2, 1, {}},
                        {12, 20, 1, {}},
                        {INT64_MAX, INT64_MIN, -3, {9, 6, 3, 0}},
                        {-2, 3, -2, {8, 6, 4}},
                        {5, INT64_MIN, -1, {5, 4, 3, 2, 1, 0}},
                        {100, -100, -5, {9, 4}},
                        {2, 5, -1, {}},
                        {0, INT64_MAX, INT64_MAX, {0}},
                        {9, INT64_MIN, INT64_MIN + 1, {9}}};
  for (const Case& c : cases) {
    const Tensor view = slice(a, 0, c.start, c.stop, c.step);
    expect_same_bits(download(view), array_of(RONDO_I32, {static_cast<int64_t>(c.expected.size())}, c.expected),
                     std::to_string(c.start) + ":" + std::to_string(c.stop) + ":" + std::to_string(c.step));
  }
  const Tensor square = up(range(RONDO_I32, {3, 4}));
  EXPECT_EQ(strides_of(slice(square, -1, 3, INT64_MIN, -1)), (Shape{4, -1}));
  EXPECT_EQ(query(slice(square, 0, 1, 3)).contiguous, 1);
  EXPECT_EQ(query(slice(square, 1, 1, 3)).contiguous, 0);
  Tensor view;
  expect_refused(rondo_tensor_slice(a, 1, 0, 1, 1, view.slot()), RONDO_INVALID_ARGUMENT, "rondo_tensor_slice", "axis");
  expect_refused(rondo_tensor_slice(a, -2, 0, 1, 1, view.slot()), RONDO_INVALID_ARGUMENT, "rondo_tensor_slice", "axis");
  expect_refused(rondo_tensor_slice(a, 0, 0, 1, 0, view.slot()), RONDO_INVALID_ARGUMENT, "rondo_tensor_slice", "step");
}

TEST_P(TensorTest, Transpose) {
  const Array x = range(RONDO_F32, {2, 3, 4});
  const Tensor a = up(x);
  expect_same_bits(download(transpose(a, {})), host_transpose(x, {2, 1, 0}), "reversed");
  expect_same_bits(download(transpose(a, {1, 2, 0})), host_transpose(x, {1, 2, 0}), "rotated");
  expect_same_bits(download(transpose(a, {-1, 0, -2})), host_transpose(x, {2, 0, 1}), "from the end");
  Tensor view;
  for (const auto& axes : {std::array<int32_t, 3>{0, 1, 1}, {0, 1, 3}, {0, 1, -4}}) {
    expect_refused(rondo_tensor_transpose(a, axes.data(), view.slot()), RONDO_INVALID_ARGUMENT,
                   "rondo_tensor_transpose", "axes");
  }
}

TEST_P(TensorTest, Broadcast) {
  const Array x = range(RONDO_F32, {3, 1});
  const Tensor a = up(x);
  const Tensor view = broadcast(a, {2, 3, 4});
  EXPECT_EQ(strides_of(view), (Shape{0, 1, 0}));
  expect_same_bits(download(view), host_broadcast(x, {2, 3, 4}), "2 x 3 x 4");
  EXPECT_EQ(query(broadcast(a, {3, 0})).elements, 0);
  Tensor wrong;
  const auto refused = [&](Shape shape, const char* argument) {
    expect_refused(rondo_tensor_broadcast(a, static_cast<int32_t>(shape.size()), shape.data(), wrong.slot()),
                   RONDO_INVALID_ARGUMENT, "rondo_tensor_broadcast", argument);
  };
  refused({2, 4}, "shape");
  refused({4}, "shape");
  refused({3, -1}, "shape");
  refused({1, 1, 1, 1, 1, 1, 1, 3, 1}, "ndim");
}

TEST_P(TensorTest, ViewsKeepTheStorageAlive) {
  const Array x = range(RONDO_F32, {64, 64});
  Tensor a = up(x);
  Tensor column = slice(a, 1, 5, 6);
  a.reset();
  const Tensor part = slice(column, 0, 0, 32);
  column.reset();
  const Tensor other = up(full(RONDO_F32, {64, 64}, -1));  // would take the memory if it were free
  expect_same_bits(download(part), host_slice(host_slice(x, 1, 5, 1, 1), 0, 0, 32, 1), "a view of a view");
}

// Views share one variable: what is written through one is seen, in order, through the others.
TEST_P(TensorTest, ViewsShareOrder) {
  const Tensor a = up(full(RONDO_F32, {2, 5000}, 0));
  const Tensor top = slice(a, 0, 0, 1), bottom = slice(a, 0, 1, 2);
  for (int i = 0; i < 50; ++i) {
    into(top, rondo_binary_scalar, RONDO_ADD, bottom, 1.0);
    into(bottom, rondo_binary_scalar, RONDO_ADD, top, 1.0);
  }
  EXPECT_EQ(variable_of(top), variable_of(bottom)) << "one storage, one variable";
  std::vector<float> seen;
  void* address = nullptr;
  must(rondo_tensor_data(bottom, &address));
  if (!on_cuda()) {
    must(push(engine(),
              [&](rondo_task_context*) {
                seen.push_back(*static_cast<float*>(address));
                return RONDO_OK;
              },
              {variable_of(a), variable_of(top), variable_of(bottom)}, {variable_of(top)}));
    must(rondo_variable_wait(variable_of(bottom)));
    EXPECT_EQ(seen, std::vector<float>{100});
  }
  const Array out = download(a);
  EXPECT_EQ(out[0], 99);
  EXPECT_EQ(out[9999], 100);
}

TEST_P(TensorTest, RefusedShapes) {
  Tensor out;
  const auto refused = [&](int32_t ndim, Shape shape, const char* argument) {
    expect_refused(rondo_tensor_create(engine(), device(), RONDO_F64, ndim, shape.data(), out.slot()),
                   RONDO_INVALID_ARGUMENT, "rondo_tensor_create", argument);
    EXPECT_EQ(static_cast<rondo_tensor*>(out), nullptr);
  };
  refused(-1, {1}, "ndim");
  refused(9, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "ndim");
  refused(2, {3, -1}, "shape");
  refused(3, {int64_t{1} << 31, int64_t{1} << 31, 4}, "shape");  // the product does not fit
  refused(1, {INT64_MAX}, "shape");                              // the bytes do not fit
  refused(4, {0, INT64_MAX, INT64_MAX, 2}, "shape");             // nor does a stride
}

TEST_P(TensorTest, UnknownDevices) {
  Tensor out;
  const int64_t size = 4;
  EXPECT_EQ(rondo_tensor_create(engine(), {RONDO_CUDA, 1000}, RONDO_F32, 1, &size, out.slot()), no_such_cuda_device());
  EXPECT_TRUE(has_word(rondo_last_error(), "rondo_tensor_create")) << rondo_last_error();
  EXPECT_EQ(rondo_tensor_create(engine(), {RONDO_CPU, 1}, RONDO_F32, 1, &size, out.slot()), RONDO_NOT_FOUND);
  EXPECT_NE(rondo_tensor_create(engine(), {17, 0}, RONDO_F32, 1, &size, out.slot()), RONDO_OK);
  EXPECT_TRUE(has_word(rondo_last_error(), "device")) << rondo_last_error();
  EXPECT_NE(rondo_tensor_create(engine(), {device().kind, -1}, RONDO_F32, 1, &size, out.slot()), RONDO_OK);
}

}  // namespace
}  // namespace conformance
