/* Operators of recommenders: rows looked up in many tables and added up in bags, steps of just those rows, and products
 * of all pairs of vectors. `out`, devices and errors are as in ops.h; docs/recommender.md has more.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_RECOMMENDER_H
#define RONDO_RECOMMENDER_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a bag's rows. Values never change. Since 0.1. */
typedef enum rondo_bag_mode {
  RONDO_BAG_SUM = 0, /* they are added up */
  RONDO_BAG_MEAN = 1 /* that, divided by the number of the bag's indices, those outside included */
} rondo_bag_mode;

/* out[b, t, :] = the rows of tables[t] that bag b of table t names, added up, or their mean as `mode` says: [batch,
 * n_tables, width]. Each of the n_tables `tables` is [rows, width]; rows may differ, width and float dtype are the
 * same. indices are i32 or i64: [n_tables, batch, length], bags of one length; or, with offsets, [places], a list of
 * all. offsets (may be NULL) is [n_tables * batch + 1], of the indices' dtype: bag b of table t is what stands from
 * offsets[t * batch + b] to before the next; they do not decrease, and what stands before the first or behind the last
 * is in no bag. A bag may be empty, and is zeros then. Negative indices count from the end; one outside adds nothing,
 * or is an error where the engine checks (rondo_engine_options.check_indices), as are offsets that decrease or lie
 * outside; elsewhere no bag reads beyond the list. Any strides. All tables are one launch, as many as 64. 16-bit rows
 * are added in f32, in the order of the bag, and rounded once: results do not change between runs. Gradient: of each
 * table, dense, added in the order of the places and rounded once; and gradients of that. rondo_embedding_bag_descend
 * trains without it. Since 0.1. */
RONDO_API rondo_status rondo_embedding_bag(int32_t n_tables, rondo_tensor* const* tables, rondo_tensor* indices,
                                           rondo_tensor* offsets, rondo_bag_mode mode, rondo_tensor** out);

/* What a step of rows goes by besides, as rondo_optimizer_step does. Since 0.1. */
typedef struct rondo_descend_options {
  size_t size;          /* set by RONDO_DESCEND_OPTIONS_INIT */
  rondo_tensor* finite; /* NULL, or a bool of one element, as rondo_all_finite makes it; where it is false the step
                           writes nothing */
  rondo_tensor* scale;  /* NULL, or an f32 of one element, which gradients of rows are multiplied by */
} rondo_descend_options;
#define RONDO_DESCEND_OPTIONS_INIT \
  { sizeof(rondo_descend_options), NULL, NULL }

/* A step of gradient descent of the rows that rondo_embedding_bag read, and of no others: tables[t][r, :] -= rate times
 * what the gradient of row r is, given `gradient`, that of the result, of its shape and the tables' dtype. The n_tables
 * `tables`, which share no memory, indices, offsets (may be NULL) and mode are as there. rate is f32 or f64 of one
 * element, on the device, so a graph goes by what it holds: an optimizer's "optimizer.rate", say; so it does by finite
 * and scale of options, which are on the device too and are read when the step runs. options (may be NULL) NULL means
 * RONDO_DESCEND_OPTIONS_INIT. The bits are those of the dense gradient and a step of rondo_optimizer with
 * RONDO_OPTIMIZER_SGD, without momentum, decay and clipping, given the same finite and scale, as long as all numbers
 * are finite; memory and time go by the indices, not by the rows. On cuda indices are sorted first; results do not
 * change between runs. No gradient. Since 0.1. */
RONDO_API rondo_status rondo_embedding_bag_descend(int32_t n_tables, rondo_tensor* const* tables, rondo_tensor* indices,
                                                   rondo_tensor* offsets, rondo_bag_mode mode, rondo_tensor* gradient,
                                                   rondo_tensor* rate, const rondo_descend_options* options);

/* out[b, :] = the products x[b, i, :] . x[b, j, :] of all pairs j < i of a sample's vectors, row by row: (1, 0), (2,
 * 0), (2, 1), (3, 0) and so on. x is [batch, vectors, width] of one float dtype, with any strides, and out [batch,
 * vectors * (vectors - 1) / 2]. keep_first != 0: x[b, 0, :] stands in front of them, and out has width columns more.
 * 16-bit products are added in f32, in the order of the columns, and rounded once. Gradient: of x; and gradients of
 * that. Since 0.1. */
RONDO_API rondo_status rondo_dot_interaction(rondo_tensor* x, int32_t keep_first, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_RECOMMENDER_H */
