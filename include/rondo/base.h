/* Words shared by every Rondo header: export macro, version, status codes, dtypes, devices.
 *
 * Conventions (docs/conventions.md): every function that can fail returns rondo_status; out-parameters come last and
 * are untouched on error; `*_destroy` returns void and accepts NULL; a handle obtained through an out-parameter is
 * owned by the caller; a pointer that is *returned* is borrowed. Strings are UTF-8. All functions are thread-safe
 * unless they say otherwise. A struct that begins with `size` grows at its end: initialise it with its _INIT macro.
 * Programs compiled against an older or a newer header than the library's may pass theirs; fields that the library does
 * not know must be zero in options (RONDO_INVALID_ARGUMENT) and become zero in an info.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_BASE_H
#define RONDO_BASE_H

#include <stddef.h>
#include <stdint.h>

#define RONDO_VERSION_MAJOR 0
#define RONDO_VERSION_MINOR 1
#define RONDO_VERSION_PATCH 0

#if defined(_WIN32)
#define RONDO_API __declspec(dllimport)
#elif defined(__GNUC__)
#define RONDO_API __attribute__((visibility("default")))
#else
#define RONDO_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Outcome of a call. The text for the calling thread's last failure is rondo_last_error(). Since 0.1. */
typedef enum rondo_status {
  RONDO_OK = 0,
  RONDO_INVALID_ARGUMENT = 1, /* an argument is wrong; the message names it and what would be right */
  RONDO_INVALID_STATE = 2, /* right arguments, wrong moment: waiting inside a task, engine destroyed, recording open */
  RONDO_OUT_OF_MEMORY = 3, /* message carries asked / free / cached / in-use bytes; earlier results are intact */
  RONDO_NOT_FOUND = 4,     /* a device or a file that was named does not exist */
  RONDO_LIBRARY_MISSING = 5, /* a run-time library or a symbol of it is absent; message lists where it was looked for */
  RONDO_UNSUPPORTED = 6,     /* valid, but this device, dtype or library version cannot do it */
  RONDO_COMPILE_FAILED = 7,  /* a generated or user kernel did not compile; message carries the compiler's log */
  RONDO_DEVICE_ERROR = 8,    /* a library call on the device failed; message has library, function, code and text */
  RONDO_DEVICE_LOST = 9,     /* a fatal device error; every later call on the engine returns the same cause */
  RONDO_FORKED = 10,     /* called in a child of fork(): devices do not survive fork, create the engine in the child */
  RONDO_USER_ERROR = 11, /* a user task returned an error */
  RONDO_IO_ERROR = 12,   /* a file could not be read or written */
  RONDO_INTERNAL = 13,   /* a defect of Rondo: please report it with the message */
  RONDO_RANK_LOST = 14,  /* a rank of a communicator died, left or failed; the message names it and the cause */
  RONDO_TIMED_OUT = 15   /* a time limit is over; the message says what did not happen, and on which rank */
} rondo_status;

/* Element types. Values are ABI. Since 0.1. */
typedef enum rondo_dtype {
  RONDO_BOOL = 0, /* one byte, 0 or 1 */
  RONDO_U8 = 1,
  RONDO_I8 = 2,
  RONDO_I32 = 3,
  RONDO_I64 = 4,
  RONDO_F16 = 5,  /* IEEE 754 binary16; arithmetic and accumulation in float */
  RONDO_BF16 = 6, /* bfloat16; arithmetic and accumulation in float */
  RONDO_F32 = 7,
  RONDO_F64 = 8,
  RONDO_I16 = 9,
  RONDO_U16 = 10,
  RONDO_U32 = 11,
  RONDO_U64 = 12,
  RONDO_F8_E4M3 = 13, /* OCP OFP8 E4M3 (no infinities); stored, moved and cast, not computed with */
  RONDO_F8_E5M2 = 14  /* OCP OFP8 E5M2; stored, moved and cast, not computed with */
} rondo_dtype;

typedef enum rondo_device_kind { RONDO_CPU = 0, RONDO_CUDA = 1 } rondo_device_kind;

/* A device by value: {RONDO_CPU, 0} or {RONDO_CUDA, index}. Since 0.1. */
typedef struct rondo_device {
  int32_t kind; /* rondo_device_kind */
  int32_t index;
} rondo_device;

/* Opaque handles. Each object belongs to one engine, except where its header says otherwise. */
typedef struct rondo_engine rondo_engine;
typedef struct rondo_variable rondo_variable;
typedef struct rondo_tensor rondo_tensor;
typedef struct rondo_graph rondo_graph;
typedef struct rondo_tape rondo_tape;

#ifdef __cplusplus
}
#endif
#endif /* RONDO_BASE_H */
