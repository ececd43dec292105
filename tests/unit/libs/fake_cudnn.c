/* A cuDNN for loader tests: says its versions and, like the real one, ends the process when it is called without its
 * parts. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

size_t cudnnGetVersion(void) {
  if (!dlopen(FAKE_PART, RTLD_NOW | RTLD_NOLOAD)) abort();
  return FAKE_VERSION;
}
size_t cudnnGetCudartVersion(void) {
  return FAKE_CUDA;
}
int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  (void)type, (void)descriptor;
  return 0;
}
#if FAKE_VERSION >= 90000
void cudnnGetLastErrorString(char* message, size_t max_size) {
  (void)message, (void)max_size;
}
#endif
