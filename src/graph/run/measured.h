// The task of a segment whose run is timed (profile.h): of a launch or a call. It is run once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "graph/run/profile.h"
#include "graph/run/segment_run.h"

namespace rondo {

template <class Run>
class Measured final : public Run {
 public:
  Measured(const char* name, Segment& segment, Ref<Profile> profile)
      : Run(name, segment), profile_(std::move(profile)) {
    this->want_auxiliaries(segment.most_auxiliaries());
  }

  Status run(const TaskContext& context) override {
    return this->run_within(context, nullptr, [&]() -> Status {
      if (!this->segment_.measured_whole()) return measured(context, nullptr);
      profile_->begin(this->segment_.facts(), context);
      RONDO_TRY(this->run_segment(context, nullptr));
      return profile_->end(this->segment_.facts(), context);
    });
  }
  Status resume(const Status& outcome, const TaskContext& context) override {
    return this->run_within(context, &outcome, [&] { return measured(context, &outcome); });
  }
  void failing(const Status& status) noexcept override { profile_->fail(status); }
  const RefCounted& holder() const override { return *this->graph_; }

 protected:
  const RefCounted* park() override { return this; }

 private:
  Status measured(const TaskContext& context, const Status* completed) {
    TaskContext with = context;
    with.profile = profile_.get();
    return this->run_measured(with, completed);
  }

  const Ref<Profile> profile_;
};

}  // namespace rondo
