/* Tasks of one's own between Rondo's operators: a checksum of a tensor by zlib, ordered with everything else by the
 * tensors that it reads and writes; what happens when one of them fails in the middle; and one that a thread of the
 * program's own completes later. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

#include "check.h"

enum { VALUES = 1000 };

/* Operands come in the order given to rondo_engine_push_tensors: reads first, then writes. */
static rondo_status checksum(void* arg, rondo_task_context* context) {
  void *data = NULL, *sum = NULL;
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  (void)arg;
  rondo_status status = rondo_task_operand(context, 0, &data, &info);
  if (status == RONDO_OK) status = rondo_task_operand(context, 1, &sum, NULL);
  if (status != RONDO_OK) return status;
  if (!info.contiguous) {
    rondo_task_fail(context, "checksum wants a contiguous tensor");
    return RONDO_USER_ERROR;
  }
  *(int64_t*)sum = (int64_t)crc32(0, data, (uInt)info.bytes);
  return RONDO_OK;
}

/* Refuses values that are too large: an error of the program's own. */
static rondo_status limited(void* arg, rondo_task_context* context) {
  const float* limit = arg;
  void* data = NULL;
  const rondo_status status = rondo_task_operand(context, 0, &data, NULL);
  if (status != RONDO_OK) return status;
  for (int i = 0; i < VALUES; ++i) {
    if (((const float*)data)[i] > *limit) {
      rondo_task_fail(context, "a value is beyond the limit");
      return RONDO_USER_ERROR;
    }
  }
  return RONDO_OK;
}

struct delivery {
  float* to;
  rondo_completion* completion;
};

static void* deliver(void* arg) {
  struct delivery* delivery = arg;
  for (int i = 0; i < VALUES; ++i) delivery->to[i] = (float)i;
  rondo_completion* completion = delivery->completion; /* `delivery` is freed when the task ends */
  (void)rondo_completion_complete(completion, RONDO_OK, NULL);
  rondo_completion_destroy(completion);
  return NULL;
}

/* Has another thread do the work, as libraries with threads of their own do. The task ends when that completes it, and
 * no worker of the engine waits for it. */
static rondo_status ordered(void* arg, rondo_task_context* context) {
  struct delivery* delivery = arg;
  pthread_t thread;
  void* to = NULL;
  rondo_status status = rondo_task_operand(context, 0, &to, NULL);
  if (status == RONDO_OK) status = rondo_task_defer(context, &delivery->completion);
  if (status != RONDO_OK) return status;
  delivery->to = to;
  if (pthread_create(&thread, NULL, deliver, delivery) == 0) {
    pthread_detach(thread);
    return RONDO_OK;
  }
  rondo_completion_destroy(delivery->completion); /* nobody will complete it */
  return RONDO_USER_ERROR;
}

int main(void) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t shape[1] = {VALUES}, one[1] = {1};
  static const float limit = 2500;
  float values[VALUES];
  int64_t sum = 0;
  rondo_engine* engine = NULL;
  rondo_tensor *x = NULL, *crc = NULL, *next = NULL;
  rondo_task_options options = RONDO_TASK_OPTIONS_INIT;

  for (int i = 0; i < VALUES; ++i) values[i] = (float)i;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &x));
  CHECK(rondo_tensor_create(engine, device, RONDO_I64, 1, one, &crc));

  for (int step = 0; step < 3; ++step) {
    CHECK(rondo_binary_scalar(RONDO_ADD, x, 1000, &x));

    options.name = "limited"; /* for errors, traces and reports */
    CHECK(rondo_engine_push_tensors(engine, limited, (void*)&limit, NULL, &x, 1, &x, 1, &options));
    options.name = "checksum"; /* runs when what writes x is done, on a worker; this thread goes on */
    CHECK(rondo_engine_push_tensors(engine, checksum, NULL, NULL, &x, 1, &crc, 1, &options));

    if (rondo_tensor_read(crc, &sum, sizeof sum) == RONDO_OK) {
      printf("step %d: checksum %08llx\n", step, (unsigned long long)sum);
    } else {
      /* `limited` failed, so x has an error, and checksum was skipped, which gives crc the same one: the first cause.
       */
      printf("step %d: %s\n", step, rondo_last_error());
    }
  }

  /* Whoever reads x is told as well, until it is written anew. */
  if (rondo_unary(RONDO_NEG, x, &next) == RONDO_OK && rondo_tensor_wait(next) != RONDO_OK) printf("x is spoilt\n");
  options.name = "ordered";
  CHECK(rondo_engine_push_tensors(engine, ordered, calloc(1, sizeof(struct delivery)), free, NULL, 0, &x, 1, &options));
  CHECK(rondo_tensor_read(x, values, sizeof values));
  printf("x is %g ... %g again\n", values[0], values[VALUES - 1]);

  rondo_tensor_destroy(next);
  rondo_tensor_destroy(crc);
  rondo_tensor_destroy(x);
  if (rondo_engine_wait_all(engine) != RONDO_OK) printf("and the engine reports it once\n");
  rondo_engine_destroy(engine);
  return 0;
}
