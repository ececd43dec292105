/* The driver that a real cuDNN wants in the process: the names that its libraries are linked with, and no device.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */

int cuGetErrorString(void);
int cuModuleGetFunction(void);
int cuModuleLoadData(void);
int cuModuleUnload(void);
int cuTensorMapEncodeIm2col(void);
int cuTensorMapEncodeTiled(void);

enum { kNoDevice = 100 };

int cuGetErrorString(void) {
  return kNoDevice;
}
int cuModuleGetFunction(void) {
  return kNoDevice;
}
int cuModuleLoadData(void) {
  return kNoDevice;
}
int cuModuleUnload(void) {
  return kNoDevice;
}
int cuTensorMapEncodeIm2col(void) {
  return kNoDevice;
}
int cuTensorMapEncodeTiled(void) {
  return kNoDevice;
}
