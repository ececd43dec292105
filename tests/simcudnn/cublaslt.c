/* The cuBLASLt that cuDNN wants in the process: its names, and no product.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

size_t cublasLtGetVersion(void);
int cublasLtGetProperty(int type, int* value);
int cublasLtCreate(void** handle);
int cublasLtDestroy(void* handle);
int cublasLtMatmul(void);
int cublasLtMatmulAlgoGetHeuristic(void);

enum { kNotSupported = 15 };

size_t cublasLtGetVersion(void) {
  return 120800;
}
int cublasLtGetProperty(int type, int* value) {
  (void)type, (void)value;
  return kNotSupported;
}
int cublasLtCreate(void** handle) {
  (void)handle;
  return kNotSupported;
}
int cublasLtDestroy(void* handle) {
  (void)handle;
  return kNotSupported;
}
int cublasLtMatmul(void) {
  return kNotSupported;
}
int cublasLtMatmulAlgoGetHeuristic(void) {
  return kNotSupported;
}
