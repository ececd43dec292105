/* Devices: how many there are, what they are, their names.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_DEVICE_H
#define RONDO_DEVICE_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *count to the number of devices of a kind. RONDO_CPU is always 1. RONDO_CUDA: 0 when no driver or no device is
 * found, which is not an error (rondo_feature("cuda") says why). Loads the driver on first use; may block for some 100
 * ms. Since 0.1. */
RONDO_API rondo_status rondo_device_count(rondo_device_kind kind, int32_t* count);

typedef struct rondo_device_info {
  size_t size;          /* set by RONDO_DEVICE_INFO_INIT */
  char name[128];       /* e.g. "NVIDIA H200", or the processor's name */
  int64_t total_memory; /* bytes */
  int64_t free_memory;  /* bytes free now, as the system tells it */
  int32_t capability;   /* cuda: 10 * major + minor of the compute capability, e.g. 90; cpu: 0 */
  int32_t processors;   /* multiprocessors of a GPU; cpu: hardware threads that this process may use */
  int32_t driver;       /* cuda: CUDA version of the driver, e.g. 13000; cpu: 0 */
} rondo_device_info;
#define RONDO_DEVICE_INFO_INIT \
  { sizeof(rondo_device_info), {0}, 0, 0, 0, 0, 0 }

/* Facts about one device. `info->size` must be set. RONDO_NOT_FOUND if there is no such device. Since 0.1. */
RONDO_API rondo_status rondo_device_query(rondo_device device, rondo_device_info* info);

/* The text "cpu", "cpu:0", "cuda", "cuda:1" to a device. Syntax only: whether the device exists is not checked. Since
 * 0.1. */
RONDO_API rondo_status rondo_device_parse(const char* text, rondo_device* device);

/* Writes "cuda:0" and the like, with the final zero, into buffer. RONDO_INVALID_ARGUMENT if capacity is too small (16
 * is always enough) or the index is negative. Since 0.1. */
RONDO_API rondo_status rondo_device_format(rondo_device device, char* buffer, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_DEVICE_H */
