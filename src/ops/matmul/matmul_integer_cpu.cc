// Multiplies whole numbers on the host, in parts that workers share. Sums are exact, so no bit depends on the parts.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/machine/processors.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/matmul/integer_rows.h"
#include "ops/matmul/matmul_integer.h"
#include "ops/matmul/own_product.h"
#include "ops/task/packed_weights.h"
#include "ops/task/packs_weights.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

constexpr int64_t kLeastPacked = 1 << 12;                // numbers that are worth a copy
constexpr double kWorthAThread = 1 << 20;                // multiplications
constexpr int64_t kBlockRows = 512, kManyColumns = 512;  // of which there are parts enough
// A part whose sums are finished in long lines has so many, which stay in the cache.
constexpr int64_t kFinishedRows = 48, kFinishedColumns = 1024, kLeastFinished = 256, kFinishedParts = 4;

Bytes bytes_of(const View& view, int64_t first, int64_t row, int64_t column) {
  if (!view.storage) return {};
  return {reinterpret_cast<const uint8_t*>(view.address()) + first, {row, column}, view.dtype == RONDO_I8};
}

// Sums are exact, so no bit depends on the parts.
ProductPart part_of_whole_product(const IntegerProduct& product, const IntegerDepth& depth) {
  // Each block of rows packs the matrix anew where there is no copy, which takes as long as many of its products.
  if (!product.after)
    return part_of_own_product(product.m, product.n, depth.units,
                               product.n >= kManyColumns ? kBlockRows : own_product::kBlockRows);
  const int64_t blocks = std::max<int64_t>((product.m + kFinishedRows - 1) / kFinishedRows, 1);
  const int64_t most = blocks * product.batch.elements() < kFinishedParts ? kLeastFinished : kFinishedColumns;
  const int64_t groups = (std::min(product.n, most) + kGroupColumns - 1) / kGroupColumns;
  return {(product.m + blocks - 1) / blocks, groups * kGroupColumns};
}

void pack_integers(const WeightMatrix& matrix, char* copy) {
  const int64_t count = RowsProduct::panels_of(matrix.n);
  const IntegerTiles& tiles = integer_tiles();
  const IntegerDepth depth(tiles, matrix.k);
  const Bytes bytes = bytes_of(matrix.view, 0, matrix.step[0], matrix.step[1]);
  auto* const units = reinterpret_cast<uint32_t*>(copy);
  uint32_t* const ones = units + depth.panels(matrix.n);
  fill_ones(tiles, depth, ones);
  Workers::share((count + kPanelsOfAPart - 1) / kPanelsOfAPart, [&](int64_t part) {
    const int64_t first = part * kPanelsOfAPart, last = std::min(first + kPanelsOfAPart, count);
    pack_integer_panels(tiles, depth, bytes, matrix.n, first, last, ones, units);
  });
}

class CpuMatmulInteger final : public Computation, public PacksWeights {
 public:
  explicit CpuMatmulInteger(const IntegerProduct& product)
      : Computation("matmul_integer", product.out.device()),
        product_(product),
        depth_(tiles_, std::min(product.k, kMostNumbers)),
        part_(part_of_whole_product(product, depth_)),
        down_((product.m + part_.rows - 1) / part_.rows),
        along_((product.n + part_.columns - 1) / part_.columns) {
    product.declare(*this);
    const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                        static_cast<double>(product.k) * static_cast<double>(product.batch.elements());
    threads_ = std::min({static_cast<int64_t>(std::clamp(work / kWorthAThread, 1.0, 1024.0)), parts(),
                         static_cast<int64_t>(known_processors())});
    workspace_bytes_ = static_cast<size_t>(threads_ * thread_memory()) * sizeof(uint32_t);
  }

  Status run(const TaskContext& context) override {
    const auto* const panels = static_cast<const uint32_t*>(weights_.copy(matrix()));
    // The first numbers of a long row make the results, and the next ones are added to them.
    for (int64_t l = 0; l == 0 || l < product_.k; l += kMostNumbers)
      run(l, std::min(kMostNumbers, product_.k - l), panels, static_cast<uint32_t*>(context.workspace));
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuMatmulInteger>(memory.moved(product_));
  }

  const Storage& weights() const override { return *product_.b.storage; }
  size_t packed_bytes() const override {
    const bool packs =
        product_.batch.count == 0 && product_.k <= kMostNumbers && product_.n * product_.k >= kLeastPacked;
    return packs ? matrix().bytes : 0;
  }
  Status keep_packed() override { return weights_.keep(matrix()); }
  void read_unpacked() override { weights_.read_unpacked(); }
  std::string remark() const override { return weights_.remark(); }

 private:
  // A thread has so many numbers of 32 bits, with the sums of a part that are finished.
  int64_t thread_memory() const {
    return depth_.memory(part_.rows) + (product_.after ? part_.rows * part_.columns : 0);
  }
  int64_t parts() const { return product_.batch.elements() * down_ * along_; }
  WeightMatrix matrix() const {
    const IntegerProduct& p = product_;
    return {p.b,
            p.n,
            p.k,
            {p.b_step[0], p.b_step[1]},
            0,
            static_cast<size_t>(IntegerDepth(tiles_, p.k).packed(p.n)) * sizeof(uint32_t),
            pack_integers};
  }

  // Numbers [l, l + k) of each row.
  void run(int64_t l, int64_t k, const uint32_t* panels, uint32_t* memory) const {
    PartRanges ranges(parts(), threads_);
    Workers::share(threads_, [&](int64_t thread) {
      uint32_t* const own = memory + thread * thread_memory();
      auto* const sums = reinterpret_cast<int32_t*>(own + depth_.memory(part_.rows));
      std::optional<RowSideEvaluator> after;
      if (product_.after) after.emplace(*product_.after);
      int64_t taken = -1;  // the rows that are in memory
      for (int64_t number; (number = ranges.take(thread)) >= 0;) {
        const int64_t rows = number / along_, batch = rows / down_, i = rows % down_ * part_.rows,
                      j = number % along_ * part_.columns;
        const IntegerRows part = part_of(batch, i, l, k, panels);
        if (rows != taken) part.take_rows(own);
        taken = rows;
        const int64_t columns = std::min(part_.columns, product_.n - j);
        if (!after) {
          part.multiply(j, columns, own, reinterpret_cast<int32_t*>(out_of(batch, i, j)), product_.out_step,
                        product_.out.accumulate || l > 0);
          continue;
        }
        part.multiply(j, columns, own, sums, {part_.columns, 1}, false);
        for (int64_t x = 0; x < part.m; ++x)
          finish(*after, batch * product_.m + i + x, j, columns, sums + x * part_.columns, out_of(batch, i + x, j));
      }
    });
  }

  IntegerRows part_of(int64_t batch, int64_t i, int64_t l, int64_t k, const uint32_t* panels) const {
    const IntegerProduct& p = product_;
    const auto first = [&](IntegerArray array) { return p.batch.offset(array, batch); };
    return {tiles_,
            IntegerDepth(tiles_, k),
            std::min(part_.rows, p.m - i),
            bytes_of(p.a, first(kIntegerA) + i * p.a_step[0] + l * p.a_step[1], p.a_step[0], p.a_step[1]),
            bytes_of(p.b, first(kIntegerB) + l * p.b_step[0], p.b_step[0], p.b_step[1]),
            bytes_of(p.a_zero, first(kIntegerAZero) + i * p.a_zero_step, p.a_zero_step, 0),
            bytes_of(p.b_zero, first(kIntegerBZero), 0, p.b_zero_step),
            panels};
  }
  char* out_of(int64_t batch, int64_t i, int64_t j) const {
    const int64_t offset =
        product_.batch.offset(kIntegerOut, batch) + i * product_.out_step[0] + j * product_.out_step[1];
    return product_.out.address() + offset * out_size_;
  }
  // Makes results of sums: n of a row, from column j on.
  void finish(RowSideEvaluator& after, int64_t row, int64_t j, int64_t n, const int32_t* sums, char* out) const {
    if (product_.out_step[1] == 1) return after.run(row, j, n, sums, 1, out);
    constexpr int64_t kAtOnce = 256;
    uint64_t made[kAtOnce];
    for (int64_t i = 0; i < n; i += kAtOnce) {
      const int64_t count = std::min(kAtOnce, n - i);
      after.run(row, j + i, count, sums + i, 1, made);
      bytes_.store(out + i * product_.out_step[1] * out_size_, product_.out_step[1], made, count);
    }
  }

  const IntegerTiles& tiles_ = integer_tiles();
  const IntegerProduct product_;
  const IntegerDepth depth_;
  const ProductPart part_;
  const int64_t down_, along_;
  const int64_t out_size_ = static_cast<int64_t>(dtype_size(product_.out.dtype));
  const Moves bytes_ = loops(instructions()).bytes(dtype_size(product_.out.dtype));
  int64_t threads_ = 1;  // that have memory of their own
  KeptWeights weights_;
};

}  // namespace

Ref<OperatorTask> make_cpu_matmul_integer(const IntegerProduct& product) {
  return make_ref<CpuMatmulInteger>(product);
}

}  // namespace rondo::ops
