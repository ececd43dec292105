/* The network of the digits example; see digits_net.h.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "digits_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "program_file.h"

#define DROPOUT 0.2
#define FIRST_RATE 0.3 /* learning rate of the first step; it shrinks by the same factor every step, down to */
#define LAST_RATE 0.05 /* that of the last */
#define MOMENTUM 0.9

enum { WEIGHT_1, BIAS_1, WEIGHT_2, BIAS_2 };

/* Weights start uniform with the deviation that keeps activations of relu layers in scale, biases at zero. */
static void create_parameter(struct net* net, int index, int32_t ndim, const int64_t* shape) {
  struct parameter* p = &net->parameters[index];
  const double limit = ndim == 2 ? sqrt(6.0 / (double)shape[0]) : 0.0;
  p->elements = ndim == 2 ? shape[0] * shape[1] : shape[0];
  if (ndim == 2) {
    CHECK(rondo_random_uniform(net->engine, net->device, RONDO_F32, ndim, shape, -limit, limit, &p->value));
  } else {
    CHECK(rondo_tensor_create(net->engine, net->device, RONDO_F32, ndim, shape, &p->value));
    CHECK(rondo_fill(p->value, 0.0));
  }
}

/* SGD with momentum, whose learning rate shrinks in every step. */
static void create_optimizer(struct net* net, int64_t steps) {
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  rondo_tensor* values[DIGITS_PARAMETERS];
  int i;
  for (i = 0; i < DIGITS_PARAMETERS; ++i) values[i] = net->parameters[i].value;
  options.kind = RONDO_OPTIMIZER_SGD;
  options.rate = FIRST_RATE;
  options.momentum = MOMENTUM;
  options.schedule = RONDO_RATE_STEP;
  options.decay_steps = 1;
  options.rate_decay = pow(LAST_RATE / FIRST_RATE, 1.0 / (double)steps);
  CHECK(rondo_optimizer_create(DIGITS_PARAMETERS, values, &options, &net->optimizer));
}

static void upload(struct net* net, rondo_dtype dtype, int64_t rows, int64_t columns, const void* data,
                   rondo_tensor** tensor) {
  int64_t shape[2];
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_tensor_from_host(net->engine, net->device, dtype, columns > 0 ? 2 : 1, shape, data, tensor));
}

void net_create(struct net* net, rondo_engine* engine, rondo_device device, const struct digits* digits, int64_t batch,
                const int32_t* order, int64_t length, rondo_dtype precision) {
  const int64_t weight_1[2] = {DIGITS_PIXELS, DIGITS_HIDDEN}, weight_2[2] = {DIGITS_HIDDEN, DIGITS_CLASSES};
  const int64_t bias_1[1] = {DIGITS_HIDDEN}, bias_2[1] = {DIGITS_CLASSES};
  int32_t* first = malloc((size_t)batch * sizeof *first);
  int64_t i;

  if (first == NULL) {
    fprintf(stderr, "digits: out of memory\n");
    exit(1);
  }
  for (i = 0; i < batch; ++i) first[i] = (int32_t)i;

  memset(net, 0, sizeof *net);
  net->engine = engine;
  net->device = device;
  net->batch = batch;
  net->precision = precision;
  upload(net, RONDO_F32, digits->n_train, DIGITS_PIXELS, digits->train_images, &net->train_images);
  upload(net, RONDO_I32, digits->n_train, 0, digits->train_labels, &net->train_labels);
  upload(net, RONDO_F32, digits->n_test, DIGITS_PIXELS, digits->test_images, &net->test_images);
  upload(net, RONDO_I32, digits->n_test, 0, digits->test_labels, &net->test_labels);
  upload(net, RONDO_I32, length, 0, order, &net->order);
  upload(net, RONDO_I32, batch, 0, first, &net->positions); /* the data of an upload may go when it returns */
  free(first);

  create_parameter(net, WEIGHT_1, 2, weight_1);
  create_parameter(net, BIAS_1, 1, bias_1);
  create_parameter(net, WEIGHT_2, 2, weight_2);
  create_parameter(net, BIAS_2, 1, bias_2);

  create_optimizer(net, length / batch);
  if (precision != RONDO_F32) CHECK(rondo_loss_scaler_create(engine, device, NULL, &net->scaler));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &net->loss));
  CHECK(rondo_fill(net->loss, 0.0));
  CHECK(rondo_tensor_accumulator(net->loss, &net->add_to_loss));
}

void net_destroy(struct net* net) {
  int i;
  rondo_loss_scaler_destroy(net->scaler);
  rondo_optimizer_destroy(net->optimizer);
  for (i = 0; i < DIGITS_PARAMETERS; ++i) rondo_tensor_destroy(net->parameters[i].value);
  rondo_tensor_destroy(net->add_to_loss);
  rondo_tensor_destroy(net->loss);
  rondo_tensor_destroy(net->positions);
  rondo_tensor_destroy(net->order);
  rondo_tensor_destroy(net->test_labels);
  rondo_tensor_destroy(net->test_images);
  rondo_tensor_destroy(net->train_labels);
  rondo_tensor_destroy(net->train_images);
  memset(net, 0, sizeof *net);
}

/* *out = activation(a weight + bias), a layer. */
static void layer(struct net* net, rondo_tensor* a, int weight, int bias, rondo_activation activation,
                  rondo_tensor** out) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.bias = net->parameters[bias].value;
  options.activation = activation;
  CHECK(rondo_matmul(a, net->parameters[weight].value, &options, out));
}

void net_step(struct net* net) {
  rondo_tensor *chosen = NULL, *images = NULL, *labels = NULL;
  rondo_tensor *hidden = NULL, *kept = NULL, *mask = NULL, *logits = NULL, *losses = NULL, *scaled = NULL;
  rondo_tensor *sources[DIGITS_PARAMETERS], *gradients[DIGITS_PARAMETERS] = {NULL};
  rondo_tape* tape = NULL;
  int i;

  /* The batch: order[positions], then on to the next positions. */
  CHECK(rondo_gather_rows(net->order, net->positions, &chosen));
  CHECK(rondo_binary_scalar(RONDO_ADD, net->positions, (double)net->batch, &net->positions));
  CHECK(rondo_gather_rows(net->train_images, chosen, &images));
  CHECK(rondo_gather_rows(net->train_labels, chosen, &labels));

  /* Forward: a tape notes how the loss depends on the parameters. */
  CHECK(rondo_tape_begin(net->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < DIGITS_PARAMETERS; ++i) {
    sources[i] = net->parameters[i].value;
    CHECK(rondo_tape_watch(tape, sources[i]));
  }
  CHECK(rondo_autocast_begin(net->engine, net->precision)); /* in a scope of f32 nothing is cast */
  layer(net, images, WEIGHT_1, BIAS_1, RONDO_ACTIVATION_RELU, &hidden);
  CHECK(rondo_dropout(hidden, DROPOUT, &kept, &mask));
  layer(net, kept, WEIGHT_2, BIAS_2, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_cross_entropy(logits, labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &net->add_to_loss));
  CHECK(rondo_autocast_end(net->engine));

  /* Backward, and the update: one task for all parameters. Its learning rate and the number of steps so far are on the
   * device, so that the rate can shrink in a graph that is launched unchanged. So is the scale of the loss, which
   * gradients in 16 bits need, and whether they were all finite. */
  if (net->scaler != NULL) CHECK(rondo_loss_scaler_scale(net->scaler, net->loss, &scaled));
  CHECK(rondo_tape_gradients(tape, 1, net->scaler != NULL ? &scaled : &net->loss, NULL, DIGITS_PARAMETERS, sources,
                             gradients));
  rondo_tape_destroy(tape);
  if (net->scaler != NULL) {
    CHECK(rondo_loss_scaler_step(net->scaler, net->optimizer, DIGITS_PARAMETERS, gradients));
    CHECK(rondo_loss_scaler_update(net->scaler));
  } else {
    CHECK(rondo_optimizer_step(net->optimizer, DIGITS_PARAMETERS, gradients, NULL, NULL));
  }
  for (i = 0; i < DIGITS_PARAMETERS; ++i) rondo_tensor_destroy(gradients[i]);

  /* Destroying a tensor that is still in use is safe: its memory goes back when the last task is done with it. Inside a
   * recording it tells the graph that this was a temporary. */
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(mask);
  rondo_tensor_destroy(kept);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(labels);
  rondo_tensor_destroy(images);
  rondo_tensor_destroy(chosen);
}

double net_take_loss(struct net* net) {
  float sum = 0;
  CHECK(rondo_tensor_read(net->loss, &sum, sizeof sum));
  CHECK(rondo_fill(net->loss, 0.0));
  return sum * (double)net->batch;
}

double net_test(struct net* net, int64_t* predictions, const struct digits* digits) {
  const int32_t class_axis = 1;
  rondo_tensor *hidden = NULL, *logits = NULL, *best = NULL;
  int64_t i, right = 0;
  CHECK(rondo_autocast_begin(net->engine, net->precision));
  layer(net, net->test_images, WEIGHT_1, BIAS_1, RONDO_ACTIVATION_RELU, &hidden); /* no dropout when it counts */
  layer(net, hidden, WEIGHT_2, BIAS_2, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_autocast_end(net->engine));
  CHECK(rondo_reduce(RONDO_ARGMAX, logits, 1, &class_axis, 0, &best));
  CHECK(rondo_tensor_read(best, predictions, (size_t)digits->n_test * sizeof *predictions));
  rondo_tensor_destroy(best);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(hidden);
  for (i = 0; i < digits->n_test; ++i) right += predictions[i] == digits->test_labels[i];
  return (double)right / (double)digits->n_test;
}

int64_t net_size(const struct net* net) {
  int64_t size = 0;
  int i;
  for (i = 0; i < DIGITS_PARAMETERS; ++i) size += net->parameters[i].elements;
  return size;
}

void net_read(struct net* net, float* values) {
  int i;
  for (i = 0; i < DIGITS_PARAMETERS; ++i) {
    const struct parameter* p = &net->parameters[i];
    CHECK(rondo_tensor_read(p->value, values, (size_t)p->elements * sizeof *values));
    values += p->elements;
  }
}

rondo_status net_write(const struct net* net, const char* path) {
  static const char* const names[DIGITS_PARAMETERS] = {"w1", "b1", "w2", "b2"};
  static const char *const key = "network", *const value = "relu(x w1 + b1) w2 + b2";
  rondo_tensor* tensors[DIGITS_PARAMETERS];
  int i;
  for (i = 0; i < DIGITS_PARAMETERS; ++i) tensors[i] = net->parameters[i].value;
  return rondo_model_file_write(path, names, tensors, DIGITS_PARAMETERS, &key, &value, 1);
}

static rondo_tensor* scores(void* arg, rondo_tensor* const* images) {
  struct net* net = arg;
  rondo_tensor *hidden = NULL, *logits = NULL;
  CHECK(rondo_autocast_begin(net->engine, net->precision));
  layer(net, images[0], WEIGHT_1, BIAS_1, RONDO_ACTIVATION_RELU, &hidden);
  layer(net, hidden, WEIGHT_2, BIAS_2, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_autocast_end(net->engine));
  rondo_tensor_destroy(hidden);
  return logits;
}

int net_save(struct net* net, const char* path) {
  const struct program_function function = {
      "scores", "scores", 1, {{"images", RONDO_F32, 2, {PROGRAM_BATCH, DIGITS_PIXELS}}}, scores};
  return program_file_write(path, net->engine, net->device, 1, &function, net);
}
