/* The calls of Calls.java in C: prints `name nanoseconds` for each, the best of several rounds.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 200000, ROUNDS = 15 };

static rondo_tensor *a, *b, *c;

static void check(rondo_status status) {
  if (status == RONDO_OK) return;
  fprintf(stderr, "calls: %s\n", rondo_last_error());
  exit(1);
}

static void binary_into(void) {
  check(rondo_binary(RONDO_ADD, a, b, &c));
}

static void binary_new(void) {
  rondo_tensor* out = NULL;
  check(rondo_binary(RONDO_ADD, a, b, &out));
  rondo_tensor_destroy(out);
}

static void view(void) {
  const int64_t shape[2] = {2, 2};
  rondo_tensor* out = NULL;
  check(rondo_tensor_reshape(a, 2, shape, &out));
  rondo_tensor_destroy(out);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void measure(const char* name, void (*call)(void)) {
  double best = 1e9;
  int round, i;
  for (round = 0; round < ROUNDS; ++round) {
    const double begin = now();
    double took;
    for (i = 0; i < CALLS; ++i) call();
    took = (now() - begin) / CALLS;
    if (took < best) best = took;
  }
  printf("%s %.1f\n", name, best);
}

int main(void) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t shape[1] = {4};
  const float values[4] = {1, 2, 3, 4};
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* engine = NULL;
  options.mode = RONDO_ENGINE_NAIVE;
  check(rondo_engine_create(&options, &engine));
  check(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &a));
  check(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &b));
  measure("binaryInto", binary_into);
  measure("binaryNew", binary_new);
  measure("view", view);
  rondo_tensor_destroy(c);
  rondo_tensor_destroy(b);
  rondo_tensor_destroy(a);
  rondo_engine_destroy(engine);
  return 0;
}
