// Runs row operators on the host, and chooses the device for those that are submitted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>

#include "engine/tasks/workers.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/host/elementwise_loops.h"
#include "ops/host/streaming.h"
#include "ops/rows/rows.h"
#include "ops/task/nothing.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Sums are kept in double: rows are short against what double can add without loss that shows in f32.
float total(const Loops& table, const float* values, int64_t count) {
  constexpr int64_t kLanes = 128;
  double lanes[kLanes] = {};
  const AddRows<float> add = table.adders(Summand::itself).rows;
  add(lanes, values, kLanes, count / kLanes, kLanes);
  add(lanes, values + count / kLanes * kLanes, 0, 1, count % kLanes);
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return static_cast<float>(lanes[0]);
}
double total(const Loops&, const double* values, int64_t count) {
  constexpr int64_t kBlock = 128;
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    double block = 0;
    for (int64_t i = begin; i < std::min(begin + kBlock, count); ++i) block += values[i];
    sum += block;
  }
  return sum;
}

// The expressions for the rows of an operator, evaluated by one thread.
struct Around {
  RowSideEvaluator before, after;
  explicit Around(const RowExpression& expression) : before(expression.before), after(expression.after) {}
};

template <class T>
struct Rows {
  using C = Register<T>;
  static constexpr bool kNarrow = std::is_same_v<C, float>;  // there are loops for it
  const RowPlan& plan;
  const Loops& table;
  const Moves& moves;
  Around* around;  // null: nothing is
  int64_t number;  // of the row
  C* row;          // the row, later what becomes of it
  int64_t end;     // elements that count
  bool streams;    // results go past the caches

  // Elements that do not count are -infinity. Returns their address: in `row`, or in x.
  const C* load(const T* x) const {
    const C scale = plan.has_labels() ? C(1) : static_cast<C>(plan.scale);
    if constexpr (std::is_same_v<T, C>)
      if (!around && plan.step[0] == 1 && scale == C(1) && end == plan.length) return x;
    load(x, scale);
    return row;
  }
  void load(const T* x, C scale) const {
    if (around)
      around->before.run(number, 0, plan.length, nullptr, 0, row);
    else
      moves.load(row, reinterpret_cast<const char*>(x), plan.step[0], end);
    if (scale != C(1))
      for (int64_t i = 0; i < end; ++i) row[i] *= scale;
    std::fill(row + end, row + plan.length, -std::numeric_limits<C>::infinity());
  }
  C largest(const C* values) const {
    if constexpr (kNarrow) return table.largest(values, plan.length);
    C top = -std::numeric_limits<C>::infinity();
    for (int64_t i = 0; i < plan.length; ++i) top = std::max(top, values[i]);
    return top;
  }
  void store(T* out, C beyond = 0) const {
    std::fill(row + end, row + plan.length, beyond);
    if (around) return around->after.store(number, 0, plan.length, row, 1, moves, out, plan.step[2], plan.out.dtype);
    if constexpr (std::is_same_v<T, C>)
      if (streams) return table.stream(reinterpret_cast<char*>(out), row, plan.length * int64_t{sizeof(T)});
    moves.store(reinterpret_cast<char*>(out), plan.step[2], row, plan.length);
  }
  // Leaves exp(x - top) in `row`; returns its sum.
  C exponentials(const C* values, C top) const {
    if constexpr (kNarrow)
      table.exponentials(row, values, top, plan.length);
    else
      for (int64_t i = 0; i < plan.length; ++i) row[i] = std::exp(values[i] - top);
    return total(table, row, plan.length);
  }

  void softmax(const T* x, T* out) const {
    const C* values = load(x);
    const C sum = exponentials(values, largest(values));
    if constexpr (kNarrow)
      table.divide(row, sum, plan.length);
    else
      for (int64_t i = 0; i < plan.length; ++i) row[i] /= sum;
    store(out);
  }
  void log_softmax(const T* x, T* out) const {
    const C* values = load(x);
    const C top = largest(values);
    const C log_sum = std::log(exponentials(values, top));
    values = load(x);
    for (int64_t i = 0; i < plan.length; ++i) row[i] = (values[i] - top) - log_sum;
    store(out, -std::numeric_limits<C>::infinity());
  }
  void softmax_grad(const T* y, const T* dy, T* out) const {
    for (int64_t i = 0; i < end; ++i)
      row[i] = device::from_memory(y[i * plan.step[0]]) * device::from_memory(dy[i * plan.step[1]]);
    const C dot = total(table, row, end), scale = static_cast<C>(plan.scale);
    for (int64_t i = 0; i < end; ++i)
      row[i] = device::from_memory(y[i * plan.step[0]]) * (device::from_memory(dy[i * plan.step[1]]) - dot) * scale;
    store(out);
  }
  void log_softmax_grad(const T* y, const T* dy, T* out) const {
    for (int64_t i = 0; i < end; ++i) row[i] = device::from_memory(dy[i * plan.step[1]]);
    const C sum = total(table, row, end), scale = static_cast<C>(plan.scale);
    for (int64_t i = 0; i < end; ++i)
      row[i] = (row[i] - std::exp(device::from_memory(y[i * plan.step[0]])) * sum) * scale;
    store(out);
  }
  // by(i, element i) of a vector along the rows.
  template <class By>
  void each_of(const View& along, const By& by) const {
    const T* const from = reinterpret_cast<const T*>(along.address());
    const int64_t step = along.layout.strides[0];
    if constexpr (std::is_same_v<T, float>)
      if (step == 1) {
        for (int64_t i = 0; i < plan.length; ++i) by(i, from[i]);
        return;
      }
    for (int64_t i = 0; i < plan.length; ++i) by(i, device::from_memory(from[i * step]));
  }
  C weight_at(int64_t i) const {
    if (!plan.weight) return 1;
    return device::from_memory(reinterpret_cast<const T*>(plan.weight->address())[i * plan.weight->layout.strides[0]]);
  }
  C change_at(const T* dy, int64_t i) const { return device::from_memory(dy[i * plan.step[1]]) * weight_at(i); }

  // The steps of a formula (rtc/device/rows/normalisations.h) from this one on, before `last`, over `row`, which is the
  // operand multiplied by `scale`.
  template <class Formula, int step, int last>
  void know(const T* dy, C* known, double scale) const {
    if constexpr (step < last) {
      constexpr int kLanes = 8, sums = Formula::template sums<C, double>(step);
      double lanes[sums][kLanes] = {};
      // Element i to lane i % kLanes; in f32, where x alone counts, so many at a time.
      const auto add = [&](int64_t i, int64_t lane) {
        C terms[device::kMaxRowSums];
        Formula::template add<step>(known, row[i], step < Formula::kChange ? C(0) : change_at(dy, i), terms);
        for (int s = 0; s < sums; ++s) lanes[s][lane] += static_cast<double>(terms[s]);
      };
      int64_t i = 0;
      if constexpr (std::is_same_v<T, float> && step < Formula::kChange)
        for (; i + kLanes <= plan.length; i += kLanes)
          for (int64_t l = 0; l < kLanes; ++l) add(i + l, l);
      for (; i < plan.length; ++i) add(i, i % kLanes);
      double all[sums];
      for (int s = 0; s < sums; ++s) all[s] = std::accumulate(lanes[s], lanes[s] + kLanes, 0.0);
      Formula::template know<step>(known, all, static_cast<double>(plan.length), plan.scale, scale);
      know<Formula, step + 1, last>(dy, known, scale);
    }
  }
  // near: the formula's rest is 0.
  template <class Formula, bool near>
  void finish(const T* dy, const C* known) const {
    C all[Formula::kKnown];
    std::copy_n(known, Formula::kKnown, all);
    if constexpr (near) all[Formula::kRest] = 0;  // so that the compiler knows
    for (int64_t i = 0; i < plan.length; ++i) row[i] = Formula::result(all, row[i], dy ? change_at(dy, i) : C(0));
  }
  template <class Formula>
  void normalise(const T* x, const T* dy, T* out) const {
    load(x, C(1));
    C known[Formula::kKnown], scale = 1;
    for (;;) {
      know<Formula, 0, Formula::kChange>(dy, known, static_cast<double>(scale));
      const C next = device::next_row_scale<Formula>(scale, known);
      if (next == scale) break;
      for (int64_t i = 0; i < plan.length; ++i) row[i] *= next / scale;
      scale = next;
    }
    know<Formula, Formula::kChange, Formula::kSteps>(dy, known, static_cast<double>(scale));
    if constexpr (Formula::kRest >= 0)
      known[Formula::kRest] == C(0) ? finish<Formula, true>(dy, known) : finish<Formula, false>(dy, known);
    else
      finish<Formula, false>(dy, known);
    if (dy && scale != C(1))
      for (int64_t i = 0; i < plan.length; ++i) row[i] *= scale;
    if (plan.weight && !dy) each_of(*plan.weight, [&](int64_t i, C weight) { row[i] *= weight; });
    if (plan.bias) each_of(*plan.bias, [&](int64_t i, C bias) { row[i] += bias; });
    store(out);
  }
  void loss(const T* x, int64_t label, T* out) const {
    C value = 0;
    if (label >= 0 && label < plan.length) {
      const C* values = load(x);
      const C top = largest(values);
      value = std::log(exponentials(values, top)) - (device::from_memory(x[label * plan.step[0]]) - top);
    }
    put(out, value, plan.out.accumulate);
  }
  void loss_grad(const T* x, int64_t label, T* out) const {
    if (label < 0 || label >= plan.length) {
      std::fill(row, row + plan.length, C(0));
      return store(out);
    }
    const C* values = load(x);
    const C sum = exponentials(values, largest(values));
    const C scale = static_cast<C>(plan.scale);
    for (int64_t i = 0; i < plan.length; ++i) row[i] = (row[i] / sum - static_cast<C>(i == label)) * scale;
    store(out);
  }
};

class CpuRows final : public Computation {
 public:
  explicit CpuRows(const RowPlan& plan) : Computation(plan.name(), plan.out.device()), plan_(plan) {
    plan.declare(*this);
    workspace_bytes_ = rows_workspace(plan_);
  }
  Status run(const TaskContext& context) override {
    rows_on_cpu(plan_, context.workspace);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuRows>(memory.moved(plan_)); }

 private:
  RowPlan plan_;
};

Call describe_rows(const RowPlan& plan) {
  const SoftmaxCall softmax{plan.op, plan.temperature, plan.axis, plan.masked()};
  switch (plan.kind) {
    case RowKind::softmax:
    case RowKind::log_softmax: return Call{softmax};
    case RowKind::softmax_grad:
    case RowKind::log_softmax_grad: return Call{SoftmaxGradCall{softmax}};
    case RowKind::loss: return Call{CrossEntropyCall{}};
    case RowKind::loss_grad: return Call{CrossEntropyGradCall{plan.scale}};
    case RowKind::normalisation_grad:
      return Call{NormalisationGradCall{plan.norm, plan.weight.has_value(), plan.axis, plan.scale}};
    case RowKind::normalisation: break;
  }
  return Call{NormalisationCall{plan.norm, plan.weight.has_value(), plan.bias.has_value(), plan.axis, plan.scale}};
}

}  // namespace

namespace {

// True if rows of results go past the caches: contiguous ones, if nothing is read there.
bool should_stream(const RowPlan& plan) {
  if (plan.out.accumulate || plan.has_labels() || plan.step[2] != 1 || plan.expression) return false;
  int64_t elements = 0;
  const char* const to = plan.out.address();
  bool apart = true;
  plan.each_read([&](const View& each) {
    elements += each.elements();
    apart &= each.address() != to;
  });
  return apart && worth_streaming((elements + plan.out.elements()) * static_cast<int64_t>(dtype_size(plan.out.dtype)));
}

template <class T>
void some_rows(const RowPlan& plan, int64_t begin, int64_t stop, void* workspace, const Loops& table) {
  // Loads go by the operands' dtype, stores by the result's: the same, but in an expression, which loads by itself.
  const Moves moves = table.moves(plan.out.dtype, plan.out.accumulate);
  std::optional<Around> around;
  if (plan.expression) around.emplace(*plan.expression);
  const bool streams = table.stream && should_stream(plan);
  const T* x = reinterpret_cast<const T*>(plan.x.address());
  const T* other = plan.other ? reinterpret_cast<const T*>(plan.other->address()) : nullptr;
  const auto out_size = static_cast<int64_t>(dtype_size(plan.out.dtype));
  for (int64_t i = begin; i < stop; ++i) {
    const T* from = x + plan.rows.offset(device::kRowX, i);
    const T* change = other ? other + plan.rows.offset(device::kRowOther, i) : nullptr;
    T* to = reinterpret_cast<T*>(plan.out.address() + plan.rows.offset(device::kRowOut, i) * out_size);
    int64_t given = 0;
    if (plan.per_row) {
      const int64_t at = plan.rows.offset(device::kRowPer, i);
      given = plan.per_row->dtype == RONDO_I32 ? reinterpret_cast<const device::i32*>(plan.per_row->address())[at]
                                               : reinterpret_cast<const device::i64*>(plan.per_row->address())[at];
    }
    const Rows<T> rows{plan,
                       table,
                       moves,
                       around ? &*around : nullptr,
                       i,
                       static_cast<Register<T>*>(workspace),
                       plan.masked() ? device::row_end(given, plan.length) : plan.length,
                       streams};
    switch (plan.kind) {
      case RowKind::softmax: rows.softmax(from, to); break;
      case RowKind::log_softmax: rows.log_softmax(from, to); break;
      case RowKind::softmax_grad: rows.softmax_grad(from, change, to); break;
      case RowKind::log_softmax_grad: rows.log_softmax_grad(from, change, to); break;
      case RowKind::loss: rows.loss(from, given, to); break;
      case RowKind::loss_grad: rows.loss_grad(from, given, to); break;
      case RowKind::normalisation:
      case RowKind::normalisation_grad:
        with_normalisation(plan.norm, plan.kind == RowKind::normalisation_grad,
                           [&]<class Formula>() { rows.template normalise<Formula>(from, change, to); });
        break;
    }
  }
  if (streams) end_streaming();
}

constexpr int64_t kSharedElements = 1 << 12;

// Parts that threads may work on side by side, each with a row of workspace.
int64_t parts_of(const RowPlan& plan) {
  constexpr int64_t kMost = 8;
  const int64_t rows = plan.rows.elements();
  return rows < 2 || plan.length < 1 || plan.length > (1 << 20) || rows < kSharedElements / plan.length
             ? 1
             : std::min(rows, kMost);
}

}  // namespace

size_t rows_workspace(const RowPlan& plan) {
  // A row of a broadcast view may be longer than any memory: then too much is asked for, instead of what wraps.
  constexpr size_t kMost = size_t{PTRDIFF_MAX} / sizeof(double);
  return std::min(static_cast<size_t>(plan.length), kMost) * sizeof(double) * static_cast<size_t>(parts_of(plan));
}

void rows_on_cpu(const RowPlan& plan, void* workspace, Instructions which) {
  with_float_element(plan.x.dtype, [&]<class T>(T*) {
    const int64_t count = plan.rows.elements(), parts = parts_of(plan);
    Workers::share(parts, [&](int64_t part) {
      some_rows<T>(plan, count * part / parts, count * (part + 1) / parts,
                   static_cast<double*>(workspace) + part * plan.length, loops(which));
    });
  });
}

bool cpu_shares_rows(const RowPlan& plan) {
  return parts_of(plan) > 1 || plan.rows.elements() < kSharedElements / std::max<int64_t>(plan.length, 1);
}

Ref<OperatorTask> make_cpu_rows(const RowPlan& plan) {
  return make_ref<CpuRows>(plan);
}

Status submit_rows(const RowPlan& plan, Output& out) {
  Engine& engine = plan.out.engine();
  const auto call = [&] { return describe_rows(plan); };
  // A row operator with expressions around it has no gradient.
  const Describe describe = plan.expression ? Describe() : Describe(call);
  if (plan.out.elements() == 0) return submit_nothing(plan.name(), plan, {&out}, describe);
  return plan.out.device().is_host() ? submit(engine, make_cpu_rows(plan), {&out}, describe)
                                     : submit_prepared(engine, make_cuda_rows(plan), {&out}, describe);
}

}  // namespace rondo::ops
