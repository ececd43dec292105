// Reading operation graphs. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "pattern.h"

#include <set>

namespace simcudnn {
namespace {

int first_attribute(int operation) {
  switch (operation) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR: return CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA;
    default: return CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA;
  }
}

double scalar(const Object& object, int attribute) {
  return object.values.at(attribute).type == CUDNN_TYPE_DOUBLE ? object.one<double>(attribute)
                                                               : static_cast<double>(object.one<float>(attribute));
}

Pattern read_convolution(const Object& operation) {
  Pattern p;
  p.operation = operation.type;
  const int first = first_attribute(operation.type);
  p.alpha = scalar(operation, first);
  p.beta = scalar(operation, first + 1);
  const std::shared_ptr<Object> convolution = behind(operation, first + 2, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  p.compute = convolution->one<int>(CUDNN_ATTR_CONVOLUTION_COMP_TYPE);
  p.stride = convolution->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  p.dilation = convolution->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
  p.before = convolution->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  p.after = convolution->list<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  // W, X, Y in all three; only what is written differs.
  p.filter = tensor_behind(operation, first + 3);
  p.image = tensor_behind(operation, first + 4);
  p.result = tensor_behind(operation, first + 5);
  const bool wide = p.compute == CUDNN_DATA_DOUBLE;
  if ((operation.values.at(first).type == CUDNN_TYPE_DOUBLE) != wide)
    throw Refusal{Problem::attribute_type, "alpha and beta have the type that is computed in"};
  const std::size_t dims = p.image.dims.size();
  if (p.filter.dims.size() != dims || p.result.dims.size() != dims || dims != p.stride.size() + 2)
    throw Refusal{Problem::shape, "the tensors of a convolution have as many dimensions as it, and two"};
  if (dims < 4 || dims > 5) throw Refusal{Problem::unsupported, "convolutions have two or three spatial dimensions"};
  p.groups = p.image.dims[1] / p.filter.dims[1];
  bool fits = p.image.dims[1] % p.filter.dims[1] == 0 && p.result.dims[1] == p.filter.dims[0] &&
              p.filter.dims[0] % p.groups == 0 && p.image.dims[0] == p.result.dims[0];
  for (std::size_t i = 2; i < dims; ++i) {
    const std::int64_t reach = (p.filter.dims[i] - 1) * p.dilation[i - 2] + 1;
    const std::int64_t room = p.image.dims[i] + p.before[i - 2] + p.after[i - 2] - reach;
    fits &= room >= 0 && p.result.dims[i] == room / p.stride[i - 2] + 1;
  }
  if (!fits) throw Refusal{Problem::shape, "the shapes of a convolution do not fit"};
  if (p.filter.dtype != p.image.dtype) throw Refusal{Problem::unsupported, "image and filter have one type"};
  return p;
}

}  // namespace

Tensor read_tensor(const Object& object) {
  Tensor tensor;
  tensor.id = object.one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  tensor.dtype = object.one<int>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  tensor.alignment = object.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  tensor.is_virtual = object.one<unsigned char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL) != 0;
  tensor.by_value = object.one<unsigned char>(CUDNN_ATTR_TENSOR_IS_BY_VALUE) != 0;
  tensor.dims = object.list<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  tensor.strides = object.list<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  return tensor;
}

Tensor tensor_behind(const Object& operation, int attribute) {
  return read_tensor(*behind(operation, attribute, CUDNN_BACKEND_TENSOR_DESCRIPTOR));
}

const Tensor& Pattern::written() const {
  return operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR         ? result
         : operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR ? image
                                                                                     : filter;
}

std::vector<const Tensor*> Pattern::operands() const {
  if (attention) return attention->operands();
  std::vector<const Tensor*> all;
  for (const Tensor* each : {&image, &filter, &result})
    if (each != &written()) all.push_back(each);
  for (const Step& step : steps)
    if (step.has_b) all.push_back(&step.b);
  all.push_back(&out());
  return all;
}

void check_tensor(const Object& object) {
  const Tensor tensor = read_tensor(object);
  if (tensor.dims.size() != tensor.strides.size())
    throw Refusal{Problem::shape, "a tensor has as many strides as dimensions"};
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    if (tensor.dims[i] < 1 || tensor.strides[i] < 1)
      throw Refusal{Problem::out_of_bound, "dimensions and strides of a tensor are positive"};
  if (tensor.alignment < 1 || (tensor.alignment & (tensor.alignment - 1)) != 0)
    throw Refusal{Problem::bad_param, "an alignment is a power of two"};
}

void check_convolution(const Object& object) {
  const auto spatial = static_cast<std::size_t>(object.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  for (int attribute = CUDNN_ATTR_CONVOLUTION_DILATIONS; attribute <= CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS;
       ++attribute) {
    const std::vector<std::int64_t> values = object.list<std::int64_t>(attribute);
    if (values.size() != spatial)
      throw Refusal{Problem::size, "a convolution's attribute has another number of values"};
    const bool padding = attribute >= CUDNN_ATTR_CONVOLUTION_POST_PADDINGS;
    for (const std::int64_t each : values)
      if (each < (padding ? 0 : 1)) throw Refusal{Problem::out_of_bound, "a convolution's stride, dilation or padding"};
  }
  if (object.one<int>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) != CUDNN_CROSS_CORRELATION)
    throw Refusal{Problem::bad_param, "only the mode that frameworks mean is simulated"};
}

void check_operation(const Object& object) {
  if (object.type != CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) {
    read_convolution(object);
    return;
  }
  const Tensor x = tensor_behind(object, CUDNN_ATTR_OPERATION_POINTWISE_XDESC),
               y = tensor_behind(object, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  const int mode = behind(object, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_BACKEND_POINTWISE_DESCRIPTOR)
                       ->one<int>(CUDNN_ATTR_POINTWISE_MODE);
  const bool two = object.has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  if (mode != CUDNN_POINTWISE_ADD && mode != CUDNN_POINTWISE_RELU_FWD)
    throw Refusal{Problem::unsupported, "only additions and ReLU are simulated"};
  if ((mode == CUDNN_POINTWISE_ADD) != two) throw Refusal{Problem::bad_param, "a pointwise operation's operands"};
  if (x.dims != y.dims) throw Refusal{Problem::shape, "a pointwise operation's shapes"};
  if (!two) return;
  const Tensor b = tensor_behind(object, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  bool fits = b.dims.size() == x.dims.size();
  for (std::size_t i = 0; fits && i < b.dims.size(); ++i) fits = b.dims[i] == x.dims[i] || b.dims[i] == 1;
  if (!fits) throw Refusal{Problem::shape, "a pointwise operation's second operand"};
}

Pattern read_pattern(const Object& graph) {
  const std::vector<void*> operations = graph.list<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  const std::shared_ptr<Object> first = finalized(operations[0], -2);
  if (!graph.has(CUDNN_ATTR_OPERATIONGRAPH_HANDLE)) throw Refusal{Problem::bad_param, "the graph has no handle"};
  if (is_attention(first->type)) {
    if (operations.size() > 1) throw Refusal{Problem::unsupported_pattern, "attention stands alone"};
    Pattern p;
    p.operation = first->type;
    p.attention = std::make_shared<Attention>(read_attention(*first));
    return p;
  }
  if (first->type == CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)
    throw Refusal{Problem::unsupported_pattern, "the first operation is not a convolution"};
  Pattern p = read_convolution(*first);
  std::set<std::int64_t> ids;
  for (const Tensor* each : {&p.image, &p.filter, &p.result})
    if (!ids.insert(each->id).second) throw Refusal{Problem::bad_param, "two tensors have one unique id"};
  const Tensor* last = &p.written();
  for (std::size_t i = 1; i < operations.size(); ++i) {
    const std::shared_ptr<Object> operation = finalized(operations[i], CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    Pattern::Step step;
    const std::shared_ptr<Object> what =
        behind(*operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    step.mode = what->one<int>(CUDNN_ATTR_POINTWISE_MODE);
    step.keeps_nan = what->has(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION) &&
                     what->one<int>(CUDNN_ATTR_POINTWISE_NAN_PROPAGATION) == CUDNN_PROPAGATE_NAN;
    step.y = tensor_behind(*operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    step.has_b = operation->has(CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    if (step.has_b) step.b = tensor_behind(*operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
    if (tensor_behind(*operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC).id != last->id || !last->is_virtual)
      throw Refusal{Problem::unsupported_pattern,
                    "an operation does not read what the one before it leaves, virtually"};
    if (!ids.insert(step.y.id).second || (step.has_b && !ids.insert(step.b.id).second))
      throw Refusal{Problem::bad_param, "two tensors have one unique id"};
    p.steps.push_back(std::move(step));
    last = &p.steps.back().y;
  }
  for (const Tensor* each : p.operands())
    if (each->is_virtual) throw Refusal{Problem::bad_param, "a tensor that enters or leaves the graph is virtual"};
  return p;
}

}  // namespace simcudnn
