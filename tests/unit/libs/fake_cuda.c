/* A libcuda for loader tests: says which version it is for and shows no device. FAKE_VERSION is what it claims;
 * FAKE_CAPABILITY makes it show one device of that compute capability (times ten);
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

#ifdef FAKE_CAPABILITY
int cuInit(unsigned flags) {
  (void)flags;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  *value = attribute == 75 ? FAKE_CAPABILITY / 10 : FAKE_CAPABILITY % 10; /* COMPUTE_CAPABILITY_MAJOR */
  return 0;
}
#else
int cuInit(unsigned flags) {
  (void)flags;
  return 100; /* CUDA_ERROR_NO_DEVICE */
}
#endif
#endif
