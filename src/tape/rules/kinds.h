// The rules of the kinds of operators, among which rules.cc chooses; the heading above each says where it is written.
// `run` makes the gradients. If the answer depends on the call, `needed` says whose values that takes, and `flowing`
// which operands have a gradient.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/ops.h"
#include "tape/rules.h"

namespace rondo::tape {

// --- attention.cc
Needs needed(const ops::AttentionCall& call, const Node& node);
Status run(const ops::AttentionCall& call, Backward& backward);

// --- attention_gradient.cc
unsigned flowing(const ops::AttentionGradCall& call, unsigned active);
Status run(const ops::AttentionGradCall& call, Backward& backward);

// --- batch_norm.cc
unsigned flowing(const ops::BatchNormCall& call, unsigned active);
Needs needed(const ops::BatchNormCall& call, unsigned wanted);
Status run(const ops::BatchNormCall& call, Backward& backward);
Status run(const ops::BatchNormStatisticsCall& call, Backward& backward);
Status run(const ops::BatchNormSumsCall& call, Backward& backward);

// --- convolution.cc
Needs needed(const ops::ConvolutionCall& call, const Node& node, unsigned wanted);
Needs needed(const ops::ConvolutionFilterGradCall& call, unsigned wanted);
Status run(const ops::ConvolutionCall& call, Backward& backward);
Status run(const ops::ConvolutionFilterGradCall& call, Backward& backward);

// --- cumulative.cc
unsigned flowing(const ops::CumulativeCall& call, unsigned active);
Needs needed(const ops::CumulativeCall& call);
Status run(const ops::CumulativeCall& call, Backward& backward);

// --- fused.cc
unsigned flowing(const ops::FusedCall& call, unsigned active);
Status run(const ops::FusedCall& call, Backward& backward);

// --- gated.cc
unsigned flowing(const ops::GatedCall& call, unsigned active);
Status run(const ops::GatedCall& call, Backward& backward);

// --- matmul.cc
Needs needed(const ops::MatmulCall& call, const Node& node, unsigned wanted);
Status run(const ops::MatmulCall& call, Backward& backward);

// --- normalisation.cc
Needs needed(const ops::NormalisationCall& call, unsigned wanted);
Status run(const ops::NormalisationCall& call, Backward& backward);
Status run(const ops::NormalisationGradCall& call, Backward& backward);

// --- product.cc
Status run(const ops::ProductGradCall& call, Backward& backward);

// --- recommender.cc
unsigned flowing(const ops::EmbeddingBagCall& call, unsigned active);
unsigned flowing(const ops::EmbeddingBagGradCall& call, unsigned active);
Needs needed(const ops::EmbeddingBagCall& call);
Needs needed(const ops::EmbeddingBagGradCall& call);
Status run(const ops::EmbeddingBagCall& call, Backward& backward);
Status run(const ops::EmbeddingBagGradCall& call, Backward& backward);
Status run(const ops::DotInteractionCall& call, Backward& backward);
Status run(const ops::DotInteractionGradCall& call, Backward& backward);

// --- recurrent.cc
unsigned flowing(const ops::RecurrentCall& call, unsigned active);
Needs needed(const ops::RecurrentCall& call);
Status run(const ops::RecurrentCall& call, Backward& backward);

// --- recurrent_gradient.cc
unsigned flowing(const ops::RecurrentGradCall& call, unsigned active);
Status run(const ops::RecurrentGradCall& call, Backward& backward);

// --- reduce.cc
unsigned flowing(const ops::ReduceCall& call, const Node& node, unsigned active);
Needs needed(const ops::ReduceCall& call, const Node& node);
Status run(const ops::ReduceCall& call, Backward& backward);

// --- rotary.cc
Status run(const ops::RotaryCall& call, Backward& backward);

// --- rows.cc
// As the caller asked; lengths: the input that says where rows end.
ops::SoftmaxOptions options_of(const ops::SoftmaxCall& call, const Backward& backward, size_t lengths);

Status run(const ops::SoftmaxCall& call, Backward& backward);
Status run(const ops::SoftmaxGradCall& call, Backward& backward);
Status run(const ops::CrossEntropyCall& call, Backward& backward);
Status run(const ops::CrossEntropyGradCall& call, Backward& backward);

// --- shapes.cc
Status run(const ops::ConcatCall& call, Backward& backward);
Status run(const ops::PadCall& call, Backward& backward);
Status run(const ops::TileCall& call, Backward& backward);
Status run(const ops::RepeatCall& call, Backward& backward);
Status run(const ops::RollCall& call, Backward& backward);
Status run(const ops::TriangleCall& call, Backward& backward);
Status run(const ops::TakeCall& call, Backward& backward);
Status run(const ops::TakeAlongAxisCall& call, Backward& backward);
Status run(const ops::PutCall& call, Backward& backward);
Status run(const ops::SortCall& call, Backward& backward);

// --- window.cc
Status run(const ops::WindowCall& call, Backward& backward);
Status run(const ops::WindowGradCall& call, Backward& backward);
Status run(const ops::WindowPickCall& call, Backward& backward);

}  // namespace rondo::tape
