// Chooses among the kernels of products by fixed conditions, and estimates what each takes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_kernels.h"

#include <algorithm>
#include <string_view>

namespace rondo::ops {

namespace {

// Up to so many rows our kernel reads a matrix at the speed of memory; some more by a matrix of up to so many elements.
constexpr int64_t kFewRows = 8, kSomeRows = 16, kSomeElements = int64_t{1} << 20;
// Longer sums of 16 bits, and those of one row of f32, the library reads faster.
constexpr int64_t kDepthOfRows = 8192, kDepthOfRow = 2048;
// In chains on an H200 one launch of tiles was quicker than the library up to so many of them, and up to so much depth
// of all of them: than its product alone, or than that and the kernel that finishes it.
constexpr int64_t kFewTiles = 264, kDepthOfFew = 9 << 14;
constexpr int64_t kSomeTiles = 384, kDepthOfSome = 9 << 15;

constexpr Tiling kSmallTiles = {16, 32, 1, 2, 4, 128, 4, 0.0017F, 1.2F};  // most of k is on its way at once
constexpr Tiling kMiddleTiles = {32, 32, 2, 1, 4, 128, 3, 0.0024F, 1.25F};
constexpr Tiling kLargeTiles = {64, 64, 2, 2, 2, 64, 3, 0.0055F, 1.0F};

struct KernelName {
  const char* name;
  const char* text;
};
constexpr KernelName kNames[kProductKernels] = {
    {"few_rows", "Rondo's kernel for few rows"},
    {"small_tiles", "Rondo's small tiles"},
    {"middle_tiles", "Rondo's tiles"},
    {"large_tiles", "Rondo's large tiles"},
    {"library", "cuBLASLt"},
    {"library_in_two", "cuBLASLt and a kernel that finishes it"},
    {"any_strides", "Rondo's kernel for any strides"},
};

// Estimates are those of an H200: bytes that memory gives in a microsecond, multiplications of the library by 16 bits
// and by 32, and the time that a kernel begins in.
constexpr float kBytesPerUs = 2.77e6F, kWorkOf16 = 2.2e8F, kWorkOf32 = 1.6e7F;
constexpr float kBegin = 1, kLibraryBegins = 3, kFinish = 1.5F;
constexpr float kProcessors = 132;
// Tiles of 64 x 64 of the kernel for any strides, a step along k.
constexpr float kPlainStep = 0.04F;

}  // namespace

const char* text_of(ProductKernel kernel) {
  return kNames[static_cast<int>(kernel)].text;
}

const char* name_of(ProductKernel kernel) {
  return kNames[static_cast<int>(kernel)].name;
}

bool read_kernel(std::string_view name, ProductKernel* kernel) {
  const auto* const found =
      std::find_if(std::begin(kNames), std::end(kNames), [name](const KernelName& each) { return name == each.name; });
  *kernel = static_cast<ProductKernel>(found - std::begin(kNames));
  return found != std::end(kNames);
}

const Tiling* tiling_of(ProductKernel kernel) {
  switch (kernel) {
    case ProductKernel::small_tiles: return &kSmallTiles;
    case ProductKernel::middle_tiles: return &kMiddleTiles;
    case ProductKernel::large_tiles: return &kLargeTiles;
    default: return nullptr;
  }
}

// True if an operand is contiguous along k or along its lines, of which 16 bytes move at once.
bool ProductShape::moves_16_bytes(const View& view, int array, int64_t lines, int64_t line_step, int64_t depth_step,
                                  bool* along_k) const {
  const auto pack = static_cast<int64_t>(16 / dtype_size(view.dtype));
  *along_k = depth_step == 1;
  if (!*along_k && line_step != 1) return false;
  if ((*along_k ? product_.k : lines) % pack != 0 || (*along_k ? line_step : depth_step) % pack != 0) return false;
  for (int d = 0; d < product_.batch.count; ++d)
    if (product_.batch.stride[array][d] % pack != 0) return false;
  return alignment_of(view, 16) >= 16;
}

bool ProductShape::operands_move_16_bytes(bool* a_along_k, bool* b_along_k) const {
  const Product& p = product_;
  return p.k > 0 && moves_16_bytes(p.a, 0, p.m, p.a_step[0], p.a_step[1], a_along_k) &&
         moves_16_bytes(p.b, 1, p.n, p.b_step[1], p.b_step[0], b_along_k);
}

bool ProductShape::takes_tensor_cores() const {
  bool a_along_k, b_along_k;
  return is_half(product_.dtype()) && device_.capability() >= 80 && operands_move_16_bytes(&a_along_k, &b_along_k);
}

// Few rows by a matrix that is contiguous along k. How many there are in a batch does not matter.
bool ProductShape::takes_few_rows() const {
  const Product& p = product_;
  const bool half = is_half(p.dtype());
  bool a_along_k, b_along_k;
  return p.n > kColumnsOfRows && p.m <= (half ? kSomeRows : kFewRows) &&
         (p.dtype() == RONDO_F32 || takes_tensor_cores()) && operands_move_16_bytes(&a_along_k, &b_along_k) &&
         a_along_k && b_along_k;
}

bool ProductShape::prefers_few_rows() const {
  const Product& p = product_;
  const bool shape = p.dtype() == RONDO_F32 ? p.m > 1 || p.k <= kDepthOfRow
                                            : (p.m <= kFewRows || p.n * p.k <= kSomeElements) && p.k <= kDepthOfRows;
  return shape && takes_few_rows();
}

int ProductShape::lines_of_rows() const {
  const auto rows = static_cast<int>(product_.m);
  if (product_.dtype() != RONDO_F32) return rows > 8 ? 16 : 8;
  return rows > 4 ? 8 : rows > 2 ? 4 : rows;
}

// Tiles of results. A stack has as many as each product of it, so that it adds up in the same order.
int64_t ProductShape::tiles(const Tiling& tiling) const {
  const Product& p = product_;
  return int64_t{blocks_for(p.m, tiling.m)} * blocks_for(p.n, tiling.n) * (p.as_alone ? 1 : p.batch.elements());
}

// Small tiles where large ones would leave processors idle.
ProductKernel ProductShape::tiles_by_rule() const {
  if (tiles(kSmallTiles) <= kFewTiles) return ProductKernel::small_tiles;
  return tiles(kLargeTiles) < kManyBlocks ? ProductKernel::middle_tiles : ProductKernel::large_tiles;
}

// True for products for which the library would need several launches, where one launch is quicker or their batches
// have no single stride.
bool ProductShape::prefers_tiles() const {
  const Product& p = product_;
  if (!takes_tensor_cores()) return false;
  if (p.batch.count > 1) return true;
  const ProductKernel kernel = tiles_by_rule();
  const int64_t count = tiles(*tiling_of(kernel));
  if (kernel == ProductKernel::small_tiles) return count * p.k <= kDepthOfFew;
  const bool staged = p.after || p.activation != RONDO_ACTIVATION_NONE;
  return staged && kernel == ProductKernel::middle_tiles && count <= kSomeTiles && count * p.k <= kDepthOfSome;
}

bool ProductShape::takes(ProductKernel kernel) const {
  if (kernel == ProductKernel::few_rows) return takes_few_rows();
  return tiling_of(kernel) ? takes_tensor_cores() : kernel == ProductKernel::any_strides;
}

ProductKernel ProductShape::own_by_rule() const {
  if (prefers_few_rows()) return ProductKernel::few_rows;
  return takes_tensor_cores() ? tiles_by_rule() : ProductKernel::any_strides;
}

float ProductShape::estimate_us(ProductKernel kernel) const {
  const Product& p = product_;
  const auto depth = static_cast<float>(p.k), batches = static_cast<float>(p.batch.elements());
  const auto work = batches * static_cast<float>(p.m) * static_cast<float>(p.n) * depth;
  const auto part = static_cast<float>(device_.multiprocessors());
  const float weights = batches * static_cast<float>(p.n) * depth * static_cast<float>(dtype_size(p.dtype()));
  if (kernel == ProductKernel::few_rows) return kBegin + 0.0005F * depth + weights / kBytesPerUs;
  if (const Tiling* const tiling = tiling_of(kernel))
    return kBegin +
           std::max(1.0F, static_cast<float>(tiles(*tiling)) / (tiling->at_once * part)) * tiling->step_us * depth;
  if (kernel == ProductKernel::any_strides)
    return kBegin + std::max(1.0F, batches * static_cast<float>(blocks_for(p.m, 64)) *
                                       static_cast<float>(blocks_for(p.n, 64)) / part) *
                        kPlainStep * depth;
  const float speed = (is_half(p.dtype()) || p.allow_tf32 ? kWorkOf16 : kWorkOf32) * part / kProcessors;
  const float calls = p.batch.count > 1 ? batches / static_cast<float>(p.batch.size[p.batch.count - 1]) : 1;
  return calls * kLibraryBegins + 0.001F * depth + std::max(work / speed, weights / kBytesPerUs) +
         (kernel == ProductKernel::library_in_two ? kFinish : 0);
}

}  // namespace rondo::ops
