/* A recommender of the kind of DLRM learns who clicks: numbers go through a small network, categories are looked up in
 * tables, the products of all pairs of these vectors go through another one. A whole step, in which only the rows that
 * were read are updated, is recorded once as a graph and launched for every batch; the first steps, run operator by
 * operator beside it, leave the same bits. Data are made up (clicks.h).
 *
 * usage: dlrm [--program PROGRAM] [--half] [DEVICE [STEPS [BATCH [FILE]]]]   DEVICE: "cpu" (without an argument),
 * "cuda:0" or "auto"
 *
 * FILE gets the trained tables and parameters, as safetensors. PROGRAM gets the loss of 1 to 64 samples as a program
 * file.
 * --half: the upper network computes in f16, and the loss is scaled; what is trained stays f32.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "clicks.h"
#include "device.h"
#include "program_file.h"

enum {
  WIDTH = 16, /* of all vectors that are multiplied */
  VECTORS = 1 + CLICKS_TABLES,
  PAIRS = VECTORS * (VECTORS - 1) / 2,
  LAYERS = 4,
  PARAMETERS = 2 * LAYERS,
  TRAINING = 16384,
  TESTS = 4096,
  COMPARED = 3 /* steps, eager and launched */
};
static const int64_t kInputs[LAYERS] = {CLICKS_DENSE, 64, WIDTH + PAIRS, 64};
static const int64_t kOutputs[LAYERS] = {64, WIDTH, 64, 1};

/* Samples on the device. */
struct samples {
  rondo_tensor *dense, *indices, *labels; /* [n, CLICKS_DENSE], [n, CLICKS_TABLES * CLICKS_BAG], [n, 1] */
};

struct model {
  rondo_engine* engine;
  rondo_device device;
  int64_t batch;
  struct samples training;
  rondo_tensor* positions;              /* i32 [batch]: which samples are next; every step moves it on */
  rondo_tensor* tables[CLICKS_TABLES];  /* [rows, WIDTH] */
  rondo_tensor* parameters[PARAMETERS]; /* of each layer the weight and the bias */
  rondo_optimizer* optimizer;           /* of these */
  rondo_tensor* rate;                   /* the optimizer's: tables go by it too */
  rondo_loss_scaler* scaler;            /* --half; else NULL */
  rondo_tensor *loss, *add_to_loss;     /* sum of the batches' mean losses */
};

static rondo_tensor* upload(const struct model* m, rondo_dtype dtype, int64_t rows, int64_t columns, const void* data) {
  rondo_tensor* tensor = NULL;
  int64_t shape[2];
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_tensor_from_host(m->engine, m->device, dtype, 2, shape, data, &tensor));
  return tensor;
}

static struct samples samples_upload(const struct model* m, const struct clicks* clicks) {
  struct samples samples;
  samples.dense = upload(m, RONDO_F32, clicks->n, CLICKS_DENSE, clicks->dense);
  samples.indices = upload(m, RONDO_I32, clicks->n, CLICKS_TABLES * CLICKS_BAG, clicks->indices);
  samples.labels = upload(m, RONDO_F32, clicks->n, 1, clicks->labels);
  return samples;
}

static void samples_destroy(struct samples* samples) {
  rondo_tensor_destroy(samples->dense);
  rondo_tensor_destroy(samples->indices);
  rondo_tensor_destroy(samples->labels);
}

static rondo_tensor* uniform(const struct model* m, int64_t rows, int64_t columns, double limit) {
  rondo_tensor* tensor = NULL;
  int64_t shape[2];
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_random_uniform(m->engine, m->device, RONDO_F32, 2, shape, -limit, limit, &tensor));
  return tensor;
}

static void model_create(struct model* m, rondo_engine* engine, rondo_device device, int64_t batch, int half,
                         const struct clicks* clicks) {
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  const char* name = NULL;
  int i;
  memset(m, 0, sizeof *m);
  m->engine = engine;
  m->device = device;
  m->batch = batch;
  CHECK(rondo_engine_seed(engine, 1));
  m->training = samples_upload(m, clicks);
  CHECK(rondo_arange(engine, device, RONDO_I32, 0, (double)batch, 1, &m->positions));
  for (i = 0; i < CLICKS_TABLES; ++i) m->tables[i] = uniform(m, clicks_rows[i], WIDTH, 0.1);
  for (i = 0; i < LAYERS; ++i) {
    m->parameters[2 * i] = uniform(m, kInputs[i], kOutputs[i], sqrt(6.0 / (double)(kInputs[i] + kOutputs[i])));
    CHECK(rondo_tensor_create(engine, device, RONDO_F32, 1, &kOutputs[i], &m->parameters[2 * i + 1]));
    CHECK(rondo_fill(m->parameters[2 * i + 1], 0));
  }
  options.kind = RONDO_OPTIMIZER_SGD;
  options.rate = 0.4;
  CHECK(rondo_optimizer_create(PARAMETERS, m->parameters, &options, &m->optimizer));
  CHECK(rondo_optimizer_state(m->optimizer, 1, &name, &m->rate)); /* "optimizer.rate" */
  if (half) CHECK(rondo_loss_scaler_create(engine, device, NULL, &m->scaler));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &m->loss));
  CHECK(rondo_fill(m->loss, 0));
  CHECK(rondo_tensor_accumulator(m->loss, &m->add_to_loss));
}

static void model_destroy(struct model* m) {
  int i;
  rondo_tensor_destroy(m->add_to_loss);
  rondo_tensor_destroy(m->loss);
  rondo_loss_scaler_destroy(m->scaler);
  rondo_tensor_destroy(m->rate);
  rondo_optimizer_destroy(m->optimizer);
  for (i = 0; i < PARAMETERS; ++i) rondo_tensor_destroy(m->parameters[i]);
  for (i = 0; i < CLICKS_TABLES; ++i) rondo_tensor_destroy(m->tables[i]);
  rondo_tensor_destroy(m->positions);
  samples_destroy(&m->training);
}

static void layer(const struct model* m, int number, rondo_tensor* a, rondo_activation activation, rondo_tensor** out) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  options.bias = m->parameters[2 * number + 1];
  options.activation = activation;
  CHECK(rondo_matmul(a, m->parameters[2 * number], &options, out));
}

/* A sample's vectors lie side by side in one tensor, and who makes one writes it there: nothing is joined by copies. */
struct vectors {
  rondo_tensor *all, *dense, *rows; /* [n, VECTORS, WIDTH], and views of it: [n, WIDTH] and [n, CLICKS_TABLES, WIDTH] */
  rondo_tensor* indices;            /* [CLICKS_TABLES, n, CLICKS_BAG]: a view of those of samples */
};

static struct vectors look_up(const struct model* m, const struct samples* samples) {
  struct vectors v;
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor *first = NULL, *bags = NULL;
  static const int32_t tables_first[3] = {1, 0, 2};
  int64_t shape[3];
  memset(&v, 0, sizeof v);
  CHECK(rondo_tensor_query(samples->dense, &info));
  shape[0] = info.shape[0], shape[1] = VECTORS, shape[2] = WIDTH;
  CHECK(rondo_tensor_create(m->engine, m->device, RONDO_F32, 3, shape, &v.all));
  CHECK(rondo_tensor_slice(v.all, 1, 1, VECTORS, 1, &v.rows));
  CHECK(rondo_tensor_slice(v.all, 1, 0, 1, 1, &first));
  shape[1] = WIDTH;
  CHECK(rondo_tensor_reshape(first, 2, shape, &v.dense));
  shape[1] = CLICKS_TABLES, shape[2] = CLICKS_BAG;
  CHECK(rondo_tensor_reshape(samples->indices, 3, shape, &bags));
  CHECK(rondo_tensor_transpose(bags, tables_first, &v.indices));
  CHECK(rondo_embedding_bag(CLICKS_TABLES, m->tables, v.indices, NULL, RONDO_BAG_SUM, &v.rows));
  rondo_tensor_destroy(first);
  rondo_tensor_destroy(bags);
  return v;
}

static void vectors_destroy(struct vectors* v) {
  rondo_tensor_destroy(v->all);
  rondo_tensor_destroy(v->dense);
  rondo_tensor_destroy(v->rows);
  rondo_tensor_destroy(v->indices);
}

/* *loss = the mean loss of samples whose rows are looked up. With --half what is above the vectors computes in f16;
 * what is written into a view of them does not. */
static void forward(const struct model* m, const struct samples* samples, struct vectors* v, rondo_tensor** loss) {
  rondo_tensor *hidden = NULL, *pairs = NULL, *above = NULL, *logits = NULL, *losses = NULL;
  layer(m, 0, samples->dense, RONDO_ACTIVATION_RELU, &hidden);
  layer(m, 1, hidden, RONDO_ACTIVATION_RELU, &v->dense);
  if (m->scaler != NULL) CHECK(rondo_autocast_begin(m->engine, RONDO_F16));
  CHECK(rondo_dot_interaction(v->all, 1, &pairs));
  layer(m, 2, pairs, RONDO_ACTIVATION_RELU, &above);
  layer(m, 3, above, RONDO_ACTIVATION_NONE, &logits);
  CHECK(rondo_binary(RONDO_BCE_WITH_LOGITS, logits, samples->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, loss));
  if (m->scaler != NULL) CHECK(rondo_autocast_end(m->engine));
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(logits);
  rondo_tensor_destroy(above);
  rondo_tensor_destroy(pairs);
  rondo_tensor_destroy(hidden);
}

/* The next batch forward and back, and all updates. With a scaled loss layers and tables are updated if all gradients
 * are finite, and otherwise neither: the device decides. */
static void step(struct model* m) {
  struct samples batch = {NULL, NULL, NULL};
  struct vectors v;
  rondo_tensor *sources[PARAMETERS + 1], *gradients[PARAMETERS + 1] = {NULL};
  rondo_tensor *scaled = NULL, *finite = NULL, *scale = NULL;
  rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
  rondo_tape* tape = NULL;
  int i;
  CHECK(rondo_gather_rows(m->training.dense, m->positions, &batch.dense));
  CHECK(rondo_gather_rows(m->training.indices, m->positions, &batch.indices));
  CHECK(rondo_gather_rows(m->training.labels, m->positions, &batch.labels));
  CHECK(rondo_binary_scalar(RONDO_ADD, m->positions, (double)m->batch, &m->positions));
  CHECK(rondo_binary_scalar(RONDO_MOD, m->positions, TRAINING, &m->positions));

  /* The tape begins behind the look-up: it gives the gradient of what was looked up, from which the rows get theirs. */
  v = look_up(m, &batch);
  CHECK(rondo_tape_begin(m->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < PARAMETERS; ++i) sources[i] = m->parameters[i];
  sources[PARAMETERS] = v.rows;
  for (i = 0; i <= PARAMETERS; ++i) CHECK(rondo_tape_watch(tape, sources[i]));
  forward(m, &batch, &v, &m->add_to_loss);
  if (m->scaler != NULL) CHECK(rondo_loss_scaler_scale(m->scaler, m->loss, &scaled));
  CHECK(rondo_tape_gradients(tape, 1, scaled != NULL ? &scaled : &m->loss, NULL, PARAMETERS + 1, sources, gradients));
  rondo_tape_destroy(tape);
  if (m->scaler != NULL) CHECK(rondo_loss_scaler_finite(m->scaler, PARAMETERS + 1, gradients, &finite, &scale));
  options.finite = finite;
  options.scale = scale;
  CHECK(rondo_optimizer_step(m->optimizer, PARAMETERS, gradients, finite, scale));
  CHECK(rondo_embedding_bag_descend(CLICKS_TABLES, m->tables, v.indices, NULL, RONDO_BAG_SUM, gradients[PARAMETERS],
                                    m->rate, &options));
  if (m->scaler != NULL) CHECK(rondo_loss_scaler_update(m->scaler));
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(finite);
  rondo_tensor_destroy(scale);

  for (i = 0; i <= PARAMETERS; ++i) rondo_tensor_destroy(gradients[i]);
  vectors_destroy(&v);
  samples_destroy(&batch);
}

static double take_loss(struct model* m) {
  float sum = 0;
  CHECK(rondo_tensor_read(m->loss, &sum, sizeof sum));
  CHECK(rondo_fill(m->loss, 0));
  return sum;
}

static double test(const struct model* m, const struct samples* samples) {
  struct vectors v = look_up(m, samples);
  rondo_tensor* loss = NULL;
  float value = 0;
  forward(m, samples, &v, &loss);
  CHECK(rondo_tensor_read(loss, &value, sizeof value));
  rondo_tensor_destroy(loss);
  vectors_destroy(&v);
  return value;
}

/* The graph of a step, which nothing may split: what was recorded is one piece, on a GPU one CUDA graph. */
static rondo_graph* record(struct model* m) {
  rondo_graph* graph = NULL;
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  CHECK(rondo_record_begin(m->engine, NULL));
  step(m);
  CHECK(rondo_record_end(m->engine, &graph));
  CHECK(rondo_graph_query(graph, &info));
  if (info.segments != 1 || info.captured != (m->device.kind == RONDO_CUDA)) {
    fprintf(stderr, "dlrm: the step is not one graph, but %d pieces, of which %d are CUDA graphs\n", (int)info.segments,
            (int)info.captured);
    exit(1);
  }
  printf("a step is one graph of %d tasks\n", (int)info.tasks);
  return graph;
}

/* Ends the program where two models' tables or parameters differ in a bit. */
static void expect_same(const struct model* a, const struct model* b) {
  int i;
  for (i = 0; i < CLICKS_TABLES + PARAMETERS; ++i) {
    rondo_tensor* const first = i < CLICKS_TABLES ? a->tables[i] : a->parameters[i - CLICKS_TABLES];
    rondo_tensor* const second = i < CLICKS_TABLES ? b->tables[i] : b->parameters[i - CLICKS_TABLES];
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    size_t bytes;
    void *x, *y;
    CHECK(rondo_tensor_query(first, &info));
    bytes = (size_t)info.bytes;
    x = malloc(bytes);
    y = malloc(bytes);
    if (x == NULL || y == NULL) {
      fprintf(stderr, "dlrm: out of memory\n");
      exit(1);
    }
    CHECK(rondo_tensor_read(first, x, bytes));
    CHECK(rondo_tensor_read(second, y, bytes));
    if (memcmp(x, y, bytes) != 0) {
      fprintf(stderr, "dlrm: a step that was launched left other bits than the same one operator by operator\n");
      exit(1);
    }
    free(x);
    free(y);
  }
}

/* Writes tables.0, tables.1 ... and of each layer layers.0.weight, layers.0.bias ... as a safetensors file. */
static void write_parameters(const struct model* m, const char* path) {
  char texts[CLICKS_TABLES + PARAMETERS][24];
  const char* names[CLICKS_TABLES + PARAMETERS];
  rondo_tensor* tensors[CLICKS_TABLES + PARAMETERS];
  int i;
  for (i = 0; i < CLICKS_TABLES + PARAMETERS; ++i) {
    const int p = i - CLICKS_TABLES;
    if (p < 0)
      snprintf(texts[i], sizeof texts[i], "tables.%d", i);
    else
      snprintf(texts[i], sizeof texts[i], "layers.%d.%s", p / 2, p % 2 == 0 ? "weight" : "bias");
    names[i] = texts[i];
    tensors[i] = p < 0 ? m->tables[i] : m->parameters[p];
  }
  CHECK(rondo_model_file_write(path, names, tensors, CLICKS_TABLES + PARAMETERS, NULL, NULL, 0));
}

/* The mean loss of samples. */
static rondo_tensor* saved_loss(void* model, rondo_tensor* const* inputs) {
  struct samples samples;
  struct vectors v;
  rondo_tensor* loss = NULL;
  samples.dense = inputs[0];
  samples.indices = inputs[1];
  samples.labels = inputs[2];
  v = look_up(model, &samples);
  forward(model, &samples, &v, &loss);
  vectors_destroy(&v);
  return loss;
}

static void save(struct model* m, const char* path) {
  static const struct program_function function = {
      "loss",
      "loss",
      3,
      {{"dense", RONDO_F32, 2, {PROGRAM_BATCH, CLICKS_DENSE}},
       {"indices", RONDO_I32, 2, {PROGRAM_BATCH, CLICKS_TABLES * CLICKS_BAG}},
       {"labels", RONDO_F32, 2, {PROGRAM_BATCH, 1}}},
      saved_loss};
  if (program_file_write(path, m->engine, m->device, 1, &function, m) != 0) exit(1);
}

static long positive(const char* what, const char* text) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < 1 || value > TRAINING) {
    fprintf(stderr, "dlrm: %s is '%s'; 1 to %d is needed\n", what, text, (int)TRAINING);
    exit(2);
  }
  return value;
}

int main(int argc, char** argv) {
  const char* const program = argc > 2 && strcmp(argv[1], "--program") == 0 ? argv[2] : NULL;
  const int named = program != NULL ? 2 : 0;
  const int half = argc > 1 + named && strcmp(argv[1 + named], "--half") == 0;
  char** const given = argv + named + half; /* given[1] to given[n] */
  const int n = argc - 1 - named - half;
  const rondo_device device = device_choose(n > 0 ? given[1] : "cpu");
  const long steps = n > 1 ? positive("STEPS", given[2]) : 1024;
  const long batch = n > 2 ? positive("BATCH", given[3]) : 128;
  const long parts = 8;
  struct clicks clicks, unseen;
  struct model model, eager;
  struct samples tests;
  rondo_engine* engine = NULL;
  rondo_graph* graph = NULL;
  double first = 0, last = 0, before, after;
  long i, part;
  char name[64];

  clicks_create(&clicks, TRAINING, 1);
  clicks_create(&unseen, TESTS, 2);
  CHECK(rondo_engine_create(NULL, &engine));
  device_print(engine, device, name, sizeof name);
  model_create(&model, engine, device, batch, half, &clicks);
  model_create(&eager, engine, device, batch, half, &clicks);
  tests = samples_upload(&model, &unseen);
  before = test(&model, &tests);

  graph = record(&model);
  for (i = 0; i < COMPARED; ++i) {
    CHECK(rondo_graph_launch(graph));
    step(&eager);
  }
  expect_same(&model, &eager);
  printf("%d steps launched leave the bits of %d operator by operator\n", COMPARED, COMPARED);
  take_loss(&model);

  for (part = 0; part < parts; ++part) {
    const long begin = part * steps / parts, end = (part + 1) * steps / parts;
    for (i = begin; i < end; ++i) CHECK(rondo_graph_launch(graph));
    last = take_loss(&model) / (double)(end > begin ? end - begin : 1);
    if (part == 0) first = last;
    printf("to step %4ld: loss %.4f\n", end, last);
  }
  after = test(&model, &tests);
  printf("unseen: loss %.4f, before %.4f; %.4f by the share of clicks alone, %.4f by the model that made them\n", after,
         before, unseen.blind, unseen.best);
  if (n > 3) write_parameters(&model, given[4]);
  if (program != NULL) save(&model, program);

  rondo_graph_destroy(graph);
  samples_destroy(&tests);
  model_destroy(&eager);
  model_destroy(&model);
  rondo_engine_destroy(engine);
  clicks_free(&clicks);
  clicks_free(&unseen);
  if (steps >= parts && !(last < first)) {
    fprintf(stderr, "dlrm: the loss did not fall: %g at first, %g at last\n", first, last);
    return 1;
  }
  if (steps >= 512 && !(after < unseen.blind - 0.02)) {
    fprintf(stderr, "dlrm: nothing was learnt: %g of unseen samples, %g by the share of clicks alone\n", after,
            unseen.blind);
    return 1;
  }
  return 0;
}
