/* What resnet50 feeds its network with and asks it for: digits, enlarged, and a loss.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_RESNET_WORK_H
#define EXAMPLES_RESNET_WORK_H

#include "descent.h"
#include "resnet_options.h"

struct resnet_work {
  const struct resnet_options* options;
  rondo_tensor *images, *labels; /* [batch, RESNET_CHANNELS, size, size] in the model's order; i32 [batch] */
};

/* Returns 0, or -1 after a line on stderr. The options stay the caller's, and stay. */
int resnet_work_create(struct resnet_work* work, const struct resnet_options* options, const struct model* model);
void resnet_work_destroy(struct resnet_work* work);

/* A pass. Scores, or the levels of the pyramid: returns how many there are, at most RESNET_LEVELS; the caller owns
 * them.
 */
int resnet_outputs(const struct resnet_work* work, struct model* model, rondo_tensor** outputs);
/* The same as far as a loss, with a struct resnet_work: cross-entropy of scores, mean squares of a pyramid. */
rondo_tensor* resnet_loss(void* work, struct model* model);

#endif /* EXAMPLES_RESNET_WORK_H */
