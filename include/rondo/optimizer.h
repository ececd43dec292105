/* Optimizers: what becomes of a model's parameters, given their gradients. One call is one step over all parameters, a
 * few kernels however many tensors there are; recorded, it is a node of the graph. What changes from step to step, the
 * step counter and the learning rate with its schedule, is in device memory, so a graph stays as it is.
 *
 *   rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
 *   options.kind = RONDO_OPTIMIZER_ADAMW;
 *   rondo_optimizer_create(n, parameters, &options, &optimizer);
 *   ... per step: the gradients ...
 *   rondo_optimizer_step(optimizer, n, gradients, NULL, NULL);
 *
 * docs/optimizers.md has the formulas, and says how training is saved and resumed.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_OPTIMIZER_H
#define RONDO_OPTIMIZER_H

#include <rondo/base.h>
#include <rondo/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An optimizer of some parameters, and its state. Belongs to their engine; used by one thread at a time. */
typedef struct rondo_optimizer rondo_optimizer;

/* The rule of a step. Values never change. Since 0.1. */
typedef enum rondo_optimizer_kind {
  RONDO_OPTIMIZER_SGD = 0,   /* gradient descent, with momentum if options say so */
  RONDO_OPTIMIZER_ADAM = 1,  /* weight decay is added to gradients */
  RONDO_OPTIMIZER_ADAMW = 2, /* weight decay shrinks the weights themselves */
  RONDO_OPTIMIZER_LAMB = 3   /* Adam's direction and weight decay, as long as each tensor's weights say */
} rondo_optimizer_kind;

/* What the learning rate is multiplied by, behind the warm-up; k counts the steps from there. Values never change.
 * Since 0.1. */
typedef enum rondo_rate_schedule {
  RONDO_RATE_CONSTANT = 0, /* 1 */
  RONDO_RATE_LINEAR = 1,   /* from 1 to rate_decay in decay_steps, and that from then on */
  RONDO_RATE_COSINE = 2,   /* the same along half a cosine */
  RONDO_RATE_STEP = 3      /* rate_decay to the power of k / decay_steps, rounded down */
} rondo_rate_schedule;

typedef struct rondo_optimizer_options {
  size_t size;                  /* set by RONDO_OPTIMIZER_OPTIONS_INIT */
  rondo_optimizer_kind kind;    /* the rule */
  rondo_rate_schedule schedule; /* of the learning rate */
  double rate;                  /* the learning rate; rondo_optimizer_set_rate changes it */
  double momentum;              /* SGD: how much of the last step's direction is kept; 0: no momentum, and no state */
  double dampening;             /* SGD with momentum: 1 less how much of the gradient is taken in */
  double beta1;                 /* Adam, AdamW, LAMB: how much of the mean of gradients is kept */
  double beta2;                 /* how much of the mean of their squares is kept */
  double epsilon;               /* added to the root of that */
  double weight_decay;          /* 0: none */
  double max_norm;              /* gradients are clipped to this norm, over all of them; 0: they are not */
  double rate_decay;            /* what the schedule ends with or multiplies by */
  int64_t warmup_steps;         /* steps in which the learning rate rises along a line; 0: none */
  int64_t decay_steps;          /* how long the schedule takes; at least 1 where it is not constant */
  int32_t nesterov;             /* SGD with momentum: 1: looks a step ahead */
  int32_t amsgrad;              /* Adam, AdamW: 1: divides by the largest mean of squares so far */
  int32_t master_weights;       /* 1: 16-bit parameters have f32 weights behind them, which steps add up in */
  int32_t reserved;             /* 0 */
} rondo_optimizer_options;
#define RONDO_OPTIMIZER_OPTIONS_INIT                                                                                   \
  {                                                                                                                    \
    sizeof(rondo_optimizer_options), RONDO_OPTIMIZER_SGD, RONDO_RATE_CONSTANT, 0.001, 0, 0, 0.9, 0.999, 0.00000001, 0, \
        0, 0, 0, 1, 0, 0, 0, 0                                                                                         \
  }

/* Makes an optimizer of n_parameters `parameters`: of f16, bf16, f32 or f64, on one device, each once. A parameter may
 * be a view; its elements lie together in memory, its axes in any order. State is kept in f32, that of f64 in f64, and
 * is zero; f32 weights behind 16-bit ones are made of these now, so parameters are loaded before. options NULL means
 * RONDO_OPTIMIZER_OPTIONS_INIT. The caller owns *optimizer, which keeps the parameters' memory. RONDO_INVALID_ARGUMENT
 * for options that do not go together, with what would be right; in a recording: RONDO_INVALID_STATE. Since 0.1. */
RONDO_API rondo_status rondo_optimizer_create(int32_t n_parameters, rondo_tensor* const* parameters,
                                              const rondo_optimizer_options* options, rondo_optimizer** optimizer);
/* Destroys the optimizer. Never blocks; work in flight and graphs go on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_optimizer_destroy(rondo_optimizer* optimizer);

/* One step: parameters become what the rule makes of them and of n_gradients `gradients`, one for each parameter, in
 * its shape and in the same order in memory, each of any float dtype of 16 bits or more. finite (may be NULL) is a bool
 * of one element, as rondo_all_finite makes it; where it is false the step writes nothing and does not count. scale
 * (may be NULL) is an f32 of one element, which gradients are multiplied by as they are read, before they are clipped;
 * they are not written. Does not wait: ordered as any operator, eager or recorded. No gradient. Since 0.1. */
RONDO_API rondo_status rondo_optimizer_step(rondo_optimizer* optimizer, int32_t n_gradients,
                                            rondo_tensor* const* gradients, rondo_tensor* finite, rondo_tensor* scale);

/* Sets the learning rate of later steps, which the schedule multiplies. Ordered as rondo_fill, so that graphs that were
 * recorded before go by it too; in a recording it is recorded. RONDO_INVALID_ARGUMENT for a rate that is negative or
 * not finite. Since 0.1. */
RONDO_API rondo_status rondo_optimizer_set_rate(rondo_optimizer* optimizer, double rate);

/* A tensor of the state, by `index`, and its name, for saving it and for loading it into: "optimizer.step" (i64, the
 * steps so far), "optimizer.rate" (f64), then of parameter 0 "optimizer.0.momentum_buffer", or "optimizer.0.exp_avg",
 * "optimizer.0.exp_avg_sq", "optimizer.0.max_exp_avg_sq", and "optimizer.0.master_weights", those that there are, in
 * the parameter's shape, and so on. *name lives as long as the optimizer; the caller owns *tensor, which shares the
 * state's memory. RONDO_INVALID_ARGUMENT if there are not as many (rondo_optimizer_query). Since 0.1. */
RONDO_API rondo_status rondo_optimizer_state(rondo_optimizer* optimizer, int32_t index, const char** name,
                                             rondo_tensor** tensor);

typedef struct rondo_optimizer_info {
  size_t size;        /* set by RONDO_OPTIMIZER_INFO_INIT */
  int32_t parameters; /* tensors that it steps */
  int32_t states;     /* tensors of its state */
  int64_t bytes;      /* of its state */
} rondo_optimizer_info;
#define RONDO_OPTIMIZER_INFO_INIT \
  { sizeof(rondo_optimizer_info), 0, 0, 0 }

/* Figures of the optimizer. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_optimizer_query(rondo_optimizer* optimizer, rondo_optimizer_info* info);

/* out = whether no element of the n `tensors` is infinite or NaN: a bool without axes. Tensors of f16, bf16, f32 or f64
 * on one device, each with elements that lie together in memory. One task. `out`, devices and errors as in ops.h. No
 * gradient. Since 0.1. */
RONDO_API rondo_status rondo_all_finite(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out);

/* out = the root of the sum of the squares of all elements of the n `tensors`, summed in f64 in an order that shapes
 * alone decide: an f32 without axes. Tensors as of rondo_all_finite. No gradient. Since 0.1. */
RONDO_API rondo_status rondo_global_norm(int32_t n, rondo_tensor* const* tensors, rondo_tensor** out);

/* The n `tensors`, written in place, are multiplied by max_norm / (norm + 1e-6) where that is less than 1; out = that
 * norm, as rondo_global_norm tells it of them before. A norm that is NaN makes all elements NaN; one too large for f32
 * is infinite in out, but elements are clipped by what it is in f64. RONDO_INVALID_ARGUMENT for a max_norm that is not
 * positive, and for tensors that share memory. No gradient. Since 0.1. */
RONDO_API rondo_status rondo_clip_global_norm(int32_t n, rondo_tensor* const* tensors, double max_norm,
                                              rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_OPTIMIZER_H */
