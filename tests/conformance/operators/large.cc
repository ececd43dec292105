// Sums of 2^28 elements: how far they may be off, and that nothing but the device changes a bit of them. Some gigabytes
// and half a minute, so this is a program of its own, which only a thorough run takes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>
#include <utility>

#include "harness.h"

namespace conformance {
namespace {

constexpr int64_t kMany = int64_t{1} << 28;
constexpr double kBound = 0x1p-22;  // of the sum of magnitudes, before the result is rounded

// Of the same elements in f64.
struct Exact {
  double sum = 0, magnitudes = 0;
};

class Large : public OnEngine {
 protected:
  // The same elements in every engine: their numbers depend on the seed alone.
  Tensor elements(rondo_dtype dtype, int32_t workers) {
    rondo_engine_options with = options();
    with.seed = 5;
    with.workers = workers;
    restart(with);
    const Shape shape = {kMany};
    const Tensor drawn = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), -1.0, 1.0);
    return make(rondo_cast, drawn, dtype);
  }
  // In parts, so that what a part's sum loses stays far below the bound.
  static Exact exact(rondo_tensor* elements) {
    const Array values = download(make(rondo_cast, elements, RONDO_F32));
    Exact all;
    for (size_t i = 0; i < values.size(); i += 4096) {
      Exact part;
      for (size_t j = i; j < i + 4096; ++j) {
        const double value = static_cast<double>(values.raw<float>(j));
        part.sum += value;
        part.magnitudes += std::fabs(value);
      }
      all.sum += part.sum;
      all.magnitudes += part.magnitudes;
    }
    return all;
  }
};
CONFORMANCE_SUITE(Large);

TEST_P(Large, SumsAreWithinTheirBoundAndNeverChange) {
  static std::map<rondo_dtype, Exact> references;
  static std::map<std::pair<bool, rondo_dtype>, Array> firsts;
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16})
    for (const int32_t workers : {1, 3}) {
      if (workers > 1 && on_cuda()) continue;  // they have no part in it
      const Tensor x = elements(dtype, workers);
      if (!references.count(dtype)) references[dtype] = exact(x);
      const Exact& reference = references[dtype];
      const Tensor total = empty(dtype, {});
      const auto sum = [&] { into(total, rondo_reduce, RONDO_SUM, x, 0, nullptr, 0); };
      if (GetParam().graph) {
        const Graph graph = record(engine(), sum);
        must(rondo_graph_launch(graph.get()));
      } else {
        sum();
      }
      const Array result = download(total);
      const std::string label = std::string(rondo_dtype_name(dtype)) + ", workers " + std::to_string(workers);
      const auto rounding = static_cast<double>(last_place(dtype, result[0])) / 2;
      EXPECT_LE(std::fabs(static_cast<double>(result[0]) - reference.sum), kBound * reference.magnitudes + rounding)
          << label << ": " << static_cast<double>(result[0]) << " instead of " << reference.sum;
      const auto [first, is_first] = firsts.emplace(std::pair(on_cuda(), dtype), result);
      if (!is_first) expect_same_bits(result, first->second, label);
    }
}

}  // namespace
}  // namespace conformance
