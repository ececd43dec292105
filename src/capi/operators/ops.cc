// Checks the handles and numbers of elementwise operators, reductions and products, and calls them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/ops.h"
#include "ops/operators/reductions.h"

#include "capi/operators.h"
#include "capi/structs.h"
#include "engine/views.h"
#include "ops/operators/operators.h"

using namespace rondo;
using capi::check_out;
using capi::check_tensor;
using capi::guard;
using capi::new_tensor;
using capi::operator1;
using capi::operator2;
using capi::operator3;

namespace {

const char* unary_name(int op) {
  return rondo_unary_op_name(static_cast<rondo_unary_op>(op));
}
const char* binary_name(int op) {
  return rondo_binary_op_name(static_cast<rondo_binary_op>(op));
}
const char* ternary_name(int op) {
  return rondo_ternary_op_name(static_cast<rondo_ternary_op>(op));
}
Status check_axes(int32_t n_axes, const int32_t* axes) {
  if (n_axes < 0) return error(RONDO_INVALID_ARGUMENT, "n_axes is %d; 0 (all) or more is needed", n_axes);
  return n_axes > 0 && !axes ? capi::null_argument("axes") : Status();
}

}  // namespace

Status capi::check_activation(rondo_activation activation) {
  if (activation >= RONDO_ACTIVATION_NONE && activation <= RONDO_ACTIVATION_GELU_ERF) return {};
  return error(RONDO_INVALID_ARGUMENT,
               "options->activation is %d; RONDO_ACTIVATION_NONE (0) to RONDO_ACTIVATION_GELU_ERF (6) are possible",
               activation);
}

extern "C" {

const char* rondo_unary_op_name(rondo_unary_op op) {
  const ops::Operator* row = ops::find_unary(op);
  return row ? row->name : nullptr;
}
const char* rondo_binary_op_name(rondo_binary_op op) {
  const ops::Operator* row = ops::find_binary(op);
  return row ? row->name : nullptr;
}
const char* rondo_ternary_op_name(rondo_ternary_op op) {
  const ops::Operator* row = ops::find_ternary(op);
  return row ? row->name : nullptr;
}
const char* rondo_reduce_op_name(rondo_reduce_op op) {
  return ops::reduce_name(op);
}

rondo_status rondo_unary(rondo_unary_op op, rondo_tensor* a, rondo_tensor** out) {
  return operator1({"rondo_unary", unary_name, op}, a, "a", out,
                   [&](ops::Output& output) { return ops::unary(op, a->view, 0, nullptr, output); });
}

rondo_status rondo_unary_with(rondo_unary_op op, rondo_tensor* a, int32_t n_parameters, const double* parameters,
                              rondo_tensor** out) {
  return operator1({"rondo_unary_with", unary_name, op}, a, "a", out, [&](ops::Output& output) -> Status {
    if (!parameters) return capi::null_argument("parameters");
    return ops::unary(op, a->view, n_parameters, parameters, output);
  });
}

rondo_status rondo_binary(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b, rondo_tensor** out) {
  return operator2({"rondo_binary", binary_name, op}, a, "a", b, "b", out,
                   [&](ops::Output& output) { return ops::binary(op, a->view, b->view, 0, nullptr, output); });
}

rondo_status rondo_binary_with(rondo_binary_op op, rondo_tensor* a, rondo_tensor* b, int32_t n_parameters,
                               const double* parameters, rondo_tensor** out) {
  return operator2({"rondo_binary_with", binary_name, op}, a, "a", b, "b", out, [&](ops::Output& output) -> Status {
    if (!parameters) return capi::null_argument("parameters");
    return ops::binary(op, a->view, b->view, n_parameters, parameters, output);
  });
}

rondo_status rondo_ternary(rondo_ternary_op op, rondo_tensor* a, rondo_tensor* b, rondo_tensor* c, rondo_tensor** out) {
  return operator3({"rondo_ternary", ternary_name, op}, a, "a", b, "b", c, "c", false, out,
                   [op](rondo_tensor* x, rondo_tensor* y, rondo_tensor* z, ops::Output& output) {
                     return ops::ternary(op, x->view, y->view, z->view, output);
                   });
}

rondo_status rondo_add_n(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out) {
  return guard("rondo_add_n", [&]() -> Status {
    if (n < 1 || n > ops::kMostAddends)
      return error(RONDO_INVALID_ARGUMENT, "n is %d; it must be 1 to %d", n, ops::kMostAddends);
    if (!tensors) return capi::null_argument("tensors");
    for (int32_t i = 0; i < n; ++i) RONDO_TRY(capi::check_each(tensors, static_cast<size_t>(i), "tensors"));
    RONDO_TRY(check_out(out));
    capi::CastList list({tensors, static_cast<size_t>(n)});
    RONDO_TRY(list.apply("rondo_add_n", out));
    const View* views[ops::kMostAddends];
    for (size_t i = 0; i < list.tensors().size(); ++i) views[i] = &list.tensors()[i]->view;
    ops::Output output(out);
    return ops::add_n(std::span<const View* const>(views, static_cast<size_t>(n)), output);
  });
}

rondo_status rondo_binary_scalar(rondo_binary_op op, rondo_tensor* a, double scalar, rondo_tensor** out) {
  return operator1({"rondo_binary_scalar", binary_name, op}, a, "a", out, [&](ops::Output& output) {
    return ops::binary_scalar(op, a->view, ops::Scalar::of(scalar), false, output);
  });
}

rondo_status rondo_scalar_binary(rondo_binary_op op, double scalar, rondo_tensor* a, rondo_tensor** out) {
  return operator1({"rondo_scalar_binary", binary_name, op}, a, "a", out, [&](ops::Output& output) {
    return ops::binary_scalar(op, a->view, ops::Scalar::of(scalar), true, output);
  });
}

rondo_status rondo_binary_scalar_i64(rondo_binary_op op, rondo_tensor* a, int64_t scalar, rondo_tensor** out) {
  return operator1({"rondo_binary_scalar_i64", binary_name, op}, a, "a", out, [&](ops::Output& output) {
    return ops::binary_scalar(op, a->view, ops::Scalar::of_i64(scalar), false, output);
  });
}

rondo_status rondo_scalar_binary_i64(rondo_binary_op op, int64_t scalar, rondo_tensor* a, rondo_tensor** out) {
  return operator1({"rondo_scalar_binary_i64", binary_name, op}, a, "a", out, [&](ops::Output& output) {
    return ops::binary_scalar(op, a->view, ops::Scalar::of_i64(scalar), true, output);
  });
}

rondo_status rondo_gated(rondo_unary_op op, rondo_tensor* a, rondo_tensor* gate, rondo_tensor** out) {
  return operator2({"rondo_gated", unary_name, op}, a, "a", gate, "gate", out,
                   [&](ops::Output& output) { return ops::gated(op, a->view, gate->view, output); });
}

rondo_status rondo_where(rondo_tensor* condition, rondo_tensor* a, rondo_tensor* b, rondo_tensor** out) {
  return operator2("rondo_where", a, "a", b, "b", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_tensor(condition, "condition"));
    return ops::where(condition->view, a->view, b->view, output);
  });
}

rondo_status rondo_cast(rondo_tensor* a, rondo_dtype dtype, rondo_tensor** out) {
  return operator1("rondo_cast", a, "a", out,
                   [&](ops::Output& output) -> Status { return ops::cast(a->view, dtype, output); });
}

rondo_status rondo_fill(rondo_tensor* tensor, double value) {
  return guard("rondo_fill", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    return ops::fill(tensor->view, ops::Scalar::of(value));
  });
}

rondo_status rondo_fill_i64(rondo_tensor* tensor, int64_t value) {
  return guard("rondo_fill_i64", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    return ops::fill(tensor->view, ops::Scalar::of_i64(value));
  });
}

rondo_status rondo_copy(rondo_tensor* a, rondo_tensor** out) {
  return operator1("rondo_copy", a, "a", out, [&](ops::Output& output) { return ops::copy(a->view, output); });
}

rondo_status rondo_copy_to(rondo_tensor* a, rondo_device device, rondo_tensor** out) {
  return operator1("rondo_copy_to", a, "a", out, [&](ops::Output& output) -> Status {
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    return ops::copy_to(a->view, *found, output);
  });
}

rondo_status rondo_reduce(rondo_reduce_op op, rondo_tensor* a, int32_t n_axes, const int32_t* axes, int32_t keep_dims,
                          rondo_tensor** out) {
  return operator1({"rondo_reduce", ops::reduce_name, op}, a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_axes(n_axes, axes));
    return ops::reduce(op, a->view, n_axes, axes, keep_dims != 0, 0, nullptr, output);
  });
}

rondo_status rondo_reduce_with(rondo_reduce_op op, rondo_tensor* a, int32_t n_axes, const int32_t* axes,
                               int32_t keep_dims, int32_t n_parameters, const double* parameters, rondo_tensor** out) {
  return operator1({"rondo_reduce_with", ops::reduce_name, op}, a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_axes(n_axes, axes));
    if (!parameters) return capi::null_argument("parameters");
    return ops::reduce(op, a->view, n_axes, axes, keep_dims != 0, n_parameters, parameters, output);
  });
}

rondo_status rondo_cumulative(rondo_reduce_op op, rondo_tensor* a, int32_t axis, int32_t reverse, rondo_tensor** out) {
  return operator1({"rondo_cumulative", ops::reduce_name, op}, a, "a", out,
                   [&](ops::Output& output) { return ops::cumulative(op, a->view, axis, reverse != 0, output); });
}

rondo_status rondo_matmul(rondo_tensor* a, rondo_tensor* b, const rondo_matmul_options* options, rondo_tensor** out) {
  constexpr const char* function = "rondo_matmul";
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(check_tensor(b, "b"));
    RONDO_TRY(check_out(out));
    rondo_matmul_options given = RONDO_MATMUL_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &given));
    if (given.bias) RONDO_TRY(check_tensor(given.bias, "options->bias"));
    const ops::Casting casting;
    rondo_tensor *left = a, *right = b;
    RONDO_TRY(capi::cast_operands(casting, function, {&left, &right, &given.bias}, out));
    RONDO_TRY(capi::check_activation(given.activation));
    ops::MatmulOptions chosen;
    chosen.transpose_a = given.transpose_a != 0;
    chosen.transpose_b = given.transpose_b != 0;
    chosen.bias = given.bias ? &given.bias->view : nullptr;
    chosen.activation = given.activation;
    chosen.allow_tf32 = given.allow_tf32 != 0;
    ops::Output output(out);
    return ops::matmul(left->view, right->view, chosen, output);
  });
}

rondo_status rondo_matmul_integer(rondo_tensor* a, rondo_tensor* b, rondo_tensor* a_zero, rondo_tensor* b_zero,
                                  rondo_tensor** out) {
  return operator2("rondo_matmul_integer", a, "a", b, "b", out, [&](ops::Output& output) -> Status {
    if (a_zero) RONDO_TRY(check_tensor(a_zero, "a_zero"));
    if (b_zero) RONDO_TRY(check_tensor(b_zero, "b_zero"));
    return ops::matmul_integer(a->view, b->view, capi::view_of(a_zero), capi::view_of(b_zero), output);
  });
}

rondo_status rondo_softmax(rondo_tensor* a, int32_t axis, rondo_tensor** out) {
  return operator1("rondo_softmax", a, "a", out,
                   [&](ops::Output& output) { return ops::softmax(false, a->view, axis, output); });
}

rondo_status rondo_log_softmax(rondo_tensor* a, int32_t axis, rondo_tensor** out) {
  return operator1("rondo_log_softmax", a, "a", out,
                   [&](ops::Output& output) { return ops::softmax(true, a->view, axis, output); });
}

rondo_status rondo_softmax_grad(rondo_tensor* y, rondo_tensor* dy, int32_t axis, rondo_tensor** out) {
  return operator2("rondo_softmax_grad", y, "y", dy, "dy", out,
                   [&](ops::Output& output) { return ops::softmax_grad(y->view, dy->view, axis, output); });
}

rondo_status rondo_softmax_with(rondo_softmax_op op, rondo_tensor* a, int32_t axis, double temperature,
                                rondo_tensor* lengths, rondo_tensor** out) {
  return operator1({"rondo_softmax_with", ops::softmax_name, op}, a, "a", out, [&](ops::Output& output) -> Status {
    if (lengths) RONDO_TRY(check_tensor(lengths, "lengths"));
    return ops::softmax({op, temperature, lengths ? &lengths->view : nullptr}, a->view, axis, output);
  });
}

rondo_status rondo_softmax_grad_with(rondo_softmax_op op, rondo_tensor* y, rondo_tensor* dy, int32_t axis,
                                     double temperature, rondo_tensor* lengths, rondo_tensor** out) {
  return operator2({"rondo_softmax_grad_with", ops::softmax_name, op}, y, "y", dy, "dy", out,
                   [&](ops::Output& output) -> Status {
                     if (lengths) RONDO_TRY(check_tensor(lengths, "lengths"));
                     return ops::softmax_grad({op, temperature, lengths ? &lengths->view : nullptr}, y->view, dy->view,
                                              axis, output);
                   });
}

static rondo_status normalise(const char* function, ops::Normalisation op, rondo_tensor* a, int32_t axis,
                              rondo_tensor* weight, rondo_tensor* bias, double epsilon, rondo_tensor** out) {
  return operator3(function, a, "a", weight, "weight", bias, "bias", true, out,
                   [=](rondo_tensor* x, rondo_tensor* w, rondo_tensor* b, ops::Output& output) {
                     return ops::normalise(op, x->view, axis, w ? &w->view : nullptr, b ? &b->view : nullptr, epsilon,
                                           output);
                   });
}

rondo_status rondo_layer_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, rondo_tensor* bias, double epsilon,
                              rondo_tensor** out) {
  return normalise("rondo_layer_norm", ops::Normalisation::layer_norm, a, axis, weight, bias, epsilon, out);
}

rondo_status rondo_rms_norm(rondo_tensor* a, int32_t axis, rondo_tensor* weight, double epsilon, rondo_tensor** out) {
  return normalise("rondo_rms_norm", ops::Normalisation::rms_norm, a, axis, weight, nullptr, epsilon, out);
}

rondo_status rondo_cross_entropy(rondo_tensor* logits, rondo_tensor* labels, rondo_tensor** out) {
  return operator2("rondo_cross_entropy", logits, "logits", labels, "labels", out,
                   [&](ops::Output& output) { return ops::cross_entropy(logits->view, labels->view, output); });
}

rondo_status rondo_cross_entropy_grad(rondo_tensor* logits, rondo_tensor* labels, double scale, rondo_tensor** out) {
  return operator2("rondo_cross_entropy_grad", logits, "logits", labels, "labels", out, [&](ops::Output& output) {
    return ops::cross_entropy_grad(logits->view, labels->view, scale, output);
  });
}

rondo_status rondo_random_uniform(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                  const int64_t* shape, double low, double high, rondo_tensor** out) {
  return guard("rondo_random_uniform", [&]() -> Status {
    ops::NewTensor made{};
    RONDO_TRY(new_tensor(engine, device, dtype, ndim, shape, out, &made));
    ops::Output output(out);
    return ops::random_uniform(made, low, high, output);
  });
}

rondo_status rondo_random_normal(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                 const int64_t* shape, double mean, double deviation, rondo_tensor** out) {
  return guard("rondo_random_normal", [&]() -> Status {
    ops::NewTensor made{};
    RONDO_TRY(new_tensor(engine, device, dtype, ndim, shape, out, &made));
    ops::Output output(out);
    return ops::random_normal(made, mean, deviation, output);
  });
}

rondo_status rondo_random_permutation(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t n,
                                      rondo_tensor** out) {
  return guard("rondo_random_permutation", [&]() -> Status {
    ops::NewTensor made{};
    RONDO_TRY(capi::new_tensor(engine, device, dtype, 0, nullptr, out, &made));
    ops::Output output(out);
    return ops::random_permutation(made, n, output);
  });
}

rondo_status rondo_dropout(rondo_tensor* a, double p, rondo_tensor** out, rondo_tensor** mask) {
  return operator1("rondo_dropout", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_out(mask, "mask"));
    if (mask == out)
      return error(RONDO_INVALID_ARGUMENT, "mask is the same pointer as out; each needs a rondo_tensor* of its own");
    ops::Output mask_output(mask, "mask");
    return ops::dropout(a->view, p, output, mask_output);
  });
}

rondo_status rondo_dropout_grad(rondo_tensor* dy, rondo_tensor* mask, double p, rondo_tensor** out) {
  return operator2("rondo_dropout_grad", dy, "dy", mask, "mask", out,
                   [&](ops::Output& output) { return ops::dropout_grad(dy->view, mask->view, p, output); });
}

rondo_status rondo_one_hot(rondo_tensor* indices, int64_t depth, rondo_dtype dtype, rondo_tensor** out) {
  return operator1("rondo_one_hot", indices, "indices", out,
                   [&](ops::Output& output) -> Status { return ops::one_hot(indices->view, depth, dtype, output); });
}

rondo_status rondo_gather_rows(rondo_tensor* table, rondo_tensor* indices, rondo_tensor** out) {
  return operator2("rondo_gather_rows", table, "table", indices, "indices", out,
                   [&](ops::Output& output) { return ops::gather_rows(table->view, indices->view, output); });
}

}  // extern "C"
