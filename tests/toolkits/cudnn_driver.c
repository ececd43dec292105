/* The driver that a real cuDNN wants in the process: the names that its libraries are linked with, or look for before
 * they compile, and no device. What they have compiled they may load, which is all that they do with it.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */

enum { kNoDevice = 100, kVersion = 13000 };

#define NO_DEVICE(name) \
  int name(void);       \
  int name(void) {      \
    return kNoDevice;   \
  }
NO_DEVICE(cuCtxGetCurrent)
NO_DEVICE(cuCtxGetLimit)
NO_DEVICE(cuCtxPopCurrent)
NO_DEVICE(cuCtxPushCurrent)
NO_DEVICE(cuDeviceGet)
NO_DEVICE(cuDeviceGetCount)
NO_DEVICE(cuGetErrorName)
NO_DEVICE(cuGetErrorString)
NO_DEVICE(cuKernelGetAttribute)
NO_DEVICE(cuLaunchCooperativeKernel)
NO_DEVICE(cuLaunchKernel)
NO_DEVICE(cuLaunchKernelEx)
NO_DEVICE(cuLibraryLoadFromFile)
NO_DEVICE(cuLinkAddData)
NO_DEVICE(cuLinkComplete)
NO_DEVICE(cuLinkCreate)
NO_DEVICE(cuLinkDestroy)
NO_DEVICE(cuModuleGetFunction)
NO_DEVICE(cuModuleLoadData)
NO_DEVICE(cuModuleUnload)
NO_DEVICE(cuOccupancyMaxPotentialClusterSize)
NO_DEVICE(cuStreamGetCtx)
NO_DEVICE(cuTensorMapEncodeIm2col)
NO_DEVICE(cuTensorMapEncodeTiled)

/* Whatever is loaded is the same. */
static int g_loaded;
#define LOADED(name)      \
  int name(void** made);  \
  int name(void** made) { \
    *made = &g_loaded;    \
    return 0;             \
  }
LOADED(cuKernelGetFunction)
LOADED(cuLibraryGetKernel)
LOADED(cuLibraryLoadData)

#define DONE(name) \
  int name(void);  \
  int name(void) { \
    return 0;      \
  }
DONE(cuKernelSetAttribute)
DONE(cuLibraryUnload)

int cuDriverGetVersion(int* version);
int cuDriverGetVersion(int* version) {
  *version = kVersion;
  return 0;
}
