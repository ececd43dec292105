/* ONNX models as program files: the library librondo_onnx, built where protozero's headers are found. librondo itself
 * knows nothing of ONNX.
 *
 *   const char* names[] = {"batch"};
 *   const int64_t sizes[] = {8};
 *   rondo_onnx_convert_options options = RONDO_ONNX_CONVERT_OPTIONS_INIT;
 *   options.n_sizes = 1;
 *   options.size_names = names;
 *   options.sizes = sizes;
 *   if (rondo_onnx_convert("model.onnx", "model.rondo.safetensors", &options) != RONDO_OK)
 *     fprintf(stderr, "%s\n", rondo_onnx_last_error());
 *
 * The result is opened and called as any program file (rondo/programs.h); rondo_onnx_open converts and opens in one
 * call. docs/onnx.md says which operators there are.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_ONNX_H
#define RONDO_ONNX_H

#include <rondo/base.h>
#include <rondo/programs.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rondo_onnx_convert_options {
  size_t size;                    /* set by RONDO_ONNX_CONVERT_OPTIONS_INIT */
  size_t n_sizes;                 /* dimensions of inputs that the model names instead of giving their size */
  const char* const* size_names;  /* as many: names of the model, or "input:axis" for one dimension */
  const int64_t* sizes;           /* as many: their sizes, 1 or more */
  size_t n_fixed;                 /* inputs that become constants, such as a sampling rate or a list of sizes */
  const char* const* fixed_names; /* as many: names of inputs, which the program then does not have */
  const size_t* fixed_counts;     /* as many: how many numbers each has, as many as its shape says */
  const double* fixed_numbers;    /* of all of them, one input after the other, row-major */
  const char* function;           /* name of the function in the file; NULL: "main" */
  int64_t memory_limit;           /* bytes that weights, constants, a trial and each list on the way may take; 0: any */
  int32_t fewer_roundings;        /* 1: the program may leave out roundings between operators that become one
                                     (RONDO_RECORD_FEWER_ROUNDINGS) */
  int32_t no_patterns;            /* 1: each node becomes operators of its own; 0: nodes that are one operator, such as
                                     those of a layer normalisation, become that (docs/onnx.md), with other roundings */
  size_t n_dims;                  /* dimensions that the program may be called with in any size between bounds, 8 at
                                     most; the model names them, and gives no size */
  const char* const* dim_names;   /* as many: names as in size_names; several with = between them, such as
                                     "input:0=state:1", are of one size, and the first one names it */
  const int64_t* least;           /* as many: the smallest size, 1 or more */
  const int64_t* most;            /* as many: the largest size, above the smallest, 2^40 at most */
  size_t n_limits;                /* results whose size the program computes, as those of NonZero */
  const char* const* limit_names; /* as many: the name of a node's first result, or of an operator for all its nodes */
  const int64_t* limits;          /* as many: the elements, or turns of a loop, that there may be, from 1 to 2^40; how
                                     many there are is a further output of the program, of the result's name with .count */
  const int64_t* steps;           /* NULL, or one for each of dims, 1 or more: its sizes are multiples of that, as its
                                     bounds are, and the program's dimension counts these steps */
} rondo_onnx_convert_options;
#define RONDO_ONNX_CONVERT_OPTIONS_INIT                                                                            \
  {                                                                                                                \
    sizeof(rondo_onnx_convert_options), 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, \
        NULL, NULL, NULL                                                                                           \
  }

/* Converts the ONNX model `path` and writes it as the program file `out_path`, which appears under its name when it is
 * complete. Inputs and outputs keep their names and order, initializers become weights of their names but for those
 * that are computed with before, as patterns fold and join them, and the texts of the model's metadata become the
 * program's, but for names and keys that program files cannot have (docs/onnx.md).
 * What depends on constants and shapes alone is computed now. options NULL means RONDO_ONNX_CONVERT_OPTIONS_INIT.
 *
 * With dims the program has dimensions that vary (rondo_program_save_with_dims) under their names in the model, in
 * which _ stands for all but letters, digits and _. The model is recorded at several sizes of each.
 *
 * Nothing of the model is trusted. Its external data are read from files beside it alone, which it names without a
 * folder.
 *
 * RONDO_UNSUPPORTED if something cannot be converted: the message has all such nodes, by operator, with how many there
 * are and why; nothing is written then. So it is if a number of the program is no expression of dims.
 * RONDO_INVALID_ARGUMENT for dimensions of inputs that have no size, which the message names all, and for options that
 * are wrong, numbers for an input of whole numbers that are none among them; RONDO_NOT_FOUND if there is no such file;
 * RONDO_IO_ERROR if it cannot be read or is not valid; RONDO_OUT_OF_MEMORY where it takes more than memory_limit. The
 * text is rondo_onnx_last_error(). From any thread that does not record. Since 0.1. */
RONDO_API rondo_status rondo_onnx_convert(const char* path, const char* out_path,
                                          const rondo_onnx_convert_options* options);

/* Converts the ONNX model `path` and opens the result as a program, which the caller owns; no file is left. options
 * NULL means RONDO_ONNX_CONVERT_OPTIONS_INIT. The program file has no name, in the folder for temporary files (TMPDIR),
 * and its room is given back with the last handle and instance of the program.
 *
 * The errors are those of rondo_onnx_convert and rondo_program_open; RONDO_IO_ERROR too where the folder cannot be
 * written. The text is rondo_onnx_last_error(). From any thread that does not record. Since 0.1. */
RONDO_API rondo_status rondo_onnx_open(const char* path, const rondo_onnx_convert_options* options,
                                       rondo_program** program);

/* Message of the last call of this library that failed on the calling thread; "" when none did. Borrowed: valid until
 * the next such call on this thread. Since 0.1. */
RONDO_API const char* rondo_onnx_last_error(void);

/* The patterns that the last successful conversion of the calling thread found among the nodes, each a line of its name
 * and how often, such as "attention: 6". Borrowed: valid until the next conversion on this thread. Since 0.1. */
RONDO_API const char* rondo_onnx_last_patterns(void);

/* Name, domain ("" is ai.onnx) and first version of operator number `index` that is converted, in the order of their
 * names; RONDO_INVALID_ARGUMENT if there are not as many. All static. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_onnx_operator(int64_t index, const char** name, const char** domain, int64_t* since);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_ONNX_H */
