/* A libcuda for loader tests: says which version it is for and shows no device. FAKE_VERSION is what it claims;
 * FAKE_STUB makes it answer like the toolkit's stub library; FAKE_OTHER makes it no driver at all. It has none of the
 * other functions. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */

#ifdef FAKE_OTHER
int something_else(void) {
  return 0;
}
#else
static int version_calls;

/* How often the version was asked: a loader asks once. */
int fake_version_calls(void) {
  return __atomic_load_n(&version_calls, __ATOMIC_SEQ_CST);
}

int cuDriverGetVersion(int* version) { /* NOLINT(readability-non-const-parameter): the real one writes to it */
  __atomic_add_fetch(&version_calls, 1, __ATOMIC_SEQ_CST);
#ifdef FAKE_STUB
  (void)version;
  return 34; /* CUDA_ERROR_STUB_LIBRARY */
#else
  *version = FAKE_VERSION;
  return 0;
#endif
}

int cuInit(unsigned flags) {
  (void)flags;
  return 100; /* CUDA_ERROR_NO_DEVICE */
}
#endif
