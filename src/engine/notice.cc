// Tells a function that all work submitted so far is done, without a thread that waits for it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/caught.h"
#include "engine/engine.h"

namespace rondo {

// Calls the function once, on a worker that has waited for the devices, or where the engine gives the task up.
class Notification final : public Task {
 public:
  Notification(Device& cpu, Ref<Engine> engine, Engine::Callback callback)
      : Task("notify", cpu), engine_(std::move(engine)), callback_(std::move(callback)) {
    calls_out_ = true;
  }
  ~Notification() override {
    if (taken) tell(error(RONDO_INVALID_STATE, "the engine was destroyed before this was done"));
  }
  Status run(const TaskContext&) override {
    Status status = outcome.ok() ? engine_->usable() : outcome;
    if (status.code() == RONDO_INVALID_STATE) status = {};  // a closed engine has waited for everything
    if (status.ok() && ask) status = ask(*engine_);
    tell(status);
    return {};
  }
  void failing(const Status& status) noexcept override { tell(status); }

  Status outcome;                      // known when the tasks have left the host
  std::function<Status(Engine&)> ask;  // what is known only when the devices are done
  bool taken = false;                  // the call that asked for it has succeeded

 private:
  void tell(const Status& status) noexcept {
    if (const Engine::Callback callback = std::exchange(callback_, nullptr))
      (void)caught([&]() -> Status {
        callback(status);
        return {};
      });
  }

  const Ref<Engine> engine_;
  Engine::Callback callback_;
};

// Takes a place in the order of a variable as a wait does, or for an epoch, without a blocked thread.
class Notice final : public Task {
 public:
  Notice(Device& cpu, Ref<Notification> notification) : Task("notify", cpu), notification(std::move(notification)) {}
  Status run(const TaskContext&) override { return {}; }
  SmallVector<Edge, 4> edges;  // with room for all before anything refers to one
  Ref<Notification> notification;
};

Status Engine::make_notice(Callback callback, Ref<Notice>* notice) {
  Device* cpu = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
  DeviceState* state = nullptr;  // with it the workers start that may have to call the function
  RONDO_TRY(device_state(*cpu, &state));
  *notice = make_ref<Notice>(*cpu, make_ref<Notification>(*cpu, Ref<Engine>::share(this), std::move(callback)));
  (*notice)->marker_ = (*notice)->notice_ = true;
  return {};
}

Status Engine::notify(Variable& variable, Awaited what, Callback callback) {
  RONDO_TRY(usable());
  if (const Owner* owner = this->owner(variable)) return error(RONDO_INVALID_STATE, "the tensor is %s", owner->refusal);
  Ref<Notice> notice;
  RONDO_TRY(make_notice(std::move(callback), &notice));
  notice->reads(variable);
  if (what == Awaited::uses) notice->writes(variable);  // for its fences: it stands in no list of the variable's
  notice->notification->ask = [held = Ref<Variable>::share(&variable)](Engine& engine) {
    std::lock_guard lock(engine.order_mutex_);
    const Status* cause = engine.written_off_.empty() ? nullptr : engine.written_off(*held);
    return cause ? *cause : Status();
  };
  {
    std::unique_lock lock(order_mutex_);
    Access* const readers = what == Awaited::uses ? variable.readers_ : nullptr;
    uint32_t before = variable.writer_ ? 1 : 0;
    for (const Access* reader = readers; reader; reader = reader->readers.next) ++before;
    notice->edges.reserve(before);
    if (variable.writer_) follow(*notice, notice->edges.append(), *variable.writer_);
    for (const Access* reader = readers; reader; reader = reader->readers.next)
      follow(*notice, notice->edges.append(), *reader->after_writer.task);
    notice->notification->taken = true;
    if (before > 0) {
      notice.leak();  // announce() releases it
      return {};
    }
    gather(*notice);
  }
  announce(*notice.leak());
  return {};
}

Status Engine::notify_all(Callback callback) {
  RONDO_TRY(usable());
  Ref<Notice> notice;
  RONDO_TRY(make_notice(std::move(callback), &notice));
  notice->notification->ask = [](Engine& engine) {
    std::lock_guard lock(engine.order_mutex_);
    return std::exchange(engine.first_failure_, {});
  };
  auto ended = std::make_unique<Epoch>();
  {
    std::lock_guard lock(order_mutex_);
    notice->fences_.add(Fence{kEveryStream, 0});
    notice->notification->taken = true;
    if (pending_ > 0) {
      *ended = {epoch_, in_epoch_, nullptr, true, notice.leak()};
      Epoch** last = &earlier_epochs_;
      while (*last) last = &(*last)->next;
      *last = ended.release();
      in_epoch_ = 0;
      ++epoch_;
      return {};
    }
  }
  announce(*notice.leak());
  return {};
}

void Engine::announce(Task& task) {
  const Ref<Notice> notice = Ref<Notice>::adopt(&static_cast<Notice&>(task));
  Ref<Notification> notification = std::move(notice->notification);
  notification->outcome = notice->failure_;
  // A thread that runs tasks while it waits may hold a lock that the callback needs: it does not stay for that.
  if (this_thread().guest && usable().ok()) return hand_action(std::move(notification), notice->fences_);
  run_after(notice->fences_, std::move(notification));
}

}  // namespace rondo
