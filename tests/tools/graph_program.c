/* Saves a profile and a picture of a graph in a folder, for tests of `rondo graph`.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                           \
  do {                                                        \
    if ((call) != RONDO_OK) {                                 \
      fprintf(stderr, "%s: %s\n", #call, rondo_last_error()); \
      exit(1);                                                \
    }                                                         \
  } while (0)

static rondo_status then_body(void* left) {
  return rondo_fill(left, 1);
}
static rondo_status else_body(void* left) {
  return rondo_fill(left, 2);
}

/* Records an `if` with both bodies. */
static void save_choice(rondo_engine* engine, rondo_tensor* left, const char* folder) {
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t one[] = {1};
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_tensor* yes = NULL;
  rondo_graph* graph = NULL;
  char path[4096];
  options.name = "choice";
  options.flags = RONDO_RECORD_AS_WRITTEN;
  CHECK(rondo_tensor_create(engine, cpu, RONDO_BOOL, 1, one, &yes));
  CHECK(rondo_fill(yes, 1));
  CHECK(rondo_record_begin(engine, &options));
  CHECK(rondo_fill(left, 3));
  CHECK(rondo_if(engine, yes, then_body, else_body, left));
  CHECK(rondo_record_end(engine, &graph));
  snprintf(path, sizeof path, "%s/choice.json", folder);
  CHECK(rondo_graph_profile(graph, path));
  snprintf(path, sizeof path, "%s/choice.dot", folder);
  CHECK(rondo_graph_dot(graph, path));
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(yes);
}

int main(int count, char** arguments) {
  const rondo_device cpu = {RONDO_CPU, 0};
  const int64_t shape[] = {64, 64};
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_engine* engine = NULL;
  rondo_graph* graph = NULL;
  rondo_tensor *x = NULL, *negative = NULL, *product = NULL, *sum = NULL;
  char path[4096];
  if (count != 2) return 2;
  options.name = "step";
  options.flags = RONDO_RECORD_AS_WRITTEN | RONDO_RECORD_SITES;
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_random_normal(engine, cpu, RONDO_F32, 2, shape, 0, 1, &x));
  CHECK(rondo_record_begin(engine, &options));
  CHECK(rondo_unary(RONDO_NEG, x, &negative));
  CHECK(rondo_record_site("model.txt:3", NULL));
  CHECK(rondo_matmul(x, negative, NULL, &product));
  CHECK(rondo_record_site("model.txt:7", NULL));
  CHECK(rondo_reduce(RONDO_SUM, product, 0, NULL, 0, &sum));
  CHECK(rondo_record_end(engine, &graph));
  snprintf(path, sizeof path, "%s/profile.json", arguments[1]);
  CHECK(rondo_graph_profile(graph, path));
  snprintf(path, sizeof path, "%s/picture.dot", arguments[1]);
  CHECK(rondo_graph_dot(graph, path));
  rondo_graph_destroy(graph);
  save_choice(engine, x, arguments[1]);
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(negative);
  rondo_tensor_destroy(product);
  rondo_tensor_destroy(sum);
  rondo_engine_destroy(engine);
  return 0;
}
