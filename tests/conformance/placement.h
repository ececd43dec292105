// Operands that lie in memory in every way: axes in any order, steps, gaps, backwards, addresses that are multiples of
// nothing. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdlib>
#include <random>

#include "harness.h"

namespace conformance {

// Where the elements of an operand are.
struct Placement {
  std::vector<size_t> order;  // axes, the outermost in memory first
  Shape step, margin;         // by axis: negative is backwards; so many elements more, of which one is in front
  int64_t offset = 0;         // elements in front of all
  explicit Placement(std::vector<size_t> axes)
      : order(std::move(axes)), step(order.size(), 1), margin(order.size(), 0) {}
  Placement(std::vector<size_t> axes, size_t axis, int64_t stepped, int64_t more) : Placement(std::move(axes)) {
    step[axis] = stepped;
    margin[axis] = more;
  }
  std::string name() const {
    std::string text;
    for (const size_t axis : order) {
      text += std::to_string(axis);
      if (step[axis] != 1) text += "*" + std::to_string(step[axis]);
      if (margin[axis]) text += "+" + std::to_string(margin[axis]);
    }
    return text + (offset ? "@" + std::to_string(offset) : "");
  }
};

// RONDO_TEST_LAYOUTS_S: seconds for all combinations, and then for others by chance; 0: a sample of them.
inline int seconds() {
  const char* value = std::getenv("RONDO_TEST_LAYOUTS_S");
  return value ? std::atoi(value) : 0;
}
inline bool elapsed(std::chrono::steady_clock::time_point begin, double part) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds() * part;
}

inline constexpr Real kAround = 7;  // what lies beside the elements

// A tensor with such a place, inside memory that is a tensor of one dimension.
class Placed {
 public:
  Placed(rondo_engine* engine, rondo_device device, rondo_dtype dtype, const Shape& shape, const Placement& at) {
    Shape memory;
    for (const size_t axis : at.order) memory.push_back(std::abs(at.step[axis]) * shape[axis] + at.margin[axis]);
    const int64_t whole = static_cast<int64_t>(count(memory)) + at.offset;
    must(rondo_tensor_create(engine, device, dtype, 1, &whole, base.slot()));
    must(rondo_fill(base, static_cast<double>(kAround)));
    view = reshape(slice(base, 0, at.offset, whole), memory);
    const Shape row = row_major(memory);
    first = at.offset;
    strides.resize(shape.size());
    std::vector<int32_t> back(shape.size());
    for (size_t m = 0; m < memory.size(); ++m) {
      const size_t axis = at.order[m];
      const int64_t step = at.step[axis], size = shape[axis], low = at.margin[axis] ? 1 : 0;
      const int64_t start = step < 0 ? low - step * (size - 1) : low, stop = start + step * size;
      view = slice(view, static_cast<int32_t>(m), start, stop < 0 ? -memory[m] - 1 : stop, step);
      strides[axis] = row[m] * step;
      first += row[m] * start;
      back[axis] = static_cast<int32_t>(m);
    }
    view = transpose(view, back);
  }
  // All of the memory, when the view holds these.
  std::function<Expected()> expect(const Expected& inside) const {
    return [inside, whole = query(base).shape[0], strides = strides, first = first] {
      Expected all(inside.dtype, {whole}, inside.ulps);
      std::fill(all.values.begin(), all.values.end(), kAround);
      all.absolute.resize(all.values.size());
      Shape index(inside.shape.size(), 0);
      for (size_t i = 0; i < inside.values.size(); ++i) {
        int64_t at = first;
        for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
        all.values[static_cast<size_t>(at)] = inside.values[i];
        all.absolute[static_cast<size_t>(at)] = inside.absolute[i];
        for (size_t d = index.size(); d-- > 0 && ++index[d] == inside.shape[d];) index[d] = 0;
      }
      return all;
    };
  }

  Tensor base, view;
  Shape strides;
  int64_t first = 0;
};

inline std::vector<size_t> axes(std::initializer_list<size_t> outer, size_t from, size_t to, bool backwards = false,
                                std::initializer_list<size_t> inner = {}) {
  std::vector<size_t> all = outer;
  for (size_t d = from; d < to; ++d) all.push_back(backwards ? to - 1 - (d - from) : d);
  all.insert(all.end(), inner);
  return all;
}

// A place by chance: half of them as libraries know them, but for a step, a gap or an offset now and then.
inline Placement somewhere(std::mt19937& bits, size_t n) {
  const auto one_of = [&](uint32_t many) { return bits() % many == 0; };
  Placement at(axes({}, 0, n));
  if (one_of(2)) {
    std::shuffle(at.order.begin(), at.order.end(), bits);
  } else if (n > 2 && one_of(2)) {
    at.order = axes({0}, 2, n, false, {1});
  }
  for (size_t d = 0; d < n; ++d) {
    if (one_of(10)) at.step[d] = one_of(2) ? 2 : -1;
    if (one_of(10)) at.margin[d] = 1 + static_cast<int64_t>(bits() % 3);
  }
  at.offset = one_of(10) ? 1 : 0;
  return at;
}

}  // namespace conformance
