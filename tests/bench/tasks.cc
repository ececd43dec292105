// Rows of user tasks: what an empty one costs its caller in each mode, on a worker and on the device.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "bench.h"
#include "floor/floor_cpu.h"
#include "handles.h"

namespace bench {
namespace {

constexpr int kBurst = 64;

rondo_status nothing(void*, rondo_task_context*) {
  return RONDO_OK;
}

struct EmptyTask {
  EmptyTask(rondo_device device, rondo_engine_mode mode) : engine(make_engine(mode)) {
    rondo_variable* made = nullptr;
    BENCH_CHECK(rondo_variable_create(engine.get(), &made));
    variable.reset(made);
    options.device = device;
  }
  void submit() {
    rondo_variable* writes[] = {variable.get()};
    check(rondo_engine_push(engine.get(), nothing, nullptr, nullptr, nullptr, 0, writes, 1, &options),
          "rondo_engine_push");
  }
  void wait() { check(rondo_variable_wait(variable.get()), "rondo_variable_wait"); }

  Engine engine;
  Variable variable;
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;
  HandOff floor;
};

}  // namespace

void add_task_rows(const Options& options, std::vector<Row>& rows) {
  struct Mode {
    const char* name;
    rondo_engine_mode mode;
  };
  const int bursts = options.quick ? 8 : 40;
  const auto add_row = [&](const Mode& mode, rondo_device device) {
    const bool host = device.kind == RONDO_CPU;
    rows.push_back({std::string(host ? "task.host." : "task.device.") + mode.name,
                    std::string(host ? "empty host task, " : "empty device task, ") + mode.name,
                    host ? "pushing an empty function to a thread's queue" : "none",
                    {},
                    [=]() -> Samplers {
                      auto s = std::make_shared<EmptyTask>(device, mode.mode);
                      Samplers samplers;
                      samplers.rondo = [=] {
                        return burst_us(
                            bursts, kBurst, [&] { s->submit(); }, [&] { s->wait(); });
                      };
                      if (host) {
                        samplers.floor = [=] {
                          return burst_us(
                              bursts, kBurst, [&] { s->floor.push([] {}); }, [&] { s->floor.wait(); });
                        };
                      }
                      return samplers;
                    }});
  };
  for (const Mode& mode : {Mode{"async", RONDO_ENGINE_ASYNC}, Mode{"threaded", RONDO_ENGINE_THREADED},
                           Mode{"naive", RONDO_ENGINE_NAIVE}}) {
    add_row(mode, rondo_device{RONDO_CPU, 0});
    if (options.device.kind == RONDO_CUDA) add_row(mode, options.device);
  }
}

}  // namespace bench
