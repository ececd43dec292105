// Attention: problems, what they are made of, and their results by the definition. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tape/tape.h"

namespace conformance {

enum class Place { plain, heads_first, packed, gaps };

struct Problem {
  int64_t batch = 2, queries = 5, keys = 7, heads = 2, key_heads = 2, size = 4;
  Place place = Place::plain;
  bool causal = false, last = false;
  int64_t before = -1, after = -1;
  double scale = 0, cap = 0;
  std::optional<Shape> mask = {};
  bool added = false;  // the mask
  bool query_lengths = false, key_lengths = false;

  Shape of_q() const { return {batch, queries, heads, size}; }
  Shape of_k() const { return {batch, keys, key_heads, size}; }
};

// What a problem is made of, on the host.
struct Operands {
  Array q, k, v;
  std::optional<Array> mask, query_lengths, key_lengths;

  Operands(rondo_dtype dtype, const Problem& p, uint32_t seed)
      : q(random_array(dtype, p.of_q(), seed, -2, 2)),
        k(random_array(dtype, p.of_k(), seed + 1, -2, 2)),
        v(random_array(dtype, p.of_k(), seed + 2, -2, 2)) {
    if (p.mask) mask = random_array(p.added ? dtype : RONDO_BOOL, *p.mask, seed + 3, -1, 1);
    // Below 0 and beyond the end too.
    if (p.query_lengths)
      query_lengths = random_array(RONDO_I32, {p.batch}, seed + 4, -1, static_cast<double>(p.queries) + 2);
    if (p.key_lengths) key_lengths = random_array(RONDO_I32, {p.batch}, seed + 5, -1, static_cast<double>(p.keys) + 2);
  }
};

// The definition, with all scores of a query at once.
struct Exact {
  std::vector<Real> out, lse;

  Exact(const Problem& p, const Operands& of) {
    const Real scale = p.scale != 0 ? Real(p.scale) : 1 / std::sqrt(Real(p.size));
    const auto at = [&](const Array& a, int64_t b, int64_t place, int64_t h, int64_t x) {
      return a[static_cast<size_t>(((b * a.shape[1] + place) * a.shape[2] + h) * p.size + x)];
    };
    const auto length = [](const std::optional<Array>& lengths, int64_t b, int64_t most) {
      return lengths ? std::clamp<int64_t>(static_cast<int64_t>((*lengths)[static_cast<size_t>(b)]), 0, most) : most;
    };
    const Array mask = of.mask ? host_broadcast(*of.mask, {p.batch, p.heads, p.queries, p.keys}) : Array();
    out.resize(count(p.of_q()));
    if (collects()) {
      lse.resize(static_cast<size_t>(p.batch * p.heads * p.queries));
      return;
    }
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t h = 0; h < p.heads; ++h)
        for (int64_t i = 0; i < p.queries; ++i) {
          const int64_t queries = length(of.query_lengths, b, p.queries), keys = length(of.key_lengths, b, p.keys);
          const int64_t own = i + (p.last ? keys - queries : 0), shared = h / (p.heads / p.key_heads);
          std::vector<std::pair<int64_t, Real>> scores;
          for (int64_t j = 0; i < queries && j < keys; ++j) {
            if ((p.causal && j > own) || (p.after >= 0 && j > own + p.after) || (p.before >= 0 && j < own - p.before))
              continue;
            Real score = 0;
            for (int64_t x = 0; x < p.size; ++x) score += at(of.q, b, i, h, x) * at(of.k, b, j, shared, x);
            score *= scale;
            if (p.cap > 0) score = Real(p.cap) * std::tanh(score / Real(p.cap));
            if (of.mask) {
              const Real here = mask[static_cast<size_t>(((b * p.heads + h) * p.queries + i) * p.keys + j)];
              if (!p.added && here == 0) continue;
              if (p.added) score += here;
            }
            scores.emplace_back(j, score);
          }
          Real top = -std::numeric_limits<Real>::infinity(), sum = 0;
          for (const auto& each : scores) top = std::max(top, each.second);
          for (const auto& each : scores) sum += std::exp(each.second - top);
          lse.push_back(scores.empty() ? top : top + std::log(sum));
          for (const auto& each : scores)
            for (int64_t x = 0; x < p.size; ++x)
              out[static_cast<size_t>(((b * p.queries + i) * p.heads + h) * p.size + x)] +=
                  std::exp(each.second - top) / sum * at(of.v, b, each.first, shared, x);
        }
  }
};

inline rondo_dtype computed(rondo_dtype dtype) {
  return dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
}

// Of 16 bits, how far a result may be off that a library made on tensor cores: weights are rounded to 16 bits before
// they are multiplied with values, of which none is larger.
inline Real rounded_weights(rondo_dtype dtype, bool on_gpu, Real largest) {
  return is_half(dtype) && on_gpu ? 2 * largest * std::ldexp(Real(1), -mantissa_bits(dtype) - 1) : 0;
}

}  // namespace conformance
