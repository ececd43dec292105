// Checks the operands of nodes that come from a file: where they lie, and by what the kind says of its results
// (ops/program/infer.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor.h"
#include "ops/program/kinds.h"

namespace rondo::program_files {

// The kinds that files have: what each infers, and its function, check all that they are given.
template <class Kind>
inline constexpr bool kInFiles =
    ops::kIsOneOf<Kind, ops::ElementwiseCall, ops::CopyCall, ops::FusedCall, ops::TextCall, ops::GatedCall,
                  ops::AddNCall, ops::WhereCall, ops::FillCall, ops::ParameterCall, ops::SequenceCall, ops::EyeCall,
                  ops::RandomUniformCall, ops::RandomNormalCall, ops::DropoutCall, ops::DropoutGradCall,
                  ops::MatmulCall, ops::MatmulIntegerCall, ops::ReduceCall, ops::CumulativeCall, ops::SoftmaxCall,
                  ops::SoftmaxGradCall, ops::NormalisationCall, ops::NormalisationGradCall, ops::RotaryCall,
                  ops::CrossEntropyCall, ops::CrossEntropyGradCall, ops::ConcatCall, ops::PadCall, ops::TileCall,
                  ops::RepeatCall, ops::RollCall, ops::TriangleCall, ops::TakeCall, ops::TakeAlongAxisCall,
                  ops::PutCall, ops::SortCall, ops::OneHotCall, ops::NonzeroCall, ops::ConvolutionCall,
                  ops::ConvolutionFilterGradCall, ops::WindowCall, ops::WindowGradCall, ops::BatchNormStatisticsCall,
                  ops::BatchNormCall, ops::BatchNormSumsCall, ops::AttentionCall, ops::AttentionGradCall,
                  ops::RecurrentCall, ops::RecurrentGradCall, ops::EmbeddingBagCall, ops::EmbeddingBagGradCall,
                  ops::EmbeddingBagDescendCall, ops::DotInteractionCall, ops::DotInteractionGradCall,
                  ops::OptimizerStepCall, ops::AllFiniteCall, ops::GlobalNormCall, ops::ClipGlobalNormCall>;

// True if a node of this kind can be in a file: whatever its attributes and operands are, it is refused or does no
// harm.
bool is_checked(const ops::Call& call);
// Steps of recurrent layers are tasks of their own, so all functions of a file together have a limit of them. Those of
// a node whose first input is x; -1 if they cannot be counted.
inline constexpr int64_t kMostSteps = 1 << 15;  // some 14 KB each
int64_t count_steps(const ops::Call& call, const View* x);
// RONDO_IO_ERROR if attributes, inputs and results do not go together. The operator's function checks the rest.
Status check_operation(const ops::Call& call, std::span<const View> inputs, std::span<const View> results);

}  // namespace rondo::program_files
