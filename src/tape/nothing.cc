// Gradients of zeros that others depend on: those of sources that outputs depend on through tensors without elements
// only, such as the weights of a layer that an empty part of a batch went through. No operator makes them, but tapes
// that are open outside are told what they depend on, so that they have a gradient as those of other batches have:
// zeros.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tasks/thread_state.h"
#include "tape/backward.h"

namespace rondo::tape {

// A node on the way back, of which gradients or such zeros come to the outputs.
void Backward::follow_nothing(size_t number) {
  const Node& node = tape_.nodes_[number];
  if (!node.flows) return;
  const bool all = std::any_of(node.outputs.begin(), node.outputs.end(),
                               [this](const Operand& each) { return nothings_.count(each.number) != 0; });
  if (!all && !ways_[number].met) return;
  for (const Operand& each : node.inputs)
    if (each.active && (all || each.view.elements() == 0)) nothings_.insert(each.number);
}

void Backward::tell_of_nothing(std::span<const View> outputs, std::span<const View* const> given,
                               std::span<const View> sources, std::span<rondo_tensor* const> gradients) const {
  std::vector<TaskOperand> operands;
  for (const View& view : outputs) operands.push_back({view, false});
  for (const View* dy : given)
    if (dy) operands.push_back({*dy, false});
  const size_t inputs = operands.size();
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!nothing_came_[i] || nothings_.count(number_of(sources[i])) == 0) continue;
    View view = gradients[i]->view;
    const int64_t none = 0;  // nothing there is written
    view.layout = Layout::row_major(1, &none);
    operands.push_back({view, true});
  }
  if (operands.size() > inputs) this_thread().tapes->done("rondo_tape_gradients", {}, operands);
}

}  // namespace rondo::tape
