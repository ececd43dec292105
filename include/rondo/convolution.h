/* Convolution in one to three dimensions, and its gradients, which are convolutions again. `out`, devices and errors
 * are as in ops.h; each call is one task.
 *
 * x is [n, c, spatial...], w is [k, c / groups, kernel...], the result is [n, k, spatial...]: one float dtype for all.
 * The order of axes in memory is only in the strides: channels last is a view of [n, spatial..., c] with its axes
 * exchanged (rondo_tensor_transpose), which libraries often prefer. A new result has the order that x has.
 *
 * 16-bit dtypes are summed in float and rounded once. The work is done by cuDNN on cuda and by oneDNN on cpu where they
 * are found and take the problem, otherwise by Rondo's own kernels and loops. Results do not change between runs.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_CONVOLUTION_H
#define RONDO_CONVOLUTION_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The spatial axes that a convolution may have. Since 0.1. */
#define RONDO_MAX_SPATIAL 3

/* Numbers by spatial axis: entries behind the last one of x are ignored. Since 0.1. */
typedef struct rondo_convolution_options {
  size_t size;                               /* set by RONDO_CONVOLUTION_OPTIONS_INIT */
  int64_t stride[RONDO_MAX_SPATIAL];         /* from one place of the kernel to the next */
  int64_t padding[RONDO_MAX_SPATIAL];        /* zeros before the first element */
  int64_t padding_end[RONDO_MAX_SPATIAL];    /* zeros behind the last one; -1: as many as padding */
  int64_t dilation[RONDO_MAX_SPATIAL];       /* from one element of the kernel to the next */
  int64_t output_padding[RONDO_MAX_SPATIAL]; /* transposed only: by how much the result is larger at its end */
  int64_t groups;                            /* channels in so many parts, each with kernels of its own */
  int32_t transposed;                        /* the other way round: see rondo_convolution */
  rondo_activation activation;               /* applied last, to the sum before it is rounded */
  rondo_tensor* scale;                       /* NULL, or [k]: what each channel of the sum is multiplied by */
  rondo_tensor* bias;                        /* NULL, or [k]: added to each channel then */
  rondo_tensor* residual;                    /* NULL, or of the result's shape: added before the activation */
  int32_t allow_tf32;    /* f32 on cuda may use TF32 tensor cores (10-bit mantissa products). Default 0: full f32 */
  int32_t deterministic; /* libraries may only use what gives the same bits in each run */
} rondo_convolution_options;
#define RONDO_CONVOLUTION_OPTIONS_INIT                                                                 \
  {                                                                                                    \
    sizeof(rondo_convolution_options), {1, 1, 1}, {0, 0, 0}, {-1, -1, -1}, {1, 1, 1}, {0, 0, 0}, 1, 0, \
        RONDO_ACTIVATION_NONE, NULL, NULL, NULL, 0, 0                                                  \
  }

/* out = activation(convolution of x with w * scale + bias + residual), where the convolution is the sum over channels c
 * and elements r of the kernel of x[n, c, o stride + r dilation - padding] w[k, c, r], o being a place of the result.
 * The result has (size + padding + padding_end - dilation (kernel - 1) - 1) / stride + 1 places on each axis, rounded
 * down. With as many groups as channels it is depthwise. options NULL means RONDO_CONVOLUTION_OPTIONS_INIT.
 *
 * Transposed, w is [c, k / groups, kernel...], x stands where the result stood, and each of its elements adds w to the
 * places that it was made of: the gradient with respect to x of the convolution with the same w and options. The result
 * has (size - 1) stride - padding - padding_end + dilation (kernel - 1) + 1 + output_padding places; output_padding,
 * less than the stride, names one of the sizes that give x.
 *
 * RONDO_INVALID_ARGUMENT for shapes that do not go together, a kernel larger than the padded x, strides or dilations
 * below 1. Gradients: of all operands. Since 0.1. */
RONDO_API rondo_status rondo_convolution(rondo_tensor* x, rondo_tensor* w, const rondo_convolution_options* options,
                                         rondo_tensor** out);

/* out = the gradient with respect to w of rondo_convolution(x, w, options), given that of its result, dy, before scale,
 * bias, residual and activation, which options must not have. out has w's shape, of which `kernel_shape` is the n
 * spatial sizes. Since 0.1. */
RONDO_API rondo_status rondo_convolution_filter_grad(rondo_tensor* x, rondo_tensor* dy, int32_t n,
                                                     const int64_t* kernel_shape,
                                                     const rondo_convolution_options* options, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_CONVOLUTION_H */
