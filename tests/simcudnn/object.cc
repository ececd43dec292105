// The rules of descriptors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "object.h"

#include <algorithm>

namespace simcudnn {
namespace {

constexpr int kMany = 64;

struct Rule {
  int descriptor, attribute;
  std::vector<int> types;
  int least, most;
  bool needed;
  int holds = -1;  // of descriptors: their type; -2: an operation's
};

// The two operations of attention, and what hides scores within.
void add_attention(std::vector<Rule>* made) {
  const std::vector<int> integer = {CUDNN_TYPE_INT64}, object = {CUDNN_TYPE_BACKEND_DESCRIPTOR};
  constexpr int tensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR, graph = CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
                band = CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR;
  const auto add = [&](int operation, int attribute, bool needed) {
    made->push_back({operation, attribute, object, 1, 1, needed, tensor});
  };
  const auto add_within = [&](int operation, int attribute) {  // and the two that follow
    if (settings().version < 921) return;
    made->push_back({operation, attribute, object, 1, 1, false, graph});
    for (int i = 1; i < 3; ++i) made->push_back({operation, attribute + i, integer, 1, 1, false});
  };
  if (settings().version >= 913) {
    constexpr int forward = CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR;
    for (int i = 0; i < 6; ++i) add(forward, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC + i, i < 4);
    add_within(forward, CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH);
  }
  if (settings().version >= 917) {
    constexpr int backward = CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR;
    for (int i = 0; i < 6; ++i) add(backward, CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC + i, i < 5);
    for (int i = 0; i < 4; ++i) add(backward, CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC + i, true);
    add_within(backward, CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH);
  }
  if (settings().version < 920) return;
  add(band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, true);
  add(band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC, false);
  add(band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC, false);
  add(band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC, true);
  add(band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC, true);
  made->push_back(
      {band, CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE, {CUDNN_TYPE_POINTWISE_MODE}, 1, 1, true});
}

const std::vector<Rule>& rules() {
  const std::vector<int> scale = {CUDNN_TYPE_FLOAT, CUDNN_TYPE_DOUBLE}, integer = {CUDNN_TYPE_INT64},
                         data = {CUDNN_TYPE_DATA_TYPE}, object = {CUDNN_TYPE_BACKEND_DESCRIPTOR},
                         handle = {CUDNN_TYPE_HANDLE}, pointer = {CUDNN_TYPE_VOID_PTR};
  constexpr int tensor = CUDNN_BACKEND_TENSOR_DESCRIPTOR, convolution = CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
                pointwise = CUDNN_BACKEND_POINTWISE_DESCRIPTOR,
                operation = CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
  static const auto* all = [&] {
    auto* made = new std::vector<Rule>{
        {tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, integer, 1, 1, true},
        {tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, data, 1, 1, true},
        {tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, integer, 1, 8, true},
        {tensor, CUDNN_ATTR_TENSOR_STRIDES, integer, 1, 8, true},
        {tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, integer, 1, 1, true},
        {tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, {CUDNN_TYPE_BOOLEAN}, 1, 1, false},
        {tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, {CUDNN_TYPE_BOOLEAN}, 1, 1, false},
        {convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, data, 1, 1, true},
        {convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, {CUDNN_TYPE_CONVOLUTION_MODE}, 1, 1, true},
        {convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, integer, 1, 1, true},
        {pointwise, CUDNN_ATTR_POINTWISE_MODE, {CUDNN_TYPE_POINTWISE_MODE}, 1, 1, true},
        {pointwise, CUDNN_ATTR_POINTWISE_MATH_PREC, data, 1, 1, true},
        {pointwise, CUDNN_ATTR_POINTWISE_NAN_PROPAGATION, {CUDNN_TYPE_NAN_PROPOGATION}, 1, 1, false},
        {operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, object, 1, 1, true, pointwise},
        {operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, object, 1, 1, true, tensor},
        {operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, object, 1, 1, false, tensor},
        {operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, object, 1, 1, true, tensor},
        {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle, 1, 1, false},
        {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, CUDNN_ATTR_OPERATIONGRAPH_OPS, object, 1, kMany, true, -2},
        {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_MODE, {CUDNN_TYPE_HEUR_MODE}, 1, 1, true},
        {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, object, 1, 1, true,
         CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR},
        {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, object, 1, 1, true,
         CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR},
        {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, integer, 1, 1, true},
        {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, object, 1, 1, true,
         CUDNN_BACKEND_ENGINE_DESCRIPTOR},
        {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, object, 0, kMany, false,
         CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR},
        {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, {CUDNN_TYPE_KNOB_TYPE}, 1, 1, true},
        {CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, integer, 1, 1, true},
        {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle, 1, 1, true},
        {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, object, 1, 1, true,
         CUDNN_BACKEND_ENGINECFG_DESCRIPTOR},
        {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, integer, 1, kMany, true},
        {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, pointer, 1, kMany, true},
        {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, pointer, 1, 1, false},
    };
    for (int attribute = CUDNN_ATTR_CONVOLUTION_DILATIONS; attribute <= CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS;
         ++attribute)
      made->push_back({convolution, attribute, integer, 1, 6, true});
    // The three operations have the same six attributes, one behind the other.
    for (const auto& [which, first] : {std::pair<int, int>{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                                                           CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA},
                                       {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA},
                                       {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                                        CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA}}) {
      for (int i = 0; i < 2; ++i) made->push_back({which, first + i, scale, 1, 1, true});
      made->push_back({which, first + 2, object, 1, 1, true, convolution});
      for (int i = 3; i < 6; ++i) made->push_back({which, first + i, object, 1, 1, true, tensor});
    }
    add_attention(made);
    return made;
  }();
  return *all;
}

const Rule& rule_for(const Object& object, int attribute) {
  for (const Rule& rule : rules())
    if (rule.descriptor == object.type && rule.attribute == attribute) return rule;
  throw Refusal{Problem::bad_param, "descriptor type " + std::to_string(object.type) + " has no attribute " +
                                        std::to_string(attribute) + " that can be set"};
}

bool is_operation(int type) {
  return (type >= CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR &&
          type <= CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR) ||
         type == CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR || type == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR ||
         type == CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR;
}

}  // namespace

State& state() {
  static auto* instance = new State;
  return *instance;
}

std::size_t size_of(int attribute_type) {
  switch (attribute_type) {
    case CUDNN_TYPE_BOOLEAN: return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;
  }
}

std::shared_ptr<Object> find(void* descriptor) {
  if (descriptor == nullptr) throw Refusal{Problem::null, "a descriptor is null"};
  const auto found = state().objects.find(reinterpret_cast<std::uint64_t>(descriptor));
  if (found == state().objects.end())
    throw Refusal{Problem::bad_param, "not a descriptor, or one that was destroyed while another needs it"};
  return found->second;
}

std::shared_ptr<Object> finalized(void* descriptor, int type) {
  std::shared_ptr<Object> object = find(descriptor);
  if (type == -2 ? !is_operation(object->type) : object->type != type)
    throw Refusal{Problem::descriptor_type, "a descriptor of type " + std::to_string(object->type) + " where " +
                                                (type == -2 ? "an operation" : "type " + std::to_string(type)) +
                                                " belongs"};
  if (!object->finalized)
    throw Refusal{Problem::not_finalized, "a descriptor of type " + std::to_string(object->type) + " is not finalized"};
  return object;
}

std::shared_ptr<Object> behind(const Object& object, int attribute, int type) {
  return finalized(object.one<void*>(attribute), type);
}

void* create(int type) {
  const bool known =
      std::any_of(rules().begin(), rules().end(), [&](const Rule& each) { return each.descriptor == type; });
  if (!known) throw Refusal{Problem::unsupported, "no descriptor of type " + std::to_string(type)};
  State& s = state();
  auto made = std::make_shared<Object>();
  made->type = type;
  s.objects[s.next += 16] = std::move(made);
  return reinterpret_cast<void*>(s.next);
}

void set(Object& object, int attribute, int type, std::int64_t count, const void* values) {
  if (object.finalized) throw Refusal{Problem::bad_param, "an attribute is set after the descriptor was finalized"};
  const Rule& rule = rule_for(object, attribute);
  const std::string name = "attribute " + std::to_string(attribute);
  if (std::find(rule.types.begin(), rule.types.end(), type) == rule.types.end())
    throw Refusal{Problem::attribute_type, name + " is not of attribute type " + std::to_string(type)};
  if (count < rule.least || count > rule.most)
    throw Refusal{Problem::size, name + " does not take " + std::to_string(count) + " values"};
  if (values == nullptr && count > 0) throw Refusal{Problem::null, name + " is set from a null pointer"};
  Value value;
  value.type = type;
  value.count = count;
  const auto* bytes = static_cast<const unsigned char*>(values);
  value.bytes.assign(bytes, bytes + static_cast<std::size_t>(count) * size_of(type));
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    for (std::int64_t i = 0; i < count; ++i) finalized(static_cast<void* const*>(values)[i], rule.holds);
  if (type == CUDNN_TYPE_HANDLE &&
      state().handles.count(reinterpret_cast<std::uint64_t>(*static_cast<void* const*>(values))) == 0)
    throw Refusal{Problem::bad_param, name + " is not a live handle"};
  object.values[attribute] = std::move(value);
}

void get(const Object& object, int attribute, int type, std::int64_t requested, std::int64_t* count, void* values) {
  const auto found = object.values.find(attribute);
  if (found == object.values.end())
    throw Refusal{Problem::bad_param, "attribute " + std::to_string(attribute) + " is not there to be read"};
  if (found->second.type != type)
    throw Refusal{Problem::attribute_type, "attribute " + std::to_string(attribute) + " is read as another type"};
  if (count != nullptr) *count = found->second.count;
  if (requested > 0 && values != nullptr)
    std::memcpy(values, found->second.bytes.data(),
                static_cast<std::size_t>(std::min(requested, found->second.count)) * size_of(type));
}

void check_complete(const Object& object) {
  for (const Rule& rule : rules())
    if (rule.descriptor == object.type && rule.needed && !object.has(rule.attribute))
      throw Refusal{Problem::bad_param, "attribute " + std::to_string(rule.attribute) + " is not set"};
  // What it was made of must still be there.
  for (const Rule& rule : rules())
    if (rule.descriptor == object.type && rule.holds != -1 && object.has(rule.attribute))
      for (void* each : object.list<void*>(rule.attribute)) finalized(each, rule.holds);
}

}  // namespace simcudnn
