// Multiplies matrices on a GPU: few rows, and small products of 16 bits, by kernels of our own; else by cuBLASLt where
// it is found and takes the problem as one call; otherwise by kernels of our own: one for tensor cores, and one which
// takes them all: any strides, batches, epilogues and accumulation.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstring>
#include <numeric>
#include <optional>

#include "base/log.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/matmul_cublaslt.h"
#include "ops/matmul/product_choice.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/early_reads.h"
#include "ops/task/kernel_task.h"
#include "rtc/device/matmul.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

enum MatmulKernel : int {
  kTiledKernel,
  kFinishKernel,
  kTiledMadeKernel,
  kFinishMadeKernel,
  kTensorKernel,
  kTensorMadeKernel,
  kRowsKernel,
  kRowsMadeKernel
};

constexpr int64_t kTile = 64;  // of the result, per block
constexpr int64_t kMaxGridY = 65535;
constexpr int64_t kWorthStaging = int64_t{1} << 24;  // multiplications; below, our kernel is as quick as two launches

// For batches that are no single stride: fewer multiplications in each of the library's calls are quicker in one
// launch.
constexpr int64_t kWorthACall = int64_t{1} << 27;

using device::MatmulArguments;

// Stores the results.
constexpr const char* kStoredText = R"(
using Arguments = MatmulArguments;
using Sink = EndedProduct<Out, Index, kRows, kActivation>;
)";
constexpr const char* kMadeText = R"(
struct Arguments : MatmulArguments {
  RowOperands<kAfter, after::Operands> after;
};
using Sink = FinishedRows<ProductToMemory<Out, Index, kRows>, Arguments, Index, kAfter, kRows>;
)";

constexpr const char* kTiledText = R"(
using Kernel = TiledProduct<In, Index, Sink, kBatch, kKContiguousA, kKContiguousB, kPart, kVector>;
extern "C" __global__ void __launch_bounds__(256, 2) rondo_kernel(const Arguments args) {
  __shared__ Pack<Kernel::C, 4> tiles[Kernel::kShared / 4];
  Kernel(args, tiles[0].v).run();
}
)";
constexpr const char* kTensorText = R"(
using Tile = TensorTile<kTileM, kTileN, kWarpsM, kWarpsN, kWarpsK, kDepth, kStages>;
using Kernel = TensorProduct<In, Index, Sink, Tile, kBatch, kKContiguousA, kKContiguousB, kVector>;
extern "C" __global__ void __launch_bounds__(Tile::kThreads) rondo_kernel(const Arguments args) {
  __shared__ Pack<In, 8> tiles[Kernel::kShared / 8];
  Kernel(args, tiles[0].v).run();
}
)";
constexpr const char* kRowsText = R"(
using Kernel = RowsProduct<In, Index, Sink, kBatch, kLines>;
extern "C" __global__ void __launch_bounds__(256, 2) rondo_kernel(const Arguments args) {
  __shared__ f32 shared[Kernel::kShared];
  Kernel(args, shared).run();
}
)";
constexpr const char* kFinishText = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  end_product<In, Index, Sink, kVector>(args);
}
)";

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
  // given: the kernel that makes it; none: the one that is chosen.
  CudaMatmul(const Product& product, std::optional<ProductKernel> given)
      : KernelTask("matmul", product.out.device()),
        product_(product),
        shape_(product_, cuda_device(*this)),
        given_(given) {
    product.declare(*this);
  }
  ~CudaMatmul() override {
    if (own_description_) lt::destroy_description(own_description_);
  }

  Status prepare() override {
    if (!chosen_) RONDO_TRY(choose(true));
    return KernelTask::prepare();
  }
  Status run(const TaskContext& context) override {
    if (!chosen_) RONDO_TRY(choose(!context.capturing));  // chosen already, unless the task came here by another way
    RONDO_TRY(KernelTask::prepare());
    if (plan_) RONDO_TRY(run_library(context));
    if (context.capturing && may_be_early_) {
      const bool a = EarlyReads::may_read(product_.a.storage);
      const bool b = EarlyReads::may_read(product_.b.storage);  // mutation: early_read_of_what_is_written
      early_ = may_be_early_ & ((a ? device::kEarlyA : 0) | (b ? device::kEarlyB : 0));
      std::memcpy(word(offsetof(MatmulArguments, early)), &early_, sizeof early_);
    }
    return KernelTask::run(context);
  }
  std::string remark() const override;
  size_t own_kernels() const override { return plan_ ? 0 : KernelTask::own_kernels(); }
  void list_operands(std::vector<TaskOperand>* list) const override { product_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaMatmul>(memory.moved(product_), given_);
  }
  // True if it is one launch.
  bool takes_all() { return choose(true).ok() && !one_by_one_; }

 private:
  Status choose(bool may_try) {
    ProductKernel kernel = given_.value_or(ProductKernel::any_strides);
    if (product_.as_alone)
      RONDO_TRY(choose_as_alone(may_try, &kernel));
    else if (!given_)
      RONDO_TRY(find_kernel(may_try, &kernel));
    return make_by(kernel);
  }

  class Question final : public ProductQuestion {
   public:
    explicit Question(CudaMatmul& task) : task_(task) {}
    Status takes(ProductKernel kernel, bool* takes) override { return task_.takes(kernel, takes); }
    Status by_rule(ProductKernel* kernel) override { return task_.by_rule(kernel); }

   private:
    CudaMatmul& task_;
  };

  Status find_kernel(bool may_try, ProductKernel* kernel) {
    Question question(*this);
    RONDO_TRY(find_product_choice(cuda_device(*this), product_, may_try, question, &choice_));
    if (!choice_) return by_rule(kernel);
    *kernel = choice_->kernel;
    return {};
  }

  // Finds the kernel that each product of the stack would have, for all of them in one launch.
  RONDO_COLD Status choose_as_alone(bool may_try, ProductKernel* kernel) {
    Product first = product_;
    first.as_alone = false;
    first.batch = {};
    for (View* each : {&first.a, &first.b, &first.out}) each->layout.shape[0] = 1;
    const Ref<CudaMatmul> alone = make_ref<CudaMatmul>(first, given_);
    RONDO_TRY(alone->choose(may_try));
    choice_ = alone->choice_;
    *kernel = alone->kernel_;
    bool all = *kernel != ProductKernel::library_in_two;
    if (all) RONDO_TRY(takes(*kernel, &all));
    one_by_one_ = !all;
    if (one_by_one_) *kernel = shape_.own_by_rule();
    return {};
  }

  RONDO_COLD Status by_rule(ProductKernel* kernel) {
    const int64_t work = product_.batch.elements() * product_.m * product_.n * product_.k;
    bool library = false;
    if (product_.k > 0 && !shape_.own_first()) {
      *kernel = ProductKernel::library;
      if (!product_.after) RONDO_TRY(takes(*kernel, &library));
      if (library) return {};
      *kernel = ProductKernel::library_in_two;
      if (product_.after || work >= kWorthStaging) RONDO_TRY(takes(*kernel, &library));
    }
    if (!library) *kernel = shape_.own_by_rule();
    return {};
  }

  RONDO_COLD Status takes(ProductKernel kernel, bool* takes) {
    const lt::Plan* plan = nullptr;
    const bool in_two = kernel == ProductKernel::library_in_two;
    if (!in_two && kernel != ProductKernel::library) {
      *takes = shape_.takes(kernel);
      return {};
    }
    if (product_.k > 0 && (in_two || !product_.after) && have_cublaslt()) RONDO_TRY(find_plan(in_two, &plan));
    *takes = plan != nullptr;
    return {};
  }

  // Takes a kernel that can make it.
  Status make_by(ProductKernel kernel) {
    const bool in_two = kernel == ProductKernel::library_in_two;
    kernel_ = kernel;
    if (in_two || kernel == ProductKernel::library) {
      RONDO_TRY(find_plan(in_two, &plan_));
      if (!plan_) return error(RONDO_INTERNAL, "cuBLASLt does not take a product any more that it took");
      const int64_t results = product_.batch.elements() * product_.m * product_.n;
      staged_bytes_ =
          in_two ? (static_cast<size_t>(results) * dtype_size(compute_dtype(product_.dtype())) + 255) / 256 * 256 : 0;
      workspace_bytes_ = staged_bytes_ + plan_->workspace_bytes;
      if (product_.has_bias() && !in_two && !own_description_)
        RONDO_TRY(lt::make_description(plan_->problem, &own_description_));
    }
    if (!plan_)
      add_own_kernel(kernel);
    else if (in_two)
      add_finish_kernel();
    chosen_ = true;
    return {};
  }

  // Asks cuBLASLt for the whole product, or `staged` for the bare one into workspace. Null if it has none.
  Status find_plan(bool staged, const lt::Plan** found) {
    lt::Problem problem;
    if (!pose(staged, &problem)) return {};
    const lt::Plan* plan = nullptr;
    if (Status status = lt::find_plan(cuda_device(*this), problem, &plan); !status.ok())
      return status.with_context(kMatmul);
    if (plan->usable) *found = plan;
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
      // With 16 bits, the library may round the sum of the bias and what the output held before it adds the product.
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
      if (inner > INT_MAX || (inner < p.batch.elements() && inner * p.m * p.n * p.k < kWorthACall)) return false;
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
    problem->as_alone = p.as_alone;
    problem->device = device().id().index;
    problem->dtype = p.dtype();
    problem->out_dtype = staged ? compute_dtype(p.dtype()) : p.out.dtype;
    problem->epilogue = p.has_bias() && !staged ? cuda::CUBLASLT_EPILOGUE_BIAS : cuda::CUBLASLT_EPILOGUE_DEFAULT;
    problem->beta = p.out.accumulate && !staged;
    problem->tf32 = p.allow_tf32 && p.dtype() == RONDO_F32;
    return true;
  }

  // The alignment of the matrices that calls start at.
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
      char* out = staged ? staged + i * product_.m * product_.n * out_size
                         : product_.out.address() + batch.offset(2, i) * out_size;
      const Status status = lt::multiply(cuda_device(*this), *plan_, description, swapped_ ? b : a, swapped_ ? a : b,
                                         out, workspace, context.stream);
      if (!status.ok()) return status.with_context(kMatmul);
    }
    return {};
  }

  void add_finish_kernel() {
    const int64_t count = product_.batch.elements() * product_.m * product_.n;
    KernelSpec spec(rtc::kMatmul, product_.after ? kFinishMadeKernel : kFinishKernel,
                    needs_wide(std::max(count, reach())), "matmul_finish");
    const int vector = finish_vector();
    spec.constant("kVector", vector);
    add_kernel_of(spec, kFinishText, vector, blocks_for(count / vector, kThreads), 1, kThreads);
    add_workspace(word(offsetof(MatmulArguments, a)));
  }
  // Neighbours that the finishing kernel moves at once.
  int finish_vector() const {
    const Product& p = product_;
    const auto fits = [&](int64_t vector) {
      bool fits = p.n % vector == 0 && moves_packs(p.out, p.rows.count, p.rows.stride[0], p.out_step[1], vector);
      for (size_t k = 0; p.after && k < p.after->inputs.size() && fits; ++k)
        fits = p.after->step[k] == 0 ||
               moves_packs(p.after->inputs[k], p.after->rows.count, p.after->rows.stride[k], p.after->step[k], vector);
      return fits;
    };
    int vector = 16 / static_cast<int>(dtype_size(compute_dtype(p.dtype())));
    while (vector > 1 && !fits(vector)) vector /= 2;
    return vector;
  }

  void add_own_kernel(ProductKernel kernel) {
    const Product& p = product_;
    MatmulArguments& arguments = arguments_;
    const KernelDims<3> batch(p.batch);
    std::copy_n(batch.size, kMaxDims, arguments.batch.size);
    for (int array = 0; array < 2; ++array) std::copy_n(batch.stride[array], kMaxDims, arguments.batch.stride[array]);
    arguments.k = p.k;
    for (int i = 0; i < 2; ++i) {
      arguments.a_step[i] = p.a_step[i];
      arguments.b_step[i] = p.b_step[i];
    }
    bool a_along_k, b_along_k;
    if (kernel == ProductKernel::any_strides || !shape_.operands_move_16_bytes(&a_along_k, &b_along_k)) {
      a_along_k = std::abs(p.a_step[1]) <= std::abs(p.a_step[0]);
      b_along_k = std::abs(p.b_step[0]) < std::abs(p.b_step[1]);
    }
    const int64_t largest =
        std::max({p.batch.reach(0) + p.m * std::abs(p.a_step[0]) + p.k * std::abs(p.a_step[1]),
                  p.batch.reach(1) + p.k * std::abs(p.b_step[0]) + p.n * std::abs(p.b_step[1]), reach(), p.n, p.k});
    const int64_t layers = std::min(p.batch.elements(), kMaxGridY);
    if (kernel == ProductKernel::few_rows) {
      may_be_early_ = device::kEarlyB;
      KernelSpec spec(rtc::kMatmul, p.after ? kRowsMadeKernel : kRowsKernel, needs_wide(largest), "matmul");
      spec.constant("kBatch", p.batch.count).constant("kLines", shape_.lines_of_rows());
      add_kernel_of(spec, kRowsText, 1, blocks_for(p.n, kColumnsOfRows), layers, kThreads);
    } else if (const Tiling* const tiling = tiling_of(kernel)) {
      const Tiling& of = *tiling;
      may_be_early_ = device::kEarlyA | device::kEarlyB;
      arguments.blocks_n = blocks_for(p.n, of.n);
      KernelSpec spec(rtc::kMatmul, p.after ? kTensorMadeKernel : kTensorKernel, needs_wide(largest), "matmul");
      const int vector = std::min(finish_vector(), 2);
      spec.constant("kBatch", p.batch.count)
          .constant("kTileM", of.m)
          .constant("kTileN", of.n)
          .constant("kWarpsM", of.warps_m)
          .constant("kWarpsN", of.warps_n)
          .constant("kWarpsK", of.warps_k)
          .constant("kDepth", of.depth)
          .constant("kStages", of.stages)
          .constant("kVector", vector);
      spec.constant("kKContiguousA", a_along_k).constant("kKContiguousB", b_along_k);
      add_kernel_of(spec, kTensorText, vector, blocks_for(p.m, of.m) * arguments.blocks_n, layers, of.threads());
    } else {
      // Tiles of 128 x 128 do twice as much with what they load; in shared memory those of f64 have no room.
      const bool large = compute_dtype(p.dtype()) != RONDO_F64 &&
                         blocks_for(p.m, 2 * kTile) * blocks_for(p.n, 2 * kTile) * p.batch.elements() >= kManyBlocks &&
                         std::min(p.m, p.n) > kTile;
      const int64_t tile = large ? 2 * kTile : kTile;
      arguments.blocks_n = blocks_for(p.n, tile);
      KernelSpec spec(rtc::kMatmul, p.after ? kTiledMadeKernel : kTiledKernel, needs_wide(largest), "matmul");
      const int vector = std::min(finish_vector(), 4);
      spec.constant("kBatch", p.batch.count).constant("kPart", tile / 16).constant("kVector", vector);
      spec.constant("kKContiguousA", a_along_k).constant("kKContiguousB", b_along_k);
      add_kernel_of(spec, kTiledText, vector, blocks_for(p.m, tile) * arguments.blocks_n, layers, kThreads);
    }
    add_address(word(offsetof(MatmulArguments, a)), p.a);
    add_address(word(offsetof(MatmulArguments, b)), p.b);
  }

  // The largest of the indices into the result's operands, by rows and columns.
  int64_t reach() const {
    const Product& p = product_;
    int64_t most = std::max(
        {p.rows.reach(0) + p.n * std::abs(p.out_step[1]), p.n * std::abs(p.bias_step), p.batch.elements() * p.m});
    for (size_t k = 0; p.after && k < p.after->inputs.size(); ++k)
      most = std::max(most, p.after->rows.reach(static_cast<int>(k)) + p.n * std::abs(p.after->step[k]));
    return most;
  }

  // The one kernel of this task, whose other arguments are there. vector: results that it writes at once.
  void add_kernel_of(KernelSpec& spec, const char* text, int vector, int64_t blocks, int64_t layers, int threads) {
    const Product& p = product_;
    arguments_.rows = KernelDims<1>(p.rows);
    arguments_.m = p.m;
    arguments_.n = p.n;
    arguments_.batches = p.batch.elements();
    arguments_.out_step = p.out_step[1];
    arguments_.bias_step = p.bias_step;
    arguments_.accumulate = p.out.accumulate;
    spec.type("In", p.dtype()).type("Out", p.out.dtype).constant("kRows", p.rows.count);
    const bool tiles = text == kTensorText, few = text == kRowsText;
    const char* const core = tiles || few ? rtc::kTensorCoreText : "";
    const char* const product = tiles ? rtc::kMatmulTilesText : few ? rtc::kMatmulRowsText : "";
    int kernel;
    if (p.after) {
      words_.resize(sizeof arguments_ / sizeof(uint64_t));
      std::memcpy(words_.data(), &arguments_, sizeof arguments_);
      const size_t inputs = p.after->lay_out(&words_);
      words_.push_back(0);  // a struct without members has a size all the same
      for (size_t k = 0; k < p.after->inputs.size(); ++k) add_address(&words_[inputs + k], p.after->inputs[k]);
      spec.constant("kAfter", static_cast<int>(p.after->arrays()));
      unsigned repeats = 0;
      for (size_t k = 0; k < p.after->inputs.size() && vector > 1; ++k)
        if (p.after->step[k] == 0) repeats |= 1u << k;
      spec.computing("after", p.after->expression, repeats, p.after->expression.inputs() - 1);
      kernel = add_kernel(spec.text({rtc::kRowFinishText, rtc::kMatmulText, core, product, kMadeText, text}));
    } else {
      spec.constant("kActivation", p.activation);
      kernel = add_kernel(spec.text({rtc::kMatmulText, core, product, kStoredText, text}));
    }
    add_launch(kernel, *word(0), blocks, layers, threads);
    if (p.has_bias()) add_address(word(offsetof(MatmulArguments, bias)), p.bias);
    add_address(word(offsetof(MatmulArguments, out)), p.out);
  }
  // The word so many bytes after the beginning of the kernel's arguments.
  char* word(size_t bytes) {
    return (product_.after ? reinterpret_cast<char*>(words_.data()) : reinterpret_cast<char*>(&arguments_)) + bytes;
  }

  const Product product_;
  const ProductShape shape_;
  const std::optional<ProductKernel> given_;
  bool chosen_ = false;
  ProductKernel kernel_ = ProductKernel::any_strides;
  const ProductChoice* choice_ = nullptr;  // null: by rule, or it was given
  int64_t may_be_early_ = 0;               // operands that its kernel reads before it waits if nothing is against it
  int64_t early_ = 0;                      // of these, those that it may, in the graph that it was captured for
  bool one_by_one_ = false;         // of a stack: each alone would be by the library, which does not take all in a call
  const lt::Plan* plan_ = nullptr;  // null: our own kernel does it
  bool swapped_ = false;
  cuda::cublasLtMatmulDesc_t own_description_ = nullptr;  // carries this task's bias pointer
  size_t staged_bytes_ = 0;  // of workspace, for the bare product; 0: the library writes the result
  MatmulArguments arguments_ = {};
  std::vector<uint64_t> words_;  // of an expression: those, and what it takes
};

// Tells who makes the product.
std::string CudaMatmul::remark() const {
  if (!chosen_) return {};
  std::string text = std::string("by ") + text_of(kernel_);
  if (choice_ && !choice_->times.empty() && choice_->kernel == kernel_) text += " (" + choice_->times + ")";
  for (const auto& [operand, name] : {std::pair{device::kEarlyA, "a"}, std::pair{device::kEarlyB, "b"}})
    if (early_ & operand) text += std::string(", may read ") + name + " before it waits";
  return text;
}

}  // namespace

Ref<OperatorTask> make_cuda_matmul(const Product& product) {
  return make_ref<CudaMatmul>(product, std::nullopt);
}

Ref<OperatorTask> make_cuda_matmul_by(const Product& product, ProductKernel kernel) {
  return make_ref<CudaMatmul>(product, kernel);
}

bool is_one_launch(const Product& batch) {
  return make_ref<CudaMatmul>(batch, std::nullopt)->takes_all();
}

}  // namespace rondo::ops
