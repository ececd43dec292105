/* ResNet-50 (He et al. 2015, with the stride in the 3 x 3 convolutions, which is called v1.5), as a classifier and as
 * the trunk of a feature pyramid (Lin et al. 2017). Both are functions of an image [n, channels, h, w]; layers.h keeps
 * the parameters.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_RESNET_H
#define EXAMPLES_RESNET_H

#include "layers.h"

enum {
  RESNET_STAGES = 4,
  RESNET_LEVELS = 5,  /* of the pyramid: four stages, and the last one halved */
  RESNET_CHANNELS = 4 /* of an image: the fourth is 0, because libraries are quicker with it */
};

struct resnet {
  int64_t width;             /* channels of the first stage's inner convolutions: 64 */
  int64_t classes;           /* 1000 */
  int blocks[RESNET_STAGES]; /* 3, 4, 6, 3 */
};
#define RESNET_50 \
  {               \
    64, 1000, {   \
      3, 4, 6, 3  \
    }             \
  }

/* Scores of the classes, [n, classes] of the model's dtype. The caller owns them. */
rondo_tensor* resnet_scores(const struct resnet* net, struct model* model, rondo_tensor* images);
/* The pyramid's levels, finest first, of 4 width channels each. The caller owns them. */
void resnet_pyramid(const struct resnet* net, struct model* model, rondo_tensor* images, rondo_tensor** levels);

#endif /* EXAMPLES_RESNET_H */
