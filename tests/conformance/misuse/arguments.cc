// Wrong arguments that are not NULL: other engines, devices, dtypes, shapes, overlaps, read-only views, numbers that
// name nothing. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"
#include "operators/normalisations.h"

namespace conformance {
namespace {

class MisuseArguments : public OnEngine {
 protected:
  // A call that must be refused and must not touch *out.
  template <class... P, class... A>
  void refused(const char* function, const char* argument, rondo_status (*call)(P...), A&&... arguments) {
    rondo_tensor* out = nullptr;
    expect_refused(call(arguments..., &out), RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, nullptr) << function << " touched its output";
  }
  template <class... P, class... A>
  void refused_into(rondo_tensor* target, const char* function, const char* argument, rondo_status (*call)(P...),
                    A&&... arguments) {
    rondo_tensor* out = target;
    expect_refused(call(arguments..., &out), RONDO_INVALID_ARGUMENT, function, argument);
    EXPECT_EQ(out, target) << function << " touched its output";
  }
  void refused(const NormalisationCase& each, const char* argument, rondo_tensor* a, int32_t axis, rondo_tensor* weight,
               rondo_tensor* bias, double epsilon) {
    rondo_tensor* out = nullptr;
    expect_refused(each.call(a, axis, weight, bias, epsilon, &out), RONDO_INVALID_ARGUMENT,
                   ("rondo_" + each.name).c_str(), argument);
    EXPECT_EQ(out, nullptr) << each.name << " touched its output";
  }
  Tensor ones(rondo_dtype dtype, const Shape& shape) const { return up(full(dtype, shape, 1)); }
};
CONFORMANCE_ENGINE_SUITE(MisuseArguments);

TEST_P(MisuseArguments, ObjectsOfAnotherEngine) {
  const Engine other = create_engine(options());
  const Array x = full(RONDO_F32, {2, 2}, 1);
  const Tensor a = up(x), foreign = upload(other.get(), device(), x), labels = up(full(RONDO_I64, {2}, 1)),
               foreign_labels = upload(other.get(), device(), full(RONDO_I64, {2}, 1)),
               foreign_bool = upload(other.get(), device(), full(RONDO_BOOL, {2, 2}, 1));
  refused("rondo_binary", "b", rondo_binary, RONDO_ADD, a, foreign);
  refused("rondo_where", "condition", rondo_where, foreign_bool, a, a);
  refused("rondo_matmul", "b", rondo_matmul, a, foreign, nullptr);
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  with.bias = upload(other.get(), device(), full(RONDO_F32, {2}, 1)).release();
  refused("rondo_matmul", "bias", rondo_matmul, a, a, &with);
  rondo_tensor_destroy(with.bias);
  refused("rondo_softmax_grad", "dy", rondo_softmax_grad, a, foreign, 1);
  refused("rondo_cross_entropy", "labels", rondo_cross_entropy, a, foreign_labels);
  refused("rondo_gather_rows", "indices", rondo_gather_rows, a, foreign_labels);
  refused_into(foreign, "rondo_unary", "out", rondo_unary, RONDO_NEG, a);
  refused_into(foreign, "rondo_copy", "out", rondo_copy, a);
  refused_into(foreign, "rondo_random_uniform", "out", rondo_random_uniform, engine(), device(), RONDO_F32, 0, nullptr,
               0.0, 1.0);
  refused_into(foreign, "rondo_matmul", "out", rondo_matmul, a, a, nullptr);

  const Variable stranger(other.get());
  expect_refused(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {stranger}, {}), RONDO_INVALID_ARGUMENT,
                 "rondo_engine_push", "reads");
  expect_refused(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {variable_of(foreign)}),
                 RONDO_INVALID_ARGUMENT, "rondo_engine_push", "writes");
}

TEST_P(MisuseArguments, OtherDevices) {
  if (!on_cuda()) GTEST_SKIP() << "needs two devices";
  const Tensor a = ones(RONDO_F32, {4}), home = upload(engine(), kCpu, full(RONDO_F32, {4}, 1));
  refused("rondo_binary", "b", rondo_binary, RONDO_ADD, a, home);
  refused_into(home, "rondo_unary", "out", rondo_unary, RONDO_NEG, a);
  refused("rondo_gather_rows", "indices", rondo_gather_rows, a, upload(engine(), kCpu, full(RONDO_I64, {1}, 0)));
}

TEST_P(MisuseArguments, WholeProductsAndZeroPoints) {
  const Tensor a = ones(RONDO_U8, {4, 3}), b = ones(RONDO_I8, {3, 5}), zero = ones(RONDO_U8, {4, 1}),
               zeros = ones(RONDO_I8, {5});
  const char* const name = "rondo_matmul_integer";
  const auto wrong = [&](const char* argument, rondo_tensor* left, rondo_tensor* right, rondo_tensor* a_zero,
                         rondo_tensor* b_zero) {
    refused(name, argument, rondo_matmul_integer, left, right, a_zero, b_zero);
  };
  wrong("a_zero", a, b, zeros, zeros);  // i8
  wrong("a_zero", a, b, ones(RONDO_F32, {4, 1}), zeros);
  wrong("b_zero", a, b, zero, ones(RONDO_U8, {5}));
  wrong("b_zero", a, b, zero, ones(RONDO_I32, {}));
  wrong("a_zero", a, b, ones(RONDO_U8, {4}), nullptr);
  wrong("a_zero", a, b, ones(RONDO_U8, {1, 3}), nullptr);
  wrong("a_zero", a, b, ones(RONDO_U8, {1, 4, 1}), nullptr);
  wrong("b_zero", a, b, nullptr, ones(RONDO_I8, {3, 1}));
  wrong("b_zero", a, b, nullptr, ones(RONDO_I8, {4}));
  wrong("b_zero", a, b, nullptr, ones(RONDO_I8, {0}));
  for (const Tensor& out :
       {ones(RONDO_I32, {4, 4}), ones(RONDO_I32, {5}), ones(RONDO_I32, {1, 4, 5}), ones(RONDO_I64, {4, 5}),
        ones(RONDO_F32, {4, 5}), broadcast(ones(RONDO_I32, {1, 5}), {4, 5})})
    refused_into(out, name, "out", rondo_matmul_integer, a, b, zero, zeros);
  const Engine other = create_engine(options());
  const auto foreign = [&](rondo_dtype dtype, const Shape& shape) {
    return upload(other.get(), device(), full(dtype, shape, 1));
  };
  wrong("b", a, foreign(RONDO_I8, {3, 5}), zero, zeros);
  wrong("a_zero", a, b, foreign(RONDO_U8, {}), zeros);
  wrong("b_zero", a, b, zero, foreign(RONDO_I8, {}));
  refused_into(foreign(RONDO_I32, {4, 5}), name, "out", rondo_matmul_integer, a, b, zero, zeros);
  const char* const arguments[] = {"a", "b", "a_zero", "b_zero"};
  for (size_t i = 0; i < 4; ++i) {
    rondo_tensor* given[] = {a, b, zero, zeros};
    given[i] = ones(RONDO_U8, {4, 1}).release();
    rondo_tensor_destroy(given[i]);
    wrong(arguments[i], given[0], given[1], given[2], given[3]);
  }
  if (!on_cuda()) return;
  const auto home = [&](rondo_dtype dtype, const Shape& shape) {
    return upload(engine(), kCpu, full(dtype, shape, 1));
  };
  wrong("b", a, home(RONDO_I8, {3, 5}), zero, zeros);
  wrong("a_zero", a, b, home(RONDO_U8, {}), zeros);
  wrong("b_zero", a, b, zero, home(RONDO_I8, {}));
  refused_into(home(RONDO_I32, {4, 5}), name, "out", rondo_matmul_integer, a, b, zero, zeros);
}

TEST_P(MisuseArguments, DevicesThatDoNotExist) {
  const Tensor a = ones(RONDO_F32, {4});
  rondo_tensor* out = nullptr;
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  for (const rondo_device nowhere : {rondo_device{RONDO_CUDA, 999}, rondo_device{RONDO_CPU, 3},
                                     rondo_device{RONDO_CPU, -1}, rondo_device{RONDO_CUDA, -1}, rondo_device{42, 0}}) {
    EXPECT_NE(rondo_copy_to(a, nowhere, &out), RONDO_OK);
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_copy_to")) << rondo_last_error();
    EXPECT_NE(rondo_memory_query(engine(), nowhere, &info), RONDO_OK);
    EXPECT_NE(rondo_memory_set_limit(engine(), nowhere, 5), RONDO_OK);
    EXPECT_NE(rondo_memory_trim(engine(), nowhere), RONDO_OK);
    const rondo_task_options with = task_options("nowhere", nowhere);
    EXPECT_NE(push(
                  engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {}, &with),
              RONDO_OK);
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_engine_push")) << rondo_last_error();
    const int64_t size = 1;
    EXPECT_NE(rondo_random_uniform(engine(), nowhere, RONDO_F32, 1, &size, 0, 1, &out), RONDO_OK);
    char buffer[32];
    rondo_device_info facts = RONDO_DEVICE_INFO_INIT;
    EXPECT_NE(rondo_device_query(nowhere, &facts), RONDO_OK);
    if (nowhere.kind == 42) {
      EXPECT_NE(rondo_device_format(nowhere, buffer, sizeof buffer), RONDO_OK);
    }
  }
  EXPECT_EQ(out, nullptr);
}

TEST_P(MisuseArguments, Shapes) {
  const Tensor a = ones(RONDO_F32, {3, 4}), b = ones(RONDO_F32, {3, 5}), row = ones(RONDO_F32, {4}),
               scalar = ones(RONDO_F32, {}), labels = ones(RONDO_I64, {4}), c = ones(RONDO_BOOL, {7}),
               m = ones(RONDO_U8, {4, 3}), i = ones(RONDO_I64, {3, 1});
  refused("rondo_binary", "b", rondo_binary, RONDO_ADD, a, b);
  EXPECT_NE(std::string(rondo_last_error()).find('3'), std::string::npos) << "no shapes in: " << rondo_last_error();
  refused("rondo_where", "condition", rondo_where, c, a, a);
  refused("rondo_matmul", "b", rondo_matmul, a, b, nullptr);
  refused("rondo_matmul", "a", rondo_matmul, row, b, nullptr);
  refused("rondo_matmul", "b", rondo_matmul, a, row, nullptr);
  refused("rondo_matmul", "b", rondo_matmul, ones(RONDO_F32, {2, 3, 4}), ones(RONDO_F32, {3, 4, 5}), nullptr);
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  with.transpose_b = 1;
  for (const Tensor& bias : {ones(RONDO_F32, {5}), ones(RONDO_F32, {1, 3}), ones(RONDO_F32, {})}) {
    with.bias = bias;
    refused("rondo_matmul", "bias", rondo_matmul, a, a, &with);
  }
  with.bias = nullptr;
  refused("rondo_softmax_grad", "dy", rondo_softmax_grad, a, b, 1);
  refused("rondo_cross_entropy", "labels", rondo_cross_entropy, a, labels);
  refused("rondo_cross_entropy", "labels", rondo_cross_entropy, a, i);
  refused("rondo_cross_entropy", "logits", rondo_cross_entropy, row, labels);
  refused("rondo_cross_entropy_grad", "labels", rondo_cross_entropy_grad, a, labels, 1.0);
  refused("rondo_dropout_grad", "mask", rondo_dropout_grad, a, m, 0.5);
  refused("rondo_gather_rows", "table", rondo_gather_rows, scalar, labels);
  refused("rondo_one_hot", "depth", rondo_one_hot, labels, -1, RONDO_F32);
  refused_into(row, "rondo_unary", "out", rondo_unary, RONDO_NEG, a);
  refused_into(b, "rondo_binary", "out", rondo_binary, RONDO_ADD, a, a);
  refused_into(row, "rondo_binary", "out", rondo_binary, RONDO_ADD, a, row);  // an output is never broadcast
  refused_into(a, "rondo_matmul", "out", rondo_matmul, b, b, &with);
  refused_into(row, "rondo_reduce", "out", rondo_reduce, RONDO_SUM, b, 0, nullptr, 0);
  refused_into(row, "rondo_copy", "out", rondo_copy, a);
  // Too many dimensions.
  const Tensor deep = ones(RONDO_I64, {1, 1, 1, 1, 1, 1, 1, 1});
  refused("rondo_one_hot", "indices", rondo_one_hot, deep, 3, RONDO_F32);
  refused("rondo_gather_rows", "indices", rondo_gather_rows, a, deep);
}

// Broadcast views have no memory behind their sizes, so the shapes of all inputs may be possible and the result's not.
TEST_P(MisuseArguments, ResultsTooLarge) {
  constexpr int64_t kLarge = int64_t{1} << 31;
  const Tensor one = ones(RONDO_F32, {}), column = broadcast(one, {kLarge, 1}), row = broadcast(one, {1, kLarge}),
               yes = broadcast(ones(RONDO_BOOL, {}), {kLarge, 1}), rows = broadcast(ones(RONDO_I64, {}), {kLarge}),
               bytes = broadcast(ones(RONDO_U8, {}), {1, int64_t{1} << 61});
  refused("rondo_binary", "out", rondo_binary, RONDO_ADD, column, row);
  refused("rondo_where", "out", rondo_where, yes, row, row);
  refused("rondo_matmul", "out", rondo_matmul, column, row, nullptr);
  refused("rondo_one_hot", "out", rondo_one_hot, ones(RONDO_I64, {2}), int64_t{1} << 61, RONDO_F32);
  refused("rondo_one_hot", "out", rondo_one_hot, rows, INT64_MAX, RONDO_BOOL);
  refused("rondo_gather_rows", "out", rondo_gather_rows, row, rows);
  refused("rondo_cast", "out", rondo_cast, bytes, RONDO_F64);
  const int32_t first = 0;
  refused("rondo_reduce", "out", rondo_reduce, RONDO_SUM, bytes, 1, &first, 0);
  // Nor can a view have such a shape, whatever it has behind it.
  const int64_t square[] = {kLarge, kLarge}, wraps[] = {kLarge, kLarge, 4};
  refused("rondo_tensor_broadcast", "shape", rondo_tensor_broadcast, one, 2, square);
  refused("rondo_tensor_reshape", "shape", rondo_tensor_reshape, one, 2, square);
  refused("rondo_tensor_reshape", "shape", rondo_tensor_reshape, empty(RONDO_F32, {0}), 3, wraps);
  must(rondo_engine_wait_all(engine()));
  if (on_cuda()) return;
  // An input that is possible, and scratch memory for one row of it that is not.
  Tensor loss;
  rondo_status status =
      rondo_cross_entropy(broadcast(ones(RONDO_BF16, {}), {1, int64_t{1} << 61}), ones(RONDO_I64, {1}), loss.slot());
  if (status == RONDO_OK) status = rondo_tensor_wait(loss);
  EXPECT_EQ(status, RONDO_OUT_OF_MEMORY) << rondo_last_error();
  EXPECT_EQ(rondo_engine_wait_all(engine()), RONDO_OUT_OF_MEMORY);
}

TEST_P(MisuseArguments, Axes) {
  const Tensor a = ones(RONDO_F32, {3, 4}), scalar = ones(RONDO_F32, {});
  for (const auto& axes : {std::array<int32_t, 2>{0, 2}, {-3, 0}, {1, 1}, {1, -1}}) {
    refused("rondo_reduce", "axes", rondo_reduce, RONDO_SUM, a, 2, axes.data(), 0);
  }
  const int32_t zero = 0;
  refused("rondo_reduce", "n_axes", rondo_reduce, RONDO_SUM, a, -1, &zero, 0);
  refused("rondo_softmax", "axis", rondo_softmax, a, 2);
  refused("rondo_softmax", "axis", rondo_softmax, a, -3);
  refused("rondo_softmax", "axis", rondo_softmax, scalar, 0);
  refused("rondo_log_softmax", "axis", rondo_log_softmax, a, 5);
  refused("rondo_softmax_grad", "axis", rondo_softmax_grad, a, a, 7);
}

TEST_P(MisuseArguments, Dtypes) {
  const Tensor f = ones(RONDO_F32, {2, 2}), d = ones(RONDO_F64, {2, 2}), i = ones(RONDO_I32, {2, 2}),
               rows = ones(RONDO_F32, {2}), l = ones(RONDO_I64, {2}), m = ones(RONDO_U8, {2, 2});
  refused("rondo_where", "condition", rondo_where, f, f, f);
  refused("rondo_matmul", "b", rondo_matmul, f, d, nullptr);
  refused("rondo_matmul", "a", rondo_matmul, i, i, nullptr);
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  const Tensor bias = ones(RONDO_F64, {2});
  with.bias = bias;
  refused("rondo_matmul", "bias", rondo_matmul, f, f, &with);
  refused("rondo_softmax", "a", rondo_softmax, i, 0);
  refused("rondo_log_softmax", "a", rondo_log_softmax, i, 0);
  refused("rondo_softmax_grad", "dy", rondo_softmax_grad, f, d, 0);
  refused("rondo_cross_entropy", "logits", rondo_cross_entropy, i, l);
  refused("rondo_cross_entropy", "labels", rondo_cross_entropy, f, rows);
  refused("rondo_cross_entropy_grad", "labels", rondo_cross_entropy_grad, f, rows, 1.0);
  refused("rondo_one_hot", "indices", rondo_one_hot, rows, 3, RONDO_F32);
  refused("rondo_gather_rows", "indices", rondo_gather_rows, f, rows);
  refused("rondo_dropout_grad", "mask", rondo_dropout_grad, f, f, 0.5);
  const int64_t size = 4;
  refused("rondo_random_uniform", "dtype", rondo_random_uniform, engine(), device(), RONDO_I32, 1, &size, 0.0, 1.0);
  refused("rondo_random_normal", "dtype", rondo_random_normal, engine(), device(), RONDO_BOOL, 1, &size, 0.0, 1.0);
  rondo_tensor *out = nullptr, *mask = nullptr;
  expect_refused(rondo_dropout(i, 0.5, &out, &mask), RONDO_INVALID_ARGUMENT, "rondo_dropout", "a");
  mask = f;
  expect_refused(rondo_dropout(f, 0.5, &out, &mask), RONDO_INVALID_ARGUMENT, "rondo_dropout", "mask");
  EXPECT_EQ(out, nullptr);
  refused_into(d, "rondo_unary", "out", rondo_unary, RONDO_NEG, f);
  refused_into(f, "rondo_binary", "out", rondo_binary, RONDO_LT, f, f);
  refused_into(i, "rondo_reduce", "out", rondo_reduce, RONDO_SUM, i, 0, nullptr, 0);
  refused_into(d, "rondo_copy", "out", rondo_copy, f);
  refused_into(f, "rondo_cast", "out", rondo_cast, f, RONDO_F64);
  refused_into(m, "rondo_unary", "out", rondo_unary, RONDO_ISNAN, f);
}

TEST_P(MisuseArguments, Overlaps) {
  const Tensor a = up(range(RONDO_F32, {6, 6})), other = ones(RONDO_F32, {6, 6});
  const Array before = download(a);
  refused_into(transpose(a, {1, 0}), "rondo_unary", "out", rondo_unary, RONDO_NEG, a);
  refused_into(slice(a, 0, 1, 6), "rondo_unary", "out", rondo_unary, RONDO_NEG, slice(a, 0, 0, 5));
  refused_into(slice(a, 0, INT64_MAX, INT64_MIN, -1), "rondo_binary", "out", rondo_binary, RONDO_ADD, other, a);
  refused_into(a, "rondo_binary", "out", rondo_binary, RONDO_ADD, other, slice(a, 0, 0, 1));
  refused_into(a, "rondo_copy", "out", rondo_copy, transpose(a, {1, 0}));
  refused_into(a, "rondo_matmul", "out", rondo_matmul, a, other, nullptr);
  refused_into(a, "rondo_matmul", "out", rondo_matmul, other, a, nullptr);
  refused_into(slice(a, 0, 0, 1), "rondo_reduce", "out", rondo_reduce, RONDO_SUM, a, 1,
               std::array<int32_t, 1>{0}.data(), 1);
  refused_into(slice(a, 0, 2, 5), "rondo_gather_rows", "out", rondo_gather_rows, a, up(range(RONDO_I64, {3})));
  rondo_tensor *out = a,
               *mask = make(rondo_tensor_create, engine(), device(), RONDO_U8, 2, std::array<int64_t, 2>{6, 6}.data())
                           .release();
  rondo_tensor* same = mask;
  expect_refused(rondo_dropout(transpose(a, {1, 0}), 0.5, &out, &mask), RONDO_INVALID_ARGUMENT, "rondo_dropout", "out");
  EXPECT_EQ(mask, same);
  rondo_tensor_destroy(mask);
  expect_same_bits(download(a), before, "a refused call wrote");
  // Into every second element of what it reads, one beside; into a block that is one row too far up.
  refused_into(slice(a, 1, 0, 6, 2), "rondo_unary", "out", rondo_unary, RONDO_NEG, slice(a, 1, 1, 4));
  refused_into(slice(slice(a, 0, 0, 3), 1, 2, 5), "rondo_unary", "out", rondo_unary, RONDO_NEG,
               slice(slice(a, 0, 2, 5), 1, 0, 3));
  // Parts that do not meet are fine, and so is the same element for element.
  into(slice(a, 0, 0, 3), rondo_unary, RONDO_NEG, slice(a, 0, 3, 6));
  into(a, rondo_unary, RONDO_NEG, a);
}

TEST_P(MisuseArguments, ReadOnlyViews) {
  const Tensor a = ones(RONDO_F32, {4}), b = ones(RONDO_F32, {3, 4});
  const Tensor wide = broadcast(a, {3, 4});
  refused_into(wide, "rondo_unary", "out", rondo_unary, RONDO_NEG, b);
  refused_into(wide, "rondo_binary", "out", rondo_binary, RONDO_ADD, b, b);
  refused_into(slice(wide, 1, 1, 3), "rondo_copy", "out", rondo_copy, slice(b, 1, 1, 3));
  expect_refused(rondo_fill(wide, 2), RONDO_INVALID_ARGUMENT, "rondo_fill", "tensor");
  const Array data = full(RONDO_F32, {3, 4}, 2);
  expect_refused(rondo_tensor_write(wide, data.bytes.data(), data.bytes.size()), RONDO_INVALID_ARGUMENT,
                 "rondo_tensor_write", "tensor");
  refused("rondo_tensor_accumulator", "tensor", rondo_tensor_accumulator, wide);
  expect_same_bits(download(a), full(RONDO_F32, {4}, 1), "unchanged");
}

TEST_P(MisuseArguments, Accumulators) {
  const Tensor a = ones(RONDO_F32, {2, 2}), sum = make(rondo_tensor_accumulator, a), b = ones(RONDO_F32, {2, 2});
  refused("rondo_unary", "a", rondo_unary, RONDO_NEG, sum);
  refused("rondo_binary", "b", rondo_binary, RONDO_ADD, b, sum);
  refused("rondo_reduce", "a", rondo_reduce, RONDO_SUM, sum, 0, nullptr, 0);
  refused("rondo_matmul", "a", rondo_matmul, sum, b, nullptr);
  refused("rondo_copy", "a", rondo_copy, sum);
  refused("rondo_softmax", "a", rondo_softmax, sum, 1);
  refused("rondo_cast", "a", rondo_cast, sum, RONDO_F64);
  const float data[4] = {};
  expect_refused(rondo_tensor_write(sum, data, sizeof data), RONDO_INVALID_ARGUMENT, "rondo_tensor_write", "tensor");
  refused("rondo_tensor_accumulator", "tensor", rondo_tensor_accumulator, ones(RONDO_BOOL, {2}));
  into(sum, rondo_unary, RONDO_NEG, make(rondo_binary, RONDO_ADD, b, b));
  must(rondo_tensor_wait(sum));
  expect_same_bits(download(sum), full(RONDO_F32, {2, 2}, -1), "reading an accumulator reads the tensor");
  expect_same_bits(download(slice(sum, 1, 0, 1)), full(RONDO_F32, {2, 1}, -1), "a view of it too");
}

TEST_P(MisuseArguments, ParametersAndDomains) {
  const Tensor a = ones(RONDO_F32, {2, 2}), bytes = ones(RONDO_U8, {2, 2}), row = ones(RONDO_F32, {3});
  const double two[] = {0, 1}, negative[] = {-1, 1};
  refused("rondo_unary", "parameters", rondo_unary, RONDO_CLIP, a);  // they have no defaults
  refused("rondo_unary_with", "n_parameters", rondo_unary_with, RONDO_CLIP, a, 1, two);
  refused("rondo_unary_with", "n_parameters", rondo_unary_with, RONDO_EXP, a, 1, two);
  refused("rondo_unary_with", "parameters", rondo_unary_with, RONDO_CLIP, bytes, 2, negative);  // u8 has no -1
  refused("rondo_binary_with", "n_parameters", rondo_binary_with, RONDO_SMOOTH_L1, a, a, 2, two);
  refused("rondo_unary", "bit_not", rondo_unary, RONDO_BIT_NOT, a);
  refused("rondo_binary", "gcd", rondo_binary, RONDO_GCD, a, a);
  refused("rondo_binary", "shift_left", rondo_binary, RONDO_SHIFT_LEFT, bytes, a);  // promoted to f32
  refused("rondo_ternary", "c", rondo_ternary, RONDO_FMA, a, a, row);
  for (const rondo_reduce_op op : {RONDO_MEAN, RONDO_ARGMAX, RONDO_L2_NORM, RONDO_LP_NORM, RONDO_VAR, RONDO_STD})
    refused("rondo_cumulative", rondo_reduce_op_name(op), rondo_cumulative, op, a, 0, 0);
  refused("rondo_cumulative", "axis", rondo_cumulative, RONDO_SUM, a, 2, 0);
  const double nan = NAN, zero = 0;
  const Tensor lengths = ones(RONDO_I64, {2}), wide = ones(RONDO_I64, {3}), real = ones(RONDO_F32, {2});
  for (const double temperature : {0.0, -1.0, nan, HUGE_VAL}) {
    refused("rondo_softmax_with", "temperature", rondo_softmax_with, RONDO_SOFTMAX, a, 1, temperature, lengths);
    refused("rondo_softmax_grad_with", "temperature", rondo_softmax_grad_with, RONDO_SOFTMIN, a, a, 1, temperature,
            nullptr);
  }
  for (const double epsilon : {-1e-6, nan, HUGE_VAL}) {
    for (const NormalisationCase& each : normalisations()) refused(each, "epsilon", a, 1, real, nullptr, epsilon);
  }
  for (const NormalisationCase& each : normalisations()) {
    refused(each, "a", bytes, 1, nullptr, nullptr, 0.0);
    refused(each, "axis", a, 2, nullptr, nullptr, 0.0);
    refused(each, "weight", a, 1, row, nullptr, 0.0);
    refused(each, "weight", a, 1, lengths, nullptr, 0.0);
    if (each.takes_bias) refused(each, "bias", a, 1, real, a, 0.0);
  }
  refused("rondo_softmax_with", "lengths", rondo_softmax_with, RONDO_SOFTMAX, a, 1, 1.0, wide);
  refused("rondo_softmax_with", "lengths", rondo_softmax_with, RONDO_SOFTMAX, a, 1, 1.0, real);
  refused("rondo_softmax_grad_with", "lengths", rondo_softmax_grad_with, RONDO_SOFTMAX, a, a, 1, 1.0, wide);
  refused("rondo_softmax_with", "axis", rondo_softmax_with, RONDO_LOG_SOFTMAX, a, 2, 1.0, lengths);
  refused("rondo_softmax_grad_with", "dy", rondo_softmax_grad_with, RONDO_LOG_SOFTMAX, a, row, 1, 1.0, lengths);
  refused("rondo_reduce_with", "n_parameters", rondo_reduce_with, RONDO_SUM, a, 0, nullptr, 0, 1, two);
  refused("rondo_reduce_with", "n_parameters", rondo_reduce_with, RONDO_VAR, a, 0, nullptr, 0, 2, two);
  refused("rondo_reduce_with", "parameters", rondo_reduce_with, RONDO_VAR, a, 0, nullptr, 0, 1, negative);
  refused("rondo_reduce_with", "parameters", rondo_reduce_with, RONDO_STD, a, 0, nullptr, 0, 1, &nan);
  refused("rondo_reduce_with", "parameters", rondo_reduce_with, RONDO_LP_NORM, a, 0, nullptr, 0, 1, &zero);
  rondo_tensor* const tensors[] = {a, row};
  refused("rondo_add_n", "broadcast", rondo_add_n, 2, tensors);
  for (const int32_t n : {-1, 0, 17}) refused("rondo_add_n", "n", rondo_add_n, n, tensors);
}

TEST_P(MisuseArguments, UnknownNumbers) {
  const Tensor a = ones(RONDO_F32, {2, 2}), i = ones(RONDO_I64, {2});
  const double parameter = 1;
  for (const int number : {-1, 50, 63, 79, 999}) {
    refused("rondo_unary", "op", rondo_unary, static_cast<rondo_unary_op>(number), a);
    refused("rondo_unary_with", "op", rondo_unary_with, static_cast<rondo_unary_op>(number), a, 1, &parameter);
    EXPECT_EQ(rondo_unary_op_name(static_cast<rondo_unary_op>(number)), nullptr);
  }
  EXPECT_STREQ(rondo_unary_op_name(RONDO_GELU_TANH), "gelu_tanh");
  EXPECT_STREQ(rondo_binary_op_name(RONDO_ADD), "add");
  EXPECT_EQ(rondo_binary_op_name(static_cast<rondo_binary_op>(13)), nullptr);
  EXPECT_STREQ(rondo_ternary_op_name(RONDO_FMA), "fma");
  EXPECT_EQ(rondo_ternary_op_name(static_cast<rondo_ternary_op>(3)), nullptr);
  for (const int number : {-1, 3, 99})
    refused("rondo_ternary", "op", rondo_ternary, static_cast<rondo_ternary_op>(number), a, a, a);
  for (const int number : {-1, 13, 15, 25, 58, 99}) {
    refused("rondo_binary_with", "op", rondo_binary_with, static_cast<rondo_binary_op>(number), a, a, 1, &parameter);
    refused("rondo_binary", "op", rondo_binary, static_cast<rondo_binary_op>(number), a, a);
    refused("rondo_binary_scalar", "op", rondo_binary_scalar, static_cast<rondo_binary_op>(number), a, 1.0);
    refused("rondo_scalar_binary", "op", rondo_scalar_binary, static_cast<rondo_binary_op>(number), 1.0, a);
    refused("rondo_binary_scalar_i64", "op", rondo_binary_scalar_i64, static_cast<rondo_binary_op>(number), i,
            int64_t{1});
  }
  for (const int number : {-1, 15, 99}) {
    const auto no_reduction = static_cast<rondo_reduce_op>(number == 15 ? 17 : number);
    refused("rondo_reduce", "op", rondo_reduce, no_reduction, a, 0, nullptr, 0);
    refused("rondo_reduce_with", "op", rondo_reduce_with, no_reduction, a, 0, nullptr, 0, 1, &parameter);
    EXPECT_EQ(rondo_reduce_op_name(no_reduction), nullptr);
    refused("rondo_cumulative", "op", rondo_cumulative, no_reduction, a, 0, 0);
    refused("rondo_softmax_with", "op", rondo_softmax_with, static_cast<rondo_softmax_op>(number), a, 1, 1.0, nullptr);
    refused("rondo_softmax_grad_with", "op", rondo_softmax_grad_with, static_cast<rondo_softmax_op>(number), a, a, 1,
            1.0, nullptr);
    refused("rondo_cast", "dtype", rondo_cast, a, static_cast<rondo_dtype>(number));
    refused("rondo_one_hot", "dtype", rondo_one_hot, i, 3, static_cast<rondo_dtype>(number));
    const int64_t size = 2;
    refused("rondo_tensor_create", "dtype", rondo_tensor_create, engine(), device(), static_cast<rondo_dtype>(number),
            1, &size);
    refused("rondo_random_uniform", "dtype", rondo_random_uniform, engine(), device(), static_cast<rondo_dtype>(number),
            1, &size, 0.0, 1.0);
  }
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  with.activation = static_cast<rondo_activation>(7);
  refused("rondo_matmul", "activation", rondo_matmul, a, a, &with);
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* made = nullptr;
  const auto refused_options = [&](const char* argument) {
    expect_refused(rondo_engine_create(&options, &made), RONDO_INVALID_ARGUMENT, "rondo_engine_create", argument);
    EXPECT_EQ(made, nullptr);
    options = RONDO_ENGINE_OPTIONS_INIT;
  };
  options.mode = static_cast<rondo_engine_mode>(4), refused_options("mode");
  options.mode = static_cast<rondo_engine_mode>(-1), refused_options("mode");
  options.workers = -1, refused_options("workers");
  options.streams = 17, refused_options("streams");
  options.streams = -1, refused_options("streams");
  options.max_tasks = -5, refused_options("max_tasks");
  options.memory_limit = -1, refused_options("memory_limit");
  rondo_task_options task = RONDO_TASK_OPTIONS_INIT;
  task.flags = 64;
  expect_refused(push(
                     engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {}, &task),
                 RONDO_INVALID_ARGUMENT, "rondo_engine_push", "flags");
  rondo_record_options recording = RONDO_RECORD_OPTIONS_INIT;
  for (const int32_t branches : {-1, 33}) {
    recording.max_branches = branches;
    expect_refused(rondo_record_begin(engine(), &recording), RONDO_INVALID_ARGUMENT, "rondo_record_begin",
                   "max_branches");
  }
}

TEST_P(MisuseArguments, Probabilities) {
  const Tensor a = ones(RONDO_F32, {4}), m = ones(RONDO_U8, {4});
  rondo_tensor *out = nullptr, *mask = nullptr;
  for (const double p : {-0.1, 1.0, 1.5, std::nan(""), double(INFINITY)}) {
    expect_refused(rondo_dropout(a, p, &out, &mask), RONDO_INVALID_ARGUMENT, "rondo_dropout", "p");
    expect_refused(rondo_dropout_grad(a, m, p, &out), RONDO_INVALID_ARGUMENT, "rondo_dropout_grad", "p");
  }
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(mask, nullptr);
}

// One variable cannot take both results.
TEST_P(MisuseArguments, OnePlaceForTwoResults) {
  const Tensor a = ones(RONDO_F32, {4});
  rondo_tensor* both = nullptr;
  expect_refused(rondo_dropout(a, 0.5, &both, &both), RONDO_INVALID_ARGUMENT, "rondo_dropout", "mask");
  EXPECT_EQ(both, nullptr);
}

// Bounds that become infinite in the tensor's dtype, or whose difference does where it is computed, would make every
// number the same.
TEST_P(MisuseArguments, UniformBounds) {
  const int64_t size = 64;
  const struct {
    rondo_dtype dtype;
    double low, high;
    const char* argument;
  } cases[] = {{RONDO_F32, 0, 1e300, "high"},           {RONDO_F32, -1e39, 0, "low"},
               {RONDO_F32, -3e38, 3e38, "high - low"},  {RONDO_F16, 0, 65536, "high"},
               {RONDO_F16, -70000, 0, "low"},           {RONDO_BF16, 0, 3.4e38, "high"},
               {RONDO_BF16, -3e38, 3e38, "high - low"}, {RONDO_F64, -1e308, 1e308, "high - low"}};
  for (const auto& c : cases) {
    refused("rondo_random_uniform", c.argument, rondo_random_uniform, engine(), device(), c.dtype, 1, &size, c.low,
            c.high);
    EXPECT_TRUE(has_word(rondo_last_error(), rondo_dtype_name(c.dtype == RONDO_BF16 && c.low ? RONDO_F32 : c.dtype)))
        << rondo_last_error();
  }
  const Tensor given = ones(RONDO_F16, {64});  // its dtype counts, not the argument's
  refused_into(given, "rondo_random_uniform", "high", rondo_random_uniform, engine(), device(), RONDO_F64, 0, nullptr,
               0.0, 1e6);
  expect_same_bits(download(given), full(RONDO_F16, {64}, 1), "a refused call wrote");
  // A difference that only the computation must hold is fine.
  into(given, rondo_random_uniform, engine(), device(), RONDO_F16, 0, nullptr, -60000.0, 60000.0);
  const Array drawn = download(given);
  bool below = false, above = false;
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_LT(std::abs(drawn[i]), Real(60001)) << i;
    below = below || drawn[i] < Real(-1000);
    above = above || drawn[i] > Real(1000);
  }
  EXPECT_TRUE(below && above);
}

TEST_P(MisuseArguments, StepWithoutANegation) {
  const Tensor a = up(range(RONDO_F32, {4}));
  refused("rondo_tensor_slice", "step", rondo_tensor_slice, a, 0, 3, INT64_MIN, INT64_MIN);
  EXPECT_TRUE(has_word(rondo_last_error(), "INT64_MAX")) << "nothing of what is possible: " << rondo_last_error();
  expect_same_bits(download(slice(a, 0, 3, INT64_MIN, -INT64_MAX)), full(RONDO_F32, {1}, 3), "what it says to use");
}

TEST_P(MisuseArguments, SettingThatNamesNoMode) {
  const char* old = std::getenv("RONDO_ENGINE");
  const std::string saved = old ? old : "";
  setenv("RONDO_ENGINE", "fast", 1);
  rondo_engine* made = nullptr;
  expect_refused(rondo_engine_create(nullptr, &made), RONDO_INVALID_ARGUMENT, "rondo_engine_create", "RONDO_ENGINE");
  EXPECT_EQ(made, nullptr);
  setenv("RONDO_ENGINE", "naive", 1);
  must(rondo_engine_create(nullptr, &made));
  rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
  must(rondo_engine_get_mode(made, &mode));
  EXPECT_EQ(mode, RONDO_ENGINE_NAIVE);
  rondo_engine_destroy(made);
  if (old) {
    setenv("RONDO_ENGINE", saved.c_str(), 1);
  } else {
    unsetenv("RONDO_ENGINE");
  }
}

}  // namespace
}  // namespace conformance
