// Lays out expressions around operators that go by rows as arguments of kernels, and evaluates them on the host.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/row_side.h"

#include <cstring>

namespace rondo::ops {

size_t RowSide::lay_out(std::vector<uint64_t>* words) const {
  const auto put = [words](const void* from, size_t count) {
    words->resize(words->size() + count);
    if (count > 0) std::memcpy(words->data() + words->size() - count, from, count * sizeof(uint64_t));
  };
  put(rows.size, kMaxDims);
  for (size_t k = 0; k < arrays(); ++k) put(rows.stride[k], kMaxDims);
  put(step, arrays());
  const size_t addresses = words->size();
  words->resize(addresses + inputs.size());
  put(scalars.data(), scalars.size());
  return addresses;
}

void RowSideEvaluator::run(int64_t row, int64_t first, int64_t n, const void* given, int64_t given_step, void* to) {
  char* addresses[Expression::kMaxInputs];
  int64_t steps[Expression::kMaxInputs];
  const size_t count = side_.inputs.size();
  for (size_t k = 0; k < count; ++k) {
    const int64_t offset = side_.rows.offset(static_cast<int>(k), row) + first * side_.step[k];
    addresses[k] = side_.inputs[k].address() + offset * static_cast<int64_t>(dtype_size(side_.inputs[k].dtype));
    steps[k] = side_.step[k];
  }
  if (given) {
    addresses[count] = static_cast<char*>(const_cast<void*>(given));
    steps[count] = given_step;
  }
  evaluator_.run(addresses, steps, n, to);
}

void RowSideEvaluator::store(int64_t row, int64_t first, int64_t n, const void* given, int64_t given_step,
                             const Moves& moves, void* out, int64_t out_step, rondo_dtype dtype) {
  constexpr int64_t kAtOnce = 1024;
  double room[kAtOnce];
  const rondo_dtype computed = side_.expression.input_dtype(side_.expression.inputs() - 1);
  const auto given_bytes = given_step * static_cast<int64_t>(dtype_size(computed));
  const auto out_bytes = out_step * static_cast<int64_t>(dtype_size(dtype));
  for (int64_t i = 0; i < n; i += kAtOnce) {
    const int64_t count = std::min(kAtOnce, n - i);
    run(row, first + i, count, static_cast<const char*>(given) + i * given_bytes, given_step, room);
    moves.store(static_cast<char*>(out) + i * out_bytes, out_step, room, count);
  }
}

}  // namespace rondo::ops
