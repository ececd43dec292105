/* Trains the network of the digits example on several ranks: each computes the gradients of its slice of every batch,
 * and all-reduces in buckets, beside the way back, make them the gradients of the whole batch. Start it by one of
 *
 *   rondo launch -n 2 digits_parallel
 *   mpirun -n 2 digits_parallel
 *   srun -n 2 digits_parallel
 *
 * It trains with 1, 2, 4 ... of the ranks, prints what a step took, and draws that to digits_parallel.svg. A rank alone
 * then trains with the same slices one after the other: sums are made in the order of ranks, so on cpu devices, and
 * with two ranks on any, its parameters are the same bit for bit. The whole batch at once adds up in another order, and
 * is only near.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <math.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "digits_data.h"
#include "digits_scaling.h"
#include "digits_slices.h"

static const char usage[] =
    "usage: digits_parallel [options]\n"
    "  --device cpu|cuda|auto   where to train; of cuda devices the one of the rank's number on its machine (auto)\n"
    "  --epochs N               passes over the training images (10)\n"
    "  --batch N                images per step, on all ranks together; a multiple of the number of ranks (64)\n"
    "  --optimizer sgd|adamw    SGD with momentum, or AdamW with gradients clipped (sgd)\n"
    "  --seed N                 of initial parameters and order of images (1)\n"
    "  --data FILE              the images (digits.bin in $RONDO_EXAMPLE_DATA or the source tree)\n"
    "  --out FILE               the picture to write (digits_parallel.svg)\n"
    "  --parameters FILE        writes what all ranks have trained there, as safetensors: w1, b1, w2, b2\n"
    "  --help                   this text\n";

struct options {
  const char *device, *data, *out, *parameters;
  int64_t epochs, batch;
  uint64_t seed;
  rondo_optimizer_kind optimizer;
};

struct program {
  struct options options;
  rondo_engine* engine;
  rondo_device device;
  rondo_comm* world;
  int rank, ranks;
  struct digits digits;
  int32_t* order; /* of the training images, for all epochs */
};

static int64_t parse_number(const char* option, const char* text, int64_t low, int64_t high) {
  char* end = NULL;
  long long value;
  errno = 0;
  value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < low || value > high) {
    fprintf(stderr, "digits_parallel: %s must be a whole number from %lld to %lld, not '%s'\n", option, (long long)low,
            (long long)high, text);
    exit(2);
  }
  return value;
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {"auto", NULL, "digits_parallel.svg", NULL, 10, 64, 1, RONDO_OPTIMIZER_SGD};
  int i;
  for (i = 1; i < argc; ++i) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(option, "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (value == NULL) {
      fprintf(stderr, "digits_parallel: '%s' is no option, or needs a value (--help lists them)\n", option);
      exit(2);
    }
    ++i;
    if (strcmp(option, "--device") == 0) {
      o.device = value;
    } else if (strcmp(option, "--epochs") == 0) {
      o.epochs = parse_number(option, value, 1, 1000);
    } else if (strcmp(option, "--batch") == 0) {
      o.batch = parse_number(option, value, 1, 1024);
    } else if (strcmp(option, "--optimizer") == 0) {
      if (strcmp(value, "sgd") != 0 && strcmp(value, "adamw") != 0) {
        fprintf(stderr, "digits_parallel: --optimizer must be sgd or adamw, not '%s'\n", value);
        exit(2);
      }
      o.optimizer = strcmp(value, "sgd") == 0 ? RONDO_OPTIMIZER_SGD : RONDO_OPTIMIZER_ADAMW;
    } else if (strcmp(option, "--seed") == 0) {
      o.seed = (uint64_t)parse_number(option, value, 0, INT64_MAX);
    } else if (strcmp(option, "--data") == 0) {
      o.data = value;
    } else if (strcmp(option, "--out") == 0) {
      o.out = value;
    } else if (strcmp(option, "--parameters") == 0) {
      o.parameters = value;
    } else {
      fprintf(stderr, "digits_parallel: unknown option '%s' (--help lists them)\n", option);
      exit(2);
    }
  }
  if (strcmp(o.device, "cpu") != 0 && strcmp(o.device, "cuda") != 0 && strcmp(o.device, "auto") != 0) {
    fprintf(stderr, "digits_parallel: --device must be cpu, cuda or auto, not '%s'\n", o.device);
    exit(2);
  }
  return o;
}

/* The cuda device of this rank's number on its machine, or the cpu. A launcher may show each rank one device only. */
static rondo_device choose_device(const char* text, const rondo_ranks_info* ranks) {
  rondo_device device = {RONDO_CPU, 0};
  int32_t count = 0;
  if (strcmp(text, "cpu") == 0) return device;
  CHECK(rondo_device_count(RONDO_CUDA, &count));
  if (count == 0 && strcmp(text, "cuda") == 0) {
    fprintf(stderr, "digits_parallel: --device cuda, but there is no cuda device\n");
    exit(1);
  }
  if (count > 0) {
    device.kind = RONDO_CUDA;
    device.index = (ranks->local_rank >= 0 ? ranks->local_rank : ranks->rank) % count;
  }
  return device;
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "digits_parallel: out of memory\n");
    exit(1);
  }
  return memory;
}

/* One training. comm: the ranks that take part, each with a slice of every batch; NULL: this one alone, with `slices`
 * slices one after the other. Leaves the parameters in `parameters`. */
static struct run train(struct program* p, rondo_comm* comm, int slices, float* parameters) {
  const int64_t steps = p->digits.n_train / p->options.batch;
  rondo_record_options recording = RONDO_RECORD_OPTIONS_INIT;
  struct run run = {0, 0, 0, 0};
  struct slices net;
  rondo_graph* graph = NULL;
  double timed_us = 0;
  int64_t epoch, step;

  CHECK(rondo_engine_seed(p->engine, p->options.seed));
  slices_create(&net, p->engine, p->device, &p->digits, p->options.batch, p->order,
                p->options.epochs * steps * p->options.batch, comm, slices, p->options.optimizer);
  recording.name = "step";
  CHECK(rondo_record_begin(p->engine, &recording));
  slices_step(&net);
  CHECK(rondo_record_end(p->engine, &graph));
  for (epoch = 0; epoch < p->options.epochs; ++epoch) {
    double begin;
    CHECK(rondo_engine_wait_all(p->engine));
    begin = now_us();
    for (step = 0; step < steps; ++step) CHECK(rondo_graph_launch(graph));
    CHECK(rondo_engine_wait_all(p->engine));
    if (epoch > 0 || p->options.epochs == 1) timed_us += now_us() - begin;
  }
  run.ranks = slices;
  run.step_us = timed_us / (double)((p->options.epochs > 1 ? p->options.epochs - 1 : 1) * steps);
  run.images_per_s = 1e6 * (double)p->options.batch / run.step_us;
  run.accuracy = slices_test(&net, &p->digits);
  slices_read(&net, parameters);
  if (p->options.parameters != NULL && comm != NULL && slices == p->ranks && p->rank == 0)
    slices_write(&net, p->options.parameters);
  rondo_graph_destroy(graph);
  slices_destroy(&net);
  return run;
}

/* Of two sets of parameters: how many have other bits, and the largest distance. */
static int64_t compare(const float* a, const float* b, double* distance) {
  int64_t i, different = 0;
  *distance = 0;
  for (i = 0; i < SLICES_PARAMETERS; ++i) {
    const double between = fabs((double)a[i] - (double)b[i]);
    different += memcmp(&a[i], &b[i], sizeof *a) != 0; /* NOLINT: bits, not values */
    if (!(between <= *distance)) *distance = between;
  }
  return different;
}

/* Trains with the first `ranks` ranks, and on rank 0 with as many slices alone; prints a line. 1: the same came out. */
static int train_with(struct program* p, int ranks, const float* whole, struct run* first, struct run* run) {
  float* parallel = allocate(SLICES_PARAMETERS, sizeof *parallel);
  float* alone = allocate(SLICES_PARAMETERS, sizeof *alone);
  const int32_t colour = p->rank < ranks ? 0 : -1;
  rondo_comm* some = NULL;
  double distance = 0, far = 0;
  int64_t different = 0;
  CHECK(rondo_comm_split(&p->world, 1, &colour, NULL, &some));
  if (some != NULL) *run = train(p, some, ranks, parallel);
  rondo_comm_destroy(some);
  if (p->rank == 0) {
    train(p, NULL, ranks, alone);
    different = compare(parallel, alone, &distance);
    compare(parallel, whole, &far);
    printf("  %5d   %11.1f us   %8.0f   %8.2f     %.4f   ", ranks, run->step_us, run->images_per_s,
           first->step_us / run->step_us, run->accuracy);
    if (different == 0) {
      printf("all %d agree bit for bit; %.1e from the whole batch at once\n", SLICES_PARAMETERS, far);
    } else {
      printf("%lld of %d differ, by up to %.1e\n", (long long)different, SLICES_PARAMETERS, distance);
    }
  }
  free(alone);
  free(parallel);
  /* NCCL adds up in an order of its own from three ranks on. */
  return different == 0 || (p->device.kind == RONDO_CUDA && ranks > 2 && distance < 1e-3);
}

int main(int argc, char** argv) {
  struct program p;
  rondo_ranks_info ranks = RONDO_RANKS_INFO_INIT;
  struct run runs[32];
  float* whole;
  int n_runs = 0, good = 1, count;
  uint64_t state;
  int64_t i, used;

  p.options = parse_options(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  CHECK(rondo_ranks_query(&ranks));
  p.rank = ranks.rank;
  p.ranks = ranks.ranks;
  if (p.options.batch % p.ranks != 0) {
    fprintf(stderr, "digits_parallel: --batch %d is not a multiple of the %d ranks\n", (int)p.options.batch, p.ranks);
    return 2;
  }
  if (digits_load(p.options.data, &p.digits) != 0) return 1;
  if (p.digits.n_train < p.options.batch) {
    fprintf(stderr, "digits_parallel: --batch %d is more than the %d training images\n", (int)p.options.batch,
            (int)p.digits.n_train);
    digits_free(&p.digits);
    return 2;
  }
  p.device = choose_device(p.options.device, &ranks);
  CHECK(rondo_engine_create(NULL, &p.engine));
  CHECK(rondo_comm_create(p.engine, p.device, NULL, &p.world));

  whole = allocate(SLICES_PARAMETERS, sizeof *whole);
  used = p.digits.n_train / p.options.batch * p.options.batch;
  p.order = allocate((size_t)(p.options.epochs * p.digits.n_train), sizeof *p.order);
  state = p.options.seed;
  for (i = 0; i < p.options.epochs; ++i) digits_shuffle(&state, p.order + i * used, p.digits.n_train);

  if (p.rank == 0) {
    printf(
        "%d images to train on, %d to test on; %d epochs of %d steps of %d images, seed %llu; %d ranks on %s devices\n",
        (int)p.digits.n_train, (int)p.digits.n_test, (int)p.options.epochs, (int)(used / p.options.batch),
        (int)p.options.batch, (unsigned long long)p.options.seed, p.ranks,
        p.device.kind == RONDO_CUDA ? "cuda" : "cpu");
    printf(
        "  ranks   time of a step   images/s   speed-up   accuracy   parameters against one rank with the same "
        "slices\n");
    train(&p, NULL, 1, whole);
  }
  for (count = 1; count <= p.ranks; count = count < p.ranks && 2 * count > p.ranks ? p.ranks : 2 * count) {
    good &= train_with(&p, count, whole, &runs[0], &runs[n_runs]);
    ++n_runs;
  }
  /* The others wait until rank 0 is done with its last training alone. */
  CHECK(rondo_comm_barrier(p.world));
  CHECK(rondo_comm_wait(p.world));
  if (p.rank == 0) {
    if (!(runs[n_runs - 1].accuracy >= 0.85)) {
      printf("an accuracy below 0.85: something is wrong\n");
      good = 0;
    }
    if (scaling_write(p.options.out, runs, n_runs) != 0) {
      fprintf(stderr, "digits_parallel: cannot write %s: %s\n", p.options.out, strerror(errno));
      good = 0;
    } else {
      printf("picture   %s\n", p.options.out);
    }
  }
  free(whole);
  free(p.order);
  digits_free(&p.digits);
  rondo_comm_destroy(p.world);
  rondo_engine_destroy(p.engine);
  return good ? 0 : 1;
}
