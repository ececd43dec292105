// Finds the function that gives the results of a kind.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/infer.h"

#include <bit>
#include <cmath>

#include "base/text.h"

namespace rondo::ops {

namespace {

enum class Infers { inferred, given, none };
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

Status check_results(const Call& call, InputTypes inputs, std::span<const View* const> made) {
  // A task that makes some results of an expression reads what these are made of, and the call is still the whole one.
  if (call.unwritten && (std::holds_alternative<FusedCall>(call.of) || std::holds_alternative<TextCall>(call.of)))
    return {};
  const auto missing = static_cast<size_t>(std::popcount(call.unwritten));
  std::vector<ResultType> results(made.size() + missing);
  const auto each_made = [&](auto&& visit) -> Status {
    size_t next = 0;
    for (size_t k = 0; k < results.size() && next < made.size(); ++k)
      if (!call.leaves_out(k)) RONDO_TRY(visit(k, *made[next++]));
    return {};
  };
  RONDO_TRY(each_made([&](size_t k, const View& is) {
    results[k].set(is.dtype, is.layout);
    return Status();
  }));
  const Status status = infer_results(call, inputs, &results);
  if (!status.ok()) return status.code() == RONDO_UNSUPPORTED ? Status() : status;
  return each_made([&](size_t k, const View& is) {
    if (is.dtype == results[k].dtype && is.layout.same_shape(results[k].shape)) return Status();
    return error(RONDO_INVALID_ARGUMENT, "result %zu is %s, and its kind makes %s %s", k, operand_text(is).c_str(),
                 dtype_name(results[k].dtype), shape_text(results[k].shape).c_str());
  });
}

Status check_result(std::string_view name, ResultType* result) {
  return check_shape(result->shape.ndim, result->shape.shape, result->dtype, &result->shape).with_context(name);
}

Status JoinedShape::add(const char* name, const Layout& next) {
  Layout joined;
  if (!broadcast_shapes(shape_, next, &joined))
    return error(RONDO_INVALID_ARGUMENT,
                 "%s of shape %s and %s of shape %s do not broadcast together; from the last axis on, sizes must be "
                 "equal or 1",
                 name_, shape_text(shape_).c_str(), name, shape_text(next).c_str());
  shape_ = joined;
  name_ = name;
  return {};
}

Status check_float(const char* name, const View& view) {
  if (is_float(view.dtype)) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; a float dtype is needed (rondo_cast makes it)", name,
               dtype_name(view.dtype));
}

Status check_dtype_of(const char* name, const View& view, const char* of, const View& other) {
  if (view.dtype == other.dtype) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s but %s has %s; cast one with rondo_cast", name,
               dtype_name(view.dtype), of, dtype_name(other.dtype));
}

Status check_type(const char* name, const View& view, rondo_dtype dtype, const Layout& shape) {
  if (view.dtype == dtype && view.layout.same_shape(shape)) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %s; %s %s is needed", name, operand_text(view).c_str(), dtype_name(dtype),
               shape_text(shape).c_str());
}

Status check_one(const char* name, const View* view, rondo_dtype dtype) {
  if (!view || (view->dtype == dtype && view->elements() == 1)) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %s; one element of %s is needed", name, operand_text(*view).c_str(),
               dtype_name(dtype));
}

Status check_epsilon(const char* name, double value) {
  if (std::isfinite(value) && value >= 0) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %g; a finite number of at least 0 is needed", name, value);
}

Status check_axes_attribute(unsigned axes, const View& of) {
  if (!(axes >> of.layout.ndim)) return {};
  return error(RONDO_INVALID_ARGUMENT, "axes is 0x%x; a bit for each of the %d dimensions of the operand is possible",
               axes, of.layout.ndim);
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
