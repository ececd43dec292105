// Applies rotary positions on the host: it takes the rows of one position after the other, for which cosines and sines
// are made once. Workers share the positions.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/machine/processors.h"
#include "engine/tasks/workers.h"
#include "ops/attention/rotary.h"
#include "ops/host/elementwise_loops.h"

namespace rondo::ops {

using namespace device;

namespace {

// Numbers that a thread has room for: of each pair its cosine and sine, its channels, and what they become; its speed.
constexpr int64_t kOfPair = 6;
// The number of channels that is worth a thread of its own.
constexpr int64_t kPart = 1 << 15;

template <class M>
class Rotary {
 public:
  using C = Register<M>;

  Rotary(const RotaryPlan& plan, void* workspace)
      : plan_(plan),
        args_(plan.arguments()),
        pairs_(plan.form.channels / 2),
        loads_(loops(instructions()).moves(plan.x.dtype, false)),
        stores_(loops(instructions()).moves(plan.out.dtype, plan.out.accumulate)),
        speed_(static_cast<f64*>(workspace)),
        scratch_(reinterpret_cast<C*>(speed_ + pairs_)) {
    for (int64_t i = 0; i < pairs_; ++i) speed_[i] = rotary_speed(args_, i);
  }

  // The part-th of so many parts of the positions.
  void run(int64_t part, int64_t parts) {
    const int64_t count = plan_.rows.elements();
    C* const room = scratch_ + part * kOfPair * pairs_;
    int64_t known = 0;
    bool any = false;
    for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
      const int64_t position = position_of(i);
      if (!any || position != known) turns(position, room);
      known = position, any = true;
      const auto size = static_cast<int64_t>(sizeof(M));
      const char* from = plan_.x.address() + plan_.rows.offset(kRotaryX, i) * size;
      char* to = plan_.out.address() + plan_.rows.offset(kRotaryOut, i) * size;
      for (int64_t r = 0; r < plan_.shared; ++r) {
        row(from, to, room);
        from += plan_.shared_step[kRotaryX] * size;
        to += plan_.shared_step[kRotaryOut] * size;
      }
    }
  }

 private:
  int64_t position_of(int64_t row) const {
    const int64_t counted = plan_.rows.offset(kRotaryCounted, row);
    if (!plan_.positions) return counted;
    const int64_t at = plan_.rows.offset(kRotaryPositions, row);
    return counted + (plan_.positions->dtype == RONDO_I32
                          ? reinterpret_cast<const i32*>(plan_.positions->address())[at]
                          : reinterpret_cast<const i64*>(plan_.positions->address())[at]);
  }
  void turns(int64_t position, C* room) const {
    for (int64_t i = 0; i < pairs_; ++i) {
      const Turn<C> by = rotary_turn<C>(args_, i, speed_[i], position);
      room[i] = by.cosine, room[pairs_ + i] = by.sine;
    }
  }
  void row(const char* from, char* to, C* room) const {
    const auto size = static_cast<int64_t>(sizeof(M));
    const int64_t n = pairs_, in = plan_.step[kRotaryX], out = plan_.step[kRotaryOut];
    // From one of the first channels to the next, and to its second one.
    const int64_t next = plan_.form.interleaved ? 2 : 1, second = plan_.form.interleaved ? 1 : n;
    C *const a = room + 2 * n, *const b = room + 3 * n;
    loads_.load(a, from, in * next, n);
    loads_.load(b, from + in * second * size, in * next, n);
    turn(n, room, room + n, a, b, room + 4 * n, room + 5 * n);
    stores_.store(to, out * next, room + 4 * n, n);
    stores_.store(to + out * second * size, out * next, room + 5 * n, n);
    if (plan_.kept() == 0 || plan_.in_place()) return;
    keep(from + in * 2 * n * size, to + out * 2 * n * size);
  }
  static void turn(int64_t n, const C* __restrict cosine, const C* __restrict sine, const C* __restrict a,
                   const C* __restrict b, C* __restrict first, C* __restrict second) {
    for (int64_t i = 0; i < n; ++i) {
      first[i] = a[i] * cosine[i] - b[i] * sine[i];
      second[i] = b[i] * cosine[i] + a[i] * sine[i];
    }
  }
  // The channels that do not turn.
  void keep(const char* from, char* to) const {
    const M* const source = reinterpret_cast<const M*>(from);
    M* const target = reinterpret_cast<M*>(to);
    for (int64_t c = 0; c < plan_.kept(); ++c) {
      M* const each = target + c * plan_.step[kRotaryOut];
      const M given = source[c * plan_.step[kRotaryX]];
      if (plan_.out.accumulate)
        put(each, from_memory(given), true);
      else
        *each = given;
    }
  }

  const RotaryPlan& plan_;
  const RotaryArguments args_;
  const int64_t pairs_;
  const Moves loads_, stores_;
  f64* const speed_;
  C* const scratch_;
};

class CpuRotary final : public Computation {
 public:
  explicit CpuRotary(const RotaryPlan& plan) : Computation("rotary", plan.out.device()), plan_(plan) {
    plan.declare(*this);
    const int64_t rows = plan.rows.elements();
    parts_ =
        std::clamp<int64_t>(rows * plan.shared * plan.size() / kPart, 1, std::min<int64_t>(rows, known_processors()));
    workspace_bytes_ =
        static_cast<size_t>(plan.form.channels / 2) * sizeof(f64) * static_cast<size_t>(1 + kOfPair * parts_);
  }
  Status run(const TaskContext& context) override {
    with_float_element(plan_.x.dtype, [&]<class M>(M*) {
      Rotary<M> rotary(plan_, context.workspace);
      Workers::share(parts_, [&](int64_t part) { rotary.run(part, parts_); });
    });
    return {};
  }
  bool works_in_place() const override { return !plan_.out.accumulate; }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuRotary>(memory.moved(plan_)); }

 private:
  const RotaryPlan plan_;
  int64_t parts_ = 1;
};

}  // namespace

Ref<OperatorTask> make_cpu_rotary(const RotaryPlan& plan) {
  return make_ref<CpuRotary>(plan);
}

}  // namespace rondo::ops
