/* Normalisation of images: batch, group and instance normalisation, local response. `out`, devices and errors are as in
 * ops.h. rondo_layer_norm and rondo_rms_norm, which work along one axis, are there.
 *
 * a is [n, c, ...] of a float dtype: samples, channels, any axes. The order of axes in memory is only in the strides:
 * channels last is a view of [n, ..., c] with its axes exchanged (rondo_tensor_transpose). A new result has the order
 * that a has: [n, ..., c] in memory if the stride of a's axis 1 is smaller than that of every later axis, whatever axis
 * 0 has, otherwise row-major. Of [2, 3, 4] with strides (1, 2, 6) it has the strides (12, 1, 3). 16-bit dtypes are
 * computed in f32, and so are their statistics, which are f32 for them and of a's dtype otherwise. Sums are made in a
 * fixed order: results do not change between runs. Gradients: of a, weight, bias and residual; mean and
 * inverse_deviation, as written by the library, count as constants.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_NORMALISATION_H
#define RONDO_NORMALISATION_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What comes after the normalisation: out = activation(normalised a * weight + bias + residual). Since 0.1. */
typedef struct rondo_norm_options {
  size_t size;                 /* set by RONDO_NORM_OPTIONS_INIT */
  rondo_tensor* weight;        /* NULL, or [c] of a's dtype or that of statistics */
  rondo_tensor* bias;          /* NULL, or the same */
  rondo_tensor* residual;      /* NULL, or of a's shape and dtype */
  double epsilon;              /* added to the variance; at least 0. By default 1e-5 */
  rondo_activation activation; /* RONDO_ACTIVATION_NONE or RONDO_ACTIVATION_RELU, applied before rounding */
  int32_t reserved;            /* 0 */
} rondo_norm_options;
#define RONDO_NORM_OPTIONS_INIT \
  { sizeof(rondo_norm_options), NULL, NULL, NULL, 0.00001, RONDO_ACTIVATION_NONE, 0 }

/* out = batch normalisation with given statistics, as in inference: (a - mean) / sqrt(variance + epsilon), and what
 * options say. mean and variance are [c], of the dtype of statistics, and have gradients too. options NULL means
 * RONDO_NORM_OPTIONS_INIT. out may be a or the residual. One task. Since 0.1. */
RONDO_API rondo_status rondo_batch_norm(rondo_tensor* a, rondo_tensor* mean, rondo_tensor* variance,
                                        const rondo_norm_options* options, rondo_tensor** out);

/* The same with the statistics of the batch, as in training: mean and variance of each channel of a, of which at least
 * one element is needed. mean (may be NULL) and inverse_deviation (may be NULL), [c], are out parameters like out: the
 * mean, and 1 / sqrt(variance + epsilon). options may be NULL. running_mean (may be NULL) and running_variance (may be
 * NULL), both or neither, are [c] of the dtype of statistics, have contents, and become (1 - momentum) of what they
 * were and momentum, 0 to 1, of the batch's; the variance is the unbiased one there, and that of one element 0. Two
 * tasks. Since 0.1. */
RONDO_API rondo_status rondo_batch_norm_training(rondo_tensor* a, rondo_tensor* running_mean,
                                                 rondo_tensor* running_variance, double momentum,
                                                 const rondo_norm_options* options, rondo_tensor** out,
                                                 rondo_tensor** mean, rondo_tensor** inverse_deviation);

/* out = a with mean 0 and variance 1 in each group of each sample, and what options say, which may be NULL: options
 * NULL is as for rondo_batch_norm. The channels are `groups` equal parts, one behind the other. a has at most
 * RONDO_MAX_DIMS - 1 dimensions. Two tasks. Since 0.1. */
RONDO_API rondo_status rondo_group_norm(rondo_tensor* a, int64_t groups, const rondo_norm_options* options,
                                        rondo_tensor** out);
/* out = the same for each channel of each sample. options may be NULL. Since 0.1. */
RONDO_API rondo_status rondo_instance_norm(rondo_tensor* a, const rondo_norm_options* options, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_NORMALISATION_H */
