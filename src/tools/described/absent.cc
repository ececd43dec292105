// Has every entry point of libcuda that the library knows, for a driver without a GPU: those that driver.cc has not are
// refused as not supported.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/cuda_types.h"

namespace rondo::cuda {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
extern "C" {
#define RONDO_FN(type, name, parameters, since)                       \
  __attribute__((visibility("default"), weak)) type name parameters { \
    return CUDA_ERROR_NOT_SUPPORTED;                                  \
  }
#include "dynlib/driver.def"
#undef RONDO_FN
}
#pragma GCC diagnostic pop

}  // namespace rondo::cuda
