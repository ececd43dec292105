/* A pretrained network, MiniLM, finds the sentences that answer a question best: it makes a vector of each sentence,
 * once operator by operator, then by a recorded graph, and those of the question's neighbours lie close to its own.
 * Prints the three nearest, and compares the vectors with kept ones.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "device.h"
#include "minilm.h"
#include "program_file.h"
#include "wordpiece.h"

#ifndef EXAMPLE_DATA_DIR /* the build defines it: examples/data of the source tree */
#define EXAMPLE_DATA_DIR "examples/data"
#endif

static const char usage[] =
    "usage: sentences --model FILE --vocabulary FILE [options] QUESTION ...\n"
    "  --model FILE                     the network; examples/data/sentences.py fetches it: model.safetensors\n"
    "  --vocabulary FILE                the pieces of words that it knows: vocab.txt, beside it\n"
    "  --sentences FILE                 what is searched, a sentence a line (sentences.txt in the source tree)\n"
    "  --device cpu|cuda:0|auto         where it runs (auto: the first CUDA device that works, else cpu)\n"
    "  --reference FILE                 vectors to compare with, by their sentences (those of NumPy for the sentences\n"
    "                                   above and some questions: sentences.safetensors in the source tree)\n"
    "  --vectors FILE                   writes the vectors of sentences and questions\n"
    "  --program FILE                   writes the network there, as a program file for sentences of 64 pieces at "
    "most\n"
    "  --tokens                         prints the numbers of each question's pieces, and nothing else\n"
    "  --help                           this text\n";

static const double kTolerance = 1e-6; /* of an element of a vector, whose length is 1 */

enum { MOST_PIECES = 256, MOST_QUESTIONS = 64, MOST_SENTENCES = 256, NEAREST = 3, LAUNCHES = 5 };

/* Graphs are for so many pieces of each sentence; shorter ones are filled up. */
static const int64_t kPlaces[] = {16, 32, 64, 128, MOST_PIECES};

struct options {
  const char *model, *vocabulary, *sentences, *device, *reference, *vectors, *program;
  int tokens;
  int n; /* questions */
  const char* questions[MOST_QUESTIONS];
};

/* Sentences for the network: each of `places` pieces, the unused ones 0. */
struct batch {
  int64_t n, places;
  const char* const* texts;
  int32_t *ids, *lengths; /* [n][places], [n] */
};

/* ---------------------------------------------------------------------------------------------------------- options */

static void refuse(const char* what, const char* text) {
  fprintf(stderr, "sentences: %s '%s' (--help lists the options)\n", what, text);
  exit(2);
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {
      NULL, NULL,  EXAMPLE_DATA_DIR "/sentences.txt", "auto", EXAMPLE_DATA_DIR "/sentences.safetensors", NULL, NULL, 0,
      0,    {NULL}};
  rondo_device device;
  int i;
  for (i = 1; i < argc; ++i) {
    const char** value = strcmp(argv[i], "--model") == 0        ? &o.model
                         : strcmp(argv[i], "--vocabulary") == 0 ? &o.vocabulary
                         : strcmp(argv[i], "--sentences") == 0  ? &o.sentences
                         : strcmp(argv[i], "--device") == 0     ? &o.device
                         : strcmp(argv[i], "--reference") == 0  ? &o.reference
                         : strcmp(argv[i], "--vectors") == 0    ? &o.vectors
                         : strcmp(argv[i], "--program") == 0    ? &o.program
                                                                : NULL;
    if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (value != NULL) {
      if (i + 1 == argc) refuse("a value is missing behind", argv[i]);
      *value = argv[++i];
    } else if (strcmp(argv[i], "--tokens") == 0) {
      o.tokens = 1;
    } else if (strncmp(argv[i], "--", 2) == 0) {
      refuse("unknown option", argv[i]);
    } else if (o.n == MOST_QUESTIONS) {
      refuse("at most 64 questions: one too many is", argv[i]);
    } else {
      o.questions[o.n++] = argv[i];
    }
  }
  if (o.vocabulary == NULL) refuse("which vocabulary? missing is", "--vocabulary FILE");
  if (o.model == NULL && !o.tokens) refuse("which network? missing is", "--model FILE");
  if (o.n == 0) refuse("what is asked? missing is", "QUESTION");
  if (strcmp(o.device, "auto") != 0 && rondo_device_parse(o.device, &device) != RONDO_OK)
    refuse("--device must be cpu, cuda:0 or auto, not", o.device);
  return o;
}

static void* allocate(size_t bytes) {
  void* made = calloc(bytes == 0 ? 1 : bytes, 1);
  if (made == NULL) {
    fprintf(stderr, "sentences: out of memory\n");
    exit(1);
  }
  return made;
}

/* -------------------------------------------------------------------------------------------------------- sentences */

/* The lines of a file that are not empty, in *text; NULL after a line on stderr. The caller frees both. */
static const char** read_lines(const char* path, char** text, int64_t* n) {
  FILE* file = fopen(path, "rb");
  const char** lines = NULL;
  size_t size = 0, capacity = 1 << 20;
  char* at;
  *n = 0;
  *text = allocate(capacity + 1);
  if (file != NULL) size = fread(*text, 1, capacity, file);
  if (file == NULL || ferror(file)) {
    fprintf(stderr, "sentences: --sentences: %s: %s\n", path, strerror(errno));
  } else if (size == capacity || memchr(*text, '\0', size) != NULL) {
    fprintf(stderr, "sentences: %s: at most 1 MiB of text is searched\n", path);
  } else {
    lines = allocate(MOST_SENTENCES * sizeof *lines);
    for (at = strtok(*text, "\r\n"); at != NULL && *n < MOST_SENTENCES; at = strtok(NULL, "\r\n")) lines[(*n)++] = at;
    if (at != NULL || *n == 0) {
      fprintf(stderr, "sentences: %s must have 1 to %d lines\n", path, MOST_SENTENCES);
      free(lines);
      lines = NULL;
    }
  }
  if (file != NULL) fclose(file);
  return lines;
}

/* Takes sentences apart. Returns 0, or -1 after a line on stderr. Both ways batch_free frees it. */
static int make_batch(const struct wordpiece* words, const char* const* texts, int64_t n, struct batch* batch) {
  int64_t i, longest = 0;
  size_t k = 0;
  int32_t* ids = allocate((size_t)(n * MOST_PIECES) * sizeof *ids);
  batch->n = n;
  batch->texts = texts;
  batch->ids = ids;
  batch->lengths = allocate((size_t)n * sizeof *batch->lengths);
  for (i = 0; i < n; ++i) {
    const int64_t pieces = wordpiece_ids(words, texts[i], MOST_PIECES, ids + i * MOST_PIECES);
    if (pieces < 0 || pieces > MOST_PIECES) {
      if (pieces < 0) fprintf(stderr, "sentences: not UTF-8: '%s'\n", texts[i]);
      if (pieces > 0) {
        fprintf(stderr, "sentences: %lld pieces of words, and at most %d may be: '%s'\n", (long long)pieces,
                MOST_PIECES, texts[i]);
      }
      return -1;
    }
    batch->lengths[i] = (int32_t)pieces;
    if (pieces > longest) longest = pieces;
  }
  while (kPlaces[k] < longest) ++k;
  batch->places = kPlaces[k];
  for (i = 0; i < n; ++i) /* closer together; those behind a sentence are 0 */
    memmove(ids + i * batch->places, ids + i * MOST_PIECES, (size_t)batch->places * sizeof *ids);
  return 0;
}

static void batch_free(struct batch* batch) {
  free(batch->ids);
  free(batch->lengths);
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static rondo_graph* record(const struct minilm* net, int64_t n, int64_t places) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  const int64_t shape[2] = {n, places};
  rondo_tensor *ids = NULL, *lengths = NULL, *vectors;
  rondo_graph* graph = NULL;
  options.flags = RONDO_RECORD_CALLABLE;
  options.name = "minilm";
  CHECK(rondo_record_begin(net->engine, &options));
  CHECK(rondo_record_input(net->engine, net->device, RONDO_I32, 2, shape, &ids));
  CHECK(rondo_record_input(net->engine, net->device, RONDO_I32, 1, shape, &lengths));
  vectors = minilm_forward(net, ids, lengths);
  CHECK(rondo_record_output(net->engine, vectors));
  CHECK(rondo_record_end(net->engine, &graph));
  rondo_tensor_destroy(ids);
  rondo_tensor_destroy(lengths);
  rondo_tensor_destroy(vectors);
  return graph;
}

static int64_t count_different(const float* a, const float* b, int64_t n) {
  int64_t i, different = 0;
  for (i = 0; i < n; ++i) different += memcmp(&a[i], &b[i], sizeof *a) != 0; /* NOLINT: bits */
  return different;
}

/* The vectors [n][width] of a batch by a graph, which is recorded where *graph is NULL; adds to *different how many of
 * the elements are others than those of operators called one by one. The caller frees them. */
static float* embed(const struct minilm* net, const struct batch* batch, rondo_graph** graph, int64_t* different) {
  const int64_t shape[2] = {batch->n, batch->places};
  const size_t bytes = (size_t)(batch->n * net->width) * sizeof(float);
  rondo_tensor *inputs[2] = {NULL, NULL}, *vectors = NULL;
  float *eager = allocate(bytes), *called = allocate(bytes);
  CHECK(rondo_tensor_from_host(net->engine, net->device, RONDO_I32, 2, shape, batch->ids, &inputs[0]));
  CHECK(rondo_tensor_from_host(net->engine, net->device, RONDO_I32, 1, shape, batch->lengths, &inputs[1]));
  vectors = minilm_forward(net, inputs[0], inputs[1]);
  CHECK(rondo_tensor_read(vectors, eager, bytes));
  rondo_tensor_destroy(vectors);
  vectors = NULL;
  if (*graph == NULL) *graph = record(net, batch->n, batch->places);
  CHECK(rondo_graph_call(*graph, 2, inputs, 1, &vectors));
  CHECK(rondo_tensor_read(vectors, called, bytes));
  *different += count_different(eager, called, batch->n * net->width);
  free(eager);
  rondo_tensor_destroy(inputs[0]);
  rondo_tensor_destroy(inputs[1]);
  rondo_tensor_destroy(vectors);
  return called;
}

/* Says what a graph is and how long a call takes. */
static void report(const struct minilm* net, const struct batch* batch, rondo_graph* graph) {
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  const int64_t shape[2] = {batch->n, batch->places};
  rondo_tensor *inputs[2] = {NULL, NULL}, *vectors = NULL;
  double took[2] = {1e30, 1e30};
  int i;
  CHECK(rondo_tensor_from_host(net->engine, net->device, RONDO_I32, 2, shape, batch->ids, &inputs[0]));
  CHECK(rondo_tensor_from_host(net->engine, net->device, RONDO_I32, 1, shape, batch->lengths, &inputs[1]));
  for (i = 0; i < 2 * LAUNCHES; ++i) {
    const double begin = now_ms();
    if (i % 2 == 0) {
      vectors = minilm_forward(net, inputs[0], inputs[1]);
    } else {
      CHECK(rondo_graph_call(graph, 2, inputs, 1, &vectors));
    }
    CHECK(rondo_tensor_wait(vectors));
    if (now_ms() - begin < took[i % 2]) took[i % 2] = now_ms() - begin;
    rondo_tensor_destroy(vectors);
    vectors = NULL;
  }
  rondo_tensor_destroy(inputs[0]);
  rondo_tensor_destroy(inputs[1]);
  CHECK(rondo_graph_query(graph, &info));
  printf(
      "  graph of %lld x %lld: %d tasks in %d segment%s, %d captured as CUDA graph; arena %.1f MiB; %.1f ms eagerly, "
      "%.1f ms as a graph\n",
      (long long)batch->n, (long long)batch->places, info.tasks, info.segments, info.segments == 1 ? "" : "s",
      info.captured, (double)info.arena_bytes / 1048576, took[0], took[1]);
}

/* Prints the sentences whose vectors are nearest to the question's: of length 1, a product is the cosine between. */
static void print_nearest(const char* question, const float* asked, const struct batch* batch, const float* vectors,
                          int64_t width) {
  double best[NEAREST];
  int64_t which[NEAREST], i, k;
  int n = 0, place;
  for (i = 0; i < batch->n; ++i) {
    double cosine = 0;
    for (k = 0; k < width; ++k) cosine += (double)asked[k] * (double)vectors[i * width + k];
    for (place = n; place > 0 && cosine > best[place - 1]; --place) {
      if (place == NEAREST) continue;
      best[place] = best[place - 1];
      which[place] = which[place - 1];
    }
    if (place == NEAREST) continue;
    best[place] = cosine;
    which[place] = i;
    if (n < NEAREST) ++n;
  }
  printf("\n%s\n", question);
  for (place = 0; place < n; ++place) printf("  %5.3f  %s\n", best[place], batch->texts[which[place]]);
}

/* Adds vectors to what was compared: *worst, how far an element is from that of the file, by the sentence; how many
 * were there. */
static int compare(const struct minilm* net, rondo_model_file* file, const struct batch* batch, const float* vectors,
                   double* worst) {
  const rondo_device cpu = {RONDO_CPU, 0};
  float* expected = allocate((size_t)net->width * sizeof *expected);
  int64_t i, k, index;
  int compared = 0;
  for (i = 0; i < batch->n; ++i) {
    rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
    rondo_tensor* tensor = NULL;
    const char* found;
    if (rondo_model_file_find(file, batch->texts[i], &index) != RONDO_OK) continue;
    ++compared;
    CHECK(rondo_model_file_tensor(file, index, &found, &info));
    if (info.dtype != RONDO_F32 || info.bytes != net->width * (int64_t)sizeof *expected) {
      *worst = INFINITY;
      continue;
    }
    CHECK(rondo_model_file_load(file, batch->texts[i], net->engine, cpu, &tensor));
    CHECK(rondo_tensor_read(tensor, expected, (size_t)info.bytes));
    for (k = 0; k < net->width; ++k) {
      const double far = fabs((double)vectors[i * net->width + k] - (double)expected[k]);
      if (!(far <= *worst)) *worst = far; /* NaN stays */
    }
    rondo_tensor_destroy(tensor);
  }
  free(expected);
  return compared;
}

/* Writes both as a file of tensors; returns whether that failed. */
static int write_vectors(const struct minilm* net, const char* path, int64_t n, const float* vectors, int64_t n_asked,
                         const float* asked) {
  static const char* const names[] = {"sentences", "questions"};
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t shape[2] = {n, net->width}, shape_asked[2] = {n_asked, net->width};
  rondo_tensor* tensors[2] = {NULL, NULL};
  rondo_status status;
  CHECK(rondo_tensor_from_host(net->engine, cpu, RONDO_F32, 2, shape, vectors, &tensors[0]));
  CHECK(rondo_tensor_from_host(net->engine, cpu, RONDO_F32, 2, shape_asked, asked, &tensors[1]));
  status = rondo_model_file_write(path, names, tensors, 2, NULL, NULL, 0);
  if (status != RONDO_OK) fprintf(stderr, "sentences: --vectors: %s\n", rondo_last_error());
  rondo_tensor_destroy(tensors[0]);
  rondo_tensor_destroy(tensors[1]);
  return status != RONDO_OK;
}

/* Answers the questions, each by itself, as they come to a program; returns whether something is wrong. */
static int answer(const struct minilm* net, const struct options* o, const struct batch* sentences,
                  const struct batch* questions) {
  rondo_graph *whole = NULL, *graphs[sizeof kPlaces / sizeof *kPlaces] = {NULL};
  rondo_model_file* file = NULL;
  int64_t different = 0;
  double worst = 0;
  float *vectors = embed(net, sentences, &whole, &different), *asked;
  float* all = allocate((size_t)(o->n * net->width) * sizeof *all);
  int compared, first, failed = 0, i;
  size_t k;
  if (rondo_model_file_open(o->reference, &file) != RONDO_OK) {
    fprintf(stderr, "sentences: --reference: %s\n", rondo_last_error());
    exit(1);
  }
  report(net, sentences, whole);
  compared = compare(net, file, sentences, vectors, &worst);
  for (i = 0; i < o->n; ++i) {
    for (k = 0; kPlaces[k] < questions[i].places; ++k) continue;
    first = graphs[k] == NULL;
    asked = embed(net, &questions[i], &graphs[k], &different);
    if (first) report(net, &questions[i], graphs[k]);
    compared += compare(net, file, &questions[i], asked, &worst);
    print_nearest(questions[i].texts[0], asked, sentences, vectors, net->width);
    memcpy(all + i * net->width, asked, (size_t)net->width * sizeof *all);
    free(asked);
  }
  rondo_model_file_destroy(file);
  for (k = 0; k < sizeof kPlaces / sizeof *kPlaces; ++k) rondo_graph_destroy(graphs[k]);
  rondo_graph_destroy(whole);
  if (o->vectors != NULL) failed = write_vectors(net, o->vectors, sentences->n, vectors, o->n, all);
  free(vectors);
  free(all);
  if (different == 0) {
    printf("\nvectors   eager and graph agree bit for bit\n");
  } else {
    printf("\nvectors   %lld elements of eager and graph differ\n", (long long)different);
  }
  if (compared > 0)
    printf("          %d are up to %.2g from the reference's; %g is allowed\n", compared, worst, kTolerance);
  return failed || different != 0 || !(worst <= kTolerance);
}

/* ------------------------------------------------------------------------------------------------------------- main */

static int print_tokens(const struct wordpiece* words, const struct options* o) {
  int i, bad = 0;
  for (i = 0; i < o->n && !bad; ++i) {
    struct batch batch = {0, 0, NULL, NULL, NULL};
    int32_t k;
    bad = make_batch(words, o->questions + i, 1, &batch) != 0;
    for (k = 0; !bad && k < batch.lengths[0]; ++k) printf("%s%d", k == 0 ? "" : " ", batch.ids[k]);
    if (!bad) printf("\n");
    batch_free(&batch);
  }
  return bad;
}

static rondo_tensor* saved_vector(void* net, rondo_tensor* const* inputs) {
  return minilm_forward(net, inputs[0], inputs[1]);
}

static int save(struct minilm* net, const char* path) {
  const struct program_function function = {
      "vector",
      "vector",
      2,
      {{"ids", RONDO_I32, 2, {PROGRAM_BATCH, PROGRAM_PIECES}}, {"lengths", RONDO_I32, 1, {PROGRAM_BATCH}}},
      saved_vector};
  return program_file_write(path, net->engine, net->device, 1, &function, net);
}

/* The pieces must be those of the network; returns whether something is wrong. */
static int run(const struct options* o, const struct wordpiece* words, const struct batch* sentences,
               const struct batch* questions) {
  const rondo_device device = device_choose(o->device);
  rondo_engine* engine = NULL;
  struct minilm net;
  char name[128];
  int bad = 1;
  CHECK(rondo_engine_create(NULL, &engine));
  if (minilm_load(&net, engine, device, o->model) != 0) {
    bad = 1;
  } else if (net.words != (int64_t)words->n || net.places < MOST_PIECES) {
    fprintf(stderr,
            "sentences: the network knows %lld pieces and sentences of %lld; the vocabulary has %lld, and %d may be\n",
            (long long)net.words, (long long)net.places, (long long)words->n, MOST_PIECES);
  } else {
    device_print(engine, device, name, sizeof name);
    bad = answer(&net, o, sentences, questions);
    if (o->program != NULL && save(&net, o->program) != 0) bad = 1;
  }
  minilm_destroy(&net);
  rondo_engine_destroy(engine);
  return bad;
}

int main(int argc, char** argv) {
  const struct options o = parse_options(argc, argv);
  struct wordpiece words;
  struct batch sentences = {0, 0, NULL, NULL, NULL}, questions[MOST_QUESTIONS];
  const char** lines = NULL;
  char* text = NULL;
  int64_t n = 0;
  int bad, i;
  setvbuf(stdout, NULL, _IOLBF, 0);
  memset(questions, 0, sizeof questions);
  bad = wordpiece_load(&words, o.vocabulary) != 0;
  if (!bad && o.tokens) {
    bad = print_tokens(&words, &o);
  } else if (!bad) {
    lines = read_lines(o.sentences, &text, &n);
    bad = lines == NULL || make_batch(&words, lines, n, &sentences) != 0;
    for (i = 0; i < o.n && !bad; ++i) bad = make_batch(&words, o.questions + i, 1, &questions[i]) != 0;
    if (!bad) bad = run(&o, &words, &sentences, questions);
  }
  for (i = 0; i < o.n; ++i) batch_free(&questions[i]);
  batch_free(&sentences);
  free(lines);
  free(text);
  wordpiece_destroy(&words);
  return bad;
}
