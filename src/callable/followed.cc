// Calls a graph of the user's as it is, or through a callable if an open tape follows its tensors.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/followed.h"

#include <algorithm>

#include "tape/journal.h"
#include "tape/tape.h"

namespace rondo {

// In a recording that tapes may go back through, the nodes of the graph are noted, whether or not a tape follows them.
bool FollowedGraph::followed(std::span<rondo_tensor* const> inputs) const {
  if (const Recording* recording = recording_of(graph_->engine()))
    if (tape::journal_open() && !recording->as_written) return true;
  if (!tape::any_open()) return false;
  const std::vector<Storage*> captured_tensors = graph_->bindings().captured_tensors();
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const rondo_tensor* each) { return tape::depends_on_watched(each->view); }) ||
         std::any_of(captured_tensors.begin(), captured_tensors.end(), [](Storage* each) {
           View view;
           view.storage = each;
           return tape::depends_on_watched(view);
         });
}

Ref<Callable> FollowedGraph::callable() {
  const std::lock_guard lock(mutex_);
  if (callable_) return callable_;
  rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
  if (graph_->facts().as_written) options.flags |= RONDO_CALLABLE_AS_WRITTEN;
  if (graph_->facts().fewer_roundings) options.flags |= RONDO_CALLABLE_FEWER_ROUNDINGS;
  options.arenas = graph_->query().arenas;
  const Ref<Graph> graph = graph_;
  callable_ = make_ref<Callable>(
      graph_->engine(), graph_->name(), options, graph_->query().outputs,
      [graph](int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs) {
        if (graph->facts().unkept) keep_nothing(graph->engine());
        return graph->recorded()->replay(graph->engine(), graph->bindings(), {inputs, static_cast<size_t>(n_inputs)},
                                         {outputs, static_cast<size_t>(n_outputs)});
      });
  return callable_;
}

Status FollowedGraph::call(rondo_tensor* const* inputs, rondo_tensor** outputs) {
  const rondo_graph_info info = graph_->query();
  const std::span given(inputs, static_cast<size_t>(info.inputs));
  if (graph_->facts().no_replay || !followed(given)) return graph_->call(inputs, outputs);
  RONDO_TRY(graph_->bindings().check(graph_->engine(), graph_->name(), inputs, outputs));
  return callable()->call(given, {outputs, static_cast<size_t>(info.outputs)});
}

}  // namespace rondo
