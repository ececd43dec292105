/* Times loops of operators on the cpu by the time of processors: what one compiler makes of them beside another
 * (loops.py). Prints a line for each operator and size: nanoseconds an element, the median of many calls.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 15, COLUMNS = 512 };

static void must(rondo_status status) {
  if (status == RONDO_OK) return;
  fprintf(stderr, "%s\n", rondo_last_error());
  exit(1);
}

static rondo_engine* engine;
static rondo_tensor *a, *b, *w, *bias, *out;
static rondo_tensor *wide, *dividend, *divisor; /* f64, and integers */

static rondo_tensor* tensor(int64_t rows, int64_t columns) {
  const int64_t shape[2] = {rows, columns};
  rondo_device cpu = {RONDO_CPU, 0};
  rondo_tensor* made = NULL;
  must(rondo_random_normal(engine, cpu, RONDO_F32, rows ? 2 : 1, rows ? shape : shape + 1, 0, 1, &made));
  return made;
}

/* As another dtype, scaled. */
static rondo_tensor* scaled(rondo_tensor* of, double by, double more, rondo_dtype dtype) {
  rondo_tensor *absolute = NULL, *larger = NULL, *shifted = NULL, *made = NULL;
  must(rondo_unary(RONDO_ABS, of, &absolute));
  must(rondo_binary_scalar(RONDO_MUL, absolute, by, &larger));
  must(rondo_binary_scalar(RONDO_ADD, larger, more, &shifted));
  must(rondo_cast(shifted, dtype, &made));
  rondo_tensor_destroy(absolute);
  rondo_tensor_destroy(larger);
  rondo_tensor_destroy(shifted);
  return made;
}

static void add(void) {
  must(rondo_binary(RONDO_ADD, a, b, &out));
}
static void exponential(void) {
  must(rondo_unary(RONDO_EXP, a, &out));
}
static void gelu(void) {
  must(rondo_unary(RONDO_GELU, a, &out));
}
static void cast(void) {
  must(rondo_cast(a, RONDO_F16, &out));
}
static void sum(void) {
  must(rondo_reduce(RONDO_SUM, a, 0, NULL, 0, &out));
}
static void sum_of_columns(void) {
  const int32_t axis = 0;
  must(rondo_reduce(RONDO_SUM, a, 1, &axis, 0, &out));
}
static void largest(void) {
  const int32_t axis = 1;
  must(rondo_reduce(RONDO_MAX, a, 1, &axis, 0, &out));
}
static void softmax(void) {
  must(rondo_softmax(a, 1, &out));
}
static void layer_norm(void) {
  must(rondo_layer_norm(a, -1, bias, bias, 1e-5, &out));
}
static void rms_norm(void) {
  must(rondo_rms_norm(a, -1, bias, 1e-5, &out));
}
static void matmul(void) {
  must(rondo_matmul(a, w, NULL, &out));
}
static void matmul_gelu(void) {
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  with.bias = bias;
  with.activation = RONDO_ACTIVATION_GELU;
  must(rondo_matmul(a, w, &with, &out));
}

/* Of the loops that clang says stay scalar: integers that are divided, functions of the C library, most of f64. */
static void divide(void) {
  must(rondo_binary(RONDO_DIV, dividend, divisor, &out));
}
static void divisor_of_both(void) {
  must(rondo_binary(RONDO_GCD, dividend, divisor, &out));
}
static void cube_root(void) {
  must(rondo_unary(RONDO_CBRT, a, &out));
}
static void arc_tangent(void) {
  must(rondo_unary(RONDO_ATAN, a, &out));
}
static void wide_tanh(void) {
  must(rondo_unary(RONDO_TANH, wide, &out));
}
static void wide_gelu(void) {
  must(rondo_unary(RONDO_GELU, wide, &out));
}
static void wide_selu(void) {
  must(rondo_unary(RONDO_SELU, wide, &out));
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
  return 1e9 * (double)at.tv_sec + (double)at.tv_nsec;
}

static int compare(const void* one, const void* other) {
  const double x = *(const double*)one, y = *(const double*)other;
  return (x > y) - (x < y);
}

static void measure(const char* name, void (*call)(void), int64_t elements) {
  const int64_t times = elements < 1 << 20 ? (1 << 21) / elements : 1;
  double taken[CALLS];
  int i;
  call();
  for (i = 0; i < CALLS; ++i) {
    const double begin = now();
    int64_t k;
    for (k = 0; k < times; ++k) call();
    taken[i] = (now() - begin) / (double)(times * elements);
  }
  qsort(taken, CALLS, sizeof *taken, compare);
  printf("%s\t%lld\t%.5f\n", name, (long long)elements, taken[CALLS / 2]);
  rondo_tensor_destroy(out);
  out = NULL;
}

int main(void) {
  static const struct {
    const char* name;
    void (*call)(void);
  } loops[] = {{"add", add},
               {"exp", exponential},
               {"gelu", gelu},
               {"cast f32 to f16", cast},
               {"sum of all", sum},
               {"sum of columns", sum_of_columns},
               {"max of rows", largest},
               {"softmax", softmax},
               {"layer_norm", layer_norm},
               {"rms_norm", rms_norm},
               {"matmul", matmul},
               {"matmul + bias, gelu", matmul_gelu},
               {"div of i32", divide},
               {"gcd of i32", divisor_of_both},
               {"cbrt", cube_root},
               {"atan", arc_tangent},
               {"tanh of f64", wide_tanh},
               {"gelu of f64", wide_gelu},
               {"selu of f64", wide_selu}};
  static const int64_t rows[] = {8, 256, 8192};
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  size_t i, k;
  options.workers = 1;
  options.mode = RONDO_ENGINE_NAIVE;
  must(rondo_engine_create(&options, &engine));
  for (k = 0; k < sizeof rows / sizeof *rows; ++k) {
    a = tensor(rows[k], COLUMNS);
    b = tensor(rows[k], COLUMNS);
    w = tensor(COLUMNS, COLUMNS);
    bias = tensor(0, COLUMNS);
    wide = scaled(a, 2, -2, RONDO_F64);
    dividend = scaled(a, 1e6, 0, RONDO_I32);
    divisor = scaled(b, 100, 1, RONDO_I32);
    for (i = 0; i < sizeof loops / sizeof *loops; ++i) measure(loops[i].name, loops[i].call, rows[k] * COLUMNS);
    rondo_tensor_destroy(a);
    rondo_tensor_destroy(b);
    rondo_tensor_destroy(w);
    rondo_tensor_destroy(bias);
    rondo_tensor_destroy(wide);
    rondo_tensor_destroy(dividend);
    rondo_tensor_destroy(divisor);
  }
  rondo_engine_destroy(engine);
  return 0;
}
