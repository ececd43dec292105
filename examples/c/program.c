/* A classifier of any number of rows that is saved as a program file, and called where nothing but the file is: by this
 * program, or by those of the same name in C++, Rust and Java. They write the same bytes.
 * usage: program save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"

typedef struct classifier {
  rondo_engine* engine;
  rondo_tensor *w, *b;
} classifier;

/* Records the function for so many rows. It is called for a few numbers of rows, and the file takes any other. */
static rondo_status record(void* arg, int32_t function, int32_t n_dims, const int64_t* dims, rondo_graph** graph) {
  const classifier* of = arg;
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t pixels[2] = {dims[0], 3};
  rondo_tensor *x = NULL, *logits = NULL, *scores = NULL;
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_matmul_options matmul = RONDO_MATMUL_OPTIONS_INIT;
  (void)function, (void)n_dims;
  options.flags = RONDO_RECORD_CALLABLE;
  matmul.bias = of->b;
  CHECK(rondo_record_begin(of->engine, &options));
  CHECK(rondo_record_input(of->engine, device, RONDO_F32, 2, pixels, &x));
  CHECK(rondo_matmul(x, of->w, &matmul, &logits));
  CHECK(rondo_softmax(logits, 1, &scores));
  CHECK(rondo_record_output(of->engine, scores));
  CHECK(rondo_record_end(of->engine, graph));
  rondo_tensor_destroy(scores), rondo_tensor_destroy(logits), rondo_tensor_destroy(x);
  return RONDO_OK;
}

static void save(rondo_engine* engine, const char* path) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t matrix[2] = {3, 2}, vector[1] = {2}, least = 1, most = 64;
  const float weights[6] = {1, 0, 0, 1, 0.5, 0.5}, biases[2] = {0, 0.25};
  classifier of = {engine, NULL, NULL};
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, matrix, weights, &of.w));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, vector, biases, &of.b));
  const char *const name = "classify", *const input = "pixels", *const output = "scores", *const rows = "rows";
  const char *const weight_names[] = {"w", "b"}, *const key = "labels", *const value = "cat dog";
  rondo_tensor* const named[] = {of.w, of.b};
  options.inputs = &input;
  options.outputs = &output;
  options.n_weights = 2;
  options.weight_names = weight_names;
  options.weights = named;
  options.n_metadata = 1;
  options.keys = &key;
  options.values = &value;
  CHECK(rondo_program_save_with_dims(path, 1, &name, 1, &rows, &least, &most, record, &of, &options));
  rondo_tensor_destroy(of.b), rondo_tensor_destroy(of.w);
}

/* " pixels [rows, 3]" */
static void print_value(rondo_program* program, const char* name, const rondo_program_tensor_info* info) {
  printf(" %s [", name);
  for (int i = 0; i < info->ndim; ++i) {
    const char* dim = NULL;
    int64_t least = 0, most = 0;
    if (info->dims[i] > 0) CHECK(rondo_program_dim(program, info->dims[i] - 1, &dim, &least, &most));
    if (i) printf(", ");
    dim ? printf("%s", dim) : printf("%d", (int)info->shape[i]);
  }
  printf("]");
}

static void call(rondo_engine* engine, const char* path, rondo_device device) {
  const int64_t shape[2] = {2, 3};
  const float pixels[6] = {2, 0, 1, 0, 2, 1};
  float scores[4];
  const char *function = NULL, *name = NULL, *labels = NULL;
  rondo_program* program = NULL;
  rondo_program_instance* instance = NULL;
  rondo_program_function_info info = RONDO_PROGRAM_FUNCTION_INFO_INIT;
  rondo_program_tensor_info tensor = RONDO_PROGRAM_TENSOR_INFO_INIT;
  rondo_tensor *x = NULL, *y = NULL;

  CHECK(rondo_program_open(path, &program)); /* says what is in it before any weight is read */
  CHECK(rondo_program_function(program, 0, &function, &info));
  printf("%s:", function);
  CHECK(rondo_program_input(program, 0, 0, &name, &tensor));
  print_value(program, name, &tensor);
  printf(" ->");
  CHECK(rondo_program_output(program, 0, 0, &name, &tensor));
  print_value(program, name, &tensor);
  CHECK(rondo_program_metadata(program, 0, &name, &labels));
  printf("\n%s: %s\n", name, labels);

  CHECK(rondo_program_create_instance(program, engine, device, &instance));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, shape, pixels, &x));
  CHECK(rondo_program_call(instance, function, 1, &x, 1, &y));
  CHECK(rondo_tensor_read(y, scores, sizeof scores));
  for (int i = 0; i < 2; ++i) printf("%.3f %.3f\n", scores[2 * i], scores[2 * i + 1]);

  rondo_tensor_destroy(y), rondo_tensor_destroy(x);
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(program);
}

int main(int count, char** arguments) {
  rondo_device device = {RONDO_CPU, 0};
  rondo_engine* engine = NULL;
  const int saves = count == 3 && strcmp(arguments[1], "save") == 0;
  if (!saves && (count < 3 || count > 4 || strcmp(arguments[1], "call") != 0)) {
    fprintf(stderr, "usage: program save FILE | call FILE [DEVICE]\n");
    return 2;
  }
  if (count == 4) CHECK(rondo_device_parse(arguments[3], &device));
  CHECK(rondo_engine_create(NULL, &engine));
  if (saves)
    save(engine, arguments[2]);
  else
    call(engine, arguments[2], device);
  rondo_engine_destroy(engine);
  return 0;
}
