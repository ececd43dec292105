/* A small residual network learns handwritten digits: eager steps first, then one recorded step, launched again and
 * again.
 *
 *   residual [cpu | cuda:N [STEPS]]
 *
 * It prints the loss at the start, after the eager steps and after the launches, and how many test images it knows.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"
#include "descent.h"
#include "digits_data.h"

enum { BATCH = 128 };

static const double kRate = 0.02, kMomentum = 0.9;

struct batch {
  rondo_tensor *images, *labels; /* f32 [n, 1, 8, 8], i32 [n] */
};

/* Scores of the classes: one block with a residual, one that halves the image. */
static rondo_tensor* network(struct model* model, rondo_tensor* images) {
  rondo_tensor* stem = layer_convolution(model, images, 16, 3, 1, NULL, RONDO_ACTIVATION_RELU);
  rondo_tensor* inner = layer_convolution(model, stem, 16, 3, 1, NULL, RONDO_ACTIVATION_RELU);
  rondo_tensor* block = layer_convolution(model, inner, 16, 3, 1, stem, RONDO_ACTIVATION_RELU);
  rondo_tensor* halved = layer_convolution(model, block, 32, 3, 2, NULL, RONDO_ACTIVATION_RELU);
  rondo_tensor* mean = layer_mean(halved);
  rondo_tensor* scores = layer_dense(model, mean, DIGITS_CLASSES);
  rondo_tensor_destroy(stem);
  rondo_tensor_destroy(inner);
  rondo_tensor_destroy(block);
  rondo_tensor_destroy(halved);
  rondo_tensor_destroy(mean);
  return scores;
}

static rondo_tensor* loss_of(void* arg, struct model* model) {
  const struct batch* batch = arg;
  rondo_tensor* scores = network(model, batch->images);
  rondo_tensor *losses = NULL, *loss = NULL;
  CHECK(rondo_cross_entropy(scores, batch->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &loss));
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(scores);
  return loss;
}

static struct batch upload(rondo_engine* engine, rondo_device device, const float* images, const int32_t* labels,
                           int64_t n) {
  struct batch batch = {NULL, NULL};
  int64_t shape[4];
  shape[0] = n;
  shape[1] = 1;
  shape[2] = shape[3] = 8;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 4, shape, images, &batch.images));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_I32, 1, &n, labels, &batch.labels));
  return batch;
}

static void free_batch(struct batch* batch) {
  rondo_tensor_destroy(batch->images);
  rondo_tensor_destroy(batch->labels);
}

static float read_loss(rondo_tensor* loss) {
  float value = 0;
  CHECK(rondo_tensor_read(loss, &value, sizeof value));
  return value;
}

/* How many of the images the network knows. */
static int64_t count_right(struct model* model, const struct batch* batch, const int32_t* labels, int64_t n) {
  const int32_t classes = 1;
  rondo_tensor *scores, *best = NULL;
  int64_t *chosen = malloc((size_t)n * sizeof *chosen), right = 0, i;
  if (chosen == NULL) {
    fprintf(stderr, "residual: out of memory\n");
    exit(1);
  }
  model_begin(model);
  scores = network(model, batch->images);
  CHECK(rondo_reduce(RONDO_ARGMAX, scores, 1, &classes, 0, &best));
  CHECK(rondo_tensor_read(best, chosen, (size_t)n * sizeof *chosen));
  for (i = 0; i < n; ++i) right += chosen[i] == labels[i];
  rondo_tensor_destroy(best);
  rondo_tensor_destroy(scores);
  free(chosen);
  return right;
}

int main(int argc, char** argv) {
  const int steps = argc > 2 ? atoi(argv[2]) : 60;
  rondo_device device = {RONDO_CPU, 0};
  rondo_engine* engine = NULL;
  rondo_graph* graph = NULL;
  rondo_tensor* loss = NULL;
  struct digits digits;
  struct batch train, test;
  struct model model;
  struct descent descent;
  float first, middle, last;
  int64_t right;
  int i;

  if (steps < 2 || (argc > 1 && strcmp(argv[1], "cpu") != 0 && strncmp(argv[1], "cuda:", 5) != 0)) {
    fprintf(stderr, "usage: residual [cpu | cuda:N [STEPS]], STEPS 2 or more\n");
    return 2;
  }
  if (argc > 1 && argv[1][1] == 'u') {
    device.kind = RONDO_CUDA;
    device.index = atoi(argv[1] + 5);
  }
  if (digits_load(NULL, &digits) != 0) return 1;
  CHECK(rondo_engine_create(NULL, &engine));
  train = upload(engine, device, digits.train_images, digits.train_labels, BATCH);
  test = upload(engine, device, digits.test_images, digits.test_labels, digits.n_test);
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &loss));
  model_create(&model, engine, device);
  descent_create(&descent, &model, loss_of, &train, kRate, kMomentum, 0);

  descent_step(&descent, &model, loss_of, &train, loss);
  first = read_loss(loss);
  for (i = 1; i < steps / 2; ++i) descent_step(&descent, &model, loss_of, &train, loss);
  middle = read_loss(loss);

  CHECK(rondo_record_begin(engine, NULL));
  descent_step(&descent, &model, loss_of, &train, loss);
  CHECK(rondo_record_end(engine, &graph));
  for (i = steps / 2; i < steps; ++i) CHECK(rondo_graph_launch(graph));
  last = read_loss(loss);

  right = count_right(&model, &test, digits.test_labels, digits.n_test);
  printf("loss %.4f, after eager steps %.4f, after launches %.4f; %lld of %lld test images\n", first, middle, last,
         (long long)right, (long long)digits.n_test);
  rondo_graph_destroy(graph);
  descent_destroy(&descent);
  model_destroy(&model);
  free_batch(&train);
  free_batch(&test);
  rondo_tensor_destroy(loss);
  rondo_engine_destroy(engine);
  digits_free(&digits);
  return last < middle && middle < first ? 0 : 1;
}
