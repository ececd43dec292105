// Translates quantised operators. Products of whole numbers of 8 bits are exact in i32, and convolutions are such
// products; others are computed in f64, which holds them exactly.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/file/whole_numbers.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// Scales or zero points as they broadcast to x: one for all, one per place of an axis, or one per block of it.
Tensor spread(const Tensor& a, const Shape& x, int64_t axis, int64_t block) {
  const Shape s = a.shape();
  if (a.numel() == 1) return a.reshape({});
  if (x.empty()) malformed("its input is one number, and its scales are several");
  const auto place = static_cast<size_t>(axis);
  if (s.size() == 1 && block == 0) {
    Shape shape(x.size(), 1);
    shape[place] = s[0];
    if (s[0] != x[place]) malformed("its scales are not of the size of their axis");
    return a.reshape(shape);
  }
  if (s.size() != x.size()) malformed("its scales have another number of dimensions than its input");
  if (s == x) return a;
  if (block < 1 || s[place] != (x[place] == 0 ? 0 : (x[place] - 1) / block + 1))
    malformed("its scales are not of the number of its blocks");
  // A block that is longer than the axis ends with it.
  const Tensor wide = rondo::repeat(a, std::min(block, std::max<int64_t>(x[place], 1)), static_cast<int32_t>(axis));
  return wide.slice(static_cast<int32_t>(axis), 0, x[place]);
}

int64_t quantised_axis(const Call& call) {
  const int64_t ndim = call.ndim(0);
  return ndim == 0 ? 0 : axis_of(call.integer("axis", ndim > 1 ? 1 : 0), ndim);
}

rondo_dtype wider(rondo_dtype dtype) {
  return dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
}

// A scale or a zero point: a number that is known, or a tensor; neither: a zero point that is not given.
struct Term {
  std::optional<double> number;
  Tensor tensor;

  // Input i, a tensor in the shape that `shaped` gives it.
  template <class Shaped>
  static Term of(const Call& call, size_t i, const Shaped& shaped) {
    Term term;
    double number = 0;
    if (call.scalar(i, &number))
      term.number = number;
    else
      term.tensor = shaped(call.in(i));
    return term;
  }
};
// Input i, as it broadcasts to x.
Term spread_term(const Call& call, size_t i, const Shape& x, int64_t axis, int64_t block) {
  return Term::of(call, i, [&](const Tensor& tensor) { return spread(tensor, x, axis, block); });
}
// Input i, which has one element.
Term one_term(const Call& call, size_t i) {
  return Term::of(call, i, [](const Tensor& tensor) { return tensor.reshape({}); });
}
Tensor operator*(const Tensor& x, const Term& by) {
  return by.number ? x * *by.number : x * by.tensor.to(x.dtype());
}
Tensor operator/(const Tensor& x, const Term& by) {
  return by.number ? x / *by.number : x / by.tensor.to(x.dtype());
}
Tensor operator+(const Tensor& x, const Term& zero) {
  return zero.number ? x + *zero.number : zero.tensor ? x + zero.tensor.to(x.dtype()) : x;
}
Tensor operator-(const Tensor& x, const Term& zero) {
  if (zero.number) return *zero.number == 0 ? x : x - *zero.number;
  return zero.tensor ? x - zero.tensor.to(x.dtype()) : x;
}

// round(x / scale) + zero, limited to the dtype.
Tensor quantise(const Tensor& x, const Term& scale, const Term& zero, rondo_dtype dtype) {
  const Tensor y = x.to(wider(x.dtype())) / scale;
  return dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2 ? y.to(dtype) : (rondo::round(y) + zero).to(dtype);
}

// Whole numbers less their zero point, which may be none, as f64.
Tensor centred(const Tensor& x, const Tensor& zero) {
  const Tensor wide = x.to(RONDO_F64);
  return zero ? wide - zero.to(RONDO_F64) : wide;
}

// Scales of the rows of a left factor, or of the columns of a right one.
Tensor factor_scale(const Call& call, size_t i, bool rows) {
  const Tensor scale = call.in(i);
  return rows && scale.dim() == 1 && scale.numel() > 1 ? scale.reshape({-1, 1})
         : scale.numel() == 1                          ? scale.reshape({})
                                                       : scale;
}

// Their zero points; none where all are known to be 0.
Tensor factor_zero(const Call& call, size_t i, bool rows) {
  if (!call.has(i)) return {};
  if (call.constant(i) && !is_float(call.dtype(i))) {
    const std::vector<int64_t> zeros = call.whole_numbers(i, "its zero points");
    if (std::all_of(zeros.begin(), zeros.end(), [](int64_t each) { return each == 0; })) return {};
  }
  return factor_scale(call, i, rows);
}

}  // namespace

void quantize_linear(Call& call) {
  rondo_dtype dtype = call.has(2) ? call.dtype(2) : RONDO_U8;
  const int64_t type = call.integer("output_dtype", 0);
  const int bits = type != 0 ? narrow_bits(type) : call.bits(2);
  if (type != 0 && !find_storage(type, &dtype))
    refuse("it quantises to " + type_name(type) + ", which Rondo does not have");
  const int64_t precision = call.integer("precision", 0);
  if (precision > 1) refuse("it divides in " + type_name(precision) + "; f32 can be converted");
  if ((dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2) && call.integer("saturate", 1) == 0)
    refuse("it quantises to an 8-bit float without saturation, which Rondo does not do");
  const int64_t axis = quantised_axis(call), block = call.integer("block_size", 0);
  const Shape s = call.shape(0);
  const bool small = dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2;
  const Tensor y = quantise(call.in(0), spread_term(call, 1, s, axis, block),
                            call.has(2) && !small ? spread_term(call, 2, s, axis, block) : Term(), dtype);
  if (bits == 0) return call.out(0, y);
  const int64_t most = int64_t{1} << bits, low = dtype == RONDO_I8 ? -most / 2 : 0;
  call.out(0, rondo::minimum(rondo::maximum(y, rondo::Number(low)), rondo::Number(low + most - 1)));
  call.narrow(0, bits);
}

void dequantize_linear(Call& call) {
  const int64_t axis = quantised_axis(call), block = call.integer("block_size", 0);
  const Shape s = call.shape(0);
  rondo_dtype dtype = call.dtype(1);
  const int64_t type = call.integer("output_dtype", 0);
  if (type != 0 && !find_dtype(type, &dtype)) refuse("it gives " + type_name(type) + ", which Rondo does not have");
  const rondo_dtype wide = wider(call.dtype(1));
  const bool large = call.dtype(0) == RONDO_I32;  // a difference of two of these is exact in f64 alone
  const Term zero = call.has(2) ? spread_term(call, 2, s, axis, block) : Term();
  const Tensor x = call.in(0).to(large ? RONDO_F64 : wide) - zero;
  call.out(0, (x.to(wide) * spread_term(call, 1, s, axis, block)).to(dtype));
}

void dynamic_quantize_linear(Call& call) {
  const Tensor x = call.in(0);
  const Tensor low = rondo::binary(RONDO_MINIMUM, rondo::reduce(RONDO_MIN, x), rondo::Number(0.0));
  const Tensor high = rondo::binary(RONDO_MAXIMUM, rondo::reduce(RONDO_MAX, x), rondo::Number(0.0));
  const Tensor scale = (high - low) / rondo::Number(255.0);
  const Tensor zero = rondo::round(rondo::neg(low) / scale).to(RONDO_U8);
  call.out(0, quantise(x, {{}, scale}, {{}, zero}, RONDO_U8));
  call.out(1, scale);
  call.out(2, zero);
}

namespace {

// Tells whether factors are of u8 or i8, and so are their zero points, if there are some.
bool are_bytes(const Tensor& a, const Tensor& b, const Tensor& a_zero, const Tensor& b_zero) {
  const auto is_byte = [](const Tensor& x) { return x.dtype() == RONDO_U8 || x.dtype() == RONDO_I8; };
  return is_byte(a) && is_byte(b) && (!a_zero || a_zero.dtype() == a.dtype()) &&
         (!b_zero || b_zero.dtype() == b.dtype());
}

// The product of whole numbers less their zero points, which may be none, in i32; of other dtypes in f64.
Tensor whole_product(const Tensor& a, const Tensor& b, const Tensor& a_zero, const Tensor& b_zero) {
  if (!are_bytes(a, b, a_zero, b_zero)) return matrix_product(centred(a, a_zero), centred(b, b_zero));
  const Shape as = a.shape(), bs = b.shape();
  if (as.empty() || bs.empty()) malformed("an input of the product has no dimensions");
  const Tensor left = as.size() == 1 ? a.unsqueeze(0) : a, right = bs.size() == 1 ? b.unsqueeze(1) : b;
  const Tensor c = rondo::matmul_integer(left, right, a_zero ? &a_zero : nullptr, b_zero ? &b_zero : nullptr);
  Shape shape = c.shape();
  if (bs.size() == 1) shape.pop_back();
  if (as.size() == 1) shape.erase(shape.end() - (bs.size() == 1 ? 1 : 2));
  return c.reshape(shape);
}

}  // namespace

namespace {

// The product of both scales of what stands for an operator of dequantised numbers, if each is one number.
std::optional<double> one_scale(const Call& call) {
  double a = 0, b = 0;
  if (!call.scalar(4, &a) || !call.scalar(5, &b)) return {};
  return static_cast<double>(static_cast<float>(a) * static_cast<float>(b));
}

}  // namespace

void matmul_integer(Call& call) {
  const Tensor az = factor_zero(call, 2, true), bz = factor_zero(call, 3, false);
  if (!call.node().rewritten) return call.out(0, whole_product(call.in(0), call.in(1), az, bz).to(RONDO_I32));
  // It stands for a product of dequantised numbers, and has their scales.
  const Shape s = call.shape(0);
  const bool is_exact = s.empty() || s.back() <= kMostExact;
  const Tensor sums = is_exact ? whole_product(call.in(0), call.in(1), az, bz).to(RONDO_I32)
                               : matrix_product(centred(call.in(0), az), centred(call.in(1), bz));
  if (const std::optional<double> scale = one_scale(call)) return call.out(0, sums.to(RONDO_F32) * *scale);
  call.out(0, sums.to(RONDO_F32) * call.precomputed([&] { return call.in(4) * call.in(5); }));
}

void quantized_matmul(Call& call) {
  const Tensor az = factor_zero(call, 2, true), bz = factor_zero(call, 5, false);
  const Tensor sum = whole_product(call.in(0), call.in(3), az, bz).to(RONDO_F64);
  const Tensor as = factor_scale(call, 1, true).to(RONDO_F64), bs = factor_scale(call, 4, false).to(RONDO_F64);
  const Tensor ys = factor_scale(call, 6, true), yz = factor_scale(call, 7, true);
  call.out(0, quantise(sum * as * bs, {{}, ys}, {{}, yz}, call.dtype(7)));
}

void matmul_nbits(Call& call) {
  const int64_t k = call.integer("K", 0), n = call.integer("N", 0), bits = call.integer("bits", 4),
                block = call.integer("block_size", 0);
  if (bits != 4 && bits != 8) refuse("its weights have " + std::to_string(bits) + " bits; 4 and 8 can be converted");
  if (!call.constant(1) || !call.constant(2) || (call.has(3) && !call.constant(3)))
    refuse("its weights are computed by the program; they must be constants");
  if (call.integer("weight_prepacked", 0) != 0) refuse("its weights are in an order of a device (weight_prepacked)");
  if (call.has(4)) refuse("its groups are in an order of their own (g_idx)");
  if (k < 1 || n < 1 || block < 2 || block > (int64_t{1} << 20) || k > (int64_t{1} << 40))
    malformed("its sizes are none");
  const int64_t blocks = (k + block - 1) / block;
  count_elements({n, blocks, block}, sizeof(double), "its weights");
  const rondo_dtype dtype = call.dtype(0);
  // Two numbers in a byte, the first in its lower half, each as a byte.
  const auto unpacked = [&](const Tensor& packed, const Shape& shape) {
    if (bits == 8) return packed.reshape(shape);
    const Tensor low = rondo::binary(RONDO_BIT_AND, packed, rondo::Number(15)),
                 high = rondo::binary(RONDO_SHIFT_RIGHT, packed, rondo::Number(4));
    return rondo::stack({low, high}, static_cast<int32_t>(packed.dim())).reshape(shape);
  };
  const Tensor w = call.precomputed([&] {
    const Tensor numbers =
        unpacked(call.in(1).reshape({n, blocks, block * bits / 8}), {n, blocks, block}).to(RONDO_F32);
    const Tensor scales = call.in(2).reshape({n, blocks, 1}).to(RONDO_F32);
    Tensor centred = numbers - (bits == 4 ? 8.0 : 128.0);
    if (call.has(3) && is_float(call.dtype(3))) {
      centred = numbers - call.in(3).reshape({n, blocks, 1}).to(RONDO_F32);
    } else if (call.has(3)) {
      const int64_t bytes = (blocks * bits + 7) / 8;
      const Tensor zeros = unpacked(call.in(3).reshape({n, bytes}), {n, bytes * 8 / bits}).slice(1, 0, blocks);
      centred = numbers - zeros.to(RONDO_F32).reshape({n, blocks, 1});
    }
    return (centred * scales).reshape({n, blocks * block}).slice(1, 0, k).to(dtype).contiguous();
  });
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_b = 1;
  Tensor bias;
  if (call.has(5)) {
    bias = call.in(5);
    options.bias = bias.get();
  }
  const Shape s = call.shape(0);
  Shape target(s.begin(), s.end() - (s.empty() ? 0 : 1));
  target.push_back(n);
  call.out(0, rondo::matmul(call.in(0).reshape({-1, k}), w, options).reshape(target));
}

namespace {

// One number per filter, as it broadcasts to the filters.
Tensor per_filter(const Tensor& a, size_t ndim, size_t place) {
  if (a.numel() == 1) return a.reshape({});
  Shape shape(ndim, 1);
  shape[place] = a.numel();
  return a.reshape(shape);
}

// The convolution of whole numbers less their zero points, which may be none: those of 8 bits in i32, others in f64.
Tensor whole_convolution(Call& call, const Tensor& x, const Tensor& w, const Tensor& x_zero, const Tensor& w_zero) {
  if (are_bytes(x, w, x_zero, w_zero))
    if (const Tensor sums = integer_convolved(call, x, w, x_zero, w_zero)) return sums;
  return convolved(call, centred(x, x_zero), centred(w, w_zero), nullptr);
}

}  // namespace

void convolution_integer(Call& call) {
  const auto ndim = static_cast<size_t>(call.ndim(1));
  if (const int64_t count = call.has(2) ? product(call.shape(2)) : 1; count != 1)
    malformed("x_zero_point has " + std::to_string(count) + " numbers; 1 is needed");
  const Tensor xz = factor_zero(call, 2, false), zeros = factor_zero(call, 3, false);
  const Tensor wz = zeros ? per_filter(zeros, ndim, 0) : Tensor();
  const Tensor sums = whole_convolution(call, call.in(0), call.in(1), xz, wz);
  if (!call.node().rewritten) return call.out(0, sums.to(RONDO_I32));
  // It stands for a convolution of dequantised numbers, and has their scales and the bias.
  Tensor y;
  if (const std::optional<double> scale = one_scale(call))
    y = sums.to(RONDO_F32) * *scale;
  else
    y = sums.to(RONDO_F32) * call.precomputed([&] { return per_filter(call.in(4) * call.in(5), ndim, 1); });
  call.out(0, call.has(6) ? y + per_filter(call.in(6), ndim, 1) : y);
}

void quantized_convolution(Call& call) {
  const auto ndim = static_cast<size_t>(call.ndim(0));
  const Tensor xz = call.in(2).reshape({}), wz = per_filter(call.in(5), ndim, 0);
  Tensor sum = whole_convolution(call, call.in(0), call.in(3), xz, wz).to(RONDO_F64);
  if (call.has(8)) sum = sum + per_filter(call.in(8), ndim, 1).to(RONDO_F64);
  const Tensor scale = call.in(1).reshape({}).to(RONDO_F64) * per_filter(call.in(4), ndim, 1).to(RONDO_F64);
  call.out(0, quantise(sum * scale, one_term(call, 6), one_term(call, 7), call.dtype(7)));
}

namespace {

// The numbers that whole ones stand for: those of input i, whose scale and zero point, which may be none, follow it.
Tensor meant(const Call& call, size_t i) {
  const Tensor wide = call.in(i).to(RONDO_F32);
  return (call.has(i + 2) ? wide - one_term(call, i + 2) : wide) * one_term(call, i + 1);
}

// Quantises by the scale that is input i, and the zero point after it, which may be none.
void give(Call& call, const Tensor& x, size_t i, rondo_dtype dtype) {
  call.out(0, quantise(x, one_term(call, i), call.has(i + 1) ? one_term(call, i + 1) : Term(), dtype));
}

}  // namespace

void quantized_binary(Call& call, rondo_binary_op op) {
  give(call, rondo::binary(op, meant(call, 0), meant(call, 3)), 6, call.dtype(0));
}

void quantized_sigmoid(Call& call) {
  give(call, rondo::sigmoid(meant(call, 0)), 3, call.dtype(0));
}

void quantized_leaky_relu(Call& call) {
  give(call, rondo::unary(RONDO_LEAKY_RELU, meant(call, 0), {call.real("alpha", 0.01)}), 3, call.dtype(0));
}

void quantized_concat(Call& call) {
  std::vector<Tensor> parts;
  // All that the node names: one that is not given at its end counts too.
  const size_t count = call.node().inputs.size();
  if (count < 5 || (count - 2) % 3 != 0)
    malformed("it has " + std::to_string(count) +
              " inputs; a scale and a zero point of its result, and then three for each part, are needed");
  for (size_t i = 0; i < count; ++i)
    if (!call.has(i)) malformed("its input " + std::to_string(i) + " is not given");
  if (!call.has_attribute("axis")) malformed("it has no attribute 'axis'");
  for (size_t i = 2; i < count; i += 3) parts.push_back(meant(call, i));
  give(call, rondo::concat(parts, static_cast<int32_t>(call.axis("axis", 0, call.ndim(2)))), 0, call.dtype(2));
}

void quantized_global_average(Call& call) {
  const bool last = call.integer("channels_last", 0) != 0;
  std::vector<int64_t> axes;
  for (int64_t i = last ? 1 : 2; i < call.ndim(0) - (last ? 1 : 0); ++i) axes.push_back(i);
  if (axes.empty()) malformed("its input has no axes to average over");
  give(call, rondo::reduce(RONDO_MEAN, meant(call, 0), rondo::Axes(axes), true), 3, call.dtype(0));
}

void quantized_gemm(Call& call) {
  if (call.ndim(0) != 2 || call.ndim(3) != 2) malformed("its factors are no matrices");
  const auto factor = [&](size_t i, const char* transposed) {
    return call.integer(transposed, 0) != 0 ? call.in(i).transpose(0, 1) : call.in(i);
  };
  const Tensor az = factor_zero(call, 2, false), bz = factor_zero(call, 5, false);
  Tensor sum = whole_product(factor(0, "transA"), factor(3, "transB"), az, bz).to(RONDO_F64);
  if (call.has(6)) sum = sum + call.in(6).to(RONDO_F64);
  const Tensor scale = call.in(1).reshape({}).to(RONDO_F64) * factor_scale(call, 4, false).to(RONDO_F64);
  const Tensor real = sum * scale * call.real("alpha", 1);
  if (call.has(8) && !call.has(7)) malformed("its result has a zero point (y_zero_point) and no scale (y_scale)");
  if (call.has(8)) return give(call, real, 7, call.dtype(8));
  // Without a zero point nothing is rounded, and a scale is a divisor alone, as onnxruntime has it.
  call.out(0, (call.has(7) ? real / call.in(7).reshape({}).to(RONDO_F64) : real).to(RONDO_F32));
}

}  // namespace rondo_onnx
