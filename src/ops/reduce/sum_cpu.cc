// Sums in f64, for f16 after few terms in f32: a vector of partial sums, then those in pairs. Long ones are cut into
// chunks whose sums are added in order, so that it does not matter who computes which.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/reduce/sum_cpu.h"

#include <algorithm>
#include <cmath>

#include "engine/tasks/workers.h"
#include "ops/host/elementwise_loops.h"

namespace rondo::ops {

namespace {

constexpr int64_t kSumLanes = 128;   // partial sums of a row
constexpr int64_t kColumns = 4096;   // sums next to each other: whole rows of most matrices, one after the other in
                                     // memory
constexpr int64_t kChunk = 1 << 16;  // elements of a row, and about as many of columns
constexpr int64_t kSharedSums = 1 << 15;   // elements in all that are worth other threads
constexpr int64_t kSumsOfAPart = 1 << 13;  // that these take at a time

// Along memory, a result is the sum of a row; down, neighbouring results are sums of neighbouring columns.
struct Cut {
  bool down;
  int64_t length;                // elements per result
  int64_t groups, width;         // results: in a group they are neighbours; rows are groups of one
  int64_t blocks;                // per group
  int64_t chunks, chunk_length;  // per result

  explicit Cut(const ReducePlan& plan) : length(plan.length()) {
    const Dims<2>& kept = plan.kept;
    const int inner = kept.count - 1;
    down = plan.reduced.count == 1 && plan.reduced.stride[0][0] != 1;
    width = down ? kept.size[inner] : 1;
    groups = plan.outputs() / width;
    blocks = (width + kColumns - 1) / kColumns;
    chunk_length = down ? std::max<int64_t>(kChunk / std::min(width, kColumns), 64) : kChunk;
    // Few chunks: the sums of each lie in the workspace.
    chunk_length = std::max(chunk_length, (length + 63) / 64);
    chunks = std::max<int64_t>((length + chunk_length - 1) / chunk_length, 1);
  }
  int64_t parts() const { return groups * blocks * chunks; }
};

bool summand_of(ReduceOp op, Summand* summand) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::mean: *summand = Summand::itself; return true;
    case ReduceOp::l1_norm: *summand = Summand::magnitude; return true;
    case ReduceOp::l2_norm: *summand = Summand::square; return true;
    case ReduceOp::nansum: *summand = Summand::not_nan; return true;
    default: return false;
  }
}

struct Sums {
  const ReducePlan& plan;
  const Cut cut;
  Adders add;
  LoadRow load;  // to f32, of others than f32 and f16
  int64_t size;  // bytes of an element
  double* partial;

  // sums[c] += the columns of `rows` rows.
  void add_rows(double* sums, const char* from, int64_t stride, int64_t rows, int64_t columns) const {
    if (plan.in.dtype == RONDO_F32) return add.rows(sums, reinterpret_cast<const float*>(from), stride, rows, columns);
    if (plan.in.dtype == RONDO_F16)
      return add.halves(sums, reinterpret_cast<const device::f16*>(from), stride, rows, columns);
    // Few at a time, so that memory is never left alone for long.
    constexpr int64_t kWide = 256, kHigh = 8;
    float room[kHigh * kWide];
    const int64_t wide = std::min(columns, kWide);
    for (int64_t r = 0; r < rows; r += kHigh)
      for (int64_t c = 0; c < columns; c += wide) {
        const int64_t n = std::min(kHigh, rows - r), width = std::min(wide, columns - c);
        for (int64_t k = 0; k < n; ++k) load(room + k * width, from + ((r + k) * stride + c) * size, 1, width);
        add.rows(sums + c, room, width, n, width);
      }
  }
  double along(const char* from, int64_t n) const {
    double lanes[kSumLanes];
    std::fill_n(lanes, std::min(n, kSumLanes), 0.0);
    add_rows(lanes, from, kSumLanes, n / kSumLanes, kSumLanes);
    if (n % kSumLanes) add_rows(lanes, from + n / kSumLanes * kSumLanes * size, 0, 1, n % kSumLanes);
    int64_t used = std::min(n, kSumLanes);
    while (used > 1) {
      const int64_t half = (used + 1) / 2;
      for (int64_t l = 0; l + half < used; ++l) lanes[l] += lanes[l + half];
      used = half;
    }
    return lanes[0];
  }

  void part(int64_t number) const {
    const int64_t chunk = number % cut.chunks, block = number / cut.chunks % cut.blocks;
    const int64_t group = number / cut.chunks / cut.blocks, result = group * cut.width + block * kColumns;
    const int64_t begin = chunk * cut.chunk_length, n = std::min(cut.chunk_length, cut.length - begin);
    const int64_t columns = std::min(kColumns, cut.width - block * kColumns);
    const int64_t step = plan.reduced.count ? plan.reduced.stride[0][0] : 1;
    const char* from = plan.in.address() + (plan.kept.offset(0, result) + begin * step) * size;
    double sums[kColumns];
    if (cut.down) {
      std::fill_n(sums, columns, 0.0);
      add_rows(sums, from, step, n, columns);
    } else {
      sums[0] = along(from, n);
    }
    if (cut.chunks == 1)
      deliver(result, sums, columns);
    else
      std::copy_n(sums, columns, partial + chunk * plan.outputs() + result);
  }
  // Adds up the chunks of all results.
  void join() const {
    constexpr int64_t kTogether = 512;
    const int64_t outputs = plan.outputs();
    Workers::share((outputs + kTogether - 1) / kTogether, [&](int64_t number) {
      const int64_t begin = number * kTogether, n = std::min(kTogether, outputs - begin);
      double sums[kTogether];
      std::copy_n(partial + begin, n, sums);
      for (int64_t chunk = 1; chunk < cut.chunks; ++chunk)
        for (int64_t i = 0; i < n; ++i) sums[i] += partial[chunk * outputs + begin + i];
      deliver(begin, sums, n);
    });
  }
  void deliver(int64_t first, const double* sums, int64_t n) const {
    with_float_element(plan.out.dtype, [&]<class M>(M*) {
      M* out = reinterpret_cast<M*>(plan.out.address());
      for (int64_t i = 0; i < n; ++i) {
        double value = sums[i];
        if (plan.op == ReduceOp::mean) value /= static_cast<double>(cut.length);
        if (plan.op == ReduceOp::l2_norm) value = std::sqrt(value);
        put(out + plan.kept.offset(1, first + i), device::convert_to<M>(value), plan.out.accumulate);
      }
    });
  }
};

}  // namespace

bool is_plain_sum(const ReducePlan& plan) {
  Summand summand;
  const bool narrow = plan.in.dtype == RONDO_F32 || is_half(plan.in.dtype);
  if (plan.expression || plan.finish || !narrow || !summand_of(plan.op, &summand) || plan.reduced.count > 1 ||
      plan.length() == 0)
    return false;
  if (plan.reduced.count == 0 || plan.reduced.stride[0][0] == 1) return true;
  return plan.kept.count > 0 && plan.kept.stride[0][plan.kept.count - 1] == 1;
}

size_t plain_sum_workspace(const ReducePlan& plan) {
  const Cut cut(plan);
  return cut.chunks == 1 ? 0 : static_cast<size_t>(cut.chunks * plan.outputs()) * sizeof(double);
}

void plain_sum_on_cpu(const ReducePlan& plan, void* workspace, Instructions which) {
  const Loops& table = loops(which);
  Summand summand = Summand::itself;
  summand_of(plan.op, &summand);
  const Sums sums{plan,
                  Cut(plan),
                  table.adders(summand),
                  table.moves(plan.in.dtype, false).load,
                  static_cast<int64_t>(dtype_size(plan.in.dtype)),
                  static_cast<double*>(workspace)};
  const int64_t parts = sums.cut.parts(), elements = plan.outputs() * plan.length();
  // As many parts at a time as are worth it: a row may be short.
  const int64_t together = elements < kSharedSums ? parts : std::max<int64_t>(parts * kSumsOfAPart / elements, 1);
  Workers::share((parts + together - 1) / together, [&](int64_t number) {
    const int64_t end = std::min((number + 1) * together, parts);
    for (int64_t part = number * together; part < end; ++part) sums.part(part);
  });
  if (sums.cut.chunks > 1) sums.join();
}

}  // namespace rondo::ops
