// Defines the steps of optimizers: their numbers, their formulas, for the host's loops and for kernels alike, and the
// kernels.
//
// A launch works on a list of tensors, which its argument has: a table in which a block finds its own. Every block does
// kListChunk elements, or what a tensor has left.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtc/device/strided.h"

namespace rondo::device {

enum class StepRule : i32 { descent, momentum, nesterov, adam, amsgrad, lamb_measure, lamb };

// The facts that stay as they are from step to step.
struct StepFacts {
  f64 keep, take;    // of the first mean, or the momentum
  f64 keep2, take2;  // of the second
  f64 epsilon, decay, max_norm, rate_decay;
  i64 warmup_steps, decay_steps;
  i32 schedule;  // rondo_rate_schedule
  i32 adam;      // means are corrected for their start
  i32 shrinks;   // decay is the weights', not the gradients'
  i32 beside;    // decay is added to the direction
};

// The numbers of one step. step_element() makes with them the new values of a gradient g, a weight p and its state.
template <class C>
struct StepNumbers {
  C gradient;      // what gradients are multiplied by
  C take, keep;    // of the first mean
  C take2, keep2;  // of the second
  C ahead;         // nesterov
  C mean, spread;  // what the first mean, and the root of the second, are multiplied by
  C epsilon;
  C added;   // decay that gradients get
  C beside;  // decay that the direction gets
  C shrink;  // what weights are multiplied by
  C step;    // how far along the direction
};
struct StepPlan {
  i64 skip;
  StepNumbers<f64> wide;
  StepNumbers<f32> narrow;
};

template <class C>
RONDO_INLINE const StepNumbers<C>& step_numbers(const StepPlan& plan) {
  if constexpr (same_type<C, f64>)
    return plan.wide;
  else
    return plan.narrow;
}

// The factor of the learning rate in step `step`, the first being 0.
RONDO_INLINE f64 rate_factor(const StepFacts& facts, i64 step) {
  if (step < facts.warmup_steps) return static_cast<f64>(step + 1) / static_cast<f64>(facts.warmup_steps);
  const i64 behind = step - facts.warmup_steps;
  if (facts.schedule == 0) return 1;
  if (facts.schedule == 3) return pow(facts.rate_decay, static_cast<f64>(behind / facts.decay_steps));
  if (behind >= facts.decay_steps) return facts.rate_decay;
  const f64 share = static_cast<f64>(behind) / static_cast<f64>(facts.decay_steps);
  const f64 left = facts.schedule == 1 ? 1 - share : 0.5 * (1 + cos(3.14159265358979323846 * share));
  return facts.rate_decay + (1 - facts.rate_decay) * left;
}

// --- sums of squares in f64: where squares overflow, the root instead, with a minus
RONDO_INLINE f64 root_of_sum(f64 sum) {
  return sum < 0 ? -sum : sqrt(sum);
}
RONDO_INLINE f64 square_to_sum(f64 x) {
  const f64 magnitude = op_abs(x);
  return magnitude > 0x1p450 ? -magnitude : x * x;
}
RONDO_INLINE f64 join_sums(f64 a, f64 b) {
  return a < 0 || b < 0 ? op_isnan(a + b) ? a + b : -hypot(root_of_sum(a), root_of_sum(b)) : a + b;
}
// True if a plain sum of squares cannot be used: it may have overflowed.
RONDO_INLINE bool sum_overflows(f64 sum) {
  return !(sum <= 0x1p900);
}
template <class C>
RONDO_INLINE void add_square(f64& sum, C x) {
  if constexpr (same_type<C, f64>)
    sum = join_sums(sum, square_to_sum(x));
  else
    sum += static_cast<f64>(x) * static_cast<f64>(x);
}

// The factor of tensors that have this norm.
RONDO_INLINE f64 clip_factor(f64 norm, f64 max_norm) {
  const f64 factor = max_norm / (norm + 1e-6);
  return factor >= 1 ? 1 : factor;  // NaN stays
}

// The same in two factors, so that small ones keep their digits.
template <class C>
struct TwoFactors {
  C first, second;
  RONDO_INLINE explicit TwoFactors(f64 factor)
      : first(static_cast<C>(factor < 0x1p-100 ? factor * 0x1p64 : factor)),
        second(factor < 0x1p-100 ? static_cast<C>(0x1p-64) : C(1)) {}
  RONDO_INLINE C of(C x) const { return x * first * second; }
};

template <class C>
RONDO_INLINE void narrow_numbers(const StepNumbers<f64>& from, StepNumbers<C>& to) {
  to.gradient = static_cast<C>(from.gradient);
  to.take = static_cast<C>(from.take);
  to.keep = static_cast<C>(from.keep);
  to.take2 = static_cast<C>(from.take2);
  to.keep2 = static_cast<C>(from.keep2);
  to.ahead = static_cast<C>(from.ahead);
  to.mean = static_cast<C>(from.mean);
  to.spread = static_cast<C>(from.spread);
  to.epsilon = static_cast<C>(from.epsilon);
  to.added = static_cast<C>(from.added);
  to.beside = static_cast<C>(from.beside);
  to.shrink = static_cast<C>(from.shrink);
  to.step = static_cast<C>(from.step);
}

// Makes the plan of the next step and counts it. squares: of all gradients, if they are clipped.
RONDO_INLINE void plan_step(const StepFacts& facts, i64* step, f64 rate, f64 scale, bool finite, f64 squares,
                            StepPlan& plan) {
  plan.skip = finite ? 0 : 1;
  if (!finite) return;
  const i64 before = *step;
  *step = before + 1;
  const f64 count = static_cast<f64>(before + 1), now = rate * rate_factor(facts, before);
  StepNumbers<f64>& n = plan.wide;
  n.gradient = scale;
  if (facts.max_norm > 0)
    n.gradient *= clip_factor(root_of_sum(squares) * (scale < 0 ? -scale : scale), facts.max_norm);
  n.keep = facts.keep;
  n.take = !facts.adam && before == 0 ? 1 : facts.take;  // momentum begins with the gradient
  n.keep2 = facts.keep2;
  n.take2 = facts.take2;
  n.ahead = facts.keep;
  n.mean = facts.adam ? 1 / (1 - pow(facts.keep, count)) : 1;
  n.spread = facts.adam ? 1 / sqrt(1 - pow(facts.keep2, count)) : 1;
  n.epsilon = facts.epsilon;
  n.added = facts.shrinks || facts.beside ? 0 : facts.decay;
  n.beside = facts.beside ? facts.decay : 0;
  n.shrink = facts.shrinks ? 1 - now * facts.decay : 1;
  n.step = now;
  narrow_numbers(n, plan.narrow);
}

// How far LAMB goes, by the sums of squares of a tensor's weights and of its direction; NaN spreads.
RONDO_INLINE f64 lamb_ratio(f64 weights, f64 direction) {
  const bool none = (weights == 0 && !op_isnan(direction)) || (direction == 0 && !op_isnan(weights));
  return none ? 1 : root_of_sum(weights) / root_of_sum(direction);
}

// One element: a weight p, its gradient g, and of its state the first and second mean, m and v, and the largest v so
// far, x, those that the rule has. LAMB measures first, which leaves the direction in g, and then steps.
template <StepRule rule, class C>
RONDO_INLINE void step_element(const StepNumbers<C>& n, C ratio, C& p, C& g, C& m, C& v, C& x) {
  C direction;
  // Without decay the weight does not count: it may be infinite.
  if constexpr (rule != StepRule::lamb) g = n.added == C(0) ? g * n.gradient : g * n.gradient + n.added * p;
  if constexpr (rule == StepRule::descent) {
    direction = g;
  } else if constexpr (rule == StepRule::momentum || rule == StepRule::nesterov) {
    m = n.keep * m + n.take * g;
    direction = rule == StepRule::nesterov ? g + n.ahead * m : m;
  } else {
    if constexpr (rule != StepRule::lamb) {
      m = n.keep * m + n.take * g;
      v = n.keep2 * v + n.take2 * (g * g);
    }
    C most = v;
    if constexpr (rule == StepRule::amsgrad) most = x = v > x || !(v == v) ? v : x;
    direction = m * n.mean / (sqrt(most) * n.spread + n.epsilon);
    if constexpr (rule == StepRule::lamb || rule == StepRule::lamb_measure)
      direction = n.beside == C(0) ? direction : direction + n.beside * p;
  }
  if constexpr (rule == StepRule::lamb_measure)
    g = direction;
  else if constexpr (rule == StepRule::lamb)
    p = p - n.step * ratio * direction;
  else
    p = p * n.shrink - n.step * direction;
}

template <StepRule rule>
constexpr bool kTakesGradient = rule != StepRule::lamb;
template <StepRule rule>
constexpr bool kWritesState = rule != StepRule::descent&& rule != StepRule::lamb;
template <StepRule rule>
constexpr bool kHasFirst = rule != StepRule::descent;
template <StepRule rule>
constexpr bool kHasSecond = kHasFirst<rule>&& rule != StepRule::momentum&& rule != StepRule::nesterov;
template <StepRule rule>
constexpr bool kHasLargest = rule == StepRule::amsgrad;

// --- lists of tensors
constexpr int kListThreads = 256;
constexpr int kListChunk = 4096;
constexpr int kListMost = 100;  // tensors of a launch, of which arguments of 4 KiB have room

struct ListedTensor {
  void* weights;
  const void* gradient;
  i64 state;     // bytes from the start of each block of state
  i64 elements;  // at least one
  i64 first;     // block
};
struct ListFacts {
  StepPlan* plan;
  f64* measures;  // of this launch: a number for each block
  f64* partials;  // two for each block, which LAMB measures
  f64* sums;      // of LAMB the ratio of each tensor; of clipping the sum of all squares
  char* states[4];
  i64 count;
  f64 max_norm;
};
enum { kStateFirst, kStateSecond, kStateLargest, kStateMaster };
template <int most>
struct ListArguments {
  ListFacts facts;
  ListedTensor tensors[most];
};

// The total of the partial numbers of a list, and its use.
enum class TotalOf : i32 { norm, finite, step };
struct ListTotal {
  const f64* partials;
  i64 count;
  f64* sum;   // f64
  void* out;  // f32, or of whether all are finite b8
  StepPlan* plan;
  i64* step;
  const f64* rate;
  const f32* scale;  // null: 1
  const b8* finite;  // null: true
  StepFacts facts;
};

#if defined(__CUDACC_RTC__)
// Sum over the block's lanes, as join_sums() has it, in an order that is always the same; the first lane's.
RONDO_INLINE f64 block_sum(f64 value, f64* shared) {
  const int lane = static_cast<int>(threadIdx.x);
  shared[lane] = value;
  __syncthreads();
#pragma unroll
  for (int half = kListThreads / 2; half > 0; half /= 2) {
    if (lane < half) shared[lane] = join_sums(shared[lane], shared[lane + half]);
    __syncthreads();
  }
  const f64 sum = shared[0];
  __syncthreads();
  return sum;
}

// The tensor of this block: the last whose first block is not beyond it.
template <class Arguments>
RONDO_INLINE int listed(const Arguments& args) {
  int low = 0, high = static_cast<int>(args.facts.count) - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (args.tensors[middle].first <= static_cast<i64>(blockIdx.x))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

template <class M, int n>
RONDO_INLINE void load_some(const M* from, Register<M> (&to)[n]) {
  if constexpr (n == 1) {
    to[0] = from_memory(*from);
  } else {
    const Pack<M, n> pack = load_pack<M, n>(from);
#pragma unroll
    for (int v = 0; v < n; ++v) to[v] = from_memory(pack.v[v]);
  }
}
template <class M, int n>
RONDO_INLINE void store_some(M* to, const Register<M> (&from)[n]) {
  if constexpr (n == 1) {
    *to = to_memory<M>(from[0]);
  } else {
    Pack<M, n> pack;
#pragma unroll
    for (int v = 0; v < n; ++v) pack.v[v] = to_memory<M>(from[v]);
    store_pack(to, pack);
  }
}

// The elements of a block, and the walk over them: body.template run<n>(at) for n neighbours.
template <int vector, class Body>
RONDO_INLINE void walk_chunk(const ListedTensor& tensor, bool aligned, const Body& body) {
  const i64 begin = (static_cast<i64>(blockIdx.x) - tensor.first) * kListChunk, left = tensor.elements - begin;
  const int count = static_cast<int>(left < kListChunk ? left : kListChunk), lane = static_cast<int>(threadIdx.x);
  int done = 0;
  if (vector > 1 && aligned) {
    done = count - count % vector;
    if (count == kListChunk) {
#pragma unroll
      for (int i = 0; i < kListChunk; i += kListThreads * vector) body.template run<vector>(begin + i + lane * vector);
    } else {
      for (int i = lane * vector; i < done; i += kListThreads * vector) body.template run<vector>(begin + i);
    }
  }
  for (int i = done + lane; i < count; i += kListThreads) body.template run<1>(begin + i);
}
template <class M>
RONDO_INLINE bool lies_even(const void* address, int vector) {
  return reinterpret_cast<u64>(address) % (sizeof(M) * static_cast<u64>(vector)) == 0;
}

// W, G: of weights and gradients in memory. C: what state is kept and all is computed in.
template <class W, class G, class C, StepRule rule, bool master, int vector>
struct ListStep {
  const ListFacts& facts;
  const ListedTensor& tensor;
  const StepNumbers<C> numbers;
  const C ratio;
  f64 *weights, *direction;  // of LAMB, what it measures

  RONDO_INLINE C* state(int which) const { return reinterpret_cast<C*>(facts.states[which] + tensor.state); }
  template <int n>
  RONDO_INLINE void run(i64 at) const {
    C p[n], g[n], m[n], v[n], x[n];
    W* const to = static_cast<W*>(tensor.weights) + at;
    if constexpr (master) {
      load_some<C, n>(state(kStateMaster) + at, p);
    } else {
      Register<W> loaded[n];
      load_some<W, n>(to, loaded);
#pragma unroll
      for (int i = 0; i < n; ++i) p[i] = loaded[i];
    }
    if constexpr (kTakesGradient<rule>) {
      Register<G> loaded[n];
      load_some<G, n>(static_cast<const G*>(tensor.gradient) + at, loaded);
#pragma unroll
      for (int i = 0; i < n; ++i) g[i] = static_cast<C>(loaded[i]);
    }
    if constexpr (kHasFirst<rule>) load_some<C, n>(state(kStateFirst) + at, m);
    if constexpr (kHasSecond<rule>) load_some<C, n>(state(kStateSecond) + at, v);
    if constexpr (kHasLargest<rule>) load_some<C, n>(state(kStateLargest) + at, x);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      step_element<rule, C>(numbers, ratio, p[i], g[i], m[i], v[i], x[i]);
      if constexpr (rule == StepRule::lamb_measure) {
        add_square(*weights, p[i]);
        add_square(*direction, g[i]);
      }
    }
    if constexpr (kWritesState<rule>) {
      store_some<C, n>(state(kStateFirst) + at, m);
      if constexpr (kHasSecond<rule>) store_some<C, n>(state(kStateSecond) + at, v);
      if constexpr (kHasLargest<rule>) store_some<C, n>(state(kStateLargest) + at, x);
    }
    if constexpr (rule != StepRule::lamb_measure) {
      if constexpr (master) store_some<C, n>(state(kStateMaster) + at, p);
      Register<W> stored[n];
#pragma unroll
      for (int i = 0; i < n; ++i) stored[i] = p[i];
      store_some<W, n>(to, stored);
    }
  }
};
template <class W, class G, class C, StepRule rule, bool master, int vector, class Arguments>
RONDO_INLINE void step_list(const Arguments& args, f64* shared) {
  if (args.facts.plan->skip) return;
  const int number = listed(args);
  const ListedTensor tensor = args.tensors[number];
  C ratio = C(1);
  if constexpr (rule == StepRule::lamb) ratio = static_cast<C>(args.facts.sums[number]);
  f64 weights = 0, direction = 0;
  const ListStep<W, G, C, rule, master, vector> body{args.facts, tensor,   step_numbers<C>(*args.facts.plan),
                                                     ratio,      &weights, &direction};
  walk_chunk<vector>(tensor, lies_even<W>(tensor.weights, vector) && lies_even<G>(tensor.gradient, vector), body);
  if constexpr (rule == StepRule::lamb_measure) {
    weights = block_sum(weights, shared);
    direction = block_sum(direction, shared);
    if (threadIdx.x == 0) {
      args.facts.partials[2 * static_cast<i64>(blockIdx.x)] = weights;
      args.facts.partials[2 * static_cast<i64>(blockIdx.x) + 1] = direction;
    }
  }
}
// A block for each tensor: what its blocks have measured.
template <class Arguments>
RONDO_INLINE void ratio_list(const Arguments& args, f64* shared) {
  const int number = static_cast<int>(blockIdx.x);
  const ListedTensor tensor = args.tensors[number];
  const i64 blocks = (tensor.elements + kListChunk - 1) / kListChunk;
  f64 weights = 0, direction = 0;
  if (!args.facts.plan->skip)
    for (i64 i = static_cast<i64>(threadIdx.x); i < blocks; i += kListThreads) {
      weights = join_sums(weights, args.facts.partials[2 * (tensor.first + i)]);
      direction = join_sums(direction, args.facts.partials[2 * (tensor.first + i) + 1]);
    }
  weights = block_sum(weights, shared);
  direction = block_sum(direction, shared);
  if (threadIdx.x == 0) args.facts.sums[number] = lamb_ratio(weights, direction);
}

// Sums of squares, or how many elements are not finite. careful: squares may overflow.
template <class G, bool squares, bool careful = false>
struct ListMeasure {
  const ListedTensor& tensor;
  f64* sum;
  template <int n>
  RONDO_INLINE void run(i64 at) const {
    Register<G> g[n];
    load_some<G, n>(static_cast<const G*>(tensor.gradient) + at, g);
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if constexpr (careful)
        add_square(*sum, g[i]);
      else if constexpr (squares)
        *sum += static_cast<f64>(g[i]) * static_cast<f64>(g[i]);
      else
        *sum += g[i] - g[i] == Register<G>(0) ? 0.0 : 1.0;
    }
  }
};
template <class G, bool squares, int vector, class Arguments>
RONDO_INLINE void measure_list(const Arguments& args, f64* shared) {
  const ListedTensor tensor = args.tensors[listed(args)];
  f64 sum = 0;
  const bool aligned = lies_even<G>(tensor.gradient, vector);
  walk_chunk<vector>(tensor, aligned, ListMeasure<G, squares>{tensor, &sum});
  if constexpr (squares && same_type<G, f64>)
    if (sum_overflows(sum)) {
      sum = 0;
      walk_chunk<vector>(tensor, aligned, ListMeasure<G, squares, true>{tensor, &sum});
    }
  sum = block_sum(sum, shared);
  if (threadIdx.x == 0) args.facts.measures[blockIdx.x] = sum;
}

template <class G>
struct ListClip {
  const ListedTensor& tensor;
  const TwoFactors<Register<G>> factor;
  template <int n>
  RONDO_INLINE void run(i64 at) const {
    Register<G> g[n];
    G* const to = static_cast<G*>(tensor.weights) + at;
    load_some<G, n>(to, g);
#pragma unroll
    for (int i = 0; i < n; ++i) g[i] = factor.of(g[i]);
    store_some<G, n>(to, g);
  }
};
template <class G, int vector, class Arguments>
RONDO_INLINE void clip_list(const Arguments& args) {
  const ListedTensor tensor = args.tensors[listed(args)];
  const f64 factor = clip_factor(root_of_sum(*args.facts.sums), args.facts.max_norm);
  if (factor == 1) return;
  walk_chunk<vector>(tensor, lies_even<G>(tensor.weights, vector),
                     ListClip<G>{tensor, TwoFactors<Register<G>>(factor)});
}

// One block, when all partial numbers are there.
template <TotalOf of>
RONDO_INLINE void total_list(const ListTotal& args, f64* shared) {
  f64 sum = 0;
  for (i64 i = static_cast<i64>(threadIdx.x); i < args.count; i += kListThreads) sum = join_sums(sum, args.partials[i]);
  sum = block_sum(sum, shared);
  if (threadIdx.x != 0) return;
  if constexpr (of == TotalOf::norm) {
    *args.sum = sum;
    *static_cast<f32*>(args.out) = static_cast<f32>(root_of_sum(sum));
  } else if constexpr (of == TotalOf::finite) {
    *static_cast<b8*>(args.out) = to_memory<b8>(sum == 0);
  } else {
    plan_step(args.facts, args.step, *args.rate, args.scale ? static_cast<f64>(*args.scale) : 1.0,
              args.finite ? from_memory(*args.finite) : true, sum, *args.plan);
  }
}
#endif

}  // namespace rondo::device
