// Attention: descriptors and sums. Of 16 bits weights are rounded before they are multiplied, as on tensor cores; an
// engine begins with a key of its own, so that two of them differ in the last bits. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include "attention.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace simcudnn {
namespace {

constexpr int kScoresOut = 1;

int attribute_of(bool gradient, int which) {
  static constexpr int kBackward[] = {CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC,     CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC,
                                      CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC,     CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC,
                                      CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC,
                                      CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC,    CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC,
                                      CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC};
  return gradient ? kBackward[which] : CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC + which;
}

bool of_keys(int which) {
  return which == Attention::kK || which == Attention::kV || which == Attention::kDk || which == Attention::kDv;
}

void check_number(const Tensor& tensor, int dtype) {
  if (!tensor.by_value || tensor.is_virtual || tensor.dtype != dtype || tensor.dims != std::vector<std::int64_t>(4, 1))
    throw Refusal{Problem::bad_param, "a number of attention is no single one by value, of its type"};
}

// The operations within, one behind the other.
void read_sides(const Object& graph, std::int64_t in, std::int64_t out, Attention* attention) {
  const std::vector<std::int64_t>& q = attention->tensor[Attention::kQ].dims;
  const std::vector<std::int64_t> scores = {q[0], q[1], q[2], attention->tensor[Attention::kK].dims[2]};
  for (void* each : graph.list<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
    const std::shared_ptr<Object> side = finalized(each, CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR);
    const Tensor x = tensor_behind(*side, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC),
                 y = tensor_behind(*side, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC);
    if (x.id != in || x.dims != scores || y.dims != scores)
      throw Refusal{Problem::unsupported_pattern, "an operation within attention does not read the scores before it"};
    in = y.id;
    const bool left = side->has(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC),
               right = side->has(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC);
    Attention::Side made;
    made.after = !left;
    made.has_bound = left || right;
    if (made.has_bound)
      made.bound = tensor_behind(*side, left ? CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC
                                             : CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC);
    attention->has_hidden = true;
    attention->hidden = tensor_behind(*side, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC);
    attention->sides.push_back(std::move(made));
  }
  if (in != out) throw Refusal{Problem::bad_param, "the graph within attention does not end where it says"};
}

// Elements of 4 axes.
struct Rows {
  const Tensor* tensor = nullptr;
  void* base = nullptr;
  float at(std::int64_t b, std::int64_t h, std::int64_t place, std::int64_t x) const {
    return static_cast<float>(load(base, offset(b, h, place, x), tensor->dtype));
  }
  void put(std::int64_t b, std::int64_t h, std::int64_t place, std::int64_t x, float value) const {
    store(base, offset(b, h, place, x), tensor->dtype, static_cast<double>(value));
  }
  std::int64_t offset(std::int64_t b, std::int64_t h, std::int64_t place, std::int64_t x) const {
    const std::vector<std::int64_t>& step = tensor->strides;
    return b * step[0] + h * step[1] + place * step[2] + x * step[3];
  }
};

class Computed {
 public:
  Computed(const Attention& attention, std::int64_t engine, const AttentionFlaws& flaws,
           const std::vector<void*>& pointers)
      : a_(attention), flaws_(flaws) {
    const std::vector<const Tensor*> operands = a_.operands();
    const auto number = [&](const Tensor& tensor) {
      for (std::size_t i = 0; i < operands.size(); ++i)
        if (operands[i]->id == tensor.id) return *static_cast<const double*>(pointers[i]);
      return 0.0;
    };
    for (std::size_t i = 0; i < operands.size(); ++i)
      for (int which = 0; which < Attention::kAll; ++which)
        if (operands[i] == &a_.tensor[which]) rows_[which] = {operands[i], pointers[i]};
    scale_ = a_.has_scale ? static_cast<float>(number(a_.scale)) : 1;
    for (const Attention::Side& side : a_.sides) {
      const double bound = side.has_bound ? number(side.bound) : 0;
      if (side.after)
        after_ = static_cast<std::int64_t>(bound), limited_after_ = true;
      else
        before_ = static_cast<std::int64_t>(bound), limited_before_ = true;
    }
    const std::vector<std::int64_t>&q = a_.tensor[Attention::kQ].dims, &k = a_.tensor[Attention::kK].dims;
    batch_ = q[0], heads_ = q[1], queries_ = q[2], size_ = q[3], key_heads_ = k[1], keys_ = k[2];
    static std::atomic<std::int64_t> turn{0};
    rotate_ = engine;
    if (flaws.wavers) off_ = ++turn % 2 ? 1.01F : 1;
  }

  void forward() const {
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t h = 0; h < heads_; ++h)
        for (std::int64_t i = 0; i < queries_; ++i) forward(b, h, i);
    if (flaws_.overwrites)
      for (std::int64_t x = 0; x < size_; ++x) rows_[Attention::kO].put(batch_ - 1, heads_ - 1, queries_, x, 0);
  }
  void backward() const {
    const std::int64_t shared = heads_ / key_heads_;
    const Rows &q = rows_[Attention::kQ], &k = rows_[Attention::kK], &v = rows_[Attention::kV],
               &o = rows_[Attention::kO], &dy = rows_[Attention::kDo];
    for (std::int64_t b = 0; b < batch_; ++b)
      for (std::int64_t kh = 0; kh < key_heads_; ++kh) {
        std::vector<float> dk(static_cast<std::size_t>(keys_ * size_), 0), dv = dk;
        for (std::int64_t turn = 0; turn < shared; ++turn) {
          const std::int64_t h = flaws_.misplaces ? kh + turn * key_heads_ : kh * shared + turn;
          for (std::int64_t t = 0; t < queries_; ++t) {
            const std::int64_t i = (t + rotate_) % queries_;
            float delta = 0;
            for (std::int64_t x = 0; x < size_; ++x) delta += dy.at(b, h, i, x) * o.at(b, h, i, x);
            const float logarithm = rows_[Attention::kStats].at(b, h, i, 0);
            std::vector<float> dq(static_cast<std::size_t>(size_), 0);
            for (std::int64_t u = 0; u < keys_; ++u) {
              const std::int64_t j = (u + rotate_) % keys_;
              if (!sees(i, j)) continue;
              float slope = 0;
              for (std::int64_t x = 0; x < size_; ++x) slope += dy.at(b, h, i, x) * v.at(b, kh, j, x);
              const float weight = std::exp(score(b, h, kh, i, j) - logarithm);
              const float rounded_weight = narrow(weight), change = narrow(weight * (slope - delta));
              for (std::int64_t x = 0; x < size_; ++x) {
                const auto at = static_cast<std::size_t>(j * size_ + x);
                dv[at] += rounded_weight * dy.at(b, h, i, x);
                dk[at] += change * q.at(b, h, i, x) * scale_;
                dq[static_cast<std::size_t>(x)] += change * k.at(b, kh, j, x) * scale_;
              }
            }
            for (std::int64_t x = 0; x < size_; ++x)
              rows_[Attention::kDq].put(b, h, i, x, dq[static_cast<std::size_t>(x)] * off_);
          }
        }
        for (std::int64_t j = 0; j < keys_; ++j)
          for (std::int64_t x = 0; x < size_; ++x) {
            rows_[Attention::kDk].put(b, kh, j, x, dk[static_cast<std::size_t>(j * size_ + x)]);
            rows_[Attention::kDv].put(b, kh, j, x, dv[static_cast<std::size_t>(j * size_ + x)]);
          }
      }
    if (flaws_.overwrites)
      for (std::int64_t x = 0; x < size_; ++x) rows_[Attention::kDq].put(batch_ - 1, heads_ - 1, queries_, x, 0);
  }

 private:
  bool sees(std::int64_t i, std::int64_t j) const {
    if (flaws_.miscounts && !limited_after_ && keys_ > 1 && j == keys_ - 1) return false;
    const std::int64_t more = flaws_.miscounts ? 1 : 0;
    return (!limited_after_ || i + after_ + more >= j) && (!limited_before_ || j + before_ > i);
  }
  float score(std::int64_t b, std::int64_t h, std::int64_t kh, std::int64_t i, std::int64_t j) const {
    float sum = 0;
    for (std::int64_t x = 0; x < size_; ++x)
      sum += rows_[Attention::kQ].at(b, h, i, x) * rows_[Attention::kK].at(b, kh, j, x);
    return sum * scale_;
  }
  float narrow(float value) const {
    return static_cast<float>(rounded(static_cast<double>(value), a_.tensor[Attention::kQ].dtype));
  }
  void forward(std::int64_t b, std::int64_t h, std::int64_t i) const {
    const std::int64_t kh = flaws_.misplaces ? h % key_heads_ : h / (heads_ / key_heads_);
    std::vector<float> scores(static_cast<std::size_t>(keys_), 0), out(static_cast<std::size_t>(size_), 0);
    float top = -INFINITY, sum = 0;
    for (std::int64_t j = 0; j < keys_; ++j)
      if (sees(i, j)) top = std::max(top, scores[static_cast<std::size_t>(j)] = score(b, h, kh, i, j));
    for (std::int64_t u = 0; u < keys_; ++u) {
      const std::int64_t j = (u + rotate_) % keys_;
      if (!sees(i, j)) continue;
      const float weight = std::exp(scores[static_cast<std::size_t>(j)] - top), rounded_weight = narrow(weight);
      sum += weight;
      for (std::int64_t x = 0; x < size_; ++x)
        out[static_cast<std::size_t>(x)] += rounded_weight * rows_[Attention::kV].at(b, kh, j, x);
    }
    for (std::int64_t x = 0; x < size_; ++x)
      rows_[Attention::kO].put(b, h, i, x, out[static_cast<std::size_t>(x)] / sum * off_);
    if (a_.has(Attention::kStats)) rows_[Attention::kStats].put(b, h, i, 0, top + std::log(sum));
  }

  const Attention& a_;
  const AttentionFlaws flaws_;
  Rows rows_[Attention::kAll];
  float scale_ = 1, off_ = 1;
  bool limited_after_ = false, limited_before_ = false;
  std::int64_t after_ = 0, before_ = 0, rotate_ = 0;
  std::int64_t batch_ = 0, heads_ = 0, queries_ = 0, size_ = 0, key_heads_ = 0, keys_ = 0;
};

}  // namespace

bool is_attention(int type) {
  return type == CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR || type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR;
}

std::vector<const Tensor*> Attention::operands() const {
  std::vector<const Tensor*> all;
  for (int which = 0; which < kAll; ++which)
    if (has(which) && !writes(which)) all.push_back(&tensor[which]);
  if (has_scale) all.push_back(&scale);
  if (has_hidden) all.push_back(&hidden);
  for (const Side& side : sides)
    if (side.has_bound) all.push_back(&side.bound);
  for (int which = 0; which < kAll; ++which)
    if (has(which) && writes(which)) all.push_back(&tensor[which]);
  return all;
}

std::size_t Attention::written() const {
  std::size_t count = 0;
  for (int which = 0; which < kAll; ++which) count += has(which) && writes(which);
  return count;
}

void check_side(const Object& operation) {
  const bool left = operation.has(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC),
             right = operation.has(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC);
  if (left && right) throw Refusal{Problem::bad_param, "a side of a band has two bounds"};
  const int mode = operation.one<int>(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE);
  if (mode != (left ? CUDNN_POINTWISE_CMP_GT : CUDNN_POINTWISE_CMP_GE))
    throw Refusal{Problem::unsupported, "only the comparisons that bands are made of are simulated"};
  check_number(tensor_behind(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC), CUDNN_DATA_FLOAT);
  if (left)
    check_number(tensor_behind(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC), CUDNN_DATA_FLOAT);
  if (right)
    check_number(tensor_behind(operation, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC),
                 CUDNN_DATA_INT32);
  for (const int attribute :
       {CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC})
    if (const Tensor scores = tensor_behind(operation, attribute);
        !scores.is_virtual || scores.dtype != CUDNN_DATA_FLOAT)
      throw Refusal{Problem::unsupported, "scores are virtual floats"};
}

void check_sides(const Object& graph) {
  for (void* each : graph.list<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS))
    finalized(each, CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR);
}

Attention read_attention(const Object& operation) {
  Attention a;
  a.gradient = operation.type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR;
  if (a.gradient && settings().version < 920)
    throw Refusal{Problem::bad_param, "this version takes no graph of attention's gradient"};
  for (int which = 0; which < Attention::kAll; ++which)
    if (a.gradient || which <= Attention::kStats)
      if (const int attribute = attribute_of(a.gradient, which); operation.has(attribute))
        a.tensor[which] = tensor_behind(operation, attribute);
  const std::vector<std::int64_t>&q = a.tensor[Attention::kQ].dims, &k = a.tensor[Attention::kK].dims;
  if (q.size() != 4 || k.size() != 4 || k[1] < 1 || q[1] % k[1] != 0)
    throw Refusal{Problem::shape, "attention is of four axes, and its heads share those of keys"};
  const int dtype = a.tensor[Attention::kQ].dtype;
  for (int which = 0; which < Attention::kAll; ++which) {
    if (!a.has(which)) continue;
    const Tensor& each = a.tensor[which];
    const bool stats = which == Attention::kStats;
    const std::vector<std::int64_t> wanted = {q[0], of_keys(which) ? k[1] : q[1], of_keys(which) ? k[2] : q[2],
                                              stats ? 1 : q[3]};
    if (each.dims != wanted) throw Refusal{Problem::shape, "the shapes of attention do not fit"};
    if (each.is_virtual || each.dtype != (stats ? CUDNN_DATA_FLOAT : dtype) || each.strides[3] != 1)
      throw Refusal{Problem::unsupported, "a tensor of attention is of another type, or its rows have gaps"};
    for (int axis = 0; axis < 3 && !stats; ++axis)
      if (each.strides[static_cast<std::size_t>(axis)] % 8 != 0)
        throw Refusal{Problem::unsupported, "rows of attention begin at multiples of 16 bytes"};
  }
  if ((dtype != CUDNN_DATA_HALF && dtype != CUDNN_DATA_BFLOAT16) || q[3] % 8 != 0 || q[3] > (a.gradient ? 128 : 256))
    throw Refusal{Problem::unsupported, "attention is of 16 bits and of sizes that 8 divides"};
  const int scale = a.gradient ? CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC : CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC;
  a.has_scale = operation.has(scale);
  if (a.has_scale) check_number(a.scale = tensor_behind(operation, scale), CUDNN_DATA_FLOAT);
  const int within = a.gradient ? CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH : CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH;
  if (operation.has(within))
    read_sides(*behind(operation, within, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR),
               operation.one<std::int64_t>(within + kScoresOut), operation.one<std::int64_t>(within + 2), &a);
  return a;
}

void check_attention(const Object& operation) {
  if (operation.type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR && settings().version < 920)
    return;  // its graph is
  read_attention(operation);
}

void compute_attention(const Attention& attention, std::int64_t engine, const AttentionFlaws& flaws,
                       const std::vector<void*>& pointers) {
  const Computed computed(attention, engine, flaws, pointers);
  if (attention.gradient)
    computed.backward();
  else
    computed.forward();
}

}  // namespace simcudnn
