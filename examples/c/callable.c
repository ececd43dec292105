/* A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
 * trained twice, with layers called eagerly and as callables: to the same bits. What a step takes is printed.
 * usage: callable [DEVICE]   "cpu" (without an argument) or "cuda:0"
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <string.h>
#include <time.h>

#include "check.h"

enum { WIDTH = 16, STEPS = 200, LAYERS = 3 };
static rondo_device device = {RONDO_CPU, 0};

struct layer {
  rondo_tensor *w, *b;
  rondo_callable* graphs;
  int runs; /* of the function below */
};

/* x + silu(rms_norm(x) w + b); as a callable it is called once for each size of batch. */
static rondo_status run(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                        rondo_tensor** outputs) {
  struct layer* layer = arg;
  rondo_tensor *norm = NULL, *product = NULL, *silu = NULL;
  (void)n_inputs, (void)n_outputs;
  ++layer->runs;
  CHECK(rondo_rms_norm(inputs[0], -1, NULL, 1e-5, &norm));
  CHECK(rondo_matmul(norm, layer->w, NULL, &product));
  CHECK(rondo_binary(RONDO_ADD, product, layer->b, &product));
  CHECK(rondo_unary(RONDO_SILU, product, &silu));
  CHECK(rondo_binary(RONDO_ADD, inputs[0], silu, &outputs[0]));
  rondo_tensor_destroy(norm), rondo_tensor_destroy(product), rondo_tensor_destroy(silu);
  return RONDO_OK;
}

/* *x becomes what the layer makes of it. */
static void through(struct layer* layer, int as_graph, rondo_tensor** x) {
  rondo_tensor* y = NULL;
  CHECK(as_graph ? rondo_callable_call(layer->graphs, 1, x, 1, &y) : run(layer, 1, x, 1, &y));
  rondo_tensor_destroy(*x);
  *x = y;
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* The loss of a step: sin(x) is to come of a new batch x. Which layers it goes through is for the host to see. */
static float step(rondo_engine* engine, struct layer* layers, int as_graph, int64_t batch) {
  const int64_t shape[] = {batch, WIDTH};
  rondo_tape* tape = NULL;
  rondo_tensor *x = NULL, *y = NULL, *off = NULL, *loss = NULL, *sum = NULL;
  rondo_tensor *sources[2 * LAYERS], *gradients[2 * LAYERS] = {NULL};
  float seen = 0;
  CHECK(rondo_random_normal(engine, device, RONDO_F32, 2, shape, 0.0, 1.0, &x));
  CHECK(rondo_unary(RONDO_SIN, x, &y));
  CHECK(rondo_tape_begin(engine, 0, &tape));
  for (int i = 0; i < 2 * LAYERS; ++i) {
    sources[i] = i % 2 ? layers[i / 2].b : layers[i / 2].w;
    CHECK(rondo_tape_watch(tape, sources[i]));
  }
  through(&layers[0], as_graph, &x);
  for (int i = 0; i < 3; ++i) {
    CHECK(rondo_reduce(RONDO_SUM, x, 0, NULL, 0, &sum));
    CHECK(rondo_tensor_read(sum, &seen, sizeof seen));
    through(&layers[seen > 0 ? 1 : 2], as_graph, &x);
  }
  CHECK(rondo_binary(RONDO_SQUARED_DIFFERENCE, x, y, &off));
  CHECK(rondo_reduce(RONDO_MEAN, off, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 2 * LAYERS, sources, gradients));
  rondo_tape_destroy(tape);
  for (int i = 0; i < 2 * LAYERS; ++i) {
    CHECK(rondo_binary_scalar(RONDO_MUL, gradients[i], 0.3, &gradients[i]));
    CHECK(rondo_binary(RONDO_SUB, sources[i], gradients[i], &sources[i]));
    rondo_tensor_destroy(gradients[i]);
  }
  CHECK(rondo_tensor_read(loss, &seen, sizeof seen));
  rondo_tensor_destroy(x), rondo_tensor_destroy(y), rondo_tensor_destroy(off);
  rondo_tensor_destroy(sum), rondo_tensor_destroy(loss);
  return seen;
}

int main(int count, char** arguments) {
  static float weights[2][LAYERS][WIDTH * WIDTH];
  const int64_t shape[] = {WIDTH, WIDTH};
  rondo_engine* engine = NULL;
  int differ;
  if (count > 1) CHECK(rondo_device_parse(arguments[1], &device));
  CHECK(rondo_engine_create(NULL, &engine));
  for (int as_graph = 0; as_graph < 2; ++as_graph) {
    struct layer layers[LAYERS] = {{NULL, NULL, NULL, 0}};
    double begin = 0, loss[2] = {0, 0};
    int runs = 0;
    CHECK(rondo_engine_seed(engine, 7));
    for (int i = 0; i < LAYERS; ++i) {
      CHECK(rondo_random_normal(engine, device, RONDO_F32, 2, shape, 0.0, 0.25, &layers[i].w));
      CHECK(rondo_random_normal(engine, device, RONDO_F32, 1, shape, 0.0, 0.25, &layers[i].b));
      CHECK(rondo_callable_create(engine, 1, NULL, run, &layers[i], NULL, &layers[i].graphs));
    }
    for (int i = 0; i < STEPS; ++i) {
      loss[i / (STEPS / 2)] += step(engine, layers, as_graph, i % 2 ? 8 : 5) * 2 / STEPS;
      if (i == STEPS / 2 - 1) begin = microseconds(); /* all is recorded and compiled */
    }
    begin = microseconds() - begin;
    for (int i = 0; i < LAYERS; ++i) {
      runs += layers[i].runs;
      CHECK(rondo_tensor_read(layers[i].w, weights[as_graph][i], sizeof weights[as_graph][i]));
      rondo_tensor_destroy(layers[i].w), rondo_tensor_destroy(layers[i].b);
      rondo_callable_destroy(layers[i].graphs);
    }
    printf("layers %s: loss %.3f, then %.3f; %.0f us a step; their functions were called %d times\n",
           as_graph ? "as graphs" : "called eagerly", loss[0], loss[1], begin * 2 / STEPS, runs);
  }
  rondo_engine_destroy(engine);
  differ = memcmp(weights[0], weights[1], sizeof weights[0]) != 0;
  puts(differ ? "the weights differ" : "the weights are equal, bit for bit");
  return differ;
}
