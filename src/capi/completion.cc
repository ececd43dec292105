// Lets tasks end later than their function: it hands out their completions, and completes and destroys them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/completion.h"

#include "capi/capi.h"
#include "engine/handle.h"
#include "ops/task/user_task.h"

using namespace rondo;
using capi::guard;

struct rondo_completion {
  uint32_t magic = 0;
  Ref<Completion> completion;
  Ref<const Cause> cause;
};

namespace {

using Completions = HandleSlab<rondo_completion, HandleKind::completion>;

Status outcome_of(rondo_status status, const char* message, const Ref<const Cause>& cause) {
  if (status == RONDO_OK) return {};
  return failure_of_user(status, message && *message ? message : "it was completed with an error without a message",
                         cause);
}

}  // namespace

bool rondo::alive(const rondo_completion* completion) {
  return Completions::alive(completion);
}

extern "C" {

rondo_status rondo_task_defer(rondo_task_context* context, rondo_completion** completion) {
  return guard("rondo_task_defer", [&]() -> Status {
    RONDO_TRY(capi::check(context, "context", "task context"));
    RONDO_NOT_NULL(completion);
    Ref<RefCounted>* later = context->run->later;
    const char* name = context->task->name();
    if (!later)
      return error(RONDO_UNSUPPORTED,
                   "task '%s' issues work of a device, and is done when its stream is; push a host function instead",
                   name);
    if (*later) return error(RONDO_INVALID_STATE, "task '%s' has its completion already", name);
    const Ref<Completion> made = make_ref<Completion>(context->task->engine(), name);
    *completion = Completions::create([&made](rondo_completion& handle) { handle.completion = made; });
    *later = made;
    return {};
  });
}

void rondo_completion_fail_cause(rondo_completion* completion, void* cause, void (*destroy)(void* cause)) {
  guard("rondo_completion_fail_cause", [&]() -> Status {
    Ref<const Cause> taken;
    RONDO_TRY(capi::take_cause(cause, destroy, &taken));
    RONDO_TRY(capi::check(completion, "completion", "completion"));
    completion->cause = std::move(taken);
    return {};
  });
  Cause::sweep();
}

rondo_status rondo_completion_complete(rondo_completion* completion, rondo_status status, const char* message) {
  return guard("rondo_completion_complete", [&]() -> Status {
    RONDO_TRY(capi::check(completion, "completion", "completion"));
    Completion& inner = *completion->completion;
    return inner.engine().complete(inner, outcome_of(status, message, completion->cause));
  });
}

void rondo_completion_destroy(rondo_completion* completion) {
  if (!completion) return;
  guard("rondo_completion_destroy", [&]() -> Status {
    Ref<Completion> inner;
    Ref<const Cause> cause;
    RONDO_TRY(capi::destroy<Completions>(completion, "completion", "completion", [&](rondo_completion& each) {
      inner = std::move(each.completion);
      cause = std::move(each.cause);
    }));
    inner->engine().abandon(*inner);
    return {};
  });
}

}  // extern "C"
