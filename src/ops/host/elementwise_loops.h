// Declares the host's loops over elements, each compiled for several instruction sets, which give the same bits.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/machine/instructions.h"
#include "ops/host/folds.h"
#include "ops/host/window_loops.h"
#include "ops/operators/expression.h"
#include "rtc/device/optimizer.h"

namespace rondo::ops {

// to[i] = f(a[i], b[i], c[i]) for n elements of a block; dense, of register types. Operands beyond those of f are not
// looked at.
using Loop = void (*)(void* to, const void* a, const void* b, const void* c, int64_t n);
// Memory to registers and back, along one row.
using LoadRow = void (*)(void* to, const char* from, int64_t stride, int64_t n);
using StoreRow = void (*)(char* to, int64_t stride, const void* from, int64_t n);
// to[r * columns + c] = from[r + c * stride] for a tile of a few elements.
using LoadTile = void (*)(void* to, const char* from, int64_t stride, int64_t rows, int64_t columns);

// A step over n elements in f32; of LAMB, `direction` is what measuring leaves. Null: what the rule does not have.
using StepLoop = void (*)(const device::StepNumbers<float>& numbers, float ratio, float* weights, const float* gradient,
                          float* first, float* second, float* largest, float* direction, int64_t n);

struct Moves {
  LoadRow load;
  LoadTile load_tile;
  StoreRow store;
};

// The function of an f32 that a sum is made of.
enum class Summand : uint8_t { itself, magnitude, square, not_nan };
// sums[c] += from[r * stride + c], in f64, row after row; of f16, some rows together.
template <class M>
using AddRows = void (*)(double* sums, const M* from, int64_t stride, int64_t rows, int64_t columns);
struct Adders {
  AddRows<float> rows;
  AddRows<device::f16> halves;
};

// Lines of sums of f32, each with one scale and one bias: to = sums * scale + bias + residual, at least `low` and at
// most `high`, or hard_swish of that. From one line to the next the arrays go so far on.
struct SumsToFinish {
  int64_t lines, n;
  const float *sums, *scale, *bias, *residual;
  float* to;
  int64_t sums_apart, scale_apart, bias_apart, residual_apart, to_apart;
  float low, high;
  bool hard_swish;
};

struct Loops {
  // The loop of an instruction whose operands are of `from`. Not for generators, which go by the element's number.
  Loop (*find)(const Expression::Instruction& each, rondo_dtype from);
  // The loop of an operator from f16 in memory to f16 in memory, or from bf16 to bf16, with the bits that loads, find()
  // and a store give. Null where there is none.
  Loop (*find_halves)(Op op, rondo_dtype dtype);
  // round(a / b) + c of f32 as u8 or i8, or that as f32 again, with the bits that find() gives step by step.
  Loop (*quantise)(rondo_dtype dtype, bool as_float);
  Moves (*moves)(rondo_dtype dtype, bool accumulate);
  Moves (*bytes)(size_t size);  // of elements that stay as they are
  Adders (*adders)(Summand summand);
  void (*finish)(const SumsToFinish& of);            // with the bits of the operators one by one
  FoldLoops (*fold)(Fold kind, rondo_dtype values);  // positions: of values of at least 4 bytes
  // For softmax: the largest that is a number; to[i] = exp(from[i] - top); values[i] /= by.
  float (*largest)(const float* values, int64_t n);
  void (*exponentials)(float* to, const float* from, float top, int64_t n);
  void (*divide)(float* values, float by, int64_t n);
  // Copies past the caches (streaming.h); null where that is not faster.
  void (*stream)(char* to, const void* from, int64_t bytes);
  StepLoop (*step)(device::StepRule rule);
  const WindowTables* windows;
};

const Loops& loops(Instructions instructions);

// The same loop for a few elements.
Loop find_loop(const Expression::Instruction& each, rondo_dtype from);

}  // namespace rondo::ops
