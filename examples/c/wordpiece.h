/* Takes a text apart into the pieces of words that a network of the BERT family knows by number: WordPiece, as models
 * "uncased" use it. Small letters without accents; white space and punctuation part words; a word is its longest known
 * beginning, then the longest known continuation, and so on.
 *
 * Any number of threads may ask one vocabulary.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_WORDPIECE_H
#define EXAMPLES_WORDPIECE_H

#include <stddef.h>
#include <stdint.h>

struct wordpiece_entry {
  const char* text;
  int32_t id;
};

struct wordpiece {
  char* text; /* the file */
  struct wordpiece_entry* entries;
  size_t n;
  int32_t special[5]; /* the numbers of [PAD], [UNK], [CLS], [SEP], [MASK] */
};

/* Reads a vocabulary: a piece a line, whose number is that of the line, from 0. A continuation begins with "##".
 * Returns 0, or -1 after a line on stderr. Both ways wordpiece_destroy frees it. */
int wordpiece_load(struct wordpiece* words, const char* path);
void wordpiece_destroy(struct wordpiece* words);

/* The numbers of a text's pieces, between those of [CLS] and [SEP]; the first `capacity` are written. Returns how many
 * there are, or -1 if the text is not UTF-8. */
int64_t wordpiece_ids(const struct wordpiece* words, const char* text, int64_t capacity, int32_t* ids);

#endif /* EXAMPLES_WORDPIECE_H */
