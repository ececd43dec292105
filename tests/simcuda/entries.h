// Every entry point of the simulated driver: declared from the product's own table, so that a definition with another
// signature does not compile, and numbered, so that calls are counted and made to fail by name. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "extra_types.h"

namespace simcuda {

using namespace rondo::cuda;

#define RONDO_FN(result, name, parameters, since) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN

enum class Entry : unsigned {
#define RONDO_FN(result, name, parameters, since) name,
#include "../../src/dynlib/driver.def"
#include "extra.def"
#undef RONDO_FN
  count
};

// What must hold before an entry point does anything, from little to much. Handles: a context, but the handles say
// which.
enum class Need { Nothing, Init, Handles, Context };

// Counts the call, then answers for it when it must not run: not initialised, no context, a fault asked for, a device
// that was lost. Every exported function starts with SIM_ENTER.
CUresult enter(Entry entry, Need need);

#define SIM_ENTER_IF(entry, need) \
  if (CUresult refused = ::simcuda::enter(::simcuda::Entry::entry, need)) return refused
#define SIM_ENTER(entry) SIM_ENTER_IF(entry, ::simcuda::Need::Context)

}  // namespace simcuda
