// Control flow as it is called: done at once, or recorded.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "base/caught.h"
#include "base/text.h"
#include "engine/random_scope.h"
#include "engine/user_call.h"
#include "graph/control.h"
#include "graph/recording.h"
#include "ops/invoke/lower.h"
#include "ops/ops.h"
#include "ops/task/output.h"
#include "ops/task/submit.h"
#include "tape/tape.h"

namespace rondo {

namespace {

Status check_number(const Engine& engine, const ControlForm& form, const View& number) {
  const bool index = form.kind == ControlForm::Kind::index;
  if (&number.engine() != &engine) return error(RONDO_INVALID_ARGUMENT, "%s belongs to another engine", form.argument);
  if (number.accumulate)
    return error(RONDO_INVALID_ARGUMENT, "%s is an accumulator view; pass the tensor itself", form.argument);
  if (number.elements() != 1)
    return error(RONDO_INVALID_ARGUMENT, "%s has shape %s; a tensor of one element is needed%s", form.argument,
                 shape_text(number.layout).c_str(),
                 index ? "" : ": reduce it (rondo_reduce with RONDO_ANY or RONDO_ALL)");
  if (index ? number.dtype != RONDO_I32 && number.dtype != RONDO_I64 : number.dtype != RONDO_BOOL)
    return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; %s", form.argument, dtype_name(number.dtype),
                 index ? "i32 or i64 is needed: cast it (rondo_cast)"
                       : "bool is needed: compare it (rondo_binary_scalar with RONDO_NE and 0)");
  if (form.limit < 0)
    return error(RONDO_INVALID_ARGUMENT, "limit is %lld; 0 (none) or more is needed",
                 static_cast<long long>(form.limit));
  return ops::check_written(form.argument, number);
}

Status read_now(const View& number, int64_t* value) {
  Engine::NotRecorded not_recorded;
  const ops::ScopedNoTape unheard;
  if (number.dtype == RONDO_I64) return ops::read_to_host(number, value);
  if (number.dtype == RONDO_I32) {
    int32_t narrow = 0;
    RONDO_TRY(ops::read_to_host(number, &narrow));
    *value = narrow;
    return {};
  }
  uint8_t truth = 0;
  RONDO_TRY(ops::read_to_host(number, &truth));
  *value = truth;
  return {};
}

// Which of the bodies a number chooses; as many as there are, or more: none.
size_t chosen(const ControlForm& form, int64_t value, size_t bodies) {
  if (form.kind != ControlForm::Kind::index) return value ? 0 : 1;
  return value < 0 ? bodies : static_cast<size_t>(value);
}

Status issue(const BodySource& source) {
  const UserCall call;
  RONDO_TRY(call.check(format("the body '%s'", source.name.c_str()).c_str()));
  return source.issue();
}

Status run_now(Engine& engine, const ControlForm& form, const View& number, std::span<const BodySource> bodies) {
  if (Engine::in_task())
    return error(RONDO_INVALID_STATE,
                 "waiting inside a task is refused, and %s is waited for; call it outside, or launch a graph",
                 form.argument);
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  // The storage is looked at again after the user's function, which may have destroyed the handle.
  const Ref<Storage> keep = Ref<Storage>::share(number.storage);
  RandomState drawn;
  RONDO_TRY(engine.draw(*host, &drawn));
  const bool loop = form.kind == ControlForm::Kind::loop;
  for (int64_t turn = 0; !form.limit || turn < form.limit; ++turn) {
    int64_t value = 0;
    RONDO_TRY(read_now(number, &value));
    const size_t body = chosen(form, value, bodies.size());
    if (body >= bodies.size()) return {};
    if (bodies[body].issue) {
      const RandomScope scope(engine, drawn, static_cast<uint64_t>(turn));
      RONDO_TRY(issue(bodies[body]));
    }
    if (!loop) return {};
  }
  return {};
}

Status record_body(Engine& engine, uint64_t number, const BodySource& source, bool loop, Body* made) {
  Recording* recording = recording_of(engine);
  const Recording::Body body = recording->begin_body();
  Status status = caught([&] { return issue(source); });
  recording = recording_of(engine);
  if (!recording || recording->number != number)
    return error(RONDO_INVALID_STATE, "the body '%s' has destroyed the engine that records it", source.name.c_str());
  if (status.ok() && tape::any_open())
    status =
        error(RONDO_INVALID_STATE, "the body '%s' has left a tape open; close it in the body", source.name.c_str());
  if (status.ok())
    status = caught([&] {
      made->program = std::make_unique<BodyProgram>(recording->end_body(body));
      RONDO_TRY(recording->not_inlined);
      ops::Program& program = made->program->program;
      if (recording->journal) made->recorded = std::make_shared<const ops::Program>(program);
      RONDO_TRY(ops::expand(engine, &program));
      program.fewer_roundings = recording->fewer_roundings;
      if (recording->number_checks) made->checks = recording->number_checks->add(&program, loop);
      if (!recording->as_written) RONDO_TRY(run_passes(program, &made->program->passes));
      return ops::lower(engine, &program, &made->program->tasks);
    });
  if (!status.ok() && recording->bodies() > body.depth)
    recording->drop_body(
        body,
        error(RONDO_INVALID_STATE, "the tensor was made in a body of control flow that failed: %s", status.message()));
  return status;
}

Status record(Engine& engine, Recording& recording, const ControlForm& form, const View& number,
              std::span<const BodySource> sources) {
  if (tape::any_open())
    return error(RONDO_UNSUPPORTED,
                 "a tape is open on this thread, and what a graph chooses when it runs has no gradient; close the tape "
                 "before, open one inside of each body, or call %s outside of a recording, where a tape notes the body "
                 "that runs",
                 form.function);
  const Owner* const owner = Engine::owner(*number.storage);
  if (owner && owner != &recording) return error(RONDO_INVALID_STATE, "%s is %s", form.argument, owner->refusal);
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  const Ref<Storage> keep = Ref<Storage>::share(number.storage);
  const uint64_t recording_number = recording.number;
  std::vector<Body> bodies;
  for (const BodySource& source : sources) {
    Body& body = bodies.emplace_back();
    body.name = source.name;
    if (source.issue)
      RONDO_TRY(record_body(engine, recording_number, source, form.kind == ControlForm::Kind::loop, &body));
  }
  auto task = make_ref<Control>(engine, *host, form, number, std::move(bodies));
  ops::ControlCall call;
  call.effects = task->effects();
  if (form.kind == ControlForm::Kind::loop && !form.limit) {
    bool ends = false;
    for (const Access& access : task->accesses()) ends = ends || (access.variable == number.storage && access.write);
    if (!ends)
      return error(
          RONDO_INVALID_ARGUMENT,
          "the body does not write %s, so the loop has no turn or never ends; write it in place, or give a limit",
          form.argument);
  }
  return engine.submit(std::move(task), make_ref<const ops::Call>(call));
}

}  // namespace

std::string body_name(ControlForm::Kind kind, size_t number) {
  if (kind == ControlForm::Kind::index) return format("case %zu", number);
  return kind == ControlForm::Kind::loop ? "body" : number ? "else" : "then";
}

Status control(Engine& engine, const ControlForm& form, const View& given, std::span<const BodySource> bodies) {
  const View number = given;  // the functions may destroy the handle
  RONDO_TRY(engine.usable());
  RONDO_TRY(check_number(engine, form, number));
  const Ref<Engine> keep = Ref<Engine>::share(&engine);
  if (Recording* recording = recording_of(engine)) return record(engine, *recording, form, number, bodies);
  return run_now(engine, form, number, bodies);
}

}  // namespace rondo
