// Matrix products on a GPU: cuBLASLt where it is found and takes the problem, otherwise a tiled kernel of our own,
// which takes them all: any strides, batches, epilogues and accumulation.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "base/log.h"
#include "ops/cuda_kernel.h"
#include "ops/kernel_task.h"
#include "ops/matmul.h"
#include "ops/matmul_cublaslt.h"

namespace rondo::ops {

namespace {

enum Kernel : int { kTiledKernel, kFinishKernel };

constexpr int64_t kTile = 64;  // of the result, per block
constexpr int64_t kMaxGridY = 65535;
constexpr int64_t kWorthStaging = int64_t{1} << 24;  // multiplications; below, our kernel is as quick as two launches
constexpr int64_t kMaxLibraryCalls = 32;  // for batches that are no single stride: beyond this one launch is quicker

// Each thread has a 4 x 4 part of a 64 x 64 tile; k in steps of 16 through shared memory. Follows definitions of In,
// kBatch, and of kKContiguousA, kKContiguousB: whether neighbouring lanes read along k, or along m and n.
constexpr const char* kText = R"(
using C = Register<In>;
struct Arguments {
  const void* a;
  const void* b;
  const void* bias;
  void* out;
  Dims<3> batch;
  i64 m, n, k, batches;
  i64 a_step[2], b_step[2], out_step[2];
  i64 bias_step, blocks_n;
  i32 activation, accumulate;
};
RONDO_INLINE f32 multiply_add(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
RONDO_INLINE f64 multiply_add(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  constexpr int kTile = 64, kDepth = 16, kRow = kTile + 1;
  __shared__ C tile_a[kDepth * kRow];
  __shared__ C tile_b[kDepth * kRow];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const Index block = static_cast<Index>(blockIdx.x), blocks_n = static_cast<Index>(args.blocks_n);
  const Index m = static_cast<Index>(args.m), n = static_cast<Index>(args.n), k = static_cast<Index>(args.k);
  const Index i0 = block / blocks_n * kTile, j0 = block % blocks_n * kTile;
  // Where this thread loads: lines (m or n) line + q * line_step, depths depth + q * depth_step.
  const int line_a = kKContiguousA ? t / 16 : t % 64, depth_a = kKContiguousA ? t % 16 : t / 64;
  const int line_b = kKContiguousB ? t / 16 : t % 64, depth_b = kKContiguousB ? t % 16 : t / 64;

  for (Index g = static_cast<Index>(blockIdx.y); g < args.batches; g += static_cast<Index>(gridDim.y)) {
    const In* a = static_cast<const In*>(args.a) + offset<kBatch>(args.batch, 0, g);
    const In* b = static_cast<const In*>(args.b) + offset<kBatch>(args.batch, 1, g);
    In* out = static_cast<In*>(args.out) + offset<kBatch>(args.batch, 2, g);
    C sum[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] = C(0);
    for (Index l0 = 0; l0 < k; l0 += kDepth) {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int line = line_a + (kKContiguousA ? 16 * q : 0), depth = depth_a + (kKContiguousA ? 0 : 4 * q);
        const Index i = i0 + line, l = l0 + depth;
        tile_a[depth * kRow + line] =
            i < m && l < k ? from_memory(a[i * static_cast<Index>(args.a_step[0]) + l * static_cast<Index>(args.a_step[1])]) : C(0);
      }
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int line = line_b + (kKContiguousB ? 16 * q : 0), depth = depth_b + (kKContiguousB ? 0 : 4 * q);
        const Index j = j0 + line, l = l0 + depth;
        tile_b[depth * kRow + line] =
            j < n && l < k ? from_memory(b[l * static_cast<Index>(args.b_step[0]) + j * static_cast<Index>(args.b_step[1])]) : C(0);
      }
      __syncthreads();
#pragma unroll
      for (int l = 0; l < kDepth; ++l) {
        C left[4], right[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) left[i] = tile_a[l * kRow + y + 16 * i];
#pragma unroll
        for (int j = 0; j < 4; ++j) right[j] = tile_b[l * kRow + x + 16 * j];
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) sum[i][j] = multiply_add(left[i], right[j], sum[i][j]);
      }
      __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const Index column = j0 + x + 16 * j;
      if (column >= n) continue;
      const C bias = args.bias ? from_memory(static_cast<const In*>(args.bias)[column * static_cast<Index>(args.bias_step)]) : C(0);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Index row = i0 + y + 16 * i;
        if (row >= m) continue;
        const C value = args.bias ? sum[i][j] + bias : sum[i][j];
        put(out + row * static_cast<Index>(args.out_step[0]) + column * static_cast<Index>(args.out_step[1]),
            activated(args.activation, value), args.accumulate);
      }
    }
  }
}
)";

// What follows a product that the library left in workspace, in the compute dtype and row-major. Follows definitions of
// In and kBatch.
constexpr const char* kFinishText = R"(
using C = Register<In>;
struct Arguments {
  const void* staged;
  const void* bias;
  void* out;
  Dims<3> batch;
  i64 m, n, count;
  i64 out_step[2];
  i64 bias_step;
  i32 activation, accumulate;
};
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  const Index at = static_cast<Index>(blockIdx.x) * 256 + static_cast<Index>(threadIdx.x);
  if (at >= args.count) return;
  const Index n = static_cast<Index>(args.n), m = static_cast<Index>(args.m);
  const Index line = at / n, j = at - line * n;
  const Index g = line / m, i = line - g * m;
  C value = static_cast<const C*>(args.staged)[at];
  if (args.bias) value += from_memory(static_cast<const In*>(args.bias)[j * static_cast<Index>(args.bias_step)]);
  In* out = static_cast<In*>(args.out) + offset<kBatch>(args.batch, 2, g);
  put(out + i * static_cast<Index>(args.out_step[0]) + j * static_cast<Index>(args.out_step[1]), activated(args.activation, value),
      args.accumulate);
}
)";

struct FinishArguments {
  const void* staged = nullptr;
  const void* bias = nullptr;
  void* out = nullptr;
  KernelDims<3> batch;
  int64_t m = 0, n = 0, count = 0;
  int64_t out_step[2] = {};
  int64_t bias_step = 0;
  int32_t activation = 0, accumulate = 0;
};

struct Arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* bias = nullptr;
  void* out = nullptr;
  KernelDims<3> batch;
  int64_t m = 0, n = 0, k = 0, batches = 0;
  int64_t a_step[2] = {}, b_step[2] = {}, out_step[2] = {};
  int64_t bias_step = 0, blocks_n = 0;
  int32_t activation = 0, accumulate = 0;
};

bool have_cublaslt() {
  static const bool found = [] {
    const Status status = cuda::cublaslt().open();
    if (!status.ok())
      log(RONDO_LOG_WARNING, "rondo_matmul: cuBLASLt cannot be used, products on GPUs go to Rondo's own kernel: %s",
          status.message());
    return status.ok();
  }();
  return found;
}

// One matrix as a column-major operand, transposed or not. False if neither its rows nor its columns are contiguous.
bool describe(int64_t rows, int64_t columns, int64_t row_step, int64_t column_step, lt::Operand* operand) {
  const auto fits = [](int64_t inner, int64_t outer, int64_t inner_step, int64_t outer_step, int64_t* leading) {
    if (inner > 1 && inner_step != 1) return false;
    *leading = outer > 1 ? outer_step : std::max<int64_t>(inner, 1);
    return *leading >= inner;
  };
  if (fits(rows, columns, row_step, column_step, &operand->leading)) {
    operand->rows = rows;
    operand->columns = columns;
    operand->transposed = 0;
    return true;
  }
  operand->rows = columns;
  operand->columns = rows;
  operand->transposed = 1;
  return fits(columns, rows, column_step, row_step, &operand->leading);
}

class CudaMatmul final : public KernelTask {
 public:
  explicit CudaMatmul(const Product& product) : KernelTask("matmul", product.out.device()), product_(product) {
    product.declare(*this);
  }
  ~CudaMatmul() override {
    if (own_description_) lt::destroy_description(own_description_);
  }

  Status prepare() override {
    if (!chosen_) RONDO_TRY(choose());
    return KernelTask::prepare();
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // chosen already, unless the task came here by another way
    if (plan_) RONDO_TRY(run_library(context));
    return KernelTask::run(context);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }

 private:
  // The library, if it takes the product, and the kernel that follows it or does it all.
  Status choose() {
    if (product_.k > 0 && have_cublaslt()) {
      RONDO_TRY(find_plan(false));
      const int64_t work = product_.batch.elements() * product_.m * product_.n * product_.k;
      if (!plan_ && work >= kWorthStaging) RONDO_TRY(find_plan(true));
    }
    if (!plan_)
      add_own_kernel();
    else if (staged_bytes_)
      add_finish_kernel();
    chosen_ = true;
    return {};
  }

  // Asks cuBLASLt for the whole product, or `staged` for the bare one into workspace. Leaves plan_ null if it has none.
  Status find_plan(bool staged) {
    lt::Problem problem;
    if (!pose(staged, &problem)) return {};
    const lt::Plan* plan = nullptr;
    if (Status status = lt::find_plan(cuda_device(*this), problem, &plan); !status.ok())
      return status.with_context(kMatmul);
    if (!plan->usable) return {};
    if (product_.has_bias() && !staged && !own_description_)
      RONDO_TRY(lt::make_description(problem, &own_description_));
    const int64_t results = product_.batch.elements() * product_.m * product_.n;
    staged_bytes_ =
        staged ? (static_cast<size_t>(results) * dtype_size(compute_dtype(product_.dtype())) + 255) / 256 * 256 : 0;
    plan_ = plan;
    workspace_bytes_ = staged_bytes_ + plan->workspace_bytes;
    return {};
  }

  // The product as cuBLASLt's problem: D = A B in column-major storage. A row-major result is the transposed product, b
  // first. False if the library has no words for it.
  bool pose(bool staged, lt::Problem* problem) {
    const Product& p = product_;
    const int dims = p.batch.count;
    const int64_t row_step = staged ? p.n : p.out_step[0], column_step = staged ? 1 : p.out_step[1];
    swapped_ = p.n == 1 || column_step == 1;
    if (!swapped_ && (p.m > 1 && row_step != 1)) return false;
    if (!staged) {
      if (!swapped_ && p.has_bias()) return false;  // its bias runs along rows of D
      if (p.has_bias() && p.bias_step != 1 && p.n > 1) return false;
      // The library's are not ours: its ReLU makes 0 of NaN, its GELU has an approximate tanh.
      if (p.activation != RONDO_ACTIVATION_NONE) return false;
      // Of 16 bits, the library may round the sum of the bias and what the output held before it adds the product.
      if (p.out.accumulate && p.has_bias() && is_half(p.dtype())) return false;
    }
    lt::Operand a, b, d;
    const bool fits = swapped_ ? describe(p.n, p.k, p.b_step[1], p.b_step[0], &a) &&
                                     describe(p.k, p.m, p.a_step[1], p.a_step[0], &b) &&
                                     describe(p.n, p.m, column_step, row_step, &d)
                               : describe(p.m, p.k, p.a_step[0], p.a_step[1], &a) &&
                                     describe(p.k, p.n, p.b_step[0], p.b_step[1], &b) &&
                                     describe(p.m, p.n, row_step, column_step, &d);
    if (!fits || d.transposed) return false;

    // One strided batch per call; outer batch dimensions are calls of their own.
    if (dims > 0) {
      const int64_t inner = p.batch.size[dims - 1];
      if (inner > INT_MAX || p.batch.elements() / inner > kMaxLibraryCalls) return false;
      problem->batch = static_cast<int32_t>(inner);
      a.batch_stride = p.batch.stride[swapped_ ? 1 : 0][dims - 1];
      b.batch_stride = p.batch.stride[swapped_ ? 0 : 1][dims - 1];
      d.batch_stride = staged ? p.m * p.n : p.batch.stride[2][dims - 1];
      if (std::min({a.batch_stride, b.batch_stride, d.batch_stride}) < 0) return false;
    }
    a.alignment = call_alignment(swapped_ ? p.b : p.a, swapped_ ? 1 : 0);
    b.alignment = call_alignment(swapped_ ? p.a : p.b, swapped_ ? 0 : 1);
    const auto staged_size = static_cast<int64_t>(dtype_size(compute_dtype(p.dtype())));
    d.alignment = !staged    ? call_alignment(p.out, 2)
                  : dims > 1 ? static_cast<int32_t>(std::gcd(int64_t{256}, problem->batch * p.m * p.n * staged_size))
                             : 256;
    problem->a = a;
    problem->b = b;
    problem->d = d;
    problem->k = p.k;
    problem->device = device().id().index;
    problem->dtype = p.dtype();
    problem->out_dtype = staged ? compute_dtype(p.dtype()) : p.dtype();
    problem->epilogue = p.has_bias() && !staged ? cuda::CUBLASLT_EPILOGUE_BIAS : cuda::CUBLASLT_EPILOGUE_DEFAULT;
    problem->beta = p.out.accumulate && !staged;
    problem->tf32 = p.allow_tf32 && p.dtype() == RONDO_F32;
    return true;
  }

  // Of the matrices that calls start at.
  int32_t call_alignment(const View& view, int array) const {
    int64_t alignment = alignment_of(view, 256);
    for (int d = 0; d + 1 < product_.batch.count; ++d)
      alignment = std::gcd(alignment, product_.batch.stride[array][d] * static_cast<int64_t>(dtype_size(view.dtype)));
    return static_cast<int32_t>(alignment);
  }

  Status run_library(const TaskContext& context) {
    cuda::cublasLtMatmulDesc_t description = plan_->description;
    if (own_description_) {
      description = own_description_;
      if (Status status = lt::set_bias(description, product_.bias.address()); !status.ok())
        return status.with_context(kMatmul);
    }
    const Dims<3>& batch = product_.batch;
    const auto size = static_cast<int64_t>(dtype_size(product_.dtype()));
    const auto out_size = static_cast<int64_t>(dtype_size(static_cast<rondo_dtype>(plan_->problem.out_dtype)));
    char* const staged = staged_bytes_ ? static_cast<char*>(context.workspace) : nullptr;
    char* const workspace = static_cast<char*>(context.workspace) + staged_bytes_;
    const int64_t inner = batch.count > 0 ? batch.size[batch.count - 1] : 1;
    for (int64_t i = 0; i < batch.elements(); i += inner) {
      const char* a = product_.a.address() + batch.offset(0, i) * size;
      const char* b = product_.b.address() + batch.offset(1, i) * size;
      char* out =
          staged ? staged + i * product_.m * product_.n * out_size : product_.out.address() + batch.offset(2, i) * size;
      const Status status = lt::multiply(cuda_device(*this), *plan_, description, swapped_ ? b : a, swapped_ ? a : b,
                                         out, workspace, context.stream);
      if (!status.ok()) return status.with_context(kMatmul);
    }
    return {};
  }

  void add_finish_kernel() {
    const Product& p = product_;
    FinishArguments& arguments = finish_;
    arguments.batch = KernelDims<3>(p.batch);
    arguments.m = p.m;
    arguments.n = p.n;
    arguments.count = p.batch.elements() * p.m * p.n;
    for (int i = 0; i < 2; ++i) arguments.out_step[i] = p.out_step[i];
    arguments.bias_step = p.bias_step;
    arguments.activation = p.activation;
    arguments.accumulate = p.out.accumulate;
    const int64_t reach = p.batch.reach(2) + p.m * std::abs(p.out_step[0]) + p.n * std::abs(p.out_step[1]);
    const bool wide = needs_wide(std::max({arguments.count, reach, p.n * std::abs(p.bias_step)}));
    KernelSpec spec(rtc::kMatmul, kFinishKernel, wide, "matmul_finish");
    spec.type("In", p.dtype()).constant("kBatch", p.batch.count);
    add_launch(add_kernel(spec.text({kFinishText})), arguments, blocks_for(arguments.count, kThreads));
    add_workspace(&arguments.staged);
    if (p.has_bias()) add_address(&arguments.bias, p.bias);
    add_address(&arguments.out, p.out);
  }

  void add_own_kernel() {
    const Product& p = product_;
    Arguments& arguments = own_;
    arguments.batch = KernelDims<3>(p.batch);
    arguments.m = p.m;
    arguments.n = p.n;
    arguments.k = p.k;
    arguments.batches = p.batch.elements();
    for (int i = 0; i < 2; ++i) {
      arguments.a_step[i] = p.a_step[i];
      arguments.b_step[i] = p.b_step[i];
      arguments.out_step[i] = p.out_step[i];
    }
    arguments.bias_step = p.bias_step;
    arguments.blocks_n = blocks_for(p.n, kTile);
    arguments.activation = p.activation;
    arguments.accumulate = p.out.accumulate;
    const bool a_along_k = std::abs(p.a_step[1]) <= std::abs(p.a_step[0]);
    const bool b_along_k = std::abs(p.b_step[0]) < std::abs(p.b_step[1]);
    const int64_t reach = std::max({p.batch.reach(0) + p.m * std::abs(p.a_step[0]) + p.k * std::abs(p.a_step[1]),
                                    p.batch.reach(1) + p.k * std::abs(p.b_step[0]) + p.n * std::abs(p.b_step[1]),
                                    p.batch.reach(2) + p.m * std::abs(p.out_step[0]) + p.n * std::abs(p.out_step[1]),
                                    p.n * std::abs(p.bias_step), p.batch.elements(), p.m, p.n, p.k});
    KernelSpec spec(rtc::kMatmul, kTiledKernel, needs_wide(reach), "matmul");
    spec.type("In", p.dtype()).constant("kBatch", p.batch.count);
    spec.constant("kKContiguousA", a_along_k).constant("kKContiguousB", b_along_k);
    add_launch(add_kernel(spec.text({kText})), arguments, blocks_for(p.m, kTile) * arguments.blocks_n,
               std::min(arguments.batches, kMaxGridY));
    add_address(&arguments.a, p.a);
    add_address(&arguments.b, p.b);
    if (p.has_bias()) add_address(&arguments.bias, p.bias);
    add_address(&arguments.out, p.out);
  }

  const Product product_;
  bool chosen_ = false;
  const lt::Plan* plan_ = nullptr;  // null: our own kernel does it
  bool swapped_ = false;
  cuda::cublasLtMatmulDesc_t own_description_ = nullptr;  // carries this task's bias pointer
  size_t staged_bytes_ = 0;  // of workspace, for the bare product; 0: the library writes the result
  Arguments own_;
  FinishArguments finish_;
};

}  // namespace

Ref<Task> make_cuda_matmul(const Product& product) {
  return make_ref<CudaMatmul>(product);
}

}  // namespace rondo::ops
