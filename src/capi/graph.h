// Handles of graphs and callables, for functions of other files that make, take or call them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "callable/callable.h"
#include "callable/followed.h"
#include "capi/capi.h"

struct rondo_graph {
  uint32_t magic = 0;
  rondo::Ref<rondo::Graph> graph;
  rondo::Ref<rondo::FollowedGraph> followed;  // of one that is called
};

struct rondo_callable {
  uint32_t magic = 0;
  rondo::Ref<rondo::Callable> callable;
};

namespace rondo::capi {

Status check_graph(const rondo_graph* graph, const char* name);
rondo_graph* make_graph(Ref<Graph> graph, Ref<FollowedGraph> followed);
// Checks the tensors and calls the graph; followed: that of the graph. limit: of a call without tapes, or null.
Status call_graph(Graph& graph, FollowedGraph& followed, int32_t n_inputs, rondo_tensor* const* inputs,
                  int32_t n_outputs, rondo_tensor** outputs, const RunLimit* limit = nullptr);

Status check_callable_options(const rondo_callable_options& options);
rondo_callable* make_callable(Ref<Callable> callable);
// Checks the tensors, and `check` if there is one, and calls it.
Status call_callable(Callable& callable, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                     rondo_tensor** outputs, const std::function<Status()>& check = {},
                     const RunLimit* limit = nullptr);

}  // namespace rondo::capi
