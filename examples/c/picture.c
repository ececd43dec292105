/* See picture.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIXELS = 32768 };

/* The rest of a line behind '#'; the first one is kept. */
static void read_comment(FILE* file, char* credit, size_t capacity) {
  const int keep = credit[0] == '\0';
  size_t length = 0;
  int c = fgetc(file);
  while (c == ' ') c = fgetc(file);
  for (; c != '\n' && c != EOF; c = fgetc(file))
    if (keep && c >= ' ' && length + 1 < capacity) credit[length++] = (char)c;
  if (keep) credit[length] = '\0';
}

/* The next number of the header and the one character behind it; -1 if there is none up to `most`. */
static int64_t read_number(FILE* file, int64_t most, struct picture* picture) {
  int64_t value = -1;
  int c = fgetc(file);
  for (; c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#'; c = fgetc(file))
    if (c == '#') read_comment(file, picture->credit, sizeof picture->credit);
  for (; c >= '0' && c <= '9' && value <= most; c = fgetc(file)) value = (value < 0 ? 0 : 10 * value) + (c - '0');
  return value <= most && (c == ' ' || c == '\t' || c == '\r' || c == '\n') ? value : -1;
}

static int fill(const char* path, FILE* file, struct picture* picture) {
  char magic[2];
  int64_t top;
  size_t bytes;
  if (fread(magic, 1, 2, file) != 2 || memcmp(magic, "P6", 2) != 0) {
    fprintf(stderr, "%s is no PPM picture (P6): convert it, for example with ImageMagick's `convert`\n", path);
    return -1;
  }
  picture->width = read_number(file, MOST_PIXELS, picture);
  picture->height = read_number(file, MOST_PIXELS, picture);
  top = read_number(file, 65535, picture);
  if (picture->width < 1 || picture->height < 1 || top != 255) {
    fprintf(stderr, "%s has a header without width and height up to %d and the maximum 255\n", path, MOST_PIXELS);
    return -1;
  }
  bytes = (size_t)(3 * picture->width * picture->height);
  picture->rgb = malloc(bytes);
  if (picture->rgb == NULL) {
    fprintf(stderr, "out of memory for %s\n", path);
    return -1;
  }
  if (fread(picture->rgb, 1, bytes, file) != bytes) {
    fprintf(stderr, "%s ends before its %lld x %lld pixels\n", path, (long long)picture->width,
            (long long)picture->height);
    return -1;
  }
  return 0;
}

int picture_read(const char* path, struct picture* picture) {
  FILE* file = fopen(path, "rb");
  int failed;
  memset(picture, 0, sizeof *picture);
  if (file == NULL) {
    fprintf(stderr, "cannot open %s: %s\n", path, strerror(errno));
    return -1;
  }
  failed = fill(path, file, picture);
  fclose(file);
  if (failed) picture_free(picture);
  return failed;
}

void picture_free(struct picture* picture) {
  free(picture->rgb);
  memset(picture, 0, sizeof *picture);
}

/* How much of the unit from i to i + 1 lies between begin and end, which meet it. */
static double covered(int64_t i, double begin, double end) {
  return fmin((double)(i + 1), end) - fmax((double)i, begin);
}

void picture_crop(const struct picture* picture, int64_t size, unsigned char* rgb) {
  const int64_t shorter = picture->width < picture->height ? picture->width : picture->height;
  const int64_t side = shorter * 7 / 8 > 0 ? shorter * 7 / 8 : 1;
  const int64_t left = (picture->width - side) / 2, top = (picture->height - side) / 2;
  const double step = (double)side / (double)size;
  int64_t x, y, u, v;
  int c;
  for (y = 0; y < size; ++y) {
    const double y0 = (double)(y * side) / (double)size, y1 = (double)((y + 1) * side) / (double)size;
    for (x = 0; x < size; ++x) {
      const double x0 = (double)(x * side) / (double)size, x1 = (double)((x + 1) * side) / (double)size;
      double sum[3] = {0, 0, 0};
      for (v = (int64_t)y0; (double)v < y1; ++v) {
        for (u = (int64_t)x0; (double)u < x1; ++u) {
          const double share = covered(v, y0, y1) * covered(u, x0, x1);
          const unsigned char* pixel = picture->rgb + 3 * ((top + v) * picture->width + left + u);
          for (c = 0; c < 3; ++c) sum[c] += share * pixel[c];
        }
      }
      for (c = 0; c < 3; ++c) rgb[3 * (y * size + x) + c] = (unsigned char)(sum[c] / (step * step) + 0.5);
    }
  }
}
