// The attributes of each kind of operator: all that its results depend on, besides its operands. Each struct names its
// members once (RONDO_MEMBERS), so that comparing, hashing and writing them follow from the list.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/optimizer.h>
#include <rondo/shapes.h>

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "base/members.h"
#include "engine/views.h"
#include "ops/operators/convolution_options.h"
#include "ops/operators/enumerators.h"
#include "ops/operators/expression.h"
#include "ops/operators/operators.h"
#include "ops/operators/windows.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// Says what a node does besides writing its results, from the weakest to the strongest.
enum class Effects : uint8_t {
  pure,     // nothing: what is not read need not be computed
  draws,    // takes random numbers from its device's sequence, which a launch counts in any case
  kept,     // may fail for a reason of its own, and so is never left out
  ordered,  // acts outside of the program: it is never left out, and stays in order with others of this effect
  opaque    // may touch what it does not name: nothing moves past it
};

// A row of the table. Inputs: its operands in order; one of two may be a scalar instead, the first word.
struct ElementwiseCall {
  const Operator* row;
  rondo_dtype computed;  // the dtype it computes in
  bool scalar, scalar_first;
  uint64_t words[3];  // the scalar, if there is one, then the parameters
  size_t used() const { return static_cast<size_t>((row ? row->parameters : 0) + (scalar ? 1 : 0)); }
  template <class Self, class Visit>
  static constexpr void each_member(Self& self, const Visit& visit) {
    visit("row", self.row), visit("computed", self.computed);
    visit("scalar", self.scalar), visit("scalar_first", self.scalar_first);
    visit("words", std::span(self.words, self.used()));
  }
};
// Any expression in one task: its inputs, its outputs.
struct Fused {
  Expression expression;
  uint64_t words[Expression::kMaxScalars];
};
struct FusedCall {
  std::shared_ptr<const Fused> fused;
  RONDO_MEMBERS(fused)
};
struct AddNCall {
  RONDO_MEMBERS()
};
struct WhereCall {
  RONDO_MEMBERS()
};
// a times the row of the gate.
struct GatedCall {
  const Operator* row;
  rondo_dtype computed;
  uint64_t words[2];  // the row's parameters
  size_t used() const { return static_cast<size_t>(row ? row->parameters : 0); }
  template <class Self, class Visit>
  static constexpr void each_member(Self& self, const Visit& visit) {
    visit("row", self.row), visit("computed", self.computed);
    visit("words", std::span(self.words, self.used()));
  }
};
// With or without a cast, an exchange of devices, a broadcast.
struct CopyCall {
  RONDO_MEMBERS()
};
struct DropoutCall {
  double p;
  RONDO_MEMBERS(p)
};
struct DropoutGradCall {
  double p;
  RONDO_MEMBERS(p)
};
struct MatmulCall {
  bool transpose_a, transpose_b, bias, allow_tf32;
  rondo_activation activation;
  RONDO_MEMBERS(transpose_a, transpose_b, bias, allow_tf32, activation)
};
struct MatmulIntegerCall {
  bool a_zero, b_zero;
  RONDO_MEMBERS(a_zero, b_zero)
};
struct ReduceCall {
  ReduceOp op;
  double parameter;
  uint32_t axes;  // bit d: axis d of the operand is reduced
  bool keep_dims;
  RONDO_MEMBERS(op, parameter, axes, keep_dims)
};
struct SoftmaxCall {
  rondo_softmax_op op;
  double temperature;
  int axis;
  bool lengths;
  RONDO_MEMBERS(op, temperature, axis, lengths)
};
struct SoftmaxGradCall : SoftmaxCall {};
struct NormalisationCall {
  Normalisation op;
  bool weight, bias;
  int axis;
  double epsilon;
  RONDO_MEMBERS(op, weight, bias, axis, epsilon)
};
struct NormalisationGradCall {
  Normalisation op;
  bool weight;
  int axis;
  double epsilon;
  RONDO_MEMBERS(op, weight, axis, epsilon)
};
// `second` is the inverse of the deviation, or the variance where statistics are given.
struct BatchNormCall {
  unsigned axes;      // bit d: dimension d is within a group
  unsigned channels;  // bit d: weight and bias have dimension d
  double epsilon;
  bool given;  // mean and variance are operands like others; else mean and inverse are made of a
  bool weight, bias, residual;
  rondo_activation activation;
  RONDO_MEMBERS(axes, channels, epsilon, given, weight, bias, residual, activation)
};
struct BatchNormStatisticsCall {  // its results are among the operands of BatchNormCall
  unsigned axes;
  double epsilon, momentum;  // of running statistics, if it moves any
  RONDO_MEMBERS(axes, epsilon, momentum)
};
struct BatchNormSumsCall {  // y is there if only its positive elements count
  unsigned axes;            // which the two sums are over, of dy weight and of that times (a - mean) inverse
  bool masked, weight;
  bool rest;  // what rounding took from the mean is known
  RONDO_MEMBERS(axes, masked, weight, rest)
};
// The gradient of x through products of its elements over these axes, or of running ones along the one axis.
struct ProductGradCall {
  uint32_t axes;
  bool running, reverse;
  bool skips_nan;  // NaN counts as 1
  RONDO_MEMBERS(axes, running, reverse, skips_nan)
};
struct CumulativeCall {
  ReduceOp op;
  int axis;
  bool reverse;
  RONDO_MEMBERS(op, axis, reverse)
};
struct CrossEntropyCall {
  RONDO_MEMBERS()
};
struct CrossEntropyGradCall {
  double scale;
  RONDO_MEMBERS(scale)
};
struct ConcatCall {  // stack gives each tensor an axis of size 1
  int axis;
  RONDO_MEMBERS(axis)
};
struct PadCall {
  rondo_pad_mode mode;
  int64_t widths[2 * kMaxDims];
  uint64_t fill;  // the bits of an element
  RONDO_MEMBERS(mode, widths, fill)
};
struct TileCall {
  int n;
  int64_t counts[kMaxDims];
  RONDO_MEMBERS(n, counts)
};
struct RepeatCall {
  int64_t count;
  int axis;
  RONDO_MEMBERS(count, axis)
};
struct RollCall {
  int64_t shifts[kMaxDims];  // each within its dimension
  RONDO_MEMBERS(shifts)
};
struct TriangleCall {
  bool upper;
  int64_t diagonal;
  RONDO_MEMBERS(upper, diagonal)
};
struct TakeCall {
  int axis;
  RONDO_MEMBERS(axis)
};
struct TakeAlongAxisCall {
  int axis;
  RONDO_MEMBERS(axis)
};
struct PutCall {  // values are added to the output, or replace elements of the tensor
  int axis;
  bool along;  // as take_along_axis, else as take
  bool replaces;
  RONDO_MEMBERS(axis, along, replaces)
};
struct SortCall {
  int axis;
  bool descending, values, indices;  // which of the two results there are
  RONDO_MEMBERS(axis, descending, values, indices)
};
struct ConvolutionCall {
  ConvolutionOptions options;
  bool scale, bias, residual;
  RONDO_MEMBERS(options, scale, bias, residual)
};
struct ConvolutionFilterGradCall {
  ConvolutionOptions options;
  int64_t kernel[kMaxSpatial];
  RONDO_MEMBERS(options, kernel)
};

struct WindowCall {
  Windows windows;
  bool largest;  // the largest element of each window, else a mean or a sum
  bool places;   // in their windows, of the largest elements
  Layout image;  // its shape
  RONDO_MEMBERS(windows, largest, places, image)
};
struct WindowGradCall : WindowCall {};
struct WindowPickCall {
  Windows windows;
  Layout image;
  RONDO_MEMBERS(windows, image)
};

// How queries see keys.
struct AttentionNumbers {
  double scale, cap, dropped;  // cap 0: none
  int64_t before, after;       // how many keys on each side of its own place; -1: all
  bool last;                   // the last query's own place is the last key; else the first ones meet
  RONDO_MEMBERS(scale, cap, dropped, before, after, last)
};
// lse: the logarithms of the sums; draw: where the random numbers of dropout began.
struct AttentionCall {
  AttentionNumbers numbers;
  bool mask, query_lengths, key_lengths;
  RONDO_MEMBERS(numbers, mask, query_lengths, key_lengths)
};
struct AttentionGradCall : AttentionCall {
  bool dlse;  // something came in for the logarithms
  RONDO_MEMBERS(numbers, mask, query_lengths, key_lengths, dlse)
};

// size: of a head.
struct AttentionKeptCall {
  AttentionNumbers numbers;
  int64_t size;
  RONDO_MEMBERS(numbers, size)
};

// How rows turn.
struct RotaryForm {
  int64_t channels;  // that turn; for a caller 0: all
  double base;
  int axis;          // along which places are counted
  bool interleaved;  // pairs are neighbours
  bool inverse;
  RONDO_MEMBERS(channels, base, axis, interleaved, inverse)
};
struct RotaryCall {
  RotaryForm form;
  bool positions;
  RONDO_MEMBERS(form, positions)
};

// Describes a recurrent layer.
enum class RecurrentKind : uint8_t { lstm, gru, rnn };
struct RecurrentForm {
  RecurrentKind kind;
  bool relu, bidirectional, batch_first, biased;
  int32_t layers;
  RONDO_MEMBERS(kind, relu, bidirectional, batch_first, biased, layers)
};
// left: for each layer what its directions left (ops/recurrent/recurrent.h), and its result, but of the last.
struct RecurrentCall {
  RecurrentForm form;
  bool lengths, first_h, first_c, last_h, last_c;
  RONDO_MEMBERS(form, lengths, first_h, first_c, last_h, last_c)
};
// x and dy have their steps first. If first states or cells were given, those of all steps come for each direction
// of each layer, then the weights, then what the layers left, which no tape is told.
struct RecurrentGradCall {
  RecurrentForm form;
  bool change_h, change_c, lengths, first_h, first_c;
  bool wants_x, wants_h, wants_c;
  std::vector<bool> wanted;  // of the weights
  RONDO_MEMBERS(form, change_h, change_c, lengths, first_h, first_c, wants_x, wants_h, wants_c, wanted)
};

// So many tables may be there that masks of operands do not reach them.
struct EmbeddingBagCall {
  bool mean, offsets;
  RONDO_MEMBERS(mean, offsets)
};
struct EmbeddingBagGradCall {
  bool mean, offsets;
  std::vector<int64_t> rows;  // of each table, whether its gradient is made or not
  std::vector<bool> made;
  RONDO_MEMBERS(mean, offsets, rows, made)
};
struct EmbeddingBagDescendCall {
  bool mean, offsets, finite, scale;
  RONDO_MEMBERS(mean, offsets, finite, scale)
};
struct DotInteractionCall {
  bool keep_first;
  RONDO_MEMBERS(keep_first)
};
struct DotInteractionGradCall {
  bool keep_first;
  RONDO_MEMBERS(keep_first)
};

struct FillCall {
  uint64_t word;  // the number, in the dtype that it is computed in
  RONDO_MEMBERS(word)
};
struct ParameterCall {
  uint32_t number;       // among the settings of a launch
  uint64_t initial = 0;  // the setting's, which its number tells already
  RONDO_MEMBERS(number)
};
// Numbers at equal distances: whole ones start and step as whole numbers; `last` is the last one where it `ends`.
struct SequenceCall {
  bool whole, ends;
  int64_t whole_start, whole_step;
  double start, step, last;
  RONDO_MEMBERS(whole, ends, whole_start, whole_step, start, step, last)
};
struct EyeCall {
  int64_t diagonal;
  RONDO_MEMBERS(diagonal)
};
struct RandomUniformCall {
  double low, high;
  RONDO_MEMBERS(low, high)
};
struct RandomNormalCall {
  double mean, deviation;
  RONDO_MEMBERS(mean, deviation)
};
struct TextCall {
  std::vector<std::shared_ptr<const Fused>> expressions;  // one for each set of operands
  RONDO_MEMBERS(expressions)
};
struct OneHotCall {
  int64_t depth;
  RONDO_MEMBERS(depth)
};
struct NonzeroCall {
  int64_t limit, fill;
  int columns;  // coordinates of each element; 1: its number
  RONDO_MEMBERS(limit, fill, columns)
};
// `tensors` parameters and as many gradients; first, second, largest, master: which states there are.
struct OptimizerStepCall {
  rondo_optimizer_kind kind;
  rondo_rate_schedule schedule;
  double momentum, dampening, beta1, beta2, epsilon, weight_decay, max_norm, rate_decay;
  int64_t warmup_steps, decay_steps;
  bool nesterov, amsgrad;
  int64_t tensors;
  bool first, second, largest, master, finite, scale;
  RONDO_MEMBERS(kind, schedule, momentum, dampening, beta1, beta2, epsilon, weight_decay, max_norm, rate_decay,
                warmup_steps, decay_steps, nesterov, amsgrad, tensors, first, second, largest, master, finite, scale)
};
struct AllFiniteCall {
  RONDO_MEMBERS()
};
struct GlobalNormCall {
  RONDO_MEMBERS()
};
struct ClipGlobalNormCall {
  double max_norm;
  RONDO_MEMBERS(max_norm)
};

// Views: no task makes them (program.h).
using ReshapeCall = ReshapeView;
using SliceCall = SliceView;
using TransposeCall = TransposeView;
using FlipCall = FlipView;
using SplitCall = SplitView;
using BroadcastCall = BroadcastView;
using AccumulatorCall = AccumulatorView;

// Passes alone make the next three. One expression over several sets of operands: the inputs of all of them, then their
// results.
struct GroupCall {
  std::shared_ptr<const Fused> fused;
  RONDO_MEMBERS(fused)
};
// Products that are alike, one for each place on the first axis of a, b and the result; the bias is the same.
struct BatchedMatmulCall {
  MatmulCall each;
  bool as_alone;  // each has the bits that it has alone
  RONDO_MEMBERS(each, as_alone)
};
// Says where a value would lie that is never in memory. The order in which its elements are combined depends on that.
struct UnstoredValue {
  rondo_dtype dtype;
  int64_t offset;
  Layout layout;
};
// A reduction, a softmax, a normalisation or a product of whole numbers. `before` makes its first operand of the first
// inputs, `after` the result of what would be its own; either may be null.
struct FusedRowsCall {
  std::variant<ReduceCall, SoftmaxCall, NormalisationCall, MatmulIntegerCall> rows;
  std::shared_ptr<const Fused> before, after;
  UnstoredValue operand, result;  // of rows, which `before` makes and `after` reads
  uint32_t from_rows;             // a bit for each input of `after`: it is `result`, not an input of the node
  RONDO_MEMBERS(rows, before, after, operand, result, from_rows)
};

// Compilers of graphs alone make the next three, where a device has several tasks for an operator, or one for two.
struct RecurrentCellCall : FusedCall {};
struct RecurrentProductCall : MatmulCall {};
struct ConvolutionGradsCall {
  ConvolutionOptions options;
  RONDO_MEMBERS(options)
};

// These kinds do what a closure of theirs does: a function of the user, a collective, bodies. Nothing tells two of them
// the same. A call that says to observers what a task is has none.
struct Closure {
  Ref<OperatorTask> task;
};
struct IndexCheckCall : Closure {};
struct NumberCheckCall : Closure {};
struct CollectiveCall : Closure {};
struct LaunchCall : Closure {};
struct UserTaskCall : Closure {};
struct OpaqueCall : Closure {};
struct ControlCall : Closure {
  Effects effects;  // the strongest of its bodies
};

}  // namespace rondo::ops
