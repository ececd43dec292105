/* A host whose threads have the least stack that docs/threads.md asks for: every kind of work is done on one, in naive
   mode, where the caller does all of it. And a host whose default is that small: Rondo's own threads have more, so a
   function of the host's that runs on one may use it. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
   Apache-2.0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"

enum { kStack = 64 << 10, kPainted = 0xa5 };

static rondo_engine* engine;
static rondo_tensor *rows, *slopes, *image, *kernel, *index_of, *yes, *out;

static rondo_status operators_of_body(void* unused) {
  (void)unused;
  return rondo_fill(rows, 1);
}

static rondo_status squared(void* unused, int32_t n, rondo_tensor* const* in, int32_t n_out, rondo_tensor** made) {
  (void)unused, (void)n, (void)n_out;
  return rondo_binary(RONDO_MUL, in[0], in[0], made);
}

static void drop(void) {
  rondo_tensor_destroy(out);
  out = NULL;
}

static void elementwise(void) {
  CHECK(rondo_binary(RONDO_POW, rows, rows, &out) == RONDO_OK);
}
static void reductions(void) {
  const int32_t axes[] = {0, 1};
  for (int axis = 0; axis < 2; ++axis)
    for (int op = RONDO_SUM; op <= RONDO_NANPROD; ++op) {
      CHECK(rondo_reduce((rondo_reduce_op)op, rows, 1, axes + axis, 0, &out) == RONDO_OK);
      drop();
      CHECK(rondo_reduce((rondo_reduce_op)op, rows, 2, axes, 0, &out) == RONDO_OK);
      drop();
    }
}
static void cumulative(void) {
  for (int32_t axis = 0; axis < 2; ++axis) {
    CHECK(rondo_cumulative(RONDO_LOGSUMEXP, rows, axis, 1, &out) == RONDO_OK);
    drop();
  }
}
static void softmax(void) {
  CHECK(rondo_softmax(rows, 0, &out) == RONDO_OK);
}
static void norms(void) {
  CHECK(rondo_layer_norm(rows, 1, NULL, NULL, 1e-5, &out) == RONDO_OK);
  drop();
  CHECK(rondo_group_norm(image, 2, NULL, &out) == RONDO_OK);
}
static void products(void) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.transpose_b = 1;
  CHECK(rondo_matmul(rows, rows, &options, &out) == RONDO_OK);
}
static void convolution(void) {
  CHECK(rondo_convolution(image, kernel, NULL, &out) == RONDO_OK);
}
static void attention(void) {
  rondo_tensor* lse = NULL;
  CHECK(rondo_attention(image, image, image, NULL, &out, &lse) == RONDO_OK);
  rondo_tensor_destroy(lse);
}
static void sorting(void) {
  CHECK(rondo_sort(rows, 1, 1, &out) == RONDO_OK);
  drop();
  CHECK(rondo_take(rows, index_of, 0, &out) == RONDO_OK);
}
static void resizing(void) {
  const int64_t sizes[] = {9, 11};
  CHECK(rondo_resize(image, 2, sizes, RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL, &out) == RONDO_OK);
}
static void random_numbers(void) {
  const int64_t shape[] = {1000};
  CHECK(rondo_random_normal(engine, host_cpu, RONDO_F32, 1, shape, 0, 1, &out) == RONDO_OK);
}
static void expressions(void) {
  rondo_expression* expression = NULL;
  rondo_argument arguments[] = {RONDO_TENSOR("x", rows)};
  CHECK(rondo_expression_create("y = softmax(tanh(x) * 2, 1)", "stack_host", &expression) == RONDO_OK);
  CHECK(rondo_expression_run(expression, 1, arguments, 1, &out) == RONDO_OK);
  rondo_expression_destroy(expression);
}
static void gradients(void) {
  rondo_tape* tape = NULL;
  rondo_tensor *a = NULL, *b = NULL, *c = NULL, *gradient = NULL;
  CHECK(rondo_tape_begin(engine, 0, &tape) == RONDO_OK);
  CHECK(rondo_tape_watch(tape, image) == RONDO_OK);
  CHECK(rondo_convolution(image, kernel, NULL, &a) == RONDO_OK);
  CHECK(rondo_group_norm(a, 1, NULL, &b) == RONDO_OK);
  CHECK(rondo_softmax(b, 3, &c) == RONDO_OK);
  CHECK(rondo_reduce(RONDO_L2_NORM, c, 0, NULL, 0, &out) == RONDO_OK);
  CHECK(rondo_tape_gradients(tape, 1, &out, NULL, 1, &image, &gradient) == RONDO_OK);
  rondo_tensor_destroy(a);
  rondo_tensor_destroy(b);
  rondo_tensor_destroy(c);
  rondo_tensor_destroy(gradient);
  rondo_tape_destroy(tape);
}
static void optimizer(void) {
  rondo_optimizer* made = NULL;
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.kind = RONDO_OPTIMIZER_ADAMW;
  CHECK(rondo_optimizer_create(1, &rows, &options, &made) == RONDO_OK);
  CHECK(rondo_optimizer_step(made, 1, &slopes, NULL, NULL) == RONDO_OK);
  rondo_optimizer_destroy(made);
}
static void graphs(void) {
  rondo_graph* graph = NULL;
  rondo_tensor* left = NULL;
  size_t length = 0;
  CHECK(rondo_record_begin(engine, NULL) == RONDO_OK);
  CHECK(rondo_if(engine, yes, operators_of_body, NULL, NULL) == RONDO_OK);
  CHECK(rondo_convolution(image, kernel, NULL, &left) == RONDO_OK);
  CHECK(rondo_softmax(left, 3, &out) == RONDO_OK);
  CHECK(rondo_record_end(engine, &graph) == RONDO_OK);
  CHECK(rondo_graph_launch(graph) == RONDO_OK);
  CHECK(rondo_graph_report(graph, NULL, 0, &length) == RONDO_OK);
  rondo_tensor_destroy(left);
  rondo_graph_destroy(graph);
}
static void callables(void) {
  rondo_callable* callable = NULL;
  CHECK(rondo_callable_create(engine, 1, NULL, squared, NULL, NULL, &callable) == RONDO_OK);
  CHECK(rondo_callable_call(callable, 1, &rows, 1, &out) == RONDO_OK);
  rondo_callable_destroy(callable);
}
static void collectives(void) {
  const rondo_device both[] = {host_cpu, host_cpu};
  rondo_comm* ends[2] = {NULL, NULL};
  CHECK(rondo_comm_create_all(engine, both, 2, NULL, ends) == RONDO_OK);
  rondo_comm_destroy(ends[0]);
  rondo_comm_destroy(ends[1]);
}
static void refusals(void) {
  CHECK(rondo_matmul(rows, image, NULL, &out) != RONDO_OK);
  CHECK(strlen(rondo_last_error()) > 0);
  int32_t available = 0;
  const char* why = NULL;
  CHECK(rondo_feature("cuda", &available, &why) == RONDO_OK);
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {{"elementwise", elementwise},
             {"reductions", reductions},
             {"cumulative", cumulative},
             {"softmax", softmax},
             {"norms", norms},
             {"products", products},
             {"convolution", convolution},
             {"attention", attention},
             {"sorting", sorting},
             {"resizing", resizing},
             {"random numbers", random_numbers},
             {"expressions", expressions},
             {"gradients", gradients},
             {"an optimizer", optimizer},
             {"graphs", graphs},
             {"callables", callables},
             {"collectives", collectives},
             {"refusals", refusals}};

static void* runs(void* run) {
  ((void (*)(void))run)();
  return NULL;
}

/* Runs a function on a stack of that size, and returns how many bytes of it were touched. */
static size_t stack_of(void (*run)(void), size_t size) {
  char* const stack = mmap(NULL, size + kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED && mprotect(stack, kStack, PROT_NONE) == 0);
  memset(stack + kStack, kPainted, size);
  pthread_attr_t attributes;
  pthread_t thread;
  CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack + kStack, size) == 0);
  CHECK(pthread_create(&thread, &attributes, runs, (void*)run) == 0 && pthread_join(thread, NULL) == 0);
  size_t free = 0;
  while (free < size && stack[kStack + free] == (char)kPainted) ++free;
  munmap(stack, size + kStack);
  return size - free;
}

static void make_tensors(void) {
  const int64_t of_rows[] = {600, 1000}, of_image[] = {2, 4, 16, 16}, of_kernel[] = {4, 4, 3, 3}, of_index[] = {3},
                one[] = {1};
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 2, of_rows, &rows) == RONDO_OK &&
        rondo_fill(rows, 1.5) == RONDO_OK);
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 2, of_rows, &slopes) == RONDO_OK &&
        rondo_fill(slopes, 1) == RONDO_OK);
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 4, of_image, &image) == RONDO_OK &&
        rondo_fill(image, 0.5) == RONDO_OK);
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_F32, 4, of_kernel, &kernel) == RONDO_OK &&
        rondo_fill(kernel, 0.5) == RONDO_OK);
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_I64, 1, of_index, &index_of) == RONDO_OK &&
        rondo_fill(index_of, 1) == RONDO_OK);
  CHECK(rondo_tensor_create(engine, host_cpu, RONDO_BOOL, 1, one, &yes) == RONDO_OK && rondo_fill(yes, 1) == RONDO_OK);
}

/* On a worker: 512 KiB of its stack. */
static rondo_status uses_stack(void* unused, rondo_task_context* context) {
  (void)unused, (void)context;
  volatile char used[512 << 10];
  for (size_t i = 0; i < sizeof used; i += 512) used[i] = 1;
  return used[0] ? RONDO_OK : RONDO_INTERNAL;
}

int main(int argc, char** argv) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  printf("a sanitizer's code takes several times the stack\n");
  return 77;
#endif
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  if (argc > 1) { /* started again, with a small default */
    CHECK(rondo_engine_create(NULL, &engine) == RONDO_OK);
    CHECK(rondo_engine_push(engine, uses_stack, NULL, NULL, NULL, 0, NULL, 0, NULL) == RONDO_OK);
    CHECK(rondo_engine_wait_all(engine) == RONDO_OK);
    rondo_engine_destroy(engine);
    return 0;
  }
  options.mode = RONDO_ENGINE_NAIVE;
  CHECK(rondo_engine_create(&options, &engine) == RONDO_OK);
  make_tensors();
  int wrong = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    drop();
    const size_t first = stack_of(kinds[i].run, 8 << 20); /* loads libraries, whose constructors are not Rondo's */
    drop();
    const size_t used = stack_of(kinds[i].run, 8 << 20);
    printf("%-16s %6zu bytes of stack, %zu the first time\n", kinds[i].name, used, first);
    if (used > kStack) wrong = 1;
  }
  fflush(stdout);
  CHECK(!wrong);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    drop();
    stack_of(kinds[i].run, kStack);
  }
  const struct rlimit small = {kStack, RLIM_INFINITY};
  CHECK(setrlimit(RLIMIT_STACK, &small) == 0);
  execl(argv[0], argv[0], "again", NULL);
  CHECK(!"execl");
}
