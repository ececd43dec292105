/* Training in 16 bits with weights in f32: operators that compute in 16 bits, and a scaled loss.
 *
 *   rondo_loss_scaler_create(engine, device, NULL, &scaler);
 *   ... per step, or once in a recording:
 *   rondo_autocast_begin(engine, RONDO_F16);
 *   ... the loss ...
 *   rondo_autocast_end(engine);
 *   rondo_loss_scaler_scale(scaler, loss, &scaled);
 *   rondo_tape_gradients(tape, 1, &scaled, NULL, n, parameters, gradients);
 *   rondo_loss_scaler_step(scaler, optimizer, n, gradients);
 *   rondo_loss_scaler_update(scaler);
 *
 * docs/mixed-precision.md explains.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_MIXED_PRECISION_H
#define RONDO_MIXED_PRECISION_H

#include <rondo/base.h>
#include <rondo/optimizer.h>
#include <rondo/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- autocast --- */

/* What a scope does with an operator; docs/mixed-precision.md says which operators have which. Values never change.
 * Since 0.1. */
typedef enum rondo_precision {
  RONDO_PRECISION_HALF = 0,   /* computes in the scope's 16-bit float: f32 operands are cast to it */
  RONDO_PRECISION_SINGLE = 1, /* computes in f32: 16-bit operands are cast to it */
  RONDO_PRECISION_WIDEST = 2  /* computes in the widest dtype of its operands */
} rondo_precision;

/* Begins an autocast scope on the calling thread: from here to its end the thread's operators on tensors of the engine
 * compute in the precision that docs/mixed-precision.md has for them. Operands are cast by operators as rondo_cast: run
 * at once or recorded, noted by tapes, fused by graphs; what was cast once is cast again only if it was written since.
 * Operands of f64, of integers and of 8-bit floats are not cast, nor those of an operator whose `out` is given, nor
 * what runs inside rondo_tape_gradients.
 *
 * dtype: RONDO_F16 or RONDO_BF16; RONDO_F32 for a scope in which nothing is cast. Scopes nest: the innermost counts,
 * and begins with what rondo_autocast_set said in the one around it. RONDO_INVALID_ARGUMENT for another dtype,
 * RONDO_INVALID_STATE inside a task. Since 0.1. */
RONDO_API rondo_status rondo_autocast_begin(rondo_engine* engine, rondo_dtype dtype);
/* Sets what the innermost scope does with an operator from here on. operation: its name as messages have it, "exp",
 * "sum", or its function's, "matmul", "gated", for which the former counts first; or the name of a live expression
 * (rondo_expression_create), for texts of that name; copied. precision: what it computes in; texts compute with their
 * operands as they are unless it is said. RONDO_INVALID_ARGUMENT for what is no such name or precision,
 * RONDO_INVALID_STATE where the thread has no scope of the engine. Since 0.1. */
RONDO_API rondo_status rondo_autocast_set(rondo_engine* engine, const char* operation, rondo_precision precision);
/* Ends the innermost scope of the engine on the calling thread. RONDO_INVALID_STATE where there is none. Since 0.1. */
RONDO_API rondo_status rondo_autocast_end(rondo_engine* engine);

/* --- loss scaling --- */

/* The scale of a loss, which keeps gradients within the range of 16-bit floats, and what decides about it. All of it is
 * in device memory, so a graph scales, skips steps and changes the scale without the host. Belongs to its engine; used
 * by one thread at a time. */
typedef struct rondo_loss_scaler rondo_loss_scaler;

typedef struct rondo_loss_scaler_options {
  size_t size;             /* set by RONDO_LOSS_SCALER_OPTIONS_INIT */
  double initial_scale;    /* the scale of the first step; 2 to the -126 to 2 to the 126 */
  double growth_factor;    /* what the scale is multiplied by after growth_interval good steps; at least 1 */
  double backoff_factor;   /* what it is multiplied by after a step that was skipped; above 0, at most 1 */
  int64_t growth_interval; /* good steps in a row after which the scale grows; at least 1 */
} rondo_loss_scaler_options;
#define RONDO_LOSS_SCALER_OPTIONS_INIT \
  { sizeof(rondo_loss_scaler_options), 65536, 2, 0.5, 2000 }

/* Makes a loss scaler for losses and gradients on `device`. options NULL means RONDO_LOSS_SCALER_OPTIONS_INIT. The
 * caller owns *scaler. RONDO_INVALID_ARGUMENT for options out of range; in a recording: RONDO_INVALID_STATE. Since
 * 0.1. */
RONDO_API rondo_status rondo_loss_scaler_create(rondo_engine* engine, rondo_device device,
                                                const rondo_loss_scaler_options* options, rondo_loss_scaler** scaler);
/* Destroys the loss scaler. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_loss_scaler_destroy(rondo_loss_scaler* scaler);

/* out = loss times the scale, of which gradients are then asked: an operator as others are, noted by tapes. loss: f32
 * or f64, of any shape. `out` as in ops.h. Since 0.1. */
RONDO_API rondo_status rondo_loss_scaler_scale(rondo_loss_scaler* scaler, rondo_tensor* loss, rondo_tensor** out);

/* rondo_optimizer_step with gradients of a scaled loss: they are divided by the scale as they are read, and if any of
 * them is not finite nothing is written and the step does not count. gradients: as rondo_optimizer_step takes them, on
 * the scaler's device. Several optimizers may step before an update, each decides for itself. Does not wait. No
 * gradient. Since 0.1. */
RONDO_API rondo_status rondo_loss_scaler_step(rondo_loss_scaler* scaler, rondo_optimizer* optimizer,
                                              int32_t n_gradients, rondo_tensor* const* gradients);

/* What a step goes by that is not rondo_loss_scaler_step: of rows of tables (rondo_embedding_bag_descend), of an
 * optimizer that others decide for too (rondo_optimizer_step), or of your own. *finite = whether no element of the
 * n_gradients `gradients` of the scaled loss is infinite or NaN, a bool; *scale = 1 / the scale, which the step
 * multiplies them by, an f32; both new, without axes, and the caller's. It counts as a step: where *finite is false the
 * round is not a good one. gradients: as rondo_all_finite takes them, on the scaler's device. Does not wait. No
 * gradient. Since 0.1. */
RONDO_API rondo_status rondo_loss_scaler_finite(rondo_loss_scaler* scaler, int32_t n_gradients,
                                                rondo_tensor* const* gradients, rondo_tensor** finite,
                                                rondo_tensor** scale);

/* Ends a round of training, after its steps: if all of them were taken it was a good one, and the growth_interval-th
 * in a row multiplies the scale by growth_factor; otherwise the scale is multiplied by backoff_factor. The scale stays
 * from 2 to the -126 to 2 to the 126. Does not wait: ordered as any operator, eager or recorded. RONDO_INVALID_STATE
 * where no step was asked for since the last update. No gradient. Since 0.1. */
RONDO_API rondo_status rondo_loss_scaler_update(rondo_loss_scaler* scaler);

/* A tensor of the state, by `index`, and its name, for saving it and for loading it into: 0 "loss_scaler.scale" (f32),
 * 1 "loss_scaler.good_steps" (i64, rounds since the scale last changed or was to), 2 "loss_scaler.skipped_steps" (i64,
 * rounds with a step that was skipped), each without axes. *name lives as long as the process; the caller owns *tensor,
 * which shares the state's memory. RONDO_INVALID_ARGUMENT for another index. Since 0.1. */
RONDO_API rondo_status rondo_loss_scaler_state(rondo_loss_scaler* scaler, int32_t index, const char** name,
                                               rondo_tensor** tensor);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_MIXED_PRECISION_H */
