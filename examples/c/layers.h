/* A few layers for the examples' networks. A model keeps parameters in the order in which layers ask for them: the
 * first pass through the network makes them, every later one finds them. So a network is a function of its input, and
 * nothing is declared twice. descent.h trains one.
 *
 * A model is used by one thread. Failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_LAYERS_H
#define EXAMPLES_LAYERS_H

#include <rondo/rondo.h>

enum { MODEL_MOST = 256 };

/* How layers treat batch normalisation. */
enum model_pass {
  MODEL_TRAINS,     /* statistics of the batch, which running ones follow */
  MODEL_NORMALISES, /* running statistics, an operator behind each convolution */
  MODEL_FOLDED      /* running statistics as part of filter and bias: what model_fold made of them */
};

struct model_parameter {
  rondo_tensor* value;    /* what layers use */
  rondo_tensor* master;   /* f32: what is trained. The same handle where value is f32 */
  rondo_tensor* velocity; /* of descent.h; NULL before */
};

/* A batch normalisation behind a convolution. weight, bias and filter are numbers of parameters. */
struct model_norm {
  int filter, weight, bias;
  rondo_tensor *mean, *variance;             /* running statistics */
  rondo_tensor *folded_filter, *folded_bias; /* of model_fold */
};

struct model {
  rondo_engine* engine;
  rondo_device device;
  rondo_dtype dtype;    /* of images and filters: f32, f16 or bf16. Set it after model_create if another is wanted */
  rondo_dtype autocast; /* what layers compute in, of f32 images and filters, while descent.h trains; f32: no other */
  int channels_last;    /* the order of images and filters in memory. Likewise */
  enum model_pass pass;
  int count, next;           /* parameters there are; the one that the next layer asks for */
  int norm_count, next_norm; /* and of normalisations */
  struct model_parameter parameters[MODEL_MOST];
  struct model_norm norms[MODEL_MOST / 2];
};

/* f32, channels first, to train. */
void model_create(struct model* model, rondo_engine* engine, rondo_device device);
void model_destroy(struct model* model);
/* Before each pass. */
void model_begin(struct model* model);
/* The next parameter, which is the model's: of the model's dtype, uniform around 0 with the variance. */
rondo_tensor* model_parameter(struct model* model, int32_t ndim, const int64_t* shape, double variance);
/* The same of one dimension, whose elements begin as `value`. */
rondo_tensor* model_constant(struct model* model, int64_t size, double value);
/* Gives the model its next parameter, before the first pass: a pretrained one, of the model's dtype. The model owns it
 * from then on. */
void model_adopt(struct model* model, rondo_tensor* value);
/* Makes filters and biases that contain the normalisation behind them, from running statistics, for passes with
 * MODEL_FOLDED; made again it writes them anew, so graphs that read them stay good. */
void model_fold(struct model* model);
/* How many numbers are trained. */
int64_t model_size(const struct model* model);

/* A tensor without contents, of four dimensions in the model's order. The caller owns it. */
rondo_tensor* model_tensor(const struct model* model, rondo_dtype dtype, int32_t ndim, const int64_t* shape);
/* An image [n, c, h, w] of the model's dtype and order from f32 values in the order n, h, w, c. */
rondo_tensor* model_image(const struct model* model, const int64_t* shape, const float* values);

/* activation(convolution of x with `channels` kernels of size x size + bias + residual), each side padded so that
 * stride 1 keeps the size. The residual may be NULL. The caller owns the result. */
rondo_tensor* layer_convolution(struct model* model, rondo_tensor* x, int64_t channels, int64_t size, int64_t stride,
                                rondo_tensor* residual, rondo_activation activation);
/* activation(batch norm of the convolution + residual), otherwise the same. With a residual the weight begins as 0, so
 * that a deep network begins as its shortcuts, and its first steps do not depend on how sums are rounded. */
rondo_tensor* layer_convolution_norm(struct model* model, rondo_tensor* x, int64_t channels, int64_t size,
                                     int64_t stride, rondo_tensor* residual, rondo_activation activation);
/* The largest of each size x size window, every `stride` places, padded as a convolution. */
rondo_tensor* layer_max_pool(rondo_tensor* x, int64_t size, int64_t stride);
/* x [n, features] times a matrix, plus a bias: [n, width]. */
rondo_tensor* layer_dense(struct model* model, rondo_tensor* x, int64_t width);
/* The mean over space: [n, c] of [n, c, h, w]. */
rondo_tensor* layer_mean(rondo_tensor* x);

#endif /* EXAMPLES_LAYERS_H */
