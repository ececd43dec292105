// Computes numbers of a text on the host, by the same functions as elements.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/expression_numbers.h"

#include <cmath>

#include "ops/host/elementwise_loops.h"
#include "ops/operators/element.h"

namespace rondo::ops {

namespace {

bool whole(const Scalar& number) {
  return number.integer || (number.f >= -0x1p63 && number.f < 0x1p63 && number.f == std::trunc(number.f));
}

// One element of a loop over T.
template <class T, class R>
R run_once(Loop loop, const T (&values)[3]) {
  R result = {};
  loop(&result, &values[0], &values[1], &values[2], 1);
  return result;
}

}  // namespace

bool fold(Op op, const Scalar* numbers, Scalar* result) {
  const Operator& row = operator_of(op);
  const int count = row.operands + row.parameters;
  bool integers = row.domain != Domain::real && op != Op::div && op != Op::pow;
  for (int i = 0; i < count; ++i) {
    if (row.domain == Domain::whole && !whole(numbers[i])) return false;
    if (row.domain != Domain::whole) integers &= numbers[i].integer;
  }
  const Expression::Instruction instruction = {op, static_cast<uint8_t>(integers ? RONDO_I64 : RONDO_F64), 0, 0, 0};
  const Loop loop = find_loop(instruction, integers ? RONDO_I64 : RONDO_F64);
  if (integers) {
    device::i64 values[3] = {};
    for (int i = 0; i < count; ++i)
      values[i] = numbers[i].integer ? numbers[i].i : static_cast<device::i64>(numbers[i].f);
    *result = Scalar::of_i64(row.boolean ? run_once<device::i64, bool>(loop, values)
                                         : run_once<device::i64, device::i64>(loop, values));
    return true;
  }
  double values[3] = {};
  for (int i = 0; i < count; ++i) values[i] = numbers[i].f;
  *result = row.boolean ? Scalar::of_i64(run_once<double, bool>(loop, values))
                        : Scalar::of(run_once<double, double>(loop, values));
  return true;
}

uint64_t cast_word(const Scalar& number, rondo_dtype dtype) {
  uint64_t word = 0;
  const rondo_dtype from = number.integer ? RONDO_I64 : RONDO_F64;
  const void* value = number.integer ? static_cast<const void*>(&number.i) : static_cast<const void*>(&number.f);
  find_loop({Op::cast, static_cast<uint8_t>(dtype), 0, 0, 0}, from)(&word, value, nullptr, nullptr, 1);
  if (is_half(dtype))
    find_loop({Op::round_to, static_cast<uint8_t>(dtype), 0, 0, 0}, RONDO_F32)(&word, &word, nullptr, nullptr, 1);
  return word;
}

}  // namespace rondo::ops
