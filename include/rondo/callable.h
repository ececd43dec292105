/* Callables: functions that are recorded once for each signature of their inputs, and called as graphs.
 *
 * A signature is what a graph is fixed to: number, devices, dtypes, shapes of the inputs and the order of their axes in
 * memory, which of them open tapes follow, the autocast scope. The first call of a signature calls the function in a
 * recording; later ones are rondo_graph_call of what came of it, without calling the function. Graphs that were not
 * called for longest go when all of them take more than a limit of bytes.
 *
 * So a function depends on its inputs alone: tensors from outside that it uses are those of its recording, used as they
 * are at each call, and numbers and branches of its own are as they were then. It reads its inputs and does not write
 * them.
 *
 * Under an open tape a call is one operator with a gradient, if the tape follows an input or a tensor from outside:
 * what the function does forwards and what goes back are graphs of their own, and so are gradients of gradients.
 * docs/callables.md explains.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_CALLABLE_H
#define RONDO_CALLABLE_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rondo_callable rondo_callable;

/* Issues operators on n_inputs tensors. inputs: borrowed, valid during the call, only read; rondo_tensor_destroy leaves
 * them alone, and the call fails with RONDO_USER_ERROR. outputs: holds NULL, and is given n_outputs tensors, which pass
 * to Rondo: new ones, or views of tensors, each a handle of its own. Called in a recording on the thread that calls the
 * callable; eagerly where that cannot be recorded and is to fall back. Must not throw, nor wait for what it makes.
 * Returns RONDO_OK, or a status that the call fails with. It may call callables, itself too, RONDO_MAX_NESTED deep
 * (control.h). */
typedef rondo_status (*rondo_callable_fn)(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                                          rondo_tensor** outputs);

typedef enum rondo_callable_flags {
  RONDO_CALLABLE_DEFAULT = 0,
  RONDO_CALLABLE_FALL_BACK = 1,  /* what cannot be recorded runs eagerly, with the same results; rondo_callable_report
                                    says why. Without it, the call fails */
  RONDO_CALLABLE_AS_WRITTEN = 2, /* graphs are recorded with RONDO_RECORD_AS_WRITTEN */
  RONDO_CALLABLE_FEWER_ROUNDINGS = 4 /* graphs are recorded with RONDO_RECORD_FEWER_ROUNDINGS */
} rondo_callable_flags;

#define RONDO_CALLABLE_PAD_SIZES 16

typedef struct rondo_callable_options {
  size_t size;                                 /* set by RONDO_CALLABLE_OPTIONS_INIT */
  const char* name;                            /* for messages, reports and traces; copied; NULL: "callable" */
  int64_t limit_bytes;                         /* of memory for graphs together, temporaries included; 0: 256 MiB */
  uint32_t flags;                              /* rondo_callable_flags */
  int32_t pad_axis;                            /* that inputs are filled up on, from 0 */
  int64_t pad_sizes[RONDO_CALLABLE_PAD_SIZES]; /* the axis is filled up with zeros to the next of these, and outputs are
                                                  cut back; a longer one stays as it is. Ascending; 0 ends them */
  uint64_t pad_inputs;                         /* inputs that have the axis, as a mask; 0: all with so many axes */
  uint64_t pad_outputs; /* outputs that have it; 0: all in which it has the size that was filled up to */
  int32_t arenas;       /* how many calls of one signature may overlap, as of rondo_record_options; 1 to 64; 0: 1 */
  int32_t reserved;     /* 0 */
} rondo_callable_options;
#define RONDO_CALLABLE_OPTIONS_INIT \
  { sizeof(rondo_callable_options), NULL, 0, RONDO_CALLABLE_DEFAULT, 0, {0}, 0, 0, 0, 0 }

/* Makes a callable of a function that leaves n_outputs tensors, 1 or more. options NULL means
 * RONDO_CALLABLE_OPTIONS_INIT. fn keeps what it needs in arg; destroy(arg), which may be NULL, is called once, when
 * neither the handle nor a call needs it, also if this fails. The caller owns *callable. RONDO_INVALID_ARGUMENT names
 * what does not fit. Since 0.1. */
RONDO_API rondo_status rondo_callable_create(rondo_engine* engine, int32_t n_outputs,
                                             const rondo_callable_options* options, rondo_callable_fn fn, void* arg,
                                             void (*destroy)(void* arg), rondo_callable** callable);
/* Calls it. From any thread, any number of them at once. Does not wait for devices; the first call of a signature
 * records and compiles, and other calls of that signature wait for it.
 *
 * inputs: n_inputs tensors of the callable's engine that were written, of any shapes and strides; what no order of axes
 * makes row-major, or does not begin where kernels count on, is copied. outputs: n_outputs slots; one that holds NULL
 * gets a new tensor, which the caller owns, one that holds a tensor is written, as by rondo_graph_call. On failure no
 * slot is changed.
 *
 * In a recording the function is called, and its operators are recorded as any others. Inside a task only what was
 * recorded already can be called (RONDO_INVALID_STATE). If the function fails, that is the call's failure;
 * RONDO_USER_ERROR if it leaves no tensor, or an input's handle, in a slot, or was to destroy an input.
 * RONDO_INVALID_STATE where functions nest deeper than RONDO_MAX_NESTED. RONDO_OUT_OF_MEMORY also if the host had none
 * left to note what a gradient needs; then nothing of the recording is kept, and the next call records anew. Since 0.1.
 */
RONDO_API rondo_status rondo_callable_call(rondo_callable* callable, int32_t n_inputs, rondo_tensor* const* inputs,
                                           int32_t n_outputs, rondo_tensor** outputs);
/* Lets go of all graphs; calls in flight and tapes keep what they need. Later calls record anew. Since 0.1. */
RONDO_API rondo_status rondo_callable_clear(rondo_callable* callable);
/* Destroys the handle. Never blocks; calls in flight finish first. NULL is allowed. Since 0.1. */
RONDO_API void rondo_callable_destroy(rondo_callable* callable);

typedef struct rondo_callable_info {
  size_t size;         /* set by RONDO_CALLABLE_INFO_INIT */
  int64_t signatures;  /* that there are now */
  int64_t bytes;       /* memory of their graphs, gradients' included, on devices and about that of the host */
  int64_t limit_bytes; /* that they may take; the graph called last stays even if it alone takes more */
  int64_t calls;       /* so far, failed ones and those in recordings too */
  int64_t hits;        /* of which found a graph */
  int64_t recordings;  /* of which recorded one */
  int64_t fallbacks;   /* of which ran eagerly for want of one */
  int64_t evictions;   /* signatures that have gone for want of room */
} rondo_callable_info;
#define RONDO_CALLABLE_INFO_INIT \
  { sizeof(rondo_callable_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Figures of a callable. Since 0.1. */
RONDO_API rondo_status rondo_callable_query(rondo_callable* callable, rondo_callable_info* info);
/* Writes a report for people: the figures, each signature with its calls and bytes, and why what runs eagerly was not
 * recorded. Writes at most capacity bytes with the final zero; *length is the whole length without it (buffer may be
 * NULL with capacity 0). Since 0.1. */
RONDO_API rondo_status rondo_callable_report(rondo_callable* callable, char* buffer, size_t capacity, size_t* length);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_CALLABLE_H */
