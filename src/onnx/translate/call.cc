// Gives translations their inputs, attributes and constants, and keeps which constants the program uses as weights.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/translate/call.h"

#include <algorithm>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

void Session::name_weight(const std::string& name, const Tensor& whole) {
  weights.try_emplace(whole.variable(), Weight{name, whole, false});
}

Tensor Session::once(const Tensor& constant, const char* ending, const std::function<Tensor()>& make) {
  const auto weight = weights.find(constant.variable());
  if (weight == weights.end() || constant.shape() != weight->second.whole.shape()) return make();
  const auto [made, first] = made_of_weights.try_emplace(constant.variable());
  if (first) {
    made->second = make();
    name_weight(weight->second.name + ending, made->second);
  }
  return made->second;
}

void Session::use(const Tensor& constant) {
  if (apart.here()) return;
  const auto found = weights.find(constant.variable());
  if (found != weights.end()) found->second.used = true;
}

bool Session::find_limit(const NodeProto& node, int64_t* limit) {
  for (const std::string& name : {node.outputs.empty() ? node.type : node.outputs[0], node.type})
    if (const auto found = limits.find(name); found != limits.end()) {
      limits_used[name] = true;
      *limit = found->second;
      return true;
    }
  return false;
}

void Session::add_count(const NodeProto& node, const Tensor& count) {
  const auto named =
      std::find_if(node.outputs.begin(), node.outputs.end(), [](const std::string& each) { return !each.empty(); });
  std::string name = (named == node.outputs.end() ? node.type : *named) + ".count";
  const auto taken = [&] {
    return std::any_of(counts.begin(), counts.end(), [&](const auto& each) { return each.first == name; });
  };
  while (taken()) name += "_";
  counts.emplace_back(name, count);
}

Tensor Session::operand(const Value& value) {
  if (!value.constant || apart.here()) return value.tensor;
  if (!value.remake) {
    use(value.tensor);
    return value.tensor;
  }
  if (!value.made) value.made = value.remake();
  return value.made;
}

Tensor Session::table(const Tensor& made) {
  if (!sizes.vary() || apart.here()) return made;
  const Form* form = nullptr;
  const Tensor kept = sizes.keep_table(*this, made, &form);
  return form ? Sizes::made_by_program(*this, kept, *form) : kept;
}

void Session::may_take(uint64_t bytes) const {
  check_memory(bytes, memory_limit, "what is computed for it");
}

void Session::count_nodes(int64_t more) {
  constexpr int64_t kMostNodes = int64_t{1} << 20;  // as many as a function of a program file may have
  if (more > kMostNodes - nodes)
    throw Failure(RONDO_UNSUPPORTED, "it has more than " + std::to_string(kMostNodes) + " nodes");
  nodes += more;
}

void Session::count_steps(int64_t more) {
  constexpr int64_t kMostSteps = int64_t{1} << 15;  // as many as a program file may have
  if (more > kMostSteps - steps)
    throw Failure(RONDO_UNSUPPORTED,
                  "its recurrent layers have more than " + std::to_string(kMostSteps) + " steps in all");
  steps += more;
}

const Tensor& Call::given(size_t i) const {
  if (!has(i)) malformed("its input " + std::to_string(i) + " is not given");
  return inputs_[i]->tensor;
}

Tensor Call::in(size_t i) const {
  given(i);
  return session_.operand(*inputs_[i]);
}

std::vector<Tensor> Call::all() const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs_.size(); ++i) tensors.push_back(in(i));
  return tensors;
}

std::vector<int64_t> Call::whole_numbers(size_t i, const char* what) const {
  const Tensor& tensor = given(i);
  if (!inputs_[i]->constant) refuse(std::string(what) + " are computed by the program; they must be constants");
  const rondo_dtype dtype = tensor.dtype();
  if (is_float(dtype))
    malformed(std::string(what) + " are of the dtype " + rondo_dtype_name(dtype) + ", not whole numbers");
  std::vector<int64_t> all;
  session_.apart.run([&] { all = tensor.to(RONDO_I64).contiguous().read<int64_t>(); });
  return all;
}

void Call::check_indices(size_t i, int64_t size) const {
  if (!constant(i)) return;
  for (const int64_t each : whole_numbers(i, "its indices"))
    if (each < -size || each >= size)
      malformed("its index " + std::to_string(each) + " is outside of an axis of the size " + std::to_string(size));
}

std::vector<double> Call::numbers(size_t i, const char* what) const {
  const Tensor& tensor = given(i);
  if (!inputs_[i]->constant) refuse(std::string(what) + " are computed by the program; they must be constants");
  std::vector<double> all;
  session_.apart.run([&] { all = tensor.to(RONDO_F64).contiguous().read<double>(); });
  return all;
}

bool Call::scalar(size_t i, double* number) const {
  if (!constant(i) || given(i).numel() != 1) return false;
  if (inputs_[i]->remake && given(i).dim() > 0) return false;  // it may have more elements at other sizes
  *number = numbers(i, "its numbers")[0];
  return true;
}

const Attribute* Call::attribute(const char* name) const {
  for (const Attribute& each : node_.attributes) {
    if (each.name != name) continue;
    if (each.refers.empty()) return &each;
    const auto found = bound_.find(each.refers);
    return found == bound_.end() ? nullptr : found->second;
  }
  return nullptr;
}

namespace {

const Attribute& of_type(const Attribute& attribute, int32_t type, const char* name) {
  if (attribute.type != type) malformed("its attribute " + excerpt(name) + " is of another type than ONNX gives it");
  return attribute;
}

}  // namespace

int64_t Call::integer(const char* name, int64_t otherwise) const {
  const Attribute* const found = attribute(name);
  return found ? of_type(*found, Attribute::kInt, name).integer : otherwise;
}

double Call::real(const char* name, double otherwise) const {
  const Attribute* const found = attribute(name);
  return found ? static_cast<double>(of_type(*found, Attribute::kFloat, name).real) : otherwise;
}

std::string Call::text(const char* name, const std::string& otherwise) const {
  const Attribute* const found = attribute(name);
  return found ? of_type(*found, Attribute::kString, name).text : otherwise;
}

std::vector<int64_t> Call::integers(const char* name) const {
  const Attribute* const found = attribute(name);
  return found ? of_type(*found, Attribute::kInts, name).integers : std::vector<int64_t>();
}

std::vector<double> Call::reals(const char* name) const {
  const Attribute* const found = attribute(name);
  if (!found) return {};
  const std::vector<float>& all = of_type(*found, Attribute::kFloats, name).reals;
  return {all.begin(), all.end()};
}

int64_t Call::axis(const char* name, int64_t otherwise, int64_t ndim) const {
  return axis_of(integer(name, otherwise), ndim);
}

void Call::out(size_t i, Tensor tensor) {
  if (wants(i)) outputs_[i] = std::make_shared<const Value>(Value{std::move(tensor), folding()});
}

void Call::narrow(size_t i, int bits) {
  if (wants(i) && outputs_[i])
    outputs_[i] = std::make_shared<const Value>(Value{outputs_[i]->tensor, outputs_[i]->constant, bits});
}

void Call::keep_narrow() {
  for (size_t i = 0; i < outputs_.size(); ++i)
    if (outputs_[i] && outputs_[i]->tensor.dtype() == inputs_[0]->tensor.dtype()) narrow(i, inputs_[0]->bits);
}

void Call::forward(size_t i, size_t input) {
  given(input);
  if (wants(i)) outputs_[i] = inputs_[input];
}

Tensor Call::constant_tensor(rondo_dtype dtype, const Shape& shape, const void* data) const {
  return session_.table(session_.engine.from_host(session_.device, dtype, shape, data));
}

Tensor Call::constant_integers(const std::vector<int64_t>& numbers) const {
  return constant_tensor(RONDO_I64, {static_cast<int64_t>(numbers.size())}, numbers.data());
}

Tensor Call::constant_reals(rondo_dtype dtype, const Shape& shape, const std::vector<double>& numbers) const {
  return precomputed([&] { return constant_tensor(RONDO_F64, shape, numbers.data()).to(dtype); });
}

Tensor Call::precomputed(const std::function<Tensor()>& make) const {
  Tensor made;
  session_.apart.run([&] { made = make(); });
  made = session_.table(made);
  session_.use(made);
  return made;
}

void Call::out_constant(size_t i, rondo_dtype dtype, const Shape& shape, const void* data) {
  if (!wants(i)) return;
  outputs_[i] =
      std::make_shared<const Value>(Value{session_.engine.from_host(session_.device, dtype, shape, data), true});
}

void Call::out_integers(size_t i, const std::vector<int64_t>& numbers) {
  out_constant(i, RONDO_I64, {static_cast<int64_t>(numbers.size())}, numbers.data());
}

bool is_float(rondo_dtype dtype) {
  switch (dtype) {
    case RONDO_F16:
    case RONDO_BF16:
    case RONDO_F32:
    case RONDO_F64:
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2: return true;
    default: return false;
  }
}

Tensor choose(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const rondo_dtype dtype = a.dtype();
  const bool narrow = is_float(dtype) && rondo_dtype_size(dtype) < 4 && b.dtype() == dtype;
  if (!narrow) return rondo::where(condition, a, b);
  return rondo::where(condition, a.to(RONDO_F32), b.to(RONDO_F32)).to(dtype);
}

int64_t axis_of(int64_t axis, int64_t ndim) {
  if (axis < -ndim || axis >= ndim)
    malformed("the axis " + std::to_string(axis) + " is none of its " + std::to_string(ndim) + " dimensions");
  return axis < 0 ? axis + ndim : axis;
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t one = i < a.size() ? a[a.size() - 1 - i] : 1, other = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (one != other && one != 1 && other != 1)
      malformed("sizes " + std::to_string(one) + " and " + std::to_string(other) + " do not go together");
    shape[shape.size() - 1 - i] = one == 1 ? other : one;
  }
  return shape;
}

int64_t product(const Shape& shape, size_t from, size_t before) {
  int64_t all = 1;
  for (size_t i = from; i < before; ++i)
    if (__builtin_mul_overflow(all, shape[i], &all)) refuse("its sizes are out of all bounds");
  return all;
}

}  // namespace rondo_onnx
