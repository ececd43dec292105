// Computes statistics of groups and sums for gradients on the host, and chooses the device. Everything is added up in
// double, in blocks, in a fixed order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "ops/batch_norm/batch_norm.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

using device::kNormArrays;
using device::kNormInputs;

constexpr int kLanes = 8;          // sums side by side within one group
constexpr int64_t kTogether = 64;  // groups side by side where they are closer together than their elements
constexpr int64_t kBlock = 128;    // steps that are added up before they join the rest

// Groups that are worked on together, and how their elements are walked: steps of `lanes` elements each.
template <class T>
struct Walk {
  using C = Register<T>;
  const NormPlan& plan;
  int64_t base[kNormInputs] = {};
  bool columns = false;
  int64_t count = 1;  // groups

  template <class Element>
  const Element* at(int array, int64_t offset) const {
    return reinterpret_cast<const Element*>(plan.in[array]->address()) + offset;
  }

  // Adds up two values of each element: value(offsets, sums) for lane after lane. Results per group.
  template <class Value>
  void sum(const Value& value, double* first, double* second) const {
    const Dims<kNormInputs>& reduced = plan.reduced;
    const int inner = reduced.count - 1;
    const int64_t run = inner >= 0 ? reduced.size[inner] : 1, runs = plan.length() / std::max<int64_t>(run, 1);
    const int64_t lanes = columns ? count : kLanes;
    int64_t lane_step[kNormInputs], step[kNormInputs];
    for (int a = 0; a < kNormInputs; ++a) {
      const int64_t along = inner >= 0 ? reduced.stride[a][inner] : 0;
      lane_step[a] = columns ? plan.kept.stride[a][plan.kept.count - 1] : along;
      step[a] = columns ? along : along * kLanes;
    }
    double total[2][kTogether] = {}, block[2][kTogether] = {};
    int64_t in_block = 0;
    const auto flush = [&] {
      for (int64_t l = 0; l < lanes; ++l)
        for (int s = 0; s < 2; ++s) total[s][l] += std::exchange(block[s][l], 0.0);
      in_block = 0;
    };
    for (int64_t r = 0; r < runs; ++r) {
      int64_t offset[kNormInputs];
      for (int a = 0; a < kNormInputs; ++a) offset[a] = base[a] + reduced.offset(a, r * run);
      const int64_t steps = columns ? run : (run + kLanes - 1) / kLanes;
      for (int64_t j = 0; j < steps; ++j) {
        const int64_t here = columns ? lanes : std::min<int64_t>(kLanes, run - j * kLanes);
        for (int64_t l = 0; l < here; ++l) {
          int64_t place[kNormInputs];
          for (int a = 0; a < kNormInputs; ++a) place[a] = offset[a] + l * lane_step[a];
          value(place, columns ? l : 0, &block[0][l], &block[1][l]);
        }
        for (int a = 0; a < kNormInputs; ++a) offset[a] += step[a];
        if (++in_block == kBlock) flush();
      }
    }
    flush();
    for (int64_t k = 0; k < count; ++k) first[k] = second[k] = 0;
    for (int64_t l = 0; l < lanes; ++l) {
      first[columns ? l : 0] += total[0][l];
      second[columns ? l : 0] += total[1][l];
    }
  }
};

template <class T>
void moments(const Walk<T>& walk, int64_t number) {
  using C = Register<T>;
  const NormPlan& plan = walk.plan;
  const double length = static_cast<double>(plan.length());
  double mean[kTogether], rest[kTogether], squares[kTogether], scale[kTogether];
  std::fill_n(scale, walk.count, 1.0);
  const auto x = [&](const int64_t* place, int64_t k) {
    const auto value =
        static_cast<double>(device::from_memory(*walk.template at<T>(device::kNormX, place[device::kNormX])));
    return std::is_same_v<C, double> ? value * scale[k] : value;  // squares of others fit
  };
  const auto variance = [&](int64_t k) { return squares[k] / length + plan.epsilon * scale[k] * scale[k]; };
  for (bool again = true; again;) {
    again = false;
    walk.sum([&](const int64_t* place, int64_t k, double* sum, double*) { *sum += x(place, k); }, mean, squares);
    for (int64_t k = 0; k < walk.count; ++k) mean[k] /= length;
    walk.sum(
        [&](const int64_t* place, int64_t k, double* sum, double* square) {
          const double distance = x(place, k) - mean[k];
          *sum += distance;
          *square += distance * distance;
        },
        rest, squares);
    for (int64_t k = 0; k < walk.count; ++k) {
      // The rest that rounding the mean left.
      const double left = rest[k] / length;
      squares[k] -= rest[k] * left;
      if (squares[k] < 0) squares[k] = 0;
      rest[k] = left;
      if constexpr (!std::is_same_v<C, double>) continue;
      const double next = device::next_scale(scale[k], std::sqrt(variance(k)));
      again |= next != std::exchange(scale[k], next);
    }
  }
  for (int64_t k = 0; k < walk.count; ++k) {
    const auto to = [&](int array) {
      return reinterpret_cast<C*>(plan.result(array)->address()) + plan.kept.offset(array, number + k);
    };
    const C whole = static_cast<C>(mean[k] + rest[k]);
    const double left = (mean[k] - static_cast<double>(whole)) + rest[k];
    const C now = static_cast<C>(static_cast<double>(whole) / scale[k]);
    *to(device::kNormFirst) = now;
    *to(device::kNormThird) = static_cast<C>(left / scale[k]);
    const double inverse = device::inverse_deviation<double>(squares[k] / length, plan.epsilon, scale[k]);
    *to(device::kNormSecond) = static_cast<C>(inverse * scale[k]);
    if (!plan.tracks()) continue;
    C *old = to(device::kNormRunningMean), *spread = to(device::kNormRunningVariance);
    *old = device::running(*old, now, plan.momentum);
    const double unbiased = device::unbiased(squares[k], plan.length()) / scale[k] / scale[k];
    *spread = device::running(*spread, static_cast<C>(unbiased), plan.momentum);
  }
}

template <class T, class Weight>
void sums(const Walk<T>& walk, int64_t number) {
  using C = Register<T>;
  const NormPlan& plan = walk.plan;
  const bool masked = plan.in[device::kNormY].has_value(), weighted = plan.in[device::kNormWeight].has_value();
  const bool rests = plan.in[device::kNormRest].has_value();
  double sum[kTogether], dot[kTogether];
  const auto value = [&](int array, const int64_t* place) {
    return device::from_memory(*walk.template at<T>(array, place[array]));
  };
  walk.sum(
      [&](const int64_t* place, int64_t, double* to_sum, double* to_dot) {
        C g = value(device::kNormDy, place);
        if (masked && !(value(device::kNormY, place) > C(0))) g = 0;
        if (weighted)
          g *= static_cast<C>(
              device::from_memory(*walk.template at<Weight>(device::kNormWeight, place[device::kNormWeight])));
        const C mean = *walk.template at<C>(device::kNormMean, place[device::kNormMean]);
        const C inverse = *walk.template at<C>(device::kNormInverse, place[device::kNormInverse]);
        *to_sum += static_cast<double>(g);
        C distance = value(device::kNormX, place) - mean;
        if (rests) distance -= *walk.template at<C>(device::kNormRest, place[device::kNormRest]);
        *to_dot += static_cast<double>(g) * static_cast<double>(distance * inverse);
      },
      sum, dot);
  for (int64_t k = 0; k < walk.count; ++k) {
    const auto give = [&](int array, double result) {
      reinterpret_cast<C*>(plan.result(array)->address())[plan.kept.offset(array, number + k)] = static_cast<C>(result);
    };
    give(device::kNormFirst, sum[k]);
    give(device::kNormSecond, dot[k]);
  }
}

class CpuNorm final : public Computation {
 public:
  explicit CpuNorm(const NormPlan& plan) : Computation(plan.name, plan.x().device()), plan_(plan) {
    plan.declare(*this);
  }
  Status run(const TaskContext&) override {
    norm_on_cpu(plan_);
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuNorm>(memory.moved(plan_)); }

 private:
  NormPlan plan_;
};

}  // namespace

void norm_on_cpu(const NormPlan& plan) {
  const Dims<kNormArrays>& kept = plan.kept;
  const int inner = kept.count - 1;
  const int64_t inner_size = inner >= 0 ? kept.size[inner] : 1, groups = plan.groups();
  const int64_t kept_step = inner >= 0 ? std::abs(kept.stride[device::kNormX][inner]) : 0;
  const int64_t reduced_step =
      plan.reduced.count ? std::abs(plan.reduced.stride[device::kNormX][plan.reduced.count - 1]) : 0;
  const bool columns = inner >= 0 && kept_step < reduced_step;
  with_float_element(plan.x().dtype, [&]<class T>(T*) {
    for (int64_t i = 0; i < groups;) {
      Walk<T> walk{plan};
      walk.columns = columns;
      walk.count = columns ? std::min(kTogether, inner_size - i % inner_size) : 1;
      for (int a = 0; a < kNormInputs; ++a) walk.base[a] = kept.offset(a, i);
      if (plan.kind == NormKind::moments)
        moments(walk, i);
      else if (plan.in[device::kNormWeight] && plan.in[device::kNormWeight]->dtype != plan.x().dtype)
        sums<T, Register<T>>(walk, i);
      else
        sums<T, T>(walk, i);
      i += walk.count;
    }
  });
}

void NormPlan::arrange(unsigned axes) {
  this->axes = axes;
  const Layout& shape = x().layout;
  for (int d = 0; d < shape.ndim; ++d) {
    int64_t steps[kNormArrays] = {}, inputs[kNormInputs] = {};
    for (int a = 0; a < kNormInputs; ++a)
      if (in[a]) inputs[a] = steps[a] = in[a]->layout.strides[d];
    for (int a = kNormInputs; a < kNormArrays; ++a)
      if (result(a)) steps[a] = result(a)->layout.strides[d];
    if ((axes >> d) & 1)
      reduced.push(shape.shape[d], inputs);
    else
      kept.push(shape.shape[d], steps);
  }
  kept = kept.by_stride();
  reduced = reduced.by_stride();
}

void NormPlan::declare(Task& task) const {
  for (const auto& each : in)
    if (each) task.reads(*each->storage);
  for (int a = kNormInputs; a < kNormArrays; ++a) {
    if (!result(a)) continue;
    if (a == device::kNormRunningMean || a == device::kNormRunningVariance) task.reads(*result(a)->storage);
    declare_output(task, *result(a));
  }
}

void NormPlan::list_operands(std::vector<TaskOperand>* list) const {
  for (const auto& each : in)
    if (each) list->push_back({*each, false});
  for (const auto& each : out)
    if (each) list->push_back({*each, true});
}

Call NormPlan::call() const {
  if (kind == NormKind::moments) return {BatchNormStatisticsCall{axes, epsilon, tracks() ? momentum : 0}};
  return {BatchNormSumsCall{axes, in[device::kNormY].has_value(), in[device::kNormWeight].has_value(),
                            in[device::kNormRest].has_value()}};
}

Status submit_norm(const NormPlan& plan) {
  Engine& engine = plan.x().engine();
  const auto describe = [&] { return plan.call(); };
  return plan.x().device().is_host() ? submit(engine, make_ref<CpuNorm>(plan), {}, describe)
                                     : submit_prepared(engine, make_cuda_norm(plan), {}, describe);
}

}  // namespace rondo::ops
