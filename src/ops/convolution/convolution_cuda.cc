// Computes convolutions on a GPU by own kernels: an implicit matrix product in tiles, the image's part gathered on the
// way; one element per lane, or per block, where a group has few kernels. Sums of a long depth with few tiles are made
// in parts, which are added in order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/views.h"
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

enum ConvolutionKernel : int { kTiledKernel, kDirectKernel, kFinishKernel, kDepthwiseKernel };

constexpr int kBlock = 256;         // threads
constexpr int64_t kTile = 64;       // of the result, per block
constexpr int64_t kFewKernels = 8;  // of a group: a tile would be empty for the most part
constexpr int64_t kMaxGridY = 65535;
constexpr int64_t kMostProducts = 64;     // launches of one convolution
constexpr int64_t kEnoughBlocks = 256;    // to fill a GPU
constexpr int64_t kLeastPartDepth = 256;  // below, adding parts costs more than it gains
constexpr int64_t kMostParts = 64;
constexpr size_t kDepthwiseBytes = 16384;    // of weights that a block keeps
constexpr int64_t kDepthwiseRegisters = 64;  // of a lane, for what one output reads along its axis
constexpr int64_t kDepthwiseReach = 16;      // steps of a lane's outputs
constexpr int64_t kEnoughLanes = 1 << 16;
constexpr int kSideBySide = 4;  // lanes of neighbouring groups, for memory's sake

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
          put_sum<In, kActivation>(args, sum[i][j], group, row, at);
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
  if (each < count && (kLanes == 1 || t == 0)) put_sum<In, kActivation>(args, sum, group, row, at);
}
)";

// One channel and one kernel a group. A lane has kOutputs neighbours along axis kAlong of kVector groups, and keeps the
// image that they read in registers. Lanes side by side have neighbouring groups, kLanes of them, whose weights a block
// keeps as [tap][group]. Follows definitions of In and of these, of kThreads, of the taps, steps and tap steps of each
// axis, and of the steps that follow the sum.
constexpr const char* kDepthwiseText = R"(
using C = Register<In>;
RONDO_INLINE constexpr int of_axis(int d, int first, int second, int third) {
  return d == 0 ? first : d == 1 ? second : third;
}
extern "C" __global__ void __launch_bounds__(kThreads) rondo_kernel(const ProductArguments args) {
  constexpr int kTaps = kTaps0 * kTaps1 * kTaps2, kChunk = kLanes * kVector, kLines = kThreads / kLanes;
  constexpr int kOther = kAlong == 2 ? 1 : 2;  // the axis besides this one and the first
  constexpr int kTapsAlong = of_axis(kAlong, kTaps0, kTaps1, kTaps2), kTapsOther = of_axis(kOther, kTaps0, kTaps1, kTaps2);
  constexpr int kStep = of_axis(kAlong, kStep0, kStep1, kStep2), kTapStep = of_axis(kAlong, kTapStep0, kTapStep1, kTapStep2);
  constexpr int kLow = kTapStep < 0 ? (kTapsAlong - 1) * kTapStep : 0;
  constexpr int kReach = (kOutputs - 1) * kStep + (kTapsAlong - 1) * (kTapStep < 0 ? -kTapStep : kTapStep) + 1;
  alignas(16) __shared__ C weights[kTaps * kChunk];
  const int t = threadIdx.x, lane = t % kLanes, line = t / kLanes;
  const Index groups = static_cast<Index>(args.groups), chunks = (groups + kChunk - 1) / kChunk;
  const Index block = static_cast<Index>(blockIdx.x), chunk = block % chunks;
  for (int i = t; i < kTaps * kChunk; i += kThreads) {
    const int own = i / kTaps, tap = i % kTaps;
    const Index of = chunk * kChunk + own;
    const Index at = of * static_cast<Index>(args.a_group) + tap / (kTaps1 * kTaps2) * static_cast<Index>(args.axis[0].a_tap) +
                     tap / kTaps2 % kTaps1 * static_cast<Index>(args.axis[1].a_tap) + tap % kTaps2 * static_cast<Index>(args.axis[2].a_tap);
    weights[tap * kChunk + own] = of < groups ? from_memory(static_cast<const In*>(args.a)[at]) : C(0);
  }
  __syncthreads();
  const Index group = chunk * kChunk + lane * kVector;
  Index place[kProductAxes], entry = block / chunks * kLines + line;
#pragma unroll
  for (int d = kProductAxes - 1; d >= 0; --d) {
    const Index places = static_cast<Index>(args.axis[d].places);
    const Index size = d == kAlong ? (places + kOutputs - 1) / kOutputs : places, rest = entry / size;
    place[d] = entry - rest * size;
    entry = rest;
  }
  if (group >= groups || entry >= static_cast<Index>(args.batch)) return;
  const Index first = place[kAlong] * kOutputs;
  const Index from = first * kStep + static_cast<Index>(args.axis[kAlong].start) + kLow;
  const In* b = static_cast<const In*>(args.b) + entry * static_cast<Index>(args.b_batch) + group * static_cast<Index>(args.b_group);
  C sum[kOutputs][kVector];
#pragma unroll
  for (int i = 0; i < kOutputs; ++i)
#pragma unroll
    for (int v = 0; v < kVector; ++v) sum[i][v] = C(0);
#pragma unroll
  for (int r0 = 0; r0 < kTaps0; ++r0) {
    const Index x0 = place[0] * kStep0 + r0 * kTapStep0 + static_cast<Index>(args.axis[0].start);
#pragma unroll
    for (int other = 0; other < kTapsOther; ++other) {
      const Index x1 = place[kOther] * of_axis(kOther, kStep0, kStep1, kStep2) + other * of_axis(kOther, kTapStep0, kTapStep1, kTapStep2) +
                       static_cast<Index>(args.axis[kOther].start);
      const bool inside = x0 >= 0 && x0 < static_cast<Index>(args.axis[0].extent) && x1 >= 0 && x1 < static_cast<Index>(args.axis[kOther].extent);
      const In* row = b + x0 * static_cast<Index>(args.axis[0].b_step) + x1 * static_cast<Index>(args.axis[kOther].b_step);
      C x[kReach][kVector];
#pragma unroll
      for (int j = 0; j < kReach; ++j) {
        const Index at = from + j;
        Pack<In, kVector> pack = {};
        if (inside && at >= 0 && at < static_cast<Index>(args.axis[kAlong].extent))
          pack = load_pack<In, kVector>(row + at * static_cast<Index>(args.axis[kAlong].b_step));
#pragma unroll
        for (int v = 0; v < kVector; ++v) x[j][v] = from_memory(pack.v[v]);
      }
#pragma unroll
      for (int r = 0; r < kTapsAlong; ++r) {
        const int tap = (r0 * kTaps1 + (kAlong == 2 ? other : r)) * kTaps2 + (kAlong == 2 ? r : other);
        const auto weight = load_pack<C, kVector>(weights + (tap * kChunk + lane * kVector));
#pragma unroll
        for (int v = 0; v < kVector; ++v)
#pragma unroll
          for (int i = 0; i < kOutputs; ++i)
            sum[i][v] = multiply_add(weight.v[v], x[i * kStep + r * kTapStep - kLow][v], sum[i][v]);
      }
    }
  }
  C scale[kVector], bias[kVector];
#pragma unroll
  for (int v = 0; v < kVector; ++v) {
    if (kScale) scale[v] = from_memory(static_cast<const In*>(args.scale)[(group + v) * static_cast<Index>(args.scale_step)]);
    if (kBias) bias[v] = from_memory(static_cast<const In*>(args.bias)[(group + v) * static_cast<Index>(args.bias_step)]);
  }
#pragma unroll
  for (int i = 0; i < kOutputs; ++i) {
    place[kAlong] = first + i;
    if (place[kAlong] >= static_cast<Index>(args.axis[kAlong].places)) return;
    Index out = group * static_cast<Index>(args.out_group) + entry * static_cast<Index>(args.out_batch);
    Index residual = group * static_cast<Index>(args.residual_group) + entry * static_cast<Index>(args.residual_batch);
#pragma unroll
    for (int d = 0; d < kProductAxes; ++d) {
      out += place[d] * static_cast<Index>(args.axis[d].out_step);
      residual += place[d] * static_cast<Index>(args.axis[d].residual_step);
    }
    Pack<In, kVector> pack = {};
    if (kAccumulates) pack = load_pack<In, kVector>(static_cast<const In*>(args.out) + out);
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      C value = sum[i][v];
      if (kScale) value = value * scale[v];
      if (kBias) value = value + bias[v];
      if (kResidual)
        value = value + from_memory(static_cast<const In*>(args.residual)[residual + v * static_cast<Index>(args.residual_group)]);
      put(&pack.v[v], activated(kActivation, value), kAccumulates);
    }
    store_pack<In, kVector>(static_cast<In*>(args.out) + out, pack);
  }
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
  put_sum<In, kActivation>(args, sum, group, row, at);
}
)";

// How lanes share a product with one channel and one kernel a group; vector 0: it is another one.
struct DepthwiseLanes {
  int vector, outputs, along, lanes, threads;
  int64_t blocks;
};

// One product, and how the kernels share it.
struct ProductPlan {
  ConvolutionProduct product;
  bool direct = false;
  int lanes = 1;
  DepthwiseLanes depthwise = {};

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

// True if everything that the product reads and writes of `vector` neighbouring groups may be moved at once.
bool moves_groups(const Convolution& problem, const ConvolutionProduct& product, int64_t vector) {
  const device::ProductArguments& p = product.arguments;
  const View& image = problem.way == ConvolutionWay::data ? problem.result : problem.image;
  const auto bytes = vector * static_cast<int64_t>(dtype_size(problem.dtype()));
  bool fits = bytes <= 16 && p.groups % vector == 0 && p.b_group == 1 && p.out_group == 1 && p.b_batch % vector == 0 &&
              p.out_batch % vector == 0 && product.out_offset % vector == 0 && alignment_of(image, bytes) == bytes &&
              alignment_of(problem.out(), bytes) == bytes;
  for (const device::ProductAxis& axis : p.axis) fits &= axis.b_step % vector == 0 && axis.out_step % vector == 0;
  return fits;
}

DepthwiseLanes plan_depthwise(const Convolution& problem, const ConvolutionProduct& product) {
  const device::ProductArguments& p = product.arguments;
  const bool inner = std::abs(p.b_group) < std::abs(p.axis[device::kProductAxes - 1].b_step);
  DepthwiseLanes plan = {1, 4, inner || p.axis[1].places == 1 ? 2 : 1, 1, kBlock, 0};
  if (inner) {
    plan.threads = kBlock / 2;
    const device::ProductAxis& row = p.axis[plan.along];
    const int64_t reach = (row.taps - 1) * std::abs(row.tap_step) + 1;
    for (int vector = 4; vector > 1 && plan.vector == 1; vector /= 2)
      if (reach * vector <= kDepthwiseRegisters && moves_groups(problem, product, vector)) plan.vector = vector;
    const auto most = static_cast<int64_t>(kDepthwiseBytes / (p.depth * dtype_size(compute_dtype(problem.dtype()))));
    int64_t fewest = INT64_MAX;  // lanes, those without a group too
    for (int lanes = 1; lanes <= 32 && (lanes == 1 || lanes * plan.vector <= most); lanes *= 2) {
      const int64_t all = (p.groups / plan.vector + lanes - 1) / lanes * lanes;
      if ((lanes <= kSideBySide && lanes / 2 < p.groups / plan.vector) || all <= fewest + fewest / 8)
        plan.lanes = lanes, fewest = all;
    }
  }
  const device::ProductAxis& along = p.axis[plan.along];
  const int64_t others = p.batch * p.places / along.places, lines_of = p.groups / plan.vector * others;
  while (plan.outputs > 1 && (plan.outputs > along.places || plan.outputs * along.step > kDepthwiseReach ||
                              lines_of * along.places / plan.outputs < kEnoughLanes))
    plan.outputs /= 2;
  const int64_t lines = others * ((along.places + plan.outputs - 1) / plan.outputs);
  if (!inner) plan.threads = power_of_two_up_to(std::max<int64_t>(lines, 32), kBlock);
  const int64_t chunks = (p.groups + plan.lanes * plan.vector - 1) / (plan.lanes * plan.vector);
  plan.blocks = chunks * blocks_for(lines, plan.threads / plan.lanes);
  return plan;
}

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

// The problem without what follows its sum, if a library could not begin that and a kernel can do all of it without
// another rounding.
Convolution asked_of_library(const Convolution& problem) {
  Convolution asked = problem;
  if (problem.scale.storage && problem.dtype() == RONDO_F32 && problem.way == ConvolutionWay::forward &&
      !problem.out().accumulate) {
    asked.scale = asked.bias = asked.residual = {};
    asked.activation = RONDO_ACTIVATION_NONE;
  }
  return asked;
}

class CudaConvolution final : public KernelTask {
 public:
  explicit CudaConvolution(const Convolution& problem)
      : KernelTask(problem.name(), problem.out().device()), problem_(problem), asked_(asked_of_library(problem)) {
    problem.declare(*this);
  }

  Status prepare() override {
    if (!chosen_) RONDO_TRY(choose());
    return KernelTask::prepare();
  }
  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // chosen already, unless the task came here by another way
    if (library_) RONDO_TRY(library_->run(asked_, context).with_context(name()));
    if (ending_) RONDO_TRY(ending_->run(context));
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
    RONDO_TRY(find_cudnn_plan(cuda_device(*this), asked_, &library_));
    if (library_) {
      workspace_bytes_ = library_->workspace_bytes();
      const bool whole = problem_.scale.storage && !asked_.scale.storage;
      if (whole || library_->leaves_activation()) RONDO_TRY(prepare_ending(whole));
    } else {
      add_products();
    }
    chosen_ = true;
    return {};
  }

  // Adds what follows the sum after a library's kernel, in place: all of it, or the activation.
  Status prepare_ending(bool whole) {
    const View& result = problem_.result;
    const rondo_dtype computed = compute_dtype(result.dtype);
    Expression e;
    Value sum = e.input(result.dtype);
    SmallVector<const View*, 5> views;
    views.push_back(&result);
    View scale = problem_.scale, bias = problem_.bias;
    for (const auto& [operand, op] : {std::pair(&scale, Op::mul), std::pair(&bias, Op::add)}) {
      if (!whole || !operand->storage) continue;
      // A number for each channel, which is dimension 1.
      int64_t shape[kMaxDims] = {operand->layout.shape[0], 1, 1, 1};
      RONDO_TRY(reshape_view(View(*operand), problem_.spatial + 1, shape, operand));
      sum = e.apply(op, sum, e.input(result.dtype));
      views.push_back(operand);
    }
    if (whole && problem_.residual.storage) {
      sum = e.apply(Op::add, sum, e.input(result.dtype));
      views.push_back(&problem_.residual);
    }
    uint64_t words[2] = {};
    const char* name = "scale";
    if (problem_.activation != RONDO_ACTIVATION_NONE) {
      const ActivationOperator& is = operator_of(problem_.activation);
      Value parameter[2] = {};
      for (int i = 0; i < is.parameters; ++i) {
        parameter[i] = e.scalar(computed);
        words[i] = float_word(computed, is.parameter[i]);
      }
      sum = e.apply(is.op, sum, parameter[0], parameter[1]);
      name = is.name;
    }
    e.output(sum, result.dtype, false);
    views.push_back(&result);
    ending_ = make_ref<ElementwiseTask>(name, device(), e, result.layout, views.begin(), words);
    ending_->leave_accesses();
    return ending_->prepare();
  }

  void add_products() {
    for (const ConvolutionProduct& product : convolution_products(problem_, kMostProducts)) {
      products_.push_back(plan_product(product));
      if (is_depthwise(problem_)) products_.back().depthwise = plan_depthwise(problem_, product);
    }
    for (ProductPlan& plan : products_) {
      device::ProductArguments& p = plan.product.arguments;
      const int64_t elements = plan.elements();
      workspace_bytes_ = std::max(workspace_bytes_, plan.staged_bytes(problem_.dtype()));
      plan.product.place(problem_,
                         [this](auto& word, const View& view, int64_t bytes) { add_address(&word, view, bytes); });
      if (p.parts > 1) add_workspace(&p.staged);
      if (plan.depthwise.vector)
        add_launch(depthwise_kernel(plan), p, plan.depthwise.blocks, 1, plan.depthwise.threads);
      else if (plan.direct)
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
    spec.constant("kDivides", plan.divides()).constant("kActivation", p.parts > 1 ? 0 : problem_.activation);
    return add_kernel(spec.text({rtc::kConvolutionText, kTiledText}));
  }

  int direct_kernel(const ProductPlan& plan) {
    const device::ProductArguments& p = plan.arguments();
    KernelSpec spec(rtc::kConvolution, kDirectKernel, plan.wide(), "convolution_direct");
    spec.type("In", problem_.dtype()).constant("kLanes", plan.lanes);
    spec.constant("kGroupsInner", std::abs(p.b_group) < std::abs(p.axis[device::kProductAxes - 1].b_step));
    spec.constant("kDivides", plan.divides()).constant("kActivation", problem_.activation);
    return add_kernel(spec.text({rtc::kConvolutionText, kDirectText}));
  }

  int depthwise_kernel(const ProductPlan& plan) {
    const device::ProductArguments& p = plan.arguments();
    const DepthwiseLanes& lanes = plan.depthwise;
    KernelSpec spec(rtc::kConvolution, kDepthwiseKernel, plan.wide(), "convolution_depthwise");
    static constexpr const char* const names[device::kProductAxes][3] = {
        {"kTaps0", "kStep0", "kTapStep0"}, {"kTaps1", "kStep1", "kTapStep1"}, {"kTaps2", "kStep2", "kTapStep2"}};
    spec.type("In", problem_.dtype());
    for (int d = 0; d < device::kProductAxes; ++d) {
      spec.constant(names[d][0], static_cast<int>(p.axis[d].taps))
          .constant(names[d][1], static_cast<int>(p.axis[d].step));
      spec.constant(names[d][2], p.axis[d].taps > 1 ? static_cast<int>(p.axis[d].tap_step) : 1);
    }
    spec.constant("kVector", lanes.vector).constant("kOutputs", lanes.outputs).constant("kAlong", lanes.along);
    spec.constant("kLanes", lanes.lanes).constant("kThreads", lanes.threads);
    spec.constant("kScale", problem_.scale.storage != nullptr).constant("kBias", problem_.bias.storage != nullptr);
    spec.constant("kResidual", problem_.residual.storage != nullptr).constant("kActivation", problem_.activation);
    spec.constant("kAccumulates", p.accumulate);
    return add_kernel(spec.text({rtc::kConvolutionText, kDepthwiseText}));
  }

  // Adds the kernel that joins the parts of a depth that is cut.
  int finish_kernel(const ProductPlan& plan) {
    KernelSpec spec(rtc::kConvolution, kFinishKernel, plan.wide(), "convolution_finish");
    spec.type("In", problem_.dtype()).constant("kActivation", problem_.activation);
    return add_kernel(spec.text({rtc::kConvolutionText, kFinishText}));
  }

  const Convolution problem_, asked_;
  bool chosen_ = false;
  std::unique_ptr<ConvolutionPlan> library_;  // cuDNN's way of what it is asked for; null: our own kernels
  Ref<OperatorTask> ending_;                  // what the library leaves
  std::vector<ProductPlan> products_;
};

}  // namespace

Ref<OperatorTask> make_cuda_convolution(const Convolution& problem) {
  return make_ref<CudaConvolution>(problem);
}

}  // namespace rondo::ops
