/* Pooling and resizing of images. `out`, devices and errors are as in ops.h; each call is one task.
 *
 * a is [n, c, spatial...] of a float dtype, with 1 to 3 spatial axes, none of them empty. The order of axes in memory
 * is only in the strides: channels last is a view of [n, spatial..., c] with its axes exchanged
 * (rondo_tensor_transpose). A new result has the order that a has: [n, spatial..., c] in memory if the stride of a's
 * axis 1 is smaller than that of every later axis, whatever axis 0 has, otherwise row-major. Of [2, 3, 4] with strides
 * (1, 2, 6) one of the same shape has the strides (12, 1, 3). 16-bit dtypes are added up in f32 and rounded once, in a
 * fixed order: results and gradients do not change between runs.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_POOLING_H
#define RONDO_POOLING_H

#include <rondo/convolution.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers by spatial axis: entries behind the last one of a are ignored. Since 0.1. */
typedef struct rondo_pool_options {
  size_t size;                            /* set by RONDO_POOL_OPTIONS_INIT */
  int64_t stride[RONDO_MAX_SPATIAL];      /* from one window to the next; 0: the window's size */
  int64_t padding[RONDO_MAX_SPATIAL];     /* places before the first element; less than the window's extent */
  int64_t padding_end[RONDO_MAX_SPATIAL]; /* places behind the last one; -1: as many as padding */
  int64_t dilation[RONDO_MAX_SPATIAL];    /* from one element of a window to the next; of the mean, 1 */
  int32_t ceil_mode;                      /* a last window that is there in part counts, if it begins before the end */
  int32_t count_include_pad;              /* the mean is of the padding's zeros too. By default it is */
} rondo_pool_options;
#define RONDO_POOL_OPTIONS_INIT \
  { sizeof(rondo_pool_options), {0, 0, 0}, {0, 0, 0}, {-1, -1, -1}, {1, 1, 1}, 0, 1 }

/* out = the largest element of each window; NaN if any is NaN, and -infinity where dilation leaves a window without
 * elements. kernel has n entries, the window's sizes on a's n spatial axes. The result has (size + padding +
 * padding_end
 * - dilation (kernel - 1) - 1) / stride + 1 places on each, rounded down, or with ceil_mode up. options NULL means
 * RONDO_POOL_OPTIONS_INIT. Gradient: to the first of the largest; a tape keeps where it is. Since 0.1. */
RONDO_API rondo_status rondo_max_pool(rondo_tensor* a, int32_t n, const int64_t* kernel,
                                      const rondo_pool_options* options, rondo_tensor** out);
/* out = the mean of each window. Otherwise as rondo_max_pool; options may be NULL. Since 0.1. */
RONDO_API rondo_status rondo_avg_pool(rondo_tensor* a, int32_t n, const int64_t* kernel,
                                      const rondo_pool_options* options, rondo_tensor** out);

/* out = the largest element of each of so many parts of each of a's n spatial axes: part i of k begins at i size / k,
 * rounded down, and ends before (i + 1) size / k, rounded up. sizes has n entries; 1 each is global pooling. Gradient
 * as of rondo_max_pool. Since 0.1. */
RONDO_API rondo_status rondo_adaptive_max_pool(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_tensor** out);
/* The same with the mean. Since 0.1. */
RONDO_API rondo_status rondo_adaptive_avg_pool(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_tensor** out);

/* How an element of a resized image is made. Since 0.1. */
typedef enum rondo_resize_mode {
  RONDO_RESIZE_NEAREST = 0,      /* the nearest element; of two equally near the one that the origin says */
  RONDO_RESIZE_LINEAR = 1,       /* neighbours by their distance: linear, bilinear or trilinear */
  RONDO_RESIZE_NEAREST_EXACT = 2 /* the nearest element; of two equally near the one behind, whatever the origin */
} rondo_resize_mode;

/* Where element i of `out` elements lies among `in` elements. Since 0.1. */
typedef enum rondo_resize_origin {
  RONDO_RESIZE_HALF_PIXEL = 0,    /* (i + 1/2) in / out - 1/2; NEAREST: of two equally near the one before */
  RONDO_RESIZE_ALIGN_CORNERS = 1, /* i (in - 1) / (out - 1); NEAREST: of two equally near the one behind */
  RONDO_RESIZE_ASYMMETRIC = 2     /* i in / out; NEAREST: always the one before, however near the next is */
} rondo_resize_origin;

/* out = a with other sizes of its n spatial axes. Places outside are those of the first or last element; no element in
 * between is left out on purpose (there is no filter against aliasing). Nearest elements are found in integers,
 * exactly; places of linear are computed in double. PyTorch's nearest-exact is RONDO_RESIZE_NEAREST_EXACT from half
 * pixels. Since 0.1. */
RONDO_API rondo_status rondo_resize(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_resize_mode mode,
                                    rondo_resize_origin origin, rondo_tensor** out);

/* out = a / (k + alpha mean of a * a)^beta, the mean being over `size` neighbouring channels, size / 2 before each and
 * the rest from it on, with zeros outside: local response normalisation. Several tasks. Since 0.1. */
RONDO_API rondo_status rondo_local_response_norm(rondo_tensor* a, int64_t size, double alpha, double beta, double k,
                                                 rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_POOLING_H */
