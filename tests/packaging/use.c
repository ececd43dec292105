/* What somebody else's program does with an installed Rondo: eager and recorded work in two threads, with an error of
 * each thread's own. Compiled as a program, or with -DPLUGIN as a shared library that open.c opens. Prints the
 * library's version if all of it is right. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <string.h>

int use_rondo(void);

#define EXPECT(condition)                                                             \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, rondo_last_error()); \
      return "failed";                                                                \
    }                                                                                 \
  } while (0)
#define OK(call) EXPECT((call) == RONDO_OK)

static rondo_status refuse(void* arg, rondo_task_context* context) {
  rondo_task_fail(context, arg);
  return RONDO_USER_ERROR;
}

/* NULL if all is right. */
static void* work(void* name) {
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t shape[1] = {3}, other_shape[1] = {2};
  const double values[3] = {0, 1, 2};
  double result[3] = {0, 0, 0};
  rondo_engine* engine = NULL;
  rondo_tensor *a = NULL, *b = NULL, *sum = NULL, *none = NULL;
  rondo_variable* variable = NULL;
  rondo_graph* graph = NULL;

  OK(rondo_engine_create(NULL, &engine));
  OK(rondo_tensor_from_host(engine, cpu, RONDO_F64, 1, shape, values, &a));
  OK(rondo_tensor_from_host(engine, cpu, RONDO_F64, 1, other_shape, values, &b));
  OK(rondo_unary(RONDO_EXP, a, &sum)); /* exp of doubles: the C library has two versions of it */
  OK(rondo_record_begin(engine, NULL));
  OK(rondo_binary(RONDO_ADD, sum, a, &sum));
  OK(rondo_record_end(engine, &graph));
  OK(rondo_graph_launch(graph));
  OK(rondo_graph_launch(graph));
  OK(rondo_tensor_read(sum, result, sizeof result));
  EXPECT(result[0] == 1 && result[1] > 4.718281828 && result[1] < 4.718281829 && result[2] > 11.3890560 &&
         result[2] < 11.3890561);

  /* A mistake, and a task that fails: each thread has its own last error. */
  EXPECT(rondo_binary(RONDO_ADD, a, b, &none) == RONDO_INVALID_ARGUMENT && strstr(rondo_last_error(), "rondo_binary"));
  OK(rondo_variable_create(engine, &variable));
  OK(rondo_engine_push(engine, refuse, name, NULL, NULL, 0, &variable, 1, NULL));
  EXPECT(rondo_variable_wait(variable) == RONDO_USER_ERROR && strstr(rondo_last_error(), name));

  rondo_variable_destroy(variable);
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(sum);
  rondo_tensor_destroy(b);
  rondo_tensor_destroy(a);
  rondo_engine_destroy(engine);
  return NULL;
}

int use_rondo(void) {
  pthread_t thread;
#ifdef FEATURES
  /* A product, for which a library would be opened where one may be. */
  const int64_t square[2] = {2, 2};
  const rondo_device cpu = {RONDO_CPU, 0};
  float product[4] = {0, 0, 0, 0};
  const float factors[4] = {1, 2, 3, 4};
  rondo_engine* engine = NULL;
  rondo_tensor *a = NULL, *out = NULL;
  if (rondo_engine_create(NULL, &engine) != RONDO_OK ||
      rondo_tensor_from_host(engine, cpu, RONDO_F32, 2, square, factors, &a) != RONDO_OK ||
      rondo_matmul(a, a, NULL, &out) != RONDO_OK || rondo_tensor_read(out, product, sizeof product) != RONDO_OK ||
      product[0] != 7 || product[3] != 22)
    return 1;
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(a);
  rondo_engine_destroy(engine);
  const char* reason = "";
  int32_t available = 1;
  if (rondo_feature("blas", &available, &reason) != RONDO_OK || available) return 1;
  printf("blas: %s\n", reason);
  if (rondo_feature("cuda", &available, &reason) != RONDO_OK || available) return 1;
  printf("cuda: %s\n", reason);
#endif
  void* failed = NULL;
  char first[] = "the first thread's", second[] = "the second thread's";
  if (pthread_create(&thread, NULL, work, second) != 0) return 1;
  if (work(first)) failed = first;
  {
    void* other = NULL;
    if (pthread_join(thread, &other) != 0 || other) failed = second;
  }
  if (failed) return 1;
  printf("%s\n", rondo_version_string());
  return 0;
}

#ifndef PLUGIN
int main(void) {
  return use_rondo();
}
#endif
