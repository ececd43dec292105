// Builds attention and its gradients as graphs of products and the operations between them, where cuDNN has no
// operation that is all of it: in older versions, gradients on GPUs before Blackwell. Slopes of all scores go through
// the workspace of gradients, so that no sum is made by several at once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/sdpa_composed.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

class Composed {
 public:
  Composed(const Sdpa& problem, OperationGraph* graph) : p_(problem), graph_(*graph) {}
  Status result();
  Status gradients();

 private:
  using Tensor = const Descriptor*;

  Status operand(int t, bool transposed, Tensor* tensor) { return add_operand(&graph_, p_, t, transposed, tensor); }
  Status number(int64_t id, int type, Tensor* tensor) { return add_number(&graph_, id, type, tensor); }
  Status between(int type, std::span<const int64_t> sizes, std::span<const int64_t> strides, Tensor* tensor) {
    return graph_.add_tensor({++last_id_, type, sizes, strides, true}, tensor);
  }
  // A number for each query.
  Status of_queries(Tensor* tensor) {
    const int64_t sizes[] = {p_.batch, p_.heads, p_.queries, 1};
    const int64_t strides[] = {p_.heads * p_.queries, p_.queries, 1, 1};
    return between(CUDNN_DATA_FLOAT, sizes, strides, tensor);
  }
  // A number for each query and key; of_keys: as a matrix of keys by queries.
  Status scores(int type, Tensor* tensor, bool of_keys = false);

  Status elementwise(int mode, Tensor x, Tensor b, Tensor to, int computed = CUDNN_DATA_FLOAT,
                     Tensor chosen_by = nullptr, int axis = -1);
  // The same into a new number for each query and key.
  Status score(int mode, Tensor x, Tensor b, Tensor* to) {
    RONDO_TRY(scores(CUDNN_DATA_FLOAT, to));
    return elementwise(mode, x, b, *to);
  }
  Status product(Tensor a, Tensor b, Tensor to);
  // One number for each query, of all in its row.
  Status reduce(int operation, Tensor rows, Tensor* to);
  // The product of queries and keys, scaled, with what a band hides.
  Status scaled_scores(Tensor q, Tensor k, Tensor scale, Tensor* to);
  Status transposed(Tensor from, Tensor to);
  Status delta(Tensor dy, Tensor* sums);
  Status hide(bool after, Tensor* scores);

  const Sdpa& p_;
  OperationGraph& graph_;
  int64_t last_id_ = 40;
};

Status Composed::scores(int type, Tensor* tensor, bool of_keys) {
  int64_t sizes[] = {p_.batch, p_.heads, p_.queries, p_.keys};
  int64_t strides[] = {p_.heads * p_.queries * p_.keys, p_.queries * p_.keys, p_.keys, 1};
  if (of_keys) std::swap(sizes[2], sizes[3]), std::swap(strides[2], strides[3]);
  return between(type, sizes, strides, tensor);
}

Status Composed::elementwise(int mode, Tensor x, Tensor b, Tensor to, int computed, Tensor chosen_by, int axis) {
  Descriptor *kind = nullptr, *operation = nullptr;
  RONDO_TRY(graph_.create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, &kind));
  RONDO_TRY(kind->set_enum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode));
  RONDO_TRY(kind->set_enum(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, computed));
  if (axis >= 0) RONDO_TRY(kind->set_int64(CUDNN_ATTR_POINTWISE_AXIS, axis));
  RONDO_TRY(kind->finalize());
  RONDO_TRY(graph_.create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, &operation));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, *kind));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *x));
  if (b) RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b));
  if (chosen_by) RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *chosen_by));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, *to));
  return graph_.add_operation(*operation);
}

Status Composed::product(Tensor a, Tensor b, Tensor to) {
  Descriptor *kind = nullptr, *operation = nullptr;
  RONDO_TRY(graph_.create(CUDNN_BACKEND_MATMUL_DESCRIPTOR, &kind));
  RONDO_TRY(kind->set_enum(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT));
  RONDO_TRY(kind->finalize());
  RONDO_TRY(graph_.create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, &operation));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_MATMUL_ADESC, *a));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_MATMUL_BDESC, *b));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_MATMUL_CDESC, *to));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_MATMUL_DESC, *kind));
  return graph_.add_operation(*operation);
}

Status Composed::transposed(Tensor from, Tensor to) {
  Descriptor* operation = nullptr;
  RONDO_TRY(graph_.create(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR, &operation));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, *from));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, *to));
  return graph_.add_operation(*operation);
}

Status Composed::reduce(int mode, Tensor rows, Tensor* to) {
  RONDO_TRY(of_queries(to));
  Descriptor *kind = nullptr, *operation = nullptr;
  RONDO_TRY(graph_.create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR, &kind));
  RONDO_TRY(kind->set_enum(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, mode));
  RONDO_TRY(kind->set_enum(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT));
  RONDO_TRY(kind->finalize());
  RONDO_TRY(graph_.create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, &operation));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, *rows));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, **to));
  RONDO_TRY(operation->set_descriptor(CUDNN_ATTR_OPERATION_REDUCTION_DESC, *kind));
  return graph_.add_operation(*operation);
}

// Writes for each query the sum of dy times the result to memory.
Status Composed::delta(Tensor dy, Tensor* sums) {
  const int64_t sizes[] = {p_.batch, p_.heads, p_.queries, p_.size};
  const int64_t strides[] = {p_.heads * p_.queries * p_.size, p_.queries * p_.size, p_.size, 1};
  Tensor result = nullptr, products = nullptr, added = nullptr, one = nullptr;
  RONDO_TRY(operand(kSdpaO, false, &result));
  RONDO_TRY(between(CUDNN_DATA_FLOAT, sizes, strides, &products));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_MUL, dy, result, products));
  RONDO_TRY(reduce(CUDNN_REDUCE_TENSOR_ADD, products, &added));
  // The library knows the graph by this product.
  RONDO_TRY(number(kSdpaOne, CUDNN_DATA_FLOAT, &one));
  RONDO_TRY(operand(kSdpaSums, false, sums));
  return elementwise(CUDNN_POINTWISE_MUL, added, one, *sums);
}

// Hides the keys on one side of each query's band.
Status Composed::hide(bool after, Tensor* scores_of) {
  Tensor query = nullptr, key = nullptr, seen = nullptr, hidden = nullptr, to = nullptr, bound = nullptr,
         moved = nullptr;
  RONDO_TRY(scores(CUDNN_DATA_INT32, &query));
  RONDO_TRY(scores(CUDNN_DATA_INT32, &key));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_GEN_INDEX, *scores_of, nullptr, query, CUDNN_DATA_FLOAT, nullptr, 2));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_GEN_INDEX, *scores_of, nullptr, key, CUDNN_DATA_FLOAT, nullptr, 3));
  const int type = after ? CUDNN_DATA_INT32 : CUDNN_DATA_FLOAT;
  if (!after || p_.shift + p_.after != 0) {
    RONDO_TRY(number(after ? kSdpaAfter : kSdpaBefore, type, &bound));
    RONDO_TRY(scores(type, &moved));
    RONDO_TRY(elementwise(CUDNN_POINTWISE_ADD, after ? query : key, bound, moved, type, nullptr, 3));
    (after ? query : key) = moved;
  }
  // query + shift + after >= key; key + bound > query.
  RONDO_TRY(scores(CUDNN_DATA_BOOLEAN, &seen));
  RONDO_TRY(elementwise(after ? CUDNN_POINTWISE_CMP_GE : CUDNN_POINTWISE_CMP_GT, after ? query : key,
                        after ? key : query, seen, CUDNN_DATA_BOOLEAN));
  RONDO_TRY(number(kSdpaHidden, CUDNN_DATA_FLOAT, &hidden));
  RONDO_TRY(scores(CUDNN_DATA_FLOAT, &to));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_BINARY_SELECT, *scores_of, hidden, to, CUDNN_DATA_FLOAT, seen));
  *scores_of = to;
  return {};
}

Status Composed::scaled_scores(Tensor q, Tensor k, Tensor scale, Tensor* to) {
  Tensor products = nullptr;
  RONDO_TRY(scores(CUDNN_DATA_FLOAT, &products));
  RONDO_TRY(product(q, k, products));
  RONDO_TRY(score(CUDNN_POINTWISE_MUL, products, scale, to));
  if (p_.after >= 0) RONDO_TRY(hide(true, to));
  return p_.before >= 0 ? hide(false, to) : Status();
}

Status Composed::result() {
  Tensor q = nullptr, k = nullptr, v = nullptr, scale = nullptr, out = nullptr, stats = nullptr, scaled = nullptr,
         most = nullptr, less = nullptr, powers = nullptr, sums = nullptr, logarithms = nullptr, weights = nullptr;
  RONDO_TRY(operand(kSdpaV, false, &v));
  RONDO_TRY(operand(kSdpaO, false, &out));
  RONDO_TRY(operand(kSdpaStats, false, &stats));
  RONDO_TRY(operand(kSdpaQ, false, &q));
  RONDO_TRY(operand(kSdpaK, true, &k));
  RONDO_TRY(number(kSdpaScale, CUDNN_DATA_FLOAT, &scale));
  RONDO_TRY(scaled_scores(q, k, scale, &scaled));
  RONDO_TRY(reduce(CUDNN_REDUCE_TENSOR_MAX, scaled, &most));
  RONDO_TRY(score(CUDNN_POINTWISE_SUB, scaled, most, &less));
  RONDO_TRY(score(CUDNN_POINTWISE_EXP, less, nullptr, &powers));
  RONDO_TRY(reduce(CUDNN_REDUCE_TENSOR_ADD, powers, &sums));
  RONDO_TRY(of_queries(&logarithms));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_LOG, sums, nullptr, logarithms));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_ADD, most, logarithms, stats));
  RONDO_TRY(scores(data_type(p_.dtype), &weights));
  RONDO_TRY(elementwise(CUDNN_POINTWISE_DIV, powers, sums, weights));
  return product(weights, v, out);
}

Status Composed::gradients() {
  Tensor q = nullptr, k = nullptr, v = nullptr, dy = nullptr, stats = nullptr, scale = nullptr;
  Tensor dq = nullptr, dk = nullptr, dv = nullptr, sums = nullptr;
  RONDO_TRY(operand(kSdpaQ, false, &q));
  RONDO_TRY(operand(kSdpaK, true, &k));
  RONDO_TRY(operand(kSdpaV, true, &v));
  RONDO_TRY(operand(kSdpaDo, false, &dy));
  RONDO_TRY(operand(kSdpaStats, false, &stats));
  RONDO_TRY(operand(kSdpaDq, false, &dq));
  RONDO_TRY(operand(kSdpaDk, false, &dk));
  RONDO_TRY(operand(kSdpaDv, false, &dv));
  RONDO_TRY(number(kSdpaScale, CUDNN_DATA_FLOAT, &scale));
  RONDO_TRY(delta(dy, &sums));
  // weights = exp(q k' scale - stats); dv = weights' dy.
  Tensor scaled = nullptr, less = nullptr, weights = nullptr, transposed_weights = nullptr;
  const int half = data_type(p_.dtype);
  RONDO_TRY(scaled_scores(q, k, scale, &scaled));
  RONDO_TRY(score(CUDNN_POINTWISE_SUB, scaled, stats, &less));
  RONDO_TRY(score(CUDNN_POINTWISE_EXP, less, nullptr, &weights));
  RONDO_TRY(scores(half, &transposed_weights, true));
  RONDO_TRY(transposed(weights, transposed_weights));
  RONDO_TRY(product(transposed_weights, dy, dv));
  // slopes = (dy v' - sums) weights scale; dk = slopes' q; dq = slopes k.
  Tensor slope = nullptr, centred = nullptr, weighted = nullptr, slopes = nullptr, transposed_slopes = nullptr,
         keys = nullptr;
  RONDO_TRY(scores(CUDNN_DATA_FLOAT, &slope));
  RONDO_TRY(product(dy, v, slope));
  RONDO_TRY(score(CUDNN_POINTWISE_SUB, slope, sums, &centred));
  RONDO_TRY(score(CUDNN_POINTWISE_MUL, centred, weights, &weighted));
  RONDO_TRY(score(CUDNN_POINTWISE_MUL, weighted, scale, &slopes));
  RONDO_TRY(scores(half, &transposed_slopes, true));
  RONDO_TRY(transposed(slopes, transposed_slopes));
  RONDO_TRY(product(transposed_slopes, q, dk));
  const int64_t sizes[] = {p_.batch, p_.key_heads, p_.keys, p_.size};
  const int64_t strides[] = {p_.stride[kSdpaK][0], p_.stride[kSdpaK][1], p_.stride[kSdpaK][2], 1};
  RONDO_TRY(between(half, sizes, strides, &keys));
  RONDO_TRY(transposed(k, keys));
  return product(slopes, keys, dq);
}

}  // namespace

Status compose(const Sdpa& problem, OperationGraph* graph) {
  Composed composed(problem, graph);
  return problem.gradient ? composed.gradients() : composed.result();
}

}  // namespace rondo::ops::dnn
