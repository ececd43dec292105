// Operators of one operand, element by element, as methods. Written by bindings/cpp/generate.py.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GENERATED_UNARY_METHODS_HPP
#define RONDO_HPP_GENERATED_UNARY_METHODS_HPP

#include <rondo/ops.h>
#include <rondo/hpp/arguments.hpp>

namespace rondo {
inline namespace abi_0 {
namespace detail {

template <class T>
class UnaryMethods {
 public:
  T neg() const { return unary(RONDO_NEG, self()); }
  const T& neg_() const { return unary_into(RONDO_NEG, self(), self()); }
  T abs() const { return unary(RONDO_ABS, self()); }
  const T& abs_() const { return unary_into(RONDO_ABS, self(), self()); }
  T sign() const { return unary(RONDO_SIGN, self()); }
  const T& sign_() const { return unary_into(RONDO_SIGN, self(), self()); }
  T square() const { return unary(RONDO_SQUARE, self()); }
  const T& square_() const { return unary_into(RONDO_SQUARE, self(), self()); }
  T logical_not() const { return unary(RONDO_LOGICAL_NOT, self()); }
  T isnan() const { return unary(RONDO_ISNAN, self()); }
  T relu() const { return unary(RONDO_RELU, self()); }
  const T& relu_() const { return unary_into(RONDO_RELU, self(), self()); }
  T floor() const { return unary(RONDO_FLOOR, self()); }
  const T& floor_() const { return unary_into(RONDO_FLOOR, self(), self()); }
  T ceil() const { return unary(RONDO_CEIL, self()); }
  const T& ceil_() const { return unary_into(RONDO_CEIL, self(), self()); }
  T round() const { return unary(RONDO_ROUND, self()); }
  const T& round_() const { return unary_into(RONDO_ROUND, self(), self()); }
  T trunc() const { return unary(RONDO_TRUNC, self()); }
  const T& trunc_() const { return unary_into(RONDO_TRUNC, self(), self()); }
  T isinf() const { return unary(RONDO_ISINF, self()); }
  T round_away() const { return unary(RONDO_ROUND_AWAY, self()); }
  const T& round_away_() const { return unary_into(RONDO_ROUND_AWAY, self(), self()); }
  T isposinf() const { return unary(RONDO_ISPOSINF, self()); }
  T isneginf() const { return unary(RONDO_ISNEGINF, self()); }
  T isfinite() const { return unary(RONDO_ISFINITE, self()); }
  T signbit() const { return unary(RONDO_SIGNBIT, self()); }
  T bit_not() const { return unary(RONDO_BIT_NOT, self()); }
  const T& bit_not_() const { return unary_into(RONDO_BIT_NOT, self(), self()); }
  T clip(double low, double high) const { return unary(RONDO_CLIP, self(), {low, high}); }
  const T& clip_(double low, double high) const { return unary_into(RONDO_CLIP, self(), {low, high}, self()); }
  T exp() const { return unary(RONDO_EXP, self()); }
  const T& exp_() const { return unary_into(RONDO_EXP, self(), self()); }
  T exp2() const { return unary(RONDO_EXP2, self()); }
  const T& exp2_() const { return unary_into(RONDO_EXP2, self(), self()); }
  T expm1() const { return unary(RONDO_EXPM1, self()); }
  const T& expm1_() const { return unary_into(RONDO_EXPM1, self(), self()); }
  T log() const { return unary(RONDO_LOG, self()); }
  const T& log_() const { return unary_into(RONDO_LOG, self(), self()); }
  T log2() const { return unary(RONDO_LOG2, self()); }
  const T& log2_() const { return unary_into(RONDO_LOG2, self(), self()); }
  T log10() const { return unary(RONDO_LOG10, self()); }
  const T& log10_() const { return unary_into(RONDO_LOG10, self(), self()); }
  T log1p() const { return unary(RONDO_LOG1P, self()); }
  const T& log1p_() const { return unary_into(RONDO_LOG1P, self(), self()); }
  T sqrt() const { return unary(RONDO_SQRT, self()); }
  const T& sqrt_() const { return unary_into(RONDO_SQRT, self(), self()); }
  T rsqrt() const { return unary(RONDO_RSQRT, self()); }
  const T& rsqrt_() const { return unary_into(RONDO_RSQRT, self(), self()); }
  T cbrt() const { return unary(RONDO_CBRT, self()); }
  const T& cbrt_() const { return unary_into(RONDO_CBRT, self(), self()); }
  T rcbrt() const { return unary(RONDO_RCBRT, self()); }
  const T& rcbrt_() const { return unary_into(RONDO_RCBRT, self(), self()); }
  T reciprocal() const { return unary(RONDO_RECIPROCAL, self()); }
  const T& reciprocal_() const { return unary_into(RONDO_RECIPROCAL, self(), self()); }
  T sin() const { return unary(RONDO_SIN, self()); }
  const T& sin_() const { return unary_into(RONDO_SIN, self(), self()); }
  T cos() const { return unary(RONDO_COS, self()); }
  const T& cos_() const { return unary_into(RONDO_COS, self(), self()); }
  T tan() const { return unary(RONDO_TAN, self()); }
  const T& tan_() const { return unary_into(RONDO_TAN, self(), self()); }
  T asin() const { return unary(RONDO_ASIN, self()); }
  const T& asin_() const { return unary_into(RONDO_ASIN, self(), self()); }
  T acos() const { return unary(RONDO_ACOS, self()); }
  const T& acos_() const { return unary_into(RONDO_ACOS, self(), self()); }
  T atan() const { return unary(RONDO_ATAN, self()); }
  const T& atan_() const { return unary_into(RONDO_ATAN, self(), self()); }
  T sinh() const { return unary(RONDO_SINH, self()); }
  const T& sinh_() const { return unary_into(RONDO_SINH, self(), self()); }
  T cosh() const { return unary(RONDO_COSH, self()); }
  const T& cosh_() const { return unary_into(RONDO_COSH, self(), self()); }
  T tanh() const { return unary(RONDO_TANH, self()); }
  const T& tanh_() const { return unary_into(RONDO_TANH, self(), self()); }
  T asinh() const { return unary(RONDO_ASINH, self()); }
  const T& asinh_() const { return unary_into(RONDO_ASINH, self(), self()); }
  T acosh() const { return unary(RONDO_ACOSH, self()); }
  const T& acosh_() const { return unary_into(RONDO_ACOSH, self(), self()); }
  T atanh() const { return unary(RONDO_ATANH, self()); }
  const T& atanh_() const { return unary_into(RONDO_ATANH, self(), self()); }
  T degrees() const { return unary(RONDO_DEGREES, self()); }
  const T& degrees_() const { return unary_into(RONDO_DEGREES, self(), self()); }
  T radians() const { return unary(RONDO_RADIANS, self()); }
  const T& radians_() const { return unary_into(RONDO_RADIANS, self(), self()); }
  T erf() const { return unary(RONDO_ERF, self()); }
  const T& erf_() const { return unary_into(RONDO_ERF, self(), self()); }
  T erfc() const { return unary(RONDO_ERFC, self()); }
  const T& erfc_() const { return unary_into(RONDO_ERFC, self(), self()); }
  T erfinv() const { return unary(RONDO_ERFINV, self()); }
  const T& erfinv_() const { return unary_into(RONDO_ERFINV, self(), self()); }
  T gamma() const { return unary(RONDO_GAMMA, self()); }
  const T& gamma_() const { return unary_into(RONDO_GAMMA, self(), self()); }
  T lgamma() const { return unary(RONDO_LGAMMA, self()); }
  const T& lgamma_() const { return unary_into(RONDO_LGAMMA, self(), self()); }
  T digamma() const { return unary(RONDO_DIGAMMA, self()); }
  const T& digamma_() const { return unary_into(RONDO_DIGAMMA, self(), self()); }
  T trigamma() const { return unary(RONDO_TRIGAMMA, self()); }
  const T& trigamma_() const { return unary_into(RONDO_TRIGAMMA, self(), self()); }
  T sigmoid() const { return unary(RONDO_SIGMOID, self()); }
  const T& sigmoid_() const { return unary_into(RONDO_SIGMOID, self(), self()); }
  T log_sigmoid() const { return unary(RONDO_LOG_SIGMOID, self()); }
  const T& log_sigmoid_() const { return unary_into(RONDO_LOG_SIGMOID, self(), self()); }
  T softplus(double beta = 1) const { return unary(RONDO_SOFTPLUS, self(), {beta}); }
  const T& softplus_(double beta = 1) const { return unary_into(RONDO_SOFTPLUS, self(), {beta}, self()); }
  T softsign() const { return unary(RONDO_SOFTSIGN, self()); }
  const T& softsign_() const { return unary_into(RONDO_SOFTSIGN, self(), self()); }
  T gelu() const { return unary(RONDO_GELU, self()); }
  const T& gelu_() const { return unary_into(RONDO_GELU, self(), self()); }
  T gelu_tanh() const { return unary(RONDO_GELU_TANH, self()); }
  const T& gelu_tanh_() const { return unary_into(RONDO_GELU_TANH, self(), self()); }
  T silu() const { return unary(RONDO_SILU, self()); }
  const T& silu_() const { return unary_into(RONDO_SILU, self(), self()); }
  T mish() const { return unary(RONDO_MISH, self()); }
  const T& mish_() const { return unary_into(RONDO_MISH, self(), self()); }
  T elu(double alpha = 1) const { return unary(RONDO_ELU, self(), {alpha}); }
  const T& elu_(double alpha = 1) const { return unary_into(RONDO_ELU, self(), {alpha}, self()); }
  T selu() const { return unary(RONDO_SELU, self()); }
  const T& selu_() const { return unary_into(RONDO_SELU, self(), self()); }
  T celu(double alpha = 1) const { return unary(RONDO_CELU, self(), {alpha}); }
  const T& celu_(double alpha = 1) const { return unary_into(RONDO_CELU, self(), {alpha}, self()); }
  T leaky_relu(double slope = 0.01) const { return unary(RONDO_LEAKY_RELU, self(), {slope}); }
  const T& leaky_relu_(double slope = 0.01) const { return unary_into(RONDO_LEAKY_RELU, self(), {slope}, self()); }
  T hard_tanh(double low = -1, double high = 1) const { return unary(RONDO_HARD_TANH, self(), {low, high}); }
  const T& hard_tanh_(double low = -1, double high = 1) const {
    return unary_into(RONDO_HARD_TANH, self(), {low, high}, self());
  }
  T hard_sigmoid(double alpha = 0.16666666666666666667, double beta = 0.5) const {
    return unary(RONDO_HARD_SIGMOID, self(), {alpha, beta});
  }
  const T& hard_sigmoid_(double alpha = 0.16666666666666666667, double beta = 0.5) const {
    return unary_into(RONDO_HARD_SIGMOID, self(), {alpha, beta}, self());
  }
  T hard_swish() const { return unary(RONDO_HARD_SWISH, self()); }
  const T& hard_swish_() const { return unary_into(RONDO_HARD_SWISH, self(), self()); }
  T smooth_l1_sigma(double sigma = 1) const { return unary(RONDO_SMOOTH_L1_SIGMA, self(), {sigma}); }
  const T& smooth_l1_sigma_(double sigma = 1) const {
    return unary_into(RONDO_SMOOTH_L1_SIGMA, self(), {sigma}, self());
  }

 private:
  const T& self() const noexcept { return static_cast<const T&>(*this); }
};

}  // namespace detail

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GENERATED_UNARY_METHODS_HPP
