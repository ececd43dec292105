// Packing and composing expressions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/expression.h"

#include <algorithm>

namespace rondo::ops {

int Expression::arity(const Instruction& each) {
  if (is_generator(each)) return 0;
  if (each.code == kWhere) return 3;
  return each.code >= kBinary && each.code < kCast ? 2 : 1;
}

rondo_dtype Expression::result_dtype(const Instruction& each) {
  const bool logical = each.code == RONDO_LOGICAL_NOT || each.code == RONDO_ISNAN ||
                       (each.code >= kBinary && each.code < kCast && each.code - kBinary >= RONDO_EQ);
  if (logical) return RONDO_BOOL;
  return compute_dtype(static_cast<rondo_dtype>(each.dtype));
}

rondo_dtype Expression::generator_dtype(int i) const {
  for (int k = 0; k < n_instructions_; ++k)
    if (is_generator(instructions_[k]) && instructions_[k].a == i)
      return static_cast<rondo_dtype>(instructions_[k].dtype);
  return RONDO_F32;  // dropped in a composition: its numbers still count
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
  int inputs = producer.inputs();
  int roundings = 0;
  for (int i = 0; i < consumer.inputs(); ++i) {
    const Link& link = links[i];
    if (link.kind == Link::own) {
      ++inputs;
    } else if (link.kind == Link::producer_input) {
      if (producer.input_dtype(link.index) != consumer.input_dtype(i)) return false;
    } else {
      const Expression::Output& output = producer.output(link.index);
      if (output.accumulate || output.dtype != consumer.input_dtype(i)) return false;
      if (is_half(consumer.input_dtype(i))) ++roundings;
    }
  }
  int outputs = consumer.outputs();
  for (int i = 0; i < producer.outputs(); ++i) outputs += (kept >> i) & 1;
  if (inputs > Expression::kMaxInputs || outputs > Expression::kMaxOutputs ||
      producer.scalars() + consumer.scalars() > Expression::kMaxScalars ||
      producer.generators() + consumer.generators() > Expression::kMaxGenerators ||
      producer.instructions() + consumer.instructions() + (exact ? roundings : 0) > Expression::kMaxInstructions)
    return false;

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
  const int first_generator = result.generators();
  const int first_instruction = result.instructions();
  for (int i = 0; i < consumer.scalars(); ++i) result.scalar(consumer.scalar_dtype(i));
  auto moved = [&](Value value) {
    if (Expression::is_input(value)) return input_values[value];
    if (Expression::is_scalar(value)) return static_cast<Value>(value + first_scalar);
    return static_cast<Value>(value + first_instruction);
  };
  for (int i = 0; i < consumer.instructions(); ++i) {
    Expression::Instruction each = consumer.instructions_[i];
    const int arity = Expression::arity(each);
    if (Expression::is_generator(each)) each.a = static_cast<Value>(each.a + first_generator);
    if (arity > 0) each.a = moved(each.a);
    if (arity > 1) each.b = moved(each.b);
    if (arity > 2) each.c = moved(each.c);
    result.instructions_[result.n_instructions_++] = each;
  }
  result.n_generators_ = static_cast<uint8_t>(first_generator + consumer.generators());
  for (int i = 0; i < consumer.outputs(); ++i) {
    Expression::Output output = consumer.outputs_[i];
    output.value = moved(output.value);
    result.outputs_[result.n_outputs_++] = output;
  }
  *composed = result;
  return true;
}

}  // namespace rondo::ops
