// Represents expressions: the computation of one elementwise kernel, as a short list in single-assignment form. Plain
// data, bounded, and composable: fusing tasks is appending their expressions to one.
//
// Values have a register dtype: a 16-bit float is loaded to f32, computed in f32 and rounded where it is stored. There
// are no constants: a constant is a scalar, whose value belongs to the task, so that one kernel serves all values.
// Bits that a conversion to f32 and back would change go through registers as u16 (moving_bits).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>

#include "base/dtype.h"
#include "ops/operators/operators.h"

namespace rondo::ops {

// A value: an input, a scalar or the result of an instruction.
using Value = uint8_t;

class Expression {
 public:
  static constexpr int kMaxInputs = 16;
  static constexpr int kMaxScalars = 16;
  static constexpr int kMaxInstructions = 64;
  static constexpr int kMaxOutputs = 8;
  static constexpr int kMaxGenerators = 4;

  struct Instruction {
    Op op;
    uint8_t dtype;  // of the operands; of the result for cast (in memory), uniform and normal; the 16-bit dtype for
                    // round_to, from_bits and to_bits
    Value a, b, c;  // operands, then parameters, as many as there are; uniform and normal: a is the generator's number
  };
  struct Output {
    Value value;
    uint8_t dtype;       // in memory; its register dtype is the value's
    uint8_t accumulate;  // added to what is there
  };

  // --- building: values in order of use. An instruction that does not fit is left out and makes the whole expression
  // useless, which overflow() says: builders need not ask at each step. A value that was computed already, from the
  // same operands, is not computed again.
  bool overflow() const { return overflow_; }
  Value input(rondo_dtype dtype) {
    if (!room(n_inputs_, kMaxInputs)) return 0;
    inputs_[n_inputs_] = static_cast<uint8_t>(dtype);
    return static_cast<Value>(n_inputs_++);
  }
  Value scalar(rondo_dtype register_dtype) {
    if (!room(n_scalars_, kMaxScalars)) return kFirstScalar;
    scalars_[n_scalars_] = static_cast<uint8_t>(register_dtype);
    return static_cast<Value>(kFirstScalar + n_scalars_++);
  }
  // An operator of the table over its operands and parameters, which have one register dtype.
  Value apply(Op op, Value a, Value b = 0, Value c = 0) { return add(op, dtype_of(a), a, b, c); }
  // The same value if it already is of that register dtype. To a 16-bit float is for a value that is then rounded to
  // it.
  Value cast(Value a, rondo_dtype to) { return dtype_of(a) == compute_dtype(to) ? a : add(Op::cast, to, a, 0, 0); }
  Value where(Value condition, Value a, Value b) { return add(Op::where, dtype_of(a), condition, a, b); }
  // Rounds as storing as a 16-bit float and loading again does.
  Value round(Value a, rondo_dtype half) { return add(Op::round_to, half, a, 0, 0); }
  // Random numbers by linear element index (rtc/device/philox.h): f32 or f64.
  Value uniform(rondo_dtype register_dtype) { return generator(Op::uniform, register_dtype); }
  Value normal(rondo_dtype register_dtype) { return generator(Op::normal, register_dtype); }
  void output(Value value, rondo_dtype dtype, bool accumulate) {
    if (!room(n_outputs_, kMaxOutputs)) return;
    outputs_[n_outputs_++] = {value, static_cast<uint8_t>(dtype), accumulate};
  }

  // Does what another expression does, but for its outputs: of these values in place of its inputs, with its scalars
  // and generators after those that are there. results: the values of its outputs. The rounding of a result where it
  // would be stored is left to the caller.
  void append(const Expression& other, const Value* inputs, Value* results);

  // Says whether output i is added to the old contents; known when its place is.
  void accumulate(int output, bool adds) { outputs_[output].accumulate = adds; }

  // The same without the outputs that have a bit in `gone`.
  Expression without_outputs(unsigned gone) const;
  // The same without the inputs that have a bit in `gone`, which nothing may use.
  Expression without_inputs(unsigned gone) const;
  // The same without the instructions that no output comes from. Generators stay: their numbers count.
  Expression without_dead() const;
  // Bit i: an instruction or an output uses input i.
  unsigned used_inputs() const;
  // True if a value may be an input as it is, without an operator that has made a number of it; of one dtype, if given.
  bool moves_an_input(Value value, std::optional<rondo_dtype> memory = {}) const;
  // The same for a kernel: the bits of inputs of a 16-bit dtype go to results that may be one of them, since
  // conversions change those of NaN. As it is where nothing moves, or where that has too many instructions.
  Expression moving_bits() const;

  // --- reading
  int inputs() const { return n_inputs_; }
  int scalars() const { return n_scalars_; }
  int instructions() const { return n_instructions_; }
  int outputs() const { return n_outputs_; }
  int generators() const { return n_generators_; }
  int operands() const { return n_inputs_ + n_outputs_; }
  rondo_dtype input_dtype(int i) const { return static_cast<rondo_dtype>(inputs_[i]); }
  rondo_dtype scalar_dtype(int i) const { return static_cast<rondo_dtype>(scalars_[i]); }
  const Instruction& instruction(int i) const { return instructions_[i]; }
  const Output& output(int i) const { return outputs_[i]; }
  // Memory dtype of operand i: inputs, then outputs.
  rondo_dtype operand_dtype(int i) const {
    return static_cast<rondo_dtype>(i < n_inputs_ ? inputs_[i] : outputs_[i - n_inputs_].dtype);
  }
  // The dtype numbers of generator i have.
  rondo_dtype generator_dtype(int i) const;
  // Register dtype of a value.
  rondo_dtype dtype_of(Value value) const {
    if (value < kFirstScalar) return compute_dtype(static_cast<rondo_dtype>(inputs_[value]));
    if (value < kFirstResult) return static_cast<rondo_dtype>(scalars_[value - kFirstScalar]);
    return result_dtype(instructions_[value - kFirstResult]);
  }
  static bool is_input(Value value) { return value < kFirstScalar; }
  static bool is_scalar(Value value) { return value >= kFirstScalar && value < kFirstResult; }
  static int scalar_index(Value value) { return value - kFirstScalar; }
  static int result_index(Value value) { return value - kFirstResult; }
  static Value result_of(int instruction) { return static_cast<Value>(kFirstResult + instruction); }
  static bool is_generator(const Instruction& each) { return each.op == Op::uniform || each.op == Op::normal; }
  // Number of operand values and parameters of an instruction.
  static int arity(const Instruction& each);
  static rondo_dtype result_dtype(const Instruction& each);

  // --- packed form: a few bytes that say the same, for signatures and keys.
  static constexpr int kMaxPacked = 5 + kMaxInputs + kMaxScalars + kMaxInstructions * 5 + kMaxOutputs * 3;
  int pack(uint8_t* bytes) const;  // number of bytes written

 private:
  static constexpr int kFirstScalar = kMaxInputs;
  static constexpr int kFirstResult = kMaxInputs + kMaxScalars;
  class BitMover;

  bool room(int count, int most) {
    overflow_ |= count >= most;
    return count < most;
  }
  Value generator(Op op, rondo_dtype register_dtype) {
    return room(n_generators_, kMaxGenerators) ? add(op, register_dtype, n_generators_++, 0, 0) : kFirstResult;
  }
  Value add(Op op, rondo_dtype dtype, Value a, Value b, Value c) {
    for (int i = 0; i < n_instructions_; ++i) {
      const Instruction& each = instructions_[i];
      if (each.op == op && each.a == a && each.b == b && each.c == c && each.dtype == dtype && !is_generator(each))
        return result_of(i);
    }
    if (!room(n_instructions_, kMaxInstructions)) return kFirstResult;
    instructions_[n_instructions_] = {op, static_cast<uint8_t>(dtype), a, b, c};
    return static_cast<Value>(kFirstResult + n_instructions_++);
  }

  uint8_t n_inputs_ = 0, n_scalars_ = 0, n_instructions_ = 0, n_outputs_ = 0, n_generators_ = 0;
  bool overflow_ = false;
  uint8_t inputs_[kMaxInputs];
  uint8_t scalars_[kMaxScalars];
  Instruction instructions_[kMaxInstructions];
  Output outputs_[kMaxOutputs];
};
static_assert(std::is_trivially_copyable_v<Expression>);

}  // namespace rondo::ops
