// Keeps the plans of elementwise tasks in a bounded table that threads may use at once.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/plan_table.h"

#include <algorithm>
#include <utility>

namespace rondo::ops {

namespace {
constinit PlanTable the_table;
}

PlanTable& plan_table() {
  return the_table;
}

class PlanTable::Hold {
 public:
  explicit Hold(Set& set)
      : set_(set),
        got_(!set.held.load(std::memory_order_relaxed) && !set.held.exchange(true, std::memory_order_acquire)) {}
  ~Hold() {
    if (got_) set_.held.store(false, std::memory_order_release);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return got_; }

 private:
  Set& set_;
  const bool got_;
};

// A plan that is found moves to the front.
inline Ref<const ElementwisePlan> PlanTable::Set::find(const PlanKey& key, uint32_t tag) {
  for (unsigned way = 0; way < kWays; ++way) {
    if (tags[way] != tag || !plans[way] || !plans[way]->is_for(key)) continue;
    if (way > 0) {
      std::rotate(plans, plans + way, plans + way + 1);
      std::rotate(tags, tags + way, tags + way + 1);
    }
    return Ref<const ElementwisePlan>::share(plans[0]);
  }
  return {};
}

Ref<const ElementwisePlan> PlanTable::find(const PlanKey& key) {
  const uint64_t hash = key.hash();
  Set& set = set_of(hash);
  const Hold hold(set);
  return hold ? set.find(key, tag_of(hash)) : Ref<const ElementwisePlan>();
}

Ref<const ElementwisePlan> PlanTable::keep(const PlanKey& key, Ref<const ElementwisePlan> plan) {
  const uint64_t hash = key.hash();
  Set& set = set_of(hash);
  Ref<const ElementwisePlan> replaced;  // destroyed after the set is released
  const Hold hold(set);
  if (!hold) return plan;
  if (Ref<const ElementwisePlan> other = set.find(key, tag_of(hash))) return other;
  replaced = Ref<const ElementwisePlan>::adopt(set.plans[kWays - 1]);
  std::copy_backward(set.plans, set.plans + kWays - 1, set.plans + kWays);
  std::copy_backward(set.tags, set.tags + kWays - 1, set.tags + kWays);
  set.plans[0] = Ref<const ElementwisePlan>(plan).leak();
  set.tags[0] = tag_of(hash);
  return plan;
}

void PlanTable::clear() {
  for (Set& set : sets_)
    for (const ElementwisePlan*& plan : set.plans) Ref<const ElementwisePlan>::adopt(std::exchange(plan, nullptr));
}

}  // namespace rondo::ops
