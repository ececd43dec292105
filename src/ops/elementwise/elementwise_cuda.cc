// Plans and launches elementwise kernels: how many neighbours a lane takes, which operands go through tiles, and the
// arguments.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <climits>

#include "ops/elementwise/elementwise_task.h"
#include "ops/task/cuda_kernel.h"
#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

constexpr unsigned kThreads = kElementwiseThreads;
constexpr uint64_t kMostBlocks = INT_MAX;
// The least size of the other dimension of a tile's matrix, so that tiles are worth while.
constexpr int64_t kLeastTransposed = 32;
// The bytes of tiles in shared memory, which every device has for a block.
constexpr int64_t kTileBytes = 48 << 10;
// The limits of a kernel's argument: operands, scalars, random numbers; sizes twice, then the divisor of each inner
// dimension and the strides of each operand, twice where tiles are.
constexpr int kMostOperands = Expression::kMaxInputs + Expression::kMaxOutputs;
constexpr int kMostWords = kMostOperands + Expression::kMaxScalars + 2 + Expression::kMaxGenerators + 4 +
                           2 * (kMaxDims - 1) + kMostOperands * (kMaxDims + 2);

// The widest operand's size.
int64_t widest(const Expression& expression) {
  int64_t size = 1;
  for (int k = 0; k < expression.operands(); ++k)
    size = std::max(size, static_cast<int64_t>(dtype_size(expression.operand_dtype(k))));
  return size;
}

// The widest vector that keeps every access aligned: each thread moves up to 16 bytes of the widest operand. A power of
// two.
uint8_t vector_width(const Expression& expression, const Space& space, const View* const* views) {
  int64_t width = 16;
  for (int k = 0; k < expression.operands(); ++k)
    while (width * static_cast<int64_t>(dtype_size(expression.operand_dtype(k))) > 16) width >>= 1;
  const int inner = space.ndim - 1;
  for (int k = 0; k < expression.operands(); ++k) {
    const int64_t* strides = space.strides(k);
    if (strides[inner] == 0) continue;
    if (strides[inner] != 1) return 1;
    // The pool's blocks are 256-aligned; memory from elsewhere is what it is.
    const auto size = static_cast<int64_t>(dtype_size(expression.operand_dtype(k)));
    const int64_t address = misalignment(*views[k]);
    while (width > 1 && (address & (width * size - 1)) != 0) width >>= 1;
    for (int d = 0; d < inner; ++d)
      while (width > 1 && (strides[d] & (width - 1)) != 0) width >>= 1;
  }
  if (!space.flat)
    while (width > 1 && (space.size(inner) & (width - 1)) != 0) width >>= 1;
  return static_cast<uint8_t>(width);
}

// Operands that are dense along dimension d and not along the innermost one.
uint32_t transposed_along(const Space& space, int inputs, int d) {
  uint32_t transposed = 0;
  for (int k = 0; k < inputs; ++k) {
    const int64_t inner = space.strides(k)[space.ndim - 1];
    if (inner != 0 && inner != 1 && space.strides(k)[d] == 1) transposed |= 1U << k;
  }
  return transposed;
}

// Finds operands to take through tiles, and moves the dimension along which they are dense next to the innermost one.
void turn(const Expression& expression, Space* space) {
  const int inner = space->ndim - 1;
  if (space->flat || space->ndim < 2 || expression.generators() > 0 || space->size(inner) < kLeastTransposed) return;
  for (int k = expression.inputs(); k < expression.operands(); ++k)
    if (space->strides(k)[inner] != 1) return;
  int chosen = -1;
  for (int d = inner - 1; d >= 0; --d) {
    const uint32_t transposed =
        space->size(d) < kLeastTransposed ? 0 : transposed_along(*space, expression.inputs(), d);
    if (std::popcount(transposed) > std::popcount(space->transposed)) space->transposed = transposed, chosen = d;
  }
  for (int row = 0; space->transposed && row <= expression.operands(); ++row) {  // sizes, then strides of each operand
    int64_t* const dims = space->dims.begin() + row * space->ndim;
    std::rotate(dims + chosen, dims + chosen + 1, dims + inner);
  }
}

// How many neighbours a lane takes in tiles, along their rows and along their columns: as many as are aligned wherever
// they lie, and fit the registers of a lane, which has a square of them.
uint8_t tile_width(const Expression& expression, const Space& space, const View* const* views) {
  const int inner = space.ndim - 1, rows = inner - 1;
  int64_t width = 8;
  for (int k = 0; k < expression.operands(); ++k) {
    const auto size = static_cast<int64_t>(dtype_size(expression.operand_dtype(k)));
    const int64_t address = misalignment(*views[k]);
    const int64_t* strides = space.strides(k);
    const bool transposed = (space.transposed >> k & 1) != 0;
    if (!transposed && strides[inner] == 0) continue;
    if (!transposed && strides[inner] != 1) return 1;
    while (width > 1 && (width * size > 16 || (address & (width * size - 1)) != 0)) width >>= 1;
    for (int d = 0; d <= inner; ++d)
      while (width > 1 && d != (transposed ? rows : inner) && (strides[d] & (width - 1)) != 0) width >>= 1;
  }
  while (width > 1 && ((space.size(inner) | space.size(rows)) & (width - 1)) != 0) width >>= 1;
  return static_cast<uint8_t>(width);
}

// Sets the width of packs and how many make the side of a tile: long enough for whole lines of memory.
void choose_tile(const Expression& expression, const View* const* views, Space* space) {
  int64_t transposed_bytes = 0;
  for (int k = 0; k < expression.inputs(); ++k)
    if (space->transposed >> k & 1) transposed_bytes += static_cast<int64_t>(dtype_size(expression.operand_dtype(k)));
  const auto set = [&](int64_t width) {
    space->vector = static_cast<uint8_t>(width);
    space->tile = width * widest(expression) >= 8 ? 16 : 32;
    return transposed_bytes * space->tile * width * space->tile * width;
  };
  int64_t width = tile_width(expression, *space, views);
  while (set(width) > kTileBytes && width > 1) width >>= 1;
}

// Bytes in flight hide memory's latency: a lane's one pack if it is wide, a few narrow ones. Expressions with much
// arithmetic need the registers for that.
uint8_t choose_unroll(const Expression& expression, const Space& space) {
  int64_t unroll = 4;
  while (unroll > 1 && unroll * space.vector * widest(expression) > 16) unroll >>= 1;
  while (unroll > 1 && unroll * expression.operands() > 16) unroll >>= 1;
  if (space.transposed || expression.generators() > 0 || expression.instructions() > 8) unroll = 1;
  return static_cast<uint8_t>(unroll);
}

}  // namespace

void ElementwisePlan::plan_cuda(const View* const* views) {
  turn(computed_, &space_);
  if (space_.transposed)
    choose_tile(computed_, views, &space_);
  else
    space_.vector = vector_width(computed_, space_, views);
  space_.unroll = choose_unroll(computed_, space_);
  const int operands = computed_.operands();
  const int inner = space_.ndim - 1;
  // How many elements of a dimension go together: to a lane, or into a tile.
  const auto together = [&](int d) -> int64_t {
    if (space_.transposed) return d >= inner - 1 ? space_.tile * space_.vector : 1;
    return d == inner ? space_.vector : 1;
  };
  const auto parts = [&](int d) { return static_cast<uint64_t>((space_.size(d) + together(d) - 1) / together(d)); };
  const auto elements = static_cast<uint64_t>(space_.elements);
  uint64_t packs = elements >> std::countr_zero(space_.vector);  // or tiles
  if (space_.transposed) {
    packs = 1;
    for (int d = 0; d <= inner; ++d) packs *= parts(d);
  }

  words_.push_back(packs);
  words_.push_back(elements);
  if (space_.transposed)
    for (int d = inner - 1; d <= inner; ++d) words_.push_back(static_cast<uint64_t>(space_.size(d)));
  if (!space_.flat) {
    for (int d = inner; d > 0; --d) {
      words_.push_back(parts(d));
      if (space_.wide) continue;
      const device::Divider by = device::make_divider(static_cast<uint32_t>(parts(d)));
      words_.push_back(by.magic | static_cast<uint64_t>(by.shift) << 32);
    }
    for (int k = 0; k < operands; ++k)
      for (int d = inner; d >= 0; --d) words_.push_back(static_cast<uint64_t>(space_.strides(k)[d] * together(d)));
    for (int k = 0; space_.transposed && k < operands; ++k)
      for (int d = inner; d >= inner - 1; --d) words_.push_back(static_cast<uint64_t>(space_.strides(k)[d]));
  }
  // Elements that are near in memory are processed at the same time, so blocks take their packs in one go, as many as
  // that needs.
  const uint64_t of_block = space_.transposed ? 1 : uint64_t{kThreads} * space_.unroll;
  uint64_t most = kMostBlocks;
  // Numbers that are only drawn are more work than memory is: their blocks go on with what they have set up.
  if (computed_.generators() > 0 && computed_.inputs() == 0)
    most = 16 * static_cast<uint64_t>(static_cast<cuda::CudaDevice&>(device_).multiprocessors());
  blocks_ = static_cast<unsigned>(std::clamp<uint64_t>((packs + of_block - 1) / of_block, 1, most));
}

rtc::Signature ElementwisePlan::signature(rtc::Family family) const {
  rtc::Signature signature(family);
  uint32_t repeated = 0;
  for (int k = 0; k < computed_.operands(); ++k) repeated |= static_cast<uint32_t>(space_.repeats(k)) << k;
  signature.put(static_cast<uint8_t>(space_.vector | (space_.wide ? 32 : 0) | (space_.flat ? 64 : 0) |
                                     (space_.transposed ? 128 : 0)));
  signature.put(static_cast<uint8_t>(space_.ndim | space_.unroll << 4));
  signature.put(repeated);
  if (space_.transposed) signature.put(space_.transposed);
  uint8_t packed[Expression::kMaxPacked];
  signature.put_bytes(packed, static_cast<uint32_t>(computed_.pack(packed)));
  return signature;
}

Status ElementwisePlan::look_for_kernel(const char* name, const rtc::Kernel** kernel) const {
  RONDO_TRY(rtc::find_kernel(
      static_cast<cuda::CudaDevice&>(device_), signature(rtc::kElementwise), name,
      [this] { return elementwise_text(computed_, space_); }, kernel));
  if (!rtc::KernelCensus::here()) kernel_.store(*kernel, std::memory_order_release);
  return {};
}

Status ElementwiseTask::run_on_cuda(const TaskContext& context) {
  if (!kernel_) return error(RONDO_INTERNAL, "%s was run before it was prepared", name());
  uint64_t words[kMostWords];
  uint64_t* next = words;
  for (int k = 0; k < operands(); ++k) *next++ = reinterpret_cast<uint64_t>(address(k));
  for (const uint64_t scalar : scalars_) *next++ = scalar;
  const Expression& expression = plan_->computed();
  if (expression.generators() > 0) {
    *next++ = reinterpret_cast<uint64_t>(context.device_random);
    const RandomState first = context.first_number(random_);
    *next++ = first.seed;
    uint64_t start = first.offset;
    for (int k = 0; k < expression.generators(); ++k) {
      *next++ = start;
      start += random_counters(expression.generator_dtype(k), space().elements);
    }
  }
  for (const uint64_t word : plan_->words()) *next++ = word;
  cuda::CudaDevice::Launch shape;
  shape.grid[0] = plan_->blocks();
  shape.block[0] = kThreads;
  if (context.kernels) [[unlikely]] {
    void* parameters[] = {words};
    shape.waits = kernel_->waits;
    return launch_as_node(context, kernel_->function, shape, parameters);
  }
  return static_cast<cuda::CudaDevice&>(device()).launch(kernel_->function, shape, context.stream, words);
}

}  // namespace rondo::ops
