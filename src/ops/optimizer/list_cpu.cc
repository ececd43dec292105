// Works on lists of tensors on the host: in chunks, which workers share; each sums by itself, and the sums are added up
// in their order, so results do not depend on who did what.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/tasks/workers.h"
#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"
#include "ops/optimizer/list.h"

namespace rondo::ops {

namespace {

using device::StepNumbers;
using device::StepPlan;
using device::StepRule;

constexpr int64_t kChunk = 16384;   // what a worker does at once
constexpr int64_t kPiece = 1024;    // of it, what is in registers' form at once
constexpr int64_t kShared = 65536;  // elements from which on sharing is worth a worker's while

struct Chunk {
  uint32_t tensor;
  int32_t count;
  int64_t begin;
};

std::vector<Chunk> chunks_of(size_t tensors, const auto& elements) {
  std::vector<Chunk> chunks;
  for (size_t i = 0; i < tensors; ++i)
    for (int64_t begin = 0, all = elements(i); begin < all; begin += kChunk)
      chunks.push_back({static_cast<uint32_t>(i), static_cast<int32_t>(std::min(kChunk, all - begin)), begin});
  return chunks;
}

template <class Body>
void over(const std::vector<Chunk>& chunks, const Body& body) {
  int64_t elements = 0;
  for (const Chunk& each : chunks) elements += each.count;
  if (elements < kShared) {
    for (size_t i = 0; i < chunks.size(); ++i) body(i);
    return;
  }
  // Small chunks in a row make what is worth a turn.
  std::vector<size_t> begins;
  int64_t row = kChunk;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (row >= kChunk) begins.push_back(i), row = 0;
    row += chunks[i].count;
  }
  begins.push_back(chunks.size());
  Workers::share(static_cast<int64_t>(begins.size()) - 1, [&](int64_t part) {
    for (size_t i = begins[static_cast<size_t>(part)]; i < begins[static_cast<size_t>(part) + 1]; ++i) body(i);
  });
}

// Elements of a float tensor as they are computed with: where they lie, or loaded into `buffer`.
template <class C>
const C* loaded(const Loops& table, const View& view, int64_t begin, int64_t n, C* buffer) {
  const char* from = view.address() + begin * static_cast<int64_t>(dtype_size(view.dtype));
  if (view.dtype == (std::is_same_v<C, float> ? RONDO_F32 : RONDO_F64)) return reinterpret_cast<const C*>(from);
  if constexpr (std::is_same_v<C, float>) {
    if (view.dtype == RONDO_F64)
      for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<float>(reinterpret_cast<const double*>(from)[i]);
    else
      table.moves(view.dtype, false).load(buffer, from, 1, n);
  } else {
    float narrow[kPiece];
    const float* values = loaded<float>(table, view, begin, n, narrow);
    for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<double>(values[i]);
  }
  return buffer;
}

// As device::join_sums() joins them.
template <class C>
double squares(const Loops& table, const C* values, int64_t n) {
  constexpr int64_t kLanes = 64;
  double lanes[kLanes] = {};
  if constexpr (std::is_same_v<C, float>) {
    const AddRows<float> add = table.adders(Summand::square).rows;
    add(lanes, values, kLanes, n / kLanes, kLanes);
    add(lanes, values + n / kLanes * kLanes, 0, 1, n % kLanes);
  } else {
    for (int64_t i = 0; i < n; ++i) lanes[i % kLanes] += values[i] * values[i];
  }
  for (int64_t half = kLanes / 2; half > 0; half /= 2)
    for (int64_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  if (std::is_same_v<C, float> || !device::sum_overflows(lanes[0])) return lanes[0];
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) device::add_square(sum, values[i]);
  return sum;
}

template <class C>
bool finite(const C* values, int64_t n) {
  C sum = 0;  // 0, or NaN
  for (int64_t i = 0; i < n; ++i) sum += values[i] - values[i];
  return sum == C(0);
}

// A part of a tensor: the sum of its squares, or how much of it is not finite.
double measured(const Loops& table, const View& view, int64_t begin, int64_t count, bool is_norm) {
  double sum = 0;
  const auto take = [&]<class C>(C*) {
    C buffer[kPiece];
    for (int64_t done = 0, n; done < count; done += n) {
      n = std::min(kPiece, count - done);
      const C* values = loaded<C>(table, view, begin + done, n, buffer);
      sum = device::join_sums(sum, is_norm ? squares(table, values, n) : finite(values, n) ? 0 : 1);
    }
  };
  if (view.dtype == RONDO_F64)
    take(static_cast<double*>(nullptr));
  else
    take(static_cast<float*>(nullptr));
  return sum;
}

void step_wide(StepRule rule, const StepNumbers<double>& n, double ratio, double* p, const double* g, double* m,
               double* v, double* x, double* direction, int64_t count) {
  const auto row = [&]<StepRule which>() {
    for (int64_t i = 0; i < count; ++i) {
      double weight = p[i], gradient = g ? g[i] : 0, none = 0;
      double *first = m ? m + i : &none, *second = v ? v + i : &none, *largest = x ? x + i : &none;
      device::step_element<which, double>(n, ratio, weight, gradient, *first, *second, *largest);
      (direction ? direction[i] : p[i]) = direction ? gradient : weight;
    }
  };
  switch (rule) {
    case StepRule::descent: return row.template operator()<StepRule::descent>();
    case StepRule::momentum: return row.template operator()<StepRule::momentum>();
    case StepRule::nesterov: return row.template operator()<StepRule::nesterov>();
    case StepRule::adam: return row.template operator()<StepRule::adam>();
    case StepRule::amsgrad: return row.template operator()<StepRule::amsgrad>();
    case StepRule::lamb_measure: return row.template operator()<StepRule::lamb_measure>();
    case StepRule::lamb: return row.template operator()<StepRule::lamb>();
  }
}

class CpuStep final : public Computation {
 public:
  explicit CpuStep(StepWork work) : Computation("optimizer_step", work.device()), work_(std::move(work)) {
    work_.declare(*this);
    chunks_ = chunks_of(work_.tensors.size(), [&](size_t i) { return work_.tensors[i].weights.elements(); });
    workspace_bytes_ = 2 * sizeof(double) * std::max<size_t>(chunks_.size(), 1);
    if (work_.rule == StepRule::lamb) workspace_bytes_ += sizeof(double) * work_.tensors.size();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { work_.list_operands(list); }

  Status run(const TaskContext& context) override {
    double* const partials = static_cast<double*>(context.workspace);
    const Loops& table = loops(instructions());
    double all = 0;
    const bool given = !work_.finite || *reinterpret_cast<const unsigned char*>(work_.finite->address()) != 0;
    if (work_.clips() && given) {
      over(chunks_, [&](size_t i) {
        const Chunk& chunk = chunks_[i];
        partials[i] = measured(table, work_.tensors[chunk.tensor].gradient, chunk.begin, chunk.count, true);
      });
      for (size_t i = 0; i < chunks_.size(); ++i) all = device::join_sums(all, partials[i]);
    }
    StepPlan plan = {};
    device::plan_step(work_.facts, reinterpret_cast<device::i64*>(work_.step.address()),
                      *reinterpret_cast<const double*>(work_.rate.address()),
                      work_.scale ? *reinterpret_cast<const float*>(work_.scale->address()) : 1.0, given, all, plan);
    if (plan.skip) return {};
    double* const ratios = work_.rule == StepRule::lamb ? partials + 2 * chunks_.size() : nullptr;
    if (ratios) measure_lamb(table, plan, partials, ratios);
    over(chunks_, [&](size_t i) { step(table, plan, work_.rule, chunks_[i], ratios, nullptr); });
    return {};
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuStep>(memory.moved(work_)); }

 private:
  void measure_lamb(const Loops& table, const StepPlan& plan, double* partials, double* ratios) const {
    over(chunks_, [&](size_t i) { step(table, plan, StepRule::lamb_measure, chunks_[i], nullptr, partials + 2 * i); });
    std::vector<double>::size_type at = 0;
    for (size_t t = 0; t < work_.tensors.size(); ++t) {
      double weights = 0, direction = 0;
      for (; at < chunks_.size() && chunks_[at].tensor == t; ++at) {
        weights = device::join_sums(weights, partials[2 * at]);
        direction = device::join_sums(direction, partials[2 * at + 1]);
      }
      ratios[t] = device::lamb_ratio(weights, direction);
    }
  }

  void step(const Loops& table, const StepPlan& plan, StepRule rule, const Chunk& chunk, const double* ratios,
            double* measures) const {
    const double ratio = ratios ? ratios[chunk.tensor] : 1;
    if (work_.tensors[chunk.tensor].weights.dtype == RONDO_F64)
      step_in<double>(table, plan, rule, chunk, ratio, measures);
    else
      step_in<float>(table, plan, rule, chunk, ratio, measures);
  }

  // C: what is computed in. measures: of LAMB's first pass, where the squares of weights and direction go.
  template <class C>
  void step_in(const Loops& table, const StepPlan& plan, StepRule rule, const Chunk& chunk, double ratio,
               double* measures) const {
    const StepTensor& tensor = work_.tensors[chunk.tensor];
    const View& weights = tensor.weights;
    const bool master = work_.has_master(weights);
    C kept[kPiece], taken[kPiece], found[kPiece];
    double sums[2] = {};
    for (int64_t done = 0, n; done < chunk.count; done += n) {
      n = std::min<int64_t>(kPiece, chunk.count - done);
      const int64_t at = chunk.begin + done;
      const auto state = [&](int which) {
        const std::optional<View>& block = work_.states[which];
        return block ? reinterpret_cast<C*>(block->address() + tensor.state) + at : nullptr;
      };
      const bool alone = !master && dtype_size(weights.dtype) == sizeof(C);
      char* const to = weights.address() + at * static_cast<int64_t>(dtype_size(weights.dtype));
      C* const p = master ? state(device::kStateMaster) : alone ? reinterpret_cast<C*>(to) : kept;
      if (p == kept) loaded<C>(table, weights, at, n, kept);
      const C* const g = rule == StepRule::lamb ? nullptr : loaded<C>(table, tensor.gradient, at, n, taken);
      C* const direction = measures ? found : nullptr;
      C *const m = state(device::kStateFirst), *const v = state(device::kStateSecond),
               *const x = state(device::kStateLargest);
      if constexpr (std::is_same_v<C, float>)
        table.step(rule)(plan.narrow, static_cast<float>(ratio), p, g, m, v, x, direction, n);
      else
        step_wide(rule, plan.wide, ratio, p, g, m, v, x, direction, n);
      if (measures) {
        sums[0] = device::join_sums(sums[0], squares(table, p, n));
        sums[1] = device::join_sums(sums[1], squares(table, found, n));
      } else if constexpr (std::is_same_v<C, float>) {
        if (!alone) table.moves(weights.dtype, false).store(to, 1, p, n);
      }
    }
    if (measures) std::copy(sums, sums + 2, measures);
  }

  StepWork work_;
  std::vector<Chunk> chunks_;
};

class CpuMeasure final : public Computation {
 public:
  explicit CpuMeasure(MeasureWork work) : Computation(work.name(), work.out.device()), work_(std::move(work)) {
    work_.declare(*this);
    chunks_ = chunks_of(work_.tensors.size(), [&](size_t i) { return work_.tensors[i].elements(); });
    workspace_bytes_ = sizeof(double) * std::max<size_t>(chunks_.size(), 1);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { work_.list_operands(list); }

  Status run(const TaskContext& context) override {
    double* const partials = static_cast<double*>(context.workspace);
    const Loops& table = loops(instructions());
    const bool is_norm = work_.what != Measure::finite;
    over(chunks_, [&](size_t i) {
      const Chunk& chunk = chunks_[i];
      partials[i] = measured(table, work_.tensors[chunk.tensor], chunk.begin, chunk.count, is_norm);
    });
    double sum = 0;
    for (size_t i = 0; i < chunks_.size(); ++i) sum = device::join_sums(sum, partials[i]);
    if (!is_norm) {
      *reinterpret_cast<unsigned char*>(work_.out.address()) = sum == 0 ? 1 : 0;
      return {};
    }
    *reinterpret_cast<float*>(work_.out.address()) = static_cast<float>(device::root_of_sum(sum));
    if (work_.what != Measure::clip) return {};
    const double factor = device::clip_factor(device::root_of_sum(sum), work_.max_norm);
    if (factor != 1) over(chunks_, [&](size_t i) { multiply(table, chunks_[i], factor); });
    return {};
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuMeasure>(memory.moved(work_)); }

 private:
  void multiply(const Loops& table, const Chunk& chunk, double factor) const {
    const View& view = work_.tensors[chunk.tensor];
    char* const to = view.address() + chunk.begin * static_cast<int64_t>(dtype_size(view.dtype));
    if (view.dtype == RONDO_F64) {
      for (int64_t i = 0; i < chunk.count; ++i) reinterpret_cast<double*>(to)[i] *= factor;
      return;
    }
    const device::TwoFactors<float> narrow(factor);
    const Moves moves = table.moves(view.dtype, false);
    float values[kPiece];
    const auto size = static_cast<int64_t>(dtype_size(view.dtype));
    for (int64_t done = 0, n; done < chunk.count; done += n) {
      n = std::min<int64_t>(kPiece, chunk.count - done);
      moves.load(values, to + done * size, 1, n);
      for (int64_t i = 0; i < n; ++i) values[i] = narrow.of(values[i]);
      moves.store(to + done * size, 1, values, n);
    }
  }

  MeasureWork work_;
  std::vector<Chunk> chunks_;
};

}  // namespace

Ref<OperatorTask> make_cpu_step(StepWork work) {
  return make_ref<CpuStep>(std::move(work));
}
Ref<OperatorTask> make_cpu_measure(MeasureWork work) {
  return make_ref<CpuMeasure>(std::move(work));
}

}  // namespace rondo::ops
