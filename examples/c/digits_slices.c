/* Training on slices of each batch; see digits_slices.h.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "digits_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void upload(struct slices* net, rondo_dtype dtype, int64_t rows, int64_t columns, const void* data,
                   rondo_tensor** tensor) {
  int64_t shape[2];
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_tensor_from_host(net->engine, net->device, dtype, columns > 0 ? 2 : 1, shape, data, tensor));
}

static void create_parameter(struct slices* net, int index, rondo_comm* comm, int32_t ndim, const int64_t* shape) {
  const double limit = ndim == 2 ? sqrt(6.0 / (double)shape[0]) : 0.0;
  CHECK(rondo_random_uniform(net->engine, net->device, RONDO_F32, ndim, shape, -limit, limit, &net->values[index]));
  if (comm != NULL) CHECK(rondo_comm_broadcast(comm, net->values[index], 0)); /* whatever the ranks' seeds are */
}

static void create_optimizer(struct slices* net, rondo_optimizer_kind kind) {
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.kind = kind;
  if (kind == RONDO_OPTIMIZER_SGD) {
    options.rate = 0.1;
    options.momentum = 0.9;
  } else {
    options.rate = 0.003;
    options.weight_decay = 0.01;
    options.max_norm = 1.0; /* of all gradients together, those of the whole batch */
  }
  CHECK(rondo_optimizer_create(SLICES_TENSORS, net->values, &options, &net->optimizer));
}

void slices_create(struct slices* net, rondo_engine* engine, rondo_device device, const struct digits* digits,
                   int64_t batch, const int32_t* order, int64_t length, rondo_comm* comm, int n_slices,
                   rondo_optimizer_kind kind) {
  const int64_t weight_1[2] = {DIGITS_PIXELS, SLICES_HIDDEN}, weight_2[2] = {SLICES_HIDDEN, DIGITS_CLASSES};
  const int64_t bias_1[1] = {SLICES_HIDDEN}, bias_2[1] = {DIGITS_CLASSES};
  const int64_t rows = batch / n_slices;
  int32_t* first = malloc((size_t)rows * sizeof *first);
  int slice, first_slice = 0;
  int64_t i;

  memset(net, 0, sizeof *net);
  net->engine = engine;
  net->device = device;
  net->batch = batch;
  net->n_slices = n_slices;
  net->own = comm == NULL ? n_slices : 1;
  net->positions = calloc((size_t)net->own, sizeof(rondo_tensor*));
  if (first == NULL || net->positions == NULL) {
    fprintf(stderr, "digits_parallel: out of memory\n");
    exit(1);
  }
  if (comm != NULL) {
    rondo_comm_info info = RONDO_COMM_INFO_INIT;
    CHECK(rondo_comm_query(comm, &info));
    first_slice = info.rank;
  }
  upload(net, RONDO_F32, digits->n_train, DIGITS_PIXELS, digits->train_images, &net->train_images);
  upload(net, RONDO_I32, digits->n_train, 0, digits->train_labels, &net->train_labels);
  upload(net, RONDO_F32, digits->n_test, DIGITS_PIXELS, digits->test_images, &net->test_images);
  upload(net, RONDO_I32, length, 0, order, &net->order);
  for (slice = 0; slice < net->own; ++slice) {
    for (i = 0; i < rows; ++i) first[i] = (int32_t)((first_slice + slice) * rows + i);
    upload(net, RONDO_I32, rows, 0, first, &net->positions[slice]);
  }
  free(first);

  create_parameter(net, 0, comm, 2, weight_1);
  create_parameter(net, 1, comm, 1, bias_1);
  create_parameter(net, 2, comm, 2, weight_2);
  create_parameter(net, 3, comm, 1, bias_2);
  create_optimizer(net, kind);
  if (comm != NULL) {
    /* The second layer's gradients are ready first: a bucket of its own lets their way begin while the first layer's
     * are computed. */
    rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
    options.bucket_bytes = 16384;
    CHECK(rondo_buckets_create(comm, SLICES_TENSORS, net->values, &options, &net->buckets));
  }
}

void slices_destroy(struct slices* net) {
  int i;
  rondo_optimizer_destroy(net->optimizer);
  for (i = 0; i < SLICES_TENSORS; ++i) rondo_tensor_destroy(net->values[i]);
  for (i = 0; i < net->own; ++i) rondo_tensor_destroy(net->positions[i]);
  rondo_tensor_destroy(net->order);
  rondo_tensor_destroy(net->test_images);
  rondo_tensor_destroy(net->train_labels);
  rondo_tensor_destroy(net->train_images);
  rondo_buckets_destroy(net->buckets);
  free(net->positions);
  memset(net, 0, sizeof *net);
}

static void layer(struct slices* net, rondo_tensor* a, int weight, rondo_activation activation, rondo_tensor** out) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.bias = net->values[weight + 1];
  options.activation = activation;
  CHECK(rondo_matmul(a, net->values[weight], &options, out));
}

/* Forward and backward of one slice: its gradients into new tensors, or into the buckets, and from there those of all
 * ranks. */
static void slice_gradients(struct slices* net, rondo_tensor** positions, rondo_tensor** gradients) {
  rondo_tensor *chosen = NULL, *images = NULL, *labels = NULL, *hidden = NULL, *logits = NULL, *losses = NULL;
  rondo_tensor* loss = NULL;
  rondo_tape* tape = NULL;
  int i;
  CHECK(rondo_gather_rows(net->order, *positions, &chosen));
  CHECK(rondo_binary_scalar(RONDO_ADD, *positions, (double)net->batch, positions));
  CHECK(rondo_gather_rows(net->train_images, chosen, &images));
  CHECK(rondo_gather_rows(net->train_labels, chosen, &labels));
  CHECK(rondo_tape_begin(net->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < SLICES_TENSORS; ++i) CHECK(rondo_tape_watch(tape, net->values[i]));
  layer(net, images, 0, RONDO_ACTIVATION_RELU, &hidden);
  layer(net, hidden, 2, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_cross_entropy(logits, labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &loss));
  if (net->buckets != NULL) {
    CHECK(rondo_buckets_reduce(net->buckets, tape, 1, &loss, NULL));
    for (i = 0; i < SLICES_TENSORS; ++i) CHECK(rondo_buckets_gradient(net->buckets, i, &gradients[i]));
  } else {
    CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, SLICES_TENSORS, net->values, gradients));
  }
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(loss);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(labels);
  rondo_tensor_destroy(images);
  rondo_tensor_destroy(chosen);
}

void slices_step(struct slices* net) {
  rondo_tensor* sums[SLICES_TENSORS] = {NULL, NULL, NULL, NULL};
  int slice, i;
  slice_gradients(net, &net->positions[0], sums);
  for (slice = 1; slice < net->own; ++slice) {
    rondo_tensor* gradients[SLICES_TENSORS] = {NULL, NULL, NULL, NULL};
    slice_gradients(net, &net->positions[slice], gradients);
    for (i = 0; i < SLICES_TENSORS; ++i) {
      CHECK(rondo_binary(RONDO_ADD, sums[i], gradients[i], &sums[i]));
      rondo_tensor_destroy(gradients[i]);
    }
  }
  for (i = 0; i < SLICES_TENSORS; ++i)
    if (net->own > 1) CHECK(rondo_binary_scalar(RONDO_DIV, sums[i], (double)net->own, &sums[i]));
  CHECK(rondo_optimizer_step(net->optimizer, SLICES_TENSORS, sums, NULL, NULL));
  for (i = 0; i < SLICES_TENSORS; ++i) rondo_tensor_destroy(sums[i]);
}

double slices_test(struct slices* net, const struct digits* digits) {
  const int32_t class_axis = 1;
  rondo_tensor *hidden = NULL, *logits = NULL, *best = NULL;
  int64_t* predictions = malloc((size_t)digits->n_test * sizeof *predictions);
  int64_t i, right = 0;
  if (predictions == NULL) {
    fprintf(stderr, "digits_parallel: out of memory\n");
    exit(1);
  }
  layer(net, net->test_images, 0, RONDO_ACTIVATION_RELU, &hidden);
  layer(net, hidden, 2, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_reduce(RONDO_ARGMAX, logits, 1, &class_axis, 0, &best));
  CHECK(rondo_tensor_read(best, predictions, (size_t)digits->n_test * sizeof *predictions));
  for (i = 0; i < digits->n_test; ++i) right += predictions[i] == digits->test_labels[i];
  rondo_tensor_destroy(best);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(hidden);
  free(predictions);
  return (double)right / (double)digits->n_test;
}

void slices_write(struct slices* net, const char* path) {
  static const char* const names[SLICES_TENSORS] = {"w1", "b1", "w2", "b2"};
  static const char *const key = "network", *const value = "relu(x w1 + b1) w2 + b2";
  CHECK(rondo_model_file_write(path, names, net->values, SLICES_TENSORS, &key, &value, 1));
}

void slices_read(struct slices* net, float values[SLICES_PARAMETERS]) {
  static const int64_t sizes[SLICES_TENSORS] = {DIGITS_PIXELS * SLICES_HIDDEN, SLICES_HIDDEN,
                                                SLICES_HIDDEN * DIGITS_CLASSES, DIGITS_CLASSES};
  int i;
  for (i = 0; i < SLICES_TENSORS; ++i) {
    CHECK(rondo_tensor_read(net->values[i], values, (size_t)sizes[i] * sizeof *values));
    values += sizes[i];
  }
}
