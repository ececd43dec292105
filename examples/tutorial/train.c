/* Trains a small network to tell exclusive or: ten steps as they are called, then the same step as a graph. The weights
 * go to the file xor.safetensors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "../c/check.h"

enum { EXAMPLES = 4, HIDDEN = 8 };

static rondo_engine* engine;
static const rondo_device device = {RONDO_CPU, 0}; /* {RONDO_CUDA, 0}: the first GPU */
static rondo_tensor *x, *labels, *weights[2];      /* weights: of the hidden layer, of the last one */
static rondo_optimizer* optimizer;

static rondo_tensor* normal(int64_t rows, int64_t columns) {
  const int64_t shape[2] = {rows, columns};
  rondo_tensor* made = NULL;
  CHECK(rondo_random_normal(engine, device, RONDO_F32, 2, shape, 0.0, 1.0, &made));
  return made;
}

static void create(void) {
  const float inputs[EXAMPLES][3] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}; /* two bits, and 1 for the bias */
  const int64_t answers[EXAMPLES] = {0, 1, 1, 0}, shape[2] = {EXAMPLES, 3};
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.kind = RONDO_OPTIMIZER_ADAM;
  options.rate = 0.05;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_engine_seed(engine, 1));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, shape, inputs, &x));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_I64, 1, shape, answers, &labels));
  weights[0] = normal(3, HIDDEN);
  weights[1] = normal(HIDDEN, 2);
  CHECK(rondo_optimizer_create(2, weights, &options, &optimizer));
}

/* One step: forward, gradients, update. The caller owns the loss. */
static rondo_tensor* step(void) {
  rondo_tape* tape = NULL;
  rondo_tensor *sums = NULL, *hidden = NULL, *logits = NULL, *losses = NULL, *loss = NULL, *gradients[2] = {NULL, NULL};
  CHECK(rondo_tape_begin(engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, weights[0]));
  CHECK(rondo_tape_watch(tape, weights[1]));
  CHECK(rondo_matmul(x, weights[0], NULL, &sums));
  CHECK(rondo_unary(RONDO_TANH, sums, &hidden));
  CHECK(rondo_matmul(hidden, weights[1], NULL, &logits));
  CHECK(rondo_cross_entropy(logits, labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 2, weights, gradients));
  CHECK(rondo_optimizer_step(optimizer, 2, gradients, NULL, NULL));
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(sums);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(gradients[0]);
  rondo_tensor_destroy(gradients[1]);
  return loss;
}

static float value_of(rondo_tensor* loss) {
  float value = 0;
  CHECK(rondo_tensor_read(loss, &value, sizeof value)); /* waits for the step */
  return value;
}

int main(void) {
  const char* names[2] = {"hidden", "last"};
  rondo_tensor* loss = NULL;
  rondo_graph* graph = NULL;
  create();
  for (int i = 0; i < 10; ++i) {
    rondo_tensor_destroy(loss);
    loss = step(); /* returns before the work is done */
  }
  printf("after 10 steps the loss is %.4f\n", value_of(loss));
  rondo_tensor_destroy(loss);

  CHECK(rondo_record_begin(engine, NULL));
  loss = step(); /* kept, not run */
  CHECK(rondo_record_end(engine, &graph));
  for (int i = 0; i < 190; ++i) CHECK(rondo_graph_launch(graph));
  printf("after 190 launches of the graph it is %.4f\n", value_of(loss));
  CHECK(rondo_model_file_write("xor.safetensors", names, weights, 2, NULL, NULL, 0));

  rondo_graph_destroy(graph);
  rondo_tensor_destroy(loss);
  rondo_optimizer_destroy(optimizer);
  rondo_tensor_destroy(weights[0]);
  rondo_tensor_destroy(weights[1]);
  rondo_tensor_destroy(labels);
  rondo_tensor_destroy(x);
  rondo_engine_destroy(engine);
  return 0;
}
