/* A classifier that is saved as a program file, and called where nothing but the file is: by this program, or by those
 * of the same name in C++, Rust and Java. They write the same bytes.
 * usage: program save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check.h"

static void save(rondo_engine* engine, const char* path) {
  const rondo_device device = {RONDO_CPU, 0};
  const int64_t matrix[2] = {3, 2}, vector[1] = {2}, pixels[2] = {2, 3};
  const float weights[6] = {1, 0, 0, 1, 0.5, 0.5}, biases[2] = {0, 0.25};
  rondo_tensor *w = NULL, *b = NULL, *x = NULL, *logits = NULL, *scores = NULL;
  rondo_record_options record = RONDO_RECORD_OPTIONS_INIT;
  rondo_matmul_options matmul = RONDO_MATMUL_OPTIONS_INIT;
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  rondo_graph* graph = NULL;
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 2, matrix, weights, &w));
  CHECK(rondo_tensor_from_host(engine, device, RONDO_F32, 1, vector, biases, &b));

  record.flags = RONDO_RECORD_CALLABLE;
  matmul.bias = b;
  CHECK(rondo_record_begin(engine, &record));
  CHECK(rondo_record_input(engine, device, RONDO_F32, 2, pixels, &x));
  CHECK(rondo_matmul(x, w, &matmul, &logits));
  CHECK(rondo_softmax(logits, 1, &scores));
  CHECK(rondo_record_output(engine, scores));
  CHECK(rondo_record_end(engine, &graph));

  const char *const name = "classify", *const input = "pixels", *const output = "scores";
  const char *const weight_names[] = {"w", "b"}, *const key = "labels", *const value = "cat dog";
  rondo_tensor* const named[] = {w, b};
  options.inputs = &input;
  options.outputs = &output;
  options.n_weights = 2;
  options.weight_names = weight_names;
  options.weights = named;
  options.n_metadata = 1;
  options.keys = &key;
  options.values = &value;
  CHECK(rondo_program_save(path, 1, &name, &graph, &options));

  rondo_graph_destroy(graph);
  rondo_tensor_destroy(scores), rondo_tensor_destroy(logits), rondo_tensor_destroy(x);
  rondo_tensor_destroy(b), rondo_tensor_destroy(w);
}

/* " pixels [2, 3]" */
static void print_value(const char* name, const rondo_program_tensor_info* info) {
  printf(" %s [", name);
  for (int i = 0; i < info->ndim; ++i) printf("%s%d", i ? ", " : "", (int)info->shape[i]);
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
  print_value(name, &tensor);
  printf(" ->");
  CHECK(rondo_program_output(program, 0, 0, &name, &tensor));
  print_value(name, &tensor);
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
