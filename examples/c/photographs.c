/* A pretrained network, EfficientNet-Lite0, says what is in photographs: once operator by operator, then as one
 * recorded graph. Prints the five likeliest classes of each, compares the scores with PyTorch's, and draws a picture.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "device.h"
#include "lite0.h"
#include "photographs_svg.h"
#include "picture.h"
#include "program_file.h"

#ifndef EXAMPLE_DATA_DIR /* the build defines it: examples/data of the source tree */
#define EXAMPLE_DATA_DIR "examples/data"
#endif

static const char usage[] =
    "usage: photographs --model FILE [options] PICTURE.ppm ...\n"
    "  --model FILE                     the network; examples/data/photographs.py makes it: "
    "efficientnet-lite0.safetensors\n"
    "  --device cpu|cuda:0|auto         where it runs (auto: the first CUDA device that works, else cpu)\n"
    "  --pixels N                       the network sees N x N pixels of each picture (224)\n"
    "  --reference FILE                 scores to compare with, by the pictures' names (those of PyTorch for two\n"
    "                                   photographs: photographs.safetensors in the source tree)\n"
    "  --out FILE                       the picture to write (photographs.svg)\n"
    "  --program FILE                   writes the scores of 1 to 64 photographs there, as a program file\n"
    "  --help                           this text\n";

static const double kTolerance = 1e-3; /* of a score; scores go from about -5 to 10 */

enum { MOST_PICTURES = 16, LAUNCHES = 5 };

struct options {
  const char *model, *device, *reference, *out, *program;
  int64_t pixels;
  int n; /* pictures */
  const char* paths[MOST_PICTURES];
};

/* ---------------------------------------------------------------------------------------------------------- options */

static void refuse(const char* what, const char* text) {
  fprintf(stderr, "photographs: %s '%s' (--help lists the options)\n", what, text);
  exit(2);
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {NULL, "auto", EXAMPLE_DATA_DIR "/photographs.safetensors", "photographs.svg", NULL, 224,
                      0,    {NULL}};
  rondo_device device;
  char* end;
  int i;
  for (i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (argv[i][0] != '-') {
      if (o.n == MOST_PICTURES) refuse("at most 16 pictures: one too many is", argv[i]);
      o.paths[o.n++] = argv[i];
      continue;
    }
    if (strcmp(argv[i], "--model") != 0 && strcmp(argv[i], "--device") != 0 && strcmp(argv[i], "--pixels") != 0 &&
        strcmp(argv[i], "--reference") != 0 && strcmp(argv[i], "--out") != 0 && strcmp(argv[i], "--program") != 0)
      refuse("unknown option", argv[i]);
    if (value == NULL) refuse("a value is missing behind", argv[i]);
    if (strcmp(argv[i], "--model") == 0) o.model = value;
    if (strcmp(argv[i], "--device") == 0) o.device = value;
    if (strcmp(argv[i], "--reference") == 0) o.reference = value;
    if (strcmp(argv[i], "--out") == 0) o.out = value;
    if (strcmp(argv[i], "--program") == 0) o.program = value;
    if (strcmp(argv[i], "--pixels") == 0) {
      o.pixels = strtol(value, &end, 10);
      if (end == value || *end != '\0' || o.pixels < 8 || o.pixels > 1024)
        refuse("--pixels must be a whole number from 8 to 1024, not", value);
    }
    ++i;
  }
  if (o.model == NULL) refuse("which network? missing is", "--model FILE");
  if (o.n == 0) refuse("which photographs? missing is", "PICTURE.ppm");
  if (strcmp(o.device, "auto") != 0 && rondo_device_parse(o.device, &device) != RONDO_OK)
    refuse("--device must be cpu, cuda:0 or auto, not", o.device);
  return o;
}

/* --------------------------------------------------------------------------------------------------------- pictures */

struct photograph {
  char name[64]; /* the file's, without folder and ending */
  char credit[96];
};

static void name_of(const char* path, char* name, size_t capacity) {
  const char* slash = strrchr(path, '/');
  char* dot;
  snprintf(name, capacity, "%.*s", (int)capacity - 1, slash == NULL ? path : slash + 1);
  dot = strrchr(name, '.');
  if (dot != NULL) *dot = '\0';
}

/* What the network sees of all pictures, [n][pixels][pixels][3]; NULL after a line on stderr. */
static unsigned char* read_pictures(const struct options* o, struct photograph* photographs) {
  const size_t each = (size_t)(3 * o->pixels * o->pixels);
  unsigned char* all = malloc((size_t)o->n * each);
  int i;
  for (i = 0; all != NULL && i < o->n; ++i) {
    struct picture picture;
    if (picture_read(o->paths[i], &picture) != 0) {
      free(all);
      return NULL;
    }
    name_of(o->paths[i], photographs[i].name, sizeof photographs[i].name);
    memcpy(photographs[i].credit, picture.credit, sizeof picture.credit);
    picture_crop(&picture, o->pixels, all + (size_t)i * each);
    picture_free(&picture);
  }
  if (all == NULL) fprintf(stderr, "photographs: out of memory\n");
  return all;
}

/* ---------------------------------------------------------------------------------------------------------- answers */

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Classifies the pictures eagerly, then as a graph; fills the scores of both, [n][classes]. */
static void classify(rondo_engine* engine, struct lite0* net, rondo_tensor* pixels, float* eager, float* replayed,
                     size_t bytes) {
  rondo_graph* graph = NULL;
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  rondo_tensor* scores = NULL;
  double took[3];
  int i;
  for (i = 0; i < 2; ++i) { /* the first pass compiles and loads what it meets */
    const double begin = now_ms();
    scores = lite0_forward(net, pixels);
    CHECK(rondo_tensor_read(scores, eager, bytes));
    took[i] = now_ms() - begin;
    rondo_tensor_destroy(scores);
  }
  CHECK(rondo_record_begin(engine, NULL));
  scores = lite0_forward(net, pixels); /* held at the end of the recording, so it is an output */
  CHECK(rondo_record_end(engine, &graph));
  took[2] = 1e30;
  for (i = 0; i < LAUNCHES; ++i) {
    const double begin = now_ms();
    CHECK(rondo_graph_launch(graph));
    CHECK(rondo_tensor_read(scores, replayed, bytes));
    if (now_ms() - begin < took[2]) took[2] = now_ms() - begin;
  }
  CHECK(rondo_graph_query(graph, &info));
  printf("  graph: %d tasks in %d segment%s, %d captured as CUDA graph; arena %.1f MiB\n", info.tasks, info.segments,
         info.segments == 1 ? "" : "s", info.captured, (double)info.arena_bytes / 1048576);
  printf("  time: %.1f ms the first time, %.1f ms eagerly, %.1f ms as a graph\n", took[0], took[1], took[2]);
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(scores);
}

/* The likeliest classes of one photograph and their probabilities: softmax of its scores. */
static void choose(const struct lite0* net, const float* scores, struct shown* shown) {
  double sum = 0;
  int64_t c;
  int i, place;
  int64_t best[SHOWN_CLASSES];
  for (i = 0; i < SHOWN_CLASSES; ++i) best[i] = -1;
  for (c = 0; c < net->classes; ++c) {
    for (place = 0; place < SHOWN_CLASSES && best[place] >= 0 && scores[c] <= scores[best[place]]; ++place) continue;
    if (place == SHOWN_CLASSES) continue;
    memmove(best + place + 1, best + place, (size_t)(SHOWN_CLASSES - 1 - place) * sizeof *best);
    best[place] = c;
  }
  for (c = 0; c < net->classes; ++c) sum += exp((double)scores[c] - (double)scores[best[0]]);
  for (i = 0; i < SHOWN_CLASSES; ++i) {
    shown->classes[i] = best[i] < 0 ? "" : net->names[best[i]];
    shown->shares[i] = best[i] < 0 ? 0 : exp((double)scores[best[i]] - (double)scores[best[0]]) / sum;
  }
}

/* How far scores are from those of the file under the photograph's name; -1: it has none of them. */
static double distance(rondo_engine* engine, rondo_model_file* file, const char* name, const float* scores,
                       int64_t classes) {
  const rondo_device cpu = {RONDO_CPU, 0};
  rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
  rondo_tensor* tensor = NULL;
  const char* found;
  float* expected;
  double worst = 0;
  int64_t index, c;
  if (rondo_model_file_find(file, name, &index) != RONDO_OK) return -1;
  CHECK(rondo_model_file_tensor(file, index, &found, &info));
  if (info.dtype != RONDO_F32 || info.bytes != classes * (int64_t)sizeof *expected) return INFINITY;
  expected = malloc((size_t)info.bytes);
  if (expected == NULL) return INFINITY;
  CHECK(rondo_model_file_load(file, name, engine, cpu, &tensor));
  CHECK(rondo_tensor_read(tensor, expected, (size_t)info.bytes));
  for (c = 0; c < classes; ++c) {
    const double far = fabs((double)scores[c] - (double)expected[c]);
    if (!(far <= worst)) worst = far; /* NaN stays */
  }
  rondo_tensor_destroy(tensor);
  free(expected);
  return worst;
}

static int64_t count_different(const float* a, const float* b, int64_t n) {
  int64_t i, different = 0;
  for (i = 0; i < n; ++i) different += memcmp(&a[i], &b[i], sizeof *a) != 0; /* NOLINT: bits */
  return different;
}

/* Compares what can be compared and prints it; returns whether something is wrong. */
static int compare(rondo_engine* engine, const struct options* o, const struct photograph* photographs,
                   const float* eager, const float* replayed, int64_t classes) {
  const int64_t different = count_different(eager, replayed, o->n * classes);
  rondo_model_file* file = NULL;
  double worst = 0;
  int compared = 0, i;
  if (rondo_model_file_open(o->reference, &file) != RONDO_OK) {
    fprintf(stderr, "photographs: --reference: %s\n", rondo_last_error());
    return 1;
  }
  for (i = 0; i < o->n; ++i) {
    const double far = distance(engine, file, photographs[i].name, replayed + i * classes, classes);
    if (far == -1) continue;
    ++compared;
    if (!(far <= worst)) worst = far;
  }
  rondo_model_file_destroy(file);
  if (different == 0) {
    printf("\nscores    eager and graph agree bit for bit\n");
  } else {
    printf("\nscores    %lld of %lld of eager and graph differ\n", (long long)different, (long long)(o->n * classes));
  }
  if (compared > 0) printf("          up to %.2g from the reference's; %g is allowed\n", worst, kTolerance);
  return different != 0 || !(worst <= kTolerance);
}

static rondo_tensor* saved_scores(void* net, rondo_tensor* const* pixels) {
  return lite0_forward(net, pixels[0]);
}

static int save(struct lite0* net, const struct options* o, rondo_engine* engine, rondo_device device) {
  const struct program_function function = {
      "scores", "scores", 1, {{"pixels", RONDO_U8, 4, {PROGRAM_BATCH, o->pixels, o->pixels, 3}}}, saved_scores};
  return program_file_write(o->program, engine, device, 1, &function, net);
}

int main(int argc, char** argv) {
  const struct options o = parse_options(argc, argv);
  rondo_engine* engine = NULL;
  rondo_device device;
  rondo_tensor* pixels = NULL;
  struct lite0 net;
  struct photograph photographs[MOST_PICTURES];
  struct shown shown[MOST_PICTURES];
  unsigned char* rgb;
  float *eager, *replayed;
  int64_t shape[4];
  size_t bytes;
  char name[128], subtitle[256];
  int bad, i, k;

  setvbuf(stdout, NULL, _IOLBF, 0);
  rgb = read_pictures(&o, photographs);
  if (rgb == NULL) return 1;
  device = device_choose(o.device);
  CHECK(rondo_engine_create(NULL, &engine));
  if (lite0_load(&net, engine, device, o.model) != 0) {
    lite0_destroy(&net);
    rondo_engine_destroy(engine);
    free(rgb);
    return 1;
  }
  device_print(engine, device, name, sizeof name);
  shape[0] = o.n;
  shape[1] = shape[2] = o.pixels;
  shape[3] = 3;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_U8, 4, shape, rgb, &pixels));
  bytes = (size_t)(o.n * net.classes) * sizeof *eager;
  eager = malloc(2 * bytes);
  if (eager == NULL) {
    fprintf(stderr, "photographs: out of memory\n");
    exit(1);
  }
  replayed = eager + o.n * net.classes;
  classify(engine, &net, pixels, eager, replayed, bytes);

  for (i = 0; i < o.n; ++i) {
    shown[i].name = photographs[i].name;
    shown[i].credit = photographs[i].credit;
    shown[i].rgb = rgb + 3 * i * o.pixels * o.pixels;
    choose(&net, replayed + i * net.classes, &shown[i]);
    printf("\n%s\n", o.paths[i]);
    for (k = 0; k < SHOWN_CLASSES; ++k) printf("  %5.1f %%  %s\n", 100 * shown[i].shares[k], shown[i].classes[k]);
  }
  bad = compare(engine, &o, photographs, eager, replayed, net.classes);
  snprintf(subtitle, sizeof subtitle, "EfficientNet-Lite0, %d x %d pixels, on %.128s", (int)o.pixels, (int)o.pixels,
           name);
  if (photographs_svg_write(o.out, o.n, shown, o.pixels, subtitle) != 0) {
    fprintf(stderr, "photographs: cannot write %s: %s\n", o.out, strerror(errno));
    bad = 1;
  } else {
    printf("picture   %s\n", o.out);
  }
  if (o.program != NULL && save(&net, &o, engine, device) != 0) bad = 1;
  free(eager);
  free(rgb);
  rondo_tensor_destroy(pixels);
  lite0_destroy(&net);
  rondo_engine_destroy(engine);
  return bad;
}
