// A program: what was recorded, as data. Values are the storages that it uses, nodes what was submitted, in that order;
// a node's operands are parts of values. Passes (graph/passes/) change it before it becomes a graph.
//
// docs/program.md shows one before and after each pass.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// A storage. One that is not made in the recording exists before and after each launch.
struct ProgramValue {
  Storage* storage;
  bool made;    // in the recording
  bool output;  // a launch leaves it to the user, who also may know its address
  // A section may leave it as it is, for others to see: so what is in it at the end is there in the next launch.
  bool kept = false;
  // True if it may be looked at when the program has ended.
  bool outlives() const { return !made || output || kept; }
};

// A part of a value: the bytes from the first element of a view to its last, some of which may lie between elements.
struct ProgramOperand {
  uint32_t value;
  int64_t begin, end;
  bool written;  // else read
  bool covers;   // written: nothing of what was in these bytes is left, or looked at
  bool known;    // as a view; else as a part of the storage that some task uses
  View view;
};

// A view that was made while recording, which is a node too, but nothing is done for it when the program runs. Operands
// are resolved: they are parts of values, whatever views led to them (views.h).
struct ProgramView {
  Ref<const Call> call;  // how it is made; null: the value was made so
  uint32_t value;
  uint32_t before;  // the node that came next
  View from, view;
};

inline constexpr uint32_t kAlways = UINT32_MAX;  // no section

struct ProgramNode {
  Ref<const Call> call;
  const char* name = nullptr;
  Device* device = nullptr;
  std::vector<ProgramOperand> operands;
  Ref<Variable> checked;           // what a check of its indices, a node of its own, leaves; null: there is none
  uint64_t random_count = 0;       // of the numbers that it draws
  uint64_t random_offset = 0;      // of these, from the first of its device in the recording
  uint64_t host_random_count = 0;  // the same of those of cpu:0 that it draws besides
  uint64_t host_random_offset = 0;
  std::string operators;          // "mul, tanh, add": what a pass made it of, if it did
  std::string site;               // "train.c:42": where in the program it was recorded, if that was noted
  const char* step_of = nullptr;  // the kind of operator that it is a step of; null: of none
  // Which of a launch's settings switches it; if that is off, what it would write stays as it was.
  uint32_t section = kAlways;

  Effects effects() const { return effects_of(call.get()); }
  // The task that is an attribute of it; null: its kind and other attributes say what it does.
  OperatorTask* closure() const { return closure_of(*call); }
  bool opaque() const { return effects() == Effects::opaque; }
  // True if nothing is missing without it when its results are not read.
  bool removable() const { return effects() <= Effects::draws; }
  // True if it can do the same on other memory.
  bool moves() const { return effects() <= Effects::kept && !std::holds_alternative<ControlCall>(call->of); }
};

class Program {
 public:
  using Storages = std::unordered_set<const Storage*>;
  // made: the storages that are made in the recording; outputs: those of them that a launch leaves to the user.
  Program(Storages made, Storages outputs) : made_(std::move(made)), outputs_(std::move(outputs)) {}

  std::vector<ProgramValue> values;
  std::vector<ProgramNode> nodes;
  std::vector<ProgramView> views;  // of its values, in the order of recording; passes leave them as they are
  // True if a value that one node hands on to another may stay unrounded (RONDO_RECORD_FEWER_ROUNDINGS).
  bool fewer_roundings = false;

  // A storage besides, made in the recording: what a pass puts several of its values into.
  void add(Ref<Storage> storage);
  const std::vector<Ref<Storage>>& added() const { return added_; }

  // A node that does what a task does which has declared its accesses; it keeps the task only as a closure. call: null
  // if it is opaque.
  ProgramNode make_node(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section);
  // The same at the end.
  void append(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section = kAlways);
  // Notes a view of a value that some node uses, and no other one. from, form null: how the value was made.
  void note_view(const View* from, const ViewForm* form, const View& view, uint32_t before);
  // Once all is there: says which values are kept.
  void find_kept();
  // The same of a kind and operands, inputs before results, all on one device.
  ProgramNode make_node(const char* name, Ref<const Call> call, std::span<const TaskOperand> operands,
                        uint32_t section);
  // Makes a node another one, in its place.
  void replace(ProgramNode* node, const char* name, Ref<const Call> call, std::span<const TaskOperand> operands);
  // A node that moves() does the same on other memory.
  void rebind(ProgramNode* node, const Rebinding& memory);
  // Leaves out some of a node's results, a bit each of its written operands in order. less: does what is left.
  void leave_out(ProgramNode* node, uint32_t unread, const Ref<OperatorTask>& less);

  // How many random numbers were drawn, by device.
  std::unordered_map<const Device*, uint64_t> drawn() const;

  // A line for each node: "2 Elementwise 'relu': %1 f32 [4, 10] -> %3 f32 [4, 10]".
  std::string text() const;
  std::string text(const ProgramNode& node) const;

 private:
  uint32_t value_of(Storage& storage);
  void find_operands(ProgramNode* node, OperatorTask& task);
  void take_operands(ProgramNode* node, std::span<const TaskOperand> operands);
  void use_whole(ProgramNode* node, Storage& storage, bool written, bool covers);
  void describe(ProgramNode* node, const Ref<OperatorTask>& task);

  Storages made_;
  const Storages outputs_;
  std::vector<Ref<Storage>> added_;
  std::vector<Ref<Storage>> held_;  // those of the values: nodes hold none
  std::unordered_map<const Storage*, uint32_t> numbers_;
};

}  // namespace rondo::ops
