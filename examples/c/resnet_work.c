/* See resnet_work.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "resnet_work.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "digits_data.h"

enum { SIDE = 8 }; /* of a digit */

/* The value of a digit at a place of a larger image, between its four neighbours. */
static float enlarged(const float* digit, int64_t y, int64_t x, int64_t size) {
  const float step = (float)(SIDE - 1) / (float)(size - 1);
  const float fy = (float)y * step, fx = (float)x * step;
  const int y0 = fy < SIDE - 2 ? (int)fy : SIDE - 2, x0 = fx < SIDE - 2 ? (int)fx : SIDE - 2;
  const float* corner = digit + y0 * SIDE + x0;
  const float down = fy - (float)y0, right = fx - (float)x0;
  const float upper = corner[0] + right * (corner[1] - corner[0]);
  const float lower = corner[SIDE] + right * (corner[SIDE + 1] - corner[SIDE]);
  return upper + down * (lower - upper);
}

int resnet_work_create(struct resnet_work* work, const struct resnet_options* options, const struct model* model) {
  const int64_t size = options->size, n = options->batch, each = size * size * RESNET_CHANNELS;
  int64_t shape[4], i, y, x, c;
  struct digits digits;
  float* values;
  memset(work, 0, sizeof *work);
  work->options = options;
  if (digits_load(NULL, &digits) != 0) return -1;
  values = calloc((size_t)(n * each), sizeof *values); /* the fourth channel stays 0 */
  if (values == NULL) {
    fprintf(stderr, "resnet50: out of memory\n");
    digits_free(&digits);
    return -1;
  }
  for (i = 0; i < n; ++i)
    for (y = 0; y < size; ++y)
      for (x = 0; x < size; ++x)
        for (c = 0; c < RESNET_CHANNELS - 1; ++c)
          values[i * each + (y * size + x) * RESNET_CHANNELS + c] =
              2 * enlarged(digits.train_images + i * DIGITS_PIXELS, y, x, size) - 1;
  shape[0] = n;
  shape[1] = RESNET_CHANNELS;
  shape[2] = shape[3] = size;
  work->images = model_image(model, shape, values);
  CHECK(rondo_tensor_from_host(model->engine, model->device, RONDO_I32, 1, &n, digits.train_labels, &work->labels));
  free(values);
  digits_free(&digits);
  return 0;
}

void resnet_work_destroy(struct resnet_work* work) {
  rondo_tensor_destroy(work->images);
  rondo_tensor_destroy(work->labels);
}

int resnet_outputs(const struct resnet_work* work, struct model* model, rondo_tensor** outputs) {
  model_begin(model);
  if (!work->options->pyramid) {
    outputs[0] = resnet_scores(&work->options->net, model, work->images);
    return 1;
  }
  resnet_pyramid(&work->options->net, model, work->images, outputs);
  return RESNET_LEVELS;
}

/* The mean loss of one output, in f32. Takes it. */
static rondo_tensor* loss_of(const struct resnet_work* work, rondo_tensor* output) {
  rondo_tensor *wide = NULL, *losses = NULL, *mean = NULL;
  CHECK(rondo_cast(output, RONDO_F32, &wide));
  if (work->options->pyramid)
    CHECK(rondo_unary(RONDO_SQUARE, wide, &losses));
  else
    CHECK(rondo_cross_entropy(wide, work->labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &mean));
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(wide);
  rondo_tensor_destroy(output);
  return mean;
}

rondo_tensor* resnet_loss(void* arg, struct model* model) {
  const struct resnet_work* work = arg;
  rondo_tensor *outputs[RESNET_LEVELS], *losses[RESNET_LEVELS], *loss = NULL;
  const int count = resnet_outputs(work, model, outputs);
  int i;
  for (i = 0; i < count; ++i) losses[i] = loss_of(work, outputs[i]);
  CHECK(rondo_add_n(count, losses, &loss));
  for (i = 0; i < count; ++i) rondo_tensor_destroy(losses[i]);
  return loss;
}
