/* ResNet-50, trained and asked: eager, and as one graph each, which must give the same bits. It learns digits,
 * enlarged.
 *
 *   resnet50 [--device cpu|cuda:N] [--dtype f32|f16|bf16] [--autocast f16|bf16] [--layout nhwc|nchw] [--size N]
 *            [--batch N] [--classes N] [--width N] [--blocks A,B,C,D] [--steps N] [--pyramid]
 *
 * Smaller ones for a machine without a GPU: --size 32 --width 8 --blocks 1,1,1,1. With --pyramid the network ends in a
 * feature pyramid instead of scores, and learns to be quiet. The program fails if the loss does not fall, a graph is
 * split, or bits differ.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "program_file.h"
#include "resnet_options.h"
#include "resnet_work.h"

/* Wide networks take smaller steps: the rate is divided by the width. */
static const double kRate = 0.4, kPyramidRate = 0.004, kMomentum = 0.9, kDecay = 1e-4;

/* What a graph is, in a line; 0 if a GPU's is not one piece. */
static int describe(const char* what, const struct resnet_options* options, rondo_graph* graph) {
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  CHECK(rondo_graph_query(graph, &info));
  printf(
      "%s: %d tasks in %d segment%s, %d captured, %d nodes, %d branches; temporaries %.1f MiB, prepared in %.0f ms\n",
      what, info.tasks, info.segments, info.segments == 1 ? "" : "s", info.captured, info.nodes, info.branches,
      (double)info.arena_bytes / (1 << 20), info.prepare_ms + info.capture_ms);
  if (options->device.kind == RONDO_CPU || (info.segments == 1 && info.captured == 1)) return 1;
  fprintf(stderr, "resnet50: the graph of the %s is split\n", what);
  return 0;
}

static float* read_tensor(rondo_tensor* tensor, int64_t* elements) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor* wide = NULL;
  float* values;
  CHECK(rondo_tensor_query(tensor, &info));
  values = malloc((size_t)info.elements * sizeof *values);
  if (values == NULL) {
    fprintf(stderr, "resnet50: out of memory\n");
    exit(1);
  }
  CHECK(rondo_cast(tensor, RONDO_F32, &wide));
  CHECK(rondo_tensor_read(wide, values, (size_t)info.elements * sizeof *values));
  rondo_tensor_destroy(wide);
  *elements = info.elements;
  return values;
}

/* The largest difference of two tensors as a share of the largest number in the first; 0 only for the same bits. */
static double difference(rondo_tensor* a, rondo_tensor* b) {
  int64_t n, m, i;
  float *left = read_tensor(a, &n), *right = read_tensor(b, &m);
  double most = 0, largest = 0;
  const int same = n == m && memcmp(left, right, (size_t)n * sizeof *left) == 0;
  for (i = 0; i < n && !same; ++i) {
    const double apart = fabs((double)left[i] - (double)right[i]);
    most = apart <= most ? most : apart; /* NaN stays */
    largest = fmax(largest, fabs((double)left[i]));
  }
  free(left);
  free(right);
  return same ? 0 : most > 0 ? most / largest : NAN;
}

/* The largest difference between two models, running statistics too. */
static double models_apart(const struct model* a, const struct model* b) {
  double most = 0;
  int i;
  for (i = 0; i < a->count && most == 0; ++i) most = difference(a->parameters[i].master, b->parameters[i].master);
  for (i = 0; i < a->norm_count && most == 0; ++i) {
    most = difference(a->norms[i].mean, b->norms[i].mean);
    if (most == 0) most = difference(a->norms[i].variance, b->norms[i].variance);
  }
  return most;
}

static float read_loss(rondo_tensor* loss) {
  float value = 0;
  CHECK(rondo_tensor_read(loss, &value, sizeof value));
  return value;
}

/* Trains a model that begins with the same numbers each time; recorded: by launches of one graph, one behind the other.
 * Leaves the losses of the first and the last step. */
static int train(struct resnet_work* work, struct model* model, int recorded, float* first, float* last) {
  const int steps = work->options->steps;
  const double rate = work->options->pyramid ? kPyramidRate : kRate / (double)work->options->net.width;
  struct descent descent;
  rondo_graph* graph = NULL;
  rondo_tensor* loss = NULL;
  int i, good = 1;
  CHECK(rondo_engine_seed(model->engine, 50));
  descent_create(&descent, model, resnet_loss, work, rate, kMomentum, kDecay);
  CHECK(rondo_tensor_create(model->engine, model->device, RONDO_F32, 0, NULL, &loss));
  if (recorded) {
    CHECK(rondo_record_begin(model->engine, NULL));
    descent_step(&descent, model, resnet_loss, work, loss);
    CHECK(rondo_record_end(model->engine, &graph));
    good = describe("training step", work->options, graph);
    for (i = 0; i < steps; ++i) CHECK(rondo_graph_launch(graph));
  } else {
    for (i = 0; i < steps; ++i) {
      descent_step(&descent, model, resnet_loss, work, loss);
      if (i == 0) *first = read_loss(loss);
    }
  }
  *last = read_loss(loss);
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(loss);
  descent_destroy(&descent);
  return good;
}

static int check_training(struct resnet_work* work, struct model* eager, struct model* recorded) {
  float first = 0, last = 0, replayed = 0;
  double apart;
  int good = train(work, eager, 0, &first, &last);
  good &= train(work, recorded, 1, &first, &replayed);
  apart = models_apart(eager, recorded);
  printf("loss %.4f, after %d steps %.4f; launches of the graph: %s\n", first, work->options->steps, last,
         apart == 0 && replayed == last ? "the same bits" : "other bits");
  if (last < first && apart == 0 && replayed == last) return good;
  fprintf(stderr, "resnet50: the loss must fall, and eager and launched steps agree (they are %g apart)\n", apart);
  return 0;
}

static int check_inference(struct resnet_work* work, struct model* model) {
  const double bound = model->dtype == RONDO_F32 ? 1e-3 : model->dtype == RONDO_F16 ? 0.03 : 0.2;
  rondo_tensor *eager[RESNET_LEVELS], *replayed[RESNET_LEVELS], *normalised[RESNET_LEVELS];
  rondo_graph* graph = NULL;
  double apart = 0, folded = 0;
  int count, i, good;
  model_fold(model);
  model->pass = MODEL_FOLDED;
  count = resnet_outputs(work, model, eager);
  CHECK(rondo_record_begin(model->engine, NULL));
  resnet_outputs(work, model, replayed);
  CHECK(rondo_record_end(model->engine, &graph));
  good = describe("inference", work->options, graph);
  CHECK(rondo_graph_launch(graph));
  CHECK(rondo_graph_launch(graph));
  model->pass = MODEL_NORMALISES;
  resnet_outputs(work, model, normalised);
  for (i = 0; i < count; ++i) {
    apart = fmax(apart, difference(eager[i], replayed[i]));
    folded = fmax(folded, difference(normalised[i], eager[i]));
    rondo_tensor_destroy(eager[i]);
    rondo_tensor_destroy(replayed[i]);
    rondo_tensor_destroy(normalised[i]);
  }
  rondo_graph_destroy(graph);
  printf("launches of the graph: %s; folded normalisation differs by %.1g of the largest result\n",
         apart == 0 ? "the same bits" : "other bits", folded);
  if (apart == 0 && folded <= bound) return good;
  fprintf(stderr, "resnet50: eager and launched results must agree, folded ones up to %g\n", bound);
  return 0;
}

struct saved {
  struct resnet_work work;
  struct model* model;
};

static rondo_tensor* saved_scores(void* arg, rondo_tensor* const* images) {
  struct saved* saved = arg;
  rondo_tensor* outputs[RESNET_LEVELS];
  int i, count;
  saved->work.images = images[0];
  count = resnet_outputs(&saved->work, saved->model, outputs);
  for (i = 1; i < count; ++i) rondo_tensor_destroy(outputs[i]);
  return outputs[0];
}

/* The network as it asks: normalisation is part of its filters. */
static int save(const struct resnet_work* work, struct model* model) {
  const struct resnet_options* o = work->options;
  const struct program_function function = {
      "scores",
      "scores",
      1,
      {{"images", model->dtype, 4, {PROGRAM_BATCH, RESNET_CHANNELS, o->size, o->size}}},
      saved_scores};
  struct saved saved;
  saved.work = *work;
  saved.model = model;
  model->pass = MODEL_FOLDED;
  return program_file_write(o->program, model->engine, model->device, 1, &function, &saved);
}

int main(int argc, char** argv) {
  struct resnet_options options;
  struct resnet_work work;
  struct model models[2];
  rondo_engine* engine = NULL;
  int i, good = 1;
  const int refused = resnet_options_parse(argc, argv, &options);
  if (refused >= 0) return refused;
  CHECK(rondo_engine_create(NULL, &engine));
  for (i = 0; i < 2; ++i) {
    model_create(&models[i], engine, options.device);
    models[i].dtype = options.dtype;
    models[i].autocast = options.autocast;
    models[i].channels_last = options.channels_last;
  }
  if (resnet_work_create(&work, &options, &models[0]) != 0) {
    rondo_engine_destroy(engine);
    return 1;
  }
  if (options.steps > 0) {
    good = check_training(&work, &models[0], &models[1]);
  } else { /* the parameters alone */
    rondo_tensor_destroy(resnet_loss(&work, &models[1]));
  }
  model_destroy(&models[0]);
  printf("%lld parameters\n", (long long)model_size(&models[1]));
  good &= check_inference(&work, &models[1]);
  if (options.program != NULL) good &= save(&work, &models[1]) == 0;
  model_destroy(&models[1]);
  resnet_work_destroy(&work);
  rondo_engine_destroy(engine);
  return good ? 0 : 1;
}
