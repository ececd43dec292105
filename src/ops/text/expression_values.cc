// Parses values in the text of an expression, by precedence climbing.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "ops/text/expression_parser.h"

namespace rondo::ops {

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
constexpr std::string_view kSigns = "-+!~";

const Infix* find_infix(const Token& token) {
  for (const Infix& each : kInfix)
    if (token.is(each.symbol)) return &each;
  return nullptr;
}

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

}  // namespace

Status ExpressionParser::check_depth() const {
  if (depth_ <= ExpressionText::kMaxDepth + 1) return {};  // an operand that nothing is around has 1
  return refused(token_.at, format("nested deeper than %d; name a part with let", ExpressionText::kMaxDepth));
}

// Values in parentheses, and arguments of a call, are one level deeper: as the operand that they begin with.
Status ExpressionParser::conditional(uint16_t* value) {
  Status status = infix(kLoosest, value);
  return status.ok() && token_.is("?") ? choice(value) : status;
}

// The rest of a ? b : c.
Status ExpressionParser::choice(uint16_t* value) {
  const Deeper deeper(depth_);
  RONDO_TRY(check_depth());
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

Status ExpressionParser::infix(int level, uint16_t* value) {
  Status status = unary(value);
  for (bool compared = false; status.ok();) {
    const Infix* found = find_infix(token_);
    if (!found || found->level < level) break;
    const bool compares = found->level == 6 || found->level == 7;
    if (compares && compared) return chained();
    compared = compares;
    const uint32_t at = token_.at;
    advance();
    uint16_t right = 0;
    status = infix(found->level + 1, &right);
    if (status.ok()) status = joined(at, found->op, right, value);
  }
  return status;
}
Status ExpressionParser::joined(uint32_t at, Op op, uint16_t right, uint16_t* value) {
  return apply(at, op, {*value, right}, value);
}
Status ExpressionParser::chained() const {
  return refused(token_.at, "comparisons do not chain; write a < b && b < c, or put one into parentheses");
}

// A value with its signs and its exponent. Nested values come here again for each level, so all is in one function, and
// steps that need room on the stack are in others.
Status ExpressionParser::unary(uint16_t* value) {
  const Deeper deeper(depth_);
  Status status = check_depth();
  if (!status.ok()) return status;
  if (token_.kind == Token::symbol && token_.text.size() == 1 && kSigns.find(token_.text[0]) != kSigns.npos)
    return signed_value(value);
  if (!token_.is("(")) {
    status = leaf(value);
  } else {
    advance();
    status = conditional(value);
    if (!status.ok()) return status;
    if (!token_.is(")")) return expected("')'");
    advance();
  }
  return status.ok() && token_.is("**") ? power(value) : status;
}

Status ExpressionParser::signed_value(uint16_t* value) {
  const char sign = token_.text[0];
  const uint32_t at = token_.at;
  advance();
  RONDO_TRY(unary(value));
  if (sign == '+') return {};
  return apply(at, sign == '-' ? Op::neg : sign == '!' ? Op::logical_not : Op::bit_not, {*value}, value);
}

Status ExpressionParser::power(uint16_t* value) {
  const uint32_t at = token_.at;
  advance();
  uint16_t exponent = 0;
  RONDO_TRY(unary(&exponent));
  return apply(at, Op::pow, {*value, exponent}, value);
}

Status ExpressionParser::leaf(uint16_t* value) {
  const Token token = token_;
  if (token.kind != Token::number && token.kind != Token::name) return expected("a value");
  advance();
  if (token.kind == Token::number) return number(token.at, token.value, value);
  return token_.is("(") ? call(token, value) : named(token, value);
}

}  // namespace rondo::ops
