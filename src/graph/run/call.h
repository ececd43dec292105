// One segment's part of a call. The segment keeps it for the next call, as it keeps a launch; what the caller gave is
// held for the run alone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/caught.h"
#include "graph/run/run_limit.h"
#include "graph/run/segment_run.h"

namespace rondo {

class CallRun : public SegmentRun {
 public:
  CallRun(const char* name, Segment& segment) : SegmentRun(name, segment) {}

  void limit(const RunLimit& limit) { limit_ = limit; }
  // The caller's tensors, by binding. bindings: those of the segment's replica.
  void bind(const Bindings& bindings, rondo_tensor* const* tensors) {
    bindings_ = &bindings;
    for (const BindingUse& use : segment_.binding_uses) {
      const View& view = tensors[use.binding]->view;
      Storage& storage = *view.storage;
      places_.push_back({&storage, view.offset});
      if (use.input)
        reads(storage);
      else if (use.read || (use.write && view.bytes() != storage.bytes()))
        follows(storage);
      if (use.write) writes(storage);
    }
  }
  void list_places(Rebinding* memory) const override {
    for (uint32_t i = 0; i < places_.size(); ++i)
      memory->put(*binding(segment_.binding_uses[i]).storage, *places_[i].storage, places_[i].offset);
  }
  Status run(const TaskContext& context) override {
    return run_within(context, nullptr, [&] { return run_segment(context, nullptr); });
  }
  Status resume(const Status& outcome, const TaskContext& context) override {
    return run_within(context, &outcome, [&] { return run_segment(context, &outcome); });
  }
  Status run_parts(const TaskContext& context) override {
    return run_within(context, nullptr, [&] { return SegmentRun::run_parts(context); });
  }

 protected:
  // With the caller's memory in the place of the graph's.
  template <class Run>
  [[gnu::always_inline]] Status run_within(const TaskContext& context, const Status* completed, const Run& run) {
    Status status;
    const RunLimit::Scope scope(limit_.none() ? nullptr : &limit_);
    if (!completed) status = enter(context);
    if (status.ok()) status = caught(run);
    if (context.later && *context.later) return status;  // comes back when it is completed
    return leave(context, std::move(status));
  }
  const RefCounted* recycle() override {
    if (!give_up_the_run()) return this;
    places_.clear();
    limit_ = {};
    return leave_to(segment_.idle_call);
  }

 private:
  struct BoundAddress {
    Storage* storage;
    int64_t offset;
    char* address() const { return storage->address() + offset; }
  };

  Status enter(const TaskContext& context);
  Status leave(const TaskContext& context, Status status);
  const Binding& binding(const BindingUse& use) const { return (*bindings_)[use.binding]; }
  bool poisoned(const Storage& bound) const {
    return !partial_failure_.clean() && partial_failure_.poison.count(&bound) > 0;
  }

  const Bindings* bindings_ = nullptr;
  SmallVector<BoundAddress, 4> places_;  // by use
  RunLimit limit_;
};

}  // namespace rondo
