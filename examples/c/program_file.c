/* See program_file.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "program_file.h"

#include <string.h>

#include "check.h"

enum { MOST_FUNCTIONS = 2, DIMS = 2 };
static const char* const kDims[DIMS] = {"batch", "pieces"};

/* The program and the functions that are saved; n_dims of the dimensions vary. */
struct saved {
  rondo_engine* engine;
  rondo_device device;
  const struct program_function* functions;
  void* arg;
  int n, n_dims;
};

static int dims_of(const struct saved* saved) {
  int i, k, d, dims = 0;
  for (i = 0; i < saved->n; ++i)
    for (k = 0; k < saved->functions[i].n_inputs; ++k)
      for (d = 0; d < saved->functions[i].inputs[k].ndim; ++d)
        if (-saved->functions[i].inputs[k].shape[d] > dims) dims = (int)-saved->functions[i].inputs[k].shape[d];
  return dims;
}

static void shape_at(const struct program_input* input, const int64_t* dims, int64_t* shape) {
  int d;
  for (d = 0; d < input->ndim; ++d) shape[d] = input->shape[d] < 0 ? dims[-1 - input->shape[d]] : input->shape[d];
}

static rondo_status record(void* arg, int32_t number, int32_t n_dims, const int64_t* dims, rondo_graph** graph) {
  const struct saved* saved = arg;
  const struct program_function* function = &saved->functions[number];
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_tensor *inputs[PROGRAM_INPUTS] = {NULL}, *out;
  int64_t shape[4];
  int i;
  (void)n_dims;
  options.flags = RONDO_RECORD_CALLABLE;
  options.name = function->name;
  CHECK(rondo_record_begin(saved->engine, &options));
  for (i = 0; i < function->n_inputs; ++i) {
    const struct program_input* input = &function->inputs[i];
    shape_at(input, dims, shape);
    CHECK(rondo_record_input(saved->engine, saved->device, input->dtype, input->ndim, shape, &inputs[i]));
  }
  out = function->body(saved->arg, inputs);
  CHECK(rondo_record_output(saved->engine, out));
  CHECK(rondo_record_end(saved->engine, graph));
  for (i = 0; i < function->n_inputs; ++i) rondo_tensor_destroy(inputs[i]);
  rondo_tensor_destroy(out);
  return RONDO_OK;
}

static void* allocate(size_t bytes) {
  void* memory = calloc(bytes == 0 ? 1 : bytes, 1);
  if (memory == NULL) {
    fprintf(stderr, "program_file: out of memory\n");
    exit(1);
  }
  return memory;
}

static rondo_tensor* make_input(const struct saved* saved, const struct program_input* input, const int64_t* dims) {
  const int lengths = strcmp(input->name, "lengths") == 0;
  rondo_tensor* tensor = NULL;
  int64_t shape[4], count = 1, i;
  unsigned char* bytes;
  int d;
  shape_at(input, dims, shape);
  if (input->dtype != RONDO_U8 && input->dtype != RONDO_I32) {
    CHECK(rondo_random_uniform(saved->engine, saved->device, input->dtype, input->ndim, shape, -1, 1, &tensor));
    return tensor;
  }
  for (d = 0; d < input->ndim; ++d) count *= shape[d];
  bytes = allocate((size_t)count * sizeof(int32_t));
  for (i = 0; i < count; ++i) {
    const int32_t number = lengths ? (int32_t)(1 + i % dims[-1 - PROGRAM_PIECES]) : (int32_t)(i * 7 % 11 % 4);
    if (input->dtype == RONDO_U8)
      bytes[i] = (unsigned char)number;
    else
      memcpy(bytes + (size_t)i * sizeof number, &number, sizeof number);
  }
  CHECK(rondo_tensor_from_host(saved->engine, saved->device, input->dtype, input->ndim, shape, bytes, &tensor));
  free(bytes);
  return tensor;
}

/* Returns whether both have the same bytes, and destroys them. */
static int same(rondo_tensor* a, rondo_tensor* b) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT, other = RONDO_TENSOR_INFO_INIT;
  char* bytes;
  int equal;
  CHECK(rondo_tensor_query(a, &info));
  CHECK(rondo_tensor_query(b, &other));
  bytes = allocate(2 * (size_t)info.bytes);
  equal = info.bytes == other.bytes;
  if (equal) {
    CHECK(rondo_tensor_read(a, bytes, (size_t)info.bytes));
    CHECK(rondo_tensor_read(b, bytes + info.bytes, (size_t)info.bytes));
    equal = memcmp(bytes, bytes + info.bytes, (size_t)info.bytes) == 0;
  }
  free(bytes);
  rondo_tensor_destroy(a);
  rondo_tensor_destroy(b);
  return equal;
}

static int same_as_body(const struct saved* saved, rondo_program_instance* instance,
                        const struct program_function* function, const int64_t* dims) {
  rondo_tensor *inputs[PROGRAM_INPUTS] = {NULL}, *called = NULL, *eager;
  int i;
  for (i = 0; i < function->n_inputs; ++i) inputs[i] = make_input(saved, &function->inputs[i], dims);
  eager = function->body(saved->arg, inputs);
  CHECK(rondo_program_call(instance, function->name, function->n_inputs, inputs, 1, &called));
  for (i = 0; i < function->n_inputs; ++i) rondo_tensor_destroy(inputs[i]);
  return same(eager, called);
}

/* Sizes are spread from 1 to the largest, which one alone is. Returns 0, or -1 after a line on stderr. */
static int compare(const struct saved* saved, const char* path) {
  const char* const text = getenv("RONDO_EXAMPLE_SIZES");
  const int given = text != NULL ? atoi(text) : 0, sizes = given >= 1 && given <= PROGRAM_MOST ? given : 3;
  rondo_program* program = NULL;
  rondo_program_instance* instance = NULL;
  int i, k, different = 0;
  CHECK(rondo_program_open(path, &program));
  CHECK(rondo_program_create_instance(program, saved->engine, saved->device, &instance));
  for (k = 0; k < sizes; ++k) {
    const int64_t size = sizes == 1 ? PROGRAM_MOST : 1 + (int64_t)k * (PROGRAM_MOST - 1) / (sizes - 1),
                  dims[DIMS] = {size, PROGRAM_MOST + 1 - size};
    for (i = 0; i < saved->n; ++i)
      if (!same_as_body(saved, instance, &saved->functions[i], dims)) {
        fprintf(stderr, "%s: the function '%s' has other bits than its operators with %s=%d\n", path,
                saved->functions[i].name, kDims[0], (int)size);
        ++different;
      }
  }
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(program);
  if (different == 0) printf("program   has the bits of its operators at %d sizes from 1 to %d\n", sizes, PROGRAM_MOST);
  return different == 0 ? 0 : -1;
}

int program_file_write(const char* path, rondo_engine* engine, rondo_device device, int n,
                       const struct program_function* functions, void* arg) {
  static const int64_t least[DIMS] = {1, 1}, most[DIMS] = {PROGRAM_MOST, PROGRAM_MOST};
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  const char *names[MOST_FUNCTIONS], *inputs[MOST_FUNCTIONS * PROGRAM_INPUTS], *outputs[MOST_FUNCTIONS];
  rondo_graph* graphs[MOST_FUNCTIONS] = {NULL};
  struct saved saved;
  rondo_status status;
  int i, k, all = 0;
  saved.engine = engine;
  saved.device = device;
  saved.functions = functions;
  saved.arg = arg;
  saved.n = n;
  saved.n_dims = dims_of(&saved);
  for (i = 0; i < n; ++i) {
    names[i] = functions[i].name;
    outputs[i] = functions[i].output;
    for (k = 0; k < functions[i].n_inputs; ++k) inputs[all++] = functions[i].inputs[k].name;
  }
  options.inputs = inputs;
  options.outputs = outputs;
  if (saved.n_dims > 0) {
    status = rondo_program_save_with_dims(path, n, names, saved.n_dims, kDims, least, most, record, &saved, &options);
  } else {
    for (i = 0; i < n; ++i) CHECK(record(&saved, i, 0, NULL, &graphs[i]));
    status = rondo_program_save(path, n, names, graphs, &options);
    for (i = 0; i < n; ++i) rondo_graph_destroy(graphs[i]);
  }
  if (status != RONDO_OK) fprintf(stderr, "%s: %s\n", path, rondo_last_error());
  if (status != RONDO_OK) return -1;
  return saved.n_dims > 0 ? compare(&saved, path) : 0;
}
