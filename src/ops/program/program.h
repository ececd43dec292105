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
#include <vector>

#include "ops/program/kinds.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// A value is for one of these. To a body, what is around it is outside.
enum class ValueRole : uint8_t {
  weight,     // from outside: it is only read
  state,      // from outside, and written
  input,      // each call brings another one
  temporary,  // ends with the program that makes it
  output,     // is left to the user, who also may know its address
};

struct ProgramValue {
  Ref<Storage> storage;
  ValueRole role = ValueRole::temporary;
  // A section may leave it as it is, for others to see: so what is in it at the end is there in the next launch.
  bool kept = false;
  // Dtype and layout, which are those of all of it, are known so: as bytes, if no operand shows it; as the first
  // operand sees it, or in a row if that is a part; as it was made while recording, if a node uses it.
  enum class Type : uint8_t { bytes, seen, made } type = Type::bytes;
  rondo_dtype dtype = RONDO_U8;
  Layout layout = {};
  View view() const { return {storage.get(), dtype, false, layout, 0}; }
  bool from_outside() const { return role <= ValueRole::state; }
  // True if there is something in it before the program begins.
  bool given() const { return role <= ValueRole::input; }
  // True if it may be looked at when the program has ended.
  bool outlives() const { return role != ValueRole::temporary || kept; }
};

// All values of a program, each with a storage of its own. They are numbered in the order in which nodes use them
// first; what no node uses comes last.
class ProgramValues {
 public:
  // Says what the storage of a value is for, before any node uses it. All others are from outside.
  void declare(const Storage& storage, ValueRole role) { known_.try_emplace(&storage, Known{kUnused, role}); }
  uint32_t use(Storage& storage);
  uint32_t use(const View& operand);
  // The number of the one with this storage; null: there is none.
  const uint32_t* find(const Variable* storage) const;
  const ProgramValue* value_of(const Variable* storage) const {
    const uint32_t* const number = find(storage);
    return number ? &list_[*number] : nullptr;
  }
  // True if a storage is of no value that the program makes or that a call brings.
  bool from_outside(const Variable* storage) const {
    const ProgramValue* const value = value_of(storage);
    return !value || value->from_outside();
  }

  size_t size() const { return list_.size(); }
  const ProgramValue& operator[](size_t number) const { return list_[number]; }
  ProgramValue& operator[](size_t number) { return list_[number]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  static constexpr uint32_t kUnused = UINT32_MAX;
  struct Known {
    uint32_t number;
    ValueRole role;  // until it is used
  };
  std::vector<ProgramValue> list_;
  std::unordered_map<const Variable*, Known> known_;
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
  Ref<const Call> call;  // how it is made
  uint32_t value;
  uint32_t before;  // the node that came next
  View from, view;
};

// True if a view shows all of its storage, in order.
bool is_whole(const View& view);
// All of a view's storage: the view itself, or a row of elements if that is a part.
View whole_of(const View& view);

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
  ProgramValues values;
  std::vector<ProgramNode> nodes;
  std::vector<ProgramView> views;  // of its values, in the order of recording; passes leave them as they are
  // True if a value that one node hands on to another may stay unrounded (RONDO_RECORD_FEWER_ROUNDINGS).
  bool fewer_roundings = false;

  // A temporary besides: what a pass puts several of its values into.
  void add(Storage& storage);

  // A node that does what a task does which has declared its accesses; it keeps the task only as a closure. call: null
  // if it is opaque.
  ProgramNode make_node(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section);
  // The same at the end.
  void append(Ref<OperatorTask> task, Ref<const Call> call, uint64_t random_offset, uint32_t section = kAlways);
  // Notes a view of a value, or, if from and form are null, how that was made. It is one that some node uses, or
  // nothing is noted.
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
  void find_operands(ProgramNode* node, OperatorTask& task);
  void take_operands(ProgramNode* node, std::span<const TaskOperand> operands);
  void use_whole(ProgramNode* node, Storage& storage, bool written, bool covers);
  void describe(ProgramNode* node, const Ref<OperatorTask>& task);
};

}  // namespace rondo::ops
