/* The data of the digits example; see digits_data.h.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "digits_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EXAMPLE_DATA_DIR /* the build defines it: examples/data of the source tree */
#define EXAMPLE_DATA_DIR "examples/data"
#endif

enum { HEADER_BYTES = 16, RECORD_BYTES = DIGITS_PIXELS + 1, MAX_IMAGES = 1000000 };

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere. */
static uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

void digits_shuffle(uint64_t* state, int32_t* order, int64_t n) {
  int64_t i;
  for (i = 0; i < n; ++i) order[i] = (int32_t)i;
  for (i = n - 1; i > 0; --i) {
    const int64_t j = (int64_t)(next_random(state) % (uint64_t)(i + 1));
    const int32_t other = order[j];
    order[j] = order[i];
    order[i] = other;
  }
}

static int64_t little_endian(const unsigned char* bytes) {
  return (int64_t)bytes[0] | (int64_t)bytes[1] << 8 | (int64_t)bytes[2] << 16 | (int64_t)bytes[3] << 24;
}

/* The whole file in memory of its own, or NULL after a line on stderr. */
static unsigned char* read_records(const char* path, int64_t* n) {
  unsigned char header[HEADER_BYTES], *records = NULL;
  size_t bytes;
  int64_t i;
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    fprintf(stderr, "digits: cannot open %s: %s (--data FILE or RONDO_EXAMPLE_DATA=FOLDER say where digits.bin is)\n",
            path, strerror(errno));
    return NULL;
  }
  if (fread(header, 1, sizeof header, file) != sizeof header || memcmp(header, "RDIGITS1", 8) != 0 ||
      little_endian(header + 12) != DIGITS_PIXELS || little_endian(header + 8) < 10 ||
      little_endian(header + 8) > MAX_IMAGES) {
    fprintf(stderr, "digits: %s is not a file of digits\n", path);
    fclose(file);
    return NULL;
  }
  *n = little_endian(header + 8);
  bytes = (size_t)*n * RECORD_BYTES;
  records = malloc(bytes);
  if (records == NULL || fread(records, 1, bytes, file) != bytes) {
    fprintf(stderr, "digits: %s ends before its %lld images do\n", path, (long long)*n);
    free(records);
    fclose(file);
    return NULL;
  }
  fclose(file);
  for (i = 0; i < *n; ++i) {
    if (records[i * RECORD_BYTES + DIGITS_PIXELS] < DIGITS_CLASSES) continue;
    fprintf(stderr, "digits: image %lld of %s has a label that is no digit\n", (long long)i, path);
    free(records);
    return NULL;
  }
  return records;
}

static void unpack(const unsigned char* records, const int32_t* chosen, int64_t n, float* images, int32_t* labels) {
  int64_t i;
  int pixel;
  for (i = 0; i < n; ++i) {
    const unsigned char* record = records + (int64_t)chosen[i] * RECORD_BYTES;
    for (pixel = 0; pixel < DIGITS_PIXELS; ++pixel) images[i * DIGITS_PIXELS + pixel] = (float)record[pixel] / 16.0f;
    labels[i] = record[DIGITS_PIXELS];
  }
}

int digits_load(const char* path, struct digits* digits) {
  const char* folder = getenv("RONDO_EXAMPLE_DATA");
  char joined[4096];
  unsigned char* records;
  int32_t* order;
  uint64_t state = 8020; /* fixed: the split is the same whatever the seed of a training */
  int64_t n = 0;

  memset(digits, 0, sizeof *digits);
  if (path == NULL) {
    if (folder == NULL || folder[0] == '\0') folder = EXAMPLE_DATA_DIR;
    if ((size_t)snprintf(joined, sizeof joined, "%s/digits.bin", folder) >= sizeof joined) {
      fprintf(stderr, "digits: the path in RONDO_EXAMPLE_DATA is too long\n");
      return -1;
    }
    path = joined;
  }
  records = read_records(path, &n);
  if (records == NULL) return -1;

  digits->n_train = n * 8 / 10;
  digits->n_test = n - digits->n_train;
  order = calloc((size_t)n, sizeof *order);
  digits->train_images = malloc((size_t)digits->n_train * DIGITS_PIXELS * sizeof(float));
  digits->train_labels = malloc((size_t)digits->n_train * sizeof(int32_t));
  digits->test_images = malloc((size_t)digits->n_test * DIGITS_PIXELS * sizeof(float));
  digits->test_labels = malloc((size_t)digits->n_test * sizeof(int32_t));
  if (order == NULL || digits->train_images == NULL || digits->train_labels == NULL || digits->test_images == NULL ||
      digits->test_labels == NULL) {
    fprintf(stderr, "digits: out of memory\n");
    free(order);
    free(records);
    digits_free(digits);
    return -1;
  }
  digits_shuffle(&state, order, n);
  unpack(records, order, digits->n_train, digits->train_images, digits->train_labels);
  unpack(records, order + digits->n_train, digits->n_test, digits->test_images, digits->test_labels);
  free(order);
  free(records);
  return 0;
}

void digits_free(struct digits* digits) {
  free(digits->train_images);
  free(digits->train_labels);
  free(digits->test_images);
  free(digits->test_labels);
  memset(digits, 0, sizeof *digits);
}
