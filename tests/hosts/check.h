/* What the programs of hosts share: a check that names its line, and a little work for an engine.
   Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                           \
  do {                                                                                                             \
    if (!(condition)) {                                                                                            \
      fprintf(stdout, "%s:%d: not so: %s (last error: %s)\n", __FILE__, __LINE__, #condition, rondo_last_error()); \
      exit(1);                                                                                                     \
    }                                                                                                              \
  } while (0)

static const rondo_device host_cpu = {RONDO_CPU, 0};

/* A tensor of n elements with this value. */
static inline rondo_tensor* host_tensor(rondo_engine* engine, int64_t n, double value) {
  rondo_tensor* made = NULL;
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 1, &n, &made) == RONDO_OK);
  CHECK(rondo_fill(made, value) == RONDO_OK);
  return made;
}

/* Sums n ones, and waits. */
static inline double host_sum(rondo_engine* engine, int64_t n) {
  rondo_tensor *ones = host_tensor(engine, n, 1), *sum = NULL;
  float value = 0;
  CHECK(rondo_reduce(RONDO_SUM, ones, 0, NULL, 0, &sum) == RONDO_OK);
  CHECK(rondo_tensor_read(sum, &value, sizeof value) == RONDO_OK);
  rondo_tensor_destroy(ones);
  rondo_tensor_destroy(sum);
  return value;
}
