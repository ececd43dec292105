// The rules of gradients: for each kind of operator (ops/program/kinds.h), through which operands gradients flow, which
// values they need, and how they are made, of operators. A kind without its rule does not compile. The rules themselves
// are in the wing rules/.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tape/backward.h"

namespace rondo::tape {

// The inputs with a bit in `active` that have a gradient.
unsigned flowing(const Node& node, unsigned active);

// True if its gradient can be asked for: the node says what it is, and its gradient is known.
bool has_gradient(const Node& node);

// The values that the gradient of the inputs with a bit in `wanted` needs.
Needs needed(const Node& node, unsigned wanted);

// True if its rule heeds Backward::last.
bool makes_last(const Node& node);

// For rules: the node's first result. One that was added to a tensor is not kept: it is computed again.
Status result_of(const Backward& backward, OwnedTensor* again, View* result);
// A view broadcast to a shape.
inline View under(View view, const Layout& shape) {
  view.layout = broadcast_layout(view.layout, shape);
  return view;
}

// Adds the gradients of the inputs that backward wants.
Status run_rule(Backward& backward);

}  // namespace rondo::tape
