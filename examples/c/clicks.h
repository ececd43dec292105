/* Made-up clicks for the recommender example: who is shown what, and whether a click follows. A hidden model decides by
 * chance, so that there is something to learn and an end to what can be learnt. The same seed makes the same clicks on
 * every machine.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_CLICKS_H
#define EXAMPLES_CLICKS_H

#include <stdint.h>

enum { CLICKS_DENSE = 13, CLICKS_TABLES = 8, CLICKS_BAG = 2 };

/* How many categories each table has. */
extern const int64_t clicks_rows[CLICKS_TABLES];

struct clicks {
  int64_t n;
  float* dense;     /* [n][CLICKS_DENSE]: numbers that are known of each */
  int32_t* indices; /* [n][CLICKS_TABLES][CLICKS_BAG]: categories, the first ones more often than the last */
  float* labels;    /* [n]: 1 where a click followed */
  double best;      /* mean loss of the hidden model itself: nobody can do better */
  double blind;     /* that of a model which knows the share of clicks and nothing else */
};

/* Ends the program without memory. free() takes it back. */
void clicks_create(struct clicks* clicks, int64_t n, uint64_t seed);
void clicks_free(struct clicks* clicks);

#endif /* EXAMPLES_CLICKS_H */
