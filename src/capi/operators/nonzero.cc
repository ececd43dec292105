// Selects places and parts by the contents of tensors: checks handles, calls ops; functions without a limit count
// first.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/operators.h"
#include "ops/movement/shapes.h"
#include "ops/task/submit.h"

using namespace rondo;
using capi::check_out;
using capi::check_tensor;
using capi::guard;
using ops::Output;

namespace {

Status check_two(rondo_tensor** out, rondo_tensor** count) {
  RONDO_TRY(check_out(out));
  RONDO_TRY(check_out(count, "count"));
  if (count == out)
    return error(RONDO_INVALID_ARGUMENT, "count is the same pointer as out; each needs a rondo_tensor* of its own");
  return {};
}

// How many there are: `find` with room for none, and a wait. `argument` is what is waited for.
template <class Find>
Status count_first(const char* function, const char* argument, const View& view, const Find& find, int64_t* number) {
  if (Engine::in_task())
    return error(RONDO_INVALID_STATE, "it waits for %s, which inside a task is refused; %s_limit does not wait",
                 argument, function);
  if (const Sink* sink = Engine::thread_sink(); sink && &sink->engine == &view.engine())
    return error(RONDO_INVALID_STATE, "it waits for %s, which has no contents in a recording; %s_limit does not wait",
                 argument, function);
  const ops::ScopedNoTape unheard;
  ops::Handle nothing, count;
  {
    Output out(&nothing.tensor), counted(&count.tensor, "count");
    RONDO_TRY(find(out, counted));
  }
  return ops::read_to_host(count.tensor->view, number);
}

}  // namespace

extern "C" {

rondo_status rondo_nonzero_limit(rondo_tensor* a, int64_t limit, int64_t fill, rondo_tensor** out,
                                 rondo_tensor** count) {
  return guard("rondo_nonzero_limit", [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(check_two(out, count));
    const ops::Casting casting;
    rondo_tensor* from = a;
    RONDO_TRY(capi::cast_operands(casting, "rondo_nonzero_limit", {&from}, out));
    Output output(out), counted(count, "count");
    return ops::nonzero(from->view, limit, fill, output, counted);
  });
}

rondo_status rondo_nonzero(rondo_tensor* a, rondo_tensor** out) {
  const char* const function = "rondo_nonzero";
  return capi::operator1(function, a, "a", out, [&](Output& output) -> Status {
    int64_t number = 0;
    const auto find = [&](int64_t limit, Output& places, Output& counted) {
      return ops::nonzero(a->view, limit, 0, places, counted);
    };
    RONDO_TRY(count_first(
        function, "a", a->view, [&](Output& o, Output& c) { return find(0, o, c); }, &number));
    ops::Handle count;
    Output counted(&count.tensor, "count");
    return find(number, output, counted);
  });
}

rondo_status rondo_select_limit(rondo_tensor* a, rondo_tensor* mask, int64_t limit, double fill, rondo_tensor** out,
                                rondo_tensor** count) {
  return guard("rondo_select_limit", [&]() -> Status {
    RONDO_TRY(check_tensor(a, "a"));
    RONDO_TRY(check_tensor(mask, "mask"));
    RONDO_TRY(check_two(out, count));
    const ops::Casting casting;
    rondo_tensor* from = a;
    RONDO_TRY(capi::cast_operands(casting, "rondo_select_limit", {&from}, out));
    Output output(out), counted(count, "count");
    return ops::select(from->view, mask->view, limit, fill, output, counted);
  });
}

rondo_status rondo_select(rondo_tensor* a, rondo_tensor* mask, rondo_tensor** out) {
  const char* const function = "rondo_select";
  return capi::operator2(function, a, "a", mask, "mask", out, [&](Output& output) -> Status {
    int64_t number = 0;
    const auto find = [&](int64_t limit, Output& parts, Output& counted) {
      return ops::select(a->view, mask->view, limit, 0, parts, counted);
    };
    RONDO_TRY(count_first(
        function, "mask", mask->view, [&](Output& o, Output& c) { return find(0, o, c); }, &number));
    ops::Handle count;
    Output counted(&count.tensor, "count");
    return find(number, output, counted);
  });
}

}  // extern "C"
