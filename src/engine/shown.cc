// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/shown.h"

#include "engine/tensor.h"

namespace rondo {

std::string shown_text(const View& view) {
  View own = view;
  own.layout.ndim = 0;
  for (int i = 0; i < view.layout.ndim; ++i) {
    const bool repeated = view.layout.strides[i] == 0 && view.layout.shape[i] > 1;
    if (repeated && own.layout.ndim == 0) continue;
    own.layout.shape[own.layout.ndim++] = repeated ? 1 : view.layout.shape[i];
  }
  return operand_text(own);
}

}  // namespace rondo
