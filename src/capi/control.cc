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
BodySource source(std::string name, rondo_body_fn function, void* argument) {
  BodySource source{std::move(name), {}};
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
    const BodySource bodies[] = {source("then", then_body, argument), source("else", else_body, argument)};
    return control(*engine->engine, {"if", "rondo_if", "condition", ControlForm::Kind::condition}, condition->view,
                   bodies);
  });
}

rondo_status rondo_while(rondo_engine* engine, rondo_tensor* condition, rondo_body_fn body, int64_t limit,
                         void* argument) {
  return guard("rondo_while", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(condition, "condition"));
    RONDO_NOT_NULL(body);
    const BodySource bodies[] = {source("body", body, argument)};
    return control(*engine->engine, {"while", "rondo_while", "condition", ControlForm::Kind::loop, limit},
                   condition->view, bodies);
  });
}

rondo_status rondo_switch(rondo_engine* engine, rondo_tensor* index, int32_t n_bodies, const rondo_body_fn* bodies,
                          void* const* arguments) {
  return guard("rondo_switch", [&]() -> Status {
    RONDO_TRY(check_engine(engine, "engine"));
    RONDO_TRY(capi::check_tensor(index, "index"));
    constexpr int32_t kMost = 4096;
    if (n_bodies < 1 || n_bodies > kMost)
      return error(RONDO_INVALID_ARGUMENT, "n_bodies is %d; 1 to %d are possible", n_bodies, kMost);
    RONDO_NOT_NULL(bodies);
    std::vector<BodySource> sources;
    for (int32_t i = 0; i < n_bodies; ++i) {
      if (!bodies[i]) return capi::null_argument(format("bodies[%d]", i).c_str());
      sources.push_back(source(format("case %d", i), bodies[i], arguments ? arguments[i] : nullptr));
    }
    return control(*engine->engine, {"switch", "rondo_switch", "index", ControlForm::Kind::index}, index->view,
                   sources);
  });
}

}  // extern "C"
