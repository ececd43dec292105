// Matrix products on the host: a BLAS library found at run time where the layouts suit it; otherwise panels are
// packed, 16-bit floats widened on the way, and multiplied (panels.h).
//
// The BLAS library keeps the number of threads it chose (its own environment variable sets it): it is the process's,
// not ours, and changing it between calls would change how sums are split and with it the last bits of results.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <climits>
#include <cmath>

#include "dynlib/blas.h"
#include "engine/workers.h"
#include "ops/elementwise/sum_finish.h"
#include "ops/host/panels.h"
#include "ops/matmul/matmul.h"

namespace rondo::ops {

namespace {

constexpr int64_t kPanelM = 256, kPanelN = 512, kPanelK = 2048;

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

// One call of the library on the operands where they are, if their layouts and the epilogue allow it. BLAS knows
// accumulation, but not of something that an activation or bias was applied to.
struct DirectCall {
  bool possible = false;
  bool transposed = false;  // computes the transpose of everything: a column-major result
  BlasMatrix a, b, out;
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
  call.possible = call.a.leading && call.b.leading && call.out.leading;
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

template <class T>
class Multiplication {
 public:
  using C = Register<T>;
  Multiplication(const Product& product, const DirectCall& direct, void* workspace)
      : product_(product),
        direct_(direct),
        panel_m_(std::min(product.m, kPanelM)),
        panel_n_(std::min(product.n, kPanelN)),
        panel_a_(static_cast<C*>(workspace)),
        panel_b_(panel_a_ + panel_m_ * std::min(product.k, kPanelK)),
        panel_out_(panel_b_ + panel_n_ * std::min(product.k, kPanelK)),
        finish_(product.out.dtype, product.activation, product.out.accumulate) {}

  void run() {
    const T* a = reinterpret_cast<const T*>(product_.a.address());
    const T* b = reinterpret_cast<const T*>(product_.b.address());
    bias_ = product_.has_bias() ? product_.bias.address() : nullptr;
    const int64_t batches = product_.batch.elements();
    for (int64_t i = 0; i < batches; ++i) {
      const T* left = a + product_.batch.offset(0, i);
      const T* right = b + product_.batch.offset(1, i);
      char* to = product_.out.address() + product_.batch.offset(2, i) * out_size_;
      if (direct_.possible)
        by_library(left, right, i, reinterpret_cast<T*>(to));
      else
        by_panels(left, right, i, to);
    }
  }

 private:
  void by_library(const T* a, const T* b, int64_t batch, T* out) {
    if constexpr (std::is_same_v<T, C>) {
      const C beta = product_.out.accumulate ? 1 : 0;
      if (direct_.transposed)
        blas_gemm(direct_.a, direct_.b, product_.n, product_.m, product_.k, b, a, beta, out, direct_.out.leading);
      else
        blas_gemm(direct_.a, direct_.b, product_.m, product_.n, product_.k, a, b, beta, out, direct_.out.leading);
      if (product_.has_epilogue())
        store(batch, 0, 0, product_.m, product_.n, out, product_.out_step, reinterpret_cast<char*>(out));
    }
  }

  void by_panels(const T* a, const T* b, int64_t batch, char* out) {
    for (int64_t j = 0; j < product_.n; j += panel_n_) {
      const int64_t n = std::min(panel_n_, product_.n - j);
      for (int64_t i = 0; i < product_.m; i += panel_m_) {
        const int64_t m = std::min(panel_m_, product_.m - i);
        std::fill(panel_out_, panel_out_ + m * n, C(0));
        for (int64_t l = 0; l < product_.k; l += kPanelK) {
          const int64_t k = std::min(kPanelK, product_.k - l);
          pack(a + i * product_.a_step[0] + l * product_.a_step[1], m, k, product_.a_step, panel_a_);
          // b's panel stays when it is the same for all panels of a.
          if (i == 0 || product_.k > kPanelK)
            pack(b + l * product_.b_step[0] + j * product_.b_step[1], k, n, product_.b_step, panel_b_);
          multiply_panels(m, n, k, panel_a_, panel_b_, panel_out_);
        }
        store(batch, i, j, m, n, panel_out_, {n, 1},
              out + (i * product_.out_step[0] + j * product_.out_step[1]) * out_size_);
      }
    }
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

  static void pack(const T* from, int64_t rows, int64_t columns, const int64_t (&step)[2], C* to) {
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
  const int64_t panel_m_, panel_n_;
  C* const panel_a_;
  C* const panel_b_;
  C* const panel_out_;
  const SumFinish finish_;
  char* bias_ = nullptr;
  const Moves moves_ = loops(instructions()).moves(product_.out.dtype, product_.out.accumulate);
  const int64_t out_size_ = static_cast<int64_t>(dtype_size(product_.out.dtype));
};

class CpuMatmul final : public Computation, public TakesEpilogue {
 public:
  explicit CpuMatmul(const Product& product)
      : Computation("matmul", product.out.device()), product_(product), direct_(plan_direct(product)) {
    product.declare(*this);
    if (direct_.possible) {
      lendable_ = blas().same_on_every_thread();
      return;
    }
    const int64_t m = std::min(product_.m, kPanelM), n = std::min(product_.n, kPanelN),
                  k = std::min(product_.k, kPanelK);
    workspace_bytes_ = static_cast<size_t>(m * k + k * n + m * n) * dtype_size(compute_dtype(product_.dtype()));
  }
  Status run(const TaskContext& context) override {
    with_float_element(product_.dtype(),
                       [&]<class T>(T*) { Multiplication<T>(product_, direct_, context.workspace).run(); });
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }
  Ref<Task> again(const Rebinding& memory) const override { return make_ref<CpuMatmul>(memory.moved(product_)); }
  int channels() const override { return product_.out.layout.ndim - 1; }
  Ref<Task> with(const Epilogue& epilogue) const override {
    const std::optional<Product> product = product_.with(epilogue);
    if (!product) return {};
    return make_ref<CpuMatmul>(*product);
  }

 private:
  const Product product_;
  const DirectCall direct_;
};

}  // namespace

Ref<Task> make_cpu_matmul(const Product& product) {
  return make_ref<CpuMatmul>(product);
}

}  // namespace rondo::ops
