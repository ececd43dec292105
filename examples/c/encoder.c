/* See encoder.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "encoder.h"

#include "check.h"
#include "packed_attention.h"

static const double kEpsilon = 1e-5; /* of normalisation */

static rondo_tensor_info facts_of(rondo_tensor* tensor) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  CHECK(rondo_tensor_query(tensor, &info));
  return info;
}

static rondo_tensor* replace(rondo_tensor* old, rondo_tensor* by) {
  rondo_tensor_destroy(old);
  return by;
}

rondo_tensor* encoder_dense(struct model* model, rondo_tensor* x, int64_t width) {
  const rondo_tensor_info info = facts_of(x);
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *weight, *out = NULL;
  int64_t shape[2];
  shape[0] = width;
  shape[1] = info.shape[info.ndim - 1];
  weight = model_parameter(model, 2, shape, 1 / (double)shape[1]);
  options.transpose_b = 1;
  options.bias = model_parameter(model, 1, &width, 0);
  CHECK(rondo_matmul(x, weight, &options, &out));
  return out;
}

rondo_tensor* encoder_norm(struct model* model, rondo_tensor* x) {
  const rondo_tensor_info info = facts_of(x);
  const int64_t* width = &info.shape[info.ndim - 1];
  rondo_tensor *weight = model_constant(model, *width, 1), *bias = model_constant(model, *width, 0), *out = NULL;
  CHECK(rondo_layer_norm(x, -1, weight, bias, kEpsilon, &out));
  return out;
}

/* Normalises x + what is left of y. Takes both. */
static rondo_tensor* add_and_norm(const struct encoder* encoder, struct model* model, rondo_tensor* x,
                                  rondo_tensor* y) {
  rondo_tensor *kept = NULL, *mask = NULL, *sum = NULL;
  if (encoder->dropout > 0) {
    CHECK(rondo_dropout(y, encoder->dropout, &kept, &mask));
    y = replace(y, kept);
  }
  CHECK(rondo_binary(RONDO_ADD, x, y, &sum));
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(mask);
  return replace(sum, encoder_norm(model, sum));
}

/* Each place gathers from all of its sequence. */
static rondo_tensor* attention(const struct encoder* encoder, struct model* model, rondo_tensor* x) {
  rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  rondo_tensor *packed = encoder_dense(model, x, 3 * encoder->width), *seen;
  options.dropout = encoder->dropout;
  seen = packed_attention(packed, encoder->heads, &options);
  rondo_tensor_destroy(packed);
  return replace(seen, encoder_dense(model, seen, encoder->width));
}

/* Takes x. */
static rondo_tensor* through(const struct encoder* encoder, struct model* model, rondo_tensor* x) {
  rondo_tensor *y = attention(encoder, model, x), *seen = add_and_norm(encoder, model, x, y), *active = NULL;
  y = encoder_dense(model, seen, encoder->inner);
  CHECK(rondo_unary(RONDO_GELU, y, &active));
  rondo_tensor_destroy(y);
  y = encoder_dense(model, active, encoder->width);
  rondo_tensor_destroy(active);
  return add_and_norm(encoder, model, seen, y);
}

rondo_tensor* encoder_forward(const struct encoder* encoder, struct model* model, rondo_tensor* x) {
  const rondo_tensor_info info = facts_of(x);
  rondo_tensor* out = NULL;
  int i;
  CHECK(rondo_tensor_reshape(x, info.ndim, info.shape, &out)); /* which layers take over */
  for (i = 0; i < encoder->layers; ++i) out = through(encoder, model, out);
  return out;
}
