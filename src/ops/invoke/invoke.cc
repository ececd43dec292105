// Finds the function that calls an operator of a kind, once the number of its operands is right.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/invoke/invoke.h"

namespace rondo::ops {

namespace {

// Kinds that are no operators by themselves: several nodes, a view, or what a pass has made.
template <class Kind>
concept NoOperator = std::is_constructible_v<decltype(ViewForm::of), Kind> || std::is_base_of_v<Closure, Kind> ||
    kIsOneOf<Kind, Nothing, ProductGradCall, GroupCall, BatchedMatmulCall, FusedRowsCall, RecurrentCellCall,
             RecurrentProductCall>;

}  // namespace

Status invoke(const Call& call, const Invocation& with) {
  if (!name_operands(call, with.inputs.size(), with.results.size(), nullptr))
    return error(RONDO_INVALID_ARGUMENT, "%s has %zu inputs and %zu results; its operands are %s", row_of(call).name,
                 with.inputs.size(), with.results.size(), row_of(call).operands);
  return std::visit(
      [&](const auto& attributes) -> Status {
        if constexpr (NoOperator<std::decay_t<decltype(attributes)>>)
          return error(RONDO_UNSUPPORTED, "a node of the kind %s is no operator by itself", row_of(call).name);
        else
          return invoke(attributes, with);
      },
      call.of);
}

}  // namespace rondo::ops
