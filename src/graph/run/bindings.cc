// Checks what a call of a graph is given, its inputs and its outputs, and finds the bindings that they stand for.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/bindings.h"

#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "ops/program/overlap.h"
#include "ops/task/output.h"

namespace rondo {

namespace {

// The alignment that kernels count on: own ones move 16 bytes at once, libraries choose algorithms for more.
int64_t needed_alignment(const Device& device) {
  return device.is_host() ? 16 : 256;
}

int64_t beyond_alignment(const View& view) {
  const auto start = static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.storage->address()));
  return (start + view.offset) % needed_alignment(view.device());
}

}  // namespace

bool is_aligned(const View& view) {
  return !view.elements() || beyond_alignment(view) == 0;
}

Bindings::Bindings(std::vector<Binding> inputs, const std::vector<Binding>& outputs)
    : list_(std::move(inputs)), inputs_(static_cast<uint32_t>(list_.size())) {
  list_.insert(list_.end(), outputs.begin(), outputs.end());
  for (uint32_t i = 0; i < size(); ++i) numbers_[list_[i].storage.get()] = i;
}

std::string Bindings::name(uint32_t binding) const {
  return is_input(binding) ? format("inputs[%u]", binding) : format("outputs[%u]", binding - inputs_);
}

const uint32_t* Bindings::find(const Variable* variable) const {
  const auto found = numbers_.find(variable);
  return found == numbers_.end() ? nullptr : &found->second;
}

std::vector<Storage*> Bindings::captured_tensors() const {
  std::vector<Storage*> captured_tensors;
  for (const auto& [variable, written] : others_) {
    Storage* const storage = variable->storage();
    if (storage && !Engine::owner(*storage)) captured_tensors.push_back(storage);
  }
  return captured_tensors;
}

Status Bindings::check_bound(const Engine& engine, const char* graph, uint32_t binding, const View& view) const {
  const Binding& wanted = list_[binding];
  const auto refused = [&](rondo_status code, const std::string& why) {
    return error(code, "%s %s", name(binding).c_str(), why.c_str());
  };
  if (&view.engine() != &engine)
    return refused(RONDO_INVALID_ARGUMENT, format("belongs to another engine than graph '%s'", graph));
  if (&view.device() != &wanted.storage->device())
    return refused(RONDO_INVALID_ARGUMENT, format("is on %s; graph '%s' was recorded for %s: copy it there "
                                                  "(rondo_copy_to)",
                                                  device_name(view.device().id()).c_str(), graph,
                                                  device_name(wanted.storage->device().id()).c_str()));
  if (view.dtype != wanted.dtype)
    return refused(RONDO_INVALID_ARGUMENT, format("has dtype %s; graph '%s' was recorded for %s: cast it (rondo_cast)",
                                                  dtype_name(view.dtype), graph, dtype_name(wanted.dtype)));
  if (!view.layout.same_shape(wanted.layout))
    return refused(RONDO_INVALID_ARGUMENT,
                   format("has shape %s; graph '%s' was recorded for %s", shape_text(view.layout).c_str(), graph,
                          shape_text(wanted.layout).c_str()));
  if (view.accumulate) return refused(RONDO_INVALID_ARGUMENT, "is an accumulator view; pass the tensor itself");
  if (!view.layout.contiguous())
    return refused(RONDO_INVALID_ARGUMENT, "has strides that are not row-major; pass a copy (rondo_copy makes it)");
  if (!is_aligned(view))
    return refused(RONDO_INVALID_ARGUMENT, format("begins %lld bytes behind a multiple of %lld, which kernels count "
                                                  "on; pass a copy (rondo_copy makes it)",
                                                  static_cast<long long>(beyond_alignment(view)),
                                                  static_cast<long long>(needed_alignment(view.device()))));
  const Owner* owner = Engine::owner(*view.storage);
  const Sink* sink = Engine::thread_sink();
  if (owner && owner != sink) return refused(RONDO_INVALID_STATE, std::string("is ") + owner->refusal);
  // One call works on the graph's own tensors and the caller's at a time.
  const auto known = others_.find(view.storage);
  if (known != others_.end() && (known->second || binding >= inputs_))
    return refused(RONDO_INVALID_ARGUMENT, format("shares memory with a tensor that graph '%s' %s; pass a copy "
                                                  "(rondo_copy makes it)",
                                                  graph, known->second ? "writes" : "reads"));
  return {};
}

Status Bindings::check_output(uint32_t binding, const View& view, rondo_tensor* const* inputs,
                              rondo_tensor* const* outputs) const {
  RONDO_TRY(ops::check_writable(name(binding).c_str(), view));
  const auto shares = [&](const rondo_tensor* other, uint32_t with) -> Status {
    if (!other || other->view.storage != view.storage || !ops::overlap(view, other->view)) return {};
    return error(RONDO_INVALID_ARGUMENT,
                 "%s shares memory with %s; each output needs its own: pass NULL for a new "
                 "tensor",
                 name(binding).c_str(), name(with).c_str());
  };
  for (uint32_t i = 0; i < inputs_; ++i) RONDO_TRY(shares(inputs[i], i));
  for (uint32_t i = inputs_; i < binding; ++i) RONDO_TRY(shares(outputs[i - inputs_], i));
  return {};
}

Status Bindings::check(const Engine& engine, const char* graph, rondo_tensor* const* inputs,
                       rondo_tensor* const* outputs) const {
  const uint32_t all = size();
  const auto given_for = [&](uint32_t i) { return i < inputs_ ? inputs[i] : outputs[i - inputs_]; };
  // If there are many, those are compared that have a storage in common.
  constexpr uint32_t kFew = 16;
  std::unordered_map<const Storage*, uint32_t> uses;
  for (uint32_t i = 0; i < all && all > kFew; ++i)
    if (const rondo_tensor* given = given_for(i)) ++uses[given->view.storage];
  for (uint32_t i = 0; i < all; ++i) {
    const rondo_tensor* given = given_for(i);
    if (!given) continue;
    RONDO_TRY(check_bound(engine, graph, i, given->view));
    if (i >= inputs_ && all > kFew && uses[given->view.storage] == 1)
      RONDO_TRY(ops::check_writable(name(i).c_str(), given->view));
    else if (i >= inputs_)
      RONDO_TRY(check_output(i, given->view, inputs, outputs));
    else if (!given->view.storage->has_contents()) [[unlikely]]
      RONDO_TRY(ops::check_blank(name(i).c_str(), given->view));
  }
  return {};
}

}  // namespace rondo
