/* The picture of the digits example: loss and accuracy curves of both trainings, and test images with what the network
 * takes them for.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_DIGITS_SVG_H
#define EXAMPLES_DIGITS_SVG_H

#include "digits_data.h"

/* What one training left behind; arrays have one entry per epoch. */
struct training {
  const char* name; /* "eager", "replayed" */
  int epochs;
  double* loss;     /* mean of the epoch's training losses */
  double* accuracy; /* share of the test images that is right after the epoch */
  double step_us;   /* time per step, without the first epoch */
};

/* Writes the picture to `path`. predictions has digits->n_test entries; `subtitle` is a line under the title. Returns
 * 0, or -1 if the file could not be written (errno says why). */
int svg_write(const char* path, const struct training* eager, const struct training* replayed,
              const struct digits* digits, const int64_t* predictions, const char* subtitle);

#endif /* EXAMPLES_DIGITS_SVG_H */
