/* Says what pictures show: an ONNX model of a classifier is converted when the program starts, and is called once for
 * all pictures. What the model gives for each class is printed, the five largest numbers of each picture first.
 * usage: classify MODEL.onnx PICTURE.ppm ... [options]
 *   MODEL              takes [n, 3, size, size] or [n, size, size, 3], and gives [n, classes]; all of F32
 *   PICTURE            PPM (P6); the model sees the square in the middle with 7/8 of the shorter side
 *   --batch NAME       what the model calls n; without it n is 1 in the model
 *   --mean R,G,B       is subtracted from the pixels, which are from 0 to 255 (123.675,116.28,103.53: ImageNet's)
 *   --deviation R,G,B  they are divided by it then (58.395,57.12,57.375)
 *   --bgr              blue comes first
 *   --labels A,B,...   what the classes are called; without it a text of the model's metadata with a line for each
 *   --device DEVICE    such as cuda:0; an error if it is not there. Without it cpu:0
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <rondo_onnx.h>
#include <string.h>

#include "check.h"
#include "picture.h"

enum { MOST_PICTURES = 64, SHOWN = 5 };

struct options {
  const char *model, *batch, *labels;
  const char* paths[MOST_PICTURES];
  int pictures, bgr;
  double mean[3], deviation[3];
  rondo_device device;
};

static void refuse(const char* what, const char* text) {
  fprintf(stderr, "classify: %s '%s'\n", what, text);
  fprintf(stderr,
          "usage: classify MODEL.onnx PICTURE.ppm ... [--batch NAME] [--mean R,G,B] [--deviation R,G,B] [--bgr]\n"
          "                [--labels A,B,...] [--device DEVICE]\n");
  exit(2);
}

static void fail(const char* path, const char* why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

static void parse_numbers(const char* option, const char* text, double* numbers) {
  const char* at = text;
  char* end;
  int i;
  for (i = 0; i < 3; ++i, at = end + 1) {
    numbers[i] = strtod(at, &end);
    if (end == at || *end != (i < 2 ? ',' : '\0') || !(numbers[i] >= 0 && numbers[i] <= 1e6) ||
        (numbers[i] == 0 && strcmp(option, "--deviation") == 0))
      refuse(strcmp(option, "--mean") == 0 ? "--mean must be three numbers from 0 on, not"
                                           : "--deviation must be three numbers above 0, not",
             text);
  }
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {NULL, NULL, NULL, {NULL}, 0, 0, {123.675, 116.28, 103.53}, {58.395, 57.12, 57.375}, {0, 0}};
  int i;
  for (i = 1; i < argc; ++i) {
    const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (word[0] != '-') {
      if (o.model == NULL)
        o.model = word;
      else if (o.pictures < MOST_PICTURES)
        o.paths[o.pictures++] = word;
      else
        refuse("at most 64 pictures: one too many is", word);
      continue;
    }
    if (strcmp(word, "--bgr") == 0) {
      o.bgr = 1;
      continue;
    }
    if (value == NULL) refuse("a value is missing behind", word);
    if (strcmp(word, "--batch") == 0)
      o.batch = value;
    else if (strcmp(word, "--labels") == 0)
      o.labels = value;
    else if (strcmp(word, "--mean") == 0)
      parse_numbers(word, value, o.mean);
    else if (strcmp(word, "--deviation") == 0)
      parse_numbers(word, value, o.deviation);
    else if (strcmp(word, "--device") != 0)
      refuse("unknown option", word);
    else if (rondo_device_parse(value, &o.device) != RONDO_OK)
      refuse("--device must be a device such as cuda:0, not", value);
    ++i;
  }
  if (o.pictures == 0) refuse("missing is", o.model == NULL ? "MODEL.onnx" : "PICTURE.ppm");
  return o;
}

static rondo_program* open_model(const struct options* o) {
  const int64_t n = o->pictures;
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
  rondo_program* program = NULL;
  if (o->batch != NULL) {
    options.n_sizes = 1;
    options.size_names = &o->batch;
    options.sizes = &n;
  }
  if (rondo_onnx_open(o->model, &options, &program) != RONDO_OK) fail(o->model, rondo_onnx_last_error());
  return program;
}

/* The size of the pictures that the model takes, *last: colours are its last axis; *classes: how many numbers it gives
 * for each. */
static int64_t sizes_of(const struct options* o, rondo_program* program, int* last, int64_t* classes) {
  rondo_program_function_info function = RONDO_PROGRAM_FUNCTION_INFO_INIT;
  rondo_program_tensor_info in = RONDO_PROGRAM_TENSOR_INFO_INIT, out = RONDO_PROGRAM_TENSOR_INFO_INIT;
  const char* name;
  CHECK(rondo_program_function(program, 0, &name, &function));
  if (function.inputs != 1 || function.outputs != 1) fail(o->model, "it has more than one input or output");
  CHECK(rondo_program_input(program, 0, 0, &name, &in));
  CHECK(rondo_program_output(program, 0, 0, &name, &out));
  *last = in.ndim == 4 && in.shape[3] == 3 && in.shape[1] != 3;
  if (in.dtype != RONDO_F32 || in.ndim != 4 || in.shape[*last ? 3 : 1] != 3 || in.shape[2] != in.shape[*last ? 1 : 3])
    fail(o->model, "it takes something else than [n, 3, size, size] or [n, size, size, 3] of F32");
  if (in.shape[0] != o->pictures) fail(o->model, "it takes another number of pictures at a time (see --batch)");
  if (out.dtype != RONDO_F32 || out.ndim != 2 || out.shape[0] != o->pictures || out.shape[1] < 1)
    fail(o->model, "it gives something else than [n, classes] of F32");
  *classes = out.shape[1];
  return in.shape[2];
}

/* The numbers that the model takes for one picture. */
static void fill(const struct options* o, const char* path, int64_t size, int last, float* numbers) {
  const int64_t pixels = size * size;
  struct picture picture;
  unsigned char* const rgb = malloc((size_t)(3 * pixels));
  int64_t i;
  int c;
  if (rgb == NULL) fail(path, "out of memory");
  if (picture_read(path, &picture) != 0) exit(1);
  picture_crop(&picture, size, rgb);
  picture_free(&picture);
  for (i = 0; i < pixels; ++i) {
    for (c = 0; c < 3; ++c) {
      const int place = o->bgr ? 2 - c : c;
      numbers[last ? 3 * i + place : place * pixels + i] = (float)((rgb[3 * i + c] - o->mean[c]) / o->deviation[c]);
    }
  }
  free(rgb);
}

/* How many parts a text has, with `between` between them. */
static int64_t parts_of(const char* text, char between) {
  int64_t parts = 1;
  for (; *text != '\0'; ++text) parts += *text == between && text[1] != '\0';
  return parts;
}

/* A text with a part for each class, and what is between them; NULL: the model has none, and none is given. */
static const char* labels_of(const struct options* o, rondo_program* program, int64_t classes, char* between) {
  const char *key, *text;
  int64_t i;
  *between = o->labels != NULL ? ',' : '\n';
  if (o->labels != NULL && parts_of(o->labels, ',') != classes)
    refuse("--labels must have as many parts as the model has classes, unlike", o->labels);
  if (o->labels != NULL) return o->labels;
  for (i = 0; rondo_program_metadata(program, i, &key, &text) == RONDO_OK; ++i)
    if (classes > 1 && parts_of(text, '\n') == classes) return text;
  return NULL;
}

static void print_label(const char* text, char between, int64_t index) {
  if (text == NULL) {
    printf("class %lld\n", (long long)index);
    return;
  }
  for (; index > 0; --index) text = strchr(text, between) + 1;
  printf("%.*s\n", (int)strcspn(text, between == ',' ? "," : "\r\n"), text);
}

int main(int argc, char** argv) {
  const struct options o = parse_options(argc, argv);
  rondo_program* const program = open_model(&o);
  rondo_engine* engine = NULL;
  rondo_program_instance* instance = NULL;
  rondo_tensor *pixels = NULL, *out = NULL;
  int64_t shape[4], classes, shown, k;
  const char* labels;
  char between;
  int last, i;
  const int64_t size = sizes_of(&o, program, &last, &classes);
  const int64_t each = 3 * size * size;
  float* const numbers = malloc((size_t)(o.pictures * each) * sizeof *numbers);
  float* const scores = malloc((size_t)(o.pictures * classes) * sizeof *scores);
  if (numbers == NULL || scores == NULL) fail(o.model, "out of memory");
  labels = labels_of(&o, program, classes, &between);
  for (i = 0; i < o.pictures; ++i) fill(&o, o.paths[i], size, last, numbers + i * each);
  shape[0] = o.pictures;
  shape[1] = last ? size : 3;
  shape[2] = size;
  shape[3] = last ? 3 : size;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_program_create_instance(program, engine, o.device, &instance));
  CHECK(rondo_tensor_from_host(engine, o.device, RONDO_F32, 4, shape, numbers, &pixels));
  CHECK(rondo_program_call(instance, "main", 1, &pixels, 1, &out));
  CHECK(rondo_tensor_read(out, scores, (size_t)(o.pictures * classes) * sizeof *scores));
  for (i = 0; i < o.pictures; ++i) {
    float* const score = scores + i * classes;
    printf("%s\n", o.paths[i]);
    for (shown = 0; shown < SHOWN && shown < classes; ++shown) {
      int64_t best = -1;
      for (k = 0; k < classes; ++k)
        if (score[k] == score[k] && (best < 0 || score[k] > score[best])) best = k;
      if (best < 0) break; /* the rest was shown, or is no number */
      printf("  %9.6f  ", (double)score[best]);
      print_label(labels, between, best);
      score[best] = NAN;
    }
    if (shown == 0) fail(o.paths[i], "the model gives no numbers for it");
  }
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(pixels);
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(program);
  rondo_engine_destroy(engine);
  free(scores);
  free(numbers);
  return 0;
}
