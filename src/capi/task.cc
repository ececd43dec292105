// Submits user tasks, and answers the questions that their functions may ask while they run.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/user_task.h"

#include <cstdio>

#include "capi/capi.h"
#include "capi/structs.h"
#include "engine/tasks/auxiliary.h"
#include "ops/task/submit.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;

namespace {

// Both kinds of push; `declare` adds what the task reads and writes.
template <class Declare>
rondo_status push(const char* function, rondo_engine* engine, rondo_task_fn fn, void* arg, void (*destroy)(void* arg),
                  const rondo_task_options* options, Declare&& declare) {
  bool owned = false;  // whether a task calls destroy
  const rondo_status result = guard(function, [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(fn);
    rondo_task_options with = RONDO_TASK_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &with));
    if (with.flags & ~static_cast<uint32_t>(RONDO_TASK_NO_CAPTURE))
      return error(RONDO_INVALID_ARGUMENT, "options->flags is 0x%x; 0 and RONDO_TASK_NO_CAPTURE (0x1) are possible",
                   with.flags);
    if (with.stream < -1)
      return error(RONDO_INVALID_ARGUMENT, "options->stream is %d; -1 (the engine picks) or more is needed",
                   with.stream);
    Engine& inner = *engine->engine;
    RONDO_TRY(inner.usable());
    Device* device = nullptr;
    RONDO_TRY(get_device(with.device, &device));
    if (with.auxiliary_streams < 0 || with.auxiliary_streams > Auxiliaries::kMost)
      return error(RONDO_INVALID_ARGUMENT, "options->auxiliary_streams is %d; 0 to %d are possible",
                   with.auxiliary_streams, Auxiliaries::kMost);
    if (with.auxiliary_streams && device->is_host())
      return error(RONDO_INVALID_ARGUMENT, "options->auxiliary_streams is %d; a host function has no streams: use 0",
                   with.auxiliary_streams);
    auto task = make_ref<UserTask>(inner, Engine::intern(with.name ? with.name : "user"), *device, fn, arg, destroy,
                                   !(with.flags & RONDO_TASK_NO_CAPTURE), with.auxiliary_streams);
    owned = true;
    task->priority = with.priority;
    task->stream_hint = with.stream;
    RONDO_TRY(declare(inner, *task));
    // A function that names nothing may touch anything.
    const auto named = [] { return ops::Call{ops::UserTaskCall{}}; };
    const bool names = !task->accesses().empty();
    return ops::submit(inner, std::move(task), {}, names ? ops::Describe(named) : ops::Describe());
  });
  if (!owned && destroy) destroy(arg);
  return result;
}

// Entry i of a list of handles is alive.
template <class Handle>
Status check_entry(const char* list, size_t i, const Handle* handle, const char* kind) {
  if (alive(handle)) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is %s%s; a live %s is needed", list, i, handle ? "not a live " : "NULL",
               handle ? kind : "", kind);
}

Status other_engine(const char* list, size_t i) {
  return error(RONDO_INVALID_ARGUMENT, "%s[%zu] belongs to another engine", list, i);
}

Status check_variables(const char* list, rondo_variable* const* variables, size_t count, const Engine& engine) {
  if (count && !variables) return capi::null_argument(list);
  for (size_t i = 0; i < count; ++i) {
    RONDO_TRY(check_entry(list, i, variables[i], "variable"));
    if (&variables[i]->variable->engine() != &engine) return other_engine(list, i);
  }
  return {};
}

Status check_tensors(const char* list, rondo_tensor* const* tensors, size_t count, const Engine& engine) {
  if (count && !tensors) return capi::null_argument(list);
  for (size_t i = 0; i < count; ++i) {
    RONDO_TRY(check_entry(list, i, tensors[i], "tensor"));
    if (&tensors[i]->view.engine() != &engine) return other_engine(list, i);
    if (tensors[i]->view.accumulate)
      return error(RONDO_INVALID_ARGUMENT,
                   "%s[%zu] is an accumulator view, which only operators add to; give the tensor itself, to add to it "
                   "as read and as write",
                   list, i);
  }
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_engine_push(rondo_engine* engine, rondo_task_fn fn, void* arg, void (*destroy)(void* arg),
                               rondo_variable* const* reads, size_t n_reads, rondo_variable* const* writes,
                               size_t n_writes, const rondo_task_options* options) {
  return push("rondo_engine_push", engine, fn, arg, destroy, options, [&](Engine& inner, UserTask& task) -> Status {
    RONDO_TRY(check_variables("reads", reads, n_reads, inner));
    RONDO_TRY(check_variables("writes", writes, n_writes, inner));
    for (size_t i = 0; i < n_reads; ++i) task.follows(*reads[i]->variable);
    for (size_t i = 0; i < n_writes; ++i) task.writes(*writes[i]->variable);
    return {};
  });
}

rondo_status rondo_engine_push_tensors(rondo_engine* engine, rondo_task_fn fn, void* arg, void (*destroy)(void* arg),
                                       rondo_tensor* const* reads, size_t n_reads, rondo_tensor* const* writes,
                                       size_t n_writes, const rondo_task_options* options) {
  const char* const function = "rondo_engine_push_tensors";
  return push(function, engine, fn, arg, destroy, options, [&](Engine& inner, UserTask& task) -> Status {
    RONDO_TRY(check_tensors("reads", reads, n_reads, inner));
    RONDO_TRY(check_tensors("writes", writes, n_writes, inner));
    char name[32];
    for (size_t i = 0; i < n_reads; ++i) {
      std::snprintf(name, sizeof name, "reads[%zu]", i);
      RONDO_TRY(ops::check_written(name, reads[i]->view));
      task.read_operand(reads[i]->view);
    }
    for (size_t i = 0; i < n_writes; ++i) {
      std::snprintf(name, sizeof name, "writes[%zu]", i);
      RONDO_TRY(ops::check_writable(name, writes[i]->view));
      task.write_operand(writes[i]->view);
    }
    return {};
  });
}

void* rondo_task_stream(rondo_task_context* context) {
  return alive(context) ? context->run->stream : nullptr;
}

void* rondo_task_auxiliary_stream(rondo_task_context* context, int32_t index) {
  if (!alive(context) || index < 0 || index >= context->task->wants_auxiliaries()) return nullptr;
  // In a graph with nodes that choose nothing runs side by side.
  return context->run->auxiliaries ? (*context->run->auxiliaries)[index].stream() : context->run->stream;
}

rondo_device rondo_task_device(rondo_task_context* context) {
  return alive(context) ? context->run->device->id() : rondo_device{RONDO_CPU, 0};
}

int32_t rondo_task_is_capturing(rondo_task_context* context) {
  return alive(context) && context->run->capturing;
}

rondo_status rondo_task_operand(rondo_task_context* context, size_t index, void** address, rondo_tensor_info* info) {
  return guard("rondo_task_operand", [&]() -> Status {
    RONDO_TRY(capi::check(context, "context", "task context"));
    RONDO_NOT_NULL(address);
    const std::vector<TaskOperand>& operands = context->task->operands();
    if (index >= operands.size())
      return error(RONDO_INVALID_ARGUMENT, "index is %zu; task '%s' has %zu operands%s", index, context->task->name(),
                   operands.size(), operands.empty() ? ", because it was not pushed with tensors" : "");
    const View& view = operands[index].view;
    if (info) RONDO_TRY(capi::write_info("info", info, capi::describe(view)));
    *address = view.address();
    return {};
  });
}

void rondo_task_fail_cause(rondo_task_context* context, void* cause, void (*destroy)(void* cause)) {
  guard("rondo_task_fail_cause", [&]() -> Status {
    Ref<const Cause> taken;
    RONDO_TRY(capi::take_cause(cause, destroy, &taken));
    RONDO_TRY(capi::check(context, "context", "task context"));
    context->cause = std::move(taken);
    return {};
  });
  Cause::sweep();
}

void rondo_task_fail(rondo_task_context* context, const char* message) {
  guard("rondo_task_fail", [&]() -> Status {
    RONDO_TRY(capi::check(context, "context", "task context"));
    context->message = message ? message : "";
    return {};
  });
}

}  // extern "C"
