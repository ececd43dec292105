// Checks attributes and operands of single kinds, before their operators are called.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/check.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/tasks/making_limit.h"
#include "ops/elementwise/form.h"
#include "ops/program/infer.h"
#include "ops/program/overlap.h"

namespace rondo::program_files {

using namespace ops;

namespace {

Status wrong(const char* what) {
  return error(RONDO_IO_ERROR, "%s", what);
}

// The sets of operands that expressions have: an operator but for a text has one.
struct Sets {
  std::vector<TextSet> all;

  Sets(const Call& call, size_t inputs, size_t results) {
    if (const auto* fused = std::get_if<FusedCall>(&call.of))
      all.push_back({fused->fused.get(), 0, inputs, 0, results});
    if (const auto* text = std::get_if<TextCall>(&call.of)) (void)find_sets(*text, inputs, results, &all);
  }
  bool accumulate_as(std::span<const View> results) const {
    for (const TextSet& each : all)
      for (size_t k = 0; k < each.results; ++k)
        if (results[each.first_result + k].accumulate !=
            (each.form->expression.output(static_cast<int>(k)).accumulate != 0))
          return false;
    return true;
  }
  // True if a result and an input are of one set.
  bool together(size_t result, size_t input) const {
    return all.empty() || std::any_of(all.begin(), all.end(), [&](const TextSet& each) {
             return result - each.first_result < each.results && input - each.first_input < each.inputs;
           });
  }
};

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

int64_t count_steps(const Call& call, const View* x) {
  const auto* const layers = std::get_if<RecurrentCall>(&call.of);
  const auto* const gradient = std::get_if<RecurrentGradCall>(&call.of);
  if ((!layers && !gradient) || !x || x->layout.ndim != 3) return 0;  // what is wrong the kind refuses
  const RecurrentForm& form = layers ? layers->form : gradient->form;
  int64_t steps = 0;
  return __builtin_mul_overflow(x->layout.shape[layers && form.batch_first ? 1 : 0],
                                int64_t{form.layers} * (form.bidirectional ? 2 : 1), &steps)
             ? -1
             : steps;
}

bool is_checked(const Call& call) {
  return kAreInFiles[call.of.index()];
}

Status check_operation(const Call& call, std::span<const View> inputs, std::span<const View> results) {
  if (!is_checked(call)) return error(RONDO_UNSUPPORTED, "files do not have nodes of this kind");
  const bool plain = kTakePlainResults[call.of.index()];
  const Sets sets(call, inputs.size(), results.size());
  std::vector<const View*> read, made;
  for (const View& each : inputs) {
    if (each.accumulate) return wrong("it reads a view that is added to");
    read.push_back(&each);
  }
  for (size_t k = 0; k < results.size(); ++k) {
    RONDO_TRY(MakingLimit::check());
    const View& written = results[k];
    if (written.layout.repeats()) return wrong("a result shows an element twice");
    if (plain && written.accumulate) return wrong("its results cannot be added to something");
    for (size_t i = 0; i < inputs.size(); ++i)
      if (overlap(written, inputs[i]) && (plain || !identical(written, inputs[i]) || !sets.together(k, i)))
        return wrong("a result overlaps an input");
    for (const View& each : results)
      if (&each != &written && overlap(written, each)) return wrong("two results overlap");
    made.push_back(&written);
  }
  RONDO_TRY(check_in_place(call, inputs, results));
  RONDO_TRY(check_results(call, read, made));
  if (!sets.accumulate_as(results))
    return wrong("a result is added to something, or not, as its expression does not say");
  const auto* const put = std::get_if<PutCall>(&call.of);
  if (put && put->replaces && !identical(inputs[2], results[0]))
    return wrong("the tensor whose elements it replaces is not its result");
  return {};
}

}  // namespace rondo::program_files
