// Keeps the accesses of a task: it adds and folds them, and drops them when the run is done.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/task.h"

#include <algorithm>

namespace rondo {

Task::~Task() {
  drop_accesses();
}

void Task::keep() {
  kept_ = true;
  fold();
  kept_accesses_ = accesses_.size();
}

bool Task::give_up_the_run() {
  bool all = true;
  for (uint32_t i = kept_accesses_; i < accesses_.size(); ++i) {
    if (accesses_[i].variable->release_unless_last())
      accesses_[i].variable = nullptr;
    else
      all = false;
  }
  while (all && accesses_.size() > kept_accesses_) accesses_.pop_back();
  return all;
}

void Task::reset_run() {
  fences_.clear();
  failure_ = {};
  abandoned_ = signalled_ = false;
}

const RefCounted* Task::release_run() {
  if (returns()) return recycle();
  if (cancelled_) return nullptr;
  bool all = !calls_out_;
  for (Access& access : accesses_) {
    if (access.variable->release_unless_last())
      access.variable = nullptr;
    else
      all = false;
  }
  return all ? nullptr : this;
}

Status Task::left_on(const Variable& variable, const Status& status) {
  const PartialFailure* own = partial_failure();
  if (!own || !own->reported || !own->all.ok()) return status;
  const auto found = own->poison.find(&variable);
  return found == own->poison.end() ? Status() : found->second;
}

void Task::PartialFailure::mark(const Variable* variable, const Status& error) noexcept {
  try {
    poison.insert_or_assign(variable, error);
  } catch (const std::bad_alloc&) {
    if (all.ok()) all = error;
  }
}

void Task::drop_accesses() {
  for (const Access& access : accesses_)
    if (access.variable) access.variable->release();
  accesses_.clear();
}

void Task::add(Variable& variable, bool read, bool input, bool write) {
  if (accesses_.size() <= kFew || kept_)
    for (uint32_t i = kept_accesses_; i < accesses_.size(); ++i) {
      if (accesses_[i].variable != &variable) continue;
      accesses_[i].join(read, input, write);
      return;
    }
  Access& access = accesses_.append();
  variable.retain();
  access.variable = &variable;
  access.write = write;
  access.read = read;
  access.input = input;
  access.linked = false;
}

void Task::hand_accesses_to(Task& whole) {
  for (const Access& access : accesses_) whole.add(*access.variable, access.read, access.input, access.write);
  drop_accesses();
}

// One access per variable. Sorted, so that the cost stays n log n.
void Task::fold_many() {
  std::sort(accesses_.begin(), accesses_.end(),
            [](const Access& a, const Access& b) { return a.variable < b.variable; });
  uint32_t kept = 0;
  for (uint32_t i = 1; i < accesses_.size(); ++i) {
    const Access& access = accesses_[i];
    if (access.variable != accesses_[kept].variable) {
      accesses_[++kept] = access;
      continue;
    }
    accesses_[kept].join(access.read, access.input, access.write);
    access.variable->release();
  }
  while (accesses_.size() > kept + 1) accesses_.pop_back();
}

}  // namespace rondo
