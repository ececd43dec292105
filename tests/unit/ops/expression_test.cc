// Expressions: packing, appending, that an appended one computes what its parts do one after the other, and that bits
// are moved. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

#include "ops/elementwise/elementwise_task.h"
#include "rtc/device/functions.h"

namespace rondo::ops {
namespace {

constexpr int64_t kElements = 3000;  // more than two blocks

Space flat_space(const Expression& expression, int64_t elements = kElements) {
  Space space;
  space.ndim = 1;
  space.flat = true;
  space.elements = elements;
  space.dims.push_back(elements);
  for (int k = 0; k < expression.operands(); ++k) space.dims.push_back(1);
  return space;
}

template <class T>
uint64_t word(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
char* bytes(std::vector<T>& values) {
  return reinterpret_cast<char*>(values.data());
}

// out = (x + y) * s, and the same sum as a second output.
Expression scaled_sum(rondo_dtype dtype) {
  Expression e;
  const Value x = e.input(dtype);
  const Value y = e.input(dtype);
  const Value s = e.scalar(compute_dtype(dtype));
  const Value sum = e.apply(Op::add, x, y);
  e.output(e.apply(Op::mul, sum, s), dtype, false);
  e.output(sum, dtype, false);
  return e;
}

// out = z > a ? a - s : z, over inputs z and a.
Expression clipped(rondo_dtype dtype) {
  Expression e;
  const Value z = e.input(dtype);
  const Value a = e.input(dtype);
  const Value s = e.scalar(compute_dtype(dtype));
  e.output(e.where(e.apply(Op::gt, z, a), e.apply(Op::sub, a, s), z), dtype, false);
  return e;
}

std::vector<float> wave(float step) {
  std::vector<float> values(kElements);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i) * step);
  return values;
}

TEST(Expression, PackedFormTellsExpressionsApart) {
  const Expression e = scaled_sum(RONDO_F16), other = scaled_sum(RONDO_BF16);
  uint8_t first[Expression::kMaxPacked];
  uint8_t second[Expression::kMaxPacked];
  const int size = e.pack(first);
  EXPECT_EQ(size, 5 + 2 + 1 + 2 * 5 + 2 * 3);
  ASSERT_EQ(scaled_sum(RONDO_F16).pack(second), size);
  EXPECT_EQ(std::memcmp(first, second, static_cast<size_t>(size)), 0);
  ASSERT_EQ(other.pack(second), size);
  EXPECT_NE(std::memcmp(first, second, static_cast<size_t>(size)), 0);
  EXPECT_EQ(e.dtype_of(e.output(0).value), RONDO_F32) << "16-bit floats are computed in float";
}

TEST(Expression, CastsOnlyWhereTheRegisterDtypeChanges) {
  Expression e;
  const Value half = e.input(RONDO_F16);
  EXPECT_EQ(e.cast(half, RONDO_F32), half);
  EXPECT_EQ(e.cast(half, RONDO_BF16), half);
  EXPECT_EQ(e.instructions(), 0);
  EXPECT_EQ(e.dtype_of(e.cast(half, RONDO_I64)), RONDO_I64);
  EXPECT_EQ(e.dtype_of(e.apply(Op::isnan, half)), RONDO_BOOL);
  EXPECT_EQ(e.dtype_of(e.apply(Op::logical_and, half, half)), RONDO_BOOL);
}

TEST(Expression, AppendedComputesWhatThePartsDo) {
  const Expression producer = scaled_sum(RONDO_F32);
  const Expression consumer = clipped(RONDO_F32);
  std::vector<float> x = wave(0.1f), y = wave(0.07f), product(kElements), sum(kElements), expected(kElements);
  const uint64_t scale = word(1.7f);
  const uint64_t margin = word(0.25f);
  {
    char* addresses[] = {bytes(x), bytes(y), bytes(product), bytes(sum)};
    evaluate_on_cpu(producer, flat_space(producer), addresses, &scale, {});
  }
  {
    char* addresses[] = {bytes(product), bytes(y), bytes(expected)};
    evaluate_on_cpu(consumer, flat_space(consumer), addresses, &margin, {});
  }
  // z is the producer's first output, which goes away; a is its second input; its second output stays.
  Expression both;
  const Value inputs[] = {both.input(RONDO_F32), both.input(RONDO_F32)};
  Value made[2], last[1];
  both.append(producer, inputs, made);
  const Value linked[] = {made[0], inputs[1]};
  both.append(consumer, linked, last);
  both.output(made[1], RONDO_F32, false);
  both.output(last[0], RONDO_F32, false);
  ASSERT_FALSE(both.overflow());
  EXPECT_EQ(both.scalars(), 2);
  std::vector<float> kept(kElements), actual(kElements);
  char* addresses[] = {bytes(x), bytes(y), bytes(kept), bytes(actual)};
  const uint64_t scalars[] = {scale, margin};
  evaluate_on_cpu(both, flat_space(both), addresses, scalars, {});
  EXPECT_EQ(kept, sum);
  EXPECT_EQ(actual, expected) << "bit for bit";
}

TEST(Expression, AppendedTwiceIsComputedOnce) {
  Expression square, all;
  const Value x = square.input(RONDO_F32);
  square.output(square.apply(Op::mul, x, x), RONDO_F32, false);
  const Value input = all.input(RONDO_F32);
  Value first = 0, second = 0;
  all.append(square, &input, &first);
  all.append(square, &input, &second);
  EXPECT_EQ(first, second);
  EXPECT_EQ(all.instructions(), 1);
}

TEST(Expression, RandomNumbersKeepTheirOrder) {
  Expression draw;
  draw.output(draw.uniform(RONDO_F32), RONDO_F32, false);
  Expression add;
  const Value x = add.input(RONDO_F32);
  add.output(add.apply(Op::add, x, add.uniform(RONDO_F32)), RONDO_F32, false);
  const RandomState start{7, 100};
  std::vector<float> first(kElements), expected(kElements), actual(kElements);
  char* one[] = {bytes(first)};
  evaluate_on_cpu(draw, flat_space(draw), one, nullptr, start);
  char* two[] = {bytes(first), bytes(expected)};
  evaluate_on_cpu(add, flat_space(add), two, nullptr, {7, 100 + random_counters(RONDO_F32, kElements)});
  Expression both;
  Value drawn = 0, sum = 0;
  both.append(draw, nullptr, &drawn);
  both.append(add, &drawn, &sum);
  both.output(sum, RONDO_F32, false);
  EXPECT_EQ(both.generators(), 2);
  char* fused[] = {bytes(actual)};
  evaluate_on_cpu(both, flat_space(both), fused, nullptr, start);
  EXPECT_EQ(actual, expected);
}

// round(x / scale) + zero as whole numbers, and as f32 again: one loop where nothing else reads what is made on the
// way.
Expression quantising(rondo_dtype dtype, bool back, bool stepwise) {
  Expression e;
  const Value x = e.input(RONDO_F32), scale = e.input(RONDO_F32), zero = e.scalar(RONDO_F32);
  const Value rounded = e.apply(Op::round, e.apply(Op::div, x, scale)), sum = e.apply(Op::add, rounded, zero);
  const Value whole = e.cast(sum, dtype);
  if (back)
    e.output(e.cast(whole, RONDO_F32), RONDO_F32, false);
  else
    e.output(whole, dtype, false);
  if (stepwise) e.output(sum, RONDO_F32, false);
  return e;
}

TEST(Expression, QuantisingInOneLoopKeepsTheBits) {
  const float inf = std::numeric_limits<float>::infinity(),
              odd[] = {NAN, inf, -inf, -0.0F, 1e30F, -1e30F, 127.5F, -128.5F};
  for (const Instructions set : {Instructions::baseline, Instructions::avx2, Instructions::avx512})
    for (const int64_t n : {1, 7, 256, 1003})
      for (const rondo_dtype dtype : {RONDO_U8, RONDO_I8})
        for (const bool back : {false, true}) {
          if (set > possible_instructions()) continue;
          std::vector<float> x(static_cast<size_t>(n)), scale(x.size()), sums(x.size());
          for (size_t i = 0; i < x.size(); ++i) {
            x[i] = i % 5 == 2 ? odd[i / 5 % std::size(odd)] : static_cast<float>(i % 601) * 0.5F - 150;
            scale[i] = i % 7 == 3 ? 0.0F : i % 3 == 0 ? 1.0F : 0.7F;
          }
          const uint64_t zero = word(dtype == RONDO_U8 ? 131.0F : -3.5F);
          const auto run = [&](bool stepwise) {
            const Expression e = quantising(dtype, back, stepwise);
            std::vector<uint32_t> made(x.size());
            char* addresses[] = {bytes(x), bytes(scale), reinterpret_cast<char*>(made.data()), bytes(sums)};
            evaluate_on_cpu(e, flat_space(e, n), addresses, &zero, {}, set);
            return made;
          };
          EXPECT_EQ(run(false), run(true)) << n << " of " << rondo_dtype_name(dtype) << ", back " << back;
        }
}

TEST(Expression, SaysWhatDoesNotFit) {
  Expression chain, step;
  Value value = chain.input(RONDO_F32);
  step.output(step.apply(Op::neg, step.input(RONDO_F32)), RONDO_F32, false);
  for (int i = 0; i < Expression::kMaxInstructions; ++i) chain.append(step, &value, &value);
  EXPECT_FALSE(chain.overflow());
  chain.append(step, &value, &value);
  EXPECT_TRUE(chain.overflow());
}

// Choices among choices: a value is looked at once, however many ways lead to it.
TEST(Expression, ManyWaysToAnInputAreFollowedOnce) {
  const auto chain_from = [](bool computed, rondo_dtype dtype) {
    Expression e;
    const Value m = e.input(RONDO_BOOL), a = e.input(dtype);
    Value before = computed ? e.apply(Op::neg, a) : a, last = e.where(m, before, before);
    for (int k = 0; k < 50; ++k) {
      const Value next = e.where(m, last, before);
      before = last, last = next;
    }
    e.output(last, dtype, false);
    return e;
  };
  const Expression moves = chain_from(false, RONDO_F16), computes = chain_from(true, RONDO_F16);
  EXPECT_TRUE(moves.moves_an_input(moves.output(0).value));
  EXPECT_FALSE(moves.moves_an_input(moves.output(0).value, RONDO_BF16));
  EXPECT_FALSE(computes.moves_an_input(computes.output(0).value));
  EXPECT_EQ(computes.moving_bits().output(0).dtype, RONDO_F16);
  const Expression bits = moves.moving_bits();
  EXPECT_EQ(bits.output(0).dtype, RONDO_U16);
  EXPECT_EQ(bits.input_dtype(1), RONDO_U16);
  EXPECT_EQ(bits.instructions(), moves.instructions());
}

TEST(Expression, NumbersAreMadeOfBitsWhereTheyCount) {
  Expression e;  // a != b ? a : b + b, and the sum
  const Value a = e.input(RONDO_F16), b = e.input(RONDO_F16), c = e.input(RONDO_BF16);
  const Value sum = e.apply(Op::add, b, b);
  e.output(e.where(e.apply(Op::ne, a, b), a, sum), RONDO_F16, false);
  e.output(e.apply(Op::add, sum, c), RONDO_BF16, false);
  const Expression bits = e.moving_bits();
  const rondo_dtype expected[] = {RONDO_U16, RONDO_U16, RONDO_BF16, RONDO_U16, RONDO_BF16};
  for (int k = 0; k < bits.operands(); ++k) EXPECT_EQ(bits.operand_dtype(k), expected[k]) << k;
  std::vector<uint16_t> of_a = {0xfe01, 0x3c00, 0x7d01, 0x4000}, of_b = {0x3c00, 0x7e55, 0x4000, 0x4000};
  std::vector<uint16_t> of_c(4, 0), chosen(4), sums(4);
  char* addresses[] = {bytes(of_a), bytes(of_b), bytes(of_c), bytes(chosen), bytes(sums)};
  evaluate_on_cpu(bits, flat_space(bits, 4), addresses, nullptr, {});
  EXPECT_EQ(chosen, (std::vector<uint16_t>{0xfe01, 0x3c00, 0x7d01, 0x4400}));
  EXPECT_EQ(sums, (std::vector<uint16_t>{0x4000, 0x7fff, 0x4080, 0x4080}));
}

TEST(Expression, TextIsDeterministicAndNamesNoSizes) {
  const Expression e = scaled_sum(RONDO_F32);
  EXPECT_EQ(elementwise_text(e, flat_space(e)), elementwise_text(e, flat_space(e)));
  EXPECT_EQ(elementwise_text(e, flat_space(e, 10)), elementwise_text(e, flat_space(e, 20)))
      << "one kernel for all sizes";
}

}  // namespace
}  // namespace rondo::ops
