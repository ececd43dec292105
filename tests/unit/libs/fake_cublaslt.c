/* A cuBLASLt for loader tests: says its version (major * 10000 + minor * 100 + patch) and has nothing else.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

size_t cublasLtGetVersion(void) {
  return FAKE_VERSION;
}
