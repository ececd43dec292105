/* A cuBLASLt for loader tests: says its version (major * 10000 + minor * 100 + patch); FAKE_WHOLE has the names that
 * cuDNN wants beside. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

size_t cublasLtGetVersion(void) {
  return FAKE_VERSION;
}
#ifdef FAKE_WHOLE
int cublasLtGetProperty(void) {
  return 1;
}
int cublasLtCreate(void) {
  return 1;
}
int cublasLtDestroy(void) {
  return 1;
}
int cublasLtMatmul(void) {
  return 1;
}
int cublasLtMatmulAlgoGetHeuristic(void) {
  return 1;
}
#endif
