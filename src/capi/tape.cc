// Opens, pauses, ends and queries tapes, and asks them for gradients, after checking their handles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/tape.h"

#include "capi/structs.h"
#include "engine/handle.h"
#include "tape/user_gradient.h"

struct rondo_tape {
  uint32_t magic = 0;
  rondo::Ref<rondo::tape::Tape> tape;
};

using namespace rondo;
using capi::check_count;
using capi::check_engine;
using capi::check_list;
using capi::check_tape;
using capi::check_tensor;
using capi::guard;
using capi::views_of;

namespace {

using Tapes = HandleSlab<rondo_tape, HandleKind::tape>;

}  // namespace

Status capi::check_tape(const rondo_tape* tape) {
  if (!Tapes::alive(tape)) return dead_handle("tape", "tape", tape);
  RONDO_TRY(check_present(tape->tape->engine()));
  return tape->tape->check_thread();
}

tape::Tape& capi::tape_of(rondo_tape* tape) {
  return *tape->tape;
}

Status capi::check_list(const char* list, rondo_tensor* const* tensors, int32_t count) {
  if (!tensors) return null_argument(list);
  for (int32_t i = 0; i < count; ++i)
    if (!tensors[i] || !alive(tensors[i]))
      return error(RONDO_INVALID_ARGUMENT, "%s[%d] is %s; a live tensor is needed", list, i,
                   tensors[i] ? "not a live tensor" : "NULL");
  return {};
}

Status capi::check_count(const char* name, int32_t count, int32_t most) {
  if (count >= 1 && count <= most) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %d; it must be 1 to %d", name, count, most);
}

std::vector<View> capi::views_of(rondo_tensor* const* tensors, int32_t count) {
  std::vector<View> views;
  for (int32_t i = 0; i < count; ++i) views.push_back(tensors[i]->view);
  return views;
}

Status capi::check_sources(int32_t n_sources, rondo_tensor* const* sources, rondo_tensor* const* gradients) {
  RONDO_TRY(check_count("n_sources", n_sources, INT32_MAX));
  RONDO_TRY(check_list("sources", sources, n_sources));
  RONDO_NOT_NULL(gradients);
  for (int32_t i = 0; i < n_sources; ++i)
    if (gradients[i] && !alive(gradients[i]))
      return error(RONDO_INVALID_ARGUMENT,
                   "gradients[%d] is not a live tensor: initialise it to NULL for a new one, or pass one that was not "
                   "destroyed",
                   i);
  return {};
}

Status capi::read_outputs(int32_t n_outputs, rondo_tensor* const* outputs, rondo_tensor* const* output_gradients,
                          std::vector<const View*>* given) {
  RONDO_TRY(check_count("n_outputs", n_outputs, INT32_MAX));
  RONDO_TRY(check_list("outputs", outputs, n_outputs));
  for (int32_t i = 0; output_gradients && i < n_outputs; ++i) {
    if (output_gradients[i] && !alive(output_gradients[i]))
      return error(RONDO_INVALID_ARGUMENT, "output_gradients[%d] is not a live tensor; NULL stands for 1", i);
    given->push_back(output_gradients[i] ? &output_gradients[i]->view : nullptr);
  }
  return {};
}

void capi::list_live_tapes(const Engine& engine, std::vector<std::string>* objects) {
  Tapes::for_each([&](const rondo_tape& each) {
    if (&each.tape->engine() == &engine) objects->emplace_back("tape");
  });
}

extern "C" {

rondo_status rondo_tape_begin(rondo_engine* engine, uint32_t flags, rondo_tape** tape) {
  return guard("rondo_tape_begin", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_NOT_NULL(tape);
    RONDO_TRY(engine->engine->usable());
    if (flags & ~static_cast<uint32_t>(RONDO_TAPE_KEEP))
      return error(RONDO_INVALID_ARGUMENT,
                   "flags is 0x%x; RONDO_TAPE_DEFAULT (0x0) and RONDO_TAPE_KEEP (0x%x) are possible", flags,
                   RONDO_TAPE_KEEP);
    if (Engine::in_task()) return error(RONDO_INVALID_STATE, "a tape cannot be opened inside a task");
    const Ref<tape::Tape> made = make_ref<tape::Tape>(*engine->engine, (flags & RONDO_TAPE_KEEP) != 0);
    tape::open_tape(*made);
    try {
      *tape = Tapes::create([&made](rondo_tape& handle) { handle.tape = made; });
    } catch (const std::bad_alloc&) {
      tape::close_tape(*made);  // nothing else could
      throw;
    }
    return {};
  });
}

rondo_status rondo_tape_watch(rondo_tape* tape, rondo_tensor* tensor) {
  return guard("rondo_tape_watch", [&]() -> Status {
    RONDO_TRY(check_tape(tape));
    RONDO_TRY(check_tensor(tensor, "tensor"));
    return tape->tape->watch(tensor->view);
  });
}

rondo_status rondo_tape_end(rondo_tape* tape) {
  return guard("rondo_tape_end", [&]() -> Status {
    const Status checked = check_tape(tape);
    if (!Tapes::alive(tape) || !tape->tape->check_thread().ok()) return checked;
    // Also if the engine is gone: the thread has it open.
    if (tape->tape->open()) tape::close_tape(*tape->tape);
    return checked;
  });
}

void rondo_tape_destroy(rondo_tape* tape) {
  if (!tape) return;
  guard("rondo_tape_destroy", [&]() -> Status {
    Ref<tape::Tape> inner;
    RONDO_TRY(capi::destroy<Tapes>(tape, "tape", "tape", [&inner](rondo_tape& each) { inner = std::move(each.tape); }));
    inner->abandon();
    return {};
  });
}

rondo_status rondo_tape_gradients(rondo_tape* tape, int32_t n_outputs, rondo_tensor* const* outputs,
                                  rondo_tensor* const* output_gradients, int32_t n_sources,
                                  rondo_tensor* const* sources, rondo_tensor** gradients) {
  return guard("rondo_tape_gradients", [&]() -> Status {
    RONDO_TRY(check_tape(tape));
    std::vector<const View*> given;
    RONDO_TRY(capi::read_outputs(n_outputs, outputs, output_gradients, &given));
    RONDO_TRY(capi::check_sources(n_sources, sources, gradients));
    return tape->tape->gradients(views_of(outputs, n_outputs), given, views_of(sources, n_sources),
                                 std::span(gradients, static_cast<size_t>(n_sources)));
  });
}

rondo_status rondo_tape_pause(void) {
  return guard("rondo_tape_pause", []() -> Status {
    tape::pause_tapes();
    return {};
  });
}
rondo_status rondo_tape_resume(void) {
  return guard("rondo_tape_resume", [] { return tape::resume_tapes(); });
}

rondo_status rondo_tape_custom(const char* name, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                               rondo_tensor* const* outputs, rondo_gradient_fn fn, void* arg,
                               void (*destroy)(void* arg)) {
  std::shared_ptr<const tape::Custom> custom;  // calls destroy
  const rondo_status result = guard("rondo_tape_custom", [&]() -> Status {
    custom = std::make_shared<const tape::UserGradient>(name ? name : "custom", fn, arg, destroy);
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(fn);
    constexpr int32_t most = 31;
    RONDO_TRY(check_count("n_inputs", n_inputs, most));
    RONDO_TRY(check_count("n_outputs", n_outputs, most));
    RONDO_TRY(check_list("inputs", inputs, n_inputs));
    RONDO_TRY(check_list("outputs", outputs, n_outputs));
    Engine& engine = inputs[0]->view.engine();
    for (int32_t i = 0; i < n_inputs; ++i)
      if (&inputs[i]->view.engine() != &engine)
        return error(RONDO_INVALID_ARGUMENT, "inputs[%d] belongs to another engine than inputs[0]", i);
    for (int32_t i = 0; i < n_outputs; ++i)
      if (&outputs[i]->view.engine() != &engine)
        return error(RONDO_INVALID_ARGUMENT, "outputs[%d] belongs to another engine than inputs[0]", i);
    RONDO_TRY(engine.usable());
    tape::note_custom(engine, custom, views_of(inputs, n_inputs), views_of(outputs, n_outputs));
    return {};
  });
  if (!custom && destroy) destroy(arg);
  return result;
}

rondo_status rondo_tape_query(rondo_tape* tape, rondo_tape_info* info) {
  return guard("rondo_tape_query", [&]() -> Status {
    RONDO_TRY(check_tape(tape));
    rondo_tape_info facts = RONDO_TAPE_INFO_INIT;
    facts.open = tape->tape->open();
    facts.nodes = static_cast<int32_t>(tape->tape->nodes());
    facts.kept_bytes = static_cast<int64_t>(tape->tape->kept_bytes());
    return capi::write_info("info", info, facts);
  });
}

}  // extern "C"
