/* See resnet.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "resnet.h"

#include "check.h"

enum { EXPANSION = 4 }; /* of a block's channels at its end */

/* next(x), and x is not needed any more. */
static rondo_tensor* instead(rondo_tensor* x, rondo_tensor* next) {
  rondo_tensor_destroy(x);
  return next;
}

/* Three convolutions and a way around them, which adds itself in the last one. */
static rondo_tensor* block(struct model* model, rondo_tensor* x, int64_t width, int64_t stride, int changes) {
  rondo_tensor *shortcut = x, *y, *out;
  if (changes) shortcut = layer_convolution_norm(model, x, width * EXPANSION, 1, stride, NULL, RONDO_ACTIVATION_NONE);
  y = layer_convolution_norm(model, x, width, 1, 1, NULL, RONDO_ACTIVATION_RELU);
  y = instead(y, layer_convolution_norm(model, y, width, 3, stride, NULL, RONDO_ACTIVATION_RELU));
  out = layer_convolution_norm(model, y, width * EXPANSION, 1, 1, shortcut, RONDO_ACTIVATION_RELU);
  rondo_tensor_destroy(y);
  if (changes) rondo_tensor_destroy(shortcut);
  return out;
}

/* What each stage ends with; the caller owns the results. */
static void trunk(const struct resnet* net, struct model* model, rondo_tensor* images, rondo_tensor** ends) {
  rondo_tensor* x = layer_convolution_norm(model, images, net->width, 7, 2, NULL, RONDO_ACTIVATION_RELU);
  int stage, i;
  x = instead(x, layer_max_pool(x, 3, 2));
  for (stage = 0; stage < RESNET_STAGES; ++stage) {
    for (i = 0; i < net->blocks[stage]; ++i) {
      rondo_tensor* y = block(model, x, net->width << stage, i == 0 && stage > 0 ? 2 : 1, i == 0);
      if (i > 0 || stage == 0) rondo_tensor_destroy(x);
      x = y;
    }
    ends[stage] = x;
  }
}

rondo_tensor* resnet_scores(const struct resnet* net, struct model* model, rondo_tensor* images) {
  rondo_tensor *ends[RESNET_STAGES], *mean, *scores;
  int stage;
  trunk(net, model, images, ends);
  mean = layer_mean(ends[RESNET_STAGES - 1]);
  for (stage = 0; stage < RESNET_STAGES; ++stage) rondo_tensor_destroy(ends[stage]);
  scores = layer_dense(model, mean, net->classes);
  rondo_tensor_destroy(mean);
  return scores;
}

/* x with twice as many places on each axis, or as many as `like` has. */
static rondo_tensor* enlarged(rondo_tensor* x, rondo_tensor* like) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor* out = NULL;
  CHECK(rondo_tensor_query(like, &info));
  CHECK(rondo_resize(x, 2, &info.shape[2], RONDO_RESIZE_NEAREST, RONDO_RESIZE_ASYMMETRIC, &out));
  return out;
}

void resnet_pyramid(const struct resnet* net, struct model* model, rondo_tensor* images, rondo_tensor** levels) {
  const int64_t channels = EXPANSION * net->width;
  rondo_tensor *ends[RESNET_STAGES], *above = NULL;
  int stage;
  trunk(net, model, images, ends);
  /* From the coarsest down: each level adds what the one above knows, in the convolution that brings it there. */
  for (stage = RESNET_STAGES - 1; stage >= 0; --stage) {
    rondo_tensor* larger = above ? enlarged(above, ends[stage]) : NULL;
    rondo_tensor* sum = layer_convolution(model, ends[stage], channels, 1, 1, larger, RONDO_ACTIVATION_NONE);
    levels[stage] = layer_convolution(model, sum, channels, 3, 1, NULL, RONDO_ACTIVATION_NONE);
    rondo_tensor_destroy(larger);
    rondo_tensor_destroy(ends[stage]);
    rondo_tensor_destroy(above);
    above = sum;
  }
  rondo_tensor_destroy(above);
  levels[RESNET_LEVELS - 1] = layer_max_pool(levels[RESNET_STAGES - 1], 1, 2);
}
