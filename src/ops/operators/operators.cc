// Finds the rows of operators.def, by opcode and by the numbers of the public enums.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/operators.h"

namespace rondo::ops {

namespace {

constexpr bool boolean = true;
constexpr bool same = false;
constexpr double REQUIRED = kRequired;

struct Parameters {
  uint8_t count = 0;
  double defaults[2] = {};
  constexpr Parameters() = default;
  constexpr explicit Parameters(double first) : count(1), defaults{first, 0} {}
  constexpr Parameters(double first, double second) : count(2), defaults{first, second} {}
};

constexpr Operator row(Op op, const char* name, int operands, Domain domain, bool is_boolean, Parameters parameters) {
  return {op,
          name,
          static_cast<uint8_t>(operands),
          domain,
          is_boolean,
          parameters.count,
          {parameters.defaults[0], parameters.defaults[1]}};
}

#define P(...) Parameters(__VA_ARGS__)
constexpr Operator kOperatorTable[] = {
#define UNARY(ID, name, domain, result, parameters, ...) row(Op::name, #name, 1, Domain::domain, result, parameters),
#define BINARY(ID, name, domain, result, parameters, ...) row(Op::name, #name, 2, Domain::domain, result, parameters),
#define TERNARY(ID, name, domain, result, ...) row(Op::name, #name, 3, Domain::domain, result, P()),
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
};
#undef P

constexpr bool in_order() {
  for (int i = 0; i < kOperators; ++i)
    if (kOperatorTable[i].op != static_cast<Op>(i) || kOperatorTable[i].operands + kOperatorTable[i].parameters > 3)
      return false;
  return true;
}
static_assert(sizeof kOperatorTable / sizeof kOperatorTable[0] == kOperators && in_order(),
              "one row per opcode, and no more operands than an instruction has");

}  // namespace

const Operator& operator_of(Op op) {
  return kOperatorTable[static_cast<int>(op)];
}

#define SKIP(...)
const Operator* find_unary(int op) {
  switch (op) {
#define UNARY(ID, name, ...) \
  case RONDO_##ID:           \
    return &kOperatorTable[static_cast<int>(Op::name)];
#define BINARY SKIP
#define TERNARY SKIP
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
    default: return nullptr;
  }
}

const Operator* find_binary(int op) {
  switch (op) {
#define UNARY SKIP
#define BINARY(ID, name, ...) \
  case RONDO_##ID:            \
    return &kOperatorTable[static_cast<int>(Op::name)];
#define TERNARY SKIP
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
    default: return nullptr;
  }
}

const Operator* find_ternary(int op) {
  switch (op) {
#define UNARY SKIP
#define BINARY SKIP
#define TERNARY(ID, name, ...) \
  case RONDO_##ID:             \
    return &kOperatorTable[static_cast<int>(Op::name)];
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
    default: return nullptr;
  }
}

}  // namespace rondo::ops
