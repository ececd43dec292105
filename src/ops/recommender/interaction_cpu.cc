// Computes products of all pairs of vectors on the host: workers share samples.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tasks/workers.h"
#include "ops/operators/element.h"
#include "ops/recommender/interaction.h"

namespace rondo::ops {

namespace {

using device::InteractionArguments;

constexpr int64_t kSharedProducts = 1 << 15;  // products that are worth a worker's while
constexpr int64_t kColumns = 64;              // columns that are added up side by side

class CpuInteraction final : public Computation {
 public:
  explicit CpuInteraction(const InteractionPlan& plan) : Computation(plan.name(), plan.out().device()), plan_(plan) {
    plan_.declare(*this);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuInteraction>(memory.moved(plan_));
  }

  Status run(const TaskContext&) override {
    InteractionArguments args = plan_.arguments();
    args.x = plan_.x.address();
    args.dy = plan_.gradient() ? plan_.y.address() : nullptr;
    args.out = plan_.out().address();
    const int64_t work = std::max<int64_t>(1, args.vectors * args.vectors * args.width);
    const int64_t each = std::max<int64_t>(1, kSharedProducts / work);
    with_float_element(plan_.x.dtype, [&]<class M>(M*) {
      Workers::share((args.samples + each - 1) / each, [&](int64_t part) {
        const int64_t end = std::min<int64_t>(args.samples, (part + 1) * each);
        for (int64_t sample = part * each; sample < end; ++sample)
          plan_.gradient() ? go_back<M>(args, sample) : go<M>(args, sample);
      });
    });
    return {};
  }

 private:
  template <class M>
  static void go(const InteractionArguments& args, int64_t sample) {
    const M* const x = static_cast<const M*>(args.x) + sample * args.x_stride[0];
    M* out = static_cast<M*>(args.out) + sample * args.y_stride[0];
    const auto put_next = [&](Register<M> value) {
      put(out, value, args.adds != 0);
      out += args.y_stride[1];
    };
    for (int64_t c = 0; c < args.kept; ++c) put_next(device::from_memory(x[c * args.x_stride[2]]));
    for (int64_t i = 1; i < args.vectors; ++i)
      for (int64_t j = 0; j < i; ++j) {
        const M *const a = x + i * args.x_stride[1], *const b = x + j * args.x_stride[1];
        Register<M> sum = 0;
        for (int64_t c = 0; c < args.width; ++c)
          sum = sum + device::from_memory(a[c * args.x_stride[2]]) * device::from_memory(b[c * args.x_stride[2]]);
        put_next(sum);
      }
  }

  // As device::interaction_gradient, columns side by side.
  template <class M>
  static void go_back(const InteractionArguments& args, int64_t sample) {
    const M* const x = static_cast<const M*>(args.x) + sample * args.x_stride[0];
    const M* const dy = static_cast<const M*>(args.dy) + sample * args.y_stride[0];
    const M* const products = dy + args.kept * args.y_stride[1];
    for (int64_t i = 0; i < args.vectors; ++i) {
      M* const to = static_cast<M*>(args.out) + sample * args.out_stride[0] + i * args.out_stride[1];
      for (int64_t first = 0, n; first < args.width; first += n) {
        n = std::min<int64_t>(kColumns, args.width - first);
        Register<M> sum[kColumns] = {};
        if (args.kept && i == 0)
          for (int64_t c = 0; c < n; ++c) sum[c] = device::from_memory(dy[(first + c) * args.y_stride[1]]);
        for (int64_t j = 0; j < args.vectors; ++j) {
          if (j == i) continue;
          const int64_t pair = device::pairs_below(std::max(i, j)) + std::min(i, j);
          const Register<M> factor = device::from_memory(products[pair * args.y_stride[1]]);
          const M* const from = x + j * args.x_stride[1] + first * args.x_stride[2];
          for (int64_t c = 0; c < n; ++c) sum[c] = sum[c] + factor * device::from_memory(from[c * args.x_stride[2]]);
        }
        for (int64_t c = 0; c < n; ++c) put(to + (first + c) * args.out_stride[2], sum[c], args.adds != 0);
      }
    }
  }

  InteractionPlan plan_;
};

}  // namespace

Ref<OperatorTask> make_cpu_interaction(const InteractionPlan& plan) {
  return make_ref<CpuInteraction>(plan);
}

}  // namespace rondo::ops
