// What an operator is, for whoever looks at the tasks that a thread submits (engine/observer.h): its kind, a row of
// kinds.def, and its attributes. The operands are the task's (list_operands), inputs before outputs.
//
// A task that does not say what it is (no call with submit) is opaque, like a user's: a tape knows what it reads and
// writes, and that it has no gradient; a graph runs it whatever becomes of what it writes. So nothing is
// differentiated, or left out, by accident.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/shapes.h>

#include <memory>
#include <variant>
#include <vector>

#include "engine/observer.h"
#include "ops/operators/convolution_options.h"
#include "ops/operators/enumerators.h"
#include "ops/operators/expression.h"
#include "ops/operators/operators.h"
#include "ops/operators/windows.h"

namespace rondo::ops {

enum class KindGradient { none, rule };

// A row of the table. Inputs: its operands in order; one of two may be a scalar instead, the first word.
struct ElementwiseCall {
  const Operator* row;
  rondo_dtype computed;  // the dtype it computes in
  bool scalar, scalar_first;
  uint64_t words[3];  // the scalar, if there is one, then the parameters
};
// Any expression in one task: its inputs, its outputs.
struct Fused {
  Expression expression;
  uint64_t words[Expression::kMaxScalars];
};
struct FusedCall {
  std::shared_ptr<const Fused> fused;
};
struct AddNCall {};
struct WhereCall {};  // condition, a, b
// a, the gate; a times the row of the gate.
struct GatedCall {
  const Operator* row;
  rondo_dtype computed;
  uint64_t words[2];  // the row's parameters
};
struct CopyCall {};   // with or without a cast, an exchange of devices, a broadcast
struct DropoutCall {  // a; out, mask
  double p;
};
struct DropoutGradCall {  // dy, mask
  double p;
};
struct MatmulCall {  // a, b, the bias if there is one
  bool transpose_a, transpose_b, bias, allow_tf32;
  rondo_activation activation;
};
struct ReduceCall {
  ReduceOp op;
  double parameter;
  uint32_t axes;  // bit d: axis d of the operand is reduced
  bool keep_dims;
};
struct SoftmaxCall {  // a, the lengths of rows if there are any
  rondo_softmax_op op;
  double temperature;
  int axis;
  bool lengths;
};
struct SoftmaxGradCall : SoftmaxCall {};  // y, dy, the lengths
struct NormalisationCall {                // a, weight and bias if there are any
  Normalisation op;
  bool weight, bias;
  int axis;
  double epsilon;
};
struct NormalisationGradCall {  // a, dy, the weight if there is one; the gradient of a
  Normalisation op;
  bool weight;
  int axis;
  double epsilon;
};
// Of groups of elements: a, weight, bias and residual if there are any, mean and inverse, or mean and variance.
struct BatchNormCall {
  unsigned axes;      // bit d: dimension d is within a group
  unsigned channels;  // bit d: weight and bias have dimension d
  double epsilon;
  bool given;  // mean and variance are operands like others; else mean and inverse are made of a
  bool weight, bias, residual;
  rondo_activation activation;
};
struct BatchNormStatisticsCall {  // a; mean and inverse, which BatchNormCall has among its operands
  unsigned axes;
  double epsilon;
};
struct BatchNormSumsCall {  // a, dy, y if only its positive places count, mean, inverse, the weight if there is one
  unsigned axes;            // which the two sums are over, of dy weight and of that times (a - mean) inverse
  bool masked, weight;
};
// x, dy; the gradient of x through products of its elements over these axes, or of running ones along the one axis.
struct ProductGradCall {
  uint32_t axes;
  bool running, reverse;
  bool skips_nan;  // NaN counts as 1
};
struct CumulativeCall {
  ReduceOp op;
  int axis;
  bool reverse;
};
struct CrossEntropyCall {};  // logits, labels
struct CrossEntropyGradCall {
  double scale;
};
struct ConcatCall {  // the tensors; stack gives each an axis of size 1
  int axis;
};
struct PadCall {
  rondo_pad_mode mode;
  int64_t widths[2 * kMaxDims];
};
struct TileCall {
  int n;
  int64_t counts[kMaxDims];
};
struct RepeatCall {
  int64_t count;
  int axis;
};
struct RollCall {
  int64_t shifts[kMaxDims];  // each within its dimension
};
struct TriangleCall {
  bool upper;
  int64_t diagonal;
};
struct TakeCall {  // a, indices
  int axis;
};
struct TakeAlongAxisCall {  // a, indices
  int axis;
};
struct PutCall {  // indices, values, which are added to the output; or which replace elements of the tensor, the third
  int axis;
  bool along;  // as take_along_axis, else as take
  bool replaces;
};
struct SortCall {  // a; values, then indices of top-k
  int axis;
  bool descending, indices;
};
struct ConvolutionCall {  // x, w, then of scale, bias and residual those there are
  ConvolutionOptions options;
  bool scale, bias, residual;
};
struct ConvolutionFilterGradCall {  // the image and the result's gradient
  ConvolutionOptions options;
  int64_t kernel[kMaxSpatial];
};

struct WindowCall {  // an image; the result, and where the largest elements are if that was asked for
  Windows windows;
  bool largest;
  Layout image;  // its shape
};
struct WindowGradCall : WindowCall {};  // the result's gradient, and the places of the largest; the image's gradient
struct WindowPickCall {                 // an image, places
  Windows windows;
  Layout image;
};

// How queries see keys.
struct AttentionNumbers {
  double scale, cap, dropped;  // cap 0: none
  int64_t before, after;       // how many keys on each side of its own place; -1: all
  bool last;                   // the last query's own place is the last key; else the first ones meet
};
// q, k, v, of mask, lengths of queries and of keys those there are; the result, the logarithms, and of dropout where
// its numbers began.
struct AttentionCall {
  AttentionNumbers numbers;
  bool mask, query_lengths, key_lengths;
};
// q, k, v, of mask and lengths those there are, the result, the logarithms, of dropout where its numbers began, what
// came in for the result, and for the logarithms if it did; the gradients of q, k and v.
struct AttentionGradCall : AttentionCall {
  bool dlse;
};

// How rows turn.
struct RotaryForm {
  int64_t channels;  // that turn; for a caller 0: all
  double base;
  int axis;          // along which places are counted
  bool interleaved;  // pairs are neighbours
  bool inverse;
};
// x, the positions if they are given.
struct RotaryCall {
  RotaryForm form;
  bool positions;
};

// What a recurrent layer is.
enum class RecurrentKind : uint8_t { lstm, gru, rnn };
struct RecurrentForm {
  RecurrentKind kind;
  bool relu, bidirectional, batch_first, biased;
  int32_t layers;
};
// x, of lengths, first states and cells those there are, the weights; the result, of last states and cells those there
// are, and for each layer what its directions left (ops/recurrent/recurrent.h), and its result, but of the last.
struct RecurrentCall {
  RecurrentForm form;
  bool lengths, first_h, first_c, last_h, last_c;
};
// x with its steps first, and what came in: for the result, steps first too, and of last states and cells where it did;
// the lengths; where first states or cells were given, for each direction of each layer its states, or cells, of all
// steps; the weights. Then those that are wanted of the gradients of x, first states, first cells and weights.
struct RecurrentGradCall {
  RecurrentForm form;
  bool change_h, change_c, lengths, first_h, first_c;
  bool wants_x, wants_h, wants_c;
  std::vector<bool> wanted;  // of the weights
};

// indices, offsets if there are any, then the tables; so many tables may be there that masks of operands do not reach
// them.
struct EmbeddingBagCall {
  bool mean, offsets;
};
// indices, offsets if there are any, the gradient of the sums; the gradients of the tables.
struct EmbeddingBagGradCall {
  bool mean, offsets;
  std::vector<int64_t> rows;  // of each table, whether its gradient is made or not
  std::vector<bool> made;
};
struct DotInteractionCall {
  bool keep_first;
};
struct DotInteractionGradCall {  // x, what came in; the gradient of x
  bool keep_first;
};

struct FillCall {
  uint64_t word;  // the number, in the dtype that it is computed in
};
struct ParameterCall {
  uint32_t number;  // among the settings of a launch
};
struct SequenceCall {};
struct RandomCall {};
struct TextCall {};
struct OneHotCall {};
struct NonzeroCall {};
struct GroupCall {};
struct AroundCall {};
struct OptimizerStepCall {};
struct AllFiniteCall {};
struct GlobalNormCall {};
struct ClipGlobalNormCall {};
struct PartCall {};
struct EmbeddingBagDescendCall {};
struct ControlCall {};  // what its bodies read and write

// kinds.def as types and tables.
template <class... Kinds>
struct KindList {
  using Variant = std::variant<Kinds...>;
};
struct Nothing {};  // the end of the list, which no call is
using Kinds = KindList<
#define RONDO_KIND(Name, ...) Name##Call,
#include "ops/program/kinds.def"
#undef RONDO_KIND
    Nothing>;

// Stays where it is made: who wants to keep it shares it.
struct Call : Description {
  template <class OneKind>
  Call(const OneKind& kind) : of(kind) {}
  const Kinds::Variant of;
};

template <class OneKind>
inline constexpr bool kHasRule = false;
#define RONDO_KIND(Name, gradient, ...) \
  template <>                           \
  inline constexpr bool kHasRule<Name##Call> = KindGradient::gradient == KindGradient::rule;
#include "ops/program/kinds.def"
#undef RONDO_KIND

struct KindRow {
  const char* name;
  bool gradient;  // the tape has a rule for it
};
inline constexpr KindRow kKinds[] = {
#define RONDO_KIND(Name, ...) {#Name, kHasRule<Name##Call>},
#include "ops/program/kinds.def"
#undef RONDO_KIND
};
inline const KindRow& row_of(const Call& call) {
  return kKinds[call.of.index()];
}

// words: of the expression's scalars.
RONDO_COLD Call fused_call(const Expression& expression, const uint64_t* words);

}  // namespace rondo::ops
