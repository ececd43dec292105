// Applies scale, bias, residual and activation to the sums of a product or a convolution on the host.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/sum_finish.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "engine/tasks/workers.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/operators/activation.h"

namespace rondo::ops {

namespace {

constexpr int64_t kLine = 4096;  // elements of a line that are worth a part of their own
constexpr int64_t kShort = 16;   // a line along which few elements lie
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// To multiply by the one and to add the other changes no bit.
constexpr float kOne = 1, kNothing = -0.0F;
// As in cost_on_cpu(): a loop over elements costs so many bytes of memory; one with an exponential in it, several.
constexpr int64_t kLoopCost = 8, kExponentialCost = 48;

template <class C, int64_t n>
const void* constants(double value) {
  static const auto filled = [](C each) {
    std::array<C, n> all;
    all.fill(each);
    return all;
  };
  static const std::array<C, n> zeros = filled(C(0)), sixes = filled(C(6));
  return value == 0 ? zeros.data() : sixes.data();
}

}  // namespace

SumFinish::SumFinish(rondo_dtype dtype, int activation, bool accumulate)
    : size_(static_cast<int64_t>(dtype_size(dtype))),
      width_(static_cast<int64_t>(dtype_size(compute_dtype(dtype)))),
      plain_(compute_dtype(dtype) == dtype),
      accumulate_(accumulate),
      finish_(loops(instructions()).finish),
      one_loop_(dtype == RONDO_F32 && !accumulate),
      low_(-kInfinity),
      high_(kInfinity) {
  std::fill_n(nothing_, kPiece, kNothing);
  const Loops& table = loops(instructions());
  const rondo_dtype computed = compute_dtype(dtype);
  const auto find = [&](Op op) { return table.find({op, static_cast<uint8_t>(computed), 0, 0, 0}, computed); };
  memory_ = table.moves(dtype, accumulate);
  computed_ = table.moves(computed, false);
  multiply_ = find(Op::mul);
  add_ = find(Op::add);
  if (activation == RONDO_ACTIVATION_NONE) return;
  const ActivationOperator& of = operator_of(static_cast<rondo_activation>(activation));
  activate_ = find(of.op);
  const bool limits = only_limits(static_cast<rondo_activation>(activation));
  hard_swish_ = activation == RONDO_ACTIVATION_HARD_SWISH;
  one_loop_ = one_loop_ && (limits || hard_swish_);
  low_ = 0;
  if (of.parameters == 2) high_ = static_cast<float>(of.parameter[1]);
  activation_cost_ = limits || hard_swish_ ? kLoopCost : kExponentialCost;
  for (int i = 0; i < of.parameters; ++i)
    limits_[i] =
        computed == RONDO_F64 ? constants<double, kPiece>(of.parameter[i]) : constants<float, kPiece>(of.parameter[i]);
}

bool SumFinish::at_once(const SumLine& line) const {
  return one_loop_ && line.sums.step == 1 && line.out.step == 1 && line.scale.step == 0 && line.bias.step == 0 &&
         (!line.residual.address || line.residual.step == 1) &&
         (activate_ || line.scale.address || line.bias.address || line.residual.address);
}

void SumFinish::run_at_once(const SumLine& line, int64_t lines, int64_t n) const {
  const auto at = [](const Strip& strip, const float* absent) {
    return strip.address ? reinterpret_cast<const float*>(strip.address) : absent;
  };
  SumsToFinish of{lines,
                  0,
                  at(line.sums, nullptr),
                  at(line.scale, &kOne),
                  at(line.bias, nothing_),
                  at(line.residual, nothing_),
                  reinterpret_cast<float*>(line.out.address),
                  line.sums.apart,
                  line.scale.apart,
                  line.bias.apart,
                  line.residual.apart,
                  line.out.apart,
                  low_,
                  high_,
                  hard_swish_};
  for (; n > 0; n -= kPiece) {
    of.n = std::min(kPiece, n);
    finish_(of);
    of.sums += kPiece;
    of.to += kPiece;
    if (line.residual.address) of.residual += kPiece;
  }
}

void SumFinish::run(const SumLine& line, int64_t n, int64_t lines) const {
  if (at_once(line)) return run_at_once(line, lines, n);
  for (int64_t number = 0; number < lines; ++number)
    for (int64_t i = 0; i < n; i += kPiece) run_piece(line, number, i, std::min(kPiece, n - i));
}

void SumFinish::run_piece(const SumLine& line, int64_t number, int64_t first, int64_t count) const {
  alignas(64) char made[kPiece * sizeof(double)], operand[kPiece * sizeof(double)];
  const auto place = [&](const Strip& strip, int64_t size) {
    return strip.address + (number * strip.apart + first * strip.step) * size;
  };
  int left = (line.scale.address != nullptr) + (line.bias.address != nullptr) + (line.residual.address != nullptr) +
             (activate_ != nullptr);
  const bool direct = plain_ && !accumulate_ && line.out.step == 1;
  const void* value = place(line.sums, width_);
  char* const to = place(line.out, size_);
  if (line.sums.step != 1) {
    computed_.load(made, static_cast<const char*>(value), line.sums.step, count);
    value = made;
  }
  // Only the last step writes where the residual may be.
  const auto apply = [&](Loop loop, const void* b, const void* c) {
    void* const result = --left == 0 && direct ? to : made;
    loop(result, value, b, c, count);
    value = result;
  };
  const auto with = [&](Loop loop, const Strip& strip) {
    if (!strip.address) return;
    const char* from = place(strip, size_);
    if (!plain_ || strip.step != 1) {
      memory_.load(operand, from, strip.step, count);
      from = operand;
    }
    apply(loop, from, from);
  };
  with(multiply_, line.scale);
  with(add_, line.bias);
  with(add_, line.residual);
  if (activate_) apply(activate_, limits_[0] ? limits_[0] : value, limits_[1] ? limits_[1] : value);
  if (value != to) memory_.store(to, line.out.step, value, count);
}

int SumFinish::innermost(const SumLines& lines) {
  int best = SumLines::kDims - 1;
  const auto worse = [&](int d) {
    const bool is_short = lines.size[d] < kShort, best_is_short = lines.size[best] < kShort;
    if (is_short != best_is_short) return is_short;
    if (is_short) return lines.size[d] <= lines.size[best];
    return std::abs(lines.out.step[d]) >= std::abs(lines.out.step[best]);
  };
  for (int d = best - 1; d >= 0; --d)
    if (!worse(d)) best = d;
  return best;
}

void SumFinish::run(const SumLines& lines) const {
  const int inner = innermost(lines), first = inner == 0 ? 1 : 0, second = inner == 2 ? 1 : 2;
  const int64_t n = lines.size[inner], per_line = (n + kLine - 1) / kLine;
  const int64_t count = lines.size[first] * lines.size[second] * per_line;
  const auto line_at = [&](int64_t i, int64_t j, int64_t begin) -> SumLine {
    const auto strip = [&](const SumLines::Array& array, int64_t size) -> Strip {
      if (!array.address) return {};
      const int64_t offset = i * array.step[first] + j * array.step[second] + begin * array.step[inner];
      return {array.address + offset * size, array.step[inner], array.step[second]};
    };
    return {strip(lines.sums, width_), strip(lines.scale, size_), strip(lines.bias, size_),
            strip(lines.residual, size_), strip(lines.out, size_)};
  };
  int64_t cost = width_ + size_ + activation_cost_;
  for (const auto* each : {&lines.scale, &lines.bias, &lines.residual})
    if (each->address) cost += kLoopCost;
  const int64_t elements = n * lines.size[first] * lines.size[second];
  const int64_t parts = elements < kSharedCost / cost ? 1 : std::min(elements / (kPartCost / cost), count);
  if (parts <= 1) {
    for (int64_t i = 0; i < lines.size[first]; ++i) run(line_at(i, 0, 0), n, lines.size[second]);
    return;
  }
  Workers::share(parts, [&](int64_t part) {
    for (int64_t number = count * part / parts; number < count * (part + 1) / parts; ++number) {
      const int64_t line = number / per_line, begin = number % per_line * kLine;
      run(line_at(line / lines.size[second], line % lines.size[second], begin), std::min(kLine, n - begin));
    }
  });
}

}  // namespace rondo::ops
