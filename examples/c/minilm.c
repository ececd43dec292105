/* See minilm.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "minilm.h"

#include <string.h>

#include "check.h"
#include "packed_attention.h"

static const double kEpsilon = 1e-12; /* of its layer normalisation */

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Where tensors come from and go to. */
struct source {
  rondo_model_file* file;
  rondo_engine* engine;
  rondo_device device;
};

/* Loads `name`, whose shape must be [rows, columns], or [rows] where columns is 0. *out: NULL, or what is filled. */
static int load(const struct source* from, const char* name, int64_t rows, int64_t columns, rondo_tensor** out) {
  rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
  const char* found;
  int64_t index;
  if (rondo_model_file_find(from->file, name, &index) != RONDO_OK) {
    fprintf(stderr, "sentences: not a file of this network: %s\n", rondo_last_error());
    return -1;
  }
  CHECK(rondo_model_file_tensor(from->file, index, &found, &info));
  if (info.dtype != RONDO_F32 || !info.loadable || info.ndim != (columns == 0 ? 1 : 2) || info.shape[0] != rows ||
      (columns != 0 && info.shape[1] != columns)) {
    fprintf(stderr, "sentences: not a file of this network: '%s' has another shape or dtype\n", name);
    return -1;
  }
  CHECK(rondo_model_file_load(from->file, name, from->engine, from->device, out));
  return 0;
}

/* A dense layer: `parts` of the file, named by a format with a place for each, one below the other. */
static int load_dense(const struct source* from, const char* prefix, int n, const char* const* parts, int64_t rows,
                      int64_t columns, struct minilm_dense* dense) {
  const int64_t weight[2] = {n * rows, columns}, bias[1] = {n * rows};
  char name[128];
  int i, failed = 0;
  CHECK(rondo_tensor_create(from->engine, from->device, RONDO_F32, 2, weight, &dense->weight));
  CHECK(rondo_tensor_create(from->engine, from->device, RONDO_F32, 1, bias, &dense->bias));
  for (i = 0; i < n && failed == 0; ++i) {
    rondo_tensor *weights = NULL, *biases = NULL;
    CHECK(rondo_tensor_slice(dense->weight, 0, i * rows, (i + 1) * rows, 1, &weights));
    CHECK(rondo_tensor_slice(dense->bias, 0, i * rows, (i + 1) * rows, 1, &biases));
    snprintf(name, sizeof name, "%s%s.weight", prefix, parts[i]);
    failed = load(from, name, rows, columns, &weights);
    snprintf(name, sizeof name, "%s%s.bias", prefix, parts[i]);
    if (failed == 0) failed = load(from, name, rows, 0, &biases);
    rondo_tensor_destroy(weights);
    rondo_tensor_destroy(biases);
  }
  return failed;
}

static int load_norm(const struct source* from, const char* prefix, const char* part, int64_t width,
                     struct minilm_dense* norm) {
  char name[128];
  snprintf(name, sizeof name, "%s%s.weight", prefix, part);
  if (load(from, name, width, 0, &norm->weight) != 0) return -1;
  snprintf(name, sizeof name, "%s%s.bias", prefix, part);
  return load(from, name, width, 0, &norm->bias);
}

static int load_layer(const struct source* from, int number, int64_t width, int64_t inner, struct minilm_layer* layer) {
  static const char* const qkv[] = {"attention.self.query", "attention.self.key", "attention.self.value"};
  static const char* const out[] = {"attention.output.dense"};
  static const char* const wide[] = {"intermediate.dense"};
  static const char* const narrow[] = {"output.dense"};
  char prefix[64];
  snprintf(prefix, sizeof prefix, "encoder.layer.%d.", number);
  if (load_dense(from, prefix, 3, qkv, width, width, &layer->qkv) != 0) return -1;
  if (load_dense(from, prefix, 1, out, width, width, &layer->out) != 0) return -1;
  if (load_norm(from, prefix, "attention.output.LayerNorm", width, &layer->norms[0]) != 0) return -1;
  if (load_dense(from, prefix, 1, wide, inner, width, &layer->wide) != 0) return -1;
  if (load_dense(from, prefix, 1, narrow, width, inner, &layer->narrow) != 0) return -1;
  return load_norm(from, prefix, "output.LayerNorm", width, &layer->norms[1]);
}

/* The size of an axis of a matrix of the file; 0: there is no such matrix. */
static int64_t size_of(rondo_model_file* file, const char* name, int axis) {
  rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
  const char* found;
  int64_t index;
  if (rondo_model_file_find(file, name, &index) != RONDO_OK) return 0;
  CHECK(rondo_model_file_tensor(file, index, &found, &info));
  return info.ndim == 2 ? info.shape[axis] : 0;
}

static int load_all(struct minilm* net, const struct source* from) {
  static const char* const word = "embeddings.word_embeddings.weight";
  static const char* const place = "embeddings.position_embeddings.weight";
  rondo_tensor *types = NULL, *first = NULL;
  int64_t inner;
  int i;
  net->words = size_of(from->file, word, 0);
  net->width = size_of(from->file, word, 1);
  net->places = size_of(from->file, place, 0);
  inner = size_of(from->file, "encoder.layer.0.intermediate.dense.weight", 0);
  if (net->words == 0 || net->places == 0 || inner == 0 || net->width == 0 || net->width % MINILM_HEAD != 0) {
    fprintf(stderr, "sentences: not a file of this network: '%s' has another shape, or is not there\n",
            net->places == 0 ? place
            : inner == 0     ? "encoder.layer.0.intermediate.dense.weight"
                             : word);
    return -1;
  }
  if (load(from, word, net->words, net->width, &net->word) != 0) return -1;
  if (load(from, place, net->places, net->width, &net->place) != 0) return -1;
  if (load(from, "embeddings.token_type_embeddings.weight", 2, net->width, &types) != 0) return -1;
  CHECK(rondo_tensor_slice(types, 0, 0, 1, 1, &first)); /* of one sentence all have the first type */
  CHECK(rondo_binary(RONDO_ADD, net->place, first, &net->place));
  rondo_tensor_destroy(types);
  rondo_tensor_destroy(first);
  if (load_norm(from, "embeddings.", "LayerNorm", net->width, &net->norm) != 0) return -1;
  for (i = 0; i < MINILM_LAYERS; ++i)
    if (load_layer(from, i, net->width, inner, &net->layers[i]) != 0) return -1;
  return 0;
}

int minilm_load(struct minilm* net, rondo_engine* engine, rondo_device device, const char* path) {
  struct source from = {NULL, NULL, {RONDO_CPU, 0}};
  int failed;
  memset(net, 0, sizeof *net);
  net->engine = from.engine = engine;
  net->device = from.device = device;
  if (rondo_model_file_open(path, &from.file) != RONDO_OK) {
    fprintf(stderr, "sentences: %s\n", rondo_last_error());
    return -1;
  }
  failed = load_all(net, &from);
  rondo_model_file_destroy(from.file);
  return failed;
}

static void dense_destroy(struct minilm_dense* dense) {
  rondo_tensor_destroy(dense->weight);
  rondo_tensor_destroy(dense->bias);
}

void minilm_destroy(struct minilm* net) {
  int i;
  rondo_tensor_destroy(net->word);
  rondo_tensor_destroy(net->place);
  dense_destroy(&net->norm);
  for (i = 0; i < MINILM_LAYERS; ++i) {
    struct minilm_layer* layer = &net->layers[i];
    dense_destroy(&layer->qkv);
    dense_destroy(&layer->out);
    dense_destroy(&layer->wide);
    dense_destroy(&layer->narrow);
    dense_destroy(&layer->norms[0]);
    dense_destroy(&layer->norms[1]);
  }
  memset(net, 0, sizeof *net);
}

/* ---------------------------------------------------------------------------------------------------------- network */

static rondo_tensor* replace(rondo_tensor* old, rondo_tensor* by) {
  rondo_tensor_destroy(old);
  return by;
}

static rondo_tensor* dense(const struct minilm_dense* layer, rondo_tensor* x) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor* out = NULL;
  options.transpose_b = 1;
  options.bias = layer->bias;
  CHECK(rondo_matmul(x, layer->weight, &options, &out));
  return out;
}

/* Layer normalisation of x + y. */
static rondo_tensor* add_and_norm(const struct minilm_dense* norm, rondo_tensor* x, rondo_tensor* y) {
  rondo_tensor *sum = NULL, *out = NULL;
  CHECK(rondo_binary(RONDO_ADD, x, y, &sum));
  CHECK(rondo_layer_norm(sum, -1, norm->weight, norm->bias, kEpsilon, &out));
  rondo_tensor_destroy(sum);
  return out;
}

/* Each place gathers from those of its sentence. x: [n, places, width]. */
static rondo_tensor* attention(const struct minilm* net, const struct minilm_layer* layer, rondo_tensor* x,
                               rondo_tensor* lengths) {
  rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
  rondo_tensor *packed = dense(&layer->qkv, x), *seen;
  options.query_lengths = options.key_lengths = lengths;
  seen = packed_attention(packed, net->width / MINILM_HEAD, &options);
  rondo_tensor_destroy(packed);
  return replace(seen, dense(&layer->out, seen));
}

static rondo_tensor* through(const struct minilm* net, const struct minilm_layer* layer, rondo_tensor* x,
                             rondo_tensor* lengths) {
  rondo_tensor *y = attention(net, layer, x, lengths), *seen, *out;
  seen = add_and_norm(&layer->norms[0], x, y);
  y = replace(y, dense(&layer->wide, seen));
  CHECK(rondo_unary(RONDO_GELU, y, &y));
  y = replace(y, dense(&layer->narrow, y));
  out = add_and_norm(&layer->norms[1], seen, y);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(seen);
  return out;
}

static rondo_tensor* embed(const struct minilm* net, rondo_tensor* ids) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor *words = NULL, *places = NULL, *out;
  CHECK(rondo_tensor_query(ids, &info));
  CHECK(rondo_gather_rows(net->word, ids, &words));
  CHECK(rondo_tensor_slice(net->place, 0, 0, info.shape[1], 1, &places));
  out = add_and_norm(&net->norm, words, places);
  rondo_tensor_destroy(words);
  rondo_tensor_destroy(places);
  return out;
}

/* 1 where a sentence has a piece, else 0: [n, places, 1]. */
static rondo_tensor* present(const struct minilm* net, rondo_tensor* ids, rondo_tensor* lengths) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  rondo_tensor *places = NULL, *column = NULL, *mask = NULL, *out = NULL, *view = NULL;
  int64_t shape[3];
  CHECK(rondo_tensor_query(ids, &info));
  shape[0] = info.shape[0];
  shape[1] = shape[2] = 1;
  CHECK(rondo_arange(net->engine, net->device, RONDO_I32, 0, (double)info.shape[1], 1, &places));
  CHECK(rondo_tensor_reshape(lengths, 2, shape, &column));
  CHECK(rondo_binary(RONDO_LT, places, column, &mask));
  CHECK(rondo_cast(mask, RONDO_F32, &out));
  shape[1] = info.shape[1];
  CHECK(rondo_tensor_reshape(out, 3, shape, &view));
  rondo_tensor_destroy(places);
  rondo_tensor_destroy(column);
  rondo_tensor_destroy(mask);
  rondo_tensor_destroy(out);
  return view;
}

rondo_tensor* minilm_forward(const struct minilm* net, rondo_tensor* ids, rondo_tensor* lengths) {
  static const int32_t places[] = {1};
  rondo_tensor *x = embed(net, ids), *mask = present(net, ids, lengths), *sum = NULL, *length = NULL;
  int i;
  for (i = 0; i < MINILM_LAYERS; ++i) x = replace(x, through(net, &net->layers[i], x, lengths));
  CHECK(rondo_binary(RONDO_MUL, x, mask, &x));
  CHECK(rondo_reduce(RONDO_SUM, x, 1, places, 0, &sum)); /* of length 1 the sum is what the mean is */
  CHECK(rondo_reduce(RONDO_L2_NORM, sum, 1, places, 1, &length));
  CHECK(rondo_binary(RONDO_DIV, sum, length, &sum));
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(mask);
  rondo_tensor_destroy(length);
  return sum;
}
