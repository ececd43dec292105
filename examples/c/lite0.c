/* See lite0.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "lite0.h"

#include <string.h>

#include "check.h"

/* Blocks that follow each other: how many, the stride of the first, and whether they widen before the depthwise
 * convolution. Channels and sizes of kernels are those of the weights. */
struct stage {
  int blocks, stride, expand;
};
static const struct stage kStages[] = {{1, 1, 0}, {2, 2, 1}, {2, 2, 1}, {3, 2, 1}, {3, 1, 1}, {4, 2, 1}, {1, 1, 1}};

/* ------------------------------------------------------------------------------------------------------------ loading
 */

/* Loads `name`, which must have so many dimensions, none of them 0. */
static int load(rondo_model_file* file, const char* name, int32_t ndim, rondo_engine* engine, rondo_device device,
                rondo_tensor** out) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  int axis, good;
  if (rondo_model_file_load(file, name, engine, device, out) != RONDO_OK) {
    fprintf(stderr, "photographs: not a file of this network: %s\n", rondo_last_error());
    return -1;
  }
  CHECK(rondo_tensor_query(*out, &info));
  good = info.ndim == ndim && info.dtype == RONDO_F32;
  for (axis = 0; good && axis < ndim; ++axis) good = info.shape[axis] > 0;
  if (!good) fprintf(stderr, "photographs: not a file of this network: '%s' has another shape or dtype\n", name);
  return good ? 0 : -1;
}

static int load_layer(struct lite0* net, rondo_model_file* file, const char* name, int32_t ndim, rondo_engine* engine,
                      rondo_device device) {
  const int i = net->next++;
  char full[64];
  snprintf(full, sizeof full, "%s.weight", name);
  if (load(file, full, ndim, engine, device, &net->weights[i]) != 0) return -1;
  snprintf(full, sizeof full, "%s.bias", name);
  return load(file, full, 1, engine, device, &net->biases[i]);
}

static int load_layers(struct lite0* net, rondo_model_file* file, rondo_engine* engine, rondo_device device) {
  static const char* const parts[] = {"expand", "depthwise", "project"};
  char name[32];
  int block = 0, part, stage, i;
  if (load_layer(net, file, "stem", 4, engine, device) != 0) return -1;
  for (stage = 0; stage < (int)(sizeof kStages / sizeof *kStages); ++stage) {
    for (i = 0; i < kStages[stage].blocks; ++i, ++block) {
      for (part = kStages[stage].expand ? 0 : 1; part < 3; ++part) {
        snprintf(name, sizeof name, "blocks.%d.%s", block, parts[part]);
        if (load_layer(net, file, name, 4, engine, device) != 0) return -1;
      }
    }
  }
  if (load_layer(net, file, "head", 4, engine, device) != 0) return -1;
  return load_layer(net, file, "classes", 2, engine, device);
}

/* The metadata's names, a line each. */
static int load_names(struct lite0* net, rondo_model_file* file) {
  rondo_model_file_info info = RONDO_MODEL_FILE_INFO_INIT;
  const char *key, *text, *value = "";
  int64_t i, lines = 1;
  char* at;
  CHECK(rondo_model_file_query(file, &info));
  for (i = 0; i < info.metadata; ++i) {
    CHECK(rondo_model_file_metadata(file, i, &key, &text));
    if (strcmp(key, "classes") == 0) value = text;
  }
  for (text = value; *text != '\0'; ++text) lines += *text == '\n';
  if (*value == '\0' || lines != net->classes) {
    fprintf(stderr, "photographs: the file's metadata must have 'classes', a line for each of the %lld\n",
            (long long)net->classes);
    return -1;
  }
  net->text = malloc(strlen(value) + 1);
  net->names = malloc((size_t)lines * sizeof *net->names);
  if (net->text == NULL || net->names == NULL) {
    fprintf(stderr, "photographs: out of memory\n");
    return -1;
  }
  strcpy(net->text, value);
  for (at = net->text, i = 0; i < lines; ++i) {
    net->names[i] = at;
    at += strcspn(at, "\n");
    *at++ = '\0';
  }
  return 0;
}

static int64_t size_of(rondo_tensor* tensor, int axis) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  CHECK(rondo_tensor_query(tensor, &info));
  return info.shape[axis];
}

int lite0_load(struct lite0* net, rondo_engine* engine, rondo_device device, const char* path) {
  rondo_model_file* file = NULL;
  int failed;
  memset(net, 0, sizeof *net);
  if (rondo_model_file_open(path, &file) != RONDO_OK) {
    fprintf(stderr, "photographs: %s\n", rondo_last_error());
    return -1;
  }
  failed = load_layers(net, file, engine, device);
  if (failed == 0) {
    net->classes = size_of(net->weights[LITE0_LAYERS - 1], 0);
    failed = load_names(net, file);
  }
  rondo_model_file_destroy(file);
  return failed;
}

void lite0_destroy(struct lite0* net) {
  int i;
  for (i = 0; i < LITE0_LAYERS; ++i) {
    rondo_tensor_destroy(net->weights[i]);
    rondo_tensor_destroy(net->biases[i]);
  }
  free(net->names);
  free(net->text);
  memset(net, 0, sizeof *net);
}

/* ------------------------------------------------------------------------------------------------------------ network
 */

/* The next layer's convolution. Each side is padded so that the result has size / stride places, rounded up; where that
 * is an odd number of zeros, one more stands behind. */
static rondo_tensor* convolution(struct lite0* net, rondo_tensor* x, int64_t stride, rondo_tensor* residual,
                                 rondo_activation activation) {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  rondo_tensor *weight = net->weights[net->next], *out = NULL;
  int axis;
  options.bias = net->biases[net->next++];
  options.residual = residual;
  options.activation = activation;
  options.groups = size_of(x, 1) / size_of(weight, 1); /* depthwise: the weights have one channel */
  for (axis = 0; axis < 2; ++axis) {
    const int64_t size = size_of(x, 2 + axis), kernel = size_of(weight, 2 + axis);
    const int64_t zeros = (size + stride - 1) / stride * stride - stride + kernel - size;
    options.stride[axis] = stride;
    options.padding[axis] = zeros > 0 ? zeros / 2 : 0;
    options.padding_end[axis] = zeros > 0 ? zeros - zeros / 2 : 0;
  }
  CHECK(rondo_convolution(x, weight, &options, &out));
  return out;
}

/* Wider, each channel by itself, narrow again; what came in is added where it fits. */
static rondo_tensor* block(struct lite0* net, rondo_tensor* x, int stride, int expand) {
  rondo_tensor *wide = expand ? convolution(net, x, 1, NULL, RONDO_ACTIVATION_RELU6) : NULL, *inner, *out;
  int fits;
  inner = convolution(net, expand ? wide : x, stride, NULL, RONDO_ACTIVATION_RELU6);
  fits = stride == 1 && size_of(net->weights[net->next], 0) == size_of(x, 1);
  out = convolution(net, inner, 1, fits ? x : NULL, RONDO_ACTIVATION_NONE);
  rondo_tensor_destroy(wide);
  rondo_tensor_destroy(inner);
  return out;
}

/* f32 around 0, channels where convolutions want them. In memory they stay last, and so the whole network does. */
static rondo_tensor* prepare(rondo_tensor* pixels) {
  static const int32_t axes[] = {0, 3, 1, 2};
  rondo_tensor *x = NULL, *view = NULL;
  CHECK(rondo_cast(pixels, RONDO_F32, &x));
  CHECK(rondo_binary_scalar(RONDO_SUB, x, 127, &x));
  CHECK(rondo_binary_scalar(RONDO_MUL, x, 1.0 / 128, &x));
  CHECK(rondo_tensor_transpose(x, axes, &view));
  rondo_tensor_destroy(x);
  return view;
}

static rondo_tensor* replace(rondo_tensor* old, rondo_tensor* by) {
  rondo_tensor_destroy(old);
  return by;
}

rondo_tensor* lite0_forward(struct lite0* net, rondo_tensor* pixels) {
  static const int32_t space[] = {2, 3};
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *x = prepare(pixels), *mean = NULL, *scores = NULL;
  int stage, i;
  net->next = 0;
  x = replace(x, convolution(net, x, 2, NULL, RONDO_ACTIVATION_RELU6));
  for (stage = 0; stage < (int)(sizeof kStages / sizeof *kStages); ++stage)
    for (i = 0; i < kStages[stage].blocks; ++i)
      x = replace(x, block(net, x, i == 0 ? kStages[stage].stride : 1, kStages[stage].expand));
  x = replace(x, convolution(net, x, 1, NULL, RONDO_ACTIVATION_RELU6));
  CHECK(rondo_reduce(RONDO_MEAN, x, 2, space, 0, &mean));
  rondo_tensor_destroy(x);
  options.transpose_b = 1;
  options.bias = net->biases[net->next];
  CHECK(rondo_matmul(mean, net->weights[net->next], &options, &scores));
  rondo_tensor_destroy(mean);
  return scores;
}
