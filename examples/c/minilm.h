/* MiniLM (Wang et al., 2020) as a sentence encoder: a BERT of six layers that makes of each sentence a vector of length
 * 1, so that sentences which mean alike have vectors which lie close. examples/data/sentences.py fetches its file,
 * all-MiniLM-L6-v2.
 *
 * Used by one thread. What a caller can get wrong, the file, is an error; other failures end the program (check.h).
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_MINILM_H
#define EXAMPLES_MINILM_H

#include <rondo/rondo.h>

enum { MINILM_LAYERS = 6, MINILM_HEAD = 32 };

struct minilm_dense {
  rondo_tensor *weight, *bias; /* [out, in], [out] */
};

struct minilm_layer {
  struct minilm_dense qkv; /* queries, keys and values: one product */
  struct minilm_dense out, wide, narrow;
  struct minilm_dense norms[2]; /* of layer normalisation: behind attention, and at the end */
};

struct minilm {
  int64_t words, places, width; /* the vocabulary, the longest sentence, a vector's elements */
  rondo_engine* engine;
  rondo_device device;
  rondo_tensor *word, *place; /* embeddings: [words, width], [places, width] */
  struct minilm_dense norm;
  struct minilm_layer layers[MINILM_LAYERS];
};

/* Loads the file `path` to a device. Returns 0, or -1 after a line on stderr. Both ways minilm_destroy frees it. */
int minilm_load(struct minilm* net, rondo_engine* engine, rondo_device device, const char* path);
void minilm_destroy(struct minilm* net);

/* Vectors [n, width] of length 1, of the numbers of pieces of words, i32 [n, places], and how many each sentence has,
 * i32 [n]; what is behind them does not matter. Only operators, so it can be recorded. The caller owns the result. */
rondo_tensor* minilm_forward(const struct minilm* net, rondo_tensor* ids, rondo_tensor* lengths);

#endif /* EXAMPLES_MINILM_H */
