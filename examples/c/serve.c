/* Serving a model to many threads: one graph, which each thread calls with tensors of its own. Nothing is locked, and
 * nobody waits for another's answer: a call is one step, and its result belongs to who called.
 *
 *     serve [DEVICE [THREADS [REQUESTS]]]      cpu or cuda:N, threads (32), requests of each (200)
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { IN = 64, HIDDEN = 32, OUT = 8, MOST = 64 };

static const int64_t request_shape[2] = {1, IN};
static rondo_engine* engine;
static rondo_device device = {RONDO_CPU, 0};
static rondo_graph* model;
static int requests = 200;

static rondo_tensor* filled(int64_t rows, int64_t columns, double value) {
  rondo_tensor* made = NULL;
  const int64_t shape[2] = {rows, columns};
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 2, shape, &made));
  CHECK(rondo_fill(made, value));
  return made;
}

/* y = relu(x w1) w2. The graph keeps the weights. */
static void record_model(void) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_matmul_options relu = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *w1 = filled(IN, HIDDEN, 1.0 / IN), *w2 = filled(HIDDEN, OUT, 1.0 / HIDDEN);
  rondo_tensor *x = NULL, *hidden = NULL, *y = NULL;
  options.flags = RONDO_RECORD_CALLABLE;
  options.arenas = 2; /* two requests may be under way at once */
  relu.activation = RONDO_ACTIVATION_RELU;
  CHECK(rondo_record_begin(engine, &options));
  CHECK(rondo_record_input(engine, device, RONDO_F32, 2, request_shape, &x));
  CHECK(rondo_matmul(x, w1, &relu, &hidden));
  CHECK(rondo_matmul(hidden, w2, NULL, &y));
  CHECK(rondo_record_output(engine, y));
  CHECK(rondo_record_end(engine, &model));
  rondo_tensor_destroy(w1);
  rondo_tensor_destroy(w2);
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(y);
}

static void answer(const float* request, float* result) {
  rondo_tensor *x = NULL, *y = NULL;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, request_shape, request, &x));
  CHECK(rondo_graph_call(model, 1, &x, 1, &y));
  rondo_tensor_destroy(x); /* the call holds it */
  CHECK(rondo_tensor_read(y, result, OUT * sizeof *result));
  rondo_tensor_destroy(y);
}

/* One client, whose number tells its requests from others. NULL if every answer was right. */
static void* client(void* number) {
  const int first = *(const int*)number * requests;
  float x[IN], y[OUT];
  int i, k;
  for (i = first; i < first + requests; ++i) {
    for (k = 0; k < IN; ++k) x[k] = (float)i;
    answer(x, y);
    for (k = 0; k < OUT; ++k)
      if (y[k] != (float)i) return number; /* w1 and w2 are such that every element of y is the request's number */
  }
  return NULL;
}

int main(int count, char** arguments) {
  pthread_t threads[MOST];
  int numbers[MOST], n_threads = 32, wrong = 0, i;
  void* result;

  if (count > 1) CHECK(rondo_device_parse(arguments[1], &device));
  if (count > 2) n_threads = atoi(arguments[2]);
  if (count > 3) requests = atoi(arguments[3]);
  if (count > 4 || n_threads < 1 || n_threads > MOST || requests < 1)
    return fprintf(stderr, "usage: serve [DEVICE [THREADS [REQUESTS]]], 1 to %d threads\n", MOST), 2;
  CHECK(rondo_engine_create(NULL, &engine));
  record_model();
  for (i = 0; i < n_threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, client, &numbers[i]) != 0) return 1;
  }
  for (i = 0; i < n_threads; ++i) wrong += pthread_join(threads[i], &result) != 0 || result != NULL;
  printf("%d threads, %d requests of each: %s\n", n_threads, requests, wrong ? "wrong answers" : "every answer right");
  rondo_graph_destroy(model);
  rondo_engine_destroy(engine);
  return wrong != 0;
}
