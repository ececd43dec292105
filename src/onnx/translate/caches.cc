// Translates operators with a state that goes from call to call: caches of keys and values, causal convolutions, linear
// attention. The state is an input and an output.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "onnx/file/failure.h"
#include "onnx/translate/operators.h"

namespace rondo_onnx {

namespace {

// Puts `fresh` into a copy of the cache, each sample of the batch from its own place on; null `starts`: from the first.
Tensor written(const Call& call, const Tensor& cache, const Tensor& fresh, const Tensor& starts, size_t axis,
               bool circular) {
  const Shape s = cache.shape(), fs = fresh.shape();
  Shape expected = s, along(s.size(), 1), samples(s.size(), 1);
  expected[axis] = fs.size() == s.size() ? fs[axis] : -1;
  if (axis == 0 || fs != expected || fs[axis] > s[axis]) malformed("what it writes does not go with its cache");
  along[axis] = fs[axis];
  samples[0] = s[0];
  call.may_take<int64_t>(fs[axis]);
  std::vector<int64_t> numbers(static_cast<size_t>(fs[axis]));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  Tensor places = call.precomputed([&] { return call.constant_tensor(RONDO_I64, along, numbers.data()); });
  if (starts) places = places + starts.to(RONDO_I64).reshape(samples);
  if (circular) places = rondo::binary(RONDO_MOD, places, rondo::Number(s[axis]));
  const Tensor result = rondo::copy(cache);
  rondo::put_along_axis(result, places, fresh, static_cast<int32_t>(axis));
  return result;
}

constexpr int64_t kMostHeads = int64_t{1} << 20;

// [batch, places, heads * size] as [batch, places, heads, size].
Tensor parted(const Tensor& x, int64_t heads) {
  const Shape s = x.shape();
  if (s.size() != 3 || heads < 1 || s[2] % heads != 0) malformed("an input cannot be divided by its heads");
  return x.reshape({s[0], s[1], heads, s[2] / heads});
}

}  // namespace

void tensor_scatter(Call& call) {
  const int64_t axis = call.axis("axis", -2, call.ndim(0));
  const std::string mode = call.text("mode", "linear");
  if (mode != "linear" && mode != "circular") malformed("its mode is " + excerpt(mode));
  if (call.has(2) && call.shape(2) != Shape{call.shape(0).at(0)}) malformed("its places are not one for each sample");
  call.out(0, written(call, call.in(0), call.in(1), call.has(2) ? call.in(2) : Tensor(), static_cast<size_t>(axis),
                      mode == "circular"));
}

void causal_convolution(Call& call) {
  const Shape s = call.shape(0), ws = call.shape(1);
  if (s.size() != 3 || ws.size() != 3 || ws[0] != s[1] || ws[1] != 1 || ws[2] < 1)
    malformed("its filter does not go with its input");
  const std::string after = call.text("activation", "none");
  if (after != "none" && after != "silu" && after != "swish") malformed("its activation is " + excerpt(after));
  const int64_t before = ws[2] - 1;
  if (call.has(3) && call.shape(3) != Shape{s[0], s[1], before}) malformed("its state does not go with its filter");
  Tensor x = call.in(0);
  if (call.has(3) && before > 0)
    x = rondo::concat({call.in(3), x}, 2);
  else if (before > 0)
    x = rondo::pad(x, RONDO_PAD_CONSTANT, {0, 0, 0, 0, before, 0});
  rondo_convolution_options options = rondo::convolution_defaults();
  options.groups = s[1];
  const Tensor bias = call.has(2) ? call.in(2) : Tensor();
  if (bias) options.bias = bias.get();
  const Tensor y = rondo::convolution(x, call.in(1), options);
  call.out(0, after == "none" ? y : rondo::unary(RONDO_SILU, y));
  call.out(1, x.slice(2, s[2], s[2] + before));
}

void linear_attention(Call& call) {
  const int64_t heads = call.integer("q_num_heads", 0), groups = call.integer("kv_num_heads", 0);
  const std::string rule = call.text("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") malformed("its update_rule is " + excerpt(rule));
  if (groups < 1 || heads < 1 || heads > kMostHeads || heads % groups != 0 || gated != call.has(4) ||
      delta != call.has(5))
    malformed("its heads, decay or beta do not go with its update_rule");
  const rondo_dtype dtype = call.dtype(0), wide = dtype == RONDO_F64 ? RONDO_F64 : RONDO_F32;
  const auto heads_first = [&](size_t i, int64_t count) {
    return parted(call.in(i), count).transpose({0, 2, 1, 3}).to(wide);
  };
  const Tensor q = heads_first(0, heads), k = heads_first(1, groups), v = heads_first(2, groups);
  const Shape qs = q.shape(), vs = v.shape();
  const int64_t batch = qs[0], steps = qs[2], size = qs[3], width = vs[3];
  if (k.shape() != Shape{batch, groups, steps, size} || vs != Shape{batch, groups, steps, width})
    malformed("its keys and values do not go with its queries");
  if (size < 1 || width < 1) malformed("its heads have no elements");
  call.session().count_nodes(8 * steps);
  const double given = call.real("scale", 0), scale = given == 0 ? 1 / std::sqrt(static_cast<double>(size)) : given;
  Tensor decay, beta, state;
  if (gated) {
    const Tensor g = call.in(4);
    if (g.dim() != 3 || g.size(2) % groups != 0) malformed("its decay cannot be divided by its heads");
    decay = rondo::exp(parted(g, groups).transpose({0, 2, 1, 3}).to(wide));
  }
  if (delta) {
    const Tensor b = call.in(5);
    if (b.dim() != 3) malformed("its beta does not have three dimensions");
    beta = b.transpose({0, 2, 1}).unsqueeze(3).to(wide);
  }
  if (call.has(3) && call.shape(3) != Shape{batch, groups, size, width})
    malformed("its state does not go with its keys and values");
  if (call.has(3)) state = call.in(3).to(wide);
  const auto at = [](const Tensor& x, int64_t i) { return x.slice(2, i, i + 1); };
  rondo_matmul_options turned = rondo::matmul_defaults();
  turned.transpose_a = 1;
  std::vector<Tensor> results;
  for (int64_t i = 0; i < steps; ++i) {
    const Tensor key = at(k, i);
    Tensor value = at(v, i);
    if (state && gated) state = state * at(decay, i).transpose({0, 1, 3, 2});
    if (delta) value = (state ? value - rondo::matmul(key, state) : value) * at(beta, i);
    const Tensor more = rondo::matmul(key, value, turned);
    state = state ? state + more : more;
    // Heads that share a state are rows of one product.
    const Tensor rows = at(q, i).reshape({batch, groups, heads / groups, size});
    results.push_back(rondo::matmul(rows, state).reshape({batch, 1, heads * width}));
  }
  if (results.empty()) refuse("it has no places");
  call.out(0, (rondo::concat(results, 1) * scale).to(dtype));
  call.out(1, state.to(call.has(3) ? call.dtype(3) : dtype));
}

void group_query_attention(Call& call) {
  const int64_t heads = call.integer("num_heads", 0), groups = call.integer("kv_num_heads", 0);
  if (heads < 1 || groups < 1 || heads > kMostHeads || heads % groups != 0)
    malformed("its heads cannot be divided among those of its keys");
  if (call.integer("smooth_softmax", 0) > 0 || call.inputs() > 9 || call.has_attribute("k_quant_type") ||
      call.outputs() > 3)
    refuse("its softmax is smooth, its cache is quantised, or it has positions, a bias or scores of its own");
  if (!call.has(5)) malformed("it has no lengths of keys");
  const Shape s = call.shape(0);
  if (s.size() != 3) malformed("its queries do not have three dimensions");
  const int64_t batch = s[0], places = s[1];
  Tensor q, k, v;
  if (call.has(1)) {
    q = parted(call.in(0), heads);
    k = parted(call.in(1), groups);
    v = parted(call.in(2), groups);
  } else {
    const Tensor all = parted(call.in(0), heads + 2 * groups);
    q = all.slice(2, 0, heads);
    k = all.slice(2, heads, heads + groups);
    v = all.slice(2, heads + groups, heads + 2 * groups);
  }
  if (call.shape(5).empty() || product(call.shape(5)) != batch) malformed("its lengths are not one for each sample");
  // The file counts the keys of each sample, less one.
  const Tensor lengths = call.in(5).reshape({-1}).to(RONDO_I32) + 1;
  const int64_t past = call.has(3) ? call.shape(3).at(2) : 0;
  Tensor starts = lengths - places;
  starts = rondo::maximum(starts, rondo::Number(0)).to(RONDO_I64);
  if (call.integer("do_rotary", 0) != 0) {
    if (!call.has(7) || !call.has(8)) malformed("it has no tables of cosines and sines");
    const Tensor cosines = call.in(7), sines = call.in(8);
    if (cosines.dim() != 2) malformed("its table of cosines does not have two dimensions");
    const int64_t width = 2 * cosines.size(1);
    if (width < 2 || width > q.size(3)) malformed("its tables are wider than its heads");
    call.may_take<int64_t>(places);
    std::vector<int64_t> numbers(static_cast<size_t>(places));
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
    const Tensor steps = call.precomputed([&] { return call.constant_tensor(RONDO_I64, {1, places}, numbers.data()); });
    const Tensor at = starts.reshape({batch, 1}) + steps;
    const Tensor c = rondo::take(cosines, at, 0).unsqueeze(2), d = rondo::take(sines, at, 0).unsqueeze(2);
    const bool interleaved = call.integer("rotary_interleaved", 0) != 0;
    q = rotary_turned(q, c, d, width, interleaved);
    k = rotary_turned(k, c, d, width, interleaved);
  }
  const auto turned = [](const Tensor& x) { return x.transpose({0, 2, 1, 3}); };
  Tensor keys = turned(k), values = turned(v);
  // A prompt is the first of its sample, in a cache with room for more too; samples that are shorter end in anything.
  bool prompt = past == 0;
  if (past > 0) {
    // A cache as long as all keys is written in place; a shorter one becomes longer by the new ones.
    const std::vector<int64_t> total = call.whole_numbers(6, "how many keys there are");
    if (total.size() != 1 || total[0] < places || total[0] > past + places)
      malformed("how many keys there are does not go with its cache");
    prompt = total[0] == places;
    const int64_t room = std::max(past, total[0]);
    const auto longer = [&](size_t i) {
      return room == past ? call.in(i) : rondo::pad(call.in(i), RONDO_PAD_CONSTANT, {0, 0, 0, 0, 0, room - past, 0, 0});
    };
    keys = written(call, longer(3), keys, starts, 2, false);
    values = written(call, longer(4), values, starts, 2, false);
  }
  call.out(1, past > 0 ? keys : rondo::copy(keys));
  call.out(2, past > 0 ? values : rondo::copy(values));
  rondo_attention_options options = rondo::attention_defaults();
  options.key_lengths = lengths.get();
  options.scale = call.real("scale", 0);
  options.soft_cap = std::max(call.real("softcap", 0), 0.0);
  options.causal = 1;
  options.aligned_last = !prompt;
  if (const int64_t window = call.integer("local_window_size", -1); window > 0) options.before = window - 1;
  if (q.size(3) > 256)
    refuse("its heads have " + std::to_string(q.size(3)) + " elements; at most 256 can be converted");
  call.out(0, rondo::attention(q, turned(keys), turned(values), options).reshape({batch, places, heads * q.size(3)}));
}

}  // namespace rondo_onnx
