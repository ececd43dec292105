// Makes and destroys engines and variables, waits for them, and answers questions about memory and traces.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files/asked.h"
#include "base/log.h"
#include "base/settings.h"
#include "capi/capi.h"
#include "capi/structs.h"
#include "engine/asked_trace.h"
#include "graph/recording.h"
#include "memory/reclaim.h"
#include "ops/autocast/autocast.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;
using capi::guard_whole;

namespace {

Status choose_mode(const rondo_engine_options& options, rondo_engine_mode* mode) {
  *mode = options.mode;
  if (*mode < RONDO_ENGINE_DEFAULT || *mode > RONDO_ENGINE_NAIVE)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->mode is %d; RONDO_ENGINE_DEFAULT (0) to RONDO_ENGINE_NAIVE (3) are possible", *mode);
  if (*mode != RONDO_ENGINE_DEFAULT) return {};
  constexpr rondo_engine_mode modes[] = {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE};
  const int choice = setting_choice(Setting::engine);  // its names are in this order
  *mode = modes[choice];
  return {};
}

// A folder that cannot be written to is no reason to refuse an engine; once for each setting.
void tell_of_folder(Setting which, const std::string& problem) {
  static std::atomic<uint64_t> warned{0};
  static_assert(static_cast<int>(Setting::last_tasks) < 64);
  const uint64_t bit = uint64_t{1} << static_cast<int>(which);
  if (warned.fetch_or(bit) & bit) return;
  log_unless_off("the setting %s=%s is %s; nothing is written", settings()[static_cast<size_t>(which)].name,
                 setting(which).c_str(), problem.c_str());
}

// A choice that the table does not have would pass in silence where it is read, so it is refused here, unless the
// program says what it is about. The log warns of its own, and a number that is none is a warning where it is read.
Status check_settings(const rondo_engine_options& options) {
  for (size_t i = 0; i < settings().size(); ++i) {
    const auto which = static_cast<Setting>(i);
    const SettingInfo& about = settings()[i];
    const bool said = (which == Setting::engine && options.mode != RONDO_ENGINE_DEFAULT) ||
                      (which == Setting::check_indices && options.check_indices);
    const bool number = about.values[0] >= '0' && about.values[0] <= '9';
    if (said || number || which == Setting::log) continue;
    const bool folder = setting_is_folder(which);
    const std::string problem = folder ? make_asked(which) : setting_problem(which);
    if (problem.empty()) continue;
    if (!folder)
      return error(RONDO_INVALID_ARGUMENT, "the setting %s=%s is %s", about.name, setting(which).c_str(),
                   problem.c_str());
    tell_of_folder(which, problem);
  }
  return {};
}

Status device_state(rondo_engine* engine, rondo_device device, DeviceState** state) {
  RONDO_TRY(check_engine(engine, "engine"));
  RONDO_TRY(engine->engine->usable());
  Device* found = nullptr;
  RONDO_TRY(get_device(device, &found));
  return engine->engine->device_state(*found, state);
}

Status device_pool(rondo_engine* engine, rondo_device device, Pool** pool) {
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(engine, device, &state));
  *pool = &state->pool;
  return {};
}

// Equal lines once, with their number, the most frequent first; of many kinds the first ones only.
std::string summary(const std::vector<std::string>& objects) {
  constexpr size_t kKinds = 20;
  std::map<std::string, size_t> numbers;
  for (const std::string& object : objects) ++numbers[object];
  std::vector<std::pair<std::string, size_t>> kinds(numbers.begin(), numbers.end());
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  size_t others = objects.size();
  for (size_t i = 0; i < std::min(kinds.size(), kKinds); ++i) {
    const auto& [object, number] = kinds[i];
    text += (text.empty() ? "" : ", ") + (number > 1 ? std::to_string(number) + " times " : "") + object;
    others -= number;
  }
  return others ? text + ", and " + std::to_string(others) + " more" : text;
}

}  // namespace

extern "C" {

rondo_status rondo_engine_create(const rondo_engine_options* options, rondo_engine** engine) {
  return guard_whole("rondo_engine_create", [&]() -> Status {
    RONDO_NOT_NULL(engine);
    rondo_engine_options chosen = RONDO_ENGINE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &chosen));
    RONDO_TRY(check_settings(chosen));
    rondo_engine_mode mode;
    RONDO_TRY(choose_mode(chosen, &mode));
    if (chosen.workers < 0 || chosen.workers > 256)
      return error(RONDO_INVALID_ARGUMENT, "options->workers is %d; 0 to 256 are possible", chosen.workers);
    if (chosen.streams < 0 || chosen.streams > kMaxComputeStreams)
      return error(RONDO_INVALID_ARGUMENT, "options->streams is %d; 0 to %d are possible", chosen.streams,
                   kMaxComputeStreams);
    if (chosen.max_tasks < 0)
      return error(RONDO_INVALID_ARGUMENT, "options->max_tasks is %" PRId64 "; 0 (4096) or more is needed",
                   chosen.max_tasks);
    if (chosen.memory_limit < 0)
      return error(RONDO_INVALID_ARGUMENT, "options->memory_limit is %" PRId64 "; 0 (no limit) or more is needed",
                   chosen.memory_limit);
    if (chosen.check_indices < -1 || chosen.check_indices > 1)
      return error(RONDO_INVALID_ARGUMENT,
                   "options->check_indices is %d; -1 (off), 0 (the setting) and 1 (on) are possible",
                   chosen.check_indices);
    *engine = capi::make_engine(make_ref<Engine>(chosen, mode));
    begin_asked_trace(*(*engine)->engine);
    return {};
  });
}

void rondo_engine_destroy(rondo_engine* engine) {
  if (!engine) return;
  guard_whole("rondo_engine_destroy", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    if (Engine::in_task())
      return error(RONDO_INVALID_STATE, "called inside a task, which the engine would have to wait for");
    capi::EngineEnd end(engine);
    RONDO_TRY(end.status());
    Engine& inner = end.engine();
    abandon_recording(inner);
    ops::abandon_autocast(inner);
    end_asked_trace(inner);
    inner.close();
    std::vector<std::string> objects;
    if (!inner.forked()) {
      list_live(inner, &objects);
      capi::list_live_graphs(inner, &objects);
      capi::list_live_callables(inner, &objects);
      capi::list_live_modules(inner, &objects);
      capi::list_live_tapes(inner, &objects);
      capi::list_live_communicators(inner, &objects);
      capi::list_live_buckets(inner, &objects);
      capi::list_live_optimizers(inner, &objects);
    }
    end.destroy();
    if (objects.empty()) return {};
    Status left =
        error(RONDO_INVALID_STATE, "%zu objects of the engine are still alive; they can only be destroyed now: %s",
              objects.size(), summary(objects).c_str());
    log(RONDO_LOG_WARNING, "rondo_engine_destroy: %s", left.message());
    return left;
  });
  Cause::sweep();
}

rondo_status rondo_engine_get_mode(rondo_engine* engine, rondo_engine_mode* mode) {
  return guard("rondo_engine_get_mode", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(mode);
    RONDO_TRY(engine->engine->usable());
    *mode = engine->engine->mode();
    return {};
  });
}

rondo_status rondo_engine_wait_all(rondo_engine* engine) {
  return guard("rondo_engine_wait_all", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return engine->engine->wait_all();
  });
}

rondo_status rondo_engine_wait_all_for(rondo_engine* engine, int64_t milliseconds) {
  return guard("rondo_engine_wait_all_for", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_limit(milliseconds));
    return engine->engine->wait_all(TimeLimit(milliseconds));
  });
}

rondo_status rondo_engine_seed(rondo_engine* engine, uint64_t seed) {
  return guard("rondo_engine_seed", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(engine->engine->usable());
    engine->engine->seed(seed);
    return {};
  });
}

rondo_status rondo_variable_create(rondo_engine* engine, rondo_variable** variable) {
  return guard("rondo_variable_create", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(variable);
    RONDO_TRY(engine->engine->usable());
    *variable = make_variable(*engine->engine);
    return {};
  });
}

void rondo_variable_destroy(rondo_variable* variable) {
  if (!variable) return;
  guard("rondo_variable_destroy", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    if (variable->borrowed)
      return error(RONDO_INVALID_ARGUMENT, "variable is a tensor's, which owns it; destroy the tensor instead");
    return destroy_variable(variable) ? Status() : capi::dead_handle("variable", "variable", variable);
  });
}

rondo_status rondo_variable_wait(rondo_variable* variable) {
  return guard("rondo_variable_wait", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    return variable->variable->engine().wait(*variable->variable, Awaited::uses);
  });
}

rondo_status rondo_variable_wait_for(rondo_variable* variable, int64_t milliseconds) {
  return guard("rondo_variable_wait_for", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    RONDO_TRY(capi::check_limit(milliseconds));
    return variable->variable->engine().wait(*variable->variable, Awaited::uses, TimeLimit(milliseconds));
  });
}

// Calls the function of the C interface when the engine tells that the wait is over.
static Engine::Callback callback_of(const char* function, rondo_done_fn fn, void* arg) {
  return [function, fn, arg](const Status& status) {
    if (!status.ok()) (void)capi::fail(function, status);
    fn(arg, status.code());
  };
}

rondo_status rondo_variable_notify(rondo_variable* variable, int32_t contents, rondo_done_fn fn, void* arg) {
  return guard("rondo_variable_notify", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    RONDO_NOT_NULL(fn);
    return variable->variable->engine().notify(*variable->variable, contents ? Awaited::contents : Awaited::uses,
                                               callback_of("rondo_variable_notify", fn, arg));
  });
}

rondo_status rondo_engine_notify(rondo_engine* engine, rondo_done_fn fn, void* arg) {
  return guard("rondo_engine_notify", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(fn);
    return engine->engine->notify_all(callback_of("rondo_engine_notify", fn, arg));
  });
}

rondo_status rondo_variable_version(rondo_variable* variable, uint64_t* version) {
  return guard("rondo_variable_version", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    RONDO_NOT_NULL(version);
    RONDO_TRY(variable->variable->engine().usable());
    *version = variable->variable->engine().version(*variable->variable);
    return {};
  });
}

rondo_status rondo_memory_query(rondo_engine* engine, rondo_device device, rondo_memory_info* info) {
  return guard("rondo_memory_query", [&]() -> Status {
    Pool* pool = nullptr;
    RONDO_TRY(device_pool(engine, device, &pool));
    return capi::write_info("info", info, pool->query());
  });
}

rondo_status rondo_memory_set_limit(rondo_engine* engine, rondo_device device, int64_t bytes) {
  return guard("rondo_memory_set_limit", [&]() -> Status {
    if (bytes < 0) return error(RONDO_INVALID_ARGUMENT, "bytes is %" PRId64 "; 0 (no limit) or more is needed", bytes);
    Pool* pool = nullptr;
    RONDO_TRY(device_pool(engine, device, &pool));
    pool->set_limit(bytes);
    return {};
  });
}

rondo_status rondo_set_reclaim(rondo_reclaim_fn fn, void* arg, void (*destroy)(void* arg), int64_t host_limit) {
  return guard_whole("rondo_set_reclaim", [&]() -> Status {
    if (host_limit < 0)
      return error(RONDO_INVALID_ARGUMENT, "host_limit is %" PRId64 "; 0 (no limit) or more is needed", host_limit);
    set_reclaim(fn, arg, destroy, host_limit);
    return {};
  });
}

rondo_status rondo_memory_trim(rondo_engine* engine, rondo_device device) {
  return guard_whole("rondo_memory_trim", [&]() -> Status {
    DeviceState* state = nullptr;
    RONDO_TRY(device_state(engine, device, &state));
    state->pool.trim();
    if (state->pinned) state->pinned->trim();
    return {};
  });
}

rondo_status rondo_trace_begin(rondo_engine* engine) {
  return guard("rondo_trace_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    if (!Engine::in_task()) end_asked_trace(*engine->engine);
    return engine->engine->trace_begin();
  });
}

rondo_status rondo_trace_end(rondo_engine* engine, const char* path) {
  return guard_whole("rondo_trace_end", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    if (traced_as_asked(*engine->engine))
      return error(RONDO_INVALID_STATE, "no trace of the program's is on (RONDO_TRACE's is); begin one first");
    return engine->engine->trace_end(path);
  });
}

}  // extern "C"
