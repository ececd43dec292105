// Packing, composing and shortening expressions. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "ops/operators/expression.h"

#include <algorithm>

namespace rondo::ops {

int Expression::arity(const Instruction& each) {
  switch (each.op) {
    case Op::uniform:
    case Op::normal: return 0;
    case Op::cast:
    case Op::round_to: return 1;
    case Op::where: return 3;
    default: return operator_of(each.op).operands + operator_of(each.op).parameters;
  }
}

rondo_dtype Expression::result_dtype(const Instruction& each) {
  if (each.op < Op::cast && operator_of(each.op).boolean) return RONDO_BOOL;
  return compute_dtype(static_cast<rondo_dtype>(each.dtype));
}

rondo_dtype Expression::generator_dtype(int i) const {
  for (int k = 0; k < n_instructions_; ++k)
    if (is_generator(instructions_[k]) && instructions_[k].a == i)
      return static_cast<rondo_dtype>(instructions_[k].dtype);
  return RONDO_F32;  // dropped in a composition: its numbers still count
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
  for (int k = n_instructions_ - 1; k >= 0; --k) {  // users come behind what they use
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

Expression Expression::unpack(const uint8_t* bytes) {
  static_assert(sizeof(Instruction) == 5 && sizeof(Output) == 3, "no padding: packed bytes are compared");
  Expression expression;
  auto take = [&bytes](void* to, size_t size) {
    std::memcpy(to, bytes, size);
    bytes += size;
  };
  uint8_t counts[5];
  take(counts, sizeof counts);
  expression.n_inputs_ = counts[0];
  expression.n_scalars_ = counts[1];
  expression.n_instructions_ = counts[2];
  expression.n_outputs_ = counts[3];
  expression.n_generators_ = counts[4];
  take(expression.inputs_, counts[0]);
  take(expression.scalars_, counts[1]);
  take(expression.instructions_, counts[2] * sizeof(Instruction));
  take(expression.outputs_, counts[3] * sizeof(Output));
  return expression;
}

bool compose(const Expression& producer, const Expression& consumer, const Link* links, unsigned kept, bool exact,
             Expression* composed) {
  for (int i = 0; i < consumer.inputs(); ++i) {
    const Link& link = links[i];
    if (link.kind == Link::producer_input) {
      if (producer.input_dtype(link.index) != consumer.input_dtype(i)) return false;
    } else if (link.kind == Link::producer_output) {
      const Expression::Output& output = producer.output(link.index);
      if (output.accumulate || output.dtype != consumer.input_dtype(i)) return false;
      if (is_f8(consumer.input_dtype(i))) return false;  // memory is what rounds them
    }
  }

  // The producer as it is, less the outputs that nobody wants in memory.
  Expression result = producer;
  result.n_outputs_ = 0;
  for (int i = 0; i < producer.outputs(); ++i)
    if ((kept >> i) & 1) result.outputs_[result.n_outputs_++] = producer.outputs_[i];

  Value input_values[Expression::kMaxInputs];
  for (int i = 0; i < consumer.inputs(); ++i) {
    const Link& link = links[i];
    if (link.kind == Link::own) {
      input_values[i] = result.input(consumer.input_dtype(i));
    } else if (link.kind == Link::producer_input) {
      input_values[i] = link.index;
    } else {
      input_values[i] = producer.outputs_[link.index].value;
      if (exact && is_half(consumer.input_dtype(i)))
        input_values[i] = result.round(input_values[i], consumer.input_dtype(i));
    }
  }
  const int first_scalar = result.scalars();
  Value results[Expression::kMaxInstructions];  // where the consumer's are: what the producer has is not there twice
  for (int i = 0; i < consumer.scalars(); ++i) result.scalar(consumer.scalar_dtype(i));
  auto moved = [&](Value value) {
    if (Expression::is_input(value)) return input_values[value];
    if (Expression::is_scalar(value)) return static_cast<Value>(value + first_scalar);
    return results[Expression::result_index(value)];
  };
  for (int i = 0; i < consumer.instructions(); ++i) {
    const Expression::Instruction& each = consumer.instructions_[i];
    const int arity = Expression::arity(each);
    const Value a = arity > 0 ? moved(each.a) : static_cast<Value>(each.a + producer.generators());
    results[i] = result.add(each.op, static_cast<rondo_dtype>(each.dtype), a, arity > 1 ? moved(each.b) : Value{0},
                            arity > 2 ? moved(each.c) : Value{0});
  }
  // Also of those whose numbers nobody uses any more: they count all the same.
  result.n_generators_ = static_cast<uint8_t>(producer.generators() + consumer.generators());
  for (int i = 0; i < consumer.outputs(); ++i) {
    const Expression::Output& output = consumer.outputs_[i];
    result.output(moved(output.value), static_cast<rondo_dtype>(output.dtype), output.accumulate);
  }
  if (result.overflow() || result.generators() > Expression::kMaxGenerators) return false;
  *composed = result.without_dead();
  return true;
}

}  // namespace rondo::ops
