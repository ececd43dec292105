/* Serving a model to many threads: slots, each with a graph, an input and an output of its own; the weights are shared.
 * A thread takes a free slot, writes its request, launches, reads the answer, and gives the slot back. Between the
 * three steps another thread's on the same tensors would mix two requests up; so one slot is a lock around them.
 *
 *     serve [DEVICE [THREADS [SLOTS]]]      cpu or cuda:N, threads (8), slots (4)
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { IN = 64, HIDDEN = 32, OUT = 8, REQUESTS = 200, MOST = 64 };

typedef struct slot {
  rondo_tensor *x, *y;
  rondo_graph* graph;
} slot;

static slot slots[MOST];
static int free_slots[MOST], n_free, n_slots = 4;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t given_back = PTHREAD_COND_INITIALIZER;

static rondo_tensor* filled(rondo_engine* engine, rondo_device device, int64_t rows, int64_t columns, double value) {
  rondo_tensor* made = NULL;
  const int64_t shape[2] = {rows, columns};
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 2, shape, &made));
  CHECK(rondo_fill(made, value));
  return made;
}

static int take(void) {
  int taken;
  pthread_mutex_lock(&mutex);
  while (n_free == 0) pthread_cond_wait(&given_back, &mutex);
  taken = free_slots[--n_free];
  pthread_mutex_unlock(&mutex);
  return taken;
}
static void give_back(int index) {
  pthread_mutex_lock(&mutex);
  free_slots[n_free++] = index;
  pthread_cond_signal(&given_back);
  pthread_mutex_unlock(&mutex);
}

/* y = relu(x w1) w2. What is held at the end of the recording is an output: y; hidden is a temporary. */
static void add_slot(int index, rondo_engine* engine, rondo_device device, rondo_tensor* w1, rondo_tensor* w2) {
  slot* s = &slots[index];
  rondo_matmul_options relu = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor* hidden = NULL;
  relu.activation = RONDO_ACTIVATION_RELU;
  s->x = filled(engine, device, 1, IN, 0);
  CHECK(rondo_record_begin(engine, NULL));
  CHECK(rondo_matmul(s->x, w1, &relu, &hidden));
  CHECK(rondo_matmul(hidden, w2, NULL, &s->y));
  rondo_tensor_destroy(hidden);
  CHECK(rondo_record_end(engine, &s->graph));
  give_back(index);
}

static void answer(const float* x, float* y) {
  const int mine = take();
  CHECK(rondo_tensor_write(slots[mine].x, x, IN * sizeof *x));
  CHECK(rondo_graph_launch(slots[mine].graph));
  CHECK(rondo_tensor_read(slots[mine].y, y, OUT * sizeof *y)); /* waits for this slot's work only */
  give_back(mine);
}

/* One client, whose number tells its requests from others. NULL if every answer was right. */
static void* client(void* number) {
  const int first = *(const int*)number * REQUESTS;
  float x[IN], y[OUT];
  int i, k;
  for (i = first; i < first + REQUESTS; ++i) {
    for (k = 0; k < IN; ++k) x[k] = (float)i;
    answer(x, y);
    for (k = 0; k < OUT; ++k)
      if (y[k] != (float)i) return number; /* w1 and w2 are such that every element of y is the request's number */
  }
  return NULL;
}

int main(int count, char** arguments) {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_device device = {RONDO_CPU, 0};
  rondo_engine* engine = NULL;
  rondo_tensor *w1, *w2;
  pthread_t threads[MOST];
  int numbers[MOST], n_threads = 8, wrong = 0, i;
  void* result;

  if (count > 1) CHECK(rondo_device_parse(arguments[1], &device));
  if (count > 2) n_threads = atoi(arguments[2]);
  if (count > 3) n_slots = atoi(arguments[3]);
  if (count > 4 || n_threads < 1 || n_threads > MOST || n_slots < 1 || n_slots > MOST)
    return fprintf(stderr, "usage: serve [DEVICE [THREADS [SLOTS]]], 1 to %d of either\n", MOST), 2;
  options.streams = n_slots < 16 ? n_slots : 16;
  CHECK(rondo_engine_create(&options, &engine));
  w1 = filled(engine, device, IN, HIDDEN, 1.0 / IN);
  w2 = filled(engine, device, HIDDEN, OUT, 1.0 / HIDDEN);
  for (i = 0; i < n_slots; ++i) add_slot(i, engine, device, w1, w2);
  for (i = 0; i < n_threads; ++i) {
    numbers[i] = i;
    if (pthread_create(&threads[i], NULL, client, &numbers[i]) != 0) return 1;
  }
  for (i = 0; i < n_threads; ++i) wrong += pthread_join(threads[i], &result) != 0 || result != NULL;
  printf("%d threads, %d slot(s): %s\n", n_threads, n_slots, wrong ? "wrong answers" : "every answer right");
  for (i = 0; i < n_slots; ++i) {
    rondo_graph_destroy(slots[i].graph);
    rondo_tensor_destroy(slots[i].x);
    rondo_tensor_destroy(slots[i].y);
  }
  rondo_tensor_destroy(w1);
  rondo_tensor_destroy(w2);
  rondo_engine_destroy(engine);
  return wrong != 0;
}
