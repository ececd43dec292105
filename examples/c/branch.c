/* A training step with a branch in it, as one graph: which of two layers the data goes through is known on the device
 * only. The same function is called eagerly and recorded, and leaves the same bits.
 *
 * usage: branch [DEVICE [FILE]]   DEVICE: "cpu" (without an argument), "cuda:0" or "auto"; FILE receives a profile
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"
#include "device.h"

enum { BATCH = 8, WIDTH = 16, STEPS = 20, MODULES = 3 };

struct network {
  rondo_engine* engine;
  rondo_device device;
  rondo_tensor *x, *y;       /* a batch, and what is to come of it */
  rondo_tensor* w[MODULES];  /* of the first layer, and of the two that the data may go through */
  rondo_tensor *tmp, *d_tmp; /* what the first layer makes of the batch, and its gradient */
  rondo_tensor* loss;
  int calls[MODULES]; /* of the functions that issue bodies */
};

/* w -= 0.05 d, and lets go of d. */
static void descend(rondo_tensor* w, rondo_tensor* d) {
  rondo_tensor* change = NULL;
  CHECK(rondo_binary_scalar(RONDO_MUL, d, 0.05, &change));
  CHECK(rondo_binary(RONDO_SUB, w, change, &w));
  rondo_tensor_destroy(change);
  rondo_tensor_destroy(d);
}

/* A body: the layer, the loss, and back to what the layer was given. Its tape is opened and closed in it. */
static rondo_status through(struct network* n, rondo_tensor* w) {
  rondo_tape* tape = NULL;
  rondo_tensor *out = NULL, *off = NULL, *square = NULL;
  rondo_tensor* sources[2];
  rondo_tensor* gradients[2];
  sources[0] = n->tmp;
  sources[1] = w;
  gradients[0] = n->d_tmp; /* from outside: what comes after the branch reads it */
  gradients[1] = NULL;
  CHECK(rondo_tape_begin(n->engine, 0, &tape));
  CHECK(rondo_tape_watch(tape, n->tmp));
  CHECK(rondo_tape_watch(tape, w));
  CHECK(rondo_matmul(n->tmp, w, NULL, &out));
  CHECK(rondo_binary(RONDO_SUB, out, n->y, &off));
  CHECK(rondo_binary(RONDO_MUL, off, off, &square));
  CHECK(rondo_reduce(RONDO_MEAN, square, 0, NULL, 0, &n->loss));
  CHECK(rondo_tape_gradients(tape, 1, &n->loss, NULL, 2, sources, gradients));
  rondo_tape_destroy(tape);
  descend(w, gradients[1]);
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(off);
  rondo_tensor_destroy(square);
  return RONDO_OK;
}
static rondo_status through_second(void* network) {
  struct network* n = network;
  ++n->calls[1];
  return through(n, n->w[1]);
}
static rondo_status through_third(void* network) {
  struct network* n = network;
  ++n->calls[2];
  return through(n, n->w[2]);
}

static void step(struct network* n) {
  rondo_tape* tape = NULL;
  rondo_tensor *sum = NULL, *positive = NULL, *d_first = NULL;
  CHECK(rondo_tape_begin(n->engine, 0, &tape));
  CHECK(rondo_tape_watch(tape, n->w[0]));
  CHECK(rondo_matmul(n->x, n->w[0], NULL, &n->tmp));
  CHECK(rondo_tape_end(tape)); /* it notes nothing more, and is asked below */
  CHECK(rondo_reduce(RONDO_SUM, n->tmp, 0, NULL, 0, &sum));
  CHECK(rondo_binary_scalar(RONDO_GT, sum, 0.0, &positive));
  CHECK(rondo_if(n->engine, positive, through_second, through_third, n));
  CHECK(rondo_tape_gradients(tape, 1, &n->tmp, &n->d_tmp, 1, &n->w[0], &d_first));
  rondo_tape_destroy(tape);
  descend(n->w[0], d_first);
  rondo_tensor_destroy(sum);
  rondo_tensor_destroy(positive);
}

static void begin(struct network* n) {
  const int64_t square[] = {WIDTH, WIDTH};
  int i;
  CHECK(rondo_engine_seed(n->engine, 7));
  for (i = 0; i < MODULES; ++i)
    CHECK(rondo_random_normal(n->engine, n->device, RONDO_F32, 2, square, 0.0, 0.25, &n->w[i]));
}

/* New data for a step. */
static void next_batch(struct network* n) {
  const int64_t shape[] = {BATCH, WIDTH};
  CHECK(rondo_random_normal(n->engine, n->device, RONDO_F32, 2, shape, 0.0, 1.0, &n->x));
  CHECK(rondo_unary(RONDO_TANH, n->x, &n->y));
}

int main(int count, char** arguments) {
  static float results[2][MODULES][WIDTH * WIDTH];
  const int64_t shape[] = {BATCH, WIDTH};
  struct network n;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  rondo_graph* graph = NULL;
  int i, k;
  memset(&n, 0, sizeof n);
  n.device = device_choose(count > 1 ? arguments[1] : "cpu");
  CHECK(rondo_engine_create(NULL, &n.engine));
  CHECK(rondo_tensor_create(n.engine, n.device, RONDO_F32, 2, shape, &n.tmp));
  CHECK(rondo_tensor_create(n.engine, n.device, RONDO_F32, 2, shape, &n.d_tmp));
  CHECK(rondo_tensor_create(n.engine, n.device, RONDO_F32, 0, NULL, &n.loss));
  begin(&n);
  next_batch(&n);

  options.flags = RONDO_RECORD_SITES; /* profiles and failures say where in this program a task comes from */
  CHECK(rondo_record_begin(n.engine, &options));
  step(&n); /* nothing runs; both bodies are kept */
  CHECK(rondo_record_end(n.engine, &graph));

  for (k = 0; k < 2; ++k) {
    begin(&n);
    memset(n.calls, 0, sizeof n.calls);
    for (i = 0; i < STEPS; ++i) {
      next_batch(&n);
      if (k)
        CHECK(rondo_graph_launch(graph)); /* decides anew, without this thread */
      else
        step(&n); /* waits for the number, and calls one of the two */
    }
    for (i = 0; i < MODULES; ++i) CHECK(rondo_tensor_read(n.w[i], results[k][i], sizeof results[k][i]));
    printf("%d steps %s: the functions of the bodies were called %d and %d times\n", STEPS,
           k ? "launched" : "called eagerly", n.calls[1], n.calls[2]);
  }
  if (memcmp(results[0], results[1], sizeof results[0]) != 0) {
    fprintf(stderr, "the weights differ\n");
    return 1;
  }
  printf("the weights are equal, bit for bit\n");
  CHECK(rondo_graph_query(graph, &info));
  printf("%s\n", info.conditional_nodes ? "the CUDA graph decided" : "the host decided"); /* cpu, or an older driver */
  if (count > 2) CHECK(rondo_graph_profile(graph, arguments[2])); /* one launch more; `rondo graph FILE` shows it */

  rondo_graph_destroy(graph);
  for (i = 0; i < MODULES; ++i) rondo_tensor_destroy(n.w[i]);
  rondo_tensor_destroy(n.x);
  rondo_tensor_destroy(n.y);
  rondo_tensor_destroy(n.tmp);
  rondo_tensor_destroy(n.d_tmp);
  rondo_tensor_destroy(n.loss);
  rondo_engine_destroy(n.engine);
  return 0;
}
