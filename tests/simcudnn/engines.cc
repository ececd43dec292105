// The engines' table. What is simulated is their variety: names and numbers are of no real cuDNN.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engines.h"

#include <algorithm>
#include <csignal>
#include <numeric>

namespace simcudnn {
namespace {

constexpr int kSplitKnob = 12;
constexpr std::int64_t kPlain = 0, kSlow = 1, kWinograd = 5, kCompiled = 7, kExact = 10, kSplit = 23, kUnsteady = 25,
                       kCoarse = 30, kTensorCore = 41;
constexpr std::int64_t kAttentionForwardPlain = 8, kAttentionForward = 9, kAttentionUnsteady = 11,
                       kAttentionBackwardPlain = 12, kAttentionBackward = 13;

bool is_half(int dtype) {
  return dtype == CUDNN_DATA_HALF || dtype == CUDNN_DATA_BFLOAT16;
}

std::int64_t elements(const Tensor& tensor) {
  return std::accumulate(tensor.dims.begin(), tensor.dims.end(), std::int64_t{1}, std::multiplies<>());
}

// conv, then at most one addition of a whole tensor, one of a bias, one ReLU, in this order: compiled ahead.
bool compiled_ahead(const Pattern& p) {
  std::size_t at = 0;
  const auto addition = [&](bool of_bias) {
    if (at == p.steps.size() || p.steps[at].mode != CUDNN_POINTWISE_ADD) return;
    const Tensor& b = p.steps[at].b;
    if ((b.dims == p.result.dims) == of_bias || b.dtype != p.dtype()) return;
    ++at;
  };
  if (p.operation != CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) return p.steps.empty();
  addition(false);
  addition(true);
  if (at != 0 && at < p.steps.size() && p.steps[at].mode == CUDNN_POINTWISE_RELU_FWD) ++at;
  if (at != p.steps.size()) return false;
  if (!p.steps.empty() && (p.result.dtype != CUDNN_DATA_FLOAT || p.beta != 0 || settings().version < 809)) return false;
  for (std::size_t i = 0; i + 1 < p.steps.size(); ++i)
    if (p.steps[i].y.dtype != CUDNN_DATA_FLOAT) return false;
  return true;
}

bool takes(const Pattern& p) {
  for (const Tensor* each : p.operands())
    if (each->dtype != p.dtype()) return false;
  const bool wide = p.dtype() == CUDNN_DATA_DOUBLE;
  if (p.compute != (wide ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT)) return false;
  for (const Tensor* each : p.operands())
    if (is_half(p.dtype()) && each->alignment < 16) return false;
  return true;
}

// What version 9 of the real one does not survive: it divides by zero.
bool kills(const Pattern& p) {
  if (p.operation != CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR || p.stride.size() != 3) return false;
  bool leaves_out = false;
  for (std::size_t i = 0; i < 3; ++i) {
    if (p.stride[i] == 1) return false;
    leaves_out |= p.filter.dims[i + 2] < p.stride[i];
  }
  return leaves_out || (p.beta != 0 && is_half(p.dtype()));
}

// Of attention: one kernel, compiled for it, that has its workspace for sums of the queries' gradient.
std::shared_ptr<const Engine> make_attention(const Pattern& p, std::int64_t number, bool has_knobs) {
  const Attention& attention = *p.attention;
  auto engine = std::make_shared<Engine>();
  engine->number = number;
  engine->pattern = p;
  engine->behaviours = {CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION, 3};
  engine->notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
  if (number == kAttentionUnsteady) engine->notes.push_back(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  const bool forward = number == kAttentionForward || number == kAttentionForwardPlain;
  const bool backward =
      number == kAttentionBackward || number == kAttentionBackwardPlain || number == kAttentionUnsteady;
  if (has_knobs) throw Refusal{Problem::bad_param, "the engine has no such knob"};
  if (attention.gradient ? !backward : !forward)
    throw Refusal{Problem::unsupported, "engine " + std::to_string(number) + " does not take the operation graph"};
  engine->workspace = attention.gradient ? elements(attention.tensor[Attention::kQ]) * 4 + 64 : 256;
  engine->flaws.wavers = number == kAttentionUnsteady;
  const auto mood = settings().engines.find(number);
  if (mood == settings().engines.end()) return engine;
  if (mood->second.workspace >= 0) engine->workspace = mood->second.workspace;
  engine->flaws = {mood->second.miscounts, mood->second.misplaces, mood->second.overreads, mood->second.wavers};
  return engine;
}

std::shared_ptr<const Engine> make(const Pattern& p, std::int64_t number,
                                   std::vector<std::pair<int, std::int64_t>> knobs) {
  if (p.attention) return make_attention(p, number, !knobs.empty());
  auto engine = std::make_shared<Engine>();
  engine->number = number;
  engine->pattern = p;
  engine->knobs = std::move(knobs);
  const bool half = is_half(p.dtype()), wide = p.dtype() == CUDNN_DATA_DOUBLE;
  const bool data = p.operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
  const bool ahead = compiled_ahead(p);
  bool there = ahead;
  switch (number) {
    case kPlain: engine->workspace = 131; break;
    case kSlow: break;
    case kWinograd: engine->notes = {5}, there &= !wide; break;
    case kCompiled:
      engine->behaviours = {CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION, 3};
      there = settings().version >= 809 && !wide;
      break;
    case kExact: there &= !half && !wide; break;
    case kSplit:
      engine->notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
      there &= !wide;
      for (const auto& [type, value] : engine->knobs)
        if (type != kSplitKnob || value < 1 || value > 2048) throw Refusal{Problem::out_of_bound, "a knob"};
      engine->workspace = engine->knobs.empty() ? 0 : engine->knobs[0].second * elements(p.written()) * 4;
      break;
    case kUnsteady:
      engine->notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
      there &= data && !wide;
      break;
    case kCoarse: engine->notes = {CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION}, there &= half; break;
    case kTensorCore: engine->notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}, there &= !wide; break;
    default: there = false;
  }
  if (number != kSplit && !engine->knobs.empty()) throw Refusal{Problem::bad_param, "the engine has no such knob"};
  if (!there || !takes(p))
    throw Refusal{Problem::unsupported, "engine " + std::to_string(number) + " does not take the operation graph"};
  engine->rounds_first = half && number != kPlain && number != kSlow;
  // Of version 9 of the real one, the first engine that is proposed for these: another one there, the same numbers of
  // terms.
  engine->misplaces = half && p.groups > 1 && p.image.dims.size() == 5 && number != kSlow;
  const auto mood = settings().engines.find(number);
  if (mood == settings().engines.end()) return engine;
  if (mood->second.workspace >= 0) engine->workspace = mood->second.workspace;
  engine->loses_nan = mood->second.loses_nan;
  engine->rounds_first |= mood->second.rounds_first;
  engine->rounds_between = mood->second.rounds_first;
  engine->adds_first = mood->second.adds_first;
  engine->overreads = mood->second.overreads;
  engine->miscounts = mood->second.miscounts;
  engine->misplaces |= mood->second.misplaces;
  return engine;
}

}  // namespace

std::vector<std::shared_ptr<const Engine>> propose(const Pattern& pattern, int mode) {
  if (!pattern.attention && kills(pattern)) std::raise(SIGFPE);
  std::vector<std::pair<std::int64_t, std::vector<std::pair<int, std::int64_t>>>> order = {{kPlain, {}}, {kSlow, {}}};
  if (mode != CUDNN_HEUR_MODE_FALLBACK)
    order = {{kCompiled, {}},   {kSplit, {{kSplitKnob, 2}}},
             {kTensorCore, {}}, {kUnsteady, {}},
             {kWinograd, {}},   {kCoarse, {}},
             {kExact, {}},      {kSplit, {{kSplitKnob, 4}}},
             {kPlain, {}}};
  if (pattern.attention) {
    order.clear();  // nothing as a fallback
    if (mode != CUDNN_HEUR_MODE_FALLBACK)
      order = {{kAttentionUnsteady, {}},
               {kAttentionForward, {}},
               {kAttentionForwardPlain, {}},
               {kAttentionBackward, {}},
               {kAttentionBackwardPlain, {}}};
  }
  if (const std::uint64_t seed = settings().seed)
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[(seed * 0x9e3779b97f4a7c15ull >> (i * 5)) % i]);
  std::vector<std::shared_ptr<const Engine>> list;
  for (const auto& [number, knobs] : order) {
    try {
      list.push_back(make(pattern, number, knobs));
    } catch (const Refusal&) {
      continue;  // not proposed
    }
  }
  return list;
}

std::shared_ptr<const Engine> engine_for(const Pattern& pattern, std::int64_t number) {
  return make(pattern, number, {});
}

std::shared_ptr<const Engine> with_knobs(const Engine& engine, std::vector<std::pair<int, std::int64_t>> knobs) {
  return make(engine.pattern, engine.number, std::move(knobs));
}

}  // namespace simcudnn
