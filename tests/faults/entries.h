// What is known of each entry point of the driver and NVRTC: where Rondo calls it and what a failure of it shows. The
// tables src/dynlib/driver.def and nvrtc.def decide which there are; a new one without a line here fails a test.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "child.h"

namespace faults {

enum class When {
  each_run,   // every run of the program calls it
  first_use,  // the first use of a library, a device or a kernel in the process
  after,      // only after another entry failed: `needs` is that fault
  never,      // no code calls it: `why`
};

enum class Shows {
  reported,  // the call, or the next wait, fails
  depends,   // the same where a result hangs on the call; nothing where none does (tracing, running ahead, giving back)
  nothing,   // results and calls are as without the fault
  missing,   // the library will not do in this process: RONDO_LIBRARY_MISSING or its like, for good
  stays,     // the kernel does not compile, and so it stays
};

struct Entry {
  const char* name;
  When when;
  Shows shows = Shows::reported;
  const char* keeps = "";   // what the driver keeps of one object when its release fails: a counter of Live
  const char* needs = "";   // entry:call:code that leads to a call of this one
  const char* driver = "";  // folder of the older driver that has Rondo use it
  const char* why = "";
  bool by_chance = false;  // whether it is called hangs on how fast the device is
  bool opens = false;      // opens a device: an engine that it fails for has nothing there to lose
};

const std::vector<Entry>& entries();
// The names in the product's tables.
std::vector<std::string> entries_of_the_product();

}  // namespace faults
