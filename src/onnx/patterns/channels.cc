// Puts constants of each channel that are added to what a convolution gives, or multiply it, into its filter and its
// bias: those of a batch normalisation that a file has in parts. Transposes in between follow the convolution.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "onnx/patterns/finder.h"
#include "onnx/patterns/nodes.h"
#include "onnx/patterns/patterns.h"

namespace rondo_onnx {

namespace {

constexpr int64_t kF32 = 1, kF64 = 11;  // ONNX's numbers of types
constexpr size_t kNormalised = 7;       // inputs of a convolution with the normalisation that follows it
constexpr size_t kMostConstants = 64;   // in a chain
constexpr double kLeastFactor = 0x1p-60, kMostFactor = 0x1p60;

// The last reader of each value as the file has it, and nodes that are there no more.
struct Readers {
  std::unordered_map<std::string, const NodeProto*> last;
  std::unordered_set<const NodeProto*> gone;
};

bool is_plain(const NodeProto& node, const char* type, size_t inputs) {
  return node.domain.empty() && node.type == type && node.inputs.size() == inputs && node.outputs.size() == 1;
}

// The sizes of a constant of floats, or of one with axes of size 1 put in; nothing for other values.
std::optional<std::vector<int64_t>> sizes_of(const Finder& finder, const std::string& value) {
  if (const TensorProto* const constant = finder.constant(value))
    return constant->type == kF32 ? std::optional(constant->dims) : std::nullopt;
  const NodeProto* const node = finder.maker(value);
  if (!node || !node->domain.empty() || node->type != "Unsqueeze" || node->inputs.empty()) return std::nullopt;
  const TensorProto* const constant = finder.constant(node->inputs[0]);
  std::vector<int64_t> axes;
  if (const Attribute* const given = attribute_of(*node, "axes"))
    axes = given->integers;
  else if (node->inputs.size() < 2 || !finder.integers(node->inputs[1], &axes))
    return std::nullopt;
  constexpr size_t kMostAxes = 8;
  if (!constant || constant->type != kF32 || constant->dims.size() + axes.size() > kMostAxes) return std::nullopt;
  std::vector<int64_t> sizes = constant->dims;
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) {
    if (axis < 0 || axis > static_cast<int64_t>(sizes.size())) return std::nullopt;
    sizes.insert(sizes.begin() + axis, 1);
  }
  return sizes;
}

// Follows what a convolution gives, as far as each value has one reader.
class Chain {
 public:
  Chain(Finder& finder, const Readers& readers, const NodeProto& convolution)
      : finder_(finder), readers_(readers), convolution_(convolution) {}

  // Finds the convolution and what follows it; false if there is nothing to put into it.
  bool find() {
    const std::vector<std::string>& inputs = convolution_.inputs;
    if (!convolution_.domain.empty() || convolution_.type != "Conv" || convolution_.outputs.size() != 1 ||
        (inputs.size() > 3 && !(convolution_.rewritten && inputs.size() == kNormalised)) || inputs.size() < 2)
      return false;
    const TensorProto* const filter = finder_.constant(inputs[1]);
    if (!filter || filter->type != kF32 || filter->dims.size() < 3 || finder_.constant(inputs[0])) return false;
    rank_ = filter->dims.size();
    channels_ = filter->dims[0];
    for (size_t i = 2; i < inputs.size(); ++i) {
      if (inputs[i].empty()) continue;
      const TensorProto* const each = finder_.constant(inputs[i]);
      if (!each || each->dims != std::vector<int64_t>{channels_} || each->type != kF32) return false;
    }
    factors_.assign(static_cast<size_t>(channels_), 1);
    axis_ = 1;
    nodes_ = {&convolution_};
    // Each value is made once and read once, so the chain comes to an end.
    while (follow()) {
    }
    nodes_.resize(length_);
    return length_ > 1;
  }

  // gone: its nodes.
  void replace(std::unordered_set<const NodeProto*>* gone) {
    std::vector<NodeProto> fresh;
    const NodeProto& like = convolution_;
    const auto add = [&](const char* type, std::vector<std::string> operands) -> NodeProto& {
      fresh.push_back(fresh_node(like, type, std::move(operands), {finder_.fresh_name(like.outputs[0])}));
      return fresh.back();
    };
    const auto wide = [&](const std::string& value) {
      NodeProto& node = add("Cast", {value});
      node.attributes = {integer_attribute("to", kF64)};
      return node.outputs[0];
    };
    const auto list = [&](std::vector<int64_t> values) {
      NodeProto& node = add("Constant", {});
      node.attributes = {integers_attribute("value_ints", std::move(values))};
      return node.outputs[0];
    };
    std::vector<std::string> inputs = convolution_.inputs;
    const bool plain = inputs.size() < kNormalised;
    inputs.resize(kNormalised);
    if (plain) {
      inputs[5] = add("ConstantOfShape", {list({channels_})}).outputs[0];
      inputs[6] = add("Exp", {inputs[5]}).outputs[0];
      inputs[3] = inputs[6];
      inputs[4] = inputs[5];
    }
    std::string factor = wide(inputs[3]), summand = wide(inputs[4]);
    const std::string one_axis = list({-1});
    std::vector<const NodeProto*> turns;
    for (const NodeProto* each : nodes_) {
      if (each->type == "Transpose") turns.push_back(each);
      if (each->type != "Add" && each->type != "Sub" && each->type != "Mul" && each->type != "Div") continue;
      const std::string constant = wide(add("Reshape", {operands_.at(each), one_axis}).outputs[0]);
      summand = add(each->type.c_str(), {summand, constant}).outputs[0];
      if (each->type == "Mul" || each->type == "Div") factor = add(each->type.c_str(), {factor, constant}).outputs[0];
    }
    inputs[3] = factor;
    inputs[4] = summand;
    const std::string result = nodes_.back()->outputs[0];
    std::string value = turns.empty() ? result : finder_.fresh_name(result);
    fresh.push_back(fresh_node(like, "Conv", std::move(inputs), {value}));
    fresh.back().attributes = convolution_.attributes;
    if (plain) fresh.back().attributes.push_back(real_attribute("epsilon", 0));
    for (const NodeProto* turn : turns) {
      fresh.push_back(*turn);
      fresh.back().inputs = {value};
      value = turn == turns.back() ? result : finder_.fresh_name(result);
      fresh.back().outputs = {value};
    }
    gone->insert(nodes_.begin(), nodes_.end());
    finder_.replace({nodes_.rbegin(), nodes_.rend()}, std::move(fresh));
  }

 private:
  // One node on.
  bool follow() {
    const std::string& value = nodes_.back()->outputs[0];
    const auto reader = readers_.last.find(value);
    if (finder_.is_output(value) || finder_.readers(value) != 1 || !finder_.made_once(value) ||
        reader == readers_.last.end() || readers_.gone.count(reader->second) != 0 ||
        !seen_.insert(reader->second).second)
      return false;
    const NodeProto& node = *reader->second;
    if (is_plain(node, "Transpose", 1)) {
      const Attribute* const order = attribute_of(node, "perm");
      if (!order || order->integers.size() != rank_) return false;
      axis_ = std::find(order->integers.begin(), order->integers.end(), axis_) - order->integers.begin();
      if (axis_ >= static_cast<int64_t>(rank_)) return false;
    } else if (is_plain(node, "Cast", 1)) {
      const Attribute* const to = attribute_of(node, "to");
      if (!to || to->integer != kF32) return false;
    } else if (!takes_constant(node, value)) {
      return false;
    }
    nodes_.push_back(&node);
    if (operands_.count(&node) != 0) length_ = nodes_.size();
    return true;
  }

  // A sum or product with a constant that has one number, or one for each channel.
  bool takes_constant(const NodeProto& node, const std::string& value) {
    const bool either = is_plain(node, "Add", 2) || is_plain(node, "Mul", 2);
    if ((!either && !is_plain(node, "Sub", 2) && !is_plain(node, "Div", 2)) || !node.attributes.empty()) return false;
    if (!either && node.inputs[0] != value) return false;
    const std::string& other = node.inputs[node.inputs[0] == value ? 1 : 0];
    const std::optional<std::vector<int64_t>> sizes = sizes_of(finder_, other);
    if (!sizes || sizes->size() > rank_) return false;
    for (size_t i = 0; i < sizes->size(); ++i) {
      const bool of_channels = static_cast<int64_t>(i + rank_ - sizes->size()) == axis_;
      if ((*sizes)[i] != 1 && !(of_channels && (*sizes)[i] == channels_)) return false;
    }
    if (operands_.size() == kMostConstants) return false;
    if (node.type != "Add" && node.type != "Sub" && !multiply(node.type == "Div", other)) return false;
    operands_[&node] = other;
    return true;
  }

  // Multiplies or divides the factors; false if a filter times one of them could be none that f32 has.
  bool multiply(bool divides, const std::string& value) {
    const NodeProto* const node = finder_.constant(value) ? nullptr : finder_.maker(value);
    std::vector<float> numbers;
    if (!finder_.reals(node ? node->inputs[0] : value, &numbers) ||
        (numbers.size() != 1 && numbers.size() != factors_.size()))
      return false;
    std::vector<double> factors = factors_;
    for (size_t i = 0; i < factors.size(); ++i) {
      const double number = numbers[numbers.size() == 1 ? 0 : i];
      factors[i] = divides ? factors[i] / number : factors[i] * number;
      if (!(std::abs(factors[i]) >= kLeastFactor && std::abs(factors[i]) <= kMostFactor)) return false;
    }
    factors_ = std::move(factors);
    return true;
  }

  Finder& finder_;
  const Readers& readers_;
  const NodeProto& convolution_;
  size_t rank_ = 0, length_ = 0;  // of the result, and of nodes up to the last that goes into the convolution
  int64_t channels_ = 0, axis_ = 1;
  std::vector<const NodeProto*> nodes_;
  std::unordered_map<const NodeProto*, std::string> operands_;
  std::unordered_set<const NodeProto*> seen_;
  std::vector<double> factors_;  // of each channel
};

}  // namespace

size_t join_channels(Finder& finder) {
  Readers readers;
  std::vector<const NodeProto*> convolutions;
  for (const NodeProto& each : finder.nodes()) {
    for (const std::string& name : each.inputs) readers.last[name] = &each;
    if (each.type == "Conv") convolutions.push_back(&each);
  }
  size_t joined = 0;
  for (const NodeProto* each : convolutions) {
    Chain chain(finder, readers, *each);
    if (!chain.find()) continue;
    chain.replace(&readers.gone);
    ++joined;
  }
  return joined;
}

}  // namespace rondo_onnx
