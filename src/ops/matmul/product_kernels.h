// Tells which kernels can make a product on a GPU, which one does by rule, and about how long each takes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ops/matmul/matmul.h"
#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

// In the order of the rule where several are as fast.
enum class ProductKernel : uint8_t {
  few_rows,
  small_tiles,
  middle_tiles,
  large_tiles,
  library,         // cuBLASLt in one call
  library_in_two,  // cuBLASLt, and a kernel that finishes its product
  any_strides,
};
constexpr int kProductKernels = 7;

constexpr int64_t kColumnsOfRows = 16;  // of a block of the kernel for few rows
constexpr int64_t kManyBlocks = 132;    // that keep a GPU busy

// How a block shares a tile of results among its warps, as TensorTile of rtc/device/matmul_tiles.h.
struct Tiling {
  int m, n, warps_m, warps_n, warps_k, depth, stages;
  // About how long a tile takes for each step along k, and how many a processor makes at once, on an H200.
  float step_us, at_once;

  int threads() const { return 32 * warps_m * warps_n * warps_k; }
};

// The name in a report, and the one that is kept on disk.
const char* text_of(ProductKernel kernel);
const char* name_of(ProductKernel kernel);
// False if it is the name of none.
bool read_kernel(std::string_view name, ProductKernel* kernel);

// Null: it has no tiles for tensor cores.
const Tiling* tiling_of(ProductKernel kernel);

// Answers for a product, to which it refers, which kernels can make it.
class ProductShape {
 public:
  ProductShape(const Product& product, const cuda::CudaDevice& device) : product_(product), device_(device) {}

  // True if a kernel of Rondo's can make it; of the library it does not know.
  bool takes(ProductKernel kernel) const;
  // The own kernel that makes it by rule; true if it does so where the library could.
  ProductKernel own_by_rule() const;
  bool own_first() const { return prefers_few_rows() || prefers_tiles(); }
  // About how long it takes, right up to a small factor.
  float estimate_us(ProductKernel kernel) const;

  // True if 16 bytes of each operand move at once. *along_k: it is contiguous along k, else along its lines.
  bool operands_move_16_bytes(bool* a_along_k, bool* b_along_k) const;
  // Rows that the kernel for few rows is made for.
  int lines_of_rows() const;

 private:
  bool moves_16_bytes(const View& view, int array, int64_t lines, int64_t line_step, int64_t depth_step,
                      bool* along_k) const;
  bool takes_tensor_cores() const;
  bool takes_few_rows() const;
  bool prefers_few_rows() const;
  bool prefers_tiles() const;
  ProductKernel tiles_by_rule() const;
  int64_t tiles(const Tiling& tiling) const;

  const Product& product_;
  const cuda::CudaDevice& device_;
};

}  // namespace rondo::ops
