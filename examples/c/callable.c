/* A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
 * trained twice, with layers called eagerly and as callables, and leaves the same bits.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"

enum { WIDTH = 16, STEPS = 20, LAYERS = 3 };

static const rondo_device cpu = {RONDO_CPU, 0};

struct layer {
  rondo_tensor *w, *b;
  rondo_callable* graphs;
  int runs; /* of the function below */
};

/* tanh(x w + b); called once for each size of batch, with a tape and without. */
static rondo_status run(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                        rondo_tensor** outputs) {
  struct layer* layer = arg;
  rondo_tensor *product = NULL, *sum = NULL;
  (void)n_inputs;
  (void)n_outputs;
  ++layer->runs;
  CHECK(rondo_matmul(inputs[0], layer->w, NULL, &product));
  CHECK(rondo_binary(RONDO_ADD, product, layer->b, &sum));
  CHECK(rondo_unary(RONDO_TANH, sum, &outputs[0]));
  rondo_tensor_destroy(product);
  rondo_tensor_destroy(sum);
  return RONDO_OK;
}

/* *x becomes what the layer makes of it. */
static void through(struct layer* layer, int as_graph, rondo_tensor** x) {
  rondo_tensor* y = NULL;
  if (as_graph)
    CHECK(rondo_callable_call(layer->graphs, 1, x, 1, &y));
  else
    CHECK(run(layer, 1, x, 1, &y));
  rondo_tensor_destroy(*x);
  *x = y;
}

/* One step on a new batch; which layers it goes through is for the host to see. */
static void step(rondo_engine* engine, struct layer* layers, int as_graph, int64_t batch) {
  const int64_t shape[] = {batch, WIDTH};
  rondo_tape* tape = NULL;
  rondo_tensor *x = NULL, *loss = NULL, *square = NULL, *sum = NULL;
  rondo_tensor *sources[2 * LAYERS], *gradients[2 * LAYERS];
  float seen = 0;
  int i;
  CHECK(rondo_random_normal(engine, cpu, RONDO_F32, 2, shape, 0.0, 1.0, &x));
  CHECK(rondo_tape_begin(engine, 0, &tape));
  for (i = 0; i < LAYERS; ++i) {
    sources[2 * i] = layers[i].w;
    sources[2 * i + 1] = layers[i].b;
  }
  for (i = 0; i < 2 * LAYERS; ++i) {
    CHECK(rondo_tape_watch(tape, sources[i]));
    gradients[i] = NULL;
  }
  through(&layers[0], as_graph, &x);
  for (i = 0; i < 3; ++i) {
    CHECK(rondo_reduce(RONDO_SUM, x, 0, NULL, 0, &sum));
    CHECK(rondo_tensor_read(sum, &seen, sizeof seen));
    rondo_tensor_destroy(sum);
    sum = NULL;
    through(&layers[seen > 0 ? 1 : 2], as_graph, &x);
  }
  CHECK(rondo_binary(RONDO_MUL, x, x, &square));
  CHECK(rondo_reduce(RONDO_SUM, square, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 2 * LAYERS, sources, gradients));
  rondo_tape_destroy(tape);
  for (i = 0; i < 2 * LAYERS; ++i) {
    rondo_tensor* change = NULL;
    CHECK(rondo_binary_scalar(RONDO_MUL, gradients[i], 0.01, &change));
    CHECK(rondo_binary(RONDO_SUB, sources[i], change, &sources[i]));
    rondo_tensor_destroy(change);
    rondo_tensor_destroy(gradients[i]);
  }
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(square);
  rondo_tensor_destroy(loss);
}

int main(void) {
  static float results[2][LAYERS][WIDTH * WIDTH];
  const int64_t square[] = {WIDTH, WIDTH}, row[] = {WIDTH};
  rondo_engine* engine = NULL;
  struct layer layers[LAYERS];
  int as_graph, i;
  CHECK(rondo_engine_create(NULL, &engine));
  for (as_graph = 0; as_graph < 2; ++as_graph) {
    int runs = 0;
    CHECK(rondo_engine_seed(engine, 7));
    memset(layers, 0, sizeof layers);
    for (i = 0; i < LAYERS; ++i) {
      CHECK(rondo_random_normal(engine, cpu, RONDO_F32, 2, square, 0.0, 0.25, &layers[i].w));
      CHECK(rondo_random_normal(engine, cpu, RONDO_F32, 1, row, 0.0, 0.25, &layers[i].b));
      CHECK(rondo_callable_create(engine, 1, NULL, run, &layers[i], NULL, &layers[i].graphs));
    }
    for (i = 0; i < STEPS; ++i) step(engine, layers, as_graph, i % 2 ? 8 : 5);
    for (i = 0; i < LAYERS; ++i) {
      runs += layers[i].runs;
      CHECK(rondo_tensor_read(layers[i].w, results[as_graph][i], sizeof results[as_graph][i]));
      rondo_tensor_destroy(layers[i].w);
      rondo_tensor_destroy(layers[i].b);
      rondo_callable_destroy(layers[i].graphs);
    }
    printf("%d steps with layers %s: their functions were called %d times\n", STEPS,
           as_graph ? "as graphs" : "called eagerly", runs);
  }
  rondo_engine_destroy(engine);
  if (memcmp(results[0], results[1], sizeof results[0]) != 0) {
    fprintf(stderr, "the weights differ\n");
    return 1;
  }
  printf("the weights are equal, bit for bit\n");
  return 0;
}
