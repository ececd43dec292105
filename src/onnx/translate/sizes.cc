// Compares what nodes make at different sizes, and records numbers that depend on them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/translate/sizes.h"

#include <algorithm>
#include <cstring>

#include "onnx/translate/call.h"

namespace rondo_onnx {

namespace {

// Both have the same elements, bit for bit. To be called where tensors may be read.
bool same_contents(const Session& session, Tensor a, Tensor b) {
  if (a.get() == b.get()) return true;
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  // One time is enough along an axis where both repeat themselves.
  const rondo_tensor_info of_a = a.info(), of_b = b.info();
  for (int32_t i = 0; i < of_a.ndim; ++i)
    if (of_a.shape[i] > 1 && of_a.strides[i] == 0 && of_b.strides[i] == 0) {
      a = a.slice(i, 0, 1);
      b = b.slice(i, 0, 1);
    }
  const auto bytes = [&](const Tensor& of) {
    const size_t count = static_cast<size_t>(of.numel()) * rondo_dtype_size(of.dtype());
    session.may_take(count);
    std::vector<unsigned char> all(count);
    if (!all.empty()) of.contiguous().read(all.data(), all.size());
    return all;
  };
  return bytes(a) == bytes(b);
}

bool is_whole(rondo_dtype dtype) {
  return !is_float(dtype) && dtype != RONDO_BOOL;
}

// The numbers as integers, whose differences do not overflow: of reals their bits, so that zeros differ by their sign.
// To be called where tensors may be read.
std::vector<uint64_t> words_of(const Session& session, const Tensor& numbers) {
  session.may_take<uint64_t>(numbers.numel());
  const Tensor wide = numbers.to(is_float(numbers.dtype()) ? RONDO_F64 : RONDO_I64).contiguous();
  std::vector<uint64_t> all(static_cast<size_t>(wide.numel()));
  if (!all.empty()) wide.read(all.data(), all.size() * sizeof(uint64_t));
  return all;
}

bool has_form(const std::vector<uint64_t>& all, Form form) {
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i] - all[i - 1] != (form == Form::kFill ? 0 : all[1] - all[0])) return false;
  return true;
}

// The form that both lists of numbers have; false: there is none.
bool form_of(const Session& session, const Tensor& a, const Tensor& b, Form* form) {
  const std::vector<uint64_t> of_a = words_of(session, a), of_b = words_of(session, b);
  *form = has_form(of_a, Form::kFill) && has_form(of_b, Form::kFill) ? Form::kFill : Form::kSteps;
  if (*form == Form::kFill) return !of_a.empty() || !of_b.empty();
  // Two numbers alone are at equal distances by chance.
  return std::max(of_a.size(), of_b.size()) > 2 && is_whole(a.dtype()) && has_form(of_a, *form) &&
         has_form(of_b, *form);
}

}  // namespace

bool Sizes::varies(int64_t size) {
  int64_t& asked = asked_.try_emplace(place_.node, size).first->second;
  if (asked != size && asked != -1) {
    asked = -1;
    found_more_ = true;
  }
  return asked == -1;
}

const std::vector<ValueRef>* Sizes::known(const NodeProto& node, const std::vector<ValueRef>& inputs) const {
  const auto found = kept_.find(place_.node);
  if (found == kept_.end()) return nullptr;
  const Kept& kept = found->second;
  if (kept.varies || kept.node != &node || kept.inputs != inputs) return nullptr;
  for (size_t i = 0; i < kept.outputs.size(); ++i)
    if (!kept.outputs[i] && !node.outputs[i].empty()) return nullptr;
  return &kept.outputs;
}

bool Sizes::keep(Session& session, Place place, const NodeProto& node, std::vector<ValueRef>* outputs) {
  const auto found = kept_.find(place.node);
  if (found == kept_.end() || found->second.node != &node) return false;
  Kept& kept = found->second;
  if (!kept.varies)
    session.apart.run([&] {
      for (size_t i = 0; i < outputs->size() && i < kept.outputs.size(); ++i) {
        const ValueRef &before = kept.outputs[i], &now = (*outputs)[i];
        if (!before || !now || !now->constant) continue;
        kept.varies = kept.varies || before->bits != now->bits || !same_contents(session, before->tensor, now->tensor);
      }
      found_more_ = found_more_ || kept.varies;
    });
  if (kept.varies) return true;
  for (size_t i = 0; i < outputs->size() && i < kept.outputs.size(); ++i)
    if (kept.outputs[i] && (*outputs)[i] && (*outputs)[i]->constant) (*outputs)[i] = kept.outputs[i];
  return false;
}

void Sizes::remember(Place place, const NodeProto& node, const std::vector<ValueRef>& inputs,
                     const std::vector<ValueRef>& outputs) {
  const auto constant = [](const ValueRef& each) { return each && each->constant && !each->remake; };
  if (std::none_of(outputs.begin(), outputs.end(), constant)) return;
  Kept& kept = kept_[place.node];
  kept.node = &node;
  kept.inputs = inputs;
  kept.outputs = outputs;
  for (ValueRef& each : kept.inputs)
    if (each && !each->constant) each = nullptr;
  for (ValueRef& each : kept.outputs)
    if (!constant(each)) each = nullptr;
}

Tensor Sizes::keep_table(Session& session, const Tensor& made, const Form** form) {
  Table& table = tables_[{place_.node, place_.table++}];
  *form = nullptr;
  if (!table.tensor) {
    table.tensor = made;
    return made;
  }
  if (!table.varies) {
    session.apart.run([&] {
      if (same_contents(session, table.tensor, made)) return;
      table.varies = found_more_ = true;
      table.has_form = form_of(session, table.tensor, made, &table.form);
    });
    if (!table.varies) return table.tensor;
  }
  if (!table.has_form) refuse("it needs a table of numbers that depends on sizes that vary");
  *form = &table.form;
  return made;
}

Tensor Sizes::made_by_program(Session& session, const Tensor& numbers, Form form) {
  constexpr int64_t kMostOfList = 64;
  const rondo::Engine& engine = session.engine;
  const rondo_device device = session.device;
  const Shape shape = numbers.shape();
  const rondo_dtype dtype = numbers.dtype();
  const int64_t count = numbers.numel();
  if (count == 0) return engine.tensor(device, dtype, shape);
  std::vector<uint64_t> words;
  if (is_whole(dtype) || form == Form::kFill) session.apart.run([&] { words = words_of(session, numbers); });
  // The form was seen at two sizes, and these may be others.
  if (form != Form::kList && !has_form(words, form))
    refuse("it needs a table of numbers that depends on sizes that vary");
  if (form == Form::kFill && is_float(dtype)) {
    double number = 0;
    std::memcpy(&number, words.data(), sizeof(number));
    return engine.full(device, dtype, shape, number);
  }
  const std::vector<int64_t> all(words.begin(), words.end());
  if (form == Form::kFill) return engine.full(device, dtype, shape, all[0]);
  if (all.empty() || (form == Form::kList && count > kMostOfList))
    refuse("it needs numbers that depend on sizes that vary, and that the program cannot make");
  constexpr int64_t kMost = int64_t{1} << 48;
  if (std::any_of(all.begin(), all.end(), [](int64_t each) { return each <= -kMost || each >= kMost; }))
    refuse("it needs numbers that depend on sizes that vary, and that are too large");
  if (form == Form::kSteps) {
    const int64_t step = count > 1 ? all[1] - all[0] : 1;
    if (step == 0) refuse("it needs a table of numbers that depends on sizes that vary");
    return engine.arange_i64(device, dtype, all[0], all[0] + count * step, step).reshape(shape);
  }
  std::vector<Tensor> parts;
  for (const int64_t each : all) parts.push_back(engine.arange_i64(device, dtype, each, each + 1, 1));
  return (parts.size() == 1 ? parts[0] : rondo::concat(parts, 0)).reshape(shape);
}

}  // namespace rondo_onnx
