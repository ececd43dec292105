// Runs control flow on the host: reads the number, and runs the bodies that it chooses.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/control.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "graph/run/run_limit.h"

namespace rondo {

Control::Control(Engine& engine, Device& host, const ControlForm& form, const View& number, std::vector<Body> bodies)
    : ops::OperatorTask(form.name, host), engine_(engine), form_(form), number_(number), bodies_(std::move(bodies)) {
  random_count_ = 1;
  reads(*number_.storage);
  declare_effects();
  leaves_gaps_ = effects_ >= ops::Effects::ordered;
}

// Gathers all that the bodies may do to variables that others know too. A variable that some choice of a body leaves
// unwritten keeps its contents then, so it is read as well.
void Control::declare_effects() {
  struct Effect {
    Variable* variable;
    bool read = false, input = false, write = false;  // reads: those before the body has written
    size_t writers = 0;
    const Body* body = nullptr;  // the last one that touches it
    bool written = false;        // by that one
  };
  std::vector<Effect> found;
  std::unordered_map<const Variable*, size_t> known;
  for (const Body& body : bodies_) {
    if (!body.program) continue;
    const BodyProgram& own = *body.program;
    for (size_t i = 0; i < own.tasks.size(); ++i) {
      effects_ = std::max(effects_, own.program.nodes[i].effects());
      for (const Access& access : own.tasks[i]->accesses()) {
        if (!own.program.values.from_outside(access.variable)) continue;
        const auto [at, fresh] = known.emplace(access.variable, found.size());
        if (fresh) found.push_back({access.variable});
        Effect& effect = found[at->second];
        if (std::exchange(effect.body, &body) != &body) effect.written = false;
        // A write of a part has said already that it depends on what was there.
        effect.read |= access.read && !effect.written;
        effect.input |= access.input && !effect.written;  // mutation: part_taken_for_the_whole
        if (access.write && !std::exchange(effect.written, true)) ++effect.writers;
        effect.write |= access.write;
      }
    }
  }
  // An index may choose no body, and a loop may have no turn.
  const bool one_runs = form_.kind == ControlForm::Kind::condition;
  for (const Effect& effect : found) {
    const bool kept = effect.write && !(one_runs && effect.writers == bodies_.size());
    // mutation: control_keeps_what_no_body_writes
    if (effect.input || (kept && effect.variable->storage()))
      reads(*effect.variable);
    else if (effect.read || kept)
      follows(*effect.variable);
    if (effect.write) writes(*effect.variable);
  }
}

void Control::decide(Device* node, const std::string& why) {
  node_ = node;
  why_host_ = "chooses what runs, which the host decides";
  if (!why.empty()) why_host_ += ": " + why;
}

void Control::give_up(const std::string& why) {
  given_up_ = true;
  decide(nullptr, why);
}

Status Control::back() {
  if (!number_.device().is_host()) {
    Engine::NotRecorded not_recorded;
    staging_ = engine_.new_storage(number_.device(), sizeof(int64_t), true);
    RONDO_TRY(staging_->materialise(kNoStream));
  }
  return {};
}

Status Control::run(const TaskContext& context) {
  run_ = {};
  run_.random = context.random ? RandomState{context.random->seed, context.random->offset + random_.offset} : random_;
  running_ = nullptr;
  return go_on(context, nullptr);
}

Status Control::go_on(const TaskContext& context, const Status* completed) {
  for (;; ++run_.turn) {
    if (!completed) {
      Status chosen = choose(&running_);
      if (!chosen.ok()) {
        (void)wait_for(engine_, &run_);
        partial_failure_.reported = false;
        return chosen;  // what would have run is not known: all that might have been written is poisoned
      }
      if (!running_) break;
    }
    Status status = running_->run(context, &run_, &partial_failure_, std::exchange(completed, nullptr));
    if (context.later && *context.later) return status;  // comes back when it is completed
    if (form_.kind != ControlForm::Kind::loop) break;
  }
  RONDO_TRY(wait_for(engine_, &run_));  // mutation: control_ends_before_its_body
  // A poisoned variable that was not looked at does no harm, unless it would have been written.
  const Status* left = nullptr;
  for (const Access& access : accesses())
    if (const auto poison =
            access.write ? partial_failure_.poison.find(access.variable) : partial_failure_.poison.end();
        poison != partial_failure_.poison.end())
      left = &poison->second;
  partial_failure_.reported = left || !run_.first.ok();
  if (run_.first.ok() && left) run_.first = *left;
  return std::exchange(run_.first, {});
}

Status Control::choose(const CompiledBody** body) {
  *body = nullptr;
  if (!partial_failure_.all.ok()) return partial_failure_.all;
  if (const auto poison = partial_failure_.poison.find(number_.storage); poison != partial_failure_.poison.end())
    return poison->second;
  if (const RunLimit* const limit = RunLimit::current()) RONDO_TRY(limit->check());
  const bool loop = form_.kind == ControlForm::Kind::loop;
  if (loop && form_.limit > 0 && run_.turn >= static_cast<uint64_t>(form_.limit)) return {};
  int64_t value = 0;
  RONDO_TRY(read(&value));
  const int64_t index = form_.kind == ControlForm::Kind::index ? value : value ? 0 : 1;
  if (index < 0 || index >= static_cast<int64_t>(bodies_.size())) return {};
  *body = bodies_[static_cast<size_t>(index)].compiled.get();
  return {};
}

Status Control::read(int64_t* value) {
  const size_t bytes = dtype_size(number_.dtype);
  const char* from = nullptr;
  if (number_.device().is_host()) {
    RONDO_TRY(wait_for(engine_, &run_));
    from = number_.address();
  } else {
    Device& device = number_.device();
    if (run_.device != &device) RONDO_TRY(wait_for(engine_, &run_));
    run_.device = &device;
    RONDO_TRY(engine_.issue_within(
        device, name(), 0,
        [&](const TaskContext& on) {
          return device.streams()->copy(CopyKind::device_to_host, staging_->address(), number_.address(), bytes,
                                        on.stream);
        },
        &run_.fence));
    RONDO_TRY(wait_for(engine_, &run_));
    from = staging_->address();
  }
  *value = 0;
  std::memcpy(value, from, bytes);
  if (number_.dtype == RONDO_I32) *value = static_cast<int32_t>(*value);
  return {};
}

}  // namespace rondo
