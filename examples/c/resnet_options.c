/* See resnet_options.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "resnet_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kUsage[] =
    "usage: resnet50 [options]\n"
    "  --device cpu|cuda:N   where (cpu)\n"
    "  --dtype f32|f16|bf16  of images and filters (f32)\n"
    "  --autocast f16|bf16   what layers compute in while f32 is trained\n"
    "  --layout nhwc|nchw    of images and filters in memory (nhwc)\n"
    "  --size N              height and width of the images, 32 to 2048 (64)\n"
    "  --batch N             images at once, 2 to 1024 (8)\n"
    "  --classes N           10 to 100000 (1000)\n"
    "  --width N             channels of the first stage, 1 to 256 (64)\n"
    "  --blocks A,B,C,D      of each stage, 1 to 8 (3,4,6,3)\n"
    "  --steps N             of training, 0 to 10000; 0 only asks the network (4)\n"
    "  --pyramid             a feature pyramid instead of scores\n"
    "  --program FILE        writes the scores of images there, as a program file\n";

static int refuse(const char* option, const char* value) {
  fprintf(stderr, "resnet50: %s cannot be '%s'\n%s", option, value, kUsage);
  return 2;
}

/* A whole number within bounds. */
static int read_number(const char* text, int64_t least, int64_t most, int64_t* number) {
  char* end = NULL;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || value < least || value > most) return 0;
  *number = value;
  return 1;
}

/* One of two or three words. */
static int read_word(const char* text, const char* const* words, int* chosen) {
  for (*chosen = 0; words[*chosen] != NULL; ++*chosen)
    if (strcmp(text, words[*chosen]) == 0) return 1;
  return 0;
}

static int read_blocks(const char* text, int* blocks) {
  char end = 0;
  int i;
  if (sscanf(text, "%d,%d,%d,%d%c", &blocks[0], &blocks[1], &blocks[2], &blocks[3], &end) != RESNET_STAGES) return 0;
  for (i = 0; i < RESNET_STAGES; ++i)
    if (blocks[i] < 1 || blocks[i] > 8) return 0;
  return 1;
}

static int read_option(const char* option, const char* value, struct resnet_options* o) {
  static const char* const dtypes[] = {"f32", "f16", "bf16", NULL};
  static const char* const layouts[] = {"nchw", "nhwc", NULL};
  static const rondo_dtype numbers[] = {RONDO_F32, RONDO_F16, RONDO_BF16};
  int64_t number = 0;
  int chosen = 0;
  if (strcmp(option, "--program") == 0) {
    o->program = value;
    return 1;
  }
  if (strcmp(option, "--device") == 0) return rondo_device_parse(value, &o->device) == RONDO_OK;
  if (strcmp(option, "--size") == 0) return read_number(value, 32, 2048, &o->size);
  if (strcmp(option, "--batch") == 0) return read_number(value, 2, 1024, &o->batch);
  if (strcmp(option, "--classes") == 0) return read_number(value, 10, 100000, &o->net.classes);
  if (strcmp(option, "--width") == 0) return read_number(value, 1, 256, &o->net.width);
  if (strcmp(option, "--blocks") == 0) return read_blocks(value, o->net.blocks);
  if (strcmp(option, "--layout") == 0) return read_word(value, layouts, &o->channels_last);
  if (strcmp(option, "--steps") == 0 && read_number(value, 0, 10000, &number)) {
    o->steps = (int)number;
    return 1;
  }
  if (strcmp(option, "--dtype") == 0 && read_word(value, dtypes, &chosen)) {
    o->dtype = numbers[chosen];
    return 1;
  }
  if (strcmp(option, "--autocast") == 0 && read_word(value, dtypes, &chosen) && chosen > 0) {
    o->autocast = numbers[chosen];
    return 1;
  }
  return 0;
}

int resnet_options_parse(int argc, char** argv, struct resnet_options* options) {
  const struct resnet_options usual = {{RONDO_CPU, 0}, RONDO_F32, RONDO_F32, 1, 64, 8, 4, 0, NULL, RESNET_50};
  int i;
  *options = usual;
  for (i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) {
      fputs(kUsage, stdout);
      return 0;
    }
    if (strcmp(argv[i], "--pyramid") == 0) {
      options->pyramid = 1;
    } else if (i + 1 == argc || !read_option(argv[i], argv[i + 1], options)) {
      return refuse(argv[i], i + 1 == argc ? "" : argv[i + 1]);
    } else {
      ++i;
    }
  }
  if (options->autocast != RONDO_F32 && options->dtype != RONDO_F32)
    return refuse("--autocast", "other than f32 beside --dtype");
  return -1;
}
