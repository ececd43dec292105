// What an operator is, for whoever looks at the tasks that a thread submits (engine/listener.h): the operator and its
// attributes. The operands are the task's (list_operands), inputs before outputs.
//
// An operator that does not say what it is (no call with submit) is a task like a user's: a tape knows what it reads
// and writes, and that it has no gradient. So nothing is differentiated by accident.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/shapes.h>

#include <memory>
#include <variant>

#include "engine/listener.h"
#include "engine/thread_state.h"
#include "ops/operators/convolution_options.h"
#include "ops/operators/expression.h"
#include "ops/operators/operators.h"
#include "ops/operators/reductions.h"
#include "ops/operators/windows.h"
#include "ops/task/output.h"

namespace rondo::ops {

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
struct LayerNormCall {                    // a, weight and bias if there are any
  bool centred, weight, bias;
  int axis;
  double epsilon;
};
struct LayerNormGradCall {  // a, dy, the weight if there is one; the gradient of a
  bool centred, weight;
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

struct Call {
  std::variant<ElementwiseCall, FusedCall, AddNCall, WhereCall, CopyCall, DropoutCall, DropoutGradCall, MatmulCall,
               ReduceCall, SoftmaxCall, SoftmaxGradCall, LayerNormCall, LayerNormGradCall, BatchNormCall,
               BatchNormStatisticsCall, BatchNormSumsCall, ProductGradCall, CumulativeCall, CrossEntropyCall,
               CrossEntropyGradCall, ConcatCall, PadCall, TileCall, RepeatCall, RollCall, TriangleCall, TakeCall,
               TakeAlongAxisCall, PutCall, SortCall, ConvolutionCall, ConvolutionFilterGradCall, WindowCall,
               WindowGradCall, WindowPickCall>
      of;
};

// words: of the expression's scalars.
RONDO_COLD Call fused_call(const Expression& expression, const uint64_t* words);

// Submits a task whose outputs are `outputs`, saying what it is; on success commits them. `describe` gives the call: it
// is asked only where somebody listens.
RONDO_COLD Status submit_described(Listener& listener, Engine& engine, Ref<Task> task, const Call& call);

template <class Describe>
Status submit(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs, const Describe& describe,
              const ThreadState& thread = this_thread()) {
  if (thread.listener) [[unlikely]]
    RONDO_TRY(submit_described(*thread.listener, engine, std::move(task), describe()));
  else
    RONDO_TRY(engine.submit(std::move(task)));
  for (Output* output : outputs) output->commit();
  return {};
}

// The same for tasks with a prepare(): eager ones are prepared here, before the engine may run them under a stream's
// lock; recorded ones by the graph's compiler, which prepares many side by side.
template <class Describe>
Status submit_prepared(Engine& engine, Ref<Task> task, std::initializer_list<Output*> outputs,
                       const Describe& describe) {
  RONDO_TRY(engine.usable());  // before a device is touched: in a child of fork() it is not ours
  const ThreadState& thread = this_thread();
  if (!thread.sink || &thread.sink->engine != &engine)
    if (Status status = task->prepare(); !status.ok()) return engine.failed(*task, status);
  return submit(engine, std::move(task), outputs, describe, thread);
}

// An operator of the table: its operands, which are broadcast to `shape`, have been checked.
Status run_elementwise(const ElementwiseCall& call, std::span<const View* const> operands, const Layout& shape,
                       Output& out);

// What a scope submits is told to nobody.
class ScopedNoTape {
 public:
  ScopedNoTape() : thread_(this_thread()), listener_(thread_.listener) { thread_.listener = nullptr; }
  ~ScopedNoTape() { thread_.listener = listener_; }
  ScopedNoTape(const ScopedNoTape&) = delete;
  ScopedNoTape& operator=(const ScopedNoTape&) = delete;

 private:
  ThreadState& thread_;
  Listener* listener_;
};

// Steps of which only what they do together means something to a listener: tell(listener) says it.
template <class Steps, class Tell>
Status submit_unheard(const Steps& steps, const Tell& tell) {
  Listener* const listener = this_thread().listener;
  if (!listener) [[likely]]
    return steps();
  {
    const ScopedNoTape unheard;
    RONDO_TRY(steps());
  }
  tell(*listener);
  return {};
}

}  // namespace rondo::ops
