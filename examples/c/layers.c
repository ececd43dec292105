/* See layers.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include <math.h>
#include <string.h>

#include "check.h"

#define EPSILON 1e-5
#define MOMENTUM 0.1  /* the share of a batch in running statistics */
#define RELU_GAIN 2.0 /* a ReLU halves the squares of what it is given */
/* What no ReLU follows begins small: its sums stay below 1, and the first steps are gentle. */
#define LINEAR_GAIN 0.33

void model_create(struct model* model, rondo_engine* engine, rondo_device device) {
  memset(model, 0, sizeof *model);
  model->engine = engine;
  model->device = device;
  model->dtype = RONDO_F32;
  model->autocast = RONDO_F32;
}

void model_destroy(struct model* model) {
  int i;
  for (i = 0; i < model->count; ++i) {
    const struct model_parameter* p = &model->parameters[i];
    if (p->master != p->value) rondo_tensor_destroy(p->master);
    rondo_tensor_destroy(p->value);
    rondo_tensor_destroy(p->velocity);
  }
  for (i = 0; i < model->norm_count; ++i) {
    const struct model_norm* norm = &model->norms[i];
    rondo_tensor_destroy(norm->mean);
    rondo_tensor_destroy(norm->variance);
    rondo_tensor_destroy(norm->folded_filter);
    rondo_tensor_destroy(norm->folded_bias);
  }
  memset(model, 0, sizeof *model);
}

void model_begin(struct model* model) {
  model->next = model->next_norm = 0;
}

static rondo_tensor_info facts_of(rondo_tensor* tensor) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  CHECK(rondo_tensor_query(tensor, &info));
  return info;
}

static int64_t size_of(rondo_tensor* tensor, int axis) {
  return facts_of(tensor).shape[axis];
}

rondo_tensor* model_tensor(const struct model* model, rondo_dtype dtype, int32_t ndim, const int64_t* shape) {
  static const int32_t axes[] = {0, 3, 1, 2}; /* of [n, h, w, c] as [n, c, h, w] */
  rondo_tensor *made = NULL, *view = NULL;
  int64_t memory[4];
  if (ndim != 4 || !model->channels_last) {
    CHECK(rondo_tensor_create(model->engine, model->device, dtype, ndim, shape, &made));
    return made;
  }
  memory[0] = shape[0];
  memory[1] = shape[2];
  memory[2] = shape[3];
  memory[3] = shape[1];
  CHECK(rondo_tensor_create(model->engine, model->device, dtype, 4, memory, &made));
  CHECK(rondo_tensor_transpose(made, axes, &view)); /* which keeps the memory */
  rondo_tensor_destroy(made);
  return view;
}

static struct model_parameter* add_parameter(struct model* model) {
  if (model->count == MODEL_MOST) {
    fprintf(stderr, "layers: more than %d parameters\n", MODEL_MOST);
    exit(1);
  }
  return &model->parameters[model->count++];
}

/* The next parameter, uniform in [low, high). */
static rondo_tensor* find_parameter(struct model* model, rondo_dtype dtype, int32_t ndim, const int64_t* shape,
                                    double low, double high) {
  struct model_parameter* p;
  if (model->next < model->count) return model->parameters[model->next++].value;
  p = add_parameter(model);
  ++model->next;
  p->master = p->value = model_tensor(model, RONDO_F32, ndim, shape);
  CHECK(rondo_random_uniform(model->engine, model->device, RONDO_F32, ndim, shape, low, high, &p->master));
  if (dtype == RONDO_F32) return p->value;
  p->value = model_tensor(model, dtype, ndim, shape);
  CHECK(rondo_cast(p->master, dtype, &p->value));
  return p->value;
}

rondo_tensor* model_parameter(struct model* model, int32_t ndim, const int64_t* shape, double variance) {
  const double limit = sqrt(3 * variance);
  return find_parameter(model, model->dtype, ndim, shape, -limit, limit);
}

rondo_tensor* model_constant(struct model* model, int64_t size, double value) {
  return find_parameter(model, model->dtype, 1, &size, value, value);
}

void model_adopt(struct model* model, rondo_tensor* value) {
  struct model_parameter* p = add_parameter(model);
  p->value = value;
  p->master = model->dtype == RONDO_F32 ? value : NULL;
}

int64_t model_size(const struct model* model) {
  int64_t size = 0;
  int i;
  for (i = 0; i < model->count; ++i) size += facts_of(model->parameters[i].value).elements;
  return size;
}

rondo_tensor* model_image(const struct model* model, const int64_t* shape, const float* values) {
  static const int32_t axes[] = {0, 3, 1, 2};
  const int64_t memory[] = {shape[0], shape[2], shape[3], shape[1]};
  rondo_tensor *given = NULL, *view = NULL, *image = model_tensor(model, model->dtype, 4, shape);
  CHECK(rondo_tensor_from_host(model->engine, model->device, RONDO_F32, 4, memory, values, &given));
  CHECK(rondo_tensor_transpose(given, axes, &view));
  CHECK(rondo_cast(view, model->dtype, &image));
  rondo_tensor_destroy(view);
  rondo_tensor_destroy(given);
  return image;
}

/* --- layers --- */

static rondo_tensor* filter_for(struct model* model, rondo_tensor* x, int64_t channels, int64_t size, double gain) {
  int64_t shape[4];
  shape[0] = channels;
  shape[1] = size_of(x, 1);
  shape[2] = shape[3] = size;
  return model_parameter(model, 4, shape, gain / (double)(shape[1] * size * size));
}

static rondo_tensor* convolve(rondo_tensor* x, rondo_tensor* filter, rondo_tensor* bias, int64_t stride,
                              rondo_tensor* residual, rondo_activation activation) {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  rondo_tensor* out = NULL;
  options.bias = bias;
  options.residual = residual;
  options.activation = activation;
  options.stride[0] = options.stride[1] = stride;
  options.padding[0] = options.padding[1] = size_of(filter, 2) / 2;
  CHECK(rondo_convolution(x, filter, &options, &out));
  return out;
}

rondo_tensor* layer_convolution(struct model* model, rondo_tensor* x, int64_t channels, int64_t size, int64_t stride,
                                rondo_tensor* residual, rondo_activation activation) {
  const double gain = activation == RONDO_ACTIVATION_NONE ? LINEAR_GAIN : RELU_GAIN;
  rondo_tensor* filter = filter_for(model, x, channels, size, gain);
  return convolve(x, filter, model_parameter(model, 1, &channels, 0), stride, residual, activation);
}

/* The next normalisation, with running statistics of mean 0 and variance 1, and a weight that begins as given. */
static struct model_norm* find_norm(struct model* model, int64_t channels, double weight) {
  struct model_norm* norm = &model->norms[model->next_norm++];
  norm->filter = model->next - 1;
  norm->weight = model->next;
  norm->bias = model->next + 1;
  find_parameter(model, RONDO_F32, 1, &channels, weight, weight);
  find_parameter(model, RONDO_F32, 1, &channels, 0, 0);
  if (model->next_norm <= model->norm_count) return norm;
  ++model->norm_count;
  CHECK(rondo_tensor_create(model->engine, model->device, RONDO_F32, 1, &channels, &norm->mean));
  CHECK(rondo_fill(norm->mean, 0));
  CHECK(rondo_tensor_create(model->engine, model->device, RONDO_F32, 1, &channels, &norm->variance));
  CHECK(rondo_fill(norm->variance, 1));
  return norm;
}

rondo_tensor* layer_convolution_norm(struct model* model, rondo_tensor* x, int64_t channels, int64_t size,
                                     int64_t stride, rondo_tensor* residual, rondo_activation activation) {
  rondo_tensor* filter = filter_for(model, x, channels, size, RELU_GAIN);
  const struct model_norm* norm = find_norm(model, channels, residual == NULL ? 1 : 0);
  rondo_norm_options options = RONDO_NORM_OPTIONS_INIT;
  rondo_tensor *sums, *out = NULL;
  if (model->pass == MODEL_FOLDED)
    return convolve(x, norm->folded_filter, norm->folded_bias, stride, residual, activation);
  sums = convolve(x, filter, NULL, stride, NULL, RONDO_ACTIVATION_NONE);
  options.weight = model->parameters[norm->weight].value;
  options.bias = model->parameters[norm->bias].value;
  options.residual = residual;
  options.epsilon = EPSILON;
  options.activation = activation;
  if (model->pass == MODEL_TRAINS)
    CHECK(rondo_batch_norm_training(sums, norm->mean, norm->variance, MOMENTUM, &options, &out, NULL, NULL));
  else
    CHECK(rondo_batch_norm(sums, norm->mean, norm->variance, &options, &out));
  rondo_tensor_destroy(sums);
  return out;
}

/* One normalisation: the filter times weight / sqrt(variance + epsilon), and the bias less the mean times that. */
static void fold(struct model* model, struct model_norm* norm) {
  const struct model_parameter* p = &model->parameters[norm->filter];
  rondo_tensor* filter = p->master ? p->master : p->value;
  const rondo_tensor_info info = facts_of(filter);
  const int64_t per_kernel[] = {info.shape[0], 1, 1, 1};
  rondo_tensor *scale = NULL, *scales = NULL, *scaled = NULL, *shift = NULL;
  CHECK(rondo_binary_scalar(RONDO_ADD, norm->variance, EPSILON, &scale));
  CHECK(rondo_unary(RONDO_RSQRT, scale, &scale));
  CHECK(rondo_binary(RONDO_MUL, scale, model->parameters[norm->weight].value, &scale));
  CHECK(rondo_tensor_reshape(scale, 4, per_kernel, &scales));
  CHECK(rondo_binary(RONDO_MUL, filter, scales, &scaled));
  CHECK(rondo_binary(RONDO_MUL, norm->mean, scale, &shift));
  CHECK(rondo_binary(RONDO_SUB, model->parameters[norm->bias].value, shift, &shift));
  if (norm->folded_filter == NULL) norm->folded_filter = model_tensor(model, model->dtype, 4, info.shape);
  CHECK(rondo_cast(scaled, model->dtype, &norm->folded_filter));
  CHECK(rondo_cast(shift, model->dtype, &norm->folded_bias));
  rondo_tensor_destroy(shift);
  rondo_tensor_destroy(scaled);
  rondo_tensor_destroy(scales);
  rondo_tensor_destroy(scale);
}

void model_fold(struct model* model) {
  int i;
  for (i = 0; i < model->norm_count; ++i) fold(model, &model->norms[i]);
}

rondo_tensor* layer_max_pool(rondo_tensor* x, int64_t size, int64_t stride) {
  const int64_t kernel[2] = {size, size};
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  rondo_tensor* out = NULL;
  options.stride[0] = options.stride[1] = stride;
  options.padding[0] = options.padding[1] = size / 2;
  CHECK(rondo_max_pool(x, 2, kernel, &options, &out));
  return out;
}

rondo_tensor* layer_dense(struct model* model, rondo_tensor* x, int64_t width) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *weight, *out = NULL;
  int64_t shape[2];
  shape[0] = size_of(x, 1);
  shape[1] = width;
  weight = model_parameter(model, 2, shape, RELU_GAIN / (double)shape[0]);
  options.bias = model_parameter(model, 1, &width, 0);
  CHECK(rondo_matmul(x, weight, &options, &out));
  return out;
}

rondo_tensor* layer_mean(rondo_tensor* x) {
  const int32_t space[] = {2, 3};
  rondo_tensor* out = NULL;
  CHECK(rondo_reduce(RONDO_MEAN, x, 2, space, 0, &out));
  return out;
}
