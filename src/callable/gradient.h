// Makes the gradient of a recorded function: callables that go back over the tape that the function was recorded under.
// They need a call's inputs, its outputs and more outputs of the same graph; open tapes note the call as one node, and
// keep that. So a gradient that tapes follow has a gradient itself, of any order.
//
// There is a callable for each choice of outputs that gradients come to and of inputs that they are wanted of. Used by
// any number of threads.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph/recording.h"
#include "graph/run/graph.h"
#include "tape/tape.h"

namespace rondo {

class Callable;

class Gradient final : public tape::Custom, public std::enable_shared_from_this<Gradient> {
 public:
  // Stands for an input or an output of the recorded graph, or a tensor from outside.
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

  // flags: of a callable. grown: called without locks when graphs may have been added to it.
  using Grown = std::function<void()>;
  Gradient(const char* name, uint32_t flags, Grown grown, Ref<tape::Tape> tape, Parts parts, const Graph& forward);
  ~Gradient() override;

  // Tells the thread's tapes of a call.
  void note(Engine& engine, std::span<rondo_tensor* const> inputs, std::span<rondo_tensor* const> outputs) const;
  tape::Needs needs() const override { return needs_; }
  Status run(tape::Backward& backward) const override;

  // The bytes that its graphs take.
  int64_t bytes() const;

 private:
  // Selects from parts_: the outputs that gradients come to, the inputs that they are wanted of.
  struct Selection {
    std::vector<bool> incoming, wanted;
    bool operator<(const Selection& other) const {
      return incoming != other.incoming ? incoming < other.incoming : wanted < other.wanted;
    }
  };
  // A value of a call that the tape keeps, and where.
  struct Kept {
    Ref<Storage> as_recorded;
    std::vector<tape::Operand*> operands;
  };
  Ref<Callable> callable_for(const Selection& way) const;
  // The body of the callable's function. given: the kept values, then the gradients that come.
  Status go_back(const Selection& way, std::span<rondo_tensor* const> given, rondo_tensor** gradients) const;

  const uint32_t flags_;  // of the callables
  const Grown grown_;
  const bool unkept_;  // as what it goes back over (rtc/unkept.h)
  const Ref<tape::Tape> tape_;
  const Parts parts_;
  const size_t of_calls_;  // inputs of parts_ that calls are given
  tape::Needs needs_;
  std::vector<Kept> kept_;         // in the order of parts_, without tensors from outside
  mutable std::mutex tape_mutex_;  // one goes back at a time
  mutable std::mutex mutex_;       // never while a function runs
  mutable std::map<Selection, Ref<Callable>> callables_;
};

}  // namespace rondo
