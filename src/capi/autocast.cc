// Checks the handles of autocast scopes, opens and closes them, and casts operands for other functions.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/autocast/autocast.h"

#include "capi/operators.h"

using namespace rondo;
using capi::guard;

Status capi::cast_operands(Call call, std::span<rondo_tensor** const> operands, rondo_tensor** out) {
  constexpr size_t prefix = sizeof "rondo_" - 1;
  const char* const row = call.name ? call.name(call.operation) : nullptr;
  if (*out || (call.name && !row)) return {};  // the operator refuses what is no row
  return ops::Casting::operands({call.function + prefix, row}, operands);
}

Status capi::CastList::cast(Call call, rondo_tensor** out) {
  std::vector<rondo_tensor**> operands;
  copies_.assign(given_.begin(), given_.end());
  for (rondo_tensor*& each : copies_) operands.push_back(&each);
  RONDO_TRY(cast_operands(call, operands, out));
  given_ = copies_;
  return {};
}

extern "C" {

rondo_status rondo_autocast_begin(rondo_engine* engine, rondo_dtype dtype) {
  return guard("rondo_autocast_begin", [&]() -> Status {
    RONDO_TRY(capi::check_engine(engine, "engine"));
    return ops::begin_autocast(*engine->engine, dtype);
  });
}

rondo_status rondo_autocast_set(rondo_engine* engine, const char* operation, rondo_precision precision) {
  return guard("rondo_autocast_set", [&]() -> Status {
    RONDO_TRY(capi::check_engine(engine, "engine"));
    RONDO_NOT_NULL(operation);
    return ops::set_autocast(*engine->engine, operation, capi::is_expression_name(operation), precision);
  });
}

rondo_status rondo_autocast_end(rondo_engine* engine) {
  return guard("rondo_autocast_end", [&]() -> Status {
    RONDO_TRY(capi::check_engine(engine, "engine"));
    return ops::end_autocast(*engine->engine);
  });
}

}  // extern "C"
