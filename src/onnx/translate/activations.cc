// Translates activations of one or two inputs, with the attributes that ONNX gives them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

void celu(Call& call) {
  call.out(0, rondo::unary(RONDO_CELU, call.in(0), {call.real("alpha", 1)}));
}

void elu(Call& call) {
  call.out(0, rondo::unary(RONDO_ELU, call.in(0), {call.real("alpha", 1)}));
}

void gelu_node(Call& call) {
  const std::string form = call.text("approximate", "none");
  if (form != "none" && form != "tanh") malformed("its attribute 'approximate' is " + excerpt(form));
  call.out(0, rondo::unary(form == "tanh" ? RONDO_GELU_TANH : RONDO_GELU, call.in(0)));
}

void fast_gelu(Call& call) {
  const Tensor x = call.has(1) ? call.in(0) + call.in(1) : call.in(0);
  call.out(0, rondo::unary(RONDO_GELU_TANH, x));
}

void quick_gelu(Call& call) {
  const Tensor x = call.in(0);
  call.out(0, x * rondo::sigmoid(x * call.real("alpha", 1.702)));
}

void hard_sigmoid(Call& call) {
  call.out(0, rondo::unary(RONDO_HARD_SIGMOID, call.in(0), {call.real("alpha", 0.2), call.real("beta", 0.5)}));
}

void leaky_relu(Call& call) {
  call.out(0, rondo::unary(RONDO_LEAKY_RELU, call.in(0), {call.real("alpha", 0.01)}));
}

void prelu(Call& call) {
  const Tensor x = call.in(0);
  Tensor slope = call.in(1);
  if (call.opset() < 7 && call.ndim(1) == 1 && call.ndim(0) > 2) {  // one for each channel
    Shape shape(static_cast<size_t>(call.ndim(0)) - 1, 1);
    shape[0] = call.shape(1)[0];
    slope = slope.reshape(shape);
  }
  if (is_float(call.dtype(0))) return call.out(0, rondo::binary(RONDO_PRELU, x, slope));
  call.out(0, choose(rondo::binary(RONDO_LT, x, rondo::Number(0)), x * slope, x));
}

void selu(Call& call) {
  const double alpha = call.real("alpha", 1.67326319217681884765625),
               gamma = call.real("gamma", 1.05070102214813232421875);
  call.out(0, rondo::unary(RONDO_ELU, call.in(0), {alpha}) * gamma);
}

void shrink(Call& call) {
  const double bias = call.real("bias", 0), lambda = call.real("lambd", 0.5);
  const Tensor x = call.in(0), wide = is_float(call.dtype(0)) ? x : x.to(RONDO_F64);
  const Tensor zero = call.constant_reals(wide.dtype(), {}, {0});
  const Tensor high = choose(rondo::binary(RONDO_GT, wide, rondo::Number(lambda)), wide - bias, zero);
  call.out(0, choose(rondo::binary(RONDO_LT, wide, rondo::Number(-lambda)), wide + bias, high).to(call.dtype(0)));
}

void swish(Call& call) {
  const double alpha = call.real("alpha", 1);
  const Tensor x = call.in(0);
  call.out(0, alpha == 1 ? rondo::unary(RONDO_SILU, x) : x * rondo::sigmoid(x * alpha));
}

void thresholded_relu(Call& call) {
  const Tensor x = call.in(0);
  const Tensor zero = call.constant_reals(call.dtype(0), {}, {0});
  call.out(0, choose(rondo::binary(RONDO_GT, x, rondo::Number(call.real("alpha", 1))), x, zero));
}

}  // namespace rondo_onnx
