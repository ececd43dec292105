/* An NCCL for loader tests: says its version. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAKE_STUB
int ncclGetVersion(int* version) {
#ifdef FAKE_FAILURE
  (void)version;
  return FAKE_FAILURE;
#else
  *version = FAKE_VERSION;
  return 0;
#endif
}
int ncclCommDestroy(void* comm) {
  (void)comm;
  return 0;
}
#endif
