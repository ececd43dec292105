// Holds the part of an elementwise task that depends only on its expression and on how its operands lie: the iteration
// space with adjacent dimensions collapsed, the vector width, the blocks, the words of a kernel's argument that shapes
// decide, and the kernel. Immutable but for the kernel, which is found once; shared by all tasks that are alike, from
// whatever thread, engine or recording, and owned by them and by the table that keeps it (plan_table.h). It names a
// device and kernels, which live as long as the process, and nothing of an engine's.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "base/folded_product.h"
#include "engine/tensor.h"
#include "ops/operators/expression.h"
#include "rtc/kernel.h"
#include "rtc/kernel_census.h"

namespace rondo::ops {

inline constexpr int kMaxOperands = Expression::kMaxInputs + Expression::kMaxOutputs;

// The iteration space of a task: dimensions of size > 1, outermost first, neighbours joined wherever every operand
// allows.
struct Space {
  int ndim = 0;        // at least 1, except for a task without elements
  bool flat = false;   // one dimension, every stride 0 or 1
  bool wide = false;   // indices need 64 bits
  uint8_t vector = 1;  // elements moved at once
  uint8_t unroll = 1;  // cuda: packs that a lane loads before it uses the first
  // cuda: operands that are dense along the last dimension but one instead of the last: they come through tiles of
  // shared memory, a bit each. 0: there are none, or it is not worth it.
  uint32_t transposed = 0;
  uint8_t tile = 0;  // packs along each side of a tile
  int64_t elements = 0;
  // sizes[ndim], then strides[ndim] of each operand.
  SmallVector<int64_t, 8> dims;

  int64_t size(int d) const { return dims[static_cast<uint32_t>(d)]; }
  const int64_t* strides(int operand) const { return dims.begin() + (1 + operand) * ndim; }
  // True if an operand has the same element all along the innermost dimension.
  bool repeats(int operand) const { return strides(operand)[ndim - 1] == 0; }
};

// Bytes by which an operand misses the widest access that a lane makes. All that a plan knows of addresses: those that
// are not there yet, the pool's and arenas', miss it by nothing.
constexpr unsigned kWidestAccess = 16;
inline unsigned misalignment(const View& view) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(view.address())) & (kWidestAccess - 1);
}

// All that a plan depends on: calls with equal keys have one plan. Begins with what is computed and where, which says
// how the rest is to be read.
class PlanKey {
 public:
  // Begins the key of a task that a number other than 0 stands for.
  PlanKey(const Device& device, uint32_t what) {
    const rondo_device id = device.id();
    put(static_cast<uint64_t>(id.kind) << 56 | static_cast<uint64_t>(id.index) << 32 | what);
  }
  // Makes the key of a task from its expression.
  PlanKey(const Device& device, const Expression& expression, const Layout& shape, const View* const* views);

  void put(uint64_t word) { words_[size_++] = word; }
  void put_shape(const Layout& layout) {
    put(static_cast<uint64_t>(layout.ndim));
    for (int d = 0; d < layout.ndim; ++d) put(static_cast<uint64_t>(layout.shape[d]));
  }
  // An operand. Never equal to kNone.
  void put(const View& view) {
    put(kOperand | misalignment(view) | static_cast<uint64_t>(view.accumulate) << 8 |
        static_cast<uint64_t>(view.dtype) << 16 | static_cast<uint64_t>(view.layout.ndim) << 24);
    for (int d = 0; d < view.layout.ndim; ++d) {
      put(static_cast<uint64_t>(view.layout.shape[d]));
      put(static_cast<uint64_t>(view.layout.strides[d]));
    }
  }
  static constexpr uint64_t kNone = 0;

  const uint64_t* words() const { return words_; }
  uint32_t size() const { return size_; }
  uint64_t hash() const {
    uint64_t hash = size_;
    uint32_t i = 0;
    for (; i + 1 < size_; i += 2) hash = folded_product(hash ^ words_[i], kFactor ^ words_[i + 1]);
    return i < size_ ? folded_product(hash ^ words_[i], kFactor) : hash;
  }

 private:
  static constexpr uint64_t kOperand = uint64_t{1} << 63, kFactor = 0x9e3779b97f4a7c15u;
  static constexpr int kMostWords = 1 + (Expression::kMaxPacked + 7) / 8 + (1 + kMaxDims) +
                                    (Expression::kMaxInputs + Expression::kMaxOutputs) * (1 + 2 * kMaxDims);
  uint64_t words_[kMostWords];  // as many as there are
  uint32_t size_ = 0;
};

class ElementwisePlan final : public RefCounted {
 public:
  // As a task's (elementwise_task.h).
  ElementwisePlan(Device& device, const PlanKey& key, const Expression& expression, const Layout& shape,
                  const View* const* views);

  bool is_for(const PlanKey& key) const {
    return key_.size() == key.size() && std::memcmp(key_.begin(), key.words(), key.size() * sizeof(uint64_t)) == 0;
  }
  // As it was given, and as kernels and the host's loops compute it.
  const Expression& expression() const { return expression_; }
  const Expression& computed() const { return computed_; }
  const Space& space() const { return space_; }
  const Layout& shape() const { return shape_; }
  // Operand i as it was given, under the full shape (strides of 0 where it is broadcast).
  Layout layout(int i) const;
  const int64_t* strides(size_t i) const { return strides_.begin() + i * static_cast<size_t>(shape_.ndim); }
  uint64_t random_count() const { return random_count_; }
  // Words of the kernel's argument after those that are the task's own.
  const SmallVector<uint64_t, 8>& words() const { return words_; }
  unsigned blocks() const { return blocks_; }
  // The signature that tells its kernel from others of a family.
  rtc::Signature signature(rtc::Family family) const;
  // The kernel of a plan that has elements, on a GPU. `name` as rtc::find_kernel's.
  Status find_kernel(const char* name, const rtc::Kernel** kernel) const {
    *kernel = kernel_.load(std::memory_order_acquire);
    if (!*kernel || rtc::KernelCensus::here()) [[unlikely]]
      return look_for_kernel(name, kernel);
    (*kernel)->count_hit();
    return {};
  }

 private:
  void plan_space(const View* const* views);
  void plan_cuda(const View* const* views);  // elementwise_cuda.cc
  RONDO_COLD Status look_for_kernel(const char* name, const rtc::Kernel** kernel) const;

  Device& device_;
  const Expression expression_, computed_;
  const Layout shape_;
  SmallVector<uint64_t, 16> key_;
  SmallVector<int64_t, 12> strides_;  // per operand: as the caller saw them
  Space space_;
  SmallVector<uint64_t, 8> words_;
  unsigned blocks_ = 1;
  uint64_t random_count_ = 0;
  mutable std::atomic<const rtc::Kernel*> kernel_{nullptr};
};

// Counters one generator takes for so many elements.
uint64_t random_counters(rondo_dtype dtype, int64_t elements);

}  // namespace rondo::ops
