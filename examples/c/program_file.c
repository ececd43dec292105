/* See program_file.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "program_file.h"

#include "check.h"

enum { MOST_FUNCTIONS = 2 };

static rondo_graph* record(rondo_engine* engine, rondo_device device, const struct program_function* function,
                           void* arg) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  rondo_tensor *inputs[PROGRAM_INPUTS] = {NULL}, *out;
  rondo_graph* graph = NULL;
  int i;
  options.flags = RONDO_RECORD_CALLABLE;
  options.name = function->name;
  CHECK(rondo_record_begin(engine, &options));
  for (i = 0; i < function->n_inputs; ++i) {
    const struct program_input* input = &function->inputs[i];
    CHECK(rondo_record_input(engine, device, input->dtype, input->ndim, input->shape, &inputs[i]));
  }
  out = function->body(arg, inputs);
  CHECK(rondo_record_output(engine, out));
  CHECK(rondo_record_end(engine, &graph));
  for (i = 0; i < function->n_inputs; ++i) rondo_tensor_destroy(inputs[i]);
  rondo_tensor_destroy(out);
  return graph;
}

int program_file_write(const char* path, rondo_engine* engine, rondo_device device, int n,
                       const struct program_function* functions, void* arg) {
  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  const char *names[MOST_FUNCTIONS], *inputs[MOST_FUNCTIONS * PROGRAM_INPUTS], *outputs[MOST_FUNCTIONS];
  rondo_graph* graphs[MOST_FUNCTIONS];
  rondo_status status;
  int i, k, all = 0;
  for (i = 0; i < n; ++i) {
    names[i] = functions[i].name;
    outputs[i] = functions[i].output;
    for (k = 0; k < functions[i].n_inputs; ++k) inputs[all++] = functions[i].inputs[k].name;
    graphs[i] = record(engine, device, &functions[i], arg);
  }
  options.inputs = inputs;
  options.outputs = outputs;
  status = rondo_program_save(path, n, names, graphs, &options);
  if (status != RONDO_OK) fprintf(stderr, "%s: %s\n", path, rondo_last_error());
  for (i = 0; i < n; ++i) rondo_graph_destroy(graphs[i]);
  return status == RONDO_OK ? 0 : -1;
}
