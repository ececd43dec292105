// Runs an expression's text, and one text for several sets of arguments, which share the elementwise tasks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/user.h>

#include <span>

#include "ops/text/expression_text.h"

namespace rondo::ops {

// Handles among the arguments and in `out` have been checked to be alive; `out` has one entry per result.
Status run_expression(const ExpressionText& text, std::span<const rondo_argument> arguments, rondo_tensor** out);
// The same for `count` sets of arguments, one after the other in `arguments`, and of results in `out`: all elementwise
// results are one task, and so are all steps before products.
Status run_expression_each(const ExpressionText& text, size_t count, std::span<const rondo_argument> arguments,
                           rondo_tensor** out);

}  // namespace rondo::ops
