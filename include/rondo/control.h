/* Control flow: what runs is decided by a number on a device. Outside of a recording the call waits for the number and
 * calls the function that it chooses. In a recording every function is called once, its operators become a body, a part
 * of the graph, and each launch decides anew, without blocking the calling thread. The results are the same.
 *
 * A body issues ordinary operators, control flow too. What it is to leave behind it writes into tensors that were made
 * before it: in place, or as outputs. Recorded, a tensor that is made in a body lives inside it: its memory is the
 * graph's, and using it after the body is RONDO_INVALID_STATE. What only some of the bodies write, or only some runs of
 * a loop, keeps its contents otherwise, so it must have some before.
 *
 * Random numbers: each call takes one number from the sequence of the cpu, and what a body draws comes from sequences
 * of its own that begin there, new ones in each turn of a loop. So later numbers do not depend on what was chosen.
 *
 * Functions are called on the calling thread before the call returns, and never again. They return RONDO_OK, or a
 * status that the call fails with; then a recording is as if the call had not been made. In a function the recording
 * cannot be ended or aborted, and no input or output of it be named (RONDO_INVALID_STATE).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_CONTROL_H
#define RONDO_CONTROL_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Issues the operators of a body. argument: as it was given. */
typedef rondo_status (*rondo_body_fn)(void* argument);

/* Runs then_body if the condition is true, else else_body, which may be NULL: then nothing.
 * condition: one element of dtype bool, of any shape, on any device of the engine; it was written. argument is handed
 * to the functions. Outside of a recording it waits for the condition, so it is RONDO_INVALID_STATE inside a task; an
 * open tape notes the body that runs. In a recording while a tape is open on the thread: RONDO_UNSUPPORTED.
 * RONDO_INVALID_ARGUMENT names what does not fit. Since 0.1. */
RONDO_API rondo_status rondo_if(rondo_engine* engine, rondo_tensor* condition, rondo_body_fn then_body,
                                rondo_body_fn else_body, void* argument);
/* Runs the body as long as the condition is true, which is looked at before each turn and which the body writes.
 * limit: the most turns; 0: none, and then a recorded body must write the condition (RONDO_INVALID_ARGUMENT). Outside
 * of a recording the function is called in each turn. An engine ends after its loops. Otherwise as rondo_if. Since 0.1.
 */
RONDO_API rondo_status rondo_while(rondo_engine* engine, rondo_tensor* condition, rondo_body_fn body, int64_t limit,
                                   void* argument);
/* Runs bodies[i], i the index: one element of dtype i32 or i64. None if it is negative or not less than n_bodies.
 * bodies: n_bodies functions, 1 to 4096, none NULL; bodies[i] is given arguments[i], or NULL where arguments is NULL.
 * Otherwise as rondo_if. Since 0.1. */
RONDO_API rondo_status rondo_switch(rondo_engine* engine, rondo_tensor* index, int32_t n_bodies,
                                    const rondo_body_fn* bodies, void* const* arguments);

#ifdef __cplusplus
}
#endif

/* How deep functions of yours nest on one thread: bodies, functions of callables and gradients that call Rondo, which
 * calls such a function again. As deep nest, in a graph, bodies and launches of other graphs. What would go deeper is
 * RONDO_INVALID_STATE. */
#define RONDO_MAX_NESTED 100

#endif /* RONDO_CONTROL_H */
