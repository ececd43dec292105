/* Saves functions of an example's network as a program file, for programs of other languages to call: run_file.rs and
 * RunFile.java, and the command `rondo run`.
 *
 * Failures end the program (check.h), but for what a caller can get wrong, the path.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_PROGRAM_FILE_H
#define EXAMPLES_PROGRAM_FILE_H

#include <rondo/rondo.h>

enum { PROGRAM_INPUTS = 3 };

struct program_input {
  const char* name;
  rondo_dtype dtype;
  int32_t ndim;
  int64_t shape[4];
};

struct program_function {
  const char *name, *output;
  int n_inputs;
  struct program_input inputs[PROGRAM_INPUTS];
  /* Does the work on inputs with operators alone. The caller owns the result. */
  rondo_tensor* (*body)(void* arg, rondo_tensor* const* inputs);
};

/* Records the functions with their bodies on `arg`, and writes them. Returns 0, or -1 after a line on stderr. */
int program_file_write(const char* path, rondo_engine* engine, rondo_device device, int n,
                       const struct program_function* functions, void* arg);

#endif /* EXAMPLES_PROGRAM_FILE_H */
