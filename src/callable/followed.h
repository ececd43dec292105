// Calls a graph of the user's: as it is, or, if an open tape follows the graph's operands, as a callable whose function
// is what the graph was recorded from.
//
// Owned by reference count; used by any number of threads.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "callable/callable.h"

namespace rondo {

class FollowedGraph final : public RefCounted {
 public:
  explicit FollowedGraph(Ref<Graph> graph) : graph_(std::move(graph)) {}
  // Live tensors; outputs: null or live; as many as the graph has.
  Status call(rondo_tensor* const* inputs, rondo_tensor** outputs);

 private:
  bool followed(std::span<rondo_tensor* const> inputs) const;
  Ref<Callable> callable();

  const Ref<Graph> graph_;
  std::mutex mutex_;
  Ref<Callable> callable_;
};

}  // namespace rondo
