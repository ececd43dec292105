// Follows values of a program to what makes them, through memory and expressions.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/value_graph.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/program/overlap.h"

namespace rondo {

namespace {

using ops::Expression;
using ops::Op;
using ops::ProgramNode;
using ops::ProgramOperand;

// A value of each row, as their elements see it: all axes but the last step as they were written, and the last one
// stays.
bool repeats_last(const View& read, const View& written) {
  if (read.offset != written.offset || read.dtype != written.dtype || read.layout.ndim == 0) return false;
  const int last = read.layout.ndim - 1;
  if (read.layout.shape[last] != 1 && read.layout.strides[last] != 0) return false;
  int d = 0;
  const auto skip = [&] {
    while (d < written.layout.ndim && written.layout.shape[d] == 1) ++d;
  };
  for (int i = 0; i < last; ++i) {
    if (read.layout.shape[i] == 1) continue;
    skip();
    if (d == written.layout.ndim || read.layout.shape[i] != written.layout.shape[d] ||
        read.layout.strides[i] != written.layout.strides[d])
      return false;
    ++d;
  }
  skip();
  return d == written.layout.ndim;
}

// The name of a kind as terms have it; null: none has it.
const char* type_of(const ops::Call& call) {
  if (const auto* reduce = std::get_if<ops::ReduceCall>(&call.of)) {
    if (reduce->op == ops::ReduceOp::mean) return "Mean";
    return reduce->op == ops::ReduceOp::var && reduce->parameter == 0 ? "Var" : nullptr;
  }
  if (const auto* norm = std::get_if<ops::BatchNormCall>(&call.of)) return norm->given ? "Batch_norm" : nullptr;
  if (std::holds_alternative<ops::SoftmaxCall>(call.of)) return "Softmax";
  if (std::holds_alternative<ops::ConcatCall>(call.of)) return "Concat";
  if (std::holds_alternative<ops::ConvolutionCall>(call.of)) return "Convolution";
  return std::holds_alternative<ops::MatmulCall>(call.of) ? "Matmul" : nullptr;
}

// A reduction of the last axis alone.
bool is_of_last_axis(const ProgramNode& node) {
  const auto* const reduce = std::get_if<ops::ReduceCall>(&node.call->of);
  const int ndim = node.operands[0].view.layout.ndim;
  return !reduce || (ndim > 0 && reduce->axes == 1U << (ndim - 1));
}

// A value of an expression before it was rounded; without one, its result.
ops::Value unrounded(const Expression& e, std::optional<ops::Value> value = {}) {
  ops::Value at = value ? *value : e.output(0).value;
  while (!Expression::is_input(at) && !Expression::is_scalar(at) &&
         e.instruction(Expression::result_index(at)).op == Op::round_to)
    at = e.instruction(Expression::result_index(at)).a;
  return at;
}

// An operator's name in terms is that of its row with a capital letter.
bool is_named(Op op, std::string_view type) {
  if (static_cast<int>(op) >= ops::kOperators) return false;
  const char* const name = ops::operator_of(op).name;
  return type.size() == std::strlen(name) && static_cast<char>(type[0] - 'A' + 'a') == name[0] &&
         type.substr(1) == name + 1;
}

}  // namespace

bool to_axis(View* view, int axis) {
  Layout& layout = view->layout;
  for (int d = 0; d < layout.ndim; ++d)
    if (d != axis && layout.shape[d] > 1 && layout.strides[d] != 0) return false;
  layout.shape[0] = layout.shape[axis];
  layout.strides[0] = layout.strides[axis];
  layout.ndim = 1;
  return true;
}

bool ValueGraph::Value::operator==(const Value& other) const {
  if (!memory || !other.memory) return node == other.node && operand == other.operand && inner == other.inner;
  return ops::identical(memory->view, other.memory->view);
}

ValueGraph::ValueGraph(const ops::Program& program)
    : program_(program), forms_(program.nodes.size()), writers_(program.values.size()) {
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    for (uint32_t k = 0; k < node.operands.size(); ++k) {
      Writer& writer = writers_[node.operands[k].value];
      if (!node.operands[k].written) {
        ++writer.readers;
        continue;
      }
      writer.only = writer.node == kNone && node.operands[k].known && node.operands[k].covers &&
                    !node.operands[k].view.accumulate;
      writer.node = i;
      writer.operand = k;
    }
    forms_[i] = ops::elementwise_form(node);
    if (forms_[i] && (forms_[i]->expression.outputs() != 1 || forms_[i]->expression.output(0).accumulate))
      forms_[i].reset();
  }
}

// A node leaves the last value of its expression, or its result in memory.
ValueGraph::Value ValueGraph::result_of(uint32_t node) const {
  if (forms_[node]) return {node, kNone, unrounded(forms_[node]->expression), nullptr};
  const std::vector<ProgramOperand>& operands = program_.nodes[node].operands;
  return {node, static_cast<uint32_t>(operands.size() - 1), 0, &operands.back()};
}

// A value of a node's expression before it was rounded: an input is an operand of the node.
ValueGraph::Value ValueGraph::inside(uint32_t node, ops::Value inner) const {
  inner = unrounded(forms_[node]->expression, inner);
  if (!Expression::is_input(inner)) return {node, kNone, inner, nullptr};
  const std::vector<ProgramOperand>& operands = program_.nodes[node].operands;
  uint32_t left = inner, k = 0;
  while (operands[k].written || !operands[k].known || left-- > 0) ++k;
  return {node, k, 0, &operands[k]};
}

// The instruction that an operand has its elements from, by way of memory. Numbers and copies of other nodes are none:
// what they read may be written before it is read here.
std::optional<ValueGraph::Node> ValueGraph::stored(const Value& value) const {
  const Writer* const writer = value.memory->written ? nullptr : writer_of(value);
  if (!writer || !forms_[writer->node]) return {};
  // Elementwise operators give rows repeated the same as they repeat what is given for rows.
  const View &read = value.memory->view, &written = program_.nodes[writer->node].operands[writer->operand].view;
  if (!ops::identical(read, written) && !repeats_last(read, written)) return {};
  const ops::Value made = unrounded(forms_[writer->node]->expression);
  if (Expression::is_input(made) || Expression::is_scalar(made)) return {};
  return Node{writer->node, Expression::result_index(made)};
}

// Who has written what an operand reads, if that is one node and nothing else can look at it; null: there is none.
const ValueGraph::Writer* ValueGraph::writer_of(const Value& value) const {
  const Writer& writer = writers_[value.memory->value];
  const bool known = writer.only && writer.node != kNone && !program_.values[value.memory->value].outlives();
  return known ? &writer : nullptr;
}

bool ValueGraph::is_constant(const Value& value) const {
  return !value.memory && Expression::is_scalar(value.inner);
}

bool ValueGraph::number(const Value& value, double* number, int* bits) const {
  if (!given(value) || !is_constant(value)) return false;
  const int i = Expression::scalar_index(value.inner);
  const uint64_t word = forms_[value.node]->words[i];
  const rondo_dtype dtype = forms_[value.node]->expression.scalar_dtype(i);
  if (dtype == RONDO_F32)
    *number = static_cast<double>(bit_cast<float>(static_cast<uint32_t>(word)));
  else if (dtype == RONDO_F64)
    *number = bit_cast<double>(word);
  else
    return false;
  // A number of an operator of 16 bits is rounded to them.
  const auto result = static_cast<rondo_dtype>(forms_[value.node]->expression.output(0).dtype);
  *bits = result == RONDO_F16 ? 11 : result == RONDO_BF16 ? 8 : 0;
  return true;
}

bool ValueGraph::makes(const Value& value, std::string_view type, Node* made) const {
  std::optional<Node> computed;
  if (value.memory)
    computed = stored(value);
  else if (!Expression::is_input(value.inner) && !Expression::is_scalar(value.inner))
    computed = Node{value.node, Expression::result_index(value.inner)};
  if (computed) {
    *made = *computed;
    return is_named(forms_[made->node]->expression.instruction(made->instruction).op, type);
  }
  if (!value.memory) return false;
  Writer writer;  // of the last node's result: itself
  writer.node = value.node;
  writer.operand = value.operand;
  if (!value.memory->written) {
    const Writer* const found = writer_of(value);
    if (!found) return false;
    writer = *found;
  }
  const ProgramNode& node = program_.nodes[writer.node];
  const char* const name = node.opaque() ? nullptr : type_of(*node.call);
  if (!name || type != name || !is_of_last_axis(node)) return false;
  const View &read = value.memory->view, &written = node.operands[writer.operand].view;
  const bool reduces = std::holds_alternative<ops::ReduceCall>(node.call->of);
  *made = {writer.node, -1};
  return ops::identical(read, written) || (reduces && repeats_last(read, written));
}

size_t ValueGraph::inputs(const Node& of) const {
  if (of.instruction >= 0)
    return static_cast<size_t>(Expression::arity(forms_[of.node]->expression.instruction(of.instruction)));
  const auto& call = program_.nodes[of.node].call->of;
  if (std::holds_alternative<ops::ConvolutionCall>(call) || std::holds_alternative<ops::BatchNormCall>(call)) return 1;
  const std::vector<ProgramOperand>& operands = program_.nodes[of.node].operands;
  return static_cast<size_t>(
      std::count_if(operands.begin(), operands.end(), [](const ProgramOperand& each) { return !each.written; }));
}

ValueGraph::Value ValueGraph::input(const Node& of, size_t i) const {
  if (of.instruction < 0) {
    const auto k = static_cast<uint32_t>(i);
    return {of.node, k, 0, &program_.nodes[of.node].operands[k]};
  }
  const Expression::Instruction& made = forms_[of.node]->expression.instruction(of.instruction);
  return inside(of.node, i == 0 ? made.a : i == 1 ? made.b : made.c);
}

// All that reads its result is among the nodes.
bool ValueGraph::is_inner(uint32_t node, const std::vector<uint32_t>& nodes, uint32_t last) const {
  if (node == last) return true;
  size_t reads = 0, readers = 0;
  for (const ProgramOperand& each : program_.nodes[node].operands) {
    if (!each.written) continue;
    const Writer& writer = writers_[each.value];
    if (!writer.only || writer.node != node || program_.values[each.value].outlives()) return false;
    readers += writer.readers;
    for (const uint32_t by : nodes)
      for (const ProgramOperand& of : program_.nodes[by].operands) reads += !of.written && of.value == each.value;
  }
  return reads == readers;
}

// Each operator of an elementwise node is one that the term has.
bool ValueGraph::is_covered(uint32_t node, const Matched& found) const {
  if (!forms_[node]) return true;
  const Expression live = forms_[node]->expression.without_dead();
  int operators = 0;
  for (int i = 0; i < live.instructions(); ++i) operators += live.instruction(i).op != Op::round_to;
  uint64_t seen = 0;  // a bit for each of the instructions, which are 64 at most
  for (const Node& each : found.nodes)
    if (each.node == node) seen |= uint64_t{1} << each.instruction;
  return std::popcount(seen) == operators;
}

bool ValueGraph::matches(const Term& term, uint32_t node, Matched* found, std::vector<uint32_t>* nodes) const {
  *found = {};
  const ProgramNode& last = program_.nodes[node];
  if (last.opaque() || last.operands.empty() || !last.operands.back().written || !last.operands.back().known ||
      last.operands.back().view.accumulate)
    return false;
  if (!match_term(*this, term, result_of(node), found)) return false;
  nodes->clear();
  for (const Node& each : found->nodes) nodes->push_back(each.node);
  std::sort(nodes->begin(), nodes->end());
  nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
  // The new node reads nothing that an old one makes.
  for (const auto& [name, value] : found->values)
    if (value.memory && std::binary_search(nodes->begin(), nodes->end(), writers_[value.memory->value].node))
      return false;
  return nodes->back() == node && std::all_of(nodes->begin(), nodes->end(), [&](uint32_t each) {
           return program_.nodes[each].device == last.device && is_inner(each, *nodes, node) &&
                  is_covered(each, *found);
         });
}

}  // namespace rondo
