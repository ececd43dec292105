// Running control flow. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/control.h"

#include <cstring>
#include <utility>

namespace rondo {

Control::Control(Engine& engine, Device& host, const ControlForm& form, const View& number, std::vector<Body> bodies)
    : Task(form.name, host), engine_(engine), form_(form), number_(number), bodies_(std::move(bodies)) {
  random_count_ = 1;
  leaves_gaps_ = opaque();
  declare_effects();
}

bool Control::opaque() const {
  for (const Body& body : bodies_)
    if (body.graph && body.graph->opaque()) return true;
  return false;
}

// All of what its bodies may do. What is not written by whichever body is chosen keeps its contents otherwise, so it is
// read as well.
void Control::declare_effects() {
  struct Sum {
    Graph::Effect effect;
    size_t writers = 0;
  };
  std::vector<std::pair<Variable*, Sum>> sums;
  std::unordered_map<const Variable*, size_t> known;
  for (const Body& body : bodies_) {
    if (!body.graph) continue;
    for (const auto& [variable, effect] : body.graph->effects()) {
      const auto [found, fresh] = known.emplace(variable, sums.size());
      if (fresh) sums.push_back({variable, {}});
      Sum& sum = sums[found->second].second;
      sum.effect.read |= effect.read;
      sum.effect.input |= effect.input;
      sum.effect.write |= effect.write;
      sum.writers += effect.write ? 1 : 0;
    }
  }
  // Of an index none may be chosen, and a loop may have no turn.
  const bool one_runs = form_.kind == ControlForm::Kind::condition;
  reads(*number_.storage);
  for (const auto& [variable, sum] : sums) {
    const bool kept = sum.effect.write && !(one_runs && sum.writers == bodies_.size());
    // mutation: control_keeps_what_no_body_writes
    if (sum.effect.input || (kept && variable->storage()))
      reads(*variable);
    else if (sum.effect.read || kept)
      follows(*variable);
    if (sum.effect.write) writes(*variable);
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
        parts_.told = false;
        return chosen;  // nobody knows what would have run: all that might have been written is poisoned
      }
      if (!running_) break;
    }
    Status status = running_->graph->run_body(context, &run_, &parts_, std::exchange(completed, nullptr));
    if (context.later && *context.later) return status;  // comes back when it is completed
    if (form_.kind != ControlForm::Kind::loop) break;
  }
  RONDO_TRY(wait_for(engine_, &run_));  // mutation: control_ends_before_its_body
  // What is poisoned and was not looked at does no harm, unless it would have been written.
  const Status* left = nullptr;
  for (const Access& access : accesses())
    if (const auto poison = access.write ? parts_.poison.find(access.variable) : parts_.poison.end();
        poison != parts_.poison.end())
      left = &poison->second;
  parts_.told = left || !run_.first.ok();
  if (run_.first.ok() && left) run_.first = *left;
  return std::exchange(run_.first, {});
}

Status Control::choose(const Body** body) {
  *body = nullptr;
  if (!parts_.all.ok()) return parts_.all;
  if (const auto poison = parts_.poison.find(number_.storage); poison != parts_.poison.end()) return poison->second;
  const bool loop = form_.kind == ControlForm::Kind::loop;
  if (loop && form_.limit > 0 && run_.turn >= static_cast<uint64_t>(form_.limit)) return {};
  int64_t value = 0;
  RONDO_TRY(read(&value));
  const int64_t index = form_.kind == ControlForm::Kind::index ? value : value ? 0 : 1;
  if (index < 0 || index >= static_cast<int64_t>(bodies_.size())) return {};
  const Body& chosen = bodies_[static_cast<size_t>(index)];
  if (chosen.graph) *body = &chosen;
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
