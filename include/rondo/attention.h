/* Attention of queries to keys and values, and rotary positions of them. `out`, devices and errors are as in ops.h.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_ATTENTION_H
#define RONDO_ATTENTION_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which keys a query sees, and what becomes of scores. Query i's own place is key i, or with aligned_last the key as
 * far from the last one as the query is from the last query: i + keys - queries, by the lengths where there are any. It
 * sees the keys from `before` places before its own to `after` places behind, and of those what the mask leaves.
 * Lengths below 0 count as 0, and above the shape's as that; what lies behind them is not read. Since 0.1. */
typedef struct rondo_attention_options {
  size_t size;                 /* set by RONDO_ATTENTION_OPTIONS_INIT */
  rondo_tensor* mask;          /* NULL, or what broadcasts to [batch, heads, queries, keys]: bool, where a key is seen;
                                  or of q's dtype, which is added to scores */
  rondo_tensor* query_lengths; /* NULL, or [batch], i32: how many queries there are; those behind have rows of zeros */
  rondo_tensor* key_lengths;   /* NULL, or [batch], i32: how many keys there are */
  double scale;                /* of scores; finite. 0: 1 / sqrt(size of a head) */
  double soft_cap;             /* scores become soft_cap * tanh(score / soft_cap), before the mask. 0: they do not */
  double dropout;              /* the share of each result's parts left out by chance, at least 0, less than 1 */
  int64_t before;              /* at least 0, or -1: all */
  int64_t after;               /* at least 0, or -1: all */
  int32_t causal;              /* not 0: a query sees none behind its own place, whatever `after` is */
  int32_t aligned_last;        /* not 0: the last query's place is the last key; 0: the first one's is the first */
} rondo_attention_options;
#define RONDO_ATTENTION_OPTIONS_INIT \
  { sizeof(rondo_attention_options), NULL, NULL, NULL, 0.0, 0.0, 0.0, -1, -1, 0, 0 }

/* out = softmax(q k^T * scale, capped and masked) v for each head of each of the batch, without the scores ever being
 * in memory. q is [batch, queries, heads, size], k and v are [batch, keys, key heads, size], of one float dtype, with
 * any strides: views of one packed product serve as they are. Heads are a multiple of key heads, and neighbours share
 * one; a head's size is 1 to 256. out has q's shape and may overlap nothing that is read. lse (may be NULL) is an out
 * parameter like out: the logarithm of the sum of exp(scores), [batch, heads, queries], f64 for f64, else f32. A query
 * that sees no key gets zeros and -infinity, and has gradients of zero. options (may be NULL) NULL means
 * RONDO_ATTENTION_OPTIONS_INIT. 16-bit dtypes are computed in f32. Dropout draws
 * from the device's random numbers; lse is without it. Sums are made in a fixed order: results do not change between
 * runs. Gradients: of q, k and v, by out and lse, not of mask; of any order, but from the second on with scores in
 * memory. One task. Since 0.1. */
RONDO_API rondo_status rondo_attention(rondo_tensor* q, rondo_tensor* k, rondo_tensor* v,
                                       const rondo_attention_options* options, rondo_tensor** out, rondo_tensor** lse);

/* How rows are turned. Since 0.1. */
typedef struct rondo_rotary_options {
  size_t size;             /* set by RONDO_ROTARY_OPTIONS_INIT */
  rondo_tensor* positions; /* NULL: places along the axis are 0, 1, 2, ...; or i32 or i64 that broadcasts to x's shape
                              without its last axis: of the axis' size along it, each row's position; of size 1 there,
                              or without that axis, the position of the first place, from which the others count on */
  int64_t channels;        /* of each row's how many turn, from the first on, an even number; 0: all */
  double base;             /* the slowest pair turns by nearly 1 / base radians a position; finite, above 0 */
  int32_t axis;            /* of x, along which places are; negative ones count from the end; not the last one */
  int32_t interleaved;     /* not 0: a pair are channels 2 i and 2 i + 1; 0: channels i and i + channels / 2 */
  int32_t inverse;         /* not 0: turns the other way, as the gradient does */
  int32_t reserved;        /* 0 */
} rondo_rotary_options;
#define RONDO_ROTARY_OPTIONS_INIT \
  { sizeof(rondo_rotary_options), NULL, 0, 10000.0, 1, 0, 0, 0 }

/* Rotary positions: out is x, [batch, places, heads, channels] or anything else with an axis of places before that of
 * channels, with each pair (a, b) of channels turned to (a cos t - b sin t, a sin t + b cos t); for pair i of n, t is
 * the row's position * base^(-i / n). x is of a float dtype and may have any strides, so queries and keys may be views
 * of one packed product. out may be x itself; otherwise it may overlap nothing that is read. Channels that do not turn
 * are those of x. 16-bit dtypes are computed in f32, and each result is rounded once. Angles are computed in f64: an
 * f32 result is off by at most 2^-21 times the pair's length, however far the position; an f64 one by 2^-48 times that
 * and 1 + |position|. Positions are read when the task runs, so a recorded graph goes on with what is written there
 * between its launches. options (may be NULL) NULL means RONDO_ROTARY_OPTIONS_INIT. Gradients: of x, by turning the
 * other way, of any order. One task. Since 0.1. */
RONDO_API rondo_status rondo_rotary(rondo_tensor* x, const rondo_rotary_options* options, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_ATTENTION_H */
