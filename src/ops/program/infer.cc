// Finds the function that gives the results of a kind.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/infer.h"

#include "base/text.h"

namespace rondo::ops {

namespace {

enum class Infers { inferred, given, none, owed };
template <class OneKind>
inline constexpr Infers kInfers = Infers::none;
#define RONDO_KIND(Name, gradient, precision, effects, infer, ...) \
  template <>                                                      \
  inline constexpr Infers kInfers<Name##Call> = Infers::infer;
#include "ops/program/kinds.def"
#undef RONDO_KIND

// Calls a function of this kind, not one of a base.
template <class OneKind>
concept HasFunction = requires(Status (*function)(const OneKind&, InputTypes, ResultTypes)) {
  function = static_cast<Status (*)(const OneKind&, InputTypes, ResultTypes)>(&infer);
};

}  // namespace

Status infer_results(const Call& call, InputTypes inputs, std::vector<ResultType>* results) {
  std::vector<std::string_view> names;
  if (!name_operands(call, inputs.size(), results->size(), &names))
    return error(RONDO_INVALID_ARGUMENT, "%s has %zu inputs and %zu results; its operands are %s", row_of(call).name,
                 inputs.size(), results->size(), row_of(call).operands);
  return std::visit(
      [&](const auto& attributes) -> Status {
        using Kind = std::decay_t<decltype(attributes)>;
        static_assert(HasFunction<Kind> == (kInfers<Kind> == Infers::inferred),
                      "a kind that its row calls inferred has a function, and no other one");
        if constexpr (kInfers<Kind> == Infers::inferred) {
          RONDO_TRY(infer(attributes, inputs, *results));
          for (size_t k = 0; k < results->size(); ++k)
            RONDO_TRY(check_result(names[inputs.size() + k], &(*results)[k]));
          return {};
        } else {
          return error(RONDO_UNSUPPORTED, "the results of %s are not inferred", row_of(call).name);
        }
      },
      call.of);
}

Status check_result(std::string_view name, ResultType* result) {
  return check_shape(result->shape.ndim, result->shape.shape, result->dtype, &result->shape).with_context(name);
}

Status check_axis_attribute(int axis, const View& of) {
  if (axis >= 0 && axis < of.layout.ndim) return {};
  return error(RONDO_INVALID_ARGUMENT, "axis is %d; the operand has %d dimensions, counted from 0", axis,
               of.layout.ndim);
}

Status check_reduction_attribute(ReduceOp op) {
  const int number = static_cast<int>(op);
  if (number >= 0 && number < kReductions) return {};
  return error(RONDO_INVALID_ARGUMENT, "op is %d; the reductions have the numbers 0 to %d", number, kReductions - 1);
}

}  // namespace rondo::ops
