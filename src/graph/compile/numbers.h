// Checks what each recorded operator makes for NaN and infinities, and says which operator was the first to make one.
// A check is a node that follows the operator's, put there before passes, which so keep the tensors that it looks at.
// Checks write records on their devices; the last task of a graph reads these on the host, and fails with what they
// say.
//
// A recording has one object, which its thread fills while it records and compiles. Then it does not change, and any
// thread reads it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/run/bindings.h"
#include "ops/program/program.h"

namespace rondo {

class NumberChecks {
 public:
  NumberChecks(Engine& engine, const char* graph) : engine_(engine), graph_(graph) {}

  // Puts checks into the program of a body, or of what is around all bodies; after those of its own bodies. Returns
  // their numbers in the order in which a run comes to them, with those of bodies.
  std::vector<uint32_t> add(ops::Program* program, bool loop);
  // Around all, when all of it is there: what begins the records, and what reads them.
  static Status finish(const std::shared_ptr<NumberChecks>& checks, ops::Program* program,
                       std::span<const Binding> inputs);

  // Says who was first in a run. words: on the host, of each record by its number.
  Status report(const uint64_t* const* words) const;

 private:
  struct Check {
    std::string maker;     // "operator 'log' (node 3) on cpu:0 at train.c:42"
    std::string operands;  // what it reads: "f32 [4, 10], f32 [10]"
    View view;             // only its storage's address is looked at, never the storage
    size_t node;           // in its program
    bool outside;          // what a tensor from outside has before the operator reads it
    bool infinite;         // the operator's own numbers are
    std::vector<const Storage*> reads;
    size_t record = 0;
    int64_t place = 0;  // of its first word there
  };
  // The words of the checks in one program on one device; or how many turns loops have had there, one word.
  struct Record {
    Ref<Storage> storage;
    Device* device;
    int64_t words;
    bool turns;
  };
  // Finds are ordered by when they were made.
  struct Find {
    uint64_t turn = UINT64_MAX;
    size_t order = 0;
    int64_t element = 0;
    bool there() const { return turn != UINT64_MAX; }
    bool operator<(const Find& other) const { return turn != other.turn ? turn < other.turn : order < other.order; }
  };
  void find(const ops::Program& program, std::vector<uint32_t>* order);
  void place(size_t first);
  View words_of(size_t record, int64_t first, int64_t count) const;
  View turn_on(Device& device);
  Status describe(const Check& check, bool infinity, int64_t element) const;

  Engine& engine_;  // the recording's and the graph's, which outlive it
  const char* const graph_;
  std::vector<Check> checks_;
  std::vector<uint32_t> order_;
  std::vector<Record> records_;
  std::vector<const Storage*> inputs_;
};

}  // namespace rondo
