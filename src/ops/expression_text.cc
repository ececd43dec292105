// Parsing the text of an expression: precedence climbing, names resolved to nodes on the way.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/expression_text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <limits>

#include "base/text.h"
#include "ops/expression_lexer.h"

namespace rondo::ops {

using Node = ExpressionText::Node;

namespace {

struct Infix {
  const char* symbol;
  int level;  // binds tighter the higher it is
  Op op;
};
constexpr Infix kInfix[] = {
    {"||", 1, Op::logical_or},  {"&&", 2, Op::logical_and}, {"|", 3, Op::bit_or}, {"^", 4, Op::bit_xor},
    {"&", 5, Op::bit_and},      {"==", 6, Op::eq},          {"!=", 6, Op::ne},    {"<", 7, Op::lt},
    {"<=", 7, Op::le},          {">", 7, Op::gt},           {">=", 7, Op::ge},    {"<<", 8, Op::shift_left},
    {">>", 8, Op::shift_right}, {"+", 9, Op::add},          {"-", 9, Op::sub},    {"*", 10, Op::mul},
    {"/", 10, Op::div},         {"%", 10, Op::mod},
};
constexpr int kLoosest = 1;

const Infix* find_infix(const Token& token) {
  for (const Infix& each : kInfix)
    if (token.is(each.symbol)) return &each;
  return nullptr;
}

const Operator* find_operator(std::string_view name) {
  for (int i = 0; i < kOperators; ++i)
    if (operator_of(static_cast<Op>(i)).name == name) return &operator_of(static_cast<Op>(i));
  return nullptr;
}

bool find_dtype(std::string_view name, rondo_dtype* dtype) {
  for (int i = 0; i < kDtypes; ++i)
    if (dtype_name(static_cast<rondo_dtype>(i)) == name) {
      *dtype = static_cast<rondo_dtype>(i);
      return true;
    }
  return false;
}

bool find_reduction(std::string_view name, rondo_reduce_op* op) {
  for (int i = 0; reduce_name(i); ++i)
    if (reduce_name(i) == name) {
      *op = static_cast<rondo_reduce_op>(i);
      return true;
    }
  return false;
}

bool find_softmax(std::string_view name, rondo_softmax_op* op) {
  for (int i = 0; softmax_name(i); ++i)
    if (softmax_name(i) == name) {
      *op = static_cast<rondo_softmax_op>(i);
      return true;
    }
  return false;
}

bool find_constant(std::string_view name, Scalar* value) {
  if (name == "pi") return *value = Scalar::of(3.14159265358979323846), true;
  if (name == "inf") return *value = Scalar::of(std::numeric_limits<double>::infinity()), true;
  if (name == "nan") return *value = Scalar::of(std::numeric_limits<double>::quiet_NaN()), true;
  if (name == "true") return *value = Scalar::of_i64(1), true;
  if (name == "false") return *value = Scalar::of_i64(0), true;
  return false;
}

// As messages show it: quoted, and not longer than a glance.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 40;
  const std::string_view part = text.substr(0, kMost);
  return format("'%.*s%s'", static_cast<int>(part.size()), part.data(), text.size() > kMost ? "..." : "");
}

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(ExpressionText& to) : to_(to), text_(to.text_) { advance(); }

  Status parse() {
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

 private:
  void advance() { token_ = next_token(text_, &at_); }
  Status expected(const char* what) const {
    if (token_.kind == Token::wrong)
      return to_.error_at(RONDO_INVALID_ARGUMENT, token_.at, "%s", std::string(token_.text).c_str());
    return to_.error_at(RONDO_INVALID_ARGUMENT, token_.at, "expected %s, found %s", what,
                        token_.kind == Token::end ? "the end" : shown(token_.text).c_str());
  }
  Status refused(uint32_t at, const std::string& why) const {
    return to_.error_at(RONDO_INVALID_ARGUMENT, at, "%s", why.c_str());
  }

  Status add(const Node& node, uint16_t* index) {
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
  static bool is_origin(const Node& node) {
    return node.kind == Node::reduce || node.kind == Node::softmax || node.kind == Node::product;
  }
  // The origin that a node's operands come from. What it gives is known when all that it is of is, so there is no
  // second way to that before it is written.
  Status find_origin(const Node& node, int* origin) const {
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
  bool is_reduction(int origin) const { return to_.nodes_[static_cast<size_t>(origin)].kind == Node::reduce; }
  const char* name_of(int origin) const {
    switch (to_.nodes_[static_cast<size_t>(origin)].kind) {
      case Node::reduce: return "reduction";
      case Node::softmax: return "softmax";
      default: return "product";
    }
  }

  // --- statements
  struct Definition {
    std::string_view name;
    uint16_t node;
    bool local;
  };
  Definition* find(std::string_view name) {
    for (Definition& each : definitions_)
      if (each.name == name) return &each;
    return nullptr;
  }

  Status statement() {
    const bool local = token_.kind == Token::name && token_.text == "let";
    if (local) advance();
    if (token_.kind != Token::name) return expected(local ? "a name after let" : "the name of a result");
    const Token name = token_;
    Scalar reserved;
    if (name.text == "let" || find_constant(name.text, &reserved))
      return refused(name.at, shown(name.text) + " has a meaning of its own; choose another name");
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

  Status define(const Token& name, bool local, uint16_t node) {
    Definition* const known = find(name.text);
    if (known && (known->local || local))
      return refused(name.at, shown(name.text) + (known->local ? " is a value of let, which is assigned once"
                                                               : " is a result already; choose another name"));
    if (local && std::find(to_.operands_.begin(), to_.operands_.end(), name.text) != to_.operands_.end())
      return refused(name.at, shown(name.text) + " is an operand already; choose another name");
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

  // --- values
  // Counts how deep the calls are, for as long as it lives.
  class Deeper {
   public:
    explicit Deeper(int& depth) : depth_(++depth) {}
    ~Deeper() { --depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    int& depth_;
  };
  Status check_depth() const {
    if (depth_ <= ExpressionText::kMaxDepth) return {};
    return refused(token_.at, format("nested deeper than %d; name a part with let", ExpressionText::kMaxDepth));
  }

  Status conditional(uint16_t* value) {
    const Deeper deeper(depth_);
    RONDO_TRY(check_depth());
    RONDO_TRY(infix(kLoosest, value));
    if (!token_.is("?")) return {};
    const uint32_t at = token_.at;
    advance();
    uint16_t yes = 0;
    uint16_t no = 0;
    RONDO_TRY(conditional(&yes));
    if (!token_.is(":")) return expected("':' between the two values of '?'");
    advance();
    RONDO_TRY(conditional(&no));
    return choose(at, *value, yes, no, value);
  }

  Status infix(int level, uint16_t* value) {
    RONDO_TRY(unary(value));
    for (bool compared = false;;) {
      const Infix* found = find_infix(token_);
      if (!found || found->level < level) return {};
      const bool compares = found->level == 6 || found->level == 7;
      if (compares && compared)
        return refused(token_.at, "comparisons do not chain; write a < b && b < c, or put one into parentheses");
      compared = compares;
      const uint32_t at = token_.at;
      advance();
      uint16_t right = 0;
      RONDO_TRY(infix(found->level + 1, &right));
      RONDO_TRY(apply(at, found->op, {*value, right}, value));
    }
  }

  Status unary(uint16_t* value) {
    const Deeper deeper(depth_);
    RONDO_TRY(check_depth());
    const Token sign = token_;
    if (!sign.is("-") && !sign.is("+") && !sign.is("!") && !sign.is("~")) return power(value);
    advance();
    RONDO_TRY(unary(value));
    if (sign.is("+")) return {};
    return apply(sign.at, sign.is("-") ? Op::neg : sign.is("!") ? Op::logical_not : Op::bit_not, {*value}, value);
  }

  Status power(uint16_t* value) {
    RONDO_TRY(primary(value));
    if (!token_.is("**")) return {};
    const uint32_t at = token_.at;
    advance();
    uint16_t exponent = 0;
    RONDO_TRY(unary(&exponent));
    return apply(at, Op::pow, {*value, exponent}, value);
  }

  Status primary(uint16_t* value) {
    const Token token = token_;
    if (token.kind == Token::number) {
      advance();
      return number(token.at, token.value, value);
    }
    if (token.is("(")) {
      advance();
      RONDO_TRY(conditional(value));
      if (!token_.is(")")) return expected("')'");
      advance();
      return {};
    }
    if (token.kind != Token::name) return expected("a value");
    advance();
    return token_.is("(") ? call(token, value) : named(token, value);
  }

  Status number(uint32_t at, const Scalar& number, uint16_t* value) {
    Node node;
    node.kind = Node::number;
    node.at = at;
    node.value = number;
    return add(node, value);
  }

  Status named(const Token& name, uint16_t* value) {
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

  Status apply(uint32_t at, Op op, std::initializer_list<uint16_t> nodes, uint16_t* value) {
    Node node;
    node.kind = Node::apply;
    node.op = op;
    node.at = at;
    for (const uint16_t each : nodes) node.nodes[node.count++] = each;
    return add(node, value);
  }
  Status choose(uint32_t at, uint16_t condition, uint16_t yes, uint16_t no, uint16_t* value) {
    Node node;
    node.kind = Node::where;
    node.at = at;
    node.count = 3;
    node.nodes[0] = condition, node.nodes[1] = yes, node.nodes[2] = no;
    return add(node, value);
  }

  // --- functions: the tables' operators, where, casts, reductions
  Status call(const Token& name, uint16_t* value) {
    rondo_reduce_op reduction = RONDO_SUM;
    if (find_reduction(name.text, &reduction)) return reduce(name, reduction, value);
    rondo_softmax_op kind = RONDO_SOFTMAX;
    if (find_softmax(name.text, &kind)) return softmax(name, kind, value);
    if (name.text == "matmul") return product(name, value);
    uint16_t arguments[3] = {};
    int count = 0;
    advance();  // the parenthesis
    while (!token_.is(")")) {
      const uint32_t at = token_.at;
      uint16_t argument = 0;
      RONDO_TRY(conditional(&argument));
      if (count == 3) return refused(at, "no function has more than 3 arguments");
      arguments[count++] = argument;
      if (token_.is(",")) {
        advance();
        if (token_.is(")")) return expected("an argument");
      } else if (!token_.is(")")) {
        return expected("',' or ')' behind an argument");
      }
    }
    advance();
    if (name.text == "where") {
      if (count != 3) return takes(name, 3, 3, count);
      return choose(name.at, arguments[0], arguments[1], arguments[2], value);
    }
    Node node;
    node.at = name.at;
    if (find_dtype(name.text, &node.dtype)) {
      if (is_f8(node.dtype))
        return refused(name.at, shown(name.text) + " is no dtype to compute with; cast the result (rondo_cast)");
      if (count != 1) return takes(name, 1, 1, count);
      node.kind = Node::cast;
      node.count = 1;
      node.nodes[0] = arguments[0];
      return add(node, value);
    }
    const Operator* row = find_operator(name.text);
    if (!row)
      return refused(name.at, shown(name.text) +
                                  " is not a function: possible are the operators of docs/operators.md, "
                                  "where, dtypes as casts, matmul, softmaxes and reductions");
    int least = row->operands;
    while (least < row->operands + row->parameters && std::isnan(row->defaults[least - row->operands])) ++least;
    const int most = row->operands + row->parameters;
    if (count < least || count > most) return takes(name, least, most, count);
    for (; count < most; ++count)
      RONDO_TRY(number(name.at, Scalar::of(row->defaults[count - row->operands]), &arguments[count]));
    node.kind = Node::apply;
    node.op = row->op;
    node.count = static_cast<uint8_t>(count);
    std::copy_n(arguments, count, node.nodes);
    return add(node, value);
  }
  Status takes(const Token& name, int least, int most, int count) const {
    return refused(name.at,
                   least == most
                       ? format("%s takes %d arguments, not %d", shown(name.text).c_str(), least, count)
                       : format("%s takes %d to %d arguments, not %d", shown(name.text).c_str(), least, most, count));
  }

  // sum(value), sum(value, 0, -1), sum(value, 0, keep)
  Status reduce(const Token& name, rondo_reduce_op op, uint16_t* value) {
    advance();  // the parenthesis
    Node node;
    node.kind = Node::reduce;
    node.at = name.at;
    node.count = 1;
    ExpressionText::Reduction reduction;
    reduction.op = op;
    RONDO_TRY(conditional(&node.nodes[0]));
    while (token_.is(",")) {
      advance();
      if (token_.kind == Token::name && token_.text == "keep" && !reduction.keep) {
        reduction.keep = true;
        advance();
        continue;
      }
      RONDO_TRY(axis(name.text == "max" || name.text == "min"
                         ? "an axis (a small whole number) or keep; the larger and the smaller of two are "
                           "maximum(a, b) and minimum(a, b)"
                         : "an axis (a small whole number) or keep",
                     &reduction.axes.emplace_back()));
      if (reduction.axes.size() > kMaxDims) return refused(token_.at, "more axes than a tensor has");
    }
    if (!token_.is(")")) return expected("',' or ')'");
    advance();
    node.index = static_cast<uint16_t>(to_.reductions_.size());
    to_.reductions_.push_back(std::move(reduction));
    return add(node, value);
  }

  // An axis among the arguments: 0, -1, axis = 0. wanted: what may stand there, for messages.
  Status axis(const char* wanted, int32_t* axis) {
    if (token_.kind == Token::name && token_.text == "axis") {
      advance();
      if (!token_.is("=")) return expected("'=' behind axis");
      advance();
    }
    const bool negative = token_.is("-");
    if (negative) advance();
    if (token_.kind != Token::number || !token_.value.integer || token_.value.i > kMaxDims) return expected(wanted);
    *axis = static_cast<int32_t>(negative ? -token_.value.i : token_.value.i);
    advance();
    return {};
  }

  // softmax(value), softmax(value, 0)
  Status softmax(const Token& name, rondo_softmax_op op, uint16_t* value) {
    advance();  // the parenthesis
    Node node;
    node.kind = Node::softmax;
    node.at = name.at;
    node.count = 1;
    ExpressionText::Softmax softmax;
    softmax.op = op;
    RONDO_TRY(conditional(&node.nodes[0]));
    if (token_.is(",")) {
      advance();
      RONDO_TRY(axis("an axis (a small whole number)", &softmax.axis));
    }
    if (!token_.is(")")) return expected("')'");
    advance();
    node.index = static_cast<uint16_t>(to_.softmaxes_.size());
    to_.softmaxes_.push_back(softmax);
    return add(node, value);
  }

  // matmul(a, b), matmul(a, b, transpose_a, transpose_b)
  Status product(const Token& name, uint16_t* value) {
    if (to_.product_ >= 0)
      return refused(name.at, "a second product; a text has one, so run another expression on what the first gives");
    advance();  // the parenthesis
    Node node;
    node.kind = Node::product;
    node.at = name.at;
    for (node.count = 0; node.count < 2; ++node.count) {
      if (node.count == 1) {
        if (!token_.is(",")) return expected("',' and the second of the two operands");
        advance();
      }
      RONDO_TRY(conditional(&node.nodes[node.count]));
    }
    while (token_.is(",")) {
      advance();
      const bool word = token_.kind == Token::name && (token_.text == "transpose_a" || token_.text == "transpose_b");
      const unsigned bit = word && token_.text == "transpose_b" ? 2 : 1;
      if (!word || (node.index & bit) != 0) return expected("transpose_a or transpose_b, each once");
      node.index = static_cast<uint16_t>(node.index | bit);
      advance();
    }
    if (!token_.is(")")) return expected("')'");
    advance();
    RONDO_TRY(add(node, value));
    to_.product_ = *value;
    return {};
  }

  ExpressionText& to_;
  const std::string_view text_;
  uint32_t at_ = 0;
  Token token_;
  int depth_ = 0;
  std::vector<Definition> definitions_;
  std::vector<int> origins_;  // by node: the origin that it is or comes from, -1: none
};

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
  const Place place = place_of(text_, at);
  return {code, format("%u:%u: ", place.line, place.column) + message + "\n" + caret_lines(text_, at)};
}

}  // namespace rondo::ops
