// Parsing values in the text of an expression: precedence climbing.
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

// What is between parentheses, and what a call is given, is one deeper: as the operand that it begins with.
Status ExpressionParser::conditional(uint16_t* value) {
  RONDO_TRY(infix(kLoosest, value));
  if (!token_.is("?")) return {};
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

Status ExpressionParser::unary(uint16_t* value) {
  const Deeper deeper(depth_);
  RONDO_TRY(check_depth());
  const Token sign = token_;
  if (!sign.is("-") && !sign.is("+") && !sign.is("!") && !sign.is("~")) return power(value);
  advance();
  RONDO_TRY(unary(value));
  if (sign.is("+")) return {};
  return apply(sign.at, sign.is("-") ? Op::neg : sign.is("!") ? Op::logical_not : Op::bit_not, {*value}, value);
}

Status ExpressionParser::power(uint16_t* value) {
  RONDO_TRY(primary(value));
  if (!token_.is("**")) return {};
  const uint32_t at = token_.at;
  advance();
  uint16_t exponent = 0;
  RONDO_TRY(unary(&exponent));
  return apply(at, Op::pow, {*value, exponent}, value);
}

Status ExpressionParser::primary(uint16_t* value) {
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

}  // namespace rondo::ops
