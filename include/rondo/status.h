/* Status names, the calling thread's last error, library version and features, the log callback.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_STATUS_H
#define RONDO_STATUS_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name of a status code, e.g. "RONDO_OUT_OF_MEMORY"; "RONDO_UNKNOWN" for a number that is none. Never NULL, static.
 * Since 0.1. */
RONDO_API const char* rondo_status_name(rondo_status status);

/* Message of the last call that failed on the calling thread: function, argument, what would be right, and for failures
 * of tasks the first cause (operator, device, library code and text). "" when nothing failed yet. Borrowed: valid until
 * the next Rondo call on this thread. A call that succeeds leaves it as it is. Since 0.1. */
RONDO_API const char* rondo_last_error(void);
/* Name of the operator or of the user task that failed first, if the calling thread's last failure is one of a task:
 * waited for, or met on the way by a recording or in naive mode; *device (NULL: not wanted) is where. NULL if no task
 * failed but the call was refused, or took longer than its limit; *device is untouched then. Static. Since 0.1. */
RONDO_API const char* rondo_last_error_operator(rondo_device* device);
/* The object that the failed task's function gave with rondo_task_fail_cause or rondo_completion_fail_cause, if it gave
 * this `destroy` with it; NULL for any other and if there is none. So nobody is handed what somebody else's code has
 * made. Borrowed: valid until the next Rondo call that fails on this thread. Since 0.1. */
RONDO_API void* rondo_last_error_cause(void (*destroy)(void* cause));

/* Version of the library that is loaded: major * 10000 + minor * 100 + patch. Compare with RONDO_VERSION_*. Since 0.1.
 */
RONDO_API int32_t rondo_version(void);
/* The same as text, with the build's flavour, e.g. "0.1.0". Static. Since 0.1. */
RONDO_API const char* rondo_version_string(void);

/* Whether a feature can be used in this process, by name:
 *   "cuda"            a driver is loaded and shows at least one device
 *   "nvrtc"           operators can be compiled for cuda devices
 *   "cublaslt"        matmul on cuda uses cuBLASLt (otherwise Rondo's own kernel)
 *   "cudnn"           convolution on cuda uses cuDNN (otherwise Rondo's own kernels)
 *   "nccl"            collectives between cuda devices work: NCCL is there (rondo/comm.h)
 *   "blas"            matmul on cpu uses a BLAS library (otherwise Rondo's own loop)
 *   "onednn"          f32 convolutions with channels last and filter gradients on cpu use oneDNN (otherwise own loops)
 *   "graphs"          cuda recordings become CUDA graphs
 *   "memory_pools"    the driver has stream-ordered allocation
 *   "conditional_nodes"    the driver has graph nodes that decide on the device (CUDA 12.4)
 *   "programmatic_launch"  driver (CUDA 12.3) and device (9.0) can overlap a kernel's start with its predecessor's end
 * The last three tell what driver and cuda:0 offer, whether or not this version of Rondo makes use of it.
 * On return *available is 1 or 0; *reason (may be NULL) is a borrowed static-lifetime sentence that says why, with the
 * path and version in use or the places looked at. The first call for a feature may load its library (tens of
 * milliseconds). RONDO_INVALID_ARGUMENT for a name not in this list. Since 0.1. */
RONDO_API rondo_status rondo_feature(const char* name, int32_t* available, const char** reason);

typedef enum rondo_log_level {
  RONDO_LOG_OFF = 0,
  RONDO_LOG_ERROR = 1,
  RONDO_LOG_WARNING = 2,
  RONDO_LOG_INFO = 3,
  RONDO_LOG_DEBUG = 4
} rondo_log_level;

/* Receives one message, without a newline. Called from any thread, one call at a time; must not call Rondo. */
typedef void (*rondo_log_fn)(void* arg, rondo_log_level level, const char* message);

/* Sends messages up to `level` to `fn`. fn NULL: back to stderr. `destroy` (may be NULL) is called with arg when the
 * callback is replaced. The default is stderr at the level of the setting RONDO_LOG (default: off). Since 0.1. */
RONDO_API rondo_status rondo_set_log(rondo_log_fn fn, void* arg, void (*destroy)(void* arg), rondo_log_level level);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_STATUS_H */
