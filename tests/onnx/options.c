/* The C interface of librondo_onnx: options that are wrong, older and newer callers, the list of operators.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include <rondo_onnx.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

/* A conversion ends with this status, and its message has this text. */
static void refused(const char* path, const char* out_path, const rondo_onnx_convert_options* options,
                    rondo_status status, const char* text) {
  const rondo_status got = rondo_onnx_convert(path, out_path, options);
  if (got == status && strstr(rondo_onnx_last_error(), text) && strstr(rondo_onnx_last_error(), "rondo_onnx_convert: "))
    return;
  ++failures;
  printf("status %d and '%s', not %d and '%s'\n", (int)got, rondo_onnx_last_error(), (int)status, text);
}

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  printf("not so: %s\n", what);
}

int main(void) {
  const char* const names[] = {"batch", "batch"};
  const char* const odd_names[] = {"a="};
  const int64_t sizes[] = {1, 2}, negative[] = {-1, 0}, most[] = {4, 4}, three[] = {3},
                beyond[] = {((int64_t)1 << 40) + 1};
  const size_t counts[] = {1, 1};
  const double numbers[] = {1, 2};
  const char *name = NULL, *domain = NULL, *before = "", *before_domain = "";
  int64_t since = 0, index = 0;
  rondo_program* program = NULL;
  struct {
    rondo_onnx_convert_options known;
    int64_t later;
  } newer = {RONDO_ONNX_CONVERT_OPTIONS_INIT, 0};
  rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;

  expect(strcmp(rondo_onnx_last_error(), "") == 0, "no message before the first failure");
  refused(NULL, "out", NULL, RONDO_INVALID_ARGUMENT, "path is NULL");
  refused("none.onnx", NULL, NULL, RONDO_INVALID_ARGUMENT, "out_path is NULL");
  refused("none.onnx", "out", NULL, RONDO_NOT_FOUND, "none.onnx");
  refused("none.onnx", "out", &options, RONDO_NOT_FOUND, "none.onnx");

  expect(rondo_onnx_open(NULL, NULL, &program) == RONDO_INVALID_ARGUMENT &&
             strstr(rondo_onnx_last_error(), "rondo_onnx_open: path is NULL"),
         "a path is needed");
  expect(rondo_onnx_open("none.onnx", NULL, NULL) == RONDO_INVALID_ARGUMENT &&
             strstr(rondo_onnx_last_error(), "program is NULL"),
         "a place for the program is needed");
  expect(rondo_onnx_open("none.onnx", NULL, &program) == RONDO_NOT_FOUND && program == NULL, "no file, no program");

  options.size = 4;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "options->size is 4");
  options.size = sizeof options;
  options.no_patterns = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "no_patterns is 2");
  options.no_patterns = 1;
  options.fewer_roundings = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "fewer_roundings is 2");
  options.fewer_roundings = 1;
  options.memory_limit = -1;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "memory_limit is -1");
  options.memory_limit = 1;
  refused("none.onnx", "out", &options, RONDO_NOT_FOUND, "none.onnx");

  options.n_sizes = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "size_names or sizes is NULL");
  options.size_names = names;
  options.sizes = sizes;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' is given twice");
  options.n_sizes = 1;
  options.sizes = negative;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' is -1");
  options.sizes = negative + 1;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' is 0; it must be 1 or more");
  options.n_sizes = 0;

  options.n_dims = 1;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "dim_names, least or most is NULL");
  options.dim_names = names;
  options.least = sizes;
  options.most = sizes;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' are from 1 to 1");
  options.least = negative + 1;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' are from 0 to 1");
  options.least = sizes;
  options.most = beyond;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "2^40 at most");
  options.most = most;
  refused("none.onnx", "out", &options, RONDO_NOT_FOUND, "none.onnx");
  options.n_dims = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' is given twice");
  options.n_dims = 9;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "n_dims is 9; it must be at most 8");
  options.n_dims = 1;
  options.dim_names = odd_names;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'a='; it must be names");
  options.dim_names = names;
  options.least = options.steps = sizes + 1;
  options.most = most;
  refused("none.onnx", "out", &options, RONDO_NOT_FOUND, "none.onnx");
  options.most = three;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT,
          "the step of 'batch' is 2, and its sizes are from 2 to 3");
  options.most = most;
  options.steps = most;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "the step of 'batch' is 4");
  options.steps = negative;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "the step of 'batch' is -1");
  options.dim_names = NULL;
  options.steps = NULL;
  options.n_dims = 0;

  options.n_limits = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "limit_names or limits is NULL");
  options.limit_names = names;
  options.limits = sizes;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "the limit of 'batch' is given twice");
  options.limits = negative + 1;
  options.n_limits = 1;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "the limit of 'batch' is 0");
  options.n_limits = 0;

  options.n_fixed = 2;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "fixed_names or fixed_counts is NULL");
  options.fixed_names = names;
  options.fixed_counts = counts;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "fixed_numbers is NULL");
  options.fixed_numbers = numbers;
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "'batch' are given twice");

  options.n_fixed = 0;
  options.function = "";
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "options->function is ''");
  options.function = "a\nb";
  refused("none.onnx", "out", &options, RONDO_INVALID_ARGUMENT, "options->function is 'a?b'");
  refused("none.onnx", "", NULL, RONDO_INVALID_ARGUMENT, "out_path is empty");

  newer.known.size = sizeof newer;
  refused("none.onnx", "out", &newer.known, RONDO_NOT_FOUND, "none.onnx");
  newer.later = 1;
  refused("none.onnx", "out", &newer.known, RONDO_INVALID_ARGUMENT, "does not know");

  for (; rondo_onnx_operator(index, &name, &domain, &since) == RONDO_OK; ++index) {
    const int order = strcmp(before_domain, domain);
    expect(since >= 1 && (order < 0 || (order == 0 && strcmp(before, name) < 0)), name);
    before = name;
    before_domain = domain;
  }
  expect(index > 100, "there are more than a hundred operators");
  expect(rondo_onnx_operator(-1, &name, &domain, &since) == RONDO_INVALID_ARGUMENT, "no operator -1");
  expect(strcmp(rondo_onnx_last_error(), "rondo_onnx_operator: index is -1; there are not as many") == 0,
         "the message has the index");
  expect(rondo_onnx_operator(0, NULL, &domain, &since) == RONDO_INVALID_ARGUMENT, "name is NULL");
  return failures != 0;
}
