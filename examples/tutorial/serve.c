/* Asks the network that train.c has trained, from four threads at once: a callable is a graph that any thread calls
 * with tensors of its own. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "../c/check.h"

static rondo_engine* engine;
static const rondo_device device = {RONDO_CPU, 0}; /* {RONDO_CUDA, 0}: the first GPU */
static rondo_callable* network;

/* What the network makes of bits. It is recorded at the first call of a shape. arg: the weights. */
static rondo_status answer_of(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                              rondo_tensor** outputs) {
  rondo_tensor* const* weights = arg;
  rondo_tensor *sums = NULL, *hidden = NULL, *logits = NULL;
  const int32_t axis = 1;
  (void)n_inputs;
  (void)n_outputs;
  rondo_status status = rondo_matmul(inputs[0], weights[0], NULL, &sums);
  if (status == RONDO_OK) status = rondo_unary(RONDO_TANH, sums, &hidden);
  if (status == RONDO_OK) status = rondo_matmul(hidden, weights[1], NULL, &logits);
  if (status == RONDO_OK) status = rondo_reduce(RONDO_ARGMAX, logits, 1, &axis, 0, &outputs[0]);
  rondo_tensor_destroy(sums);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(logits);
  return status;
}

struct question {
  float bits[3]; /* the third is 1, for the bias */
  int64_t answer;
};

static void* ask(void* arg) {
  struct question* question = arg;
  const int64_t shape[2] = {1, 3};
  rondo_tensor *x = NULL, *y = NULL;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, shape, question->bits, &x));
  CHECK(rondo_callable_call(network, 1, &x, 1, &y));
  CHECK(rondo_tensor_read(y, &question->answer, sizeof question->answer)); /* waits for this answer alone */
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(y);
  return NULL;
}

int main(void) {
  struct question questions[4] = {{{0, 0, 1}, -1}, {{0, 1, 1}, -1}, {{1, 0, 1}, -1}, {{1, 1, 1}, -1}};
  pthread_t threads[4];
  rondo_tensor* weights[2] = {NULL, NULL};
  rondo_model_file* file = NULL;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_model_file_open("xor.safetensors", &file));
  CHECK(rondo_model_file_load(file, "hidden", engine, device, &weights[0]));
  CHECK(rondo_model_file_load(file, "last", engine, device, &weights[1]));
  CHECK(rondo_callable_create(engine, 1, NULL, answer_of, weights, NULL, &network));

  for (int i = 0; i < 4; ++i)
    if (pthread_create(&threads[i], NULL, ask, &questions[i]) != 0) return 1;
  for (int i = 0; i < 4; ++i) {
    (void)pthread_join(threads[i], NULL);
    printf("%g xor %g = %d\n", questions[i].bits[0], questions[i].bits[1], (int)questions[i].answer);
  }

  rondo_callable_destroy(network);
  rondo_tensor_destroy(weights[0]);
  rondo_tensor_destroy(weights[1]);
  rondo_model_file_destroy(file);
  rondo_engine_destroy(engine);
  return 0;
}
