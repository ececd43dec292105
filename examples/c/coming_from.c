/* The programs that docs/coming-from.md shows beside PyTorch's and MXNet's, one after the other, each compared with
 * what eager calls leave. coming_from [DEVICE]. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
 * Apache-2.0 */
#include <string.h>

#include "check.h"

enum { BATCH = 8, INPUTS = 12, CLASSES = 4, STEPS = 10 };

struct network {
  rondo_engine* engine;
  rondo_device device;
  rondo_tensor *x, *labels, *w, *loss;
  rondo_optimizer* optimizer;
  rondo_comm* comm;          /* or NULL */
  rondo_loss_scaler* scaler; /* or NULL */
};

static rondo_tensor* normal(struct network* net, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  rondo_tensor* made = NULL;
  CHECK(rondo_random_normal(net->engine, net->device, RONDO_F32, 2, shape, 0.0, 1.0, &made));
  return made;
}

static void create(struct network* net, rondo_engine* engine, rondo_device device) {
  static const int64_t labels[BATCH] = {0, 1, 2, 3, 3, 2, 1, 0};
  const int64_t batch[] = {BATCH};
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  memset(net, 0, sizeof *net);
  net->engine = engine;
  net->device = device;
  CHECK(rondo_engine_seed(engine, 7));
  net->x = normal(net, BATCH, INPUTS);
  net->w = normal(net, INPUTS, CLASSES);
  CHECK(rondo_tensor_from_host(engine, device, RONDO_I64, 1, batch, labels, &net->labels));
  options.kind = RONDO_OPTIMIZER_ADAMW;
  options.rate = 0.01;
  CHECK(rondo_optimizer_create(1, &net->w, &options, &net->optimizer));
}

static void destroy(struct network* net) {
  rondo_tensor_destroy(net->x);
  rondo_tensor_destroy(net->labels);
  rondo_tensor_destroy(net->w);
  rondo_tensor_destroy(net->loss);
  rondo_optimizer_destroy(net->optimizer);
  rondo_comm_destroy(net->comm);
  rondo_loss_scaler_destroy(net->scaler);
}

/* Forward, gradients and update; net->loss is its result. */
static void train(struct network* net) {
  rondo_tape* tape = NULL;
  rondo_tensor *y = NULL, *losses = NULL, *gradient = NULL;
  CHECK(rondo_tape_begin(net->engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, net->w));
  CHECK(rondo_matmul(net->x, net->w, NULL, &y));
  CHECK(rondo_cross_entropy(y, net->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &net->loss));
  CHECK(rondo_tape_gradients(tape, 1, &net->loss, NULL, 1, &net->w, &gradient));
  CHECK(rondo_optimizer_step(net->optimizer, 1, &gradient, NULL, NULL));
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(gradient);
}

/* The same on one rank of several: the mean of all ranks' gradients. */
static void train_on_ranks(struct network* net) {
  rondo_tape* tape = NULL;
  rondo_tensor *y = NULL, *losses = NULL, *gradient = NULL;
  CHECK(rondo_tape_begin(net->engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, net->w));
  CHECK(rondo_matmul(net->x, net->w, NULL, &y));
  CHECK(rondo_cross_entropy(y, net->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &net->loss));
  CHECK(rondo_tape_gradients(tape, 1, &net->loss, NULL, 1, &net->w, &gradient));
  CHECK(rondo_comm_all_reduce(net->comm, gradient, RONDO_MEAN, &gradient));
  CHECK(rondo_optimizer_step(net->optimizer, 1, &gradient, NULL, NULL));
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(gradient);
}

/* The same with products in f16 and a loss scale, which the graph finds by itself. */
static void train_in_half(struct network* net) {
  rondo_tape* tape = NULL;
  rondo_tensor *y = NULL, *losses = NULL, *scaled = NULL, *gradient = NULL;
  CHECK(rondo_tape_begin(net->engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, net->w));
  CHECK(rondo_autocast_begin(net->engine, RONDO_F16));
  CHECK(rondo_matmul(net->x, net->w, NULL, &y));
  CHECK(rondo_cross_entropy(y, net->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &net->loss));
  CHECK(rondo_autocast_end(net->engine));
  CHECK(rondo_loss_scaler_scale(net->scaler, net->loss, &scaled));
  CHECK(rondo_tape_gradients(tape, 1, &scaled, NULL, 1, &net->w, &gradient));
  CHECK(rondo_loss_scaler_step(net->scaler, net->optimizer, 1, &gradient));
  CHECK(rondo_loss_scaler_update(net->scaler));
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(gradient);
}

static void train_from_graph(struct network* net, void (*step)(struct network*)) {
  rondo_graph* graph = NULL;
  CHECK(rondo_record_begin(net->engine, NULL));
  step(net);
  CHECK(rondo_record_end(net->engine, &graph));
  for (int i = 0; i < STEPS; ++i) {
    rondo_tensor* batch = normal(net, BATCH, INPUTS);
    CHECK(rondo_copy(batch, &net->x));
    CHECK(rondo_graph_launch(graph));
    rondo_tensor_destroy(batch);
  }
  rondo_graph_destroy(graph);
}

/* One step eagerly and as a graph, and what is left in the end. */
static void compare(const char* name, rondo_engine* engine, rondo_device device, void (*step)(struct network*)) {
  static float weights[2][INPUTS * CLASSES];
  for (int as_graph = 0; as_graph < 2; ++as_graph) {
    struct network net;
    create(&net, engine, device);
    if (step == train_on_ranks) CHECK(rondo_comm_create_all(engine, &device, 1, NULL, &net.comm));
    if (step == train_in_half) CHECK(rondo_loss_scaler_create(engine, device, NULL, &net.scaler));
    if (as_graph) {
      train_from_graph(&net, step);
    } else {
      for (int i = 0; i < STEPS; ++i) {
        rondo_tensor_destroy(net.x);
        net.x = normal(&net, BATCH, INPUTS);
        step(&net);
      }
    }
    CHECK(rondo_tensor_read(net.w, weights[as_graph], sizeof weights[as_graph]));
    destroy(&net);
  }
  if (memcmp(weights[0], weights[1], sizeof weights[0]) != 0) {
    fprintf(stderr, "%s: the weights differ\n", name);
    exit(1);
  }
  printf("%s: %d launches leave the bits of eager steps\n", name, STEPS);
}

/* A part of a network, called with any batch. arg: the weights. */
static rondo_status layer(void* arg, int32_t n_inputs, rondo_tensor* const* x, int32_t n_outputs, rondo_tensor** y) {
  rondo_tensor* product = NULL;
  (void)n_inputs;
  (void)n_outputs;
  rondo_status status = rondo_matmul(x[0], arg, NULL, &product);
  if (status == RONDO_OK) status = rondo_unary(RONDO_TANH, product, &y[0]);
  rondo_tensor_destroy(product);
  return status;
}

static void graphed_parts(rondo_engine* engine, rondo_tensor* x, rondo_tensor* w, rondo_tensor** gradient) {
  rondo_callable* part = NULL;
  rondo_tape* tape = NULL;
  rondo_tensor *y = NULL, *loss = NULL;
  CHECK(rondo_callable_create(engine, 1, NULL, layer, w, NULL, &part));
  CHECK(rondo_tape_begin(engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, w));
  CHECK(rondo_callable_call(part, 1, &x, 1, &y)); /* the first call of a shape records it, others run the graph */
  CHECK(rondo_reduce(RONDO_SUM, y, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 1, &w, gradient)); /* backward is a graph as well */
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(loss);
  rondo_callable_destroy(part);
}

static rondo_graph* for_batches_of(struct network* net, int64_t batch) {
  const int64_t shape[] = {batch, INPUTS};
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_graph* graph = NULL;
  rondo_tensor *x = NULL, *product = NULL, *y = NULL;
  options.flags = RONDO_RECORD_CALLABLE;
  options.arena = "batches";
  CHECK(rondo_record_begin(net->engine, &options));
  CHECK(rondo_record_input(net->engine, net->device, RONDO_F32, 2, shape, &x));
  CHECK(rondo_matmul(x, net->w, NULL, &product));
  CHECK(rondo_softmax(product, -1, &y));
  CHECK(rondo_record_output(net->engine, y));
  CHECK(rondo_record_end(net->engine, &graph));
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(product);
  rondo_tensor_destroy(y);
  return graph;
}

static void shared_memory(struct network* net) {
  const int64_t batches[] = {32, 16, 8}; /* the largest first */
  rondo_graph* graphs[3];
  for (int i = 0; i < 3; ++i) graphs[i] = for_batches_of(net, batches[i]);
  for (int i = 2; i >= 0; --i) { /* in any order */
    rondo_tensor *x = normal(net, batches[i], INPUTS), *y = NULL;
    CHECK(rondo_graph_call(graphs[i], 1, &x, 1, &y)); /* y is the caller's; no later call overwrites it */
    rondo_tensor_destroy(x);
    CHECK(rondo_tensor_wait(y));
    rondo_tensor_destroy(y);
  }
  for (int i = 0; i < 3; ++i) rondo_graph_destroy(graphs[i]);
}

static rondo_status count(void* arg, rondo_task_context* context) {
  (void)context;
  ++*(int*)arg;
  return RONDO_OK;
}

static void engine_calls(rondo_engine* engine, rondo_tensor* x) {
  int counted = 0;
  rondo_variable *read = NULL, *written = NULL;
  CHECK(rondo_tensor_variable(x, &read)); /* borrowed from the tensor */
  CHECK(rondo_variable_create(engine, &written));
  for (int i = 0; i < STEPS; ++i) CHECK(rondo_engine_push(engine, count, &counted, NULL, &read, 1, &written, 1, NULL));
  CHECK(rondo_variable_wait(written));
  rondo_variable_destroy(written);
  if (counted != STEPS) exit(1);
}

int main(int argc, char** argv) {
  rondo_engine* engine = NULL;
  rondo_device device = {RONDO_CPU, 0};
  struct network net;
  rondo_tensor *eager = NULL, *graphed = NULL, *y = NULL, *loss = NULL;
  rondo_tape* tape = NULL;
  static float gradients[2][INPUTS * CLASSES];
  void* weights = NULL;
  if (argc > 1) CHECK(rondo_device_parse(argv[1], &device));
  CHECK(rondo_engine_create(NULL, &engine));
  compare("a whole step", engine, device, train);
  compare("collectives inside", engine, device, train_on_ranks);
  compare("mixed precision inside", engine, device, train_in_half);

  create(&net, engine, device);
  weights = net.w;
  graphed_parts(engine, net.x, net.w, &graphed);
  CHECK(rondo_tape_begin(engine, RONDO_TAPE_DEFAULT, &tape));
  CHECK(rondo_tape_watch(tape, net.w));
  CHECK(layer(weights, 1, &net.x, 1, &y));
  CHECK(rondo_reduce(RONDO_SUM, y, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, 1, &net.w, &eager));
  CHECK(rondo_tensor_read(graphed, gradients[0], sizeof gradients[0]));
  CHECK(rondo_tensor_read(eager, gradients[1], sizeof gradients[1]));
  rondo_tape_destroy(tape);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(loss);
  rondo_tensor_destroy(eager);
  rondo_tensor_destroy(graphed);
  if (memcmp(gradients[0], gradients[1], sizeof gradients[0]) != 0) {
    fprintf(stderr, "graphed parts: the gradients differ\n");
    return 1;
  }
  printf("graphed parts: the bits of eager gradients\n");
  shared_memory(&net);
  printf("graphs for three sizes share their memory\n");
  engine_calls(engine, net.x);
  printf("%d tasks of the program's own, in order\n", STEPS);
  destroy(&net);
  rondo_engine_destroy(engine);
  return 0;
}
