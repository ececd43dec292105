// A graph that is called while tapes may follow what it works on keeps what was recorded, before passes, which is
// recorded once more for them then. Immutable, and shared by all that read it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/run/bindings.h"
#include "ops/program/program.h"
#include "tape/journal.h"

namespace rondo {

// Numbers that are drawn and that nothing reads: what was left out of a graph has drawn them.
class Unread final : public ops::OperatorTask {
 public:
  Unread(Device& device, uint64_t count) : ops::OperatorTask("unread random numbers", device) {
    random_count_ = count;
    lendable_ = device.is_host();
  }
  Status run(const TaskContext&) override { return {}; }
};

// How many numbers were drawn, by device.
using Drawn = std::unordered_map<const Device*, uint64_t>;

class RecordedProgram {
 public:
  // drawn: by its runs, tasks of inlined graphs included that are no part of it any more.
  RecordedProgram(const ops::Program& program, Drawn drawn, Ref<tape::Journal> journal, bool fewer_roundings);

  const ops::Program& program() const { return program_; }
  bool fewer_roundings() const { return fewer_roundings_; }

  // Why it cannot be recorded again, for people; null: it can.
  const char* why_not() const;
  // Records it once more, with these inputs, and tells tapes what was recorded. Stores new tensors.
  Status replay(Engine& engine, const Bindings& bindings, std::span<rondo_tensor* const> inputs,
                std::span<rondo_tensor*> outputs) const;

 private:
  const ops::Program program_;
  const Drawn drawn_;
  const Ref<tape::Journal> journal_;
  const bool fewer_roundings_;
};

}  // namespace rondo
