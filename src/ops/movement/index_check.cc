// Looks at indices on an engine that checks them, and brings those of a device to the host first.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/movement/index_check.h"

#include <string>

#include "base/text.h"
#include "ops/elementwise/transfer.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

class IndexCheck final : public Computation {
 public:
  // Takes indices on the host.
  IndexCheck(const Indexed& indexed, const View& indices, std::string place, Variable& checked)
      : Computation("check_indices", indices.device()),
        indexed_(indexed),
        indices_(indices),
        place_(std::move(place)),
        checked_(checked) {
    reads(*indices.storage);
    writes(checked);
  }
  Status run(const TaskContext&) override { return indices_.dtype == RONDO_I32 ? look<int32_t>() : look<int64_t>(); }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{indices_, false}}; }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    View indices = indices_;
    memory.move(&indices);
    return make_ref<IndexCheck>(indexed_, indices, place_, checked_);
  }

 private:
  template <class Index>
  Status look() const {
    const Layout& layout = indices_.layout;
    const auto* from = reinterpret_cast<const Index*>(indices_.address());
    const int64_t least = indexed_.from_end ? -indexed_.extent : 0, count = layout.elements();
    for (int64_t i = 0; i < count; ++i) {
      int64_t at[kMaxDims], offset = 0, rest = i;
      for (int d = layout.ndim - 1; d >= 0; --d) {
        at[d] = rest % layout.shape[d];
        rest /= layout.shape[d];
        offset += at[d] * layout.strides[d];
      }
      const int64_t index = from[offset];
      if (index < least || index >= indexed_.extent) return outside(at, index, least);
    }
    return {};
  }
  Status outside(const int64_t* at, int64_t index, int64_t least) const {
    std::string place = "indices";
    for (int d = 0; d < indices_.layout.ndim; ++d)
      place += format(d == 0 ? "[%lld" : ", %lld", static_cast<long long>(at[d]));
    if (indices_.layout.ndim > 0) place += "]";
    const std::string range = indexed_.axis < 0 ? "depth" : format("axis %d of %s", indexed_.axis, indexed_.of);
    const std::string possible = indexed_.extent == 0
                                     ? "none is possible"
                                     : format("%lld to %lld are possible", static_cast<long long>(least),
                                              static_cast<long long>(indexed_.extent - 1));
    return error(RONDO_INVALID_ARGUMENT, "%s: %s is %lld; %s has size %lld: %s", place_.c_str(), place.c_str(),
                 static_cast<long long>(index), range.c_str(), static_cast<long long>(indexed_.extent),
                 possible.c_str());
  }

  Indexed indexed_;
  View indices_;
  std::string place_;  // the operator and its device
  Variable& checked_;  // kept by what follows it
};

}  // namespace

namespace {
thread_local const ScopedChecked* known_check = nullptr;
}  // namespace

ScopedChecked::ScopedChecked(const Ref<Variable>& checked) : checked_(checked), before_(known_check) {
  known_check = this;
}

ScopedChecked::~ScopedChecked() {
  known_check = before_;
}

bool ScopedChecked::find(Ref<Variable>* checked) {
  if (!known_check) return false;
  *checked = known_check->checked_;
  return true;
}

Status bring_to_host(const View& view, View* on_host, Ref<Storage>* copy) {
  *on_host = view;
  if (view.device().is_host()) return {};
  Device* cpu = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
  *on_host =
      make_temporary(view.engine(), *cpu, view.dtype, Layout::row_major(view.layout.ndim, view.layout.shape), copy);
  return copy_across(view, *on_host);
}

Status check_inside(const Indexed& indexed, const View& indices, const Device& device, Ref<Variable>* checked) {
  Engine& engine = indices.engine();
  if (ScopedChecked::find(checked)) return {};
  if (!engine.checks_indices() || indices.elements() == 0 || indices.storage->skips_outside) return {};
  const ScopedNoTape unheard;  // a tape has nothing to learn from it
  View on_host;
  Ref<Storage> copy;
  RONDO_TRY(bring_to_host(indices, &on_host, &copy));
  *checked = make_ref<Variable>(engine);
  return submit(
      engine,
      make_ref<IndexCheck>(indexed, on_host, std::string(indexed.task) + " on " + device_name(device.id()), **checked),
      {}, [] { return Call{IndexCheckCall{}}; });
}

}  // namespace rondo::ops
