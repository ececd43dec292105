// The gradient of a recorded function: graphs that go back over the tape that the function was recorded under. What
// they need of a call are its inputs, its outputs and more outputs of the same graph; open tapes note the call as one
// node, and keep that.
//
// A graph is recorded when it is first asked for, one for each choice of outputs that gradients come to, of inputs that
// they are wanted of and of what autocast does. Used by any number of threads.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tape/tape.h"

namespace rondo {

class Gradient final : public tape::Custom, public std::enable_shared_from_this<Gradient> {
 public:
  // What stands for an input or an output of the recorded graph, or a tensor from outside.
  struct Part {
    Part() = default;
    Part(Ref<Storage> keep, const View& view, bool active) : keep(std::move(keep)), view(view), active(active) {}
    Ref<Storage> keep;
    View view;
    bool active = false;  // gradients flow to it, or from it
    bool kept = false;    // its values are needed
  };
  struct Parts {
    // inputs: first those of calls, then tensors from outside; outputs: first the function's.
    std::vector<Part> inputs, outputs;
    bool differentiable() const;
  };
  // Names as further outputs what the tape keeps of what was made in the recording, and lists what it keeps of others.
  static Status name_kept(Recording& recording, const tape::Tape& tape, Parts* parts);

  Gradient(const char* name, uint32_t record_flags, Ref<tape::Tape> tape, Parts parts, const Graph& forward);

  // Tells the thread's tapes of a call.
  void note(Engine& engine, std::span<rondo_tensor* const> inputs, std::span<rondo_tensor* const> outputs) const;
  tape::Needs needs() const override { return needs_; }
  Status run(tape::Backward& backward) const override;

  // Of its graphs.
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // Of parts_: the outputs that gradients come to, the inputs that they are wanted of. And the autocast scope that a
  // gradient of the user's (rondo_tape_custom) is called in.
  struct Way {
    std::vector<bool> incoming, wanted;
    std::string autocast;
    auto operator<=>(const Way& other) const = default;
  };
  Status graph_for(const Way& way, Ref<Graph>* graph) const;
  Status record(const Way& way, Recording& recording) const;

  const uint32_t record_flags_;
  const Ref<tape::Tape> tape_;
  const Parts parts_;
  const size_t of_calls_;  // inputs of parts_ that calls are given
  tape::Needs needs_;
  mutable std::mutex mutex_;
  mutable std::map<Way, Ref<Graph>> graphs_;
  // What stands for a value that is kept in the recording that was made last, inputs first.
  mutable std::vector<Ref<Storage>> standing_;
  mutable std::atomic<int64_t> bytes_{0};
};

}  // namespace rondo
