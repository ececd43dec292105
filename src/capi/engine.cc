// The engine, variables, user tasks, memory, trace.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cinttypes>

#include "base/log.h"
#include "base/settings.h"
#include "capi/capi.h"
#include "engine/user_task.h"
#include "graph/recording.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;

namespace {

Status choose_mode(const rondo_engine_options& options, rondo_engine_mode* mode) {
  *mode = options.mode;
  if (*mode < RONDO_ENGINE_DEFAULT || *mode > RONDO_ENGINE_NAIVE)
    return error(RONDO_INVALID_ARGUMENT, "options->mode %d is none; use a rondo_engine_mode", *mode);
  if (*mode != RONDO_ENGINE_DEFAULT) return {};
  constexpr rondo_engine_mode modes[] = {RONDO_ENGINE_ASYNC, RONDO_ENGINE_THREADED, RONDO_ENGINE_NAIVE};
  const int choice = setting_choice(Setting::engine);  // its names are in this order
  if (choice < 0)
    return error(RONDO_INVALID_ARGUMENT, "the setting RONDO_ENGINE=%s is %s", setting(Setting::engine).c_str(),
                 setting_problem(Setting::engine).c_str());
  *mode = modes[choice];
  return {};
}

Status device_pool(rondo_engine* engine, rondo_device device, Pool** pool) {
  RONDO_TRY(check_engine(engine, "engine"));
  RONDO_TRY(engine->engine->usable());
  Device* found = nullptr;
  RONDO_TRY(get_device(device, &found));
  DeviceState* state = nullptr;
  RONDO_TRY(engine->engine->device_state(*found, &state));
  *pool = &state->pool;
  return {};
}

Status check_variables(const char* list, rondo_variable* const* variables, size_t count, const Engine& engine) {
  if (count && !variables) return capi::null_argument(list);
  for (size_t i = 0; i < count; ++i) {
    if (!alive(variables[i]))
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is %s; a live variable is needed", list, i,
                   variables[i] ? "no live variable" : "NULL");
    if (&variables[i]->variable->engine() != &engine)
      return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine", list, i);
  }
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_engine_create(const rondo_engine_options* options, rondo_engine** engine) {
  return guard("rondo_engine_create", [&]() -> Status {
    RONDO_NOT_NULL(engine);
    const rondo_engine_options defaults = RONDO_ENGINE_OPTIONS_INIT;
    if (!options) options = &defaults;
    RONDO_TRY(capi::check_size("options", options->size, sizeof defaults));
    rondo_engine_mode mode;
    RONDO_TRY(choose_mode(*options, &mode));
    if (options->workers < 0 || options->workers > 256)
      return error(RONDO_INVALID_ARGUMENT, "options->workers is %d; 0 to 256 are possible", options->workers);
    if (options->streams < 0 || options->streams > kMaxComputeStreams)
      return error(RONDO_INVALID_ARGUMENT, "options->streams is %d; 0 to %d are possible", options->streams,
                   kMaxComputeStreams);
    if (options->max_tasks < 0 || options->memory_limit < 0)
      return error(RONDO_INVALID_ARGUMENT, "options->%s is negative",
                   options->max_tasks < 0 ? "max_tasks" : "memory_limit");
    *engine = capi::make_engine(make_ref<Engine>(*options, mode));
    return {};
  });
}

void rondo_engine_destroy(rondo_engine* engine) {
  if (!engine) return;
  guard("rondo_engine_destroy", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    if (Engine::in_task())
      return error(RONDO_INVALID_STATE, "called inside a task, which the engine would have to wait for");
    Engine& inner = *engine->engine;
    abandon_recording(inner);
    inner.close();
    const int64_t alive = inner.forked() ? 0 : inner.live_objects.load();
    capi::destroy_engine(engine);
    if (alive == 0) return {};
    Status left =
        error(RONDO_INVALID_STATE,
              "%" PRId64
              " objects of the engine (tensors, variables, graphs) are still alive; they can only be destroyed now",
              alive);
    log(RONDO_LOG_WARNING, "rondo_engine_destroy: %s", left.message());
    return left;
  });
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
    destroy_variable(variable);
    return {};
  });
}

rondo_status rondo_variable_wait(rondo_variable* variable) {
  return guard("rondo_variable_wait", [&]() -> Status {
    RONDO_TRY(capi::check_variable(variable, "variable"));
    return variable->variable->engine().wait(*variable->variable);
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

void* rondo_task_stream(rondo_task_context* context) {
  return context ? context->run->stream : nullptr;
}

rondo_device rondo_task_device(rondo_task_context* context) {
  return context ? context->run->device->id() : rondo_device{RONDO_CPU, 0};
}

int32_t rondo_task_is_capturing(rondo_task_context* context) {
  return context && context->run->capturing;
}

void rondo_task_fail(rondo_task_context* context, const char* message) {
  guard("rondo_task_fail", [&]() -> Status {
    RONDO_NOT_NULL(context);
    context->message = message ? message : "";
    return {};
  });
}

rondo_status rondo_engine_push(rondo_engine* engine, rondo_task_fn fn, void* arg, void (*destroy)(void* arg),
                               rondo_variable* const* reads, size_t n_reads, rondo_variable* const* writes,
                               size_t n_writes, const rondo_task_options* options) {
  bool owned = false;  // whether a task calls destroy
  const rondo_status result = guard("rondo_engine_push", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(fn);
    const rondo_task_options defaults = RONDO_TASK_OPTIONS_INIT;
    if (!options) options = &defaults;
    RONDO_TRY(capi::check_size("options", options->size, sizeof defaults));
    if (options->flags & ~static_cast<uint32_t>(RONDO_TASK_NO_CAPTURE))
      return error(RONDO_INVALID_ARGUMENT, "options->flags has unknown bits 0x%x", options->flags);
    if (options->stream < -1)
      return error(RONDO_INVALID_ARGUMENT, "options->stream is %d; -1 lets the engine pick", options->stream);
    Engine& inner = *engine->engine;
    RONDO_TRY(inner.usable());
    Device* device = nullptr;
    RONDO_TRY(get_device(options->device, &device));
    RONDO_TRY(check_variables("reads", reads, n_reads, inner));
    RONDO_TRY(check_variables("writes", writes, n_writes, inner));
    auto task = make_ref<UserTask>(Engine::intern(options->name ? options->name : "user"), *device, fn, arg, destroy,
                                   !(options->flags & RONDO_TASK_NO_CAPTURE));
    owned = true;
    task->priority = options->priority;
    task->stream_hint = options->stream;
    for (size_t i = 0; i < n_reads; ++i) task->reads(*reads[i]->variable);
    for (size_t i = 0; i < n_writes; ++i) task->writes(*writes[i]->variable);
    return inner.submit(std::move(task));
  });
  if (!owned && destroy) destroy(arg);
  return result;
}

rondo_status rondo_memory_query(rondo_engine* engine, rondo_device device, rondo_memory_info* info) {
  return guard("rondo_memory_query", [&]() -> Status {
    RONDO_NOT_NULL(info);
    RONDO_TRY(capi::check_size("info", info->size, sizeof(rondo_memory_info)));
    Pool* pool = nullptr;
    RONDO_TRY(device_pool(engine, device, &pool));
    pool->query(info);
    return {};
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

rondo_status rondo_memory_trim(rondo_engine* engine, rondo_device device) {
  return guard("rondo_memory_trim", [&]() -> Status {
    Pool* pool = nullptr;
    RONDO_TRY(device_pool(engine, device, &pool));
    pool->trim();
    return {};
  });
}

rondo_status rondo_trace_begin(rondo_engine* engine) {
  return guard("rondo_trace_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return engine->engine->trace_begin();
  });
}

rondo_status rondo_trace_end(rondo_engine* engine, const char* path) {
  return guard("rondo_trace_end", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    return engine->engine->trace_end(path);
  });
}

}  // extern "C"
