/* The data of the digits example: 8x8 images of handwritten digits, split once and for all into a part to train on and
 * a part to test on. examples/data/README.md says where they come from and how the file is laid out.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DIGITS_DATA_H
#define EXAMPLES_DIGITS_DATA_H

#include <stdint.h>

enum { DIGITS_PIXELS = 64, DIGITS_CLASSES = 10 };

struct digits {
  int64_t n_train, n_test;
  float *train_images, *test_images;   /* [n][64], 0 (paper) to 1 (ink) */
  int32_t *train_labels, *test_labels; /* [n], 0 to 9 */
};

/* Finds the file: `path` if not NULL, else digits.bin in the folder $RONDO_EXAMPLE_DATA if that is set, else in the
 * source tree this program was built from. Reads it and splits it 80 / 20 by a fixed permutation. Returns 0, or -1
 * after a line on stderr. */
int digits_load(const char* path, struct digits* digits);
void digits_free(struct digits* digits);

/* A random order of 0 .. n-1: order[i] of n entries, from *state, which moves on. */
void digits_shuffle(uint64_t* state, int32_t* order, int64_t n);

#endif /* EXAMPLES_DIGITS_DATA_H */
