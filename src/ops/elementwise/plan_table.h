// Keeps the plans of elementwise tasks for the process: a call like an earlier one finds the plan of that one. Bounded;
// the plan that was not asked for longest goes first.
//
// From any thread. No thread waits for another one: a set that a thread is looking into counts as empty for the others
// meanwhile, and for good in a child whose parent was in the middle of it. Nothing is done at the end of the process.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/elementwise/elementwise_plan.h"

namespace rondo::ops {

class PlanTable {
 public:
  static constexpr unsigned kSets = 256, kWays = 4;

  constexpr PlanTable() = default;
  PlanTable(const PlanTable&) = delete;
  PlanTable& operator=(const PlanTable&) = delete;

  // Null if it is not there.
  RONDO_HOT Ref<const ElementwisePlan> find(const PlanKey& key);
  // The plan, or the one that another thread kept for the key meanwhile.
  Ref<const ElementwisePlan> keep(const PlanKey& key, Ref<const ElementwisePlan> plan);
  // Gives up all. Only while no thread uses the table.
  void clear();

 private:
  struct alignas(64) Set {
    std::atomic<bool> held{false};
    uint32_t tags[kWays] = {};                 // of the hash, so that others' plans are not touched
    const ElementwisePlan* plans[kWays] = {};  // a reference each; those asked for last come first
    Ref<const ElementwisePlan> find(const PlanKey& key, uint32_t tag);
  };
  // Takes the set for this thread alone, until the scope ends; false if another thread has it.
  class Hold;
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash); }
  Set& set_of(uint64_t hash) { return sets_[(hash >> 32) % kSets]; }

  Set sets_[kSets];
};

// The one of the process.
PlanTable& plan_table();

}  // namespace rondo::ops
