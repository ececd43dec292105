/* A oneDNN for loader tests: says its version and has the table's names, all but one where FAKE_PART is set.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdint.h>

struct version {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};
const struct version* dnnl_version(void) {
  static const struct version found = {FAKE_MAJOR, FAKE_MINOR, 1, "", FAKE_RUNTIME, 0};
  return &found;
}
#ifndef FAKE_PART
#define RONDO_FN(type, name, parameters, since) \
  type name parameters {                        \
    return (type)0;                             \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "onednn.def"
#endif
