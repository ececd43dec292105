// Expressions: what one elementwise kernel computes, as a short list in single-assignment form. Plain data, bounded,
// and composable: fusing two tasks is composing their expressions.
//
// Values have a register dtype: a 16-bit float is loaded to f32, computed in f32 and rounded where it is stored. There
// are no constants: a constant is a scalar, whose value belongs to the task, so that one kernel serves all values.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include <cstring>
#include <type_traits>

#include "base/dtype.h"

namespace rondo::ops {

// A value: an input, a scalar or the result of an instruction.
using Value = uint8_t;

// Where an input of a consumer comes from when it is composed with a producer.
struct Link {
  enum Kind : uint8_t {
    own,              // an operand of its own, as before
    producer_output,  // the value of producer output `index`, which then need not go through memory
    producer_input,   // the same operand as producer input `index`
  } kind = own;
  uint8_t index = 0;
};

class Expression {
 public:
  static constexpr int kMaxInputs = 16;
  static constexpr int kMaxScalars = 16;
  static constexpr int kMaxInstructions = 64;
  static constexpr int kMaxOutputs = 8;
  static constexpr int kMaxGenerators = 4;

  // rondo_unary_op and kBinary + rondo_binary_op come first.
  enum Code : uint8_t { kUnary = 0, kBinary = 32, kCast = 64, kWhere, kRound, kUniform, kNormal };

  struct Instruction {
    uint8_t code;
    uint8_t dtype;  // of the operands; of the result for kCast, kUniform and kNormal; the 16-bit dtype for kRound
    Value a, b, c;  // as many as the code has operands; kUniform and kNormal: a is the generator's number
  };
  struct Output {
    Value value;
    uint8_t dtype;       // in memory; its register dtype is the value's
    uint8_t accumulate;  // added to what is there
  };

  // --- building: values in order of use. The caller keeps within the bounds; compose() checks them.
  Value input(rondo_dtype dtype) {
    inputs_[n_inputs_] = static_cast<uint8_t>(dtype);
    return static_cast<Value>(n_inputs_++);
  }
  Value scalar(rondo_dtype register_dtype) {
    scalars_[n_scalars_] = static_cast<uint8_t>(register_dtype);
    return static_cast<Value>(kFirstScalar + n_scalars_++);
  }
  Value unary(rondo_unary_op op, Value a) { return add(static_cast<uint8_t>(op), dtype_of(a), a, 0, 0); }
  // a and b have the same register dtype.
  Value binary(rondo_binary_op op, Value a, Value b) {
    return add(static_cast<uint8_t>(kBinary + static_cast<int>(op)), dtype_of(a), a, b, 0);
  }
  // The same value if it already is of that register dtype.
  Value cast(Value a, rondo_dtype to) {
    const rondo_dtype dtype = compute_dtype(to);
    return dtype_of(a) == dtype ? a : add(kCast, dtype, a, 0, 0);
  }
  Value where(Value condition, Value a, Value b) { return add(kWhere, dtype_of(a), condition, a, b); }
  // What storing as a 16-bit float and loading again does.
  Value round(Value a, rondo_dtype half) { return add(kRound, half, a, 0, 0); }
  // Random numbers by linear element index (rtc/device/philox.h): f32 or f64.
  Value uniform(rondo_dtype register_dtype) { return add(kUniform, register_dtype, n_generators_++, 0, 0); }
  Value normal(rondo_dtype register_dtype) { return add(kNormal, register_dtype, n_generators_++, 0, 0); }
  void output(Value value, rondo_dtype dtype, bool accumulate) {
    outputs_[n_outputs_++] = {value, static_cast<uint8_t>(dtype), accumulate};
  }

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
  static bool is_generator(const Instruction& each) { return each.code == kUniform || each.code == kNormal; }
  // Number of operand values of an instruction.
  static int arity(const Instruction& each);
  static rondo_dtype result_dtype(const Instruction& each);

  // --- packed form: a few bytes that say the same, for signatures and for tasks to keep.
  static constexpr int kMaxPacked = 5 + kMaxInputs + kMaxScalars + kMaxInstructions * 5 + kMaxOutputs * 3;
  int pack(uint8_t* bytes) const;  // number of bytes written
  static Expression unpack(const uint8_t* bytes);

 private:
  friend bool compose(const Expression&, const Expression&, const Link*, unsigned, bool, Expression*);
  static constexpr int kFirstScalar = kMaxInputs;
  static constexpr int kFirstResult = kMaxInputs + kMaxScalars;

  Value add(uint8_t code, rondo_dtype dtype, Value a, Value b, Value c) {
    instructions_[n_instructions_] = {code, static_cast<uint8_t>(dtype), a, b, c};
    return static_cast<Value>(kFirstResult + n_instructions_++);
  }

  uint8_t n_inputs_ = 0, n_scalars_ = 0, n_instructions_ = 0, n_outputs_ = 0, n_generators_ = 0;
  uint8_t inputs_[kMaxInputs];
  uint8_t scalars_[kMaxScalars];
  Instruction instructions_[kMaxInstructions];
  Output outputs_[kMaxOutputs];
};
static_assert(std::is_trivially_copyable_v<Expression>);

// One expression that does what the producer and then the consumer do. Its inputs are the producer's, then the
// consumer's `own` ones; its scalars and generators the producer's, then the consumer's; its outputs those of the
// producer with a bit in `kept`, then the consumer's. links has one entry per input of the consumer. With `exact` a
// 16-bit value is rounded on its way as if it had been stored. False if the result would not fit, or if a linked output
// accumulates or has another dtype than the input.
bool compose(const Expression& producer, const Expression& consumer, const Link* links, unsigned kept, bool exact,
             Expression* composed);

}  // namespace rondo::ops
