// Packs, appends and shortens expressions: it drops instructions, inputs and outputs that are not used.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/expression.h"

#include <algorithm>

namespace rondo::ops {

int Expression::arity(const Instruction& each) {
  switch (each.op) {
    case Op::uniform:
    case Op::normal: return 0;
    case Op::cast:
    case Op::round_to:
    case Op::from_bits:
    case Op::to_bits: return 1;
    case Op::where: return 3;
    default: return operator_of(each.op).operands + operator_of(each.op).parameters;
  }
}

rondo_dtype Expression::result_dtype(const Instruction& each) {
  if (each.op < Op::cast && operator_of(each.op).boolean) return RONDO_BOOL;
  if (each.op == Op::to_bits) return RONDO_U16;
  return compute_dtype(static_cast<rondo_dtype>(each.dtype));
}

rondo_dtype Expression::generator_dtype(int i) const {
  for (int k = 0; k < n_instructions_; ++k)
    if (is_generator(instructions_[k]) && instructions_[k].a == i)
      return static_cast<rondo_dtype>(instructions_[k].dtype);
  return RONDO_F32;  // its numbers count even if they are not used
}

namespace {

// Renames each operand value of an instruction.
template <class Rename>
void rename_operands(Expression::Instruction& each, const Rename& rename) {
  const int n = Expression::arity(each);
  if (n > 0) each.a = rename(each.a);
  if (n > 1) each.b = rename(each.b);
  if (n > 2) each.c = rename(each.c);
}

}  // namespace

Expression Expression::without_outputs(unsigned gone) const {
  Expression result = *this;
  result.n_outputs_ = 0;
  for (int k = 0; k < n_outputs_; ++k)
    if (!((gone >> k) & 1)) result.outputs_[result.n_outputs_++] = outputs_[k];
  return result;
}

Expression Expression::without_inputs(unsigned gone) const {
  Expression result = *this;
  Value renamed[kMaxInputs] = {};
  result.n_inputs_ = 0;
  for (int i = 0; i < n_inputs_; ++i) {
    if ((gone >> i) & 1) continue;
    renamed[i] = result.n_inputs_;
    result.inputs_[result.n_inputs_++] = inputs_[i];
  }
  const auto rename = [&renamed](Value value) { return is_input(value) ? renamed[value] : value; };
  for (int k = 0; k < n_instructions_; ++k) rename_operands(result.instructions_[k], rename);
  for (int k = 0; k < n_outputs_; ++k) result.outputs_[k].value = rename(outputs_[k].value);
  return result;
}

Expression Expression::without_dead() const {
  bool used[kMaxInstructions] = {};
  const auto use = [&used](Value value) {
    if (value >= kFirstResult) used[result_index(value)] = true;
    return value;
  };
  for (int k = 0; k < n_outputs_; ++k) use(outputs_[k].value);
  for (int k = n_instructions_ - 1; k >= 0; --k) {  // users come after their operands
    Instruction each = instructions_[k];
    used[k] = used[k] || is_generator(each);
    if (used[k]) rename_operands(each, use);
  }
  Expression result = *this;
  Value renamed[kMaxInstructions] = {};
  const auto rename = [&renamed](Value value) { return value >= kFirstResult ? renamed[result_index(value)] : value; };
  result.n_instructions_ = 0;
  for (int k = 0; k < n_instructions_; ++k) {
    if (!used[k]) continue;
    Instruction each = instructions_[k];
    rename_operands(each, rename);
    renamed[k] = result_of(result.n_instructions_);
    result.instructions_[result.n_instructions_++] = each;
  }
  for (int k = 0; k < n_outputs_; ++k) result.outputs_[k].value = rename(outputs_[k].value);
  return result;
}

unsigned Expression::used_inputs() const {
  unsigned used = 0;
  const auto use = [&used](Value value) {
    if (is_input(value)) used |= 1u << value;
    return value;
  };
  for (int k = 0; k < n_instructions_; ++k) {
    Instruction each = instructions_[k];
    rename_operands(each, use);
  }
  for (int k = 0; k < n_outputs_; ++k) use(outputs_[k].value);
  return used;
}

int Expression::pack(uint8_t* bytes) const {
  static_assert(sizeof(Instruction) == 5 && sizeof(Output) == 3, "no padding: packed bytes are compared");
  uint8_t* to = bytes;
  auto put = [&to](const void* from, size_t size) {
    std::memcpy(to, from, size);
    to += size;
  };
  const uint8_t counts[5] = {n_inputs_, n_scalars_, n_instructions_, n_outputs_, n_generators_};
  put(counts, sizeof counts);
  put(inputs_, n_inputs_);
  put(scalars_, n_scalars_);
  put(instructions_, n_instructions_ * sizeof(Instruction));
  put(outputs_, n_outputs_ * sizeof(Output));
  return static_cast<int>(to - bytes);
}

void Expression::append(const Expression& other, const Value* inputs, Value* results) {
  const int first_scalar = n_scalars_;
  for (int k = 0; k < other.n_scalars_; ++k) scalar(other.scalar_dtype(k));
  // Also of those whose numbers are no longer used: they count all the same.
  const auto first_generator = n_generators_;
  overflow_ |= other.overflow_ || n_generators_ + other.n_generators_ > kMaxGenerators;
  n_generators_ = static_cast<uint8_t>(n_generators_ + other.n_generators_);
  Value moved[kMaxInstructions];  // what is there already is not there twice
  const auto rename = [&](Value value) {
    if (is_input(value)) return inputs[value];
    if (is_scalar(value)) return static_cast<Value>(value + first_scalar);
    return moved[result_index(value)];
  };
  for (int k = 0; k < other.n_instructions_ && !overflow_; ++k) {
    Instruction each = other.instructions_[k];
    if (is_generator(each))
      each.a = static_cast<uint8_t>(each.a + first_generator);
    else
      rename_operands(each, rename);
    moved[k] = add(each.op, static_cast<rondo_dtype>(each.dtype), each.a, each.b, each.c);
  }
  for (int k = 0; k < other.n_outputs_ && !overflow_; ++k) results[k] = rename(other.outputs_[k].value);
}

bool Expression::moves_an_input(Value value, std::optional<rondo_dtype> memory) const {
  bool moved[kMaxInstructions] = {};
  const auto moves = [&](Value of) {
    if (is_input(of)) return !memory || input_dtype(of) == *memory;
    return of >= kFirstResult && moved[result_index(of)];
  };
  for (int k = 0; k < n_instructions_ && result_of(k) <= value; ++k) {
    const Instruction& each = instructions_[k];
    if (each.op == Op::round_to) moved[k] = moves(each.a) && (!memory || each.dtype == *memory);
    if (each.op == Op::where) moved[k] = moves(each.b) || moves(each.c);
  }
  return moves(value);
}

// Makes an expression over u16 of one over 16-bit floats, for the results that inputs are moved to. A value is made as
// a number, as bits or as both, where it is needed.
class Expression::BitMover {
 public:
  explicit BitMover(const Expression& from) : from_(from) {
    for (int k = 0; k < from.n_outputs_; ++k) {
      const Output& each = from.outputs_[k];
      const auto dtype = static_cast<rondo_dtype>(each.dtype);
      if (is_half(dtype) && !each.accumulate && from.moves_an_input(each.value, dtype)) moved_ |= 1u << k;
    }
  }
  // A kernel that does nothing but to copy has no numbers.
  bool needed() const { return moved_ != 0 && !(from_.n_instructions_ == 0 && from_.n_outputs_ == 1); }

  Expression run() {
    for (int k = 0; k < from_.n_inputs_; ++k)
      to_.input(is_read_as_bits(from_.input_dtype(k)) ? RONDO_U16 : from_.input_dtype(k));
    for (int k = 0; k < from_.n_scalars_; ++k) to_.scalar(from_.scalar_dtype(k));
    to_.n_generators_ = from_.n_generators_;
    for (int k = 0; k < from_.n_instructions_; ++k)  // their numbers count
      if (is_generator(from_.instructions_[k])) number(result_of(k));
    for (int k = 0; k < from_.n_outputs_ && !to_.overflow_; ++k) {
      const Output& each = from_.outputs_[k];
      const auto dtype = static_cast<rondo_dtype>(each.dtype);
      std::fill(std::begin(bits_), std::end(bits_), Value{});
      if ((moved_ >> k) & 1)
        to_.output(bits(each.value, dtype), RONDO_U16, false);
      else
        to_.output(number(each.value), dtype, each.accumulate != 0);
    }
    return to_.overflow_ ? from_ : to_;
  }

 private:
  // Inputs of a dtype that a result moves.
  bool is_read_as_bits(rondo_dtype dtype) const {
    for (int k = 0; k < from_.n_outputs_; ++k)
      if (((moved_ >> k) & 1) && from_.outputs_[k].dtype == dtype) return true;
    return false;
  }
  Value number(Value value) {
    if (is_input(value)) {
      const rondo_dtype dtype = from_.input_dtype(value);
      return is_read_as_bits(dtype) ? to_.add(Op::from_bits, dtype, value, 0, 0) : value;
    }
    if (is_scalar(value)) return value;
    Value& made = numbers_[result_index(value)];
    if (made) return made;
    Instruction each = from_.instructions_[result_index(value)];
    rename_operands(each, [this](Value operand) { return number(operand); });
    return made = to_.add(each.op, static_cast<rondo_dtype>(each.dtype), each.a, each.b, each.c);
  }
  // The bits of a value as a float of the dtype.
  Value bits(Value value, rondo_dtype dtype) {
    if (is_input(value) && from_.input_dtype(value) == dtype) return value;
    if (is_input(value) || !from_.moves_an_input(value, dtype)) return to_.add(Op::to_bits, dtype, number(value), 0, 0);
    Value& made = bits_[result_index(value)];
    if (made) return made;
    const Instruction& each = from_.instructions_[result_index(value)];
    if (each.op == Op::round_to) return made = bits(each.a, dtype);
    const Value condition = number(each.a), a = bits(each.b, dtype), b = bits(each.c, dtype);
    return made = to_.where(condition, a, b);
  }

  const Expression& from_;
  Expression to_;
  // In `to_`, of instructions as numbers, and as bits for one output. 0: not yet.
  Value numbers_[kMaxInstructions] = {}, bits_[kMaxInstructions] = {};
  unsigned moved_ = 0;  // outputs, a bit each
};

Expression Expression::moving_bits() const {
  BitMover mover(*this);
  return mover.needed() ? mover.run() : *this;
}

}  // namespace rondo::ops
