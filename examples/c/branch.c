/* A training step with a branch in it, as one graph: which of two layers a batch goes through is known on the device
 * only. The same function is called eagerly and recorded: to the same bits, and in less time.
 *
 * usage: branch [DEVICE]   "cpu" (without an argument) or "cuda:0"
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <string.h>
#include <time.h>

#include "check.h"

enum { BATCH = 8, WIDTH = 16, STEPS = 200, LAYERS = 3 };

static rondo_engine* engine;
static rondo_device device = {RONDO_CPU, 0};
static rondo_tensor *x, *y, *loss; /* a batch, what is to come of it, and how far off it was */
static rondo_tensor* w[LAYERS];    /* of the first layer, and of the two that follow it by turns */
static int calls;                  /* of the functions that issue bodies */

/* A body: forwards through the first layer and the one given, and back. */
static rondo_status train(rondo_tensor* second) {
  rondo_tape* tape = NULL;
  rondo_tensor *hidden = NULL, *out = NULL, *off = NULL, *gradients[] = {NULL, NULL}, *layers[] = {w[0], second};
  int i;
  ++calls;
  CHECK(rondo_tape_begin(engine, 0, &tape));
  for (i = 0; i < 2; ++i) CHECK(rondo_tape_watch(tape, layers[i]));
  CHECK(rondo_matmul(x, w[0], NULL, &hidden));
  CHECK(rondo_matmul(hidden, second, NULL, &out));
  CHECK(rondo_binary(RONDO_SQUARED_DIFFERENCE, out, y, &off));
  CHECK(rondo_reduce(RONDO_MEAN, off, 0, NULL, 0, &loss)); /* made before the branch, so that it outlives it */
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 2, layers, gradients));
  rondo_tape_destroy(tape);
  for (i = 0; i < 2; ++i) {
    CHECK(rondo_binary_scalar(RONDO_MUL, gradients[i], 0.2, &gradients[i]));
    CHECK(rondo_binary(RONDO_SUB, layers[i], gradients[i], &layers[i]));
    rondo_tensor_destroy(gradients[i]);
  }
  rondo_tensor_destroy(hidden), rondo_tensor_destroy(out), rondo_tensor_destroy(off);
  return RONDO_OK;
}
static rondo_status train_second(void* unused) {
  return (void)unused, train(w[1]);
}
static rondo_status train_third(void* unused) {
  return (void)unused, train(w[2]);
}

static void step(void) {
  rondo_tensor *sum = NULL, *positive = NULL;
  CHECK(rondo_reduce(RONDO_SUM, x, 0, NULL, 0, &sum));
  CHECK(rondo_binary_scalar(RONDO_GT, sum, 0.0, &positive));
  CHECK(rondo_if(engine, positive, train_second, train_third, NULL));
  rondo_tensor_destroy(sum), rondo_tensor_destroy(positive);
}

static void random_weights(void) {
  const int64_t shape[] = {WIDTH, WIDTH};
  int i;
  CHECK(rondo_engine_seed(engine, 7));
  for (i = 0; i < LAYERS; ++i) CHECK(rondo_random_normal(engine, device, RONDO_F32, 2, shape, 0.0, 0.25, &w[i]));
}
static void next_batch(void) {
  const int64_t shape[] = {BATCH, WIDTH};
  CHECK(rondo_random_normal(engine, device, RONDO_F32, 2, shape, 0.0, 1.0, &x));
  CHECK(rondo_unary(RONDO_TANH, x, &y));
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

int main(int count, char** arguments) {
  static float weights[2][LAYERS][WIDTH * WIDTH];
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  rondo_graph* graph = NULL;
  int i, launched;
  if (count > 1) CHECK(rondo_device_parse(arguments[1], &device));
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &loss));
  random_weights();
  next_batch();
  CHECK(rondo_record_begin(engine, NULL));
  step(); /* nothing runs; both bodies are kept */
  CHECK(rondo_record_end(engine, &graph));
  for (launched = 0; launched < 2; ++launched) {
    double begin = 0;
    float losses[2];
    random_weights();
    calls = 0;
    for (i = 0; i < STEPS; ++i) {
      next_batch();
      if (launched)
        CHECK(rondo_graph_launch(graph)); /* decides anew, without this thread */
      else
        step(); /* waits for the number, and calls one of the two */
      if (i == 0) CHECK(rondo_tensor_read(loss, &losses[0], sizeof losses[0]));
      if (i == 0) begin = microseconds();
    }
    CHECK(rondo_tensor_read(loss, &losses[1], sizeof losses[1]));
    printf("%s: loss %.3f at first, %.3f at last; %.0f us a step; functions of bodies were called %d times\n",
           launched ? "launched" : "called eagerly", losses[0], losses[1], (microseconds() - begin) / STEPS, calls);
    for (i = 0; i < LAYERS; ++i) CHECK(rondo_tensor_read(w[i], weights[launched][i], sizeof weights[launched][i]));
  }
  CHECK(rondo_graph_query(graph, &info));
  printf("%s\n", info.conditional_nodes ? "the CUDA graph decided" : "the host decided"); /* cpu, or an older driver */
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(x), rondo_tensor_destroy(y), rondo_tensor_destroy(loss);
  for (i = 0; i < LAYERS; ++i) rondo_tensor_destroy(w[i]);
  rondo_engine_destroy(engine);
  i = memcmp(weights[0], weights[1], sizeof weights[0]);
  puts(i ? "the weights differ" : "the weights are equal, bit for bit");
  return i != 0;
}
