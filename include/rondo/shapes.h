/* Operators that move elements and compute nothing: joining, padding, repeating, rolling, triangles, picking by index,
 * sorting. Names and meaning are NumPy's. All dtypes (8-bit floats: all but sorting, arange and linspace); bits are
 * kept as they are, those of a NaN too. `out`, devices and errors are as in ops.h; each call is one task, and one
 * kernel on cuda, unless it says otherwise. What shows the same elements in another order without moving them is a view
 * (rondo_tensor_flip, rondo_tensor_split, rondo_tensor_slice).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_SHAPES_H
#define RONDO_SHAPES_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- joining --- */

/* out = the tensors one behind the other along `axis` (negative counts from the end); n is 1 or more. Their other sizes
 * are the same. Mixed dtypes are promoted, by a task for each tensor that needs it; more than 16 tensors are a task per
 * 16. A new result has channels last in memory where the first tensor has. Gradient: the parts of the result's, which
 * are slices. Since 0.1. */
RONDO_API rondo_status rondo_concat(int32_t n, rondo_tensor* const* tensors, int32_t axis, rondo_tensor** out);
/* out = the tensors, of one shape, side by side along a new axis that has this place in the result (negative counts
 * from its end). Otherwise as rondo_concat. Since 0.1. */
RONDO_API rondo_status rondo_stack(int32_t n, rondo_tensor* const* tensors, int32_t axis, rondo_tensor** out);

/* --- padding and repeating --- */

/* What padding shows, for [1, 2, 3] on either side. Since 0.1. */
typedef enum rondo_pad_mode {
  RONDO_PAD_CONSTANT = 0,  /* a value */
  RONDO_PAD_EDGE = 1,      /* ... 1 1 [1 2 3] 3 3 ... */
  RONDO_PAD_REFLECT = 2,   /* ... 3 2 [1 2 3] 2 1 ... */
  RONDO_PAD_SYMMETRIC = 3, /* ... 2 1 [1 2 3] 3 2 ... */
  RONDO_PAD_WRAP = 4       /* ... 2 3 [1 2 3] 1 2 ... */
} rondo_pad_mode;

/* out = a with more elements around it: widths has n = 2 ndim entries, how many before and how many after the elements
 * of each dimension. Padding may be wider than a; where a has size 0, only RONDO_PAD_CONSTANT pads. `value` is what
 * RONDO_PAD_CONSTANT shows, of a's dtype (rules of scalars as in ops.h); other modes ignore it. A new result has
 * channels last in memory where a has. Since 0.1. */
RONDO_API rondo_status rondo_pad(rondo_tensor* a, rondo_pad_mode mode, int32_t n, const int64_t* widths, double value,
                                 rondo_tensor** out);
/* out = a as often as counts says along each dimension. Of counts and the shape of a the shorter one gets ones in
 * front; n is at most RONDO_MAX_DIMS. Since 0.1. */
RONDO_API rondo_status rondo_tile(rondo_tensor* a, int32_t n, const int64_t* counts, rondo_tensor** out);
/* out = a with each element of one axis `count` times in a row. Since 0.1. */
RONDO_API rondo_status rondo_repeat(rondo_tensor* a, int64_t count, int32_t axis, rondo_tensor** out);
/* out = a with the elements of each dimension moved on by its entry of shifts, those that leave it at the end coming in
 * at the start; n is a's number of dimensions, 0 moves nothing and less goes back. Gradient: the roll by the opposite.
 * Since 0.1. */
RONDO_API rondo_status rondo_roll(rondo_tensor* a, int32_t n, const int64_t* shifts, rondo_tensor** out);

/* --- triangles: of the last two dimensions of a, which has 2 or more --- */

/* out = a on and below a diagonal, 0 above it. `diagonal` is the one that counts as the last: 0 the main one, 1 the
 * next above it. out may be a. Gradient: the same of the result's. Since 0.1. */
RONDO_API rondo_status rondo_tril(rondo_tensor* a, int64_t diagonal, rondo_tensor** out);
/* out = a on and above a diagonal, 0 below it. Otherwise as rondo_tril. Since 0.1. */
RONDO_API rondo_status rondo_triu(rondo_tensor* a, int64_t diagonal, rondo_tensor** out);
/* out [rows, columns] = 1 on a diagonal (0 the main one, 1 the next above it), 0 elsewhere. If *out is given, device,
 * dtype, rows and columns are its own and the arguments are ignored. Since 0.1. */
RONDO_API rondo_status rondo_eye(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t rows,
                                 int64_t columns, int64_t diagonal, rondo_tensor** out);

/* --- picking by index: indices are i32 or i64, negative ones count from the end. One outside gives 0,
 * and what is put there is left out; on an engine that checks (rondo_engine_options.check_indices) it is an error of
 * the task, whose message names operator, place and index --- */

/* out[i..., j..., k...] = a[i..., indices[j...], k...], i before `axis` and k behind it. rondo_gather_rows is this for
 * axis 0. Since 0.1. */
RONDO_API rondo_status rondo_take(rondo_tensor* a, rondo_tensor* indices, int32_t axis, rondo_tensor** out);
/* out[i..., j, k...] = a[i..., indices[i..., j, k...], k...]: indices has as many dimensions as a, and but for `axis`
 * the two are broadcast. Since 0.1. */
RONDO_API rondo_status rondo_take_along_axis(rondo_tensor* a, rondo_tensor* indices, int32_t axis, rondo_tensor** out);

/* Puts values where indices say: tensor[i..., indices[i..., j, k...], k...] = values[i..., j, k...]. indices has as
 * many dimensions as tensor, and but for `axis` they are broadcast to it; values is broadcast to the indices. The
 * dtypes of tensor and values are the same. Where an index comes again, the last one counts; one outside is left out.
 * tensor must have contents: what no index names stays. If it is a rondo_tensor_accumulator view, values are added
 * instead, those of one element in their order and with one rounding for all of them: so the bits are the same each
 * time. Gradient of rondo_take_along_axis: its result's, put like that into zeros. On cuda the indices are sorted
 * first, so it takes two kernels or more. Since 0.1. */
RONDO_API rondo_status rondo_put_along_axis(rondo_tensor* tensor, rondo_tensor* indices, rondo_tensor* values,
                                            int32_t axis);
/* The same for indices as rondo_take has them: tensor[i..., indices[j...], k...] = values[i..., j..., k...], values
 * broadcast to that. Gradient of rondo_take and rondo_gather_rows. Since 0.1. */
RONDO_API rondo_status rondo_put(rondo_tensor* tensor, rondo_tensor* indices, rondo_tensor* values, int32_t axis);

/* --- what a tensor's contents choose. How many there are is not known before the work is done: so either the caller
 * gives a limit, and gets as many rows and the number on the device, without a wait; or the call waits. --- */

/* out [limit, a's ndim], i64 = where a is not 0 (NaN is not): the indices of each such element, in row-major order, as
 * NumPy's argwhere. count, i64 [] = how many such elements a has; those beyond `limit` are left out, and rows beyond
 * count are `fill`. May be recorded. No gradient flows. limit 0 counts. Since 0.1. */
RONDO_API rondo_status rondo_nonzero_limit(rondo_tensor* a, int64_t limit, int64_t fill, rondo_tensor** out,
                                           rondo_tensor** count);
/* The same with as many rows as a has elements that are not 0. Waits for a and counts first, so it is
 * RONDO_INVALID_STATE in a recording and inside a task: there rondo_nonzero_limit is what works. Since 0.1. */
RONDO_API rondo_status rondo_nonzero(rondo_tensor* a, rondo_tensor** out);
/* out [limit, ...] = those parts a[i..., :...] whose mask[i...] is true, in row-major order: mask is bool and of the
 * sizes of a's first dimensions, one at least. With a mask of a's shape that is each chosen element; with one of one
 * dimension, rows. count, i64 [] = how many the mask chooses; those beyond `limit` are left out, and what is beyond
 * count is `fill`, of a's dtype (rules of scalars as in ops.h). May be recorded. Gradient: the result's, put where its
 * parts came from. Since 0.1. */
RONDO_API rondo_status rondo_select_limit(rondo_tensor* a, rondo_tensor* mask, int64_t limit, double fill,
                                          rondo_tensor** out, rondo_tensor** count);
/* The same with as many parts as the mask chooses. Waits for the mask, as rondo_nonzero for its operand. Since 0.1. */
RONDO_API rondo_status rondo_select(rondo_tensor* a, rondo_tensor* mask, rondo_tensor** out);

/* --- numbers at equal distances: one dimension. If *out is given, its device and dtype are used instead of the
 * arguments. Computed in double, or for integers exactly, and rounded once --- */

/* out = start, start + step, ... before stop, as many as ceil((stop - start) / step). step is not 0. For integer dtypes
 * start, stop and step are whole numbers, and the dtype must hold what comes out. Since 0.1. */
RONDO_API rondo_status rondo_arange(rondo_engine* engine, rondo_device device, rondo_dtype dtype, double start,
                                    double stop, double step, rondo_tensor** out);
/* The same for 64-bit integers beyond 2^53: from start before stop by step. Since 0.1. */
RONDO_API rondo_status rondo_arange_i64(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int64_t start,
                                        int64_t stop, int64_t step, rondo_tensor** out);
/* out = `count` numbers from start to stop at equal distances; endpoint != 0: stop is the last of them, else the one
 * that would follow. Integer dtypes take the next whole number below, as NumPy's. Since 0.1. */
RONDO_API rondo_status rondo_linspace(rondo_engine* engine, rondo_device device, rondo_dtype dtype, double start,
                                      double stop, int64_t count, int32_t endpoint, rondo_tensor** out);

/* --- sorting: along one axis, which may be negative, in the order of the numbers; -0 and 0 are equal, and NaN is
 * greater than every number, as in NumPy. Equal elements keep their order, in both directions. On cuda a line longer
 * than 2048 elements takes several kernels and memory for keys --- */

/* out = a with the elements of each line in order; descending != 0: the greatest first. Gradient: that of the result
 * put where rondo_argsort says the elements came from. Since 0.1. */
RONDO_API rondo_status rondo_sort(rondo_tensor* a, int32_t axis, int32_t descending, rondo_tensor** out);
/* out, i64 = where in their line of a the elements of rondo_sort's result, descending or not, are, so that
 * rondo_take_along_axis with it sorts. Since 0.1. */
RONDO_API rondo_status rondo_argsort(rondo_tensor* a, int32_t axis, int32_t descending, rondo_tensor** out);
/* out = the k greatest elements of each line, in descending order, or, with largest 0, the k least in ascending order;
 * indices, i64 = where they are. k is 0 up to the size of the axis. Since 0.1. */
RONDO_API rondo_status rondo_topk(rondo_tensor* a, int64_t k, int32_t axis, int32_t largest, rondo_tensor** out,
                                  rondo_tensor** indices);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_SHAPES_H */
