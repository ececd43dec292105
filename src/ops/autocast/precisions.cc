// Finds the precision of each operator and function by its name, in the columns of all tables.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/autocast/precisions.h"

#include <unordered_map>

#include "base/text.h"
#include "ops/ops.h"

namespace rondo::ops {

namespace {

constexpr struct {
  std::string_view name;
  Precision precision;
} kRows[] = {
// A row without its precision does not compile.
#define UNARY(ID, name, domain, result, parameters, low, high, ulps, dx, edges, precision, ...) \
  {#name, Precision::precision},
#define BINARY(ID, name, domain, result, parameters, low, high, ulps, da, db, edges_a, edges_b, precision, ...) \
  {#name, Precision::precision},
#define TERNARY(ID, name, domain, result, low, high, ulps, da, db, dc, edges_a, edges_b, edges_c, precision, ...) \
  {#name, Precision::precision},
#include "ops/operators/operators.def"
#undef UNARY
#undef BINARY
#undef TERNARY
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, of_nothing, low, high, formula, edges, \
                  precision, ...)                                                                                 \
  {#name, Precision::precision},
#include "ops/operators/reductions.def"
#undef REDUCTION
#define NORMALISATION(name, Formula, gradient, edges, statistics, precision, ...) {#name, Precision::precision},
#include "ops/operators/normalisations.def"
#undef NORMALISATION
};

// The functions of a kind, of which one may have another precision than the kind: "resize local_response_norm=single".
constexpr struct {
  Precision precision;
  std::string_view functions;
} kKindRows[] = {
#define RONDO_KIND(Name, gradient, precision, effects, infer, since, operands, text, functions) \
  {Precision::precision, functions},
#include "ops/program/kinds.def"
#undef RONDO_KIND
};

constexpr struct {
  std::string_view name;
  Precision precision;
} kPrecisions[] = {
#define RONDO_PRECISION(name, NAME, text) {#name, Precision::name},
#include "ops/autocast/precisions.def"
#undef RONDO_PRECISION
};

Precision named(std::string_view name) {
  for (const auto& each : kPrecisions)
    if (each.name == name) return each.precision;
  return Precision::none;
}

using Names = std::unordered_map<std::string_view, Precision>;

Names all_names() {
  Names names;
  for (const auto& row : kRows) names.try_emplace(row.name, row.precision);
  for (const auto& row : kKindRows) {
    std::string_view left = row.functions, function;
    while (take_word(&left, &function)) {
      Precision precision = row.precision;
      if (const size_t at = function.find('='); at != std::string_view::npos) {
        precision = named(function.substr(at + 1));
        function = function.substr(0, at);
      }
      names.try_emplace(function, precision);
    }
  }
  // Those that rondo_softmax_with has besides the functions of their names.
  for (int op = 0; const char* name = softmax_name(op); ++op) names.try_emplace(name, names.at("softmax_with"));
  return names;
}

}  // namespace

bool find_precision(std::string_view name, Precision* precision) {
  static const Names& names = *new Names(all_names());  // may be asked when the process ends
  const auto found = names.find(name);
  if (found == names.end()) return false;
  *precision = found->second;
  return true;
}

}  // namespace rondo::ops
