/* Saves functions of an example's network as a program file, for programs of other languages to call: run_file.rs and
 * RunFile.java, and the command `rondo run`.
 *
 * Failures end the program (check.h), but for what a caller can get wrong, the path.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_PROGRAM_FILE_H
#define EXAMPLES_PROGRAM_FILE_H

#include <rondo/rondo.h>

enum {
  PROGRAM_INPUTS = 3,
  /* Sizes that vary, each from 1 to PROGRAM_MOST, in a shape in place of a number: */
  PROGRAM_BATCH = -1,
  PROGRAM_PIECES = -2, /* of each sentence; an input `lengths` says how many of them each has */
  PROGRAM_MOST = 64
};

struct program_input {
  const char* name;
  rondo_dtype dtype; /* numbers are from -1 to 1, and whole ones from 0 to 3 */
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

/* Records the functions with their bodies on `arg`, and writes them. Where sizes vary the file is opened again, and
 * must have the bits of the bodies at three sizes, or as many as the environment's RONDO_EXAMPLE_SIZES says. Returns 0,
 * or -1 after a line on stderr. */
int program_file_write(const char* path, rondo_engine* engine, rondo_device device, int n,
                       const struct program_function* functions, void* arg);

#endif /* EXAMPLES_PROGRAM_FILE_H */
