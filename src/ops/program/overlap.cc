// Decides whether two views share a byte: they do if the sum of their steps can be the distance between them: a linear
// equation whose unknowns are the indices, each within its dimension. It is solved from the longest step to the
// shortest. The steps of a view hardly ever overlap, so of each unknown only two or three values leave a rest that the
// shorter steps can still reach.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace rondo::ops {

namespace {

constexpr int kMostTerms = 2 * kMaxDims + 2;  // the dimensions of both, and the bytes of an element of each
constexpr int kMostTries = 1000;

// step[0] x[0] + step[1] x[1] + ... for 0 <= x[i] <= last[i], longest step first.
struct Sum {
  int count = 0;
  int64_t step[kMostTerms];
  int64_t last[kMostTerms];
  int64_t reach[kMostTerms + 1];   // of the terms from i on
  int64_t common[kMostTerms + 1];  // the greatest divisor of their steps

  void add(int64_t by, int64_t most) {
    int at = 0;
    while (at < count && step[at] > by) ++at;
    if (at < count && step[at] == by) {
      last[at] += most;
      return;
    }
    std::copy_backward(step + at, step + count, step + count + 1);
    std::copy_backward(last + at, last + count, last + count + 1);
    step[at] = by;
    last[at] = most;
    ++count;
  }
  bool finish() {
    reach[count] = common[count] = 0;
    for (int i = count - 1; i >= 0; --i) {
      int64_t far = 0;
      if (__builtin_mul_overflow(step[i], last[i], &far) || __builtin_add_overflow(far, reach[i + 1], &reach[i]))
        return false;
      common[i] = std::gcd(step[i], common[i + 1]);
    }
    return true;
  }
  // True if the terms from i on can add up to `rest`. Without tries left: yes, for all that is known.
  bool meets(int i, int64_t rest, int* tries) const {
    if (rest < 0 || rest > reach[i]) return false;
    if (rest == 0 || --*tries < 0) return true;
    if (rest % common[i] != 0) return false;
    const int64_t most = std::min(last[i], rest / step[i]);
    const int64_t least = rest > reach[i + 1] ? (rest - reach[i + 1] - 1) / step[i] + 1 : 0;
    for (int64_t x = most; x >= least; --x)
      if (meets(i + 1, rest - x * step[i], tries)) return true;
    return false;
  }
};

}  // namespace

bool overlap(const View& a, const View& b) {
  if (a.storage != b.storage || a.elements() == 0 || b.elements() == 0) return false;
  int64_t low_a, high_a, low_b, high_b;
  a.layout.extent(&low_a, &high_a);
  b.layout.extent(&low_b, &high_b);
  const auto size_a = static_cast<int64_t>(dtype_size(a.dtype));
  const auto size_b = static_cast<int64_t>(dtype_size(b.dtype));
  const int64_t first_a = a.offset + low_a * size_a, first_b = b.offset + low_b * size_b;
  if (first_a >= b.offset + high_b * size_b || first_b >= a.offset + high_a * size_a) return false;
  if (a.layout.contiguous() && b.layout.contiguous()) return true;  // without gaps

  // With the lowest byte of each as its start all steps go up. A byte of both: first_a + its steps is first_b + its
  // steps. Counting b's indices from the other end turns its steps around: all terms are sums then.
  Sum sum;
  int64_t distance = first_b - first_a;
  for (const View* view : {&a, &b}) {
    const auto size = static_cast<int64_t>(dtype_size(view->dtype));
    for (int d = 0; d < view->layout.ndim; ++d) {
      const int64_t last = view->layout.shape[d] - 1;
      if (last == 0 || view->layout.strides[d] == 0) continue;
      const int64_t step = std::abs(view->layout.strides[d]) * size;
      sum.add(step, last);
      if (view == &b && (__builtin_add_overflow(distance, step * last, &distance))) return true;
    }
    if (size == 1) continue;
    sum.add(1, size - 1);
    if (view == &b) distance += size - 1;
  }
  int tries = kMostTries;
  return !sum.finish() || sum.meets(0, distance, &tries);
}

bool identical(const View& a, const View& b) {
  if (&a == &b) return true;
  if (a.storage != b.storage || a.offset != b.offset || a.dtype != b.dtype || !a.layout.same_shape(b.layout))
    return false;
  for (int i = 0; i < a.layout.ndim; ++i)
    if (a.layout.shape[i] > 1 && a.layout.strides[i] != b.layout.strides[i]) return false;
  return true;
}

}  // namespace rondo::ops
