/* A few layers for the examples' networks. A model keeps parameters in the order in which layers ask for them: the
 * first pass through the network makes them, every later one finds them. So a network is a function of its input, and
 * nothing is declared twice.
 *
 * A model is used by one thread. Failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_LAYERS_H
#define EXAMPLES_LAYERS_H

#include <rondo/rondo.h>

enum { MODEL_MOST = 64 };

struct model {
  rondo_engine* engine;
  rondo_device device;
  int count, next; /* parameters there are; the one that the next layer asks for */
  rondo_tensor* parameters[MODEL_MOST];
  rondo_tensor* add_to[MODEL_MOST]; /* views that add */
};

void model_create(struct model* model, rondo_engine* engine, rondo_device device);
void model_destroy(struct model* model);
/* Before each pass. */
void model_begin(struct model* model);

/* activation(convolution of x with `channels` kernels of size x size + bias + residual), each side padded so that
 * stride 1 keeps the size. The residual may be NULL. The caller owns the result. */
rondo_tensor* layer_convolution(struct model* model, rondo_tensor* x, int64_t channels, int64_t size, int64_t stride,
                                rondo_tensor* residual, rondo_activation activation);
/* x [n, features] times a matrix, plus a bias: [n, width]. */
rondo_tensor* layer_dense(struct model* model, rondo_tensor* x, int64_t width);
/* The mean over space: [n, c] of [n, c, h, w]. */
rondo_tensor* layer_mean(rondo_tensor* x);

/* A step of gradient descent: forward(arg, model) submits a pass and returns a scalar, the loss, which is watched by a
 * tape and destroyed here. Only operators, so it can be recorded. loss: a scalar tensor that the loss is copied to. */
typedef rondo_tensor* (*model_forward)(void* arg, struct model* model);
void model_step(struct model* model, model_forward forward, void* arg, double rate, rondo_tensor* loss);

#endif /* EXAMPLES_LAYERS_H */
