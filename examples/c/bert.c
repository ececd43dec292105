/* Trains an encoder as BERT was (Devlin et al., 2019): of each stretch of a text some bytes are hidden, and the network
 * says which they were, by what stands on either side. A step, from the choice of its stretches to the new weights, is
 * one graph, launched again and again; asking is another one. Writes what it began with on request, so that another
 * library can do the same.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device.h"
#include "encoder.h"
#include "program_file.h"

/* A text that every Debian machine has. */
#define TEXT "/usr/share/common-licenses/GPL-3"

enum {
  PLACES = 16, /* bytes of a stretch */
  HIDDEN = 2,  /* of them, hidden ones */
  BATCH = 64,  /* stretches of a step */
  WORDS = 128, /* ASCII; 0 stands for a hidden byte */
  WIDTH = 64,
  EVERY = 50 /* steps between two lines that say how it goes */
};
static const struct encoder kEncoder = {2, WIDTH, 4, 4 * WIDTH, 0};
static const double kRate = 1e-3, kDecay = 0.01, kNorm = 1.0;

static const char usage[] =
    "usage: bert [options]\n"
    "  --device cpu|cuda:0|auto  where to train (auto: the first CUDA device that works, else cpu)\n"
    "  --text FILE               what is read, ASCII (" TEXT
    ")\n"
    "  --steps N                 of training (600)\n"
    "  --tests N                 batches that are asked for afterwards (16)\n"
    "  --seed N                  of weights and of what is hidden (1)\n"
    "  --eager yes|no            each operator by itself, in the place of graphs (no)\n"
    "  --reference FILE          writes weights at the beginning and all batches there, as safetensors\n"
    "  --parameters FILE         writes the trained weights there, as safetensors\n"
    "  --program FILE            writes a step and the question there, as a program file that trains on\n"
    "  --help                    this text\n";

struct options {
  const char *device, *text, *reference, *parameters, *program;
  int64_t steps, tests, seed;
  int eager;
};

/* Batches, one behind the other: bytes of stretches, with the hidden ones 0; where those are, counted through the
 * batch; and what they were. */
struct batches {
  int64_t n;
  int32_t *bytes, *places, *labels; /* [n, BATCH * PLACES], [n, BATCH * HIDDEN] twice */
};

/* A network, and what a step works on. */
struct work {
  struct model model;
  rondo_tensor *bytes, *places, *labels; /* of all batches */
  rondo_tensor* turn;                    /* [1], i32: which of them is next */
  rondo_tensor* loss;                    /* the sum of the losses so far, [] */
  rondo_tensor* add_to_loss;
  rondo_tensor* right; /* how many hidden bytes were found, [], i64 */
  rondo_tensor* add_to_right;
  rondo_optimizer* optimizer;
};

/* ---------------------------------------------------------------------------------------------------------- options */

static int64_t parse_number(const char* option, const char* text, int64_t low, int64_t high) {
  char* end = NULL;
  long long value;
  errno = 0;
  value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < low || value > high) {
    fprintf(stderr, "bert: %s must be a whole number from %lld to %lld, not '%s'\n", option, (long long)low,
            (long long)high, text);
    exit(2);
  }
  return value;
}

static struct options parse_options(int argc, char** argv) {
  struct options o = {"auto", TEXT, NULL, NULL, NULL, 600, 16, 1, 0};
  rondo_device device;
  int i;
  for (i = 1; i < argc; i += 2) {
    const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(option, "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (strcmp(option, "--device") != 0 && strcmp(option, "--text") != 0 && strcmp(option, "--steps") != 0 &&
        strcmp(option, "--seed") != 0 && strcmp(option, "--tests") != 0 && strcmp(option, "--eager") != 0 &&
        strcmp(option, "--reference") != 0 && strcmp(option, "--parameters") != 0 && strcmp(option, "--program") != 0) {
      fprintf(stderr, "bert: unknown option '%s' (--help lists them)\n", option);
      exit(2);
    }
    if (value == NULL) {
      fprintf(stderr, "bert: %s needs a value\n", option);
      exit(2);
    }
    if (strcmp(option, "--device") == 0) o.device = value;
    if (strcmp(option, "--text") == 0) o.text = value;
    if (strcmp(option, "--reference") == 0) o.reference = value;
    if (strcmp(option, "--parameters") == 0) o.parameters = value;
    if (strcmp(option, "--program") == 0) o.program = value;
    if (strcmp(option, "--steps") == 0) o.steps = parse_number(option, value, 1, 100000);
    if (strcmp(option, "--eager") == 0) {
      if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) {
        fprintf(stderr, "bert: --eager must be yes or no, not '%s'\n", value);
        exit(2);
      }
      o.eager = value[0] == 'y';
    }
    if (strcmp(option, "--tests") == 0) o.tests = parse_number(option, value, 1, 1000);
    if (strcmp(option, "--seed") == 0) o.seed = parse_number(option, value, 0, INT64_MAX);
  }
  if (strcmp(o.device, "auto") != 0 && rondo_device_parse(o.device, &device) != RONDO_OK) {
    fprintf(stderr, "bert: --device must be cpu, cuda:0 or auto, not '%s'\n", o.device);
    exit(2);
  }
  return o;
}

/* ------------------------------------------------------------------------------------------------------------- text */

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) {
    fprintf(stderr, "bert: out of memory\n");
    exit(1);
  }
  return memory;
}

/* The bytes of a file, of which each is 1 to 127 and there are enough. The caller frees them. */
static unsigned char* read_text(const char* path, int64_t* length) {
  enum { LEAST = 20 * PLACES, MOST = 1 << 26 };
  FILE* file = fopen(path, "rb");
  unsigned char* text;
  int64_t i;
  if (file == NULL) {
    fprintf(stderr, "bert: --text: cannot open '%s': %s\n", path, strerror(errno));
    exit(1);
  }
  text = allocate(MOST, 1);
  *length = (int64_t)fread(text, 1, MOST, file);
  fclose(file);
  for (i = 0; i < *length && text[i] > 0 && text[i] < WORDS; ++i) continue;
  if (i < *length || *length < LEAST) {
    fprintf(stderr,
            i < *length ? "bert: --text: '%s' is not ASCII: byte %lld is none of it\n"
                        : "bert: --text: '%s' has %lld bytes, too few to learn from\n",
            path, (long long)i);
    exit(1);
  }
  return text;
}

/* A number less than n, by a generator of 64 bits (Steele et al., SplitMix, 2014). */
static int64_t below(uint64_t* state, int64_t n) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (int64_t)((z ^ (z >> 31)) % (uint64_t)n);
}

/* n batches of stretches of the text from `begin` on. */
static struct batches choose(const unsigned char* text, int64_t begin, int64_t end, int64_t n, uint64_t seed) {
  struct batches made;
  uint64_t state = seed;
  int64_t i, k, h;
  made.n = n;
  made.bytes = allocate((size_t)(n * BATCH * PLACES), sizeof *made.bytes);
  made.places = allocate((size_t)(n * BATCH * HIDDEN), sizeof *made.places);
  made.labels = allocate((size_t)(n * BATCH * HIDDEN), sizeof *made.labels);
  for (i = 0; i < n * BATCH; ++i) {
    const unsigned char* stretch = text + begin + below(&state, end - begin - PLACES + 1);
    int32_t* bytes = made.bytes + i * PLACES;
    for (k = 0; k < PLACES; ++k) bytes[k] = stretch[k];
    for (h = 0; h < HIDDEN; ++h) {
      do k = below(&state, PLACES);
      while (bytes[k] == 0);
      bytes[k] = 0;
      made.places[i * HIDDEN + h] = (int32_t)(i % BATCH * PLACES + k);
      made.labels[i * HIDDEN + h] = stretch[k];
    }
  }
  return made;
}

static void batches_free(struct batches* batches) {
  free(batches->bytes);
  free(batches->places);
  free(batches->labels);
}

/* ---------------------------------------------------------------------------------------------------------- network */

/* Row number `turn` of a table, as one dimension or as `rows` of them. */
static rondo_tensor* row(rondo_tensor* table, rondo_tensor* turn, int64_t rows, int64_t columns) {
  int64_t shape[2];
  rondo_tensor *taken = NULL, *out = NULL;
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_gather_rows(table, turn, &taken));
  CHECK(rondo_tensor_reshape(taken, columns == 0 ? 1 : 2, shape, &out));
  rondo_tensor_destroy(taken);
  return out;
}

/* What the network thinks of each hidden byte of the next batch: [BATCH * HIDDEN, WORDS]. */
static rondo_tensor* forward(struct work* work) {
  static const int64_t words[] = {WORDS, WIDTH}, places[] = {PLACES, WIDTH}, flat[] = {BATCH * PLACES, WIDTH};
  const double variance = 1.0 / WIDTH;
  struct model* model = &work->model;
  rondo_matmul_options to_words = RONDO_MATMUL_OPTIONS_INIT;
  rondo_tensor *bytes, *hidden, *table, *x = NULL, *y, *rows = NULL, *out = NULL;
  model_begin(model);
  table = model_parameter(model, 2, words, variance);
  bytes = row(work->bytes, work->turn, BATCH, PLACES);
  CHECK(rondo_gather_rows(table, bytes, &x));
  CHECK(rondo_binary(RONDO_ADD, x, model_parameter(model, 2, places, variance), &x));
  y = encoder_norm(model, x);
  rondo_tensor_destroy(x);
  x = encoder_forward(&kEncoder, model, y);
  rondo_tensor_destroy(y);

  /* Only what is asked for goes on. The table says which byte a place looks like. */
  hidden = row(work->places, work->turn, BATCH * HIDDEN, 0);
  CHECK(rondo_tensor_reshape(x, 2, flat, &rows));
  y = NULL;
  CHECK(rondo_gather_rows(rows, hidden, &y));
  rondo_tensor_destroy(rows);
  rondo_tensor_destroy(x);
  x = encoder_dense(model, y, WIDTH);
  rondo_tensor_destroy(y);
  y = NULL;
  CHECK(rondo_unary(RONDO_GELU, x, &y));
  rondo_tensor_destroy(x);
  x = y;
  y = encoder_norm(model, x);
  to_words.transpose_b = 1;
  to_words.bias = model_constant(model, WORDS, 0);
  CHECK(rondo_matmul(y, table, &to_words, &out));
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(hidden);
  rondo_tensor_destroy(bytes);
  return out;
}

static void train(struct work* work) {
  struct model* model = &work->model;
  rondo_tensor *sources[MODEL_MOST], *gradients[MODEL_MOST] = {NULL};
  rondo_tensor *logits, *labels = row(work->labels, work->turn, BATCH * HIDDEN, 0), *losses = NULL, *loss = NULL;
  rondo_tape* tape = NULL;
  int i;
  CHECK(rondo_tape_begin(model->engine, RONDO_TAPE_DEFAULT, &tape));
  for (i = 0; i < model->count; ++i) {
    sources[i] = model->parameters[i].value;
    CHECK(rondo_tape_watch(tape, sources[i]));
  }
  logits = forward(work);
  CHECK(rondo_cross_entropy(logits, labels, &losses));
  CHECK(rondo_reduce(RONDO_MEAN, losses, 0, NULL, 0, &loss));
  CHECK(rondo_tape_gradients(tape, 1, &loss, NULL, model->count, sources, gradients));
  rondo_tape_destroy(tape);
  CHECK(rondo_optimizer_step(work->optimizer, model->count, gradients, NULL, NULL));
  CHECK(rondo_copy(loss, &work->add_to_loss));
  CHECK(rondo_binary_scalar(RONDO_ADD, work->turn, 1, &work->turn));
  for (i = 0; i < model->count; ++i) rondo_tensor_destroy(gradients[i]);
  rondo_tensor_destroy(loss);
  rondo_tensor_destroy(losses);
  rondo_tensor_destroy(labels);
  rondo_tensor_destroy(logits);
}

static void ask(struct work* work) {
  static const int32_t words = 1;
  rondo_tensor *logits = forward(work), *labels = row(work->labels, work->turn, BATCH * HIDDEN, 0);
  rondo_tensor *best = NULL, *byte = NULL, *same = NULL;
  CHECK(rondo_reduce(RONDO_ARGMAX, logits, 1, &words, 0, &best));
  CHECK(rondo_cast(best, RONDO_I32, &byte));
  CHECK(rondo_binary(RONDO_EQ, byte, labels, &same));
  CHECK(rondo_reduce(RONDO_SUM, same, 0, NULL, 0, &work->add_to_right));
  CHECK(rondo_binary_scalar(RONDO_ADD, work->turn, 1, &work->turn));
  rondo_tensor_destroy(same);
  rondo_tensor_destroy(byte);
  rondo_tensor_destroy(best);
  rondo_tensor_destroy(labels);
  rondo_tensor_destroy(logits);
}

/* ------------------------------------------------------------------------------------------------------------- work */

static rondo_tensor* table_of(const struct model* model, int64_t rows, int64_t columns, const int32_t* values) {
  rondo_tensor* table = NULL;
  int64_t shape[2];
  shape[0] = rows;
  shape[1] = columns;
  CHECK(rondo_tensor_from_host(model->engine, model->device, RONDO_I32, 2, shape, values, &table));
  return table;
}

/* Work on other batches, from the first one on. */
static void take_up(struct work* work, const struct batches* batches) {
  const struct model* model = &work->model;
  rondo_tensor_destroy(work->bytes);
  rondo_tensor_destroy(work->places);
  rondo_tensor_destroy(work->labels);
  work->bytes = table_of(model, batches->n, BATCH * PLACES, batches->bytes);
  work->places = table_of(model, batches->n, BATCH * HIDDEN, batches->places);
  work->labels = table_of(model, batches->n, BATCH * HIDDEN, batches->labels);
  CHECK(rondo_fill(work->turn, 0));
}

static void work_create(struct work* work, rondo_engine* engine, rondo_device device, const struct batches* batches) {
  static const int64_t one[] = {1};
  rondo_optimizer_options rule = RONDO_OPTIMIZER_OPTIONS_INIT;
  rondo_tensor* values[MODEL_MOST];
  int i;
  memset(work, 0, sizeof *work);
  model_create(&work->model, engine, device);
  CHECK(rondo_tensor_create(engine, device, RONDO_I32, 1, one, &work->turn));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 0, NULL, &work->loss));
  CHECK(rondo_tensor_create(engine, device, RONDO_I64, 0, NULL, &work->right));
  CHECK(rondo_fill(work->loss, 0));
  CHECK(rondo_fill(work->right, 0));
  CHECK(rondo_tensor_accumulator(work->loss, &work->add_to_loss));
  CHECK(rondo_tensor_accumulator(work->right, &work->add_to_right));
  take_up(work, batches);
  rondo_tensor_destroy(forward(work)); /* which makes the parameters */
  for (i = 0; i < work->model.count; ++i) values[i] = work->model.parameters[i].value;
  rule.kind = RONDO_OPTIMIZER_ADAMW;
  rule.rate = kRate;
  rule.weight_decay = kDecay;
  rule.max_norm = kNorm;
  CHECK(rondo_optimizer_create(work->model.count, values, &rule, &work->optimizer));
}

static void work_destroy(struct work* work) {
  rondo_optimizer_destroy(work->optimizer);
  model_destroy(&work->model);
  rondo_tensor_destroy(work->bytes);
  rondo_tensor_destroy(work->places);
  rondo_tensor_destroy(work->labels);
  rondo_tensor_destroy(work->turn);
  rondo_tensor_destroy(work->add_to_loss);
  rondo_tensor_destroy(work->loss);
  rondo_tensor_destroy(work->add_to_right);
  rondo_tensor_destroy(work->right);
}

/* Weights, in the order in which the network asks for them; and batches, where they are wanted. */
static void write_weights(const struct work* work, const char* path, int with_batches) {
  static const char* const tables[] = {"bytes", "places", "labels"};
  char numbers[MODEL_MOST][16];
  const char* names[MODEL_MOST + 3];
  rondo_tensor* tensors[MODEL_MOST + 3];
  const int n = work->model.count;
  int i;
  for (i = 0; i < n; ++i) {
    snprintf(numbers[i], sizeof numbers[i], "weights.%03d", i);
    names[i] = numbers[i];
    tensors[i] = work->model.parameters[i].value;
  }
  for (i = 0; i < 3; ++i) names[n + i] = tables[i];
  tensors[n] = work->bytes;
  tensors[n + 1] = work->places;
  tensors[n + 2] = work->labels;
  CHECK(rondo_model_file_write(path, names, tensors, with_batches ? n + 3 : n, NULL, NULL, 0));
}

/* Records what `body` does, or nothing where it is to be called each time. */
static rondo_graph* record(struct work* work, const char* name, void (*body)(struct work*), int eager) {
  rondo_record_options recording = RONDO_RECORD_OPTIONS_INIT;
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  rondo_graph* graph = NULL;
  if (eager) return NULL;
  recording.name = name;
  CHECK(rondo_record_begin(work->model.engine, &recording));
  body(work);
  CHECK(rondo_record_end(work->model.engine, &graph));
  CHECK(rondo_graph_query(graph, &info));
  printf("graph     %s: %d tasks in %d segment%s, %d captured, %d nodes\n", name, info.tasks, info.segments,
         info.segments == 1 ? "" : "s", info.captured, info.nodes);
  return graph;
}

static void run(struct work* work, rondo_graph* graph, void (*body)(struct work*), int64_t times) {
  int64_t i;
  for (i = 0; i < times; ++i) {
    if (graph != NULL) {
      CHECK(rondo_graph_launch(graph));
    } else {
      body(work);
    }
  }
}

/* Returns whether the loss is no smaller in the end than at the beginning. */
static int learn(struct work* work, const struct options* o) {
  rondo_graph* graph = record(work, "step", train, o->eager);
  double first = 0, mean = 0;
  int64_t done, steps;
  for (done = 0; done < o->steps; done += steps) {
    float sum = 0;
    steps = o->steps - done < EVERY ? o->steps - done : EVERY;
    run(work, graph, train, steps);
    CHECK(rondo_tensor_read(work->loss, &sum, sizeof sum));
    CHECK(rondo_fill(work->loss, 0));
    mean = (double)sum / (double)steps;
    if (done == 0) first = mean;
    printf("step %5lld   loss %.5f\n", (long long)(done + steps), mean);
  }
  rondo_graph_destroy(graph);
  return o->steps >= 2 * EVERY && !(mean < first);
}

static void test(struct work* work, const struct batches* tests, const struct options* o) {
  rondo_graph* graph;
  int64_t right = 0;
  take_up(work, tests);
  graph = record(work, "ask", ask, o->eager);
  run(work, graph, ask, o->tests);
  CHECK(rondo_tensor_read(work->right, &right, sizeof right));
  printf("asked     %lld of %lld hidden bytes found in text that it never saw\n", (long long)right,
         (long long)o->tests * BATCH * HIDDEN);
  rondo_graph_destroy(graph);
}

static rondo_tensor* copy_of(rondo_tensor* tensor) {
  rondo_tensor* out = NULL;
  CHECK(rondo_copy(tensor, &out));
  return out;
}
static rondo_tensor* saved_step(void* work, rondo_tensor* const* inputs) {
  (void)inputs;
  train(work);
  return copy_of(((struct work*)work)->loss);
}
static rondo_tensor* saved_question(void* work, rondo_tensor* const* inputs) {
  (void)inputs;
  ask(work);
  return copy_of(((struct work*)work)->right);
}

/* Both functions go through the batches, which are in the file; weights and the optimizer's numbers are its states. */
static int save(struct work* work, const char* path) {
  static const struct program_function functions[] = {{"step", "losses", 0, {{NULL, RONDO_F32, 0, {0}}}, saved_step},
                                                      {"ask", "right", 0, {{NULL, RONDO_F32, 0, {0}}}, saved_question}};
  CHECK(rondo_fill(work->turn, 0));
  CHECK(rondo_fill(work->right, 0));
  return program_file_write(path, work->model.engine, work->model.device, 2, functions, work);
}

int main(int argc, char** argv) {
  const struct options o = parse_options(argc, argv);
  int64_t length = 0, kept;
  unsigned char* text = read_text(o.text, &length);
  const rondo_device device = device_choose(o.device);
  struct batches batches, tests;
  rondo_engine* engine = NULL;
  struct work work;
  char name[128];
  int bad;
  setvbuf(stdout, NULL, _IOLBF, 0);
  kept = length / 10; /* the end is for the test */
  batches = choose(text, 0, length - kept, o.steps, (uint64_t)o.seed);
  tests = choose(text, length - kept, length, o.tests, (uint64_t)o.seed + 1);
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_engine_seed(engine, (uint64_t)o.seed));
  device_print(engine, device, name, sizeof name);
  work_create(&work, engine, device, &batches);
  printf("network   %d layers of width %d, %lld weights, %d x %d bytes a step\n", kEncoder.layers, WIDTH,
         (long long)model_size(&work.model), BATCH, PLACES);
  if (o.reference != NULL) write_weights(&work, o.reference, 1);
  bad = learn(&work, &o);
  if (bad) fprintf(stderr, "bert: the loss did not fall\n");
  test(&work, &tests, &o);
  if (o.parameters != NULL) write_weights(&work, o.parameters, 0);
  if (o.program != NULL && save(&work, o.program) != 0) bad = 1;
  work_destroy(&work);
  rondo_engine_destroy(engine);
  batches_free(&tests);
  batches_free(&batches);
  free(text);
  return bad;
}
