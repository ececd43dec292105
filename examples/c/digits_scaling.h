/* The picture of the parallel digits example: images per second by the number of ranks, against what would be ideal.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DIGITS_SCALING_H
#define EXAMPLES_DIGITS_SCALING_H

/* What one training left behind. */
struct run {
  int ranks;
  double step_us; /* time per step, without the first epoch */
  double images_per_s;
  double accuracy; /* share of the test images that is right at the end */
};

/* Writes the picture of n runs, with one rank first, to `path`. 0, or -1 if the file could not be written (errno says
 * why). */
int scaling_write(const char* path, const struct run* runs, int n);

#endif /* EXAMPLES_DIGITS_SCALING_H */
