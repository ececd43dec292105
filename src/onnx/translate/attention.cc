// Translates attention and rotary embeddings. Attention is the library's one task, and products and softmax where
// scores are asked for or values are not as wide as keys; rotary embeddings are made of their tables.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// [batch, places, heads * size] as [batch, heads, places, size]; what has four dimensions is that already.
Tensor by_heads(const Call& call, size_t i, const char* attribute) {
  const Tensor x = call.in(i);
  const Shape s = x.shape();
  if (s.size() == 4) return x;
  const int64_t heads = call.integer(attribute, 0);
  if (s.size() != 3 || heads < 1 || s[2] % heads != 0)
    malformed("its input " + std::to_string(i) + " cannot be divided by its heads");
  return x.reshape({s[0], s[1], heads, s[2] / heads}).transpose({0, 2, 1, 3});
}

struct Band {
  bool causal = false;
  int64_t left = -1, right = -1;
  bool any() const { return causal || left >= 0 || right >= 0; }
  bool allows(int64_t query, int64_t key) const {
    return !(causal && key > query) && !(left >= 0 && query - key > left) && !(right >= 0 && key - query > right);
  }
};

// Makes what is added to the scores, or an empty tensor for nothing; *dead: whole rows of it may be masked.
Tensor bias_of(const Call& call, const Band& band, int64_t queries, int64_t keys, int64_t past, rondo_dtype dtype,
               bool* dead) {
  Tensor bias;
  const auto add = [&](const Tensor& more) { bias = bias ? bias + more : more; };
  const Tensor zero = call.constant_reals(dtype, {}, {0}), masked = call.constant_reals(dtype, {}, {kMasked});
  if (call.has(3)) {
    *dead = true;
    Tensor mask = call.in(3);
    if (mask.dtype() == RONDO_BOOL) mask = choose(mask, zero, masked);
    const int64_t width = mask.size(-1);
    if (width > keys) malformed("its mask is wider than its keys");
    if (width < keys) {
      std::vector<int64_t> widths(static_cast<size_t>(2 * mask.dim()), 0);
      widths.back() = keys - width;
      mask = rondo::pad(mask, RONDO_PAD_CONSTANT, widths, kMasked);
    }
    add(mask.to(dtype));
  }
  const bool lengths = call.has(6);
  if (queries > 0 && keys > (int64_t{1} << 28) / queries) refuse("its mask has too many elements");
  if (band.any() && !lengths) {
    call.may_take<double>(queries * keys);
    std::vector<double> numbers;
    numbers.reserve(static_cast<size_t>(queries * keys));
    for (int64_t i = 0; i < queries; ++i) {
      bool alive = false;
      for (int64_t j = 0; j < keys; ++j) {
        const bool allowed = band.allows(i + past, j);
        alive = alive || allowed;
        numbers.push_back(allowed ? 0 : kMasked);
      }
      *dead = *dead || !alive;
    }
    add(call.constant_reals(dtype, {queries, keys}, numbers));
  }
  if (!lengths) return bias;
  *dead = true;
  const Tensor length = call.in(6).to(RONDO_I64).reshape({-1, 1, 1, 1});
  call.may_take<int64_t>(keys + queries);
  std::vector<int64_t> key_places(static_cast<size_t>(keys)), query_places(static_cast<size_t>(queries));
  for (size_t i = 0; i < key_places.size(); ++i) key_places[i] = static_cast<int64_t>(i);
  for (size_t i = 0; i < query_places.size(); ++i) query_places[i] = static_cast<int64_t>(i) - queries;
  const Tensor key = call.precomputed([&] { return call.constant_tensor(RONDO_I64, {keys}, key_places.data()); });
  Tensor allowed = rondo::binary(RONDO_LT, key, length);
  if (band.any()) {
    const Tensor query = call.precomputed([&] {
      return call.constant_tensor(RONDO_I64, {queries, 1}, query_places.data());
    }) + length;
    const auto both = [&](const Tensor& more) { allowed = rondo::binary(RONDO_LOGICAL_AND, allowed, more); };
    if (band.causal) both(rondo::binary(RONDO_LE, key, query));
    if (band.left >= 0) both(rondo::binary(RONDO_LE, query - key, rondo::Number(band.left)));
    if (band.right >= 0) both(rondo::binary(RONDO_LE, key - query, rondo::Number(band.right)));
  }
  add(choose(allowed, zero, masked));
  return bias;
}

// Makes attention of one task of q, k and v, [batch, heads, places, size]; false where the library has none of that
// kind.
bool one_task(Call& call, const Tensor& q, const Tensor& k, const Tensor& v, const Band& band, int64_t past) {
  const Shape qs = q.shape(), ks = k.shape();
  const bool placed = !band.any() || call.has(6) || past == 0 || ks[2] - qs[2] == past;
  rondo_dtype precision = q.dtype();
  if (call.has_attribute("softmax_precision") && !find_dtype(call.integer("softmax_precision", 1), &precision))
    return false;
  const bool wider = rondo_dtype_size(precision) > std::max<size_t>(rondo_dtype_size(q.dtype()), 4);
  if (call.wants(3) || v.shape() != ks || qs[3] != ks[3] || qs[3] < 1 || qs[3] > 256 || !placed || wider ||
      v.dtype() != q.dtype() || k.dtype() != q.dtype() || product(qs) == 0 || product(ks) == 0)
    return false;
  // Equal weights have the scale 0, which stands for the usual one in the library's options.
  if (call.has_attribute("scale") && !(call.real("scale", 0) > 0)) return false;
  rondo_attention_options options = rondo::attention_defaults();
  Tensor mask, lengths;
  if (call.has(3)) {
    mask = call.in(3);
    const bool seen = mask.dtype() == RONDO_BOOL;
    if (mask.dim() < 1 || mask.dim() > 4 || (!seen && mask.dtype() != q.dtype())) return false;
    const int64_t width = mask.size(-1);
    if (width > ks[2]) malformed("its mask is wider than its keys");
    if (width < ks[2]) {
      std::vector<int64_t> widths(static_cast<size_t>(2 * mask.dim()), 0);
      widths.back() = ks[2] - width;
      mask = rondo::pad(mask, RONDO_PAD_CONSTANT, widths, seen ? 0 : kMasked);
    }
    options.mask = mask.get();
  }
  if (call.has(6)) {
    lengths = call.in(6).reshape({-1}).to(RONDO_I32);
    if (lengths.numel() != qs[0]) return false;
    options.key_lengths = lengths.get();
  }
  options.scale = call.real("scale", 0);
  options.soft_cap = std::max(call.real("softcap", 0), 0.0);
  options.before = std::max<int64_t>(band.left, -1);
  options.after = std::max<int64_t>(band.right, -1);
  options.causal = band.causal;
  options.aligned_last = call.has(6) || past > 0;
  const auto places_first = [](const Tensor& x) { return x.transpose({0, 2, 1, 3}); };
  const Tensor y = rondo::attention(places_first(q), places_first(k), places_first(v), options);
  call.out(0, call.ndim(0) == 3 ? y.reshape({qs[0], qs[2], qs[1] * qs[3]}) : places_first(y));
  return true;
}

// softmax(q k^T scale + mask) v as nodes of the file had it, whose shapes are broadcast: one task where they are those
// of attention.
void found_attention(Call& call) {
  const Tensor q = call.in(0), k = call.in(1), v = call.in(2), mask = call.has(3) ? call.in(3) : Tensor();
  const Shape qs = q.shape(), ks = k.shape(), vs = v.shape();
  const double scale = call.real("scale", 1);
  bool fits = qs.size() == 4 && vs.size() == 4 && qs[0] == ks[0] && vs == ks && qs[3] == ks[3] && qs[3] >= 1 &&
              qs[3] <= 256 && (qs[1] == ks[1] || ks[1] == 1) && product(qs) > 0 && product(ks) > 0 &&
              is_float(q.dtype()) && k.dtype() == q.dtype() && v.dtype() == q.dtype();
  if (fits && mask) {
    const Shape scores = {qs[0], qs[1], qs[2], ks[2]};
    fits = mask.dtype() == q.dtype() && broadcast_shape(mask.shape(), scores) == scores;
  }
  if (!fits) {
    Tensor scores = matrix_product(q, k.transpose({0, 1, 3, 2})) * scale;
    if (mask) scores = scores + mask;
    const Shape shape = scores.shape();
    const bool last = shape.size() == 4 || call.integer("axis", -1) == -1;
    Tensor weights;
    if (!last && call.integer("flat", 0) != 0)
      weights = rondo::softmax(scores.reshape({product(shape, 0, 3), product(shape, 3, shape.size())})).reshape(shape);
    else
      weights = rondo::softmax(scores, last ? -1 : 3);
    return call.out(0, matrix_product(weights, v));
  }
  rondo_attention_options options = rondo::attention_defaults();
  options.scale = scale;
  if (mask) options.mask = mask.get();
  const auto places_first = [](const Tensor& x) { return x.transpose({0, 2, 1, 3}); };
  call.out(0, places_first(rondo::attention(places_first(q), places_first(k), places_first(v), options)));
}

}  // namespace

void attention_node(Call& call) {
  if (call.node().rewritten) return found_attention(call);
  const Tensor q = by_heads(call, 0, "q_num_heads");
  Tensor k = by_heads(call, 1, "kv_num_heads"), v = by_heads(call, 2, "kv_num_heads");
  const int64_t past = call.has(4) ? call.shape(4).at(2) : 0;
  if (call.has(4)) k = rondo::concat({call.in(4), k}, 2);
  if (call.has(5)) v = rondo::concat({call.in(5), v}, 2);
  call.out(1, k);
  call.out(2, v);
  const Shape qs = q.shape(), ks = k.shape(), vs = v.shape();
  const rondo_dtype dtype = q.dtype();
  const int64_t heads = qs[1], groups = ks[1];
  if (groups < 1 || heads % groups != 0 || vs[1] != groups)
    malformed("its heads cannot be divided among those of its keys");
  Band band;
  band.causal = call.integer("is_causal", 0) != 0;
  band.left = call.integer("left_window_size", -1);
  band.right = call.integer("right_window_size", -1);
  if (one_task(call, q, k, v, band, past)) return;
  bool dead = false;
  const Tensor bias = bias_of(call, band, qs[2], ks[2], call.has(6) ? 0 : past, dtype, &dead);
  const double given = call.real("scale", 1 / std::sqrt(static_cast<double>(qs[3]))),
               scale = std::sqrt(std::abs(given));
  const Shape scores_shape = {qs[0], heads, qs[2], ks[2]};
  // Heads that share keys are rows of one product.
  const Tensor rows = heads == groups ? q : q.reshape({qs[0], groups, heads / groups * qs[2], qs[3]});
  rondo_matmul_options options = rondo::matmul_defaults();
  options.transpose_b = 1;
  Tensor scores = rondo::matmul(rows * scale, k * (given < 0 ? -scale : scale), options).reshape(scores_shape);
  const int64_t mode = call.integer("qk_matmul_output_mode", 0);
  if (mode == 0) call.out(3, scores);
  if (const double cap = call.real("softcap", 0); cap > 0) scores = rondo::tanh(scores / cap) * cap;
  if (mode == 1) call.out(3, scores);
  if (bias) scores = scores + bias;
  if (mode == 2) call.out(3, scores);
  rondo_dtype precision = dtype;
  if (call.has_attribute("softmax_precision") && !find_dtype(call.integer("softmax_precision", 1), &precision))
    refuse("its softmax is computed in " + type_name(call.integer("softmax_precision", 1)));
  Tensor weights = rondo::softmax(scores.to(precision));
  if (dead) {
    const Tensor all = rondo::unary(RONDO_ISNEGINF, rondo::reduce(RONDO_MAX, bias, -1, true));
    weights = choose(all, call.constant_reals(precision, {}, {0}), weights);
  }
  weights = weights.to(dtype);
  if (mode == 3) call.out(3, weights);
  const Tensor flat = heads == groups ? weights : weights.reshape({qs[0], groups, heads / groups * qs[2], ks[2]});
  const Tensor y = rondo::matmul(flat, v).reshape({qs[0], heads, qs[2], vs[3]});
  call.out(0, call.ndim(0) == 3 ? y.transpose({0, 2, 1, 3}).reshape({qs[0], qs[2], heads * vs[3]}) : y);
}

Tensor rotary_turned(const Tensor& x, const Tensor& cosines, const Tensor& sines, int64_t width, bool interleaved) {
  const Shape s = x.shape();
  const auto one_of = [&](const Tensor& t) { return interleaved ? t.slice(3, 0, width, 2) : t.slice(3, 0, width / 2); };
  const auto other_of = [&](const Tensor& t) {
    return interleaved ? t.slice(3, 1, width, 2) : t.slice(3, width / 2, width);
  };
  const Tensor one = one_of(x), other = other_of(x), y = rondo::empty_like(x);
  rondo::binary_into(RONDO_SUB, cosines * one, sines * other, one_of(y));
  rondo::binary_into(RONDO_ADD, sines * one, cosines * other, other_of(y));
  if (width < s[3]) rondo::copy_into(x.slice(3, width, s[3]), y.slice(3, width, s[3]));
  return y;
}

namespace {

// x c + (-x[from:], x[:from]) s along an axis: a rotary embedding that a pattern has found, by tables as wide as x. The
// halves are written where they belong if their sizes are the same wherever the program runs.
void found_rotary(Call& call) {
  const Tensor x = call.in(0), cosines = call.in(1), sines = call.in(2);
  const Shape s = x.shape();
  const int64_t given = call.integer("axis", -1), ndim = static_cast<int64_t>(s.size());
  if (given < -ndim || given >= ndim) malformed("its axis is none of its input's");
  const int32_t axis = static_cast<int32_t>(given < 0 ? given + ndim : given);
  const int64_t n = s[static_cast<size_t>(axis)], from = std::min(call.integer("from", 0), n);
  const auto fits = [&](const Tensor& table) {
    const Shape of = table.shape();
    bool all = of.size() <= s.size();
    for (size_t d = 1; all && d <= of.size(); ++d) all = of[of.size() - d] == 1 || of[of.size() - d] == s[s.size() - d];
    return all;
  };
  const auto along = [&](const Tensor& table) { return axis - ndim + table.dim(); };
  const auto is_one = [&](const Tensor& table) { return along(table) < 0 || table.size(along(table)) == 1; };
  // All that what is recorded depends on.
  const bool halves = from < n && x.numel() > 0 && fits(cosines) && fits(sines);
  int64_t form = n;
  for (const bool each : {halves, is_one(cosines), is_one(sines)}) form = form * 2 + (each ? 1 : 0);
  if (call.varies(form) || !halves) {
    const Tensor turned =
        rondo::concat({rondo::unary(RONDO_NEG, x.slice(axis, from, n)), x.slice(axis, 0, from)}, axis);
    return call.out(0, x * cosines + turned * sines);
  }
  // A table of one element along the axis is repeated along it.
  const auto part = [&](const Tensor& table, int64_t first, int64_t last) {
    return is_one(table) ? table : table.slice(static_cast<int32_t>(along(table)), first, last);
  };
  const Tensor y = rondo::empty_like(x);
  const auto half = [&](rondo_binary_op op, int64_t first, int64_t last, const Tensor& other) {
    rondo::binary_into(op, x.slice(axis, first, last) * part(cosines, first, last), other * part(sines, first, last),
                       y.slice(axis, first, last));
  };
  half(RONDO_SUB, 0, n - from, x.slice(axis, from, n));
  half(RONDO_ADD, n - from, n, x.slice(axis, 0, from));
  call.out(0, y);
}

}  // namespace

void rotary_embedding(Call& call) {
  if (call.node().rewritten) return found_rotary(call);
  const bool microsoft = !call.node().domain.empty();
  // com.microsoft's has the positions before the tables.
  if (call.real("scale", 1) != 1 || call.integer("is_packed_batching", 0) != 0)
    refuse("it scales its result, or its batch is packed");
  const size_t tables = microsoft ? 2 : 1, positions = microsoft ? 1 : 3;
  const Shape s = call.shape(0);
  Tensor x = call.in(0);
  if (s.size() == 4) {
    x = x.transpose({0, 2, 1, 3});
  } else {
    const Shape table = call.shape(tables);
    int64_t heads = call.integer("num_heads", 0);
    if (s.size() != 3) malformed("its input has " + std::to_string(s.size()) + " dimensions, not 3 or 4");
    if (heads == 0 && microsoft && !table.empty() && table.back() > 0) heads = s[2] / (2 * table.back());
    if (heads < 1 || s[2] % heads != 0) malformed("its input cannot be divided by its heads");
    x = x.reshape({s[0], s[1], heads, s[2] / heads});
  }
  const Shape xs = x.shape();
  int64_t width = call.integer("rotary_embedding_dim", 0);
  if (width == 0) width = xs[3];
  if (width < 2 || width % 2 != 0 || width > xs[3])
    malformed("it turns " + std::to_string(width) + " of " + std::to_string(xs[3]) + " elements");
  Tensor cosines = call.in(tables), sines = call.in(tables + 1);
  if (call.has(positions)) {
    Tensor places = call.in(positions);
    if (microsoft && places.numel() == 1 && xs[1] != 1) refuse("its positions are one offset");
    if (places.dim() == 1) places = places.reshape({1, -1});
    call.check_indices(positions, std::min(cosines.size(0), sines.size(0)));
    cosines = rondo::take(cosines, places, 0);
    sines = rondo::take(sines, places, 0);
  }
  if (cosines.dim() == 2) {
    cosines = cosines.unsqueeze(0);
    sines = sines.unsqueeze(0);
  }
  Tensor y = rotary_turned(x, cosines.unsqueeze(2), sines.unsqueeze(2), width, call.integer("interleaved", 0) != 0);
  call.out(0, s.size() == 4 ? y.transpose({0, 2, 1, 3}) : y.reshape(s));
}

}  // namespace rondo_onnx
