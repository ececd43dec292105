// Makes, calls, clears and describes callables, whose functions are the user's, after checking their handles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/graph.h"

#include "base/text.h"
#include "capi/operators.h"
#include "capi/structs.h"
#include "capi/tape.h"
#include "engine/handle.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;

namespace {

using Callables = HandleSlab<rondo_callable, HandleKind::callable>;

Status check_callable(const rondo_callable* callable) {
  if (!Callables::alive(callable)) return capi::dead_handle("callable", "callable", callable);
  return capi::check_present(callable->callable->engine());
}

// The user's function with what it needs, which goes with the last copy.
struct CallerFunction {
  CallerFunction(rondo_callable_fn fn, void* arg, void (*destroy)(void*)) : fn(fn), arg(arg), destroy(destroy) {}
  CallerFunction(const CallerFunction&) = delete;
  CallerFunction& operator=(const CallerFunction&) = delete;
  ~CallerFunction() {
    if (destroy) destroy(arg);
  }
  rondo_callable_fn const fn;
  void* const arg;
  void (*const destroy)(void*);
};

}  // namespace

Status capi::check_callable_options(const rondo_callable_options& options) {
  constexpr uint32_t kFlags = RONDO_CALLABLE_FALL_BACK | RONDO_CALLABLE_AS_WRITTEN | RONDO_CALLABLE_FEWER_ROUNDINGS;
  if (options.flags & ~kFlags)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->flags is 0x%x; RONDO_CALLABLE_FALL_BACK (0x%x), RONDO_CALLABLE_AS_WRITTEN (0x%x) and "
                 "RONDO_CALLABLE_FEWER_ROUNDINGS (0x%x) are possible, and 0",
                 options.flags, RONDO_CALLABLE_FALL_BACK, RONDO_CALLABLE_AS_WRITTEN, RONDO_CALLABLE_FEWER_ROUNDINGS);
  if ((options.flags & RONDO_CALLABLE_AS_WRITTEN) && (options.flags & RONDO_CALLABLE_FEWER_ROUNDINGS))
    return error(
        RONDO_INVALID_ARGUMENT,
        "options->flags has RONDO_CALLABLE_AS_WRITTEN and RONDO_CALLABLE_FEWER_ROUNDINGS; what stays as it was "
        "written keeps its roundings: give one of the two");
  if (options.limit_bytes < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->limit_bytes is %lld; 0 (256 MiB) or more is needed",
                 static_cast<long long>(options.limit_bytes));
  if (options.pad_axis < 0 || options.pad_axis >= RONDO_MAX_DIMS)
    return error(RONDO_INVALID_ARGUMENT, "options->pad_axis is %d; 0 to %d are possible", options.pad_axis,
                 RONDO_MAX_DIMS - 1);
  RONDO_TRY(check_arenas(options.arenas));
  int64_t before = 0;
  for (int i = 0; i < RONDO_CALLABLE_PAD_SIZES && options.pad_sizes[i]; before = options.pad_sizes[i++])
    if (options.pad_sizes[i] <= before)
      return error(RONDO_INVALID_ARGUMENT,
                   "options->pad_sizes[%d] is %lld; sizes are 1 or more, each larger than the one before", i,
                   static_cast<long long>(options.pad_sizes[i]));
  return {};
}

rondo_callable* capi::make_callable(Ref<Callable> callable) {
  return Callables::create([&callable](rondo_callable& handle) { handle.callable = std::move(callable); });
}

Status capi::call_callable(Callable& callable, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                           rondo_tensor** outputs, const std::function<Status()>& check, const RunLimit* limit) {
  if (n_inputs < 0) return error(RONDO_INVALID_ARGUMENT, "n_inputs is %d; 0 or more is needed", n_inputs);
  if (n_outputs < 1) return error(RONDO_INVALID_ARGUMENT, "n_outputs is %d; 1 or more is needed", n_outputs);
  if (n_inputs) RONDO_NOT_NULL(inputs);
  RONDO_NOT_NULL(outputs);
  for (int32_t i = 0; i < n_inputs; ++i) RONDO_TRY(check_each(inputs, static_cast<size_t>(i), "inputs"));
  for (int32_t i = 0; i < n_outputs; ++i)
    if (outputs[i]) RONDO_TRY(check_each(outputs, static_cast<size_t>(i), "outputs"));
  if (check) RONDO_TRY(check());
  return callable.call({inputs, static_cast<size_t>(n_inputs)}, {outputs, static_cast<size_t>(n_outputs)}, limit);
}

void capi::list_live_callables(const Engine& engine, std::vector<std::string>* objects) {
  Callables::for_each([&](const rondo_callable& each) {
    if (&each.callable->engine() == &engine)
      objects->push_back(std::string("callable '") + each.callable->name() + "'");
  });
}

extern "C" {

rondo_status rondo_callable_create(rondo_engine* engine, int32_t n_outputs, const rondo_callable_options* options,
                                   rondo_callable_fn fn, void* arg, void (*destroy)(void* arg),
                                   rondo_callable** callable) {
  std::shared_ptr<const CallerFunction> function;  // calls destroy
  const rondo_status result = guard("rondo_callable_create", [&]() -> Status {
    function = std::make_shared<const CallerFunction>(fn, arg, destroy);
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(fn);
    RONDO_NOT_NULL(callable);
    rondo_callable_options chosen = RONDO_CALLABLE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &chosen));
    RONDO_TRY(engine->engine->usable());
    if (n_outputs < 1) return error(RONDO_INVALID_ARGUMENT, "n_outputs is %d; 1 or more is needed", n_outputs);
    RONDO_TRY(capi::check_callable_options(chosen));
    const char* name = Engine::intern(chosen.name ? chosen.name : "callable");
    const auto call = [function, name](int32_t n_inputs, rondo_tensor* const* inputs, int32_t outputs_wanted,
                                       rondo_tensor** outputs) -> Status {
      capi::forget_last_error();
      const KeptArithmetic arithmetic;
      const rondo_status status = function->fn(function->arg, n_inputs, inputs, outputs_wanted, outputs);
      if (status == RONDO_OK) return {};
      return capi::failure_of_callback(format("the function of callable '%s'", name).c_str(), status);
    };
    Ref<Callable> made = make_ref<Callable>(*engine->engine, name, chosen, n_outputs, call);
    *callable = capi::make_callable(std::move(made));
    return {};
  });
  if (!function && destroy) destroy(arg);
  return result;
}

rondo_status rondo_callable_call(rondo_callable* callable, int32_t n_inputs, rondo_tensor* const* inputs,
                                 int32_t n_outputs, rondo_tensor** outputs) {
  return guard("rondo_callable_call", [&]() -> Status {
    RONDO_TRY(check_callable(callable));
    const Ref<Callable> keep = callable->callable;  // the function may destroy the handle
    return capi::call_callable(*keep, n_inputs, inputs, n_outputs, outputs);
  });
}

rondo_status rondo_callable_clear(rondo_callable* callable) {
  return guard("rondo_callable_clear", [&]() -> Status {
    RONDO_TRY(check_callable(callable));
    callable->callable->clear();
    return {};
  });
}

void rondo_callable_destroy(rondo_callable* callable) {
  if (!callable) return;
  guard("rondo_callable_destroy", [&]() -> Status {
    Ref<Callable> inner;
    return capi::destroy<Callables>(callable, "callable", "callable",
                                    [&inner](rondo_callable& each) { inner = std::move(each.callable); });
  });
}

rondo_status rondo_callable_query(rondo_callable* callable, rondo_callable_info* info) {
  return guard("rondo_callable_query", [&]() -> Status {
    RONDO_TRY(check_callable(callable));
    return capi::write_info("info", info, callable->callable->query());
  });
}

rondo_status rondo_callable_report(rondo_callable* callable, char* buffer, size_t capacity, size_t* length) {
  return guard("rondo_callable_report", [&]() -> Status {
    RONDO_TRY(check_callable(callable));
    RONDO_NOT_NULL(length);
    if (capacity && !buffer) return capi::null_argument("buffer");
    return capi::hand_out(callable->callable->report(), buffer, capacity, length);
  });
}

}  // extern "C"
