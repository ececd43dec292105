// Control flow: a task that chooses one of its bodies by a number on a device, each time it is run, again and again for
// a loop. A body is a program of its own inside the one that holds the task: its memory is a part of the arena of that,
// its results are what it writes into tensors from outside.
//
// If a CUDA graph can choose by itself, the task is captured as a node that does (compile/conditional.cc). Else it runs
// on the host: it reads the number when all before it is done, and sees to it that the segments of the body run. Made
// on the thread that records; immutable once it is compiled, but for the run, and runs of its graph never overlap.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/run/body.h"

namespace rondo {

// if, while or switch.
struct ControlForm {
  const char* name;      // "if"
  const char* function;  // "rondo_if"
  const char* argument;  // of the function: "condition"
  enum class Kind { condition, loop, index } kind;
  int64_t limit = 0;  // of a loop: the most turns; 0: none
};
inline constexpr ControlForm kControlForms[] = {
    {"if", "rondo_if", "condition", ControlForm::Kind::condition},
    {"while", "rondo_while", "condition", ControlForm::Kind::loop},
    {"switch", "rondo_switch", "index", ControlForm::Kind::index},
};
inline ControlForm form_of(ControlForm::Kind kind, int64_t limit = 0) {
  ControlForm form = kControlForms[static_cast<size_t>(kind)];
  form.limit = limit;
  return form;
}
inline constexpr size_t kMostBodies = 4096;

// One body. If there is nothing to do it has neither.
struct Body {
  std::string name;
  std::unique_ptr<BodyProgram> program;                    // until it is compiled
  std::unique_ptr<CompiledBody> compiled;                  // once it is; null in a node, too
  std::shared_ptr<const ops::Program> recorded = nullptr;  // before passes, if the recording keeps that
  std::vector<uint32_t> checks = {};                       // of its numbers, by their numbers in the recording
};

class Control final : public ops::OperatorTask {
 public:
  // host: the device that it runs on. It declares that it reads the number, and all that its bodies may do.
  Control(Engine& engine, Device& host, const ControlForm& form, const View& number, std::vector<Body> bodies);

  const std::vector<Body>& bodies() const { return bodies_; }
  const ControlForm& form() const { return form_; }
  const View& number() const { return number_; }
  // The strongest of its bodies.
  ops::Effects effects() const { return effects_; }
  // The GPU in whose graph it is a node; null: the host decides.
  Device* node() const { return node_; }
  // The number of cpu:0's sequence that a node takes, counted from the first that its graph, or body, does.
  uint64_t first_number() const { return random_.offset; }

  // Finds that of a node; null: it is another kind of node.
  static Control* of(const ops::ProgramNode& node) {
    return std::holds_alternative<ops::ControlCall>(node.call->of) ? static_cast<Control*>(node.closure()) : nullptr;
  }

  // --- while it is compiled
  std::vector<Body>& bodies() { return bodies_; }
  // why: the host decides; may be empty.
  void decide(Device* node, const std::string& why);
  // The host decides whatever the shape allows, for this reason.
  void give_up(const std::string& why);
  bool given_up() const { return given_up_; }
  // Makes what the task needs to read the number, if the host decides.
  Status back();

  void set_random(RandomState own, RandomState) override { random_ = own; }
  bool capturable(const char** why) const override {
    *why = why_host_.c_str();
    return node_ != nullptr;
  }
  PartialFailure* partial_failure() override { return &partial_failure_; }
  Status run(const TaskContext& context) override;
  Status resume(const Status& outcome, const TaskContext& context) override { return go_on(context, &outcome); }

 private:
  void declare_effects();
  Status go_on(const TaskContext& context, const Status* completed);
  // The body that comes next; null: none. Waits for the device.
  Status choose(const CompiledBody** body);
  Status read(int64_t* value);

  Engine& engine_;  // the graph's, which outlives it
  const ControlForm form_;
  const View number_;
  std::vector<Body> bodies_;
  ops::Effects effects_ = ops::Effects::draws;
  Device* node_ = nullptr;
  std::string why_host_ = "chooses what runs, which the host decides";
  bool given_up_ = false;
  RandomState random_;
  Ref<Storage> staging_;  // pinned; for a number on a GPU
  // The run.
  PartialFailure partial_failure_;
  BodyRun run_;
  const CompiledBody* running_ = nullptr;
};

}  // namespace rondo
