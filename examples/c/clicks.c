/* See clicks.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "clicks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { HIDDEN = 3 }; /* numbers that the hidden model has of each category */

const int64_t clicks_rows[CLICKS_TABLES] = {2000, 1000, 500, 300, 100, 50, 20, 8};

/* From 0 to 1: the upper bits of a linear congruential generator. */
static double draw(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

/* About normal: a sum of twelve. */
static double draw_normal(uint64_t* state) {
  double sum = -6;
  int i;
  for (i = 0; i < 12; ++i) sum += draw(state);
  return sum;
}

static void* allocate(size_t count, size_t size) {
  void* const memory = malloc(count * size);
  if (memory == NULL) {
    fprintf(stderr, "dlrm: out of memory\n");
    exit(1);
  }
  return memory;
}

static double loss_of(double logit, double label) {
  return (logit > 0 ? logit : 0) - logit * label + log1p(exp(-fabs(logit)));
}

/* What the hidden model thinks of one: a line through the numbers, and how its categories go together. */
static double hidden_logit(const float* dense, const int32_t* indices, const double* slopes, double* const* hidden) {
  double of[CLICKS_TABLES][HIDDEN], logit = -0.7;
  int t, i, j, k;
  for (k = 0; k < CLICKS_DENSE; ++k) logit += slopes[k] * dense[k];
  for (t = 0; t < CLICKS_TABLES; ++t)
    for (k = 0; k < HIDDEN; ++k) {
      of[t][k] = 0;
      for (j = 0; j < CLICKS_BAG; ++j) of[t][k] += hidden[t][indices[t * CLICKS_BAG + j] * HIDDEN + k];
    }
  for (i = 0; i < CLICKS_TABLES; ++i)
    for (j = 0; j < i; ++j)
      for (k = 0; k < HIDDEN; ++k) logit += of[i][k] * of[j][k];
  return logit;
}

void clicks_create(struct clicks* clicks, int64_t n, uint64_t seed) {
  uint64_t model = 12345, state = seed;
  double slopes[CLICKS_DENSE], share = 0;
  double* hidden[CLICKS_TABLES];
  int64_t i, row;
  int t, k;
  for (k = 0; k < CLICKS_DENSE; ++k) slopes[k] = 0.4 * draw_normal(&model);
  for (t = 0; t < CLICKS_TABLES; ++t) {
    hidden[t] = allocate((size_t)(clicks_rows[t] * HIDDEN), sizeof **hidden);
    for (row = 0; row < clicks_rows[t] * HIDDEN; ++row) hidden[t][row] = 0.25 * draw_normal(&model);
  }
  clicks->n = n;
  clicks->dense = allocate((size_t)n * CLICKS_DENSE, sizeof *clicks->dense);
  clicks->indices = allocate((size_t)n * CLICKS_TABLES * CLICKS_BAG, sizeof *clicks->indices);
  clicks->labels = allocate((size_t)n, sizeof *clicks->labels);
  clicks->best = 0;
  for (i = 0; i < n; ++i) {
    float* const dense = clicks->dense + i * CLICKS_DENSE;
    int32_t* const indices = clicks->indices + i * CLICKS_TABLES * CLICKS_BAG;
    double logit;
    for (k = 0; k < CLICKS_DENSE; ++k) dense[k] = (float)draw_normal(&state);
    for (k = 0; k < CLICKS_TABLES * CLICKS_BAG; ++k) {
      const double chance = draw(&state);
      indices[k] = (int32_t)(chance * chance * chance * (double)clicks_rows[k / CLICKS_BAG]);
    }
    logit = hidden_logit(dense, indices, slopes, hidden);
    clicks->labels[i] = draw(&state) < 1 / (1 + exp(-logit)) ? 1.0f : 0.0f;
    clicks->best += loss_of(logit, clicks->labels[i]) / (double)n;
    share += clicks->labels[i] / (double)n;
  }
  clicks->blind = -share * log(share) - (1 - share) * log(1 - share);
  for (t = 0; t < CLICKS_TABLES; ++t) free(hidden[t]);
}

void clicks_free(struct clicks* clicks) {
  free(clicks->dense);
  free(clicks->indices);
  free(clicks->labels);
}
