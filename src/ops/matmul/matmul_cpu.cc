// Multiplies matrices on the host: by a BLAS library found at run time where the layouts suit it; otherwise panels are
// packed, 16-bit floats widened on the way, and multiplied (panels.h).
//
// If a call of the library is done by the thread that makes it, products are cut into parts that workers share, each
// with its epilogue while it is in the cache: by their sizes alone, so that the number of workers changes no bit. Else
// the library keeps the number of threads it chose: it is the process's, and changing it between calls would change how
// sums are split.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <cmath>

#include "base/machine/processors.h"
#include "base/text.h"
#include "dynlib/blas.h"
#include "engine/tasks/part_ranges.h"
#include "engine/tasks/workers.h"
#include "ops/elementwise/sum_finish.h"
#include "ops/host/panels.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/own_product.h"
#include "ops/matmul/product_parts.h"
#include "ops/task/packed_weights.h"
#include "ops/task/packs_weights.h"

namespace rondo::ops {

namespace {

// Panels of the operands, which are packed, and of the result.
struct Panels {
  int64_t m, n, k;
  int64_t down, along;  // how many there are of the result
  explicit Panels(const Product& product)
      : m(std::min<int64_t>(product.m, 256)),
        n(std::min<int64_t>(product.n, 256)),
        k(std::min<int64_t>(product.k, 1024)),
        down(m ? (product.m + m - 1) / m : 0),
        along(n ? (product.n + n - 1) / n : 0) {}
  int64_t count() const { return down * along; }
  int64_t elements() const { return m * k + k * n + m * n; }  // of all three
};

enum { kRowMajor = 101, kNoTranspose = 111, kTranspose = 112 };

struct Strided {
  int64_t rows, columns;
  int64_t step[2];
  Strided transposed() const { return {columns, rows, {step[1], step[0]}}; }
};

// How BLAS is told of a matrix in row-major order; leading 0: it cannot be.
struct BlasMatrix {
  int operation = kNoTranspose;
  int leading = 0;
};
BlasMatrix describe(const Strided& matrix) {
  const auto leading = [](int64_t lines, int64_t size, int64_t line_step, int64_t step) {
    if (size > 1 && step != 1) return int64_t{0};
    const int64_t least = std::max<int64_t>(size, 1);
    if (lines <= 1) return least <= INT_MAX ? least : 0;
    return line_step >= least && line_step <= INT_MAX ? line_step : 0;
  };
  if (matrix.rows > INT_MAX || matrix.columns > INT_MAX) return {};
  if (const int64_t found = leading(matrix.rows, matrix.columns, matrix.step[0], matrix.step[1]))
    return {kNoTranspose, static_cast<int>(found)};
  return {kTranspose, static_cast<int>(leading(matrix.columns, matrix.rows, matrix.step[1], matrix.step[0]))};
}

// One row or one column: a matrix times a vector. OpenBLAS packs all of the matrix for a product of one row.
struct VectorCall {
  bool possible = false;
  bool of_row = false;  // a is the vector, and the matrix b's transpose; otherwise b is
  BlasMatrix matrix;    // whichever of a and b it is, as it lies
  int step = 1, out_step = 1;
};
VectorCall plan_vector(const Product& product) {
  VectorCall call;
  if (product.m != 1 && product.n != 1) return call;
  call.of_row = product.m == 1;
  call.matrix = call.of_row ? describe({product.k, product.n, {product.b_step[0], product.b_step[1]}})
                            : describe({product.m, product.k, {product.a_step[0], product.a_step[1]}});
  const int64_t size = call.of_row ? product.n : product.m;
  const int64_t step = product.k == 1 ? 1
                       : call.of_row  ? product.a_step[1]
                                      : product.b_step[0],
                out_step = size == 1     ? 1
                           : call.of_row ? product.out_step[1]
                                         : product.out_step[0];
  if (!call.matrix.leading || step < 1 || step > INT_MAX || out_step < 1 || out_step > INT_MAX) return call;
  call.step = static_cast<int>(step);
  call.out_step = static_cast<int>(out_step);
  call.possible = true;
  return call;
}

// One call of the library on the operands where they are, if their layouts and the epilogue allow it. BLAS knows
// accumulation, but not of something that an activation or bias was applied to.
struct DirectCall {
  bool possible = false;
  bool transposed = false;  // computes the transpose of everything: a column-major result
  BlasMatrix a, b, out;
  VectorCall vector;
  // True if OpenBLAS reads the right side as it lies, without packing it, in a small call.
  bool read_in_place() const { return !transposed && b.operation == kNoTranspose; }
};
DirectCall plan_direct(const Product& product) {
  DirectCall call;
  if (is_half(product.dtype()) || product.k == 0 || product.out.dtype != product.dtype() ||
      (product.out.accumulate && product.has_epilogue()) || !have_blas())
    return call;
  Strided a{product.m, product.k, {product.a_step[0], product.a_step[1]}};
  Strided b{product.k, product.n, {product.b_step[0], product.b_step[1]}};
  Strided out{product.m, product.n, {product.out_step[0], product.out_step[1]}};
  call.transposed = describe(out).operation == kTranspose;
  call.a = describe(call.transposed ? b.transposed() : a);
  call.b = describe(call.transposed ? a.transposed() : b);
  call.out = describe(call.transposed ? out.transposed() : out);
  call.vector = plan_vector(product);
  call.possible = call.vector.possible || (call.a.leading && call.b.leading && call.out.leading);
  return call;
}

void blas_gemm(const BlasMatrix& a, const BlasMatrix& b, int64_t m, int64_t n, int64_t k, const float* pa,
               const float* pb, float beta, float* out, int leading) {
  blas().cblas_sgemm(kRowMajor, a.operation, b.operation, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
                     1.0f, pa, a.leading, pb, b.leading, beta, out, leading);
}
void blas_gemm(const BlasMatrix& a, const BlasMatrix& b, int64_t m, int64_t n, int64_t k, const double* pa,
               const double* pb, double beta, double* out, int leading) {
  blas().cblas_dgemm(kRowMajor, a.operation, b.operation, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
                     1.0, pa, a.leading, pb, b.leading, beta, out, leading);
}

void blas_gemv(int operation, int64_t rows, int64_t columns, const float* a, int leading, const float* x, int step,
               float* y, int y_step) {
  blas().cblas_sgemv(kRowMajor, operation, static_cast<int>(rows), static_cast<int>(columns), 1.0f, a, leading, x, step,
                     1.0f, y, y_step);
}
void blas_gemv(int operation, int64_t rows, int64_t columns, const double* a, int leading, const double* x, int step,
               double* y, int y_step) {
  blas().cblas_dgemv(kRowMajor, operation, static_cast<int>(rows), static_cast<int>(columns), 1.0, a, leading, x, step,
                     1.0, y, y_step);
}

// How loops of our own multiply, if they do.
struct OwnPlan {
  bool chosen = false;
  ProductPart part{};
  int64_t down = 0, along = 0;  // how many parts there are of a product
  bool staged = false;          // results are finished elsewhere than where they belong
  explicit OwnPlan(const Product& product) {
    chosen = product.dtype() == RONDO_F32 && product.k > 0 &&
             (have_blas() ? is_own_product(product.m, product.n, product.k)
                          : product.n >= kPanelColumns && product.k <= own_product::kMostDepthAlone);
    if (!chosen) return;
    part = part_of_own_product(product.m, product.n, product.k);
    down = (product.m + part.rows - 1) / part.rows;
    along = (product.n + part.columns - 1) / part.columns;
    staged = product.out.accumulate || product.out.dtype != RONDO_F32 || (product.n > 1 && product.out_step[1] != 1);
  }
  int64_t elements(const Product& product) const {  // of a thread's memory
    return RowsProduct::memory_elements(part.rows, product.k) + (staged ? part.rows * part.columns : 0);
  }
};

template <class T>
class Multiplication {
 public:
  using C = Register<T>;
  Multiplication(const Product& product, const DirectCall& direct, int64_t threads, void* workspace)
      : product_(product),
        direct_(direct),
        threads_(threads),
        workspace_(static_cast<C*>(workspace)),
        finish_(product.out.dtype, product.activation, product.out.accumulate) {}

  // By loops of our own. panels: of the matrix, where there are no batches; null: it is read as it lies.
  void run(const OwnPlan& plan, const float* panels) {
    const int64_t parts = product_.batch.elements() * plan.down * plan.along, size = plan.elements(product_);
    PartRanges ranges(parts, threads_);
    Workers::share(std::min(threads_, parts), [&](int64_t thread) {
      auto* const memory = reinterpret_cast<float*>(workspace_) + thread * size;
      int64_t taken = -1;  // the rows that are in memory
      for (int64_t number; (number = ranges.take(thread)) >= 0;) {
        const int64_t rows = number / plan.along;
        by_own_loops(plan, panels, rows / plan.down, rows % plan.down * plan.part.rows,
                     number % plan.along * plan.part.columns, rows != taken, memory);
        taken = rows;
      }
    });
  }

  void run() {
    const int64_t batches = product_.batch.elements();
    if (!direct_.possible) {
      const Panels panels(product_);
      PartRanges ranges(batches * panels.count(), threads_);
      Workers::share(threads_, [&](int64_t thread) {
        for (int64_t number; (number = ranges.take(thread)) >= 0;)
          of_batch(number / panels.count(), [&](const T* left, const T* right, char* out) {
            by_panels(left, right, number / panels.count(), number % panels.count(), panels,
                      workspace_ + thread * panels.elements(), out);
          });
      });
      return;
    }
    // A library with threads of its own shares a product by itself.
    const bool whole = !blas().serial();
    const ProductPart part = whole ? ProductPart{product_.m, product_.n}
                                   : part_of_product(product_.m, product_.n, product_.k, direct_.read_in_place());
    const int64_t down = (product_.m + part.rows - 1) / part.rows,
                  along = (product_.n + part.columns - 1) / part.columns;
    const int64_t parts = batches * down * along;
    // It is too little to wake a thread for.
    const int64_t least =
        is_of_vector(product_.m, product_.n) ? static_cast<int64_t>(product_parts::kLeastOfVector) : kSharedCost;
    const bool small = product_.m * product_.n < least / (product_.k + 1) / std::max<int64_t>(batches, 1);
    const auto run_one = [&](int64_t number) {
      const int64_t batch = number / (down * along), row = number / along % down * part.rows,
                    column = number % along * part.columns;
      of_batch(batch, [&](const T* left, const T* right, char* out) {
        by_library(left, right, batch, part, row, column, reinterpret_cast<T*>(out));
      });
    };
    if (whole || small)
      for (int64_t i = 0; i < parts; ++i) run_one(i);
    else
      Workers::share(parts, run_one);
  }

 private:
  template <class By>
  void of_batch(int64_t batch, const By& by) {
    by(reinterpret_cast<const T*>(product_.a.address()) + product_.batch.offset(0, batch),
       reinterpret_cast<const T*>(product_.b.address()) + product_.batch.offset(1, batch),
       product_.out.address() + product_.batch.offset(2, batch) * out_size_);
  }

  // The part from row i and column j on. takes: its rows are not in memory yet.
  void by_own_loops(const OwnPlan& plan, const float* panels, int64_t batch, int64_t i, int64_t j, bool takes,
                    float* memory) {
    if constexpr (std::is_same_v<T, float>) {
      const int64_t m = std::min(plan.part.rows, product_.m - i), n = std::min(plan.part.columns, product_.n - j);
      RowsProduct part = {m, product_.k, {}, {}, panels};
      std::copy(product_.a_step, product_.a_step + 2, part.a_step);
      std::copy(product_.b_step, product_.b_step + 2, part.b_step);
      of_batch(batch, [&](const float* a, const float* b, char* out) {
        if (takes) part.take_rows(a + i * product_.a_step[0], memory);
        out += (i * product_.out_step[0] + j * product_.out_step[1]) * out_size_;
        if (plan.staged) {
          float* const sums = memory + RowsProduct::memory_elements(plan.part.rows, product_.k);
          part.multiply(b, j, n, memory, sums, n);
          return store(batch, i, j, m, n, sums, {n, 1}, out);
        }
        auto* const sums = reinterpret_cast<float*>(out);
        part.multiply(b, j, n, memory, sums, product_.out_step[0]);
        if (product_.has_epilogue()) store(batch, i, j, m, n, sums, product_.out_step, out);
      });
    }
  }

  // A part of at most as many rows and columns, from row i and column j on.
  void by_library(const T* a, const T* b, int64_t batch, const ProductPart& most, int64_t i, int64_t j, T* out) {
    if constexpr (std::is_same_v<T, C>) {
      const C beta = product_.out.accumulate ? 1 : 0;
      const int64_t m = std::min(most.rows, product_.m - i), n = std::min(most.columns, product_.n - j);
      a += i * product_.a_step[0];
      b += j * product_.b_step[1];
      out += i * product_.out_step[0] + j * product_.out_step[1];
      if (direct_.vector.possible)
        by_vector(direct_.vector.of_row ? n : m, a, b, out);
      else if (direct_.transposed)
        blas_gemm(direct_.a, direct_.b, n, m, product_.k, b, a, beta, out, direct_.out.leading);
      else
        blas_gemm(direct_.a, direct_.b, m, n, product_.k, a, b, beta, out, direct_.out.leading);
      if (product_.has_epilogue()) store(batch, i, j, m, n, out, product_.out_step, reinterpret_cast<char*>(out));
    }
  }

  // So many elements of a row or column. They are 0 before, as some libraries read what they are told to multiply by 0.
  void by_vector(int64_t size, const T* a, const T* b, T* out) {
    const VectorCall& call = direct_.vector;
    if (!product_.out.accumulate)
      for (int64_t i = 0; i < size; ++i) out[i * call.out_step] = 0;
    const BlasMatrix& matrix = call.matrix;
    const bool as_it_lies = call.of_row != (matrix.operation == kNoTranspose);  // its rows are elements of the result
    blas_gemv(as_it_lies ? kNoTranspose : kTranspose, as_it_lies ? size : product_.k, as_it_lies ? product_.k : size,
              call.of_row ? b : a, matrix.leading, call.of_row ? a : b, call.step, out, call.out_step);
  }

  // The panel of the result with this number.
  void by_panels(const T* a, const T* b, int64_t batch, int64_t number, const Panels& panels, C* memory, char* out) {
    C *const panel_a = memory, *const panel_b = panel_a + panels.m * panels.k,
             *const panel_out = panel_b + panels.k * panels.n;
    const int64_t i = number % panels.down * panels.m, j = number / panels.down * panels.n,
                  m = std::min(panels.m, product_.m - i), n = std::min(panels.n, product_.n - j);
    std::fill(panel_out, panel_out + m * n, C(0));
    for (int64_t l = 0; l < product_.k; l += panels.k) {
      const int64_t k = std::min(panels.k, product_.k - l);
      pack(a + i * product_.a_step[0] + l * product_.a_step[1], m, k, product_.a_step, panel_a);
      pack(b + l * product_.b_step[0] + j * product_.b_step[1], k, n, product_.b_step, panel_b);
      multiply_panels(m, n, k, panel_a, panel_b, panel_out);
    }
    store(batch, i, j, m, n, panel_out, {n, 1},
          out + (i * product_.out_step[0] + j * product_.out_step[1]) * out_size_);
  }

  // m rows of n elements, from row i and column j on: what the product is there, to what results are; both may be the
  // same.
  void store(int64_t batch, int64_t i, int64_t j, int64_t m, int64_t n, C* from, const int64_t (&step)[2], char* out) {
    if (product_.after) return store_after(batch * product_.m + i, j, m, n, from, step, out);
    SumLines lines;
    lines.size[1] = m;
    lines.size[2] = n;
    lines.sums = {reinterpret_cast<char*>(from), {0, step[0], step[1]}};
    lines.out = {out, {0, product_.out_step[0], product_.out_step[1]}};
    if (bias_) lines.bias = {bias_ + j * product_.bias_step * out_size_, {0, 0, product_.bias_step}};
    finish_.run(lines);
  }

  void store_after(int64_t row, int64_t j, int64_t m, int64_t n, C* from, const int64_t (&step)[2], char* out) {
    const RowSide& side = *product_.after;
    const int64_t cost = n * cost_on_cpu(side.expression);
    const int64_t parts = m * cost < kSharedCost ? 1 : std::min(m * cost / kPartCost, m);
    Workers::share(parts, [&](int64_t part) {
      RowSideEvaluator after(side);
      for (int64_t x = m * part / parts; x < m * (part + 1) / parts; ++x)
        after.store(row + x, j, n, from + x * step[0], step[1], moves_, out + x * product_.out_step[0] * out_size_,
                    product_.out_step[1], product_.out.dtype);
    });
  }

  [[gnu::noinline]] static void pack(const T* from, int64_t rows, int64_t columns, const int64_t (&step)[2], C* to) {
    if (std::abs(step[0]) < std::abs(step[1])) {
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t i = 0; i < rows; ++i) to[i * columns + j] = device::from_memory(from[i * step[0] + j * step[1]]);
    } else {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          to[i * columns + j] = device::from_memory(from[i * step[0] + j * step[1]]);
    }
  }

  const Product& product_;
  const DirectCall& direct_;
  const int64_t threads_;  // that have memory of their own
  C* const workspace_;
  const SumFinish finish_;
  char* const bias_ = product_.has_bias() ? product_.bias.address() : nullptr;
  const Moves moves_ = loops(instructions()).moves(product_.out.dtype, product_.out.accumulate);
  const int64_t out_size_ = static_cast<int64_t>(dtype_size(product_.out.dtype));
};

void pack_weights(const WeightMatrix& matrix, char* copy) {
  const int64_t count = RowsProduct::panels_of(matrix.n);
  Workers::share((count + kPanelsOfAPart - 1) / kPanelsOfAPart, [&](int64_t part) {
    const int64_t first = part * kPanelsOfAPart, last = std::min(first + kPanelsOfAPart, count);
    pack_panels(reinterpret_cast<const float*>(matrix.view.address()), matrix.step, matrix.k, matrix.n, first, last,
                reinterpret_cast<float*>(copy));
  });
}

class CpuMatmul final : public Computation, public PacksWeights {
 public:
  explicit CpuMatmul(const Product& product)
      : Computation("matmul", product.out.device()), product_(product), own_(product), direct_(plan_direct(product)) {
    product.declare(*this);
    if (own_.chosen) {
      threads_ = std::clamp<int64_t>(product_.batch.elements() * own_.down * own_.along, 1, known_processors());
      workspace_bytes_ = static_cast<size_t>(threads_ * own_.elements(product_)) * sizeof(float);
      return;
    }
    if (direct_.possible) {
      lendable_ = blas().same_on_every_thread();
      return;
    }
    const Panels panels(product_);
    threads_ = std::clamp<int64_t>(product_.batch.elements() * panels.count(), 1, known_processors());
    workspace_bytes_ = static_cast<size_t>(threads_ * panels.elements()) * dtype_size(compute_dtype(product_.dtype()));
  }
  Status run(const TaskContext& context) override {
    if (own_.chosen)
      Multiplication<float>(product_, direct_, threads_, context.workspace)
          .run(own_, static_cast<const float*>(weights_.copy(matrix())));
    else
      with_float_element(product_.dtype(),
                         [&]<class T>(T*) { Multiplication<T>(product_, direct_, threads_, context.workspace).run(); });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CpuMatmul>(memory.moved(product_));
  }

  const Storage& weights() const override { return *product_.b.storage; }
  size_t packed_bytes() const override { return own_.chosen && product_.batch.count == 0 ? matrix().bytes : 0; }
  Status keep_packed() override { return weights_.keep(matrix()); }
  void read_unpacked() override { weights_.read_unpacked(); }
  std::string remark() const override { return weights_.remark(); }

 private:
  WeightMatrix matrix() const {
    const Product& p = product_;
    return {p.b,         p.n,
            p.k,         {p.b_step[0], p.b_step[1]},
            0,           static_cast<size_t>(RowsProduct::packed_elements(p.n, p.k)) * sizeof(float),
            pack_weights};
  }
  const Product product_;
  const OwnPlan own_;
  const DirectCall direct_;
  int64_t threads_ = 1;  // that have memory of their own
  KeptWeights weights_;
};

}  // namespace

Ref<OperatorTask> make_cpu_matmul(const Product& product) {
  return make_ref<CpuMatmul>(product);
}

}  // namespace rondo::ops
