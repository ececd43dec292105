// Looks at the indices of bags, on an engine that was asked for it (ops/movement/index_check.h).
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "ops/movement/index_check.h"
#include "ops/recommender/bags.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

class BagCheck final : public Computation {
 public:
  // Takes indices and offsets on the host.
  BagCheck(BagPlan plan, std::string place, Variable& checked)
      : Computation("check_bags", plan.indices.device()),
        plan_(std::move(plan)),
        place_(std::move(place)),
        checked_(checked) {
    reads(*plan_.indices.storage);
    if (plan_.offsets) reads(*plan_.offsets->storage);
    writes(checked);
  }
  Status run(const TaskContext&) override {
    return plan_.indices.dtype == RONDO_I32 ? look<device::i32>() : look<device::i64>();
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    list->push_back({plan_.indices, false});
    if (plan_.offsets) list->push_back({*plan_.offsets, false});
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    BagPlan plan = plan_;
    memory.move_all(plan.indices, plan.offsets);
    return make_ref<BagCheck>(std::move(plan), place_, checked_);
  }

 private:
  template <class In>
  Status look() const {
    device::BagFacts facts = plan_.facts();
    facts.indices = plan_.indices.address();
    if (plan_.offsets) {
      facts.offsets = plan_.offsets->address();
      RONDO_TRY(look_at_offsets<In>(facts));
    }
    for (int64_t table = 0; table < facts.tables; ++table) {
      const int64_t rows = plan_.rows[static_cast<size_t>(table)];
      for (int64_t bag = 0; bag < facts.batch; ++bag) {
        device::i64 count = 0;
        const In* const indices = device::bag_indices<In>(facts, table, bag, count);
        for (int64_t j = 0; j < count; ++j) {
          const auto index = static_cast<int64_t>(indices[j * facts.index_stride[2]]);
          if (index >= -rows && index < rows) continue;
          const std::string at =
              plan_.offsets
                  ? format("indices[%lld]", printable(device::bag_begin<In>(facts, table * facts.batch + bag) + j))
                  : format("indices[%lld, %lld, %lld]", printable(table), printable(bag), printable(j));
          return error(RONDO_INVALID_ARGUMENT, "%s: %s is %lld; axis 0 of tables[%lld] has size %lld: %s",
                       place_.c_str(), at.c_str(), printable(index), printable(table), printable(rows),
                       possible(rows).c_str());
        }
      }
    }
    return {};
  }
  static std::string possible(int64_t rows) {
    return rows == 0 ? "none is possible" : format("%lld to %lld are possible", printable(-rows), printable(rows - 1));
  }
  template <class In>
  Status look_at_offsets(const device::BagFacts& facts) const {
    int64_t before = 0;
    for (int64_t i = 0; i <= facts.tables * facts.batch; ++i) {
      const auto at = static_cast<int64_t>(static_cast<const In*>(facts.offsets)[i * facts.offset_stride]);
      if (at < before || at > facts.length)
        return error(RONDO_INVALID_ARGUMENT,
                     "%s: offsets[%lld] is %lld; %lld to %lld are possible, by %s and %lld indices", place_.c_str(),
                     printable(i), printable(at), printable(before), printable(facts.length),
                     i == 0 ? "the list's begin" : "the offset before", printable(facts.length));
      before = at;
    }
    return {};
  }

  BagPlan plan_;
  std::string place_;  // the operator and its device
  Variable& checked_;  // kept by what follows it
};

}  // namespace

Status check_bags(BagPlan* plan) {
  Engine& engine = plan->engine();
  if (ScopedChecked::find(&plan->checked)) return {};
  if (!engine.checks_indices() || plan->places() == 0 || plan->indices.storage->skips_outside) return {};
  const ScopedNoTape unheard;  // a tape has nothing to learn from it
  BagPlan looked = *plan;
  looked.tables.clear();
  Ref<Storage> copies[2];
  RONDO_TRY(bring_to_host(plan->indices, &looked.indices, &copies[0]));
  if (plan->offsets) RONDO_TRY(bring_to_host(*plan->offsets, &*looked.offsets, &copies[1]));
  plan->checked = make_ref<Variable>(engine);
  return submit(
      engine,
      make_ref<BagCheck>(std::move(looked), std::string(plan->name()) + " on " + device_name(plan->device().id()),
                         *plan->checked),
      {}, [] { return Call{IndexCheckCall{}}; });
}

}  // namespace rondo::ops
