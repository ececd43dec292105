/* Finds where a NaN comes from: a training step without a bound on its rate grows beyond all numbers, and the launch
 * names the operator that made the first infinity or NaN, with its operands and the element. With a small rate the same
 * graph trains.
 *
 * usage: numbers [DEVICE]   "cpu" (without an argument) or "cuda:0"
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"

enum { STEPS = 200 };

int main(int argc, char** argv) {
  const int64_t shape[] = {4, 4};
  rondo_device device = {RONDO_CPU, 0};
  rondo_engine* engine = NULL;
  rondo_tensor *x = NULL, *w = NULL, *rate = NULL, *out = NULL, *square = NULL, *loss = NULL, *change = NULL;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_graph* graph = NULL;
  rondo_tape* tape = NULL;
  float value = 0;
  int i;
  if (argc > 1 && strcmp(argv[1], "cpu") != 0) device.kind = RONDO_CUDA;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 2, shape, &x));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 2, shape, &w));
  CHECK(rondo_fill(x, 0.5));
  CHECK(rondo_fill(w, 1));

  options.name = "step";
  options.flags = RONDO_RECORD_CHECK_NUMBERS;
  CHECK(rondo_record_begin(engine, &options));
  CHECK(rondo_record_parameter(engine, "rate", device, RONDO_F32, 0.05, &rate));
  CHECK(rondo_tape_begin(engine, 0, &tape));
  CHECK(rondo_tape_watch(tape, w));
  CHECK(rondo_matmul(x, w, NULL, &out));
  CHECK(rondo_unary(RONDO_SQUARE, out, &square));
  CHECK(rondo_reduce(RONDO_MEAN, square, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 1, &w, &change));
  rondo_tape_destroy(tape);
  CHECK(rondo_binary(RONDO_MUL, change, rate, &change));
  CHECK(rondo_binary(RONDO_SUB, w, change, &w));
  rondo_tensor_destroy(change), rondo_tensor_destroy(square), rondo_tensor_destroy(out), rondo_tensor_destroy(rate);
  CHECK(rondo_record_end(engine, &graph)); /* the loss, whose handle is left, is its output */

  for (i = 0; i < STEPS; ++i) CHECK(rondo_graph_launch(graph));
  CHECK(rondo_tensor_read(loss, &value, sizeof value));
  printf("rate 0.05: the loss is %s after %d steps\n", value < 1e-3f ? "small" : "large", STEPS);

  CHECK(rondo_fill(w, 1));
  CHECK(rondo_graph_set(graph, "rate", 100));
  for (i = 0; i < STEPS && rondo_graph_launch(graph) == RONDO_OK && rondo_tensor_wait(loss) == RONDO_OK; ++i) {
  }
  printf("rate 100: %s\n", i < STEPS ? rondo_last_error() : "nothing was found");

  rondo_tensor_destroy(loss), rondo_tensor_destroy(w), rondo_tensor_destroy(x);
  rondo_graph_destroy(graph);
  rondo_engine_destroy(engine);
  return i < STEPS ? 0 : 1;
}
