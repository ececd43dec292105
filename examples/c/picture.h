/* Photographs for the examples: pictures of the plain format PPM (P6), which most tools write, and the square from the
 * middle that a network sees.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stdint.h>

struct picture {
  int64_t width, height;
  unsigned char* rgb; /* [height][width][3] */
  char credit[96];    /* the file's first comment: by whom it is */
};

/* Reads a file. Returns 0, or -1 after a line on stderr. */
int picture_read(const char* path, struct picture* picture);
void picture_free(struct picture* picture);

/* The square in the middle with 7/8 of the shorter side, as size x size pixels: each is the mean of what it covers.
 * rgb: [size][size][3]. */
void picture_crop(const struct picture* picture, int64_t size, unsigned char* rgb);

#endif /* EXAMPLES_PICTURE_H */
