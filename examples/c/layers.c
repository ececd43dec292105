/* See layers.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include <math.h>
#include <string.h>

#include "check.h"

void model_create(struct model* model, rondo_engine* engine, rondo_device device) {
  memset(model, 0, sizeof *model);
  model->engine = engine;
  model->device = device;
}

void model_destroy(struct model* model) {
  int i;
  for (i = 0; i < model->count; ++i) {
    rondo_tensor_destroy(model->add_to[i]);
    rondo_tensor_destroy(model->parameters[i]);
  }
}

void model_begin(struct model* model) {
  model->next = 0;
}

/* The next parameter. Weights begin uniform with the deviation that keeps activations in scale, biases (fan_in 0) at 0.
 */
static rondo_tensor* parameter(struct model* model, int32_t ndim, const int64_t* shape, int64_t fan_in) {
  const double limit = fan_in > 0 ? sqrt(6.0 / (double)fan_in) : 0.0;
  const int i = model->next++;
  if (i < model->count) return model->parameters[i];
  if (i == MODEL_MOST) {
    fprintf(stderr, "layers: more than %d parameters\n", MODEL_MOST);
    exit(1);
  }
  CHECK(
      rondo_random_uniform(model->engine, model->device, RONDO_F32, ndim, shape, -limit, limit, &model->parameters[i]));
  CHECK(rondo_tensor_accumulator(model->parameters[i], &model->add_to[i]));
  ++model->count;
  return model->parameters[i];
}

static int64_t size_of(rondo_tensor* tensor, int axis) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  CHECK(rondo_tensor_query(tensor, &info));
  return info.shape[axis];
}

rondo_tensor* layer_convolution(struct model* model, rondo_tensor* x, int64_t channels, int64_t size, int64_t stride,
                                rondo_tensor* residual, rondo_activation activation) {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  rondo_tensor *weight, *out = NULL;
  int64_t shape[4];
  shape[0] = channels;
  shape[1] = size_of(x, 1);
  shape[2] = shape[3] = size;
  weight = parameter(model, 4, shape, shape[1] * size * size);
  options.bias = parameter(model, 1, &channels, 0);
  options.residual = residual;
  options.activation = activation;
  options.stride[0] = options.stride[1] = stride;
  options.padding[0] = options.padding[1] = size / 2;
  CHECK(rondo_convolution(x, weight, &options, &out));
  return out;
}

rondo_tensor* layer_dense(struct model* model, rondo_tensor* x, int64_t width) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *weight, *out = NULL;
  int64_t shape[2];
  shape[0] = size_of(x, 1);
  shape[1] = width;
  weight = parameter(model, 2, shape, shape[0]);
  options.bias = parameter(model, 1, &width, 0);
  CHECK(rondo_matmul(x, weight, &options, &out));
  return out;
}

rondo_tensor* layer_mean(rondo_tensor* x) {
  const int32_t space[] = {2, 3};
  rondo_tensor* out = NULL;
  CHECK(rondo_reduce(RONDO_MEAN, x, 2, space, 0, &out));
  return out;
}

void model_step(struct model* model, model_forward forward, void* arg, double rate, rondo_tensor* loss) {
  rondo_tensor *made, *gradients[MODEL_MOST] = {NULL};
  rondo_tape* tape = NULL;
  int i;
  if (model->count == 0) { /* the first pass makes the parameters */
    model_begin(model);
    rondo_tensor_destroy(forward(arg, model));
  }
  CHECK(rondo_tape_begin(model->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < model->count; ++i) CHECK(rondo_tape_watch(tape, model->parameters[i]));
  model_begin(model);
  made = forward(arg, model);
  CHECK(rondo_tape_gradients(tape, 1, &made, NULL, model->count, model->parameters, gradients));
  rondo_tape_destroy(tape);
  for (i = 0; i < model->count; ++i) {
    CHECK(rondo_binary_scalar(RONDO_MUL, gradients[i], -rate, &model->add_to[i]));
    rondo_tensor_destroy(gradients[i]);
  }
  CHECK(rondo_copy(made, &loss));
  rondo_tensor_destroy(made);
}
