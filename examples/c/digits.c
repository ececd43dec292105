/* Trains a two-layer network on real handwritten digits twice from the same seed: eagerly, one operator after the
 * other, and replayed, as one recorded graph launched once per step. Both do the same arithmetic, so accuracy and
 * parameters agree bit for bit; what differs is what a step costs. Writes the curves and some predictions to
 * digits.svg.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "device.h"
#include "digits_data.h"
#include "digits_net.h"
#include "digits_svg.h"

static const char usage[] =
    "usage: digits [options]\n"
    "  --device cpu|cuda:0|auto         where to train (auto: the first CUDA device that works, else cpu)\n"
    "  --engine async|threaded|naive    how the engine issues work (async)\n"
    "  --epochs N                       passes over the training images (40)\n"
    "  --batch N                        images per step (64)\n"
    "  --seed N                         of initial parameters, dropout and order of images (1)\n"
    "  --precision f32|f16|bf16         of the layers; parameters are f32 (f32)\n"
    "  --data FILE                      the images (digits.bin in $RONDO_EXAMPLE_DATA or the source tree)\n"
    "  --out FILE                       the picture to write (digits.svg)\n"
    "  --parameters FILE                writes the trained parameters there, as safetensors: w1, b1, w2, b2\n"
    "  --program FILE                   writes the trained network there, as a program file\n"
    "  --help                           this text\n";

struct options {
  const char *device, *data, *out, *parameters, *program;
  rondo_engine_mode mode;
  rondo_dtype precision;
  int64_t epochs, batch;
  uint64_t seed;
};

/* ---------------------------------------------------------------------------------------------------------- options */

/* A whole number from low to high, or exit 2 with one line that says so. */
static int64_t parse_number(const char* option, const char* text, int64_t low, int64_t high) {
  char* end = NULL;
  long long value;
  errno = 0;
  value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < low || value > high) {
    fprintf(stderr, "digits: %s must be a whole number from %lld to %lld, not '%s'\n", option, (long long)low,
            (long long)high, text);
    exit(2);
  }
  return value;
}

static rondo_engine_mode parse_mode(const char* text) {
  if (strcmp(text, "async") == 0) return RONDO_ENGINE_ASYNC;
  if (strcmp(text, "threaded") == 0) return RONDO_ENGINE_THREADED;
  if (strcmp(text, "naive") == 0) return RONDO_ENGINE_NAIVE;
  fprintf(stderr, "digits: --engine must be async, threaded or naive, not '%s'\n", text);
  exit(2);
}

static rondo_dtype parse_precision(const char* text) {
  if (strcmp(text, "f32") == 0) return RONDO_F32;
  if (strcmp(text, "f16") == 0) return RONDO_F16;
  if (strcmp(text, "bf16") == 0) return RONDO_BF16;
  fprintf(stderr, "digits: --precision must be f32, f16 or bf16, not '%s'\n", text);
  exit(2);
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {"auto", NULL, "digits.svg", NULL, NULL, RONDO_ENGINE_ASYNC, RONDO_F32, 40, 64, 1};
  rondo_device device;
  int i;
  for (i = 1; i < argc; ++i) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(option, "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (strcmp(option, "--device") != 0 && strcmp(option, "--engine") != 0 && strcmp(option, "--epochs") != 0 &&
        strcmp(option, "--batch") != 0 && strcmp(option, "--seed") != 0 && strcmp(option, "--data") != 0 &&
        strcmp(option, "--out") != 0 && strcmp(option, "--parameters") != 0 && strcmp(option, "--precision") != 0 &&
        strcmp(option, "--program") != 0) {
      fprintf(stderr, "digits: unknown option '%s' (--help lists them)\n", option);
      exit(2);
    }
    if (value == NULL) {
      fprintf(stderr, "digits: %s needs a value\n", option);
      exit(2);
    }
    ++i;
    if (strcmp(option, "--device") == 0) o.device = value;
    if (strcmp(option, "--engine") == 0) o.mode = parse_mode(value);
    if (strcmp(option, "--epochs") == 0) o.epochs = parse_number(option, value, 1, 1000);
    if (strcmp(option, "--batch") == 0) o.batch = parse_number(option, value, 1, 1024);
    if (strcmp(option, "--seed") == 0) o.seed = (uint64_t)parse_number(option, value, 0, INT64_MAX);
    if (strcmp(option, "--data") == 0) o.data = value;
    if (strcmp(option, "--out") == 0) o.out = value;
    if (strcmp(option, "--precision") == 0) o.precision = parse_precision(value);
    if (strcmp(option, "--parameters") == 0) o.parameters = value;
    if (strcmp(option, "--program") == 0) o.program = value;
  }
  if (strcmp(o.device, "auto") != 0 && rondo_device_parse(o.device, &device) != RONDO_OK) {
    fprintf(stderr, "digits: --device must be cpu, cuda:0 or auto, not '%s'\n", o.device);
    exit(2);
  }
  return o;
}

/* --------------------------------------------------------------------------------------------------------- training */

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "digits: out of memory\n");
    exit(1);
  }
  return memory;
}

static void print_graph(rondo_graph* graph) {
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  CHECK(rondo_graph_query(graph, &info));
  printf("  graph: %d tasks in %d segment%s, %d captured as CUDA graph: %d nodes, %d edges, %d branches\n", info.tasks,
         info.segments, info.segments == 1 ? "" : "s", info.captured, info.nodes, info.edges, info.branches);
  printf("  arena %.1f KiB for %.1f KiB of temporaries; recorded and compiled in %.2f ms\n",
         (double)info.arena_bytes / 1024, (double)info.temporary_bytes / 1024,
         info.record_ms + info.prepare_ms + info.capture_ms);
  if (info.segments != 1) { /* something could not be captured: the report says what */
    size_t length = 0;
    char* report;
    CHECK(rondo_graph_report(graph, NULL, 0, &length));
    report = allocate(length + 1, 1);
    CHECK(rondo_graph_report(graph, report, length + 1, &length));
    printf("%s\n", report);
    free(report);
  }
}

/* One training from the seed: eager, or one graph launched per step. Fills result and the last predictions, and leaves
 * the trained net to the caller. */
static void train(rondo_engine* engine, rondo_device device, const struct options* o, const struct digits* digits,
                  const int32_t* order, int replay, struct training* result, struct net* net, int64_t* predictions) {
  const int64_t steps = digits->n_train / o->batch;
  rondo_graph* graph = NULL;
  double timed_us = 0;
  int epoch;

  result->name = replay ? "replayed" : "eager";
  result->epochs = (int)o->epochs;
  result->loss = allocate((size_t)o->epochs, sizeof *result->loss);
  result->accuracy = allocate((size_t)o->epochs, sizeof *result->accuracy);
  printf("\n%s training\n", result->name);

  CHECK(rondo_engine_seed(engine, o->seed));
  net_create(net, engine, device, digits, o->batch, order, o->epochs * steps * o->batch, o->precision);
  if (replay) {
    rondo_record_options recording = RONDO_RECORD_OPTIONS_INIT;
    recording.name = "step";
    CHECK(rondo_record_begin(engine, &recording));
    net_step(net);
    CHECK(rondo_record_end(engine, &graph));
    print_graph(graph);
  }

  for (epoch = 0; epoch < result->epochs; ++epoch) {
    double begin, took;
    int64_t step;
    CHECK(rondo_engine_wait_all(engine));
    begin = now_us();
    for (step = 0; step < steps; ++step) {
      if (replay) {
        CHECK(rondo_graph_launch(graph));
      } else {
        net_step(net);
      }
    }
    CHECK(rondo_engine_wait_all(engine));
    took = now_us() - begin;
    if (epoch > 0 || o->epochs == 1) timed_us += took; /* the first epoch compiles and loads what it meets */
    result->loss[epoch] = net_take_loss(net) / (double)(steps * o->batch);
    result->accuracy[epoch] = net_test(net, predictions, digits);
    printf("  epoch %3d   loss %.4f   test accuracy %.4f   %8.2f ms\n", epoch + 1, result->loss[epoch],
           result->accuracy[epoch], 1e-3 * took);
  }
  result->step_us = timed_us / (double)((o->epochs > 1 ? o->epochs - 1 : 1) * steps);
  rondo_graph_destroy(graph);
}

/* For each epoch a fresh order of the training images; what does not fill a batch at its end waits for the next epoch.
 */
static int32_t* make_order(const struct options* o, const struct digits* digits) {
  const int64_t used = digits->n_train / o->batch * o->batch;
  int32_t* order = allocate((size_t)(o->epochs * used), sizeof *order);
  int32_t* epoch = allocate((size_t)digits->n_train, sizeof *epoch);
  uint64_t state = o->seed;
  int64_t i;
  for (i = 0; i < o->epochs; ++i) {
    digits_shuffle(&state, epoch, digits->n_train);
    memcpy(order + i * used, epoch, (size_t)used * sizeof *order);
  }
  free(epoch);
  return order;
}

static int64_t count_different(const float* a, const float* b, int64_t n) {
  int64_t i, different = 0;
  /* Bits, not values: NaN equals itself here. */
  for (i = 0; i < n; ++i) different += memcmp(&a[i], &b[i], sizeof *a) != 0; /* NOLINT */
  return different;
}

int main(int argc, char** argv) {
  const struct options o = parse_options(argc, argv);
  rondo_engine_options engine_options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* engine = NULL;
  rondo_device device;
  struct digits digits;
  struct training eager, replayed;
  struct net eager_net, replayed_net;
  float *eager_parameters, *replayed_parameters;
  int64_t *predictions, different, n;
  int32_t* order;
  char name[128], subtitle[256];
  int bad = 0;

  setvbuf(stdout, NULL, _IOLBF, 0);
  if (digits_load(o.data, &digits) != 0) return 1;
  if (digits.n_train < o.batch) {
    fprintf(stderr, "digits: --batch %d is more than the %d training images\n", (int)o.batch, (int)digits.n_train);
    return 2;
  }
  device = device_choose(o.device);
  engine_options.mode = o.mode;
  CHECK(rondo_engine_create(&engine_options, &engine));
  device_print(engine, device, name, sizeof name);
  printf("%d images to train on, %d to test on; %d epochs of %d steps of %d images, seed %llu\n", (int)digits.n_train,
         (int)digits.n_test, (int)o.epochs, (int)(digits.n_train / o.batch), (int)o.batch, (unsigned long long)o.seed);

  order = make_order(&o, &digits);
  predictions = allocate((size_t)digits.n_test, sizeof *predictions);
  train(engine, device, &o, &digits, order, 0, &eager, &eager_net, predictions);
  train(engine, device, &o, &digits, order, 1, &replayed, &replayed_net, predictions);

  n = net_size(&replayed_net);
  eager_parameters = allocate((size_t)n, sizeof *eager_parameters);
  replayed_parameters = allocate((size_t)n, sizeof *replayed_parameters);
  net_read(&eager_net, eager_parameters);
  net_read(&replayed_net, replayed_parameters);
  different = count_different(eager_parameters, replayed_parameters, n);
  printf("\ntest accuracy   eager %.4f   replayed %.4f\n", eager.accuracy[o.epochs - 1],
         replayed.accuracy[o.epochs - 1]);
  printf("time per step   eager %.1f us   replayed %.1f us   eager / replayed %.2f\n", eager.step_us, replayed.step_us,
         eager.step_us / replayed.step_us);
  if (different == 0) {
    printf("parameters      all %lld agree bit for bit\n", (long long)n);
  } else {
    printf("parameters      %lld of %lld differ\n", (long long)different, (long long)n);
    bad = 1;
  }
  if (!(eager.accuracy[o.epochs - 1] >= 0.9) || !(replayed.accuracy[o.epochs - 1] >= 0.9)) {
    printf("an accuracy below 0.9: something is wrong\n");
    bad = 1;
  }

  snprintf(subtitle, sizeof subtitle, "64 - 128 relu - dropout 0.2 - 10, %d epochs of %d steps of %d images on %.128s",
           (int)o.epochs, (int)(digits.n_train / o.batch), (int)o.batch, name);
  if (svg_write(o.out, &eager, &replayed, &digits, predictions, subtitle) != 0) {
    fprintf(stderr, "digits: cannot write %s: %s\n", o.out, strerror(errno));
    bad = 1;
  } else {
    printf("picture         %s\n", o.out);
  }
  if (o.parameters != NULL && net_write(&replayed_net, o.parameters) != RONDO_OK) {
    fprintf(stderr, "digits: %s\n", rondo_last_error());
    bad = 1;
  }
  if (o.program != NULL && net_save(&replayed_net, o.program) != 0) bad = 1;

  free(eager.loss);
  free(eager.accuracy);
  free(eager_parameters);
  free(replayed.loss);
  free(replayed.accuracy);
  free(replayed_parameters);
  free(predictions);
  free(order);
  net_destroy(&eager_net);
  net_destroy(&replayed_net);
  digits_free(&digits);
  rondo_engine_destroy(engine);
  return bad;
}
