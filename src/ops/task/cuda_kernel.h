// Holds what the families with kernels of their own share on a GPU: names of types in kernel text, dimensions as kernel
// arguments, and the questions that choose a kernel (may indices be 32 bits wide, may elements be moved 16 bytes at a
// time). Their tasks are KernelTasks (kernel_task.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>

#include "device/cuda/cuda_device.h"
#include "ops/operators/element.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// Memory type of a dtype in rtc/device/prelude.h and rtc/device/f8.h.
inline const char* memory_type(rondo_dtype dtype) {
  static const char* const names[kDtypes] = {"b8",  "u8",  "i8",  "i32", "i64", "f16",    "bf16",  "f32",
                                             "f64", "i16", "u16", "u32", "u64", "f8e4m3", "f8e5m2"};
  return names[dtype];
}

// In text of kernels that move elements of any dtype: what an element of a size is moved as. For size 0 it is added, as
// the type Added, which is defined before.
inline constexpr const char* kWordText = R"(
template <int size>
struct Word { using type = Added; };
template <>
struct Word<1> { using type = u8; };
template <>
struct Word<2> { using type = u16; };
template <>
struct Word<4> { using type = u32; };
template <>
struct Word<8> { using type = u64; };
)";

inline cuda::CudaDevice& cuda_device(const Task& task) {
  return static_cast<cuda::CudaDevice&>(task.device());
}

// A launch of a run that is captured with what context.kernels says, or whose nodes are to be changed.
RONDO_COLD Status launch_as_node(const TaskContext& context, cuda::CUfunction function,
                                 const cuda::CudaDevice::Launch& shape, void** parameters);

// Dims<N> as a kernel's argument.
template <int N>
struct KernelDims : device::Dims<N> {
  static_assert(sizeof(device::Dims<1>::size) == kMaxDims * sizeof(int64_t));
  KernelDims() = default;
  explicit KernelDims(const Dims<N>& dims) {
    for (int d = 0; d < kMaxDims; ++d) {
      this->size[d] = dims.size[d];
      for (int a = 0; a < N; ++a) this->stride[a][d] = dims.stride[a][d];
    }
  }
};

// True if numbers up to `largest`, and a launch's overshoot, need 64 bits.
inline bool needs_wide(int64_t largest) {
  return largest > INT_MAX - (1 << 20);
}

// Largest power of two, up to `most`, that divides the byte address of the view's first element. Memory that is not
// there yet comes from a pool or arena, which align better than anybody asks here.
inline int64_t alignment_of(const View& view, int64_t most) {
  const char* known = view.storage->address();
  const int64_t address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(known)) + view.offset;
  int64_t alignment = most;
  while (address % alignment != 0) alignment /= 2;
  return alignment;
}

// True if `vector` neighbours along a row may be moved at once, wherever rows begin that are so far apart.
inline bool moves_packs(const View& view, int rows, const int64_t* strides, int64_t step, int64_t vector) {
  const auto bytes = vector * static_cast<int64_t>(dtype_size(view.dtype));
  bool fits = step == 1 && bytes <= 16 && alignment_of(view, 16) >= bytes;
  for (int d = 0; d < rows; ++d) fits &= strides[d] % vector == 0;
  return fits;
}

// Smallest power of two that is `value` or more, but `most`, a power of two, at most: how many lanes share a row.
inline int power_of_two_up_to(int64_t value, int most) {
  int power = 1;
  while (power < most && power < value) power *= 2;
  return power;
}

// Blocks of `size` that cover `count`.
inline unsigned blocks_for(int64_t count, int64_t size) {
  return static_cast<unsigned>((count + size - 1) / size);
}

}  // namespace rondo::ops
