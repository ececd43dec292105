/* The network of the parallel digits example: 64 -> 128 relu -> 10, softmax cross-entropy, trained on slices of each
 * batch by SGD with momentum, or by AdamW with clipping.
 *
 * A net is owned by the code that creates it and used by one thread. Failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DIGITS_SLICES_H
#define EXAMPLES_DIGITS_SLICES_H

#include <rondo/rondo.h>

#include "digits_data.h"

enum { SLICES_HIDDEN = 128, SLICES_TENSORS = 4 };
enum {
  SLICES_PARAMETERS = DIGITS_PIXELS * SLICES_HIDDEN + SLICES_HIDDEN + SLICES_HIDDEN * DIGITS_CLASSES + DIGITS_CLASSES
};

struct slices {
  rondo_engine* engine;
  rondo_device device;
  int n_slices, own;                    /* of each batch; those that this rank computes: 1 or all */
  rondo_buckets* buckets;               /* where other ranks have the other slices */
  rondo_tensor* values[SLICES_TENSORS]; /* weight and bias of the first layer, then of the second */
  rondo_optimizer* optimizer;           /* the same on every rank: its state is not divided */
  rondo_tensor *train_images, *train_labels, *test_images, *order;
  rondo_tensor** positions; /* by slice: where in `order` its images of the next batch are; every step moves them on */
  int64_t batch;
};

/* comm: each of its ranks has one of the `n_slices` slices, as many as there are ranks. NULL: this one has all.
 * `order` has `length` entries and lasts length / batch steps. Parameters are rank 0's. kind: RONDO_OPTIMIZER_SGD or
 * RONDO_OPTIMIZER_ADAMW. */
void slices_create(struct slices* net, rondo_engine* engine, rondo_device device, const struct digits* digits,
                   int64_t batch, const int32_t* order, int64_t length, rondo_comm* comm, int n_slices,
                   rondo_optimizer_kind kind);
void slices_destroy(struct slices* net);

/* One training step. Only operators and collectives: call it to run it, or inside a recording to keep it. */
void slices_step(struct slices* net);

/* The share of the test images that is right. */
double slices_test(struct slices* net, const struct digits* digits);
/* All parameters, one after the other. */
void slices_read(struct slices* net, float values[SLICES_PARAMETERS]);
/* Writes them as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10]. */
void slices_write(struct slices* net, const char* path);

#endif /* EXAMPLES_DIGITS_SLICES_H */
