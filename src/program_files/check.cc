// Checks attributes and operands of single kinds, before their operators are called.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "ops/program/infer.h"
#include "ops/program/overlap.h"

namespace rondo::program_files {

using namespace ops;

namespace {

Status wrong(const char* what) {
  return error(RONDO_IO_ERROR, "%s", what);
}

bool accumulates_as(const Fused& fused, std::span<const View> results) {
  for (size_t k = 0; k < results.size(); ++k)
    if (results[k].accumulate != (fused.expression.output(static_cast<int>(k)).accumulate != 0)) return false;
  return true;
}

// The functions of these take memory of results as it is.
template <class Kind>
constexpr bool kTakesPlainResults = kIsOneOf<Kind, AttentionCall, AttentionGradCall, RecurrentCall, RecurrentGradCall,
                                             BatchNormStatisticsCall, BatchNormSumsCall, EmbeddingBagGradCall>;

// A result that has the name of an input is that input, written in place.
Status check_in_place(const Call& call, std::span<const View> inputs, std::span<const View> results) {
  std::vector<std::string_view> names;
  if (!name_operands(call, inputs.size(), results.size(), &names))
    return error(RONDO_IO_ERROR, "it has %zu inputs and %zu results; its operands are %s", inputs.size(),
                 results.size(), row_of(call).operands);
  const auto of_results = names.begin() + static_cast<std::ptrdiff_t>(inputs.size());
  auto input = of_results;
  for (size_t k = 0; k < results.size(); ++k) {
    const std::string_view name = of_results[static_cast<std::ptrdiff_t>(k)];
    if (k == 0 || name != of_results[static_cast<std::ptrdiff_t>(k) - 1])
      input = std::find(names.begin(), of_results, name);
    if (input == of_results) continue;
    if (*input != name || !identical(inputs[static_cast<size_t>(input - names.begin())], results[k]))
      return wrong("a result that it writes in place is not its input of the same name");
    ++input;
  }
  return {};
}

constexpr bool kAreInFiles[] = {
#define RONDO_KIND(Name, ...) kInFiles<Name##Call>,
#include "ops/program/kinds.def"
#undef RONDO_KIND
};
constexpr bool kTakePlainResults[] = {
#define RONDO_KIND(Name, ...) kTakesPlainResults<Name##Call>,
#include "ops/program/kinds.def"
#undef RONDO_KIND
};

}  // namespace

bool count_steps(const Call& call, const View* x, int64_t* steps) {
  const auto* const layers = std::get_if<RecurrentCall>(&call.of);
  const auto* const gradient = std::get_if<RecurrentGradCall>(&call.of);
  if ((!layers && !gradient) || !x || x->layout.ndim != 3) return true;  // what is wrong the kind refuses
  const RecurrentForm& form = layers ? layers->form : gradient->form;
  int64_t more = 0;
  return !__builtin_mul_overflow(x->layout.shape[layers && form.batch_first ? 1 : 0],
                                 int64_t{form.layers} * (form.bidirectional ? 2 : 1), &more) &&
         !__builtin_add_overflow(*steps, more, steps) && *steps <= kMostSteps;
}

bool is_checked(const Call& call) {
  return kAreInFiles[call.of.index()];
}

Status check_operation(const Call& call, std::span<const View> inputs, std::span<const View> results) {
  if (!is_checked(call)) return error(RONDO_UNSUPPORTED, "files do not have nodes of this kind");
  const bool plain = kTakePlainResults[call.of.index()];
  std::vector<const View*> read, made;
  for (const View& each : inputs) {
    if (each.accumulate) return wrong("it reads a view that is added to");
    read.push_back(&each);
  }
  for (const View& written : results) {
    if (written.layout.repeats()) return wrong("a result shows an element twice");
    if (plain && written.accumulate) return wrong("its results cannot be added to something");
    for (const View& each : inputs)
      if (overlap(written, each) && (plain || !identical(written, each))) return wrong("a result overlaps an input");
    for (const View& each : results)
      if (&each != &written && overlap(written, each)) return wrong("two results overlap");
    made.push_back(&written);
  }
  RONDO_TRY(check_in_place(call, inputs, results));
  RONDO_TRY(check_results(call, read, made));
  const auto* const fused = std::get_if<FusedCall>(&call.of);
  const auto* const text = std::get_if<TextCall>(&call.of);
  if (text && text->expressions.size() != 1) return wrong("it has several expressions");
  if (fused || text)
    if (!accumulates_as(*(fused ? fused->fused : text->expressions[0]), results))
      return wrong("a result is added to something, or not, as its expression does not say");
  const auto* const put = std::get_if<PutCall>(&call.of);
  if (put && put->replaces && !identical(inputs[2], results[0]))
    return wrong("the tensor whose elements it replaces is not its result");
  return {};
}

}  // namespace rondo::program_files
