// Handles of graphs, for functions of other files that make, take or call them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "callable/followed.h"
#include "capi/capi.h"

struct rondo_graph {
  uint32_t magic = 0;
  rondo::Ref<rondo::Graph> graph;
  rondo::Ref<rondo::FollowedGraph> followed;  // of one that is called
};

namespace rondo::capi {

Status check_graph(const rondo_graph* graph, const char* name);
rondo_graph* make_graph(Ref<Graph> graph, Ref<FollowedGraph> followed);
// Checks the tensors and calls the graph; followed: that of the graph.
Status call_graph(Graph& graph, FollowedGraph& followed, int32_t n_inputs, rondo_tensor* const* inputs,
                  int32_t n_outputs, rondo_tensor** outputs);

}  // namespace rondo::capi
