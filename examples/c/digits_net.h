/* The network of the digits example: 64 -> 128 relu -> dropout -> 10, softmax cross-entropy, SGD with momentum.
 * Everything a training needs lives on the device, so that one step is nothing but operators: it can run eagerly or be
 * recorded once and launched, and does the same arithmetic both ways.
 *
 * A net is owned by the code that creates it and used by one thread. Failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DIGITS_NET_H
#define EXAMPLES_DIGITS_NET_H

#include <rondo/rondo.h>

#include "digits_data.h"

enum { DIGITS_HIDDEN = 128, DIGITS_PARAMETERS = 4 };

/* A tensor that is trained. */
struct parameter {
  rondo_tensor* value;
  int64_t elements;
};

struct net {
  rondo_engine* engine;
  rondo_device device;
  int64_t batch;
  struct parameter parameters[DIGITS_PARAMETERS]; /* weight and bias of the first layer, then of the second */
  rondo_tensor *train_images, *train_labels;      /* f32 [n, 64] and i32 [n] */
  rondo_tensor *test_images, *test_labels;
  rondo_tensor* order;     /* i32 [steps * batch]: training images in the order the whole training sees them */
  rondo_tensor* positions; /* i32 [batch]: where in `order` the next batch is; every step moves it on */
  rondo_optimizer* optimizer;
  rondo_dtype precision;     /* of the layers: f32, or f16 or bf16 with parameters in f32 */
  rondo_loss_scaler* scaler; /* NULL where layers compute in f32 */
  rondo_tensor* loss;        /* f32 scalar: sum of the batches' mean losses since net_take_loss */
  rondo_tensor* add_to_loss;
};

/* Puts data and freshly drawn parameters on the device. `order` has `length` entries and lasts length / batch steps.
 * precision: f32; f16 or bf16 for layers that compute in 16 bits. */
void net_create(struct net* net, rondo_engine* engine, rondo_device device, const struct digits* digits, int64_t batch,
                const int32_t* order, int64_t length, rondo_dtype precision);
void net_destroy(struct net* net);

/* One training step: forward, backward and update of the next batch. Only operators, nothing that waits or copies from
 * the host: call it to run it, or inside a recording to keep it. */
void net_step(struct net* net);

/* Sum of the training losses since the last call. Waits for the steps submitted before. */
double net_take_loss(struct net* net);

/* Predicted class of every test image, into predictions[n_test]; returns the share that is right. */
double net_test(struct net* net, int64_t* predictions, const struct digits* digits);

/* All parameters, one after the other, into values[net_size(net)]. */
int64_t net_size(const struct net* net);
void net_read(struct net* net, float* values);

/* Writes the parameters as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10]. The scores of the
 * classes of an image x, 64 pixels from 0 (paper) to 1 (ink), are relu(x w1 + b1) w2 + b2. */
rondo_status net_write(const struct net* net, const char* path);

/* Writes the function "scores" of eight images as a program file. Returns 0, or -1 after a line on stderr. */
int net_save(struct net* net, const char* path);

#endif /* EXAMPLES_DIGITS_NET_H */
