// Tasks with a function as their body and an engine over a FakeDevice, for white-box tests of the engine and of graphs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "engine/engine.h"
#include "fake_device.h"
#include "ops/program/operator_task.h"

namespace rondo::testing {

inline std::string message(const Status& status) {
  return status.message();
}

class Work final : public ops::OperatorTask {
 public:
  using Body = std::function<Status(const TaskContext&)>;
  Work(const char* name, Device& device, Body body) : OperatorTask(name, device), body_(std::move(body)) {}
  Status run(const TaskContext& context) override { return body_(context); }
  bool capturable(const char** why) const override {
    *why = "is a test's";
    return false;
  }

 private:
  Body body_;
};

using Variables = std::vector<Ref<Variable>>;

inline Ref<Work> make_work(const char* name, Device& device, const Variables& reads, const Variables& writes,
                           Work::Body body) {
  Ref<Work> task = make_ref<Work>(name, device, std::move(body));
  for (const Ref<Variable>& each : reads) task->reads(*each);
  for (const Ref<Variable>& each : writes) task->writes(*each);
  return task;
}

// Keeps what a thread submits instead of running it, as a recording does.
class Keeper final : public Sink {
 public:
  explicit Keeper(Engine& engine) : Sink(engine, false) {}
  void created(Storage&) override {}
  std::vector<Ref<Task>> tasks() const {
    std::vector<Ref<Task>> tasks;
    for (const Taken& each : taken_) tasks.push_back(each.task);
    return tasks;
  }
  void clear() { taken_.clear(); }

 protected:
  void note_site() noexcept override {}
};

struct EngineOverFake {
  explicit EngineOverFake(rondo_engine_mode mode = RONDO_ENGINE_ASYNC, int streams = 1, int64_t max_tasks = 0,
                          uint64_t seed = 1)
      : device(seed) {
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.streams = streams;
    options.max_tasks = max_tasks;
    options.workers = 3;
    engine = make_ref<Engine>(options, mode);
  }
  ~EngineOverFake() { engine->close(); }

  Ref<Variable> variable() { return make_ref<Variable>(*engine); }
  // A kernel that runs `work` when the device gets to it.
  Status kernel(const Variables& reads, const Variables& writes, const std::function<void()>& work, int stream = -1) {
    Ref<Work> task = make_work("kernel", device, reads, writes, [this, work](const TaskContext& context) {
      device.enqueue(context.stream, work);
      return Status();
    });
    task->stream_hint = stream;
    return engine->submit(std::move(task));
  }
  // A function on a worker.
  Status host(const Variables& reads, const Variables& writes, std::function<Status()> work) {
    return engine->submit(make_work("host", cpu_device(), reads, writes,
                                    [work = std::move(work)](const TaskContext&) { return work(); }));
  }

  FakeDevice device;
  Ref<Engine> engine;
};

}  // namespace rondo::testing
