// A journal keeps what a recording's thread told its tapes, so that it can be told again, about other memory: to the
// tapes of the thread that runs the recording once more. It keeps storages, which for most of a recording are numbers
// without memory.
//
// It belongs to the thread that records until the recording has ended; after that it does not change, and any number of
// threads use it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"
#include "tape/node.h"

namespace rondo::tape {

class Journal final : public RefCounted {
 public:
  explicit Journal(Engine& engine) : engine_(engine) {}
  Engine& engine() const { return engine_; }

  // As of a tape (tape.h).
  void note(const char* name, Ref<const ops::Call> call, const std::vector<TaskOperand>& operands, bool constant);
  void note(const std::shared_ptr<const Custom>& custom, std::span<const View> inputs, std::span<const View> outputs);
  // The host had no memory to note something: nothing can be told again.
  void miss() noexcept { missed_ = true; }
  bool missed() const { return missed_; }

  // Tells the thread's open tapes.
  void tell(const Rebinding& memory) const;

 private:
  struct Entry {
    const char* name;
    Ref<const ops::Call> call;
    std::shared_ptr<const Custom> custom;
    bool constant;
    std::vector<TaskOperand> operands;
    std::vector<Ref<Storage>> keep;
  };
  void add(Entry&& entry);

  Engine& engine_;  // the recording's and its graph's, which outlive it
  std::vector<Entry> entries_;
  bool missed_ = false;
};

class Tape;

// --- open.cc: of the calling thread, which has one recording at most
void open_journal(Journal& journal);
bool journal_open();
void close_journal(const Journal& journal);
// An error if the host had no memory for a tape to note something that it was told, as Journal::missed() is true.
Status noted_all(const Tape& tape);

}  // namespace rondo::tape
