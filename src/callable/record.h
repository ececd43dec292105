// Runs a function of the user's as it is, or records it for inputs like those given: as a graph, and if an open tape
// follows its operands, with all that its gradient needs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "callable/gradient.h"
#include "callable/signature.h"
#include "graph/run/budget.h"

namespace rondo {

// Stores tensors in `outputs`, which hold null.
using CallableFunction =
    std::function<Status(int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs)>;

struct Recipe {
  Engine& engine;
  const char* name;
  uint32_t flags;  // rondo_callable_flags
  int32_t arenas;  // of each graph; 0: one
  CallableFunction function;
  int32_t n_outputs;
  Gradient::Grown grown;
  std::shared_ptr<Budget> budget;  // null: its engine alone limits it
};

// The results of a recording.
struct Recorded {
  Ref<Graph> graph;                    // its outputs: the function's, then what the gradient needs
  std::shared_ptr<Gradient> gradient;  // null if there is none
};

// Calls the function once. Its outputs are live tensors of the engine, each with a handle of its own.
Status run_function(const Recipe& recipe, std::span<rondo_tensor* const> inputs,
                    std::vector<tape::OwnedTensor>* outputs);
// On the calling thread, where no recording is open.
Status record_function(const Recipe& recipe, std::span<const Arranged> inputs, Recorded* recorded);
// Runs `body` between the begin of a recording for calls and its end.
Status record_graph(Engine& engine, const char* name, uint32_t flags, int32_t arenas,
                    const std::function<Status(Recording& recording)>& body, Ref<Graph>* graph);
// Names an output of the recording: the tensor, or a row-major copy of what cannot be one. *output: what was named.
Status name_whole(Recording& recording, const View& view, Ref<Storage>* keep, View* output);
// Memory that a graph takes, on devices and about that of the host.
int64_t graph_bytes(const Graph& graph);

}  // namespace rondo
