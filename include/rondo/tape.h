/* Tapes: gradients of what operators computed.
 *
 * While a tape is open, it notes the operators that its thread submits, run at once or recorded for a graph, as far as
 * they depend on tensors it watches. rondo_tape_gradients then goes back over them and submits the operators that make
 * the gradients. In a recording these are recorded too: a training step of forward, gradients and update is one graph.
 *
 * The gradient of a view (slice, reshape, transpose, broadcast) is the view of the gradient, and what operators write
 * into a part of a tensor, or into one of their operands, is followed. A tape keeps the values that gradients need and
 * no others; one that was written in between is RONDO_INVALID_STATE, with a message that names both operators. What has
 * no gradient (tasks of the user, graphs launched in between, copies from the host) is RONDO_UNSUPPORTED if gradients
 * would have to pass it, and the message names it.
 *
 * Every operator with a gradient has gradients of any order. The exception is RONDO_TRIGAMMA, whose derivative no
 * operator computes: its gradient, the second of RONDO_DIGAMMA and the third of RONDO_LGAMMA and RONDO_GAMMA are
 * RONDO_UNSUPPORTED.
 *
 * A tape belongs to the thread that began it until it ends; then to whoever uses it, one thread at a time. Operators of
 * other threads are not noted. docs/tape.md explains.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_TAPE_H
#define RONDO_TAPE_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rondo_tape_flags {
  RONDO_TAPE_DEFAULT = 0, /* rondo_tape_gradients ends the tape, and frees what it kept on its way */
  RONDO_TAPE_KEEP = 1     /* it stays, so that gradients may be asked for again */
} rondo_tape_flags;

/* Begins a tape of operators of this engine on the calling thread. Tapes nest: each notes what it watches, an outer one
 * also the operators of rondo_tape_gradients of an inner one, which gives gradients of gradients. flags:
 * rondo_tape_flags. The caller owns *tape. Since 0.1. */
RONDO_API rondo_status rondo_tape_begin(rondo_engine* engine, uint32_t flags, rondo_tape** tape);
/* Gradients may be asked for with respect to this tensor, that is to what it holds now. Float dtypes; any view watches
 * its whole storage. Watching again moves the moment: what made the tensor what it is now counts no more for it.
 * RONDO_INVALID_STATE if the tape has ended. Since 0.1. */
RONDO_API rondo_status rondo_tape_watch(rondo_tape* tape, rondo_tensor* tensor);
/* Ends the noting; gradients may still be asked for. A tape that has ended stays so. Since 0.1. */
RONDO_API rondo_status rondo_tape_end(rondo_tape* tape);
/* Destroys a tape, open or not, and lets go of what it keeps. NULL is allowed. Never blocks. Since 0.1. */
RONDO_API void rondo_tape_destroy(rondo_tape* tape);

/* The sum of the outputs' gradients with respect to each of n_sources watched tensors or views of them.
 *
 * output_gradients: of the shape and dtype of each output; NULL, as a whole or for one: 1, for an output of one
 * element. gradients[i] is in and out as an operator's output: NULL for a new tensor that the caller owns; a tensor of
 * sources[i]'s shape, dtype and device to be written; or a rondo_tensor_accumulator view that it is added to. A source
 * that the outputs do not depend on, or through tensors without elements only, has a gradient of zeros. Does not wait.
 *
 * RONDO_INVALID_ARGUMENT for a source that is not watched, or an output that depends on no watched tensor.
 * RONDO_INVALID_STATE if a value that is needed was written since, or the tape has given its gradients and does not
 * keep. RONDO_UNSUPPORTED if gradients would pass what has none. On failure no pointer in gradients is changed, but a
 * tensor given there may have been written; if operators had been submitted by then, the tape is spent unless it keeps.
 * Since 0.1. */
RONDO_API rondo_status rondo_tape_gradients(rondo_tape* tape, int32_t n_outputs, rondo_tensor* const* outputs,
                                            rondo_tensor* const* output_gradients, int32_t n_sources,
                                            rondo_tensor* const* sources, rondo_tensor** gradients);

/* Between pause and resume no tape of the calling thread notes operators: their results are constants. Pairs nest.
 * rondo_tape_resume without a pause is RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_tape_pause(void);
RONDO_API rondo_status rondo_tape_resume(void);

/* A gradient that the user defines. Called by rondo_tape_gradients on its thread, with output_gradients, those of the
 * n_outputs outputs (borrowed: valid during the call; zeros where none came), and room for input_gradients, those of
 * the n_inputs inputs, all NULL: it submits what computes them and stores tensors of the inputs' shapes and dtypes,
 * which pass to Rondo, each a handle of its own; NULL stays for zero. Must not throw. A status other than RONDO_OK
 * fails rondo_tape_gradients. What is borrowed and was to be destroyed, or is stored, stays as it is, and
 * rondo_tape_gradients is RONDO_USER_ERROR. Since 0.1. */
typedef rondo_status (*rondo_gradient_fn)(void* arg, int32_t n_outputs, rondo_tensor* const* output_gradients,
                                          int32_t n_inputs, rondo_tensor** input_gradients);
/* Says to all open tapes of the calling thread that the outputs were computed from the inputs, and what the gradient of
 * that is; whatever was noted of how they were computed counts no more: operators, tasks, launches of graphs. Of an
 * output that is an input too, and so was written in place, that is the last task that did so. Without an open tape it
 * does nothing. name: for messages, copied. fn keeps what it needs in arg; destroy(arg) is called once, when no tape
 * needs it, also if this call fails. In a recording for calls (RONDO_RECORD_CALLABLE) it is kept for tapes that follow
 * the graph's calls; there, and in a callable's function, fn is called in a recording, once for all calls, and what it
 * keeps must be tensors from outside. At least one input and one output, at most 31 each, of one engine. Since 0.1. */
RONDO_API rondo_status rondo_tape_custom(const char* name, int32_t n_inputs, rondo_tensor* const* inputs,
                                         int32_t n_outputs, rondo_tensor* const* outputs, rondo_gradient_fn fn,
                                         void* arg, void (*destroy)(void* arg));

typedef struct rondo_tape_info {
  size_t size;        /* set by RONDO_TAPE_INFO_INIT */
  int32_t open;       /* 1 while it notes operators, else 0 */
  int32_t nodes;      /* operators noted and not yet gone back over */
  int64_t kept_bytes; /* memory whose contents it keeps for them */
} rondo_tape_info;
#define RONDO_TAPE_INFO_INIT \
  { sizeof(rondo_tape_info), 0, 0, 0 }

/* Figures of a tape. Since 0.1. */
RONDO_API rondo_status rondo_tape_query(rondo_tape* tape, rondo_tape_info* info);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_TAPE_H */
