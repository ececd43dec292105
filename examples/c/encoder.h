/* An encoder of a transformer as BERT has it (Devlin et al., 2019): layers in which each place gathers from all others
 * and is then taken through a network of its own, each behind a residual sum that is normalised. A function of its
 * input, whose parameters a model keeps (layers.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_ENCODER_H
#define EXAMPLES_ENCODER_H

#include "layers.h"

struct encoder {
  int layers;
  int64_t width, heads, inner; /* of places; of attention, which divide the width; of the network between */
  double dropout;              /* of attention and of what is added to the residual; 0 to ask */
};

/* x [batch, places, width] of the model's dtype, taken through all layers. The caller owns the result. */
rondo_tensor* encoder_forward(const struct encoder* encoder, struct model* model, rondo_tensor* x);

/* x [..., features] times a matrix, plus a bias: [..., width]. */
rondo_tensor* encoder_dense(struct model* model, rondo_tensor* x, int64_t width);

/* Layer normalisation along the last axis of x. */
rondo_tensor* encoder_norm(struct model* model, rondo_tensor* x);

#endif /* EXAMPLES_ENCODER_H */
