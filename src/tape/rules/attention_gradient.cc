// The gradient of attention's gradient. Its formula is attention with its scores in memory, of which steps make the
// gradients of queries, keys and values; so gradients of all orders take the memory of the scores.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "ops/attention/attention.h"
#include "tape/gradient_builder.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

// The place of each operand; 0: it is not there.
struct Operands {
  size_t mask, query_lengths, key_lengths, draw, dy, dlse;
  explicit Operands(const ops::AttentionGradCall& call) {
    const auto of = [&call](const char* name) { return ops::input_of(call, name).value_or(0); };
    mask = of("mask"), query_lengths = of("query_lengths"), key_lengths = of("key_lengths");
    draw = of("draw"), dy = of("dy"), dlse = of("dlse");
  }
};

View with(const View& view, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides) {
  View result = view;
  result.layout.ndim = static_cast<int>(shape.size());
  std::copy(shape.begin(), shape.end(), result.layout.shape);
  std::copy(strides.begin(), strides.end(), result.layout.strides);
  return result;
}

class AttentionFormula {
 public:
  AttentionFormula(GradientBuilder& steps, const ops::AttentionGradCall& call, std::span<const View> in)
      : steps_(steps),
        numbers_(call.numbers),
        at_(call),
        in_(in),
        dtype_(compute_dtype(in[0].dtype)),
        batch_(in[0].layout.shape[0]),
        queries_(in[0].layout.shape[1]),
        heads_(in[0].layout.shape[2]),
        keys_(in[1].layout.shape[1]),
        key_heads_(in[1].layout.shape[2]),
        shared_(heads_ / key_heads_) {}

  void run(std::span<View> outputs) {
    find_seen();
    const View rows[] = {rows_of(in_[0], true), rows_of(in_[1], false), rows_of(in_[2], false)};
    std::vector<View> changes = {grouped(rows_of(in_[at_.dy], true), shared_)};
    if (at_.dlse) changes.push_back(change_of_logarithms());
    if (at_.draw) {
      const int64_t shape[] = {batch_, heads_, queries_, keys_};
      kept_ = of_scores(steps_.make([&](ops::Output& out) {
        return ops::attention_kept({numbers_, in_[0].layout.shape[3]}, in_[at_.draw], dtype_,
                                   Layout::row_major(4, shape), out);
      }));
    }
    if (!steps_.status().ok()) return;
    const std::vector<View> made = steps_.gradients(rows, changes, [&] { return attend(rows[0], rows[1], rows[2]); });
    for (size_t i = 0; i < made.size() && steps_.status().ok(); ++i) outputs[i] = steps_.cast(made[i], in_[i].dtype);
  }

 private:
  // [batch, places, heads, size] as [batch, key heads, heads that share one, places, size].
  static View grouped(const View& view, int64_t shared) {
    const int64_t *shape = view.layout.shape, *step = view.layout.strides;
    return with(view, {shape[0], shape[2] / shared, shared, shape[1], shape[3]},
                {step[0], shared * step[2], step[2], step[1], step[3]});
  }
  // [batch, heads, queries, keys], or what is spread over it, likewise.
  View of_scores(const View& view) const {
    const int64_t all[] = {batch_, heads_, queries_, keys_};
    const Layout layout = broadcast_layout(view.layout, Layout::row_major(4, all));
    const int64_t* step = layout.strides;
    return with(view, {batch_, key_heads_, shared_, queries_, keys_},
                {step[0], shared_ * step[1], step[1], step[2], step[3]});
  }
  // [batch, 1, 1, 1, 1]: how many queries or keys there are.
  View length(size_t operand, int64_t most) {
    const View& given = in_[operand];
    const View column = with(given, {batch_, 1, 1, 1, 1}, {given.layout.strides[0], 0, 0, 0, 0});
    return steps_.whole(RONDO_MINIMUM, steps_.whole(RONDO_MAXIMUM, steps_.cast(column, RONDO_I64), 0), most);
  }
  void see(const View& condition) {
    seen_ = seen_.storage ? steps_.binary(RONDO_LOGICAL_AND, seen_, condition) : condition;
  }

  // Which keys each query sees, as far as that is said: queries, keys and shifts stand in the axes of scores.
  void find_seen() {
    Device& device = in_[0].device();
    const int64_t column[] = {queries_, 1}, line[] = {1, keys_};
    const View query = steps_.reshape(steps_.places(device, queries_), Layout::row_major(2, column));
    const View key = steps_.reshape(steps_.places(device, keys_), Layout::row_major(2, line));
    View queries, keys;
    if (at_.query_lengths) queries = length(at_.query_lengths, queries_);
    if (at_.key_lengths) keys = length(at_.key_lengths, keys_);
    if (at_.query_lengths) see(query_there_ = steps_.binary(RONDO_LT, query, queries));
    if (at_.key_lengths) see(key_there_ = steps_.binary(RONDO_LT, key, keys));
    if (numbers_.before >= 0 || numbers_.after >= 0) {
      View own = query;  // the key at its own place
      if (numbers_.last) {
        own = keys.storage ? steps_.binary(RONDO_ADD, own, keys) : steps_.whole(RONDO_ADD, own, keys_);
        own = queries.storage ? steps_.binary(RONDO_SUB, own, queries) : steps_.whole(RONDO_SUB, own, queries_);
      }
      const int64_t all = queries_ + keys_;
      if (numbers_.before >= 0)
        see(steps_.binary(RONDO_GE, key, steps_.whole(RONDO_SUB, own, std::min(numbers_.before, all))));
      if (numbers_.after >= 0)
        see(steps_.binary(RONDO_LE, key, steps_.whole(RONDO_ADD, own, std::min(numbers_.after, all))));
    }
    if (!at_.mask) return;
    const View mask = of_scores(in_[at_.mask]);
    if (mask.dtype == RONDO_BOOL) return see(mask);
    see(steps_.unary(RONDO_LOGICAL_NOT, steps_.unary(RONDO_ISNEGINF, mask)));
    added_ = steps_.where(seen_, steps_.cast(mask, dtype_), 0.0);
  }

  // A copy; zeros where nothing is to be read.
  View rows_of(const View& view, bool of_queries) {
    const View& there = of_queries ? query_there_ : key_there_;
    if (!there.storage) return steps_.copy(view, dtype_);
    const int64_t places = of_queries ? queries_ : keys_, step = there.layout.strides[of_queries ? 3 : 4];
    return steps_.where(with(there, {batch_, places, 1, 1}, {there.layout.strides[0], step, 0, 0}),
                        steps_.cast(view, dtype_), 0.0);
  }
  View change_of_logarithms() {
    const View& given = in_[at_.dlse];
    const int64_t* step = given.layout.strides;
    const View change =
        with(given, {batch_, key_heads_, shared_, queries_, 1}, {step[0], shared_ * step[1], step[1], step[2], 0});
    return query_there_.storage ? steps_.where(query_there_, change, 0.0) : change;
  }

  // The result and, where something came in for them, the logarithms.
  std::vector<View> attend(const View& q, const View& k, const View& v) {
    const double scale = numbers_.scale != 0 ? numbers_.scale : 1 / std::sqrt(static_cast<double>(q.layout.shape[3]));
    const auto multiply = [&](const View& a, const View& b, bool transposed) {
      ops::MatmulOptions options;
      options.transpose_b = transposed;
      return steps_.make([&](ops::Output& out) { return ops::matmul(a, b, options, out); });
    };
    View scores = steps_.scalar(RONDO_MUL, multiply(grouped(q, shared_), grouped(k, 1), true), scale);
    if (numbers_.cap > 0)
      scores = steps_.scalar(RONDO_MUL, steps_.unary(RONDO_TANH, steps_.scalar(RONDO_DIV, scores, numbers_.cap)),
                             numbers_.cap);
    if (added_.storage) scores = steps_.binary(RONDO_ADD, scores, added_);
    // So low that it counts only where there is nothing else, and then not at all.
    const double low = dtype_ == RONDO_F64 ? std::numeric_limits<double>::lowest() / 2
                                           : static_cast<double>(std::numeric_limits<float>::lowest()) / 2;
    if (seen_.storage) scores = steps_.where(seen_, scores, low);
    View parts = steps_.make([&](ops::Output& out) { return ops::softmax(false, scores, 4, out); });
    if (seen_.storage) parts = steps_.where(seen_, parts, 0.0);
    if (kept_.storage) parts = steps_.binary(RONDO_MUL, parts, kept_);
    std::vector<View> made = {multiply(parts, grouped(v, 1), false)};
    const int32_t last = 4;
    if (at_.dlse) made.push_back(steps_.reduce(RONDO_LOGSUMEXP, scores, {&last, 1}));
    return made;
  }

  GradientBuilder& steps_;
  const ops::AttentionNumbers& numbers_;
  const Operands at_;
  const std::span<const View> in_;
  const rondo_dtype dtype_;
  const int64_t batch_, queries_, heads_, keys_, key_heads_, shared_;
  View seen_, query_there_, key_there_, added_, kept_;  // without storage: there is none
};

}  // namespace

// The result and the logarithms are made of the others, as the formula makes them again.
unsigned flowing(const ops::AttentionGradCall& call, unsigned active) {
  const Operands at(call);
  return active & (7u | operand_bit(at.dy) | (at.dlse ? operand_bit(at.dlse) : 0u));
}

Status run(const ops::AttentionGradCall& call, Backward& backward) {
  return backward.differentiate([&](GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs) {
    AttentionFormula(steps, call, inputs).run(outputs);
  });
}

}  // namespace rondo::tape
