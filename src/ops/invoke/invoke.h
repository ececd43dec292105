// Calls operators that are data: what a node of a program is, its inputs, and the results that it writes or that are
// made. An operator's own function checks what it is given, so shapes and dtypes that do not go together are an error.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ops/ops.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

// A result: a tensor to write, or where one comes that is made. device, dtype and shape are those that it has to have,
// for operators of which no input tells them.
struct Result {
  rondo_tensor* tensor = nullptr;
  Device* device = nullptr;
  rondo_dtype dtype = RONDO_F32;
  Layout shape;
};

// Holds the operands of one call. Views and results stay the caller's.
struct Invocation {
  Engine& engine;
  const char* name;  // of the task
  std::span<const View> inputs;
  std::span<Result> results;

  const View& in(size_t i) const { return inputs[i]; }
  // All inputs from one on, as functions take them.
  SmallVector<const View*, 16> all(size_t from = 0) const {
    SmallVector<const View*, 16> views;
    for (size_t i = from; i < inputs.size(); ++i) views.push_back(&inputs[i]);
    return views;
  }
  // The input of this name; null: the call has none.
  template <class Attributes>
  const View* input(const Attributes& call, const char* name) const {
    const std::optional<size_t> at = input_of(call, name);
    return at ? &inputs[*at] : nullptr;
  }
  Output out(size_t i = 0) const { return Output(&results[i].tensor); }
  NewTensor fresh(size_t i = 0) const { return {&engine, results[i].device, results[i].dtype, results[i].shape}; }
  // The view of a result, which is made if it is not given.
  const View& written(size_t i = 0) const {
    Result& result = results[i];
    if (!result.tensor) result.tensor = make_tensor(engine, *result.device, result.dtype, result.shape);
    return result.tensor->view;
  }
};

// RONDO_UNSUPPORTED: its kind is no operator by itself. RONDO_INVALID_ARGUMENT: so many operands are not its kind's, or
// what the operator's function says.
Status invoke(const Call& call, const Invocation& with);

// --- elements.cc
// The number that a word holds for tensors of a register dtype.
Scalar scalar_of_word(uint64_t word, rondo_dtype dtype);
Status invoke(const ElementwiseCall& call, const Invocation& with);
Status invoke(const FusedCall& call, const Invocation& with);
Status invoke(const TextCall& call, const Invocation& with);
Status invoke(const AddNCall& call, const Invocation& with);
Status invoke(const WhereCall& call, const Invocation& with);
Status invoke(const GatedCall& call, const Invocation& with);
Status invoke(const CopyCall& call, const Invocation& with);
Status invoke(const FillCall& call, const Invocation& with);
Status invoke(const ParameterCall& call, const Invocation& with);
Status invoke(const RandomUniformCall& call, const Invocation& with);
Status invoke(const RandomNormalCall& call, const Invocation& with);
Status invoke(const DropoutCall& call, const Invocation& with);
Status invoke(const DropoutGradCall& call, const Invocation& with);

// --- shapes.cc
Status invoke(const SequenceCall& call, const Invocation& with);
Status invoke(const EyeCall& call, const Invocation& with);
Status invoke(const ConcatCall& call, const Invocation& with);
Status invoke(const PadCall& call, const Invocation& with);
Status invoke(const TileCall& call, const Invocation& with);
Status invoke(const RepeatCall& call, const Invocation& with);
Status invoke(const RollCall& call, const Invocation& with);
Status invoke(const TriangleCall& call, const Invocation& with);
Status invoke(const TakeCall& call, const Invocation& with);
Status invoke(const TakeAlongAxisCall& call, const Invocation& with);
Status invoke(const PutCall& call, const Invocation& with);
Status invoke(const SortCall& call, const Invocation& with);
Status invoke(const OneHotCall& call, const Invocation& with);
Status invoke(const NonzeroCall& call, const Invocation& with);

// --- layers.cc
Status invoke(const MatmulCall& call, const Invocation& with);
Status invoke(const MatmulIntegerCall& call, const Invocation& with);
Status invoke(const ReduceCall& call, const Invocation& with);
Status invoke(const CumulativeCall& call, const Invocation& with);
Status invoke(const SoftmaxCall& call, const Invocation& with);
Status invoke(const SoftmaxGradCall& call, const Invocation& with);
Status invoke(const NormalisationCall& call, const Invocation& with);
Status invoke(const NormalisationGradCall& call, const Invocation& with);
Status invoke(const BatchNormStatisticsCall& call, const Invocation& with);
Status invoke(const BatchNormCall& call, const Invocation& with);
Status invoke(const BatchNormSumsCall& call, const Invocation& with);
Status invoke(const AttentionCall& call, const Invocation& with);
Status invoke(const AttentionGradCall& call, const Invocation& with);
Status invoke(const AttentionKeptCall& call, const Invocation& with);
Status invoke(const RotaryCall& call, const Invocation& with);
Status invoke(const RecurrentCall& call, const Invocation& with);
Status invoke(const RecurrentGradCall& call, const Invocation& with);
Status invoke(const CrossEntropyCall& call, const Invocation& with);
Status invoke(const CrossEntropyGradCall& call, const Invocation& with);
Status invoke(const ConvolutionCall& call, const Invocation& with);
Status invoke(const ConvolutionFilterGradCall& call, const Invocation& with);
Status invoke(const ConvolutionGradsCall& call, const Invocation& with);
Status invoke(const WindowCall& call, const Invocation& with);
Status invoke(const WindowGradCall& call, const Invocation& with);
Status invoke(const WindowPickCall& call, const Invocation& with);
Status invoke(const EmbeddingBagCall& call, const Invocation& with);
Status invoke(const EmbeddingBagGradCall& call, const Invocation& with);
Status invoke(const EmbeddingBagDescendCall& call, const Invocation& with);
Status invoke(const DotInteractionCall& call, const Invocation& with);
Status invoke(const DotInteractionGradCall& call, const Invocation& with);
Status invoke(const OptimizerStepCall& call, const Invocation& with);
Status invoke(const AllFiniteCall& call, const Invocation& with);
Status invoke(const GlobalNormCall& call, const Invocation& with);
Status invoke(const ClipGlobalNormCall& call, const Invocation& with);

}  // namespace rondo::ops
