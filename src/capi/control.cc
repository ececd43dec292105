// Submits control flow (if, while, switch) after checking the handles and the user's bodies.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/control.h"

#include "base/text.h"
#include "capi/capi.h"

using namespace rondo;
using capi::check_engine;
using capi::guard;

namespace {

// A body of the user's. If it fails with the thread's last error, that error is passed on as it is.
BodySource source(ControlForm::Kind kind, size_t number, rondo_body_fn function, void* argument) {
  BodySource source{body_name(kind, number), {}};
  if (function)
    source.issue = [called = source.name, function, argument]() -> Status {
      capi::forget_last_error();
      const KeptArithmetic arithmetic;
      const rondo_status status = function(argument);
      if (status == RONDO_OK) return {};
      return capi::failure_of_callback(format("the body '%s'", called.c_str()).c_str(), status);
    };
  return source;
}

}  // namespace

extern "C" {

rondo_status rondo_if(rondo_engine* engine, rondo_tensor* condition, rondo_body_fn then_body, rondo_body_fn else_body,
                      void* argument) {
  return guard("rondo_if", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(condition, "condition"));
    RONDO_NOT_NULL(then_body);
    constexpr auto kind = ControlForm::Kind::condition;
    const BodySource bodies[] = {source(kind, 0, then_body, argument), source(kind, 1, else_body, argument)};
    return control(*engine->engine, form_of(kind), condition->view, bodies);
  });
}

rondo_status rondo_while(rondo_engine* engine, rondo_tensor* condition, rondo_body_fn body, int64_t limit,
                         void* argument) {
  return guard("rondo_while", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(condition, "condition"));
    RONDO_NOT_NULL(body);
    const BodySource bodies[] = {source(ControlForm::Kind::loop, 0, body, argument)};
    return control(*engine->engine, form_of(ControlForm::Kind::loop, limit), condition->view, bodies);
  });
}

rondo_status rondo_switch(rondo_engine* engine, rondo_tensor* index, int32_t n_bodies, const rondo_body_fn* bodies,
                          void* const* arguments) {
  return guard("rondo_switch", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(index, "index"));
    if (n_bodies < 1 || static_cast<size_t>(n_bodies) > kMostBodies)
      return error(RONDO_INVALID_ARGUMENT, "n_bodies is %d; 1 to %zu are possible", n_bodies, kMostBodies);
    RONDO_NOT_NULL(bodies);
    std::vector<BodySource> sources;
    for (int32_t i = 0; i < n_bodies; ++i) {
      if (!bodies[i]) return capi::null_argument(format("bodies[%d]", i).c_str());
      sources.push_back(
          source(ControlForm::Kind::index, static_cast<size_t>(i), bodies[i], arguments ? arguments[i] : nullptr));
    }
    return control(*engine->engine, form_of(ControlForm::Kind::index), index->view, sources);
  });
}

}  // extern "C"
