/* An expression of one's own, written as text: a step of an optimiser with momentum, in place and as one kernel, on any
 * device. Recorded into a graph it is one node. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
 * Apache-2.0
 */
#include "check.h"

enum { VALUES = 8, STEPS = 50 };

/* Minimises (x - 3)^2 for each element of x. */
static const char* const text =
    "let gradient = 2 * (x - 3);\n"
    "velocity = momentum * velocity - rate * gradient;\n"
    "x = x + velocity;\n"
    "loss = mean((x - 3) ** 2)";

int main(void) {
  int32_t gpus = 0;
  CHECK(rondo_device_count(RONDO_CUDA, &gpus));
  const rondo_device device = {gpus > 0 ? RONDO_CUDA : RONDO_CPU, 0};
  const int64_t shape[1] = {VALUES};
  float values[VALUES];
  float loss = 0;
  rondo_engine* engine = NULL;
  rondo_tensor *x = NULL, *velocity = NULL, *losses = NULL;
  rondo_expression* step = NULL;
  rondo_graph* graph = NULL;

  for (int i = 0; i < VALUES; ++i) values[i] = (float)i;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, shape, values, &x));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 1, shape, &velocity));
  CHECK(rondo_fill(velocity, 0));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &losses));

  /* What is wrong in a text is shown where it stands. */
  if (rondo_expression_create("y = 2 * (x + ", NULL, &step) != RONDO_OK) printf("%s\n", rondo_last_error());
  CHECK(rondo_expression_create(text, "momentum step", &step));

  const rondo_argument arguments[] = {RONDO_TENSOR("x", x), RONDO_TENSOR("velocity", velocity),
                                      RONDO_SCALAR("momentum", 0.6), RONDO_SCALAR("rate", 0.1)};
  /* Results in the order of the text: two are written over operands. */
  rondo_tensor* out[] = {velocity, x, losses};

  CHECK(rondo_record_begin(engine, NULL));
  CHECK(rondo_expression_run(step, 4, arguments, 3, out));
  CHECK(rondo_record_end(engine, &graph));
  for (int i = 0; i < STEPS; ++i) CHECK(rondo_graph_launch(graph));

  CHECK(rondo_tensor_read(losses, &loss, sizeof loss));
  CHECK(rondo_tensor_read(x, values, sizeof values));
  printf("after %d steps x[0] is %.3f, and the loss is %s\n", STEPS, values[0], loss < 1e-4f ? "small" : "large");

  rondo_graph_destroy(graph);
  rondo_expression_destroy(step);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(velocity);
  rondo_tensor_destroy(x);
  rondo_engine_destroy(engine);
  return 0;
}
