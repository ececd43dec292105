// Follows the values of a function from its inputs and weights on: each has the name of the tensor that it shows, and
// says which part.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "ops/program/views.h"
#include "program_files/attributes.h"
#include "program_files/collected.h"

namespace rondo::program_files {

namespace {

class Outline {
 public:
  Outline(const Program& program, const Function& of) {
    for (size_t i = 0; i < of.inputs.size(); ++i)
      add_value(format("input %zu", i), of.inputs[i].dtype, of.inputs[i].shape);
    for (const uint32_t each : of.weights)
      add_value(format("weight %u", each), program.weights[each].dtype, program.weights[each].shape);
    for (const Declared& each : of.inputs) add_shape(each.shape);
    for (const Function::Parameter& each : of.parameters)
      text_ += format("%s %d %llx\n", each.name.c_str(), static_cast<int>(each.dtype),
                      static_cast<unsigned long long>(each.word));
    for (const Function::Section& each : of.sections) text_ += each.name + (each.on ? " on\n" : " off\n");
    status_ = add_all(of.nodes);
    for (const Function::Output& each : of.outputs) {
      add_operand(each.value);
      add_shape(each.shape);
    }
  }
  const std::string& text() const { return text_; }
  const Status& status() const { return status_; }

 private:
  struct Seen {
    std::string name;  // of what it is a view of
    View view;
  };
  void add_value(std::string name, rondo_dtype dtype, const Layout& layout) {
    Seen& value = values_[next_++];
    value.name = std::move(name);
    value.view.dtype = dtype;
    value.view.layout = layout;
  }
  void add_shape(const Layout& shape) {
    for (int i = 0; i < shape.ndim; ++i) text_ += format(" %lld", printable(shape.shape[i]));
    text_ += '\n';
  }
  // Names the elements, in their order.
  static std::string elements(const View& view) {
    if (view.elements() == 0) return "";
    std::string text = format(" from %lld%s", printable(view.offset), view.accumulate ? " added" : "");
    for (int i = 0; i < view.layout.ndim; ++i)
      if (view.layout.shape[i] != 1)
        text += format(" %lld by %lld", printable(view.layout.shape[i]), printable(view.layout.strides[i]));
    return text;
  }
  void add_operand(uint32_t value) {
    const Seen& seen = values_[value];
    text_ += seen.view.elements() == 0 ? " nothing" : " " + seen.name + elements(seen.view);
  }
  Status add_all(const std::vector<Node>& nodes) {
    for (const Node& each : nodes) RONDO_TRY(add(each));
    return {};
  }
  bool is_same_as_copy(const Node& node) {
    if (node.role != Node::Role::operation || !std::holds_alternative<ops::CopyCall>(node.call->of) ||
        !node.outputs[0].made || node.section != kNoSection)
      return false;
    View from = values_[node.inputs[0]].view, to;
    from.offset = 0;
    to.layout = node.outputs[0].layout;
    return elements(from) == elements(to);
  }
  // Counts the tensors of zeros that have elements: others are there or not.
  std::string name_of(const Node& node, const Layout& made) {
    if (node.role != Node::Role::empty) return format("result %zu", results_++);
    return made.elements() == 0 ? "nothing" : format("zeros %zu", zeros_++);
  }
  Status add(const Node& node) {
    if (node.role == Node::Role::view || is_same_as_copy(node)) {
      const uint32_t number = node.outputs[0].value;
      Seen seen = values_[node.inputs[0]];
      if (node.role == Node::Role::view)
        RONDO_TRY(ops::apply_view(*node.call, values_[node.inputs[0]].view, &seen.view));
      values_[number] = std::move(seen);
      return {};
    }
    if (node.role != Node::Role::empty) {
      text_ += format("%d in section %u: ", static_cast<int>(node.role), node.section);
      if (node.call) {
        text_ += ops::row_of(*node.call).name;
        (void)write_attributes(*node.call, &text_);
      }
      for (const uint32_t each : node.inputs) add_operand(each);
      text_ += " to";
    }
    for (const Written& each : node.outputs) {
      if (each.made) {
        next_ = each.value;
        add_value(name_of(node, each.layout), each.dtype, each.layout);
      }
      if (node.role != Node::Role::empty) add_operand(each.value);
    }
    if (node.role != Node::Role::empty) text_ += '\n';
    if (!node.choice) return {};
    text_ += format("%d at most %lld\n", static_cast<int>(node.choice->kind), printable(node.choice->limit));
    for (const Choice::Body& each : node.choice->bodies) {
      text_ += "{\n";
      RONDO_TRY(add_all(each.nodes));
      text_ += "}\n";
    }
    return {};
  }

  std::unordered_map<uint32_t, Seen> values_;
  std::string text_;
  Status status_;
  uint32_t next_ = 0;
  size_t results_ = 0, zeros_ = 0;
};

}  // namespace

Status outline(const Program& program, const Function& function, std::string* text) {
  const Outline made(program, function);
  *text = made.text();
  return made.status();
}

}  // namespace rondo::program_files
