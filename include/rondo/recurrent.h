/* Recurrent layers: LSTM, GRU and the plain one. `out`, devices and errors are as in ops.h.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_RECURRENT_H
#define RONDO_RECURRENT_H

#include <rondo/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of all three functions. A sequence ends with its length: the steps behind it leave its states as they were, and have
 * results of zero; the reversed direction begins at its last step. Lengths below 0 count as 0, and above the steps of x
 * as those. Since 0.1. */
typedef struct rondo_recurrent_options {
  size_t size;           /* set by RONDO_RECURRENT_OPTIONS_INIT */
  rondo_tensor* lengths; /* NULL, or [batch], i32: how many steps each sequence has */
  rondo_tensor* first_h; /* NULL: zeros; or [layers * directions, batch, hidden], of x's dtype: states before the
                            first step */
  rondo_tensor* first_c; /* the same of the cells of an LSTM, whether first_h is NULL or not; NULL for others */
  int32_t layers;        /* at least 1; each has the results of the one before as its inputs */
  int32_t bidirectional; /* not 0: two directions, forward and reversed; results lie side by side */
  int32_t batch_first;   /* not 0: x and out are [batch, steps, ...]; 0: [steps, batch, ...] */
  int32_t relu;          /* of rondo_rnn; not 0: ReLU in the place of tanh. 0 for others */
} rondo_recurrent_options;
#define RONDO_RECURRENT_OPTIONS_INIT \
  { sizeof(rondo_recurrent_options), NULL, NULL, NULL, 1, 0, 0, 0 }

/* out = the states of the last layer at each step, [steps, batch, directions * hidden] for x of [steps, batch, inputs],
 * at least one step, one float dtype, any strides. weights: n_weights tensors, for each layer and in it each direction,
 * first that of the inputs, [4 * hidden, inputs], then that of the states, [4 * hidden, hidden], and then, for all or
 * for none, a bias of each, [4 * hidden]; rows are those of the gates i, f, g, o, one behind the other. This is the
 * layout of PyTorch's nn.LSTM (weight_ih, weight_hh, bias_ih, bias_hh). With s = W x + b + V h + v:
 *
 *   c = sigmoid(s_f) c + sigmoid(s_i) tanh(s_g),  h = sigmoid(s_o) tanh(c)
 *
 * last_h and last_c (may be NULL) are out parameters like out: states and cells after each sequence's last step,
 * [layers * directions, batch, hidden]. options (may be NULL): NULL means RONDO_RECURRENT_OPTIONS_INIT. 16-bit dtypes:
 * sums, gates and cells are f32; states are rounded where a product takes them. One product for the inputs of a
 * direction, then a product and a kernel for each step: all are tasks, recorded and captured as others are, and results
 * do not change between runs. Gradients: of all tensors but lengths, of any order. Where they are asked for, x must be
 * finite behind the lengths too. Since 0.1. */
RONDO_API rondo_status rondo_lstm(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                                  const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h,
                                  rondo_tensor** last_c);
/* As rondo_lstm, with three gates, r, z and n: PyTorch's nn.GRU, whose reset gate comes behind the bias of the states'
 * product. weights: as of rondo_lstm, with 3 * hidden rows. last_h (may be NULL): as of rondo_lstm; there are no cells.
 * With p = W x + b, q = V h + v:
 *
 *   r = sigmoid(p_r + q_r),  z = sigmoid(p_z + q_z),  n = tanh(p_n + r q_n),  h = (1 - z) n + z h
 *
 * 16-bit dtypes: states are kept in f32 besides. Since 0.1. */
RONDO_API rondo_status rondo_gru(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                                 const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h);
/* As rondo_lstm, with one gate: h = tanh(W x + b + V h + v), or ReLU of it. weights: as of rondo_lstm, with hidden
 * rows. last_h (may be NULL): as of rondo_lstm; there are no cells. Since 0.1. */
RONDO_API rondo_status rondo_rnn(rondo_tensor* x, int32_t n_weights, rondo_tensor* const* weights,
                                 const rondo_recurrent_options* options, rondo_tensor** out, rondo_tensor** last_h);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_RECURRENT_H */
