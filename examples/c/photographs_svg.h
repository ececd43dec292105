/* The picture of the photographs example: what the network saw, and bars of what it thinks that it is.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_PHOTOGRAPHS_SVG_H
#define EXAMPLES_PHOTOGRAPHS_SVG_H

#include <stdint.h>

enum { SHOWN_CLASSES = 5 };

struct shown {
  const char *name, *credit;          /* under the photograph */
  const unsigned char* rgb;           /* [size][size][3] */
  const char* classes[SHOWN_CLASSES]; /* the likeliest first */
  double shares[SHOWN_CLASSES];       /* their probabilities, from 0 to 1 */
};

/* Writes the picture of n photographs to `path`; `subtitle` is a line under the title. Returns 0, or -1 if that failed
 * (errno says why). */
int photographs_svg_write(const char* path, int64_t n, const struct shown* photographs, int64_t size,
                          const char* subtitle);

#endif /* EXAMPLES_PHOTOGRAPHS_SVG_H */
