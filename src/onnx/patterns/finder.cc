// Shows a graph of ONNX as nodes and values that terms are compared with, and exchanges some of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/patterns/finder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "onnx/file/contents.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

namespace {

// The number of a float of 16 bits, so many of which are its fraction.
double half_number(uint16_t pattern, int fraction) {
  const int most = (1 << (15 - fraction)) - 1, exponent = (pattern >> fraction) & most;
  const int low = pattern & ((1 << fraction) - 1), bias = most / 2;
  double size = std::numeric_limits<double>::infinity();
  if (exponent == 0)
    size = std::ldexp(low, 1 - bias - fraction);
  else if (exponent < most)
    size = std::ldexp((1 << fraction) + low, exponent - bias - fraction);
  else if (low != 0)
    size = std::numeric_limits<double>::quiet_NaN();
  return (pattern & 0x8000) != 0 ? -size : size;
}

size_t given_inputs(const NodeProto& node) {
  size_t count = node.inputs.size();
  while (count > 0 && node.inputs[count - 1].empty()) --count;
  return count;
}

}  // namespace

Finder::Finder(const GraphProto& graph, int64_t version, std::string path, int64_t memory_limit)
    : version_(version), path_(std::move(path)), memory_limit_(memory_limit) {
  for (const TensorProto& each : graph.initializers) values_[each.name].constant = &each;
  for (const ValueInfo& each : graph.outputs) values_[each.name].output = true;
  for (const ValueInfo& each : graph.inputs) values_[each.name].maker = nullptr;
  for (const NodeProto& each : graph.nodes)
    for (const Attribute& attribute : each.attributes)
      if (attribute.graph) note_body(*attribute.graph, 0);
  add_all(graph.nodes);
}

// A node Identity is left out where its readers may have its input instead.
void Finder::add_all(const std::vector<NodeProto>& nodes) {
  std::unordered_map<std::string, std::string> same;
  for (const NodeProto& each : nodes) {
    NodeProto node = each;
    for (std::string& name : node.inputs)
      if (const auto found = same.find(name); found != same.end()) name = found->second;
    const bool plain = node.domain.empty() && node.type == "Identity" && node.inputs.size() == 1 &&
                       node.outputs.size() == 1 && !node.inputs[0].empty() && !node.outputs[0].empty();
    // A result that the graph gives, that a body reads, or whose name another value has, keeps its node.
    if (plain && values_.count(node.outputs[0]) == 0 && values_.count(node.inputs[0]) != 0)
      same.emplace(node.outputs[0], node.inputs[0]);
    else
      add(std::move(node), nodes_.end());
  }
}

void Finder::note(const NodeProto& node) {
  for (const std::string& each : node.outputs)
    if (!each.empty()) {
      Known& known = values_[each];
      known.maker = &node;
      ++known.makers;
    }
  if (node.domain.empty() && node.type == "Constant" && node.outputs.size() == 1)
    for (const Attribute& each : node.attributes)
      if (each.name == "value" && each.tensor) values_[node.outputs[0]].constant = each.tensor.get();
  for (const std::string& each : node.inputs) count(each, 1);
  for (const Attribute& each : node.attributes)
    if (each.graph) note_body(*each.graph, 0);
}

// A body reads names of the graphs around it, as they stand: what it may read stays as it is.
void Finder::note_body(const GraphProto& body, int depth) {
  constexpr int kDeepest = 32;  // the walk over the nodes goes no deeper either
  for (const ValueInfo& each : body.outputs) values_[each.name].output = true;
  for (const NodeProto& node : body.nodes) {
    for (const std::string& name : node.inputs)
      if (!name.empty()) values_[name].output = true;
    for (const Attribute& each : node.attributes)
      if (each.graph && depth < kDeepest) note_body(*each.graph, depth + 1);
  }
}

void Finder::count(const std::string& value, int64_t readers) {
  if (!value.empty()) values_[value].readers += static_cast<size_t>(readers);
}

const NodeProto* Finder::maker(const std::string& value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? nullptr : found->second.maker;
}

size_t Finder::readers(const std::string& value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? 0 : found->second.readers;
}

bool Finder::made_once(const std::string& value) const {
  const auto found = values_.find(value);
  return found != values_.end() && found->second.makers == 1;
}

bool Finder::is_output(const std::string& value) const {
  const auto found = values_.find(value);
  return found != values_.end() && found->second.output;
}

const TensorProto* Finder::constant(const std::string& value) const {
  const auto found = values_.find(value);
  return found == values_.end() ? nullptr : found->second.constant;
}

const TensorProto* Finder::initializer(const std::string& value) const {
  return maker(value) ? nullptr : constant(value);
}

bool Finder::read(const TensorProto& tensor, Contents* contents) const {
  try {
    read_contents(tensor, path_, memory_limit_, contents);
    return true;
  } catch (const Failure&) {
    return false;  // the walk over the nodes tells it
  }
}

bool Finder::number(const std::string& value, double* number, int* bits) const {
  const TensorProto* const tensor = constant(value);
  if (!tensor || tensor->external || tensor->dims.size() > 1 || (tensor->dims.size() == 1 && tensor->dims[0] != 1))
    return false;
  Contents contents;
  if (!read(*tensor, &contents)) return false;
  const auto as = [&](auto kind) {
    std::copy_n(contents.bytes.data(), sizeof kind, reinterpret_cast<char*>(&kind));
    *number = static_cast<double>(kind);
    return std::isfinite(*number);
  };
  if (bits) *bits = contents.dtype == RONDO_F16 ? 11 : contents.dtype == RONDO_BF16 ? 8 : 0;
  if (contents.dtype == RONDO_F16 || contents.dtype == RONDO_BF16) {
    uint16_t pattern = 0;
    std::copy_n(contents.bytes.data(), sizeof pattern, reinterpret_cast<char*>(&pattern));
    *number = half_number(pattern, contents.dtype == RONDO_F16 ? 10 : 7);
    return std::isfinite(*number);
  }
  if (contents.dtype == RONDO_F32) return as(float{});
  if (contents.dtype == RONDO_F64) return as(double{});
  return contents.dtype == RONDO_I64 && as(int64_t{});
}

template <class Number>
bool Finder::contents(const std::string& value, rondo_dtype dtype, bool external, std::vector<Number>* numbers) const {
  const TensorProto* const tensor = constant(value);
  if (!tensor || (tensor->external && !external)) return false;
  Contents contents;
  if (!read(*tensor, &contents) || contents.dtype != dtype) return false;
  numbers->resize(contents.bytes.size() / sizeof(Number));
  std::copy_n(contents.bytes.data(), numbers->size() * sizeof(Number), reinterpret_cast<char*>(numbers->data()));
  return true;
}

bool Finder::integers(const std::string& value, std::vector<int64_t>* numbers) const {
  const TensorProto* const tensor = constant(value);
  return tensor && tensor->dims.size() <= 1 && contents(value, RONDO_I64, false, numbers);
}

bool Finder::reals(const std::string& value, std::vector<float>* numbers) const {
  return contents(value, RONDO_F32, true, numbers);
}

size_t Finder::inputs(const NodeProto* node) const {
  return given_inputs(*node);
}

bool Finder::makes(const std::string& value, std::string_view type, const NodeProto** node) const {
  *node = maker(value);
  return *node && (*node)->outputs[0] == value && (*node)->domain.empty() && (*node)->type == type;
}

bool Finder::matches(const rondo::Term& term, const NodeProto& node, Found* found) const {
  *found = {};
  if (node.outputs.size() != 1 || maker(node.outputs[0]) != &node ||
      !rondo::match_term(*this, term, node.outputs[0], found))
    return false;
  const std::set<const NodeProto*> inside(found->nodes.begin(), found->nodes.end());
  for (const NodeProto* each : inside) {
    if (each == &node) continue;
    if (each->outputs.size() != 1 || is_output(each->outputs[0]) || !made_once(each->outputs[0])) return false;
    size_t reads = 0;
    for (const NodeProto* by : inside)
      reads += static_cast<size_t>(std::count(by->inputs.begin(), by->inputs.end(), each->outputs[0]));
    if (reads != readers(each->outputs[0])) return false;
  }
  // The new node reads nothing that an old one makes.
  for (const auto& [name, value] : found->values)
    if (inside.count(maker(value)) != 0) return false;
  return true;
}

void Finder::replace(const std::vector<const NodeProto*>& old, std::vector<NodeProto> fresh) {
  const auto place = places_.at(old[0]);
  for (NodeProto& node : fresh) add(std::move(node), place);
  const std::set<const NodeProto*> gone(old.begin(), old.end());
  for (const NodeProto* each : gone) remove(each);
}

void Finder::remove(const NodeProto* node) {
  for (const std::string& name : node->inputs) {
    count(name, -1);
    if (readers(name) == 0) left_.push_back(name);
  }
  for (const std::string& name : node->outputs)
    if (const auto found = values_.find(name); found != values_.end()) {
      --found->second.makers;
      if (found->second.maker == node) found->second.maker = nullptr;
    }
  const auto at = places_.find(node);
  nodes_.erase(at->second);
  places_.erase(at);
}

void Finder::drop_unread() {
  while (!left_.empty()) {
    const NodeProto* const node = maker(left_.back());
    left_.pop_back();
    if (node && std::all_of(node->outputs.begin(), node->outputs.end(), [&](const std::string& each) {
          return each.empty() || (readers(each) == 0 && !is_output(each) && made_once(each));
        }))
      remove(node);
  }
}

void Finder::add(NodeProto node, std::list<NodeProto>::iterator before) {
  const auto at = nodes_.insert(before, std::move(node));
  places_[&*at] = at;
  note(*at);
}

std::string Finder::fresh_name(const std::string& like) {
  for (;;) {
    const std::string name = like + ":" + std::to_string(names_++);
    if (values_.emplace(name, Known{}).second) return name;
  }
}

}  // namespace rondo_onnx
