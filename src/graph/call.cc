// Calling a graph: what a call is given is checked, put in the place of what was recorded, and run in one step.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <unordered_map>

#include "base/caught.h"
#include "base/text.h"
#include "graph/call.h"
#include "graph/profile.h"
#include "ops/program/overlap.h"
#include "ops/task/output.h"

namespace rondo {

namespace {

// What kernels count on: own ones move 16 bytes at once, libraries choose algorithms for more.
int64_t needed_alignment(const Device& device) {
  return device.is_host() ? 16 : 256;
}

int64_t beyond_alignment(const View& view) {
  const auto start = static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.storage->address()));
  return (start + view.offset) % needed_alignment(view.device());
}

Status copy(const Device& device, const TaskContext& context, char* to, const char* from, size_t bytes) {
  if (!device.is_host())
    return context.device->streams()->copy(CopyKind::device_to_device, to, from, bytes, context.stream);
  std::memcpy(to, from, bytes);
  return {};
}

}  // namespace

bool is_aligned(const View& view) {
  return !view.elements() || beyond_alignment(view) == 0;
}

// Puts the caller's memory, and what is poisoned of it, in the place of the graph's.
Status Call::enter(const TaskContext& context) {
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = binding(use);
    if (!graph_->copied_[use.binding]) bound.place(places_[i].address());
    if (parts_.clean()) [[likely]]
      continue;
    if (const auto found = parts_.poison.find(places_[i].storage); use.read && found != parts_.poison.end())
      parts_.mark(&bound, Status(found->second));
  }
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = binding(use);
    if (!use.fetches || !bound.bytes() || poisoned(bound)) continue;
    RONDO_TRY(copy(bound.device(), context, bound.address(), places_[i].address(), bound.bytes()));
  }
  return segment_.patched.empty() || !parts_.clean() ? Status() : graph_->patch(segment_, context);
}

// The other way round.
Status Call::leave(const TaskContext& context, Status status) {
  const bool good = status.ok() || parts_.told;
  for (uint32_t i = 0; i < places_.size(); ++i) {
    const BindingUse& use = segment_.binding_uses[i];
    Storage& bound = binding(use);
    if (use.delivers && good && bound.bytes() && !poisoned(bound)) {
      Status copied = copy(bound.device(), context, places_[i].address(), bound.address(), bound.bytes());
      if (!copied.ok()) {
        parts_.told = false;  // all that the segment writes is poisoned
        status = std::move(copied);
      }
    }
    if (!graph_->copied_[use.binding]) bound.place(nullptr);
    if (!use.write || parts_.poison.empty()) continue;
    if (const auto found = parts_.poison.find(&bound); found != parts_.poison.end())
      parts_.mark(places_[i].storage, Status(found->second));
    else
      parts_.poison.erase(places_[i].storage);
  }
  return status;
}

Ref<Call> Graph::take_call(Segment& segment) {
  Ref<Call> call = Ref<Call>::adopt(segment.idle_call.exchange(nullptr, std::memory_order_acq_rel));
  if (!call) call = make_ref<Call>(name_, segment);
  call->begin(*this);
  return call;
}

void Graph::delete_call(Segment& segment) {
  delete segment.idle_call.load(std::memory_order_acquire);
}

std::vector<Storage*> Graph::outside() const {
  std::vector<Storage*> outside;
  for (const auto& [variable, written] : known_) {
    Storage* storage = const_cast<Variable*>(variable)->storage();
    if (storage && !Engine::owner(*storage)) outside.push_back(storage);
  }
  return outside;
}

Status Graph::not_launched() const {
  return error(RONDO_INVALID_STATE,
               "graph '%s' was recorded with RONDO_RECORD_CALLABLE, to be given inputs and outputs by rondo_graph_call",
               name_);
}

Status Graph::check_call(int32_t n_inputs, int32_t n_outputs) const {
  RONDO_TRY(engine_->usable());
  if (!callable_)
    return error(RONDO_INVALID_STATE,
                 "graph '%s' was recorded without RONDO_RECORD_CALLABLE, to be launched (rondo_graph_launch) on the "
                 "tensors of its recording",
                 name_);
  const auto check = [&](const char* argument, int32_t given, int32_t taken) -> Status {
    if (given == taken) return {};
    return error(RONDO_INVALID_ARGUMENT, "%s is %d; graph '%s' has %d", argument, given, name_, taken);
  };
  RONDO_TRY(check("n_inputs", n_inputs, info_.inputs));
  return check("n_outputs", n_outputs, info_.outputs);
}

Status Graph::check_bound(uint32_t binding, const View& view) const {
  const Binding& wanted = bindings_[binding];
  const auto refused = [&](rondo_status code, const std::string& why) {
    return error(code, "%s %s", binding_name(binding).c_str(), why.c_str());
  };
  if (&view.engine() != engine_.get())
    return refused(RONDO_INVALID_ARGUMENT, format("belongs to another engine than graph '%s'", name_));
  if (&view.device() != &wanted.storage->device())
    return refused(RONDO_INVALID_ARGUMENT, format("is on %s; graph '%s' was recorded for %s: copy it there "
                                                  "(rondo_copy_to)",
                                                  device_name(view.device().id()).c_str(), name_,
                                                  device_name(wanted.storage->device().id()).c_str()));
  if (view.dtype != wanted.dtype)
    return refused(RONDO_INVALID_ARGUMENT, format("has dtype %s; graph '%s' was recorded for %s: cast it (rondo_cast)",
                                                  dtype_name(view.dtype), name_, dtype_name(wanted.dtype)));
  if (!view.layout.same_shape(wanted.layout))
    return refused(RONDO_INVALID_ARGUMENT,
                   format("has shape %s; graph '%s' was recorded for %s", shape_text(view.layout).c_str(), name_,
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
  const auto known = known_.find(view.storage);
  if (known != known_.end() && (known->second || binding >= call_inputs_))
    return refused(RONDO_INVALID_ARGUMENT, format("shares memory with a tensor that graph '%s' %s; pass a copy "
                                                  "(rondo_copy makes it)",
                                                  name_, known->second ? "writes" : "reads"));
  return {};
}

Status Graph::check_output(uint32_t binding, const View& view, rondo_tensor* const* inputs,
                           rondo_tensor* const* outputs) const {
  RONDO_TRY(ops::check_writable(binding_name(binding).c_str(), view));
  const auto shares = [&](const rondo_tensor* other, uint32_t with) -> Status {
    if (!other || other->view.storage != view.storage || !ops::overlap(view, other->view)) return {};
    return error(RONDO_INVALID_ARGUMENT,
                 "%s shares memory with %s; each output needs its own: pass NULL for a new "
                 "tensor",
                 binding_name(binding).c_str(), binding_name(with).c_str());
  };
  for (uint32_t i = 0; i < call_inputs_; ++i) RONDO_TRY(shares(inputs[i], i));
  for (uint32_t i = call_inputs_; i < binding; ++i) RONDO_TRY(shares(outputs[i - call_inputs_], i));
  return {};
}

Status Graph::check_tensors(rondo_tensor* const* inputs, rondo_tensor* const* outputs) const {
  const auto all = static_cast<uint32_t>(bindings_.size());
  const auto given_for = [&](uint32_t i) { return i < call_inputs_ ? inputs[i] : outputs[i - call_inputs_]; };
  // Of many, those are compared that have a storage in common.
  constexpr uint32_t kFew = 16;
  std::unordered_map<const Storage*, uint32_t> uses;
  for (uint32_t i = 0; i < all && all > kFew; ++i)
    if (const rondo_tensor* given = given_for(i)) ++uses[given->view.storage];
  for (uint32_t i = 0; i < all; ++i) {
    const rondo_tensor* given = given_for(i);
    if (!given) continue;
    RONDO_TRY(check_bound(i, given->view));
    if (i >= call_inputs_ && all > kFew && uses[given->view.storage] == 1)
      RONDO_TRY(ops::check_writable(binding_name(i).c_str(), given->view));
    else if (i >= call_inputs_)
      RONDO_TRY(check_output(i, given->view, inputs, outputs));
    else if (!given->view.storage->has_contents()) [[unlikely]]
      RONDO_TRY(ops::check_blank(binding_name(i).c_str(), given->view));
  }
  return {};
}

Status Graph::call(rondo_tensor* const* inputs, rondo_tensor** outputs) {
  RONDO_TRY(check_tensors(inputs, outputs));
  if (!unwritten_.empty()) [[unlikely]]
    RONDO_TRY(check_unwritten());
  if (!parties_.empty()) [[unlikely]]
    RONDO_TRY(check_parties());
  if (to_measure_ && launches_ >= 1 && !Engine::thread_sink()) [[unlikely]]
    if (to_measure_.exchange(false)) return call_measured(inputs, outputs);
  return submit_call(inputs, outputs, nullptr, nullptr);
}

// What was given fits.
Status Graph::submit_call(rondo_tensor* const* inputs, rondo_tensor** outputs, const Ref<Profile>& profile,
                          Ref<Task> then) {
  const auto all = static_cast<uint32_t>(bindings_.size());
  // New outputs are the caller's only when all has gone well.
  struct Tensors {
    SmallVector<rondo_tensor*, 16> all;
    SmallVector<rondo_tensor*, 8> made;
    ~Tensors() {
      for (rondo_tensor* each : made) destroy_tensor(each);
    }
  } tensors;
  tensors.all.reserve(all);
  tensors.made.reserve(all);
  for (uint32_t i = 0; i < all; ++i) {
    rondo_tensor* given = i < call_inputs_ ? inputs[i] : outputs[i - call_inputs_];
    if (!given) {
      given = make_tensor(*engine_, bindings_[i].storage->device(), bindings_[i].dtype, bindings_[i].layout);
      tensors.made.push_back(given);
    }
    tensors.all.push_back(given);
  }
  LaunchSettings::Words words;
  if (!settings_->empty()) [[unlikely]]
    words = settings_->words();
  const auto take = [&](Segment& segment) -> Ref<Task> {
    Ref<Call> call = profile ? make_measured_call(segment, profile) : take_call(segment);
    if (!words.empty()) [[unlikely]]
      call->set(words);
    call->bind(tensors.all.begin());
    return call;
  };
  launches_.fetch_add(1, std::memory_order_relaxed);
  if (segments_.size() == 1 && !then) {
    RONDO_TRY(engine_->submit(take(segments_.front())));
  } else {
    std::vector<Ref<Task>> tasks;
    tasks.reserve(segments_.size() + 1);
    for (Segment& segment : segments_) tasks.push_back(take(segment));
    if (then) tasks.push_back(std::move(then));
    RONDO_TRY(engine_->submit(tasks.data(), tasks.size()));
  }
  for (uint32_t i = call_inputs_; i < all; ++i) outputs[i - call_inputs_] = tensors.all[i];
  tensors.made.clear();
  return {};
}

}  // namespace rondo
