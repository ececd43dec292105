/* See wordpiece.h. What a character is and what it is made of says ICU.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "wordpiece.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

enum { PAD, UNK, CLS, SEP, MASK };
static const char* const kSpecial[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

enum {
  MOST_CHARACTERS = 100, /* of a word; a longer one is unknown */
  PARTS = 18             /* of one character at most: twice what Unicode has */
};

/* ------------------------------------------------------------------------------------------------------- vocabulary */

static int by_text(const void* a, const void* b) {
  return strcmp(((const struct wordpiece_entry*)a)->text, ((const struct wordpiece_entry*)b)->text);
}

/* The number of a piece; -1: there is none. */
static int32_t find(const struct wordpiece* words, const char* text) {
  const struct wordpiece_entry wanted = {text, 0}, *found;
  found = bsearch(&wanted, words->entries, words->n, sizeof wanted, by_text);
  return found == NULL ? -1 : found->id;
}

/* The whole file with a zero behind it; NULL with errno. */
static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  long size = -1;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
  if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
    free(text);
    text = NULL;
    errno = EIO;
  }
  if (text != NULL) text[size] = '\0';
  fclose(file);
  return text;
}

int wordpiece_load(struct wordpiece* words, const char* path) {
  UErrorCode status = U_ZERO_ERROR;
  size_t lines = 1;
  char* at;
  int i;
  memset(words, 0, sizeof *words);
  if (unorm2_getNFDInstance(&status) == NULL || U_FAILURE(status)) {
    fprintf(stderr, "sentences: ICU has no data of characters: %s\n", u_errorName(status));
    return -1;
  }
  words->text = read_file(path);
  if (words->text == NULL) {
    fprintf(stderr, "sentences: %s: %s\n", path, strerror(errno));
    return -1;
  }
  for (at = words->text; *at != '\0'; ++at) lines += *at == '\n';
  words->entries = malloc(lines * sizeof *words->entries);
  if (words->entries == NULL) {
    fprintf(stderr, "sentences: out of memory\n");
    return -1;
  }
  for (at = words->text; *at != '\0';) {
    char* end = at + strcspn(at, "\n");
    const int last = *end == '\0';
    if (end > at && end[-1] == '\r') end[-1] = '\0';
    *end = '\0';
    words->entries[words->n].text = at;
    words->entries[words->n].id = (int32_t)words->n;
    ++words->n;
    at = last ? end : end + 1;
  }
  qsort(words->entries, words->n, sizeof *words->entries, by_text);
  for (i = 0; i < 5; ++i) {
    words->special[i] = find(words, kSpecial[i]);
    if (words->special[i] < 0) {
      fprintf(stderr, "sentences: %s is no vocabulary: it has no line %s\n", path, kSpecial[i]);
      return -1;
    }
  }
  return 0;
}

void wordpiece_destroy(struct wordpiece* words) {
  free(words->entries);
  free(words->text);
  memset(words, 0, sizeof *words);
}

/* ------------------------------------------------------------------------------------------------------------ pieces
 */

struct pass {
  const struct wordpiece* words;
  int32_t* ids;
  int64_t capacity, n;
  char word[4 * MOST_CHARACTERS]; /* the one that is being read */
  int ends[MOST_CHARACTERS];      /* of its characters, in bytes */
  int characters;                 /* may be more than MOST_CHARACTERS, of which the first are kept */
};

static void put(struct pass* pass, int32_t id) {
  if (pass->n < pass->capacity) pass->ids[pass->n] = id;
  ++pass->n;
}

/* The word is complete. */
static void end_word(struct pass* pass) {
  const int64_t before = pass->n;
  char piece[4 * MOST_CHARACTERS + 3] = "##";
  int begin = 0, first = 0, last;
  if (pass->characters > MOST_CHARACTERS) {
    put(pass, pass->words->special[UNK]);
    pass->characters = 0;
  }
  while (first < pass->characters) {
    int32_t id = -1;
    for (last = pass->characters - 1; last >= first; --last) {
      const int bytes = pass->ends[last] - begin;
      memcpy(piece + 2, pass->word + begin, (size_t)bytes);
      piece[2 + bytes] = '\0';
      id = find(pass->words, first == 0 ? piece + 2 : piece);
      if (id >= 0) break;
    }
    if (id < 0) { /* a word of which a part is unknown is unknown as a whole */
      pass->n = before;
      put(pass, pass->words->special[UNK]);
      break;
    }
    put(pass, id);
    begin = pass->ends[last];
    first = last + 1;
  }
  pass->characters = 0;
}

static void add_to_word(struct pass* pass, UChar32 c) {
  int bytes = pass->characters == 0 ? 0 : pass->ends[pass->characters < MOST_CHARACTERS ? pass->characters - 1 : 0];
  if (pass->characters < MOST_CHARACTERS) {
    U8_APPEND_UNSAFE(pass->word, bytes, c);
    pass->ends[pass->characters] = bytes;
  }
  ++pass->characters;
}

/* Chinese characters stand for words. */
static int is_word(UChar32 c) {
  static const UChar32 ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                      {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  size_t i;
  for (i = 0; i < sizeof ranges / sizeof *ranges; ++i)
    if (c >= ranges[i][0] && c <= ranges[i][1]) return 1;
  return 0;
}

/* Whether a character is of one of these categories, by Unicode 8, which the library has that made these models: what
 * came later is no punctuation, no mark and no control character to them. */
static int is(UChar32 c, uint32_t categories) {
  UVersionInfo since;
  if ((U_GET_GC_MASK(c) & categories) == 0) return 0;
  u_charAge(c, since);
  return since[0] <= 8;
}

static int is_punctuation(UChar32 c) {
  if (c < 128) return strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) != NULL;
  return is(c, U_GC_P_MASK);
}

/* One character of the text: nothing, the end of a word, or letters. */
static void read_character(struct pass* pass, const UNormalizer2* decomposer, UChar32 c) {
  UChar parts[PARTS];
  UErrorCode status = U_ZERO_ERROR;
  const int alone = is_word(c);
  int32_t n, i = 0;
  if (c == '\t' || c == '\n' || c == '\r') c = ' '; /* other control characters are nothing at all */
  if (c == 0xFFFD || is(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) return;
  if (alone || u_isUWhiteSpace(c)) end_word(pass);
  if (u_isUWhiteSpace(c)) return;
  n = unorm2_getDecomposition(decomposer, c, parts, PARTS, &status);
  if (n < 0 || U_FAILURE(status)) {
    n = 0;
    U16_APPEND_UNSAFE(parts, n, c);
  }
  while (i < n) {
    U16_NEXT(parts, i, n, c);
    if (is(c, U_GC_MN_MASK)) continue;
    c = u_tolower(c);
    if (is_punctuation(c)) {
      end_word(pass);
      add_to_word(pass, c);
      end_word(pass);
    } else {
      add_to_word(pass, c);
    }
  }
  if (alone) end_word(pass);
}

int64_t wordpiece_ids(const struct wordpiece* words, const char* text, int64_t capacity, int32_t* ids) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* decomposer = unorm2_getNFDInstance(&status);
  struct pass pass;
  const size_t size = strlen(text);
  size_t at = 0;
  memset(&pass, 0, sizeof pass);
  pass.words = words;
  pass.ids = ids;
  pass.capacity = capacity;
  put(&pass, words->special[CLS]);
  while (at < size) {
    UChar32 c;
    int i;
    for (i = 0; i < 5 && strncmp(text + at, kSpecial[i], strlen(kSpecial[i])) != 0; ++i) continue;
    if (i < 5) { /* written as it is called */
      end_word(&pass);
      put(&pass, words->special[i]);
      at += strlen(kSpecial[i]);
      continue;
    }
    U8_NEXT(text, at, size, c);
    if (c < 0) return -1;
    read_character(&pass, decomposer, c);
  }
  end_word(&pass);
  put(&pass, words->special[SEP]);
  return pass.n;
}
