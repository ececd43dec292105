// Writes the operands of a task as text: their names, shapes and sizes, for pictures and timelines.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/operand_text.h"

#include "engine/tensor.h"

namespace rondo {

namespace {

View in_its_own_size(const View& view) {
  View own = view;
  own.layout.ndim = 0;
  for (int i = 0; i < view.layout.ndim; ++i) {
    const bool repeated = view.layout.strides[i] == 0 && view.layout.shape[i] > 1;
    if (repeated && own.layout.ndim == 0) continue;
    own.layout.shape[own.layout.ndim++] = repeated ? 1 : view.layout.shape[i];
  }
  return own;
}

}  // namespace

std::string unbroadcast_text(const View& view) {
  return operand_text(in_its_own_size(view));
}

size_t unbroadcast_bytes(const View& view) {
  return in_its_own_size(view).bytes();
}

std::string operands_text(const std::vector<TaskOperand>& operands) {
  std::string text;
  bool written = false;
  for (const TaskOperand& each : operands) {
    if (each.written && !written)
      text += text.empty() ? "-> " : " -> ";
    else if (!text.empty())
      text += ", ";
    written = each.written;
    text += unbroadcast_text(each.view);
  }
  return text;
}

}  // namespace rondo
