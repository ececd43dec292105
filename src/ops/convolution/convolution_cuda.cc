// Computes convolutions on a GPU by own kernels: an implicit matrix product in tiles, the image's part gathered on the
// way; one element per lane, or per block, where a group has few kernels. Sums of a long depth with few tiles are made
// in parts, which are added in order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "ops/convolution/convolution_cudnn.h"
#include "ops/convolution/convolution_products.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/activation.h"
#include "ops/operators/scalar.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "ops/task/submit.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

enum ConvolutionKernel : int { kTiledKernel, kDirectKernel, kFinishKernel };

constexpr int kBlock = 256;         // threads
constexpr int64_t kTile = 64;       // of the result, per block
constexpr int64_t kFewKernels = 8;  // of a group: a tile would be empty for the most part
constexpr int64_t kMaxGridY = 65535;
constexpr int64_t kMostProducts = 64;     // launches of one convolution
constexpr int64_t kEnoughBlocks = 256;    // to fill a GPU
constexpr int64_t kLeastPartDepth = 256;  // below, adding parts costs more than it gains
constexpr int64_t kMostParts = 64;

// Each thread has a 4 x 4 part of a 64 x 64 tile; depth in steps of 16 through shared memory. Follows definitions of
// In, kChannelsInner (channels are the inner part of depth), kAlongA and kAlongB (neighbouring lanes read along the
// depth), kDivides.
constexpr const char* kTiledText = R"(
using C = Register<In>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const ProductArguments args) {
  constexpr int kTile = 64, kDepth = 16, kRow = kTile + 1, kColumns = kAlongB ? 4 : 1;
  __shared__ C tile_a[kDepth * kRow];
  __shared__ C tile_b[kDepth * kRow];
  __shared__ ProductDepth<Index> depths[kDepth];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  const Index m = static_cast<Index>(args.m), columns = static_cast<Index>(args.columns);
  const Index blocks_n = (columns + kTile - 1) / kTile, block = static_cast<Index>(blockIdx.x);
  const Index i0 = block / blocks_n * kTile, j0 = block % blocks_n * kTile;
  // Where this thread loads: lines (m or columns) line + q * 16 at one depth, or one line at depths depth + q * 4.
  const int line_a = kAlongA ? t / 16 : t % 64, depth_a = kAlongA ? t % 16 : t / 64;
  const int line_b = kAlongB ? t / 16 : t % 64, depth_b = kAlongB ? t % 16 : t / 64;
  ProductColumn<Index> column[kColumns];
#pragma unroll
  for (int q = 0; q < kColumns; ++q) column[q] = column_at(args, static_cast<Index>(j0 + line_b + 16 * q));

  const i64 layers = args.groups * args.parts;
  for (i64 layer = blockIdx.y; layer < layers; layer += gridDim.y) {
    const Index group = static_cast<Index>(layer / args.parts);
    const i64 part = layer % args.parts;
    const In* a = static_cast<const In*>(args.a) + group * static_cast<Index>(args.a_group);
    const In* b = static_cast<const In*>(args.b) + group * static_cast<Index>(args.b_group);
    const Index first = static_cast<Index>(part * args.part_depth);
    const Index end = static_cast<Index>(first + args.part_depth < args.depth ? first + args.part_depth : args.depth);
    C sum[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] = C(0);
    for (Index l0 = first; l0 < end; l0 += kDepth) {
      if (t < kDepth) depths[t] = depth_at<kChannelsInner != 0>(args, static_cast<Index>(l0 + t), end);
      __syncthreads();
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int line = line_a + (kAlongA ? 16 * q : 0), depth = depth_a + (kAlongA ? 0 : 4 * q);
        const Index i = i0 + line;
        tile_a[depth * kRow + line] = i < m && depths[depth].used
            ? from_memory(a[i * static_cast<Index>(args.a_m) + depths[depth].a]) : C(0);
      }
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int line = line_b + (kAlongB ? 16 * q : 0), depth = depth_b + (kAlongB ? 0 : 4 * q);
        tile_b[depth * kRow + line] = gathered<In, kDivides != 0>(args, b, column[kAlongB ? q : 0], depths[depth]);
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
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const Index at = j0 + x + 16 * j;
      if (at >= columns) continue;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const Index row = i0 + y + 16 * i;
        if (row >= m) continue;
        if (args.staged)
          *staged_at<C>(args, part, group, row, at) = sum[i][j];
        else
          put_sum<In, Index>(args, sum[i][j], group, row, at);
      }
    }
    __syncthreads();
  }
}
)";

// One element by a lane, or by all of a block. Follows definitions of In, kLanes, kGroupsInner (neighbouring lanes are
// of neighbouring groups), kDivides.
constexpr const char* kDirectText = R"(
using C = Register<In>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const ProductArguments args) {
  __shared__ C sums[kLanes];
  const int t = threadIdx.x;
  const Index m = static_cast<Index>(args.m), columns = static_cast<Index>(args.columns);
  const Index groups = static_cast<Index>(args.groups), depth = static_cast<Index>(args.depth);
  const i64 count = args.groups * args.m * args.columns;
  const i64 each = kLanes == 1 ? static_cast<i64>(blockIdx.x) * 256 + t : static_cast<i64>(blockIdx.x);
  Index group = 0, row = 0, at = 0;
  if (each < count) {
    Index rest = static_cast<Index>(each);
    if (kGroupsInner) {
      at = rest / groups;
      group = rest - at * groups;
      rest = at;
      at = rest / m;
      row = rest - at * m;
    } else {
      row = rest / columns;
      at = rest - row * columns;
      rest = row;
      group = rest / m;
      row = rest - group * m;
    }
  }
  const In* a = static_cast<const In*>(args.a) + group * static_cast<Index>(args.a_group) + row * static_cast<Index>(args.a_m);
  const In* b = static_cast<const In*>(args.b) + group * static_cast<Index>(args.b_group);
  C sum = C(0);
  if (each < count) {
    const ProductColumn<Index> column = column_at(args, at);
    for (Index l = kLanes == 1 ? 0 : t; l < depth; l += kLanes) {
      const ProductDepth<Index> here = depth_at<false>(args, l, depth);
      sum = multiply_add(from_memory(a[here.a]), gathered<In, kDivides != 0>(args, b, column, here), sum);
    }
  }
  if (kLanes > 1) {
    sums[t] = sum;
    for (int half = kLanes / 2; half > 0; half /= 2) {
      __syncthreads();
      if (t < half) sums[t] = sums[t] + sums[t + half];
    }
    sum = sums[0];
  }
  if (each < count && (kLanes == 1 || t == 0)) put_sum<In, Index>(args, sum, group, row, at);
}
)";

// Adds the parts of sums and ends. Follows a definition of In.
constexpr const char* kFinishText = R"(
using C = Register<In>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const ProductArguments args) {
  const i64 each = static_cast<i64>(blockIdx.x) * 256 + static_cast<i64>(threadIdx.x);
  if (each >= args.groups * args.m * args.columns) return;
  const Index columns = static_cast<Index>(args.columns), m = static_cast<Index>(args.m);
  const Index rest = static_cast<Index>(each) / columns, at = static_cast<Index>(each) - rest * columns;
  const Index group = rest / m, row = rest - group * m;
  C sum = C(0);
  for (i64 part = 0; part < args.parts; ++part) sum = sum + *staged_at<C>(args, part, group, row, at);
  put_sum<In, Index>(args, sum, group, row, at);
}
)";

// One product, and how the kernels share it.
struct ProductPlan {
  ConvolutionProduct product;
  bool direct = false;
  int lanes = 1;

  const device::ProductArguments& arguments() const { return product.arguments; }
  int64_t elements() const { return arguments().groups * arguments().m * arguments().columns; }
  int64_t tiles() const { return int64_t{blocks_for(arguments().m, kTile)} * blocks_for(arguments().columns, kTile); }
  size_t staged_bytes(rondo_dtype dtype) const {
    if (arguments().parts == 1) return 0;
    return static_cast<size_t>(arguments().parts * elements()) * dtype_size(compute_dtype(dtype));
  }
  bool wide() const { return needs_wide(std::max(product.reach(), elements())); }
  bool divides() const {
    return std::any_of(arguments().axis, arguments().axis + device::kProductAxes,
                       [](const device::ProductAxis& axis) { return axis.divide != 1; });
  }
};

ProductPlan plan_product(const ConvolutionProduct& product) {
  ProductPlan plan{product};
  device::ProductArguments& p = plan.product.arguments;
  plan.direct = p.m <= kFewKernels;
  if (plan.direct) {
    plan.lanes = p.depth >= kBlock && plan.elements() < kEnoughBlocks * kBlock ? kBlock : 1;
    return plan;
  }
  const int64_t blocks = plan.tiles() * p.groups;
  const int64_t parts = std::min({kEnoughBlocks / blocks, int64_t{p.depth} / kLeastPartDepth, kMostParts});
  if (parts < 2) return plan;
  p.part_depth = (p.depth / parts + 15) / 16 * 16;
  p.parts = (p.depth + p.part_depth - 1) / p.part_depth;
  return plan;
}

class CudaConvolution final : public KernelTask {
 public:
  explicit CudaConvolution(const Convolution& problem)
      : KernelTask(problem.name(), problem.out().device()), problem_(problem) {
    problem.declare(*this);
  }

  Status prepare() override {
    if (!chosen_) RONDO_TRY(choose());
    return KernelTask::prepare();
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // chosen already, unless the task came here by another way
    if (library_) RONDO_TRY(library_->run(problem_, context).with_context(name()));
    if (activation_) RONDO_TRY(activation_->run(context));
    return KernelTask::run(context);
  }
  size_t own_kernels() const override { return library_ ? 0 : KernelTask::own_kernels(); }
  bool capturable(const char** why) const override { return !library_ || library_->capturable(why); }
  std::string remark() const override { return library_ ? library_->remark() : std::string(); }
  void list_operands(std::vector<TaskOperand>* list) const override { problem_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<CudaConvolution>(memory.moved(problem_));
  }

 private:
  // A library, or our own kernels.
  Status choose() {
    RONDO_TRY(find_cudnn_plan(cuda_device(*this), problem_, &library_));
    if (library_) {
      workspace_bytes_ = library_->workspace_bytes();
      if (library_->leaves_activation()) RONDO_TRY(prepare_activation());
    } else {
      add_products();
    }
    chosen_ = true;
    return {};
  }

  // Adds the activation after a library's kernel, in place.
  Status prepare_activation() {
    const View& result = problem_.result;
    const ActivationOperator& is = operator_of(problem_.activation);
    const rondo_dtype computed = compute_dtype(result.dtype);
    Expression e;
    const Value sum = e.input(result.dtype);
    Value parameter[2] = {};
    uint64_t words[2] = {};
    for (int i = 0; i < is.parameters; ++i) {
      parameter[i] = e.scalar(computed);
      words[i] = float_word(computed, is.parameter[i]);
    }
    e.output(e.apply(is.op, sum, parameter[0], parameter[1]), result.dtype, false);
    const View* views[] = {&result, &result};
    activation_ = make_ref<ElementwiseTask>(is.name, device(), e, result.layout, views, words);
    activation_->leave_accesses();
    return activation_->prepare();
  }

  void add_products() {
    for (const ConvolutionProduct& product : convolution_products(problem_, kMostProducts))
      products_.push_back(plan_product(product));
    for (ProductPlan& plan : products_) {
      device::ProductArguments& p = plan.product.arguments;
      const int64_t elements = plan.elements();
      workspace_bytes_ = std::max(workspace_bytes_, plan.staged_bytes(problem_.dtype()));
      plan.product.place(problem_,
                         [this](auto& word, const View& view, int64_t bytes) { add_address(&word, view, bytes); });
      if (p.parts > 1) add_workspace(&p.staged);
      if (plan.direct)
        add_launch(direct_kernel(plan), p, plan.lanes == 1 ? int64_t{blocks_for(elements, kThreads)} : elements);
      else
        add_launch(tiled_kernel(plan), p, plan.tiles(), std::min<int64_t>(p.groups * p.parts, kMaxGridY));
      if (p.parts > 1) add_launch(finish_kernel(plan), p, blocks_for(elements, kThreads));
    }
  }

  int tiled_kernel(const ProductPlan& plan) {
    const device::ProductArguments& p = plan.arguments();
    const device::ProductAxis& inner = p.axis[device::kProductAxes - 1];
    // Which way memory runs: through channels, or through places and taps of the innermost axis.
    const int64_t through_channels = p.channels > 1 ? std::abs(p.b_channel) : INT64_MAX;
    const int64_t through_places = p.places > 1 ? std::abs(inner.step * inner.b_step) : std::abs(p.b_batch);
    const int64_t through_taps = inner.taps > 1 ? std::abs(inner.tap_step * inner.b_step) : INT64_MAX;
    const bool channels_inner = through_channels < through_taps;
    const int64_t through_a = std::min(p.channels > 1 ? std::abs(p.a_channel) : INT64_MAX,
                                       inner.taps > 1 ? std::abs(inner.a_tap) : INT64_MAX);
    KernelSpec spec(rtc::kConvolution, kTiledKernel, plan.wide(), "convolution");
    spec.type("In", problem_.dtype()).constant("kChannelsInner", channels_inner);
    spec.constant("kAlongA", through_a <= std::abs(p.a_m));
    spec.constant("kAlongB", std::min(through_channels, through_taps) < through_places);
    spec.constant("kDivides", plan.divides());
    return add_kernel(spec.text({rtc::kConvolutionText, kTiledText}));
  }

  int direct_kernel(const ProductPlan& plan) {
    const device::ProductArguments& p = plan.arguments();
    KernelSpec spec(rtc::kConvolution, kDirectKernel, plan.wide(), "convolution_direct");
    spec.type("In", problem_.dtype()).constant("kLanes", plan.lanes);
    spec.constant("kGroupsInner", std::abs(p.b_group) < std::abs(p.axis[device::kProductAxes - 1].b_step));
    spec.constant("kDivides", plan.divides());
    return add_kernel(spec.text({rtc::kConvolutionText, kDirectText}));
  }

  // Adds the kernel that joins the parts of a depth that is cut.
  int finish_kernel(const ProductPlan& plan) {
    KernelSpec spec(rtc::kConvolution, kFinishKernel, plan.wide(), "convolution_finish");
    spec.type("In", problem_.dtype());
    return add_kernel(spec.text({rtc::kConvolutionText, kFinishText}));
  }

  const Convolution problem_;
  bool chosen_ = false;
  std::unique_ptr<ConvolutionPlan> library_;  // cuDNN's way; null: our own kernels
  Ref<OperatorTask> activation_;              // where the library leaves it
  std::vector<ProductPlan> products_;
};

}  // namespace

Ref<OperatorTask> make_cuda_convolution(const Convolution& problem) {
  return make_ref<CudaConvolution>(problem);
}

}  // namespace rondo::ops
