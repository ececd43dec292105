// Gradients of pooling and resizing: maps are linear once it is known which elements are the largest, so the gradient
// of a gradient is what the operator itself does to it. The places of the largest are found here, by the operator once
// more: forward does not know whether a gradient will be asked for.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ops/image/window.h"
#include "tape/rules/kinds.h"

namespace rondo::tape {

namespace {

const char* name_of_gradient(const Backward& backward) {
  return Engine::intern((std::string(backward.node().name) + "_grad").c_str());
}

Status spread(const ops::Windows& windows, const View* places, const Layout& image, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, image, [&](ops::Output& out) {
    return ops::window_spread(name_of_gradient(backward), windows, dy, places, image, out);
  });
}

}  // namespace

Status run(const ops::WindowCall& call, Backward& backward) {
  if (!call.largest) return spread(call.windows, nullptr, call.image, backward);
  OwnedTensor largest, places;
  {
    ops::Output out(&largest.tensor), to(&places.tensor);
    RONDO_TRY(ops::window_largest(backward.node().name, call.windows, backward.input(0), out, &to));
  }
  return spread(call.windows, &places.tensor->view, call.image, backward);
}

Status run(const ops::WindowPickCall& call, Backward& backward) {
  return spread(call.windows, &backward.input(1), call.image, backward);
}

Status run(const ops::WindowGradCall& call, Backward& backward) {
  View dy;
  RONDO_TRY(backward.incoming_view(&dy));
  return backward.give(0, backward.node().inputs[0].view.layout, [&](ops::Output& out) {
    const char* const name = name_of_gradient(backward);
    return call.largest ? ops::window_pick(name, call.windows, dy, backward.input(1), out)
                        : ops::window_combine(name, call.windows, dy, out);
  });
}

}  // namespace rondo::tape
