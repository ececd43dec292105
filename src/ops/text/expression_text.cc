// Parses the text of an expression: its statements, names and nodes, and the errors that quote it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_text.h"

#include <algorithm>
#include <cstdarg>
#include <limits>

#include "base/text.h"
#include "ops/text/expression_parser.h"

namespace rondo::ops {

namespace {

bool find_constant(std::string_view name, Scalar* value) {
  if (name == "pi") return *value = Scalar::of(3.14159265358979323846), true;
  if (name == "inf") return *value = Scalar::of(std::numeric_limits<double>::infinity()), true;
  if (name == "nan") return *value = Scalar::of(std::numeric_limits<double>::quiet_NaN()), true;
  if (name == "true") return *value = Scalar::of_i64(1), true;
  if (name == "false") return *value = Scalar::of_i64(0), true;
  return false;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr size_t kMost = 40;
  const std::string_view part = text.substr(0, kMost);
  return format("'%.*s%s'", static_cast<int>(part.size()), part.data(), text.size() > kMost ? "..." : "");
}

Status ExpressionParser::parse() {
  while (token_.is(";")) advance();
  while (token_.kind != Token::end) {
    RONDO_TRY(statement());
    if (token_.kind != Token::end && !token_.is(";")) return expected("an operator or ';' before the next statement");
    while (token_.is(";")) advance();
  }
  if (to_.results_.empty())
    return to_.error_at(RONDO_INVALID_ARGUMENT, token_.at,
                        "no result is assigned; a text has at least one statement such as y = a * x + y");
  return {};
}

Status ExpressionParser::expected(const char* what) const {
  if (token_.kind == Token::wrong)
    return to_.error_at(RONDO_INVALID_ARGUMENT, token_.at, "%s", std::string(token_.text).c_str());
  return to_.error_at(RONDO_INVALID_ARGUMENT, token_.at, "expected %s, found %s", what,
                      token_.kind == Token::end ? "the end" : quoted(token_.text).c_str());
}
Status ExpressionParser::refused(uint32_t at, const std::string& why) const {
  return to_.error_at(RONDO_INVALID_ARGUMENT, at, "%s", why.c_str());
}

Status ExpressionParser::add(const Node& node, uint16_t* index) {
  int origin = -1;
  RONDO_TRY(find_origin(node, &origin));
  if (to_.nodes_.size() >= ExpressionText::kMaxNodes)
    return refused(node.at, format("the text has more than %zu operands and operations", ExpressionText::kMaxNodes));
  to_.nodes_.push_back(node);
  *index = static_cast<uint16_t>(to_.nodes_.size() - 1);
  if (origin >= 0 && is_reduction(origin))
    to_.reductions_[to_.nodes_[static_cast<size_t>(origin)].index].finished = true;
  origins_.push_back(is_origin(node) ? *index : origin);
  return {};
}
// The origin that a node's operands come from. Its result is known when all of its operands are, so there is no second
// way to it before it is written.
Status ExpressionParser::find_origin(const Node& node, int* origin) const {
  for (int i = 0; i < node.count; ++i) {
    const int each = origins_[node.nodes[i]];
    if (each < 0) continue;
    if (is_origin(node))
      return refused(node.at,
                     format("this is of what a %s gives, which is at its end a result; run another expression on it",
                            name_of(each)));
    if (*origin >= 0 && each != *origin) {
      const bool alike = name_of(each) == name_of(*origin);
      return refused(node.at, format("two of these meet here, a %s and %s%s; a value comes from one, so run another "
                                     "expression on the first",
                                     name_of(*origin), alike ? "another " : "a ", name_of(each)));
    }
    *origin = each;
  }
  return {};
}
const char* ExpressionParser::name_of(int origin) const {
  switch (to_.nodes_[static_cast<size_t>(origin)].kind) {
    case Node::reduce: return "reduction";
    case Node::softmax: return "softmax";
    default: return "product";
  }
}

ExpressionParser::Definition* ExpressionParser::find(std::string_view name) {
  for (Definition& each : definitions_)
    if (each.name == name) return &each;
  return nullptr;
}

Status ExpressionParser::statement() {
  const bool local = token_.kind == Token::name && token_.text == "let";
  if (local) advance();
  if (token_.kind != Token::name) return expected(local ? "a name after let" : "the name of a result");
  const Token name = token_;
  Scalar reserved;
  if (name.text == "let" || find_constant(name.text, &reserved))
    return refused(name.at, quoted(name.text) + " has a meaning of its own; choose another name");
  advance();
  static constexpr struct {
    const char* symbol;
    Op op;
  } kCompound[] = {{"+=", Op::add}, {"-=", Op::sub}, {"*=", Op::mul}, {"/=", Op::div}};
  const auto* compound = std::find_if(std::begin(kCompound), std::end(kCompound),
                                      [this](const auto& each) { return token_.is(each.symbol); });
  const uint32_t at = token_.at;
  if (compound == std::end(kCompound) && !token_.is("=")) return expected("'=' behind the name of a result");
  if (local && compound != std::end(kCompound)) return refused(at, "let makes a new value: only '=' is possible");
  advance();
  uint16_t value = 0;
  RONDO_TRY(conditional(&value));
  if (compound != std::end(kCompound)) {
    uint16_t before = 0;
    RONDO_TRY(named(name, &before));
    RONDO_TRY(apply(at, compound->op, {before, value}, &value));
  }
  return define(name, local, value);
}

Status ExpressionParser::define(const Token& name, bool local, uint16_t node) {
  Definition* const known = find(name.text);
  if (known && (known->local || local))
    return refused(name.at, quoted(name.text) + (known->local ? " is a value of let, which is assigned once"
                                                              : " is a result already; choose another name"));
  if (local && std::find(to_.operands_.begin(), to_.operands_.end(), name.text) != to_.operands_.end())
    return refused(name.at, quoted(name.text) + " is an operand already; choose another name");
  if (known) {
    known->node = node;
  } else {
    definitions_.push_back({name.text, node, local});
  }
  if (local) return {};
  for (ExpressionText::Result& each : to_.results_)
    if (each.name == name.text) {
      each.node = node;
      each.at = name.at;
      each.origin = origins_[node];
      return {};
    }
  if (to_.results_.size() >= ExpressionText::kMaxNames)
    return refused(name.at, format("the text has more than %zu results", ExpressionText::kMaxNames));
  to_.results_.push_back({std::string(name.text), node, name.at, origins_[node]});
  return {};
}

Status ExpressionParser::named(const Token& name, uint16_t* value) {
  if (const Definition* known = find(name.text)) {
    *value = known->node;
    return {};
  }
  Scalar constant;
  if (find_constant(name.text, &constant)) return number(name.at, constant, value);
  if (name.text == "let") return refused(name.at, "let begins a statement; it is not a value");
  Node node;
  node.kind = Node::operand;
  node.at = name.at;
  const auto known = std::find(to_.operands_.begin(), to_.operands_.end(), name.text);
  node.index = static_cast<uint16_t>(known - to_.operands_.begin());
  if (known == to_.operands_.end()) {
    if (to_.operands_.size() >= ExpressionText::kMaxNames)
      return refused(name.at, format("the text has more than %zu operands", ExpressionText::kMaxNames));
    to_.operands_.emplace_back(name.text);
  } else {
    for (size_t i = 0; i < to_.nodes_.size(); ++i)  // one node per operand
      if (to_.nodes_[i].kind == Node::operand && to_.nodes_[i].index == node.index) {
        *value = static_cast<uint16_t>(i);
        return {};
      }
  }
  return add(node, value);
}

Status ExpressionParser::number(uint32_t at, const Scalar& number, uint16_t* value) {
  Node node;
  node.kind = Node::number;
  node.at = at;
  node.value = number;
  return add(node, value);
}
Status ExpressionParser::apply(uint32_t at, Op op, std::initializer_list<uint16_t> nodes, uint16_t* value) {
  Node node;
  node.kind = Node::apply;
  node.op = op;
  node.at = at;
  for (const uint16_t each : nodes) node.nodes[node.count++] = each;
  return add(node, value);
}
Status ExpressionParser::choose(uint32_t at, uint16_t condition, uint16_t yes, uint16_t no, uint16_t* value) {
  Node node;
  node.kind = Node::where;
  node.at = at;
  node.count = 3;
  node.nodes[0] = condition, node.nodes[1] = yes, node.nodes[2] = no;
  return add(node, value);
}

Status ExpressionText::parse(std::string_view text, const char* name, Ref<ExpressionText>* parsed) {
  if (text.size() > kMaxBytes)
    return error(RONDO_INVALID_ARGUMENT, "text has %zu bytes; at most %zu are possible", text.size(), kMaxBytes);
  auto made = make_ref<ExpressionText>();
  made->text_ = text;
  made->name_ = name;
  RONDO_TRY(ExpressionParser(*made).parse());
  *parsed = std::move(made);
  return {};
}

Status ExpressionText::error_at(rondo_status code, uint32_t at, const char* pattern, ...) const {
  va_list arguments;
  va_start(arguments, pattern);
  const std::string message = vformat(pattern, arguments);
  va_end(arguments);
  const TextPosition place = place_of(text_, at);
  return {code, format("%u:%u: ", place.line, place.column) + message + "\n" + caret_lines(text_, at)};
}

}  // namespace rondo::ops
