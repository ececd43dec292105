/* Program files: functions that were recorded once, saved with their weights, and called in another process, language
 * or machine.
 *
 * A program file is data, never code: a safetensors file whose tensors are the weights and whose metadata have the
 * program as text. It has functions with names, each with named inputs and outputs of one dtype and shape. Whatever
 * stands in a file, opening it, making an instance and calling that end with results or with a status; they read and
 * write nothing but the program's own tensors.
 *
 * docs/program-files.md has the format, and says what is checked.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_PROGRAMS_H
#define RONDO_PROGRAMS_H

#include <rondo/base.h>
#include <rondo/callable.h>
#include <rondo/graph.h>
#include <rondo/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program file that is open. Belongs to no engine. What it says does not change. */
typedef struct rondo_program rondo_program;
/* The functions of a program with their weights on one device, ready to be called. */
typedef struct rondo_program_instance rondo_program_instance;

typedef struct rondo_program_save_options {
  size_t size;                     /* set by RONDO_PROGRAM_SAVE_OPTIONS_INIT */
  const char* const* inputs;       /* names of the inputs of all functions, one function after the other; NULL, or NULL
                                      for one: "input0" and so on */
  const char* const* outputs;      /* the same of outputs: "output0" */
  size_t n_weights;                /* tensors from outside that get names */
  const char* const* weight_names; /* as many; the other tensors from outside are "weight0" and so on */
  rondo_tensor* const* weights;    /* as many, each of them used by a function, and whole: no part of a tensor */
  size_t n_metadata;               /* texts of the program's author, such as the labels of a classifier */
  const char* const* keys;         /* as many */
  const char* const* values;       /* as many */
  const char* reader;              /* the oldest version of the library that shall read the file, such as "0.1"; NULL:
                                      this one */
} rondo_program_save_options;
#define RONDO_PROGRAM_SAVE_OPTIONS_INIT \
  { sizeof(rondo_program_save_options), NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL }

/* Writes `n_functions` graphs that are called (RONDO_RECORD_CALLABLE) as the functions of the file `path`, under
 * `names`, as they were recorded, before passes. Tensors from outside become weights, which the functions share; those
 * that a function writes become states, with what is in them now. Waits for them. Parameters and sections have the
 * values that they have now. options NULL means RONDO_PROGRAM_SAVE_OPTIONS_INIT.
 *
 * The file appears under its name when it is complete (rondo_model_file_write). Equal programs give equal bytes.
 *
 * RONDO_UNSUPPORTED if something cannot be in a file, or is newer than the version that shall read it: the message
 * names each such operator, and where it was recorded if that was noted. RONDO_INVALID_ARGUMENT for names that come
 * twice, are empty, have control characters or are not UTF-8, and for a weight that no function uses; RONDO_IO_ERROR if
 * the file cannot be written; a poisoned weight's error. Not allowed while recording or inside a task. Since 0.1. */
RONDO_API rondo_status rondo_program_save(const char* path, int32_t n_functions, const char* const* names,
                                          rondo_graph* const* graphs, const rondo_program_save_options* options);

/* Records one function of a program at some sizes, for rondo_program_save_with_dims: the one with the number `function`
 * among its names, with dims[i] of the i-th named dimension. Gives *graph, which is called (RONDO_RECORD_CALLABLE), and
 * which passes to Rondo. It has the same operators at all sizes, and uses the same tensors from outside: what it needs
 * besides is made once, before. Must not throw. Returns RONDO_OK, or a status that saving fails with. */
typedef rondo_status (*rondo_program_record_fn)(void* arg, int32_t function, int32_t n_dims, const int64_t* dims,
                                                rondo_graph** graph);
/* Writes functions whose sizes vary, as rondo_program_save does those of one size. The dimensions dim_names[i], n_dims
 * of them (8 at most), are from least[i] to most[i]; a loaded function takes all sizes in between. Names have letters
 * of ASCII, digits and _, and begin with no digit.
 *
 * Calls `record` on the calling thread, with `arg`, several times for each function: at sizes between the bounds that
 * differ for each dimension (of one with five sizes or fewer at all of them), at the smallest, at 1 where these are 0,
 * and after that at the largest of all dimensions and at one more, if they were not among them. Each number of the
 * program that differs between recordings must be an expression of the dimensions: a sum of products, a quotient of one
 * dimension rounded down, or a real number times these or divided by them. At the smallest sizes nodes may differ that
 * do the same to the same elements. Each dimension that a function varies with is an axis of one of its inputs.
 * options: names of inputs and outputs are as many as the recorded graphs have.
 *
 * RONDO_UNSUPPORTED if nodes differ between recordings, if a number is no such expression, or if further recordings are
 * not what was found; the message names each such operator, and where it was recorded if that was noted.
 * The failure of `record` with the sizes it was asked for; RONDO_USER_ERROR if it gives no graph; RONDO_INVALID_STATE
 * while this thread records; other errors as of rondo_program_save. Since 0.1. */
RONDO_API rondo_status rondo_program_save_with_dims(const char* path, int32_t n_functions, const char* const* names,
                                                    int32_t n_dims, const char* const* dim_names, const int64_t* least,
                                                    const int64_t* most, rondo_program_record_fn record, void* arg,
                                                    const rondo_program_save_options* options);

/* Opens the file `path` and reads and checks its program; no weight is read. The caller owns *program. RONDO_NOT_FOUND
 * if there is no such file; RONDO_IO_ERROR if it cannot be read or is not valid, with the place and the reason;
 * RONDO_UNSUPPORTED if it needs a later version of the library, with the first word that this one does not know.
 * Since 0.1. */
RONDO_API rondo_status rondo_program_open(const char* path, rondo_program** program);
/* Destroys the handle `program`. Never blocks; instances stay. NULL is allowed. Since 0.1. */
RONDO_API void rondo_program_destroy(rondo_program* program);

typedef struct rondo_program_info {
  size_t size;          /* set by RONDO_PROGRAM_INFO_INIT */
  int64_t functions;    /* number of functions */
  int64_t weights;      /* number of weights, states too */
  int64_t metadata;     /* number of texts of the author */
  int64_t weight_bytes; /* of all weights that no function writes */
  int64_t state_bytes;  /* of those that functions write, which each instance has for itself */
  char needs[16];       /* the version of the library that it needs, such as "0.1" */
  int64_t dims;         /* number of dimensions that vary and have names */
} rondo_program_info;
#define RONDO_PROGRAM_INFO_INIT \
  { sizeof(rondo_program_info), 0, 0, 0, 0, 0, {0}, 0 }
/* Facts about a program. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_program_query(rondo_program* program, rondo_program_info* info);

typedef struct rondo_program_function_info {
  size_t size;        /* set by RONDO_PROGRAM_FUNCTION_INFO_INIT */
  int32_t inputs;     /* number of inputs */
  int32_t outputs;    /* number of outputs */
  int64_t nodes;      /* number of nodes, views too */
  int32_t parameters; /* numbers that rondo_graph_set sets */
  int32_t sections;   /* parts that rondo_graph_enable switches */
  int32_t varies;     /* 1: something in it varies with dimensions that have names, and it is called at any size */
  int32_t reserved;   /* 0 */
} rondo_program_function_info;
#define RONDO_PROGRAM_FUNCTION_INFO_INIT \
  { sizeof(rondo_program_function_info), 0, 0, 0, 0, 0, 0, 0 }
/* Name and facts of one function, by `index`, in the file's order. *name lives as long as the program. Never blocks.
 * RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_program_function(rondo_program* program, int64_t index, const char** name,
                                              rondo_program_function_info* info);
/* The index of the function `name` of `program`. Never blocks. RONDO_NOT_FOUND if there is none, with the names there
 * are. Since 0.1. */
RONDO_API rondo_status rondo_program_find(rondo_program* program, const char* name, int64_t* index);

/* Name and bounds of a dimension that varies, by `index`: its sizes are from *least to *most. *name lives as long as
 * the program. Never blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_program_dim(rondo_program* program, int64_t index, const char** name, int64_t* least,
                                         int64_t* most);

typedef struct rondo_program_tensor_info {
  size_t size;                   /* set by RONDO_PROGRAM_TENSOR_INFO_INIT */
  rondo_dtype dtype;             /* its dtype */
  int32_t ndim;                  /* its dimensions */
  int32_t state;                 /* of a weight, 1: functions write it, and each instance has its own */
  int32_t reserved;              /* 0 */
  int64_t shape[RONDO_MAX_DIMS]; /* its shape; where it varies, that of the largest sizes */
  int32_t dims[RONDO_MAX_DIMS]; /* of each axis: 0, it is fixed; 1 + i, it has the size of the dimension i; -1, its size
                                   is another expression of dimensions */
} rondo_program_tensor_info;
#define RONDO_PROGRAM_TENSOR_INFO_INIT                             \
  {                                                                \
    sizeof(rondo_program_tensor_info), RONDO_BOOL, 0, 0, 0, {0}, { \
      0                                                            \
    }                                                              \
  }
/* Name and facts of an input of a function, both by index. *name lives as long as the program. Never blocks.
 * RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_program_input(rondo_program* program, int64_t function, int32_t index, const char** name,
                                           rondo_program_tensor_info* info);
/* The same of an output of the function with the index `function` of `program`. Since 0.1. */
RONDO_API rondo_status rondo_program_output(rondo_program* program, int64_t function, int32_t index, const char** name,
                                            rondo_program_tensor_info* info);
/* The same of a weight of `program`. Since 0.1. */
RONDO_API rondo_status rondo_program_weight(rondo_program* program, int64_t index, const char** name,
                                            rondo_program_tensor_info* info);
/* One text of the program's author, by `index`, in the file's order. *key and *value live as long as the program. Never
 * blocks. RONDO_INVALID_ARGUMENT if there are not as many. Since 0.1. */
RONDO_API rondo_status rondo_program_metadata(rondo_program* program, int64_t index, const char** key,
                                              const char** value);
/* The program as the file has it: JSON, one node a line. Writes at most capacity bytes with the final zero; *length is
 * the whole length without it (buffer may be NULL with capacity 0). Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_program_text(rondo_program* program, char* buffer, size_t capacity, size_t* length);

/* Gives a program with dimensions at the sizes `dims` and no others, one for each dimension: its functions have the
 * shapes of these. The caller owns *bound, which is a program like others, shares weights with `program` and lives on
 * without it. RONDO_INVALID_ARGUMENT for another number of sizes and for those outside the bounds; RONDO_IO_ERROR if
 * what the file says cannot have these sizes. Since 0.1. */
RONDO_API rondo_status rondo_program_bind(rondo_program* program, int32_t n_dims, const int64_t* dims,
                                          rondo_program** bound);

/* Makes an instance of a program on a device: loads the weights and records each function anew, which checks that
 * attributes, shapes and dtypes of all nodes go together. The caller owns *instance, which keeps the file open.
 * RONDO_IO_ERROR for a program whose nodes do not go together, with function, node and reason; RONDO_INVALID_STATE
 * while this thread records; other errors as of rondo_model_file_load and rondo_record_end. Since 0.1. */
RONDO_API rondo_status rondo_program_create_instance(rondo_program* program, rondo_engine* engine, rondo_device device,
                                                     rondo_program_instance** instance);
typedef struct rondo_program_instance_options {
  size_t size;                             /* set by RONDO_PROGRAM_INSTANCE_OPTIONS_INIT */
  const rondo_callable_options* callables; /* of functions whose sizes vary: the bytes that the graphs of one may take,
                                              and sizes that inputs are filled up to; its name and flags are not given.
                                              NULL means RONDO_CALLABLE_OPTIONS_INIT */
  size_t n_weights;                        /* weights that are given instead of those in the file, which are not read */
  const char* const* weight_names;         /* as many names of the program's weights, each once */
  rondo_tensor* const* weights;       /* as many, each whole and on the device, of the weight's dtype and shape. They
                                         are used as they are at each call; of a state, functions write them */
  int64_t most_turns;                 /* loops turn at most as often, whatever limit the file has; 0: as it says */
  size_t n_extra;                     /* further outputs of functions, after their own, for comparing layers */
  const char* const* extra_functions; /* as many names of functions; outputs come in this order */
  const int64_t* extra_values;        /* as many numbers of values outside of bodies, as rondo_program_text has them */
} rondo_program_instance_options;
#define RONDO_PROGRAM_INSTANCE_OPTIONS_INIT \
  { sizeof(rondo_program_instance_options), NULL, 0, NULL, NULL, 0, 0, NULL, NULL }
/* Makes an instance with options, which the caller owns as *instance; NULL means RONDO_PROGRAM_INSTANCE_OPTIONS_INIT.
 * RONDO_INVALID_ARGUMENT for options that rondo_callable_create refuses, for a name and flags of callables, for weights
 * and values that the program does not have, and for weights that do not fit; RONDO_NOT_FOUND for functions that it
 * does not have; errors as of rondo_program_create_instance. Since 0.1. */
RONDO_API rondo_status rondo_program_create_instance_with(rondo_program* program, rondo_engine* engine,
                                                          rondo_device device,
                                                          const rondo_program_instance_options* options,
                                                          rondo_program_instance** instance);
/* Destroys the handle `instance`. Never blocks; calls in flight finish first, and graphs that were taken out stay. NULL
 * is allowed. Since 0.1. */
RONDO_API void rondo_program_instance_destroy(rondo_program_instance* instance);
/* Calls a function by its name, as rondo_graph_call does a graph: inputs and outputs in the order of the file. From any
 * thread; on the instance's engine.
 *
 * A function whose sizes vary is a callable (rondo/callable.h): its inputs have any sizes within the bounds, and the
 * first call at some sizes records and compiles. RONDO_INVALID_ARGUMENT for sizes outside the bounds, and for inputs
 * whose shapes do not go together, with the input and the size.
 *
 * RONDO_NOT_FOUND if there is no such function, with the names there are; other errors as of rondo_graph_call and
 * rondo_callable_call. Since 0.1. */
RONDO_API rondo_status rondo_program_call(rondo_program_instance* instance, const char* function, int32_t n_inputs,
                                          rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs);
/* The graph of a function, by its name, for what is done with graphs: calls without a look for the name, parameters and
 * sections, reports, profiles. The caller owns *graph, which lives on without the instance. RONDO_NOT_FOUND if there is
 * no such function, with the names there are; RONDO_INVALID_STATE if the engine is destroyed; RONDO_UNSUPPORTED for a
 * function whose sizes vary: an instance of rondo_program_bind has its graph. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_program_graph(rondo_program_instance* instance, const char* function, rondo_graph** graph);
/* The callable of a function whose sizes vary, by its name: for figures and the report of its graphs, and to let go of
 * them. Its calls are the instance's. The caller owns *callable, which lives on without the instance. RONDO_UNSUPPORTED
 * for a function of one size, which rondo_program_graph gives; other errors as of rondo_program_graph. Never blocks.
 * Since 0.1. */
RONDO_API rondo_status rondo_program_callable(rondo_program_instance* instance, const char* function,
                                              rondo_callable** callable);
/* A weight of an instance, by its name; of a state, the tensor that the functions write. The caller owns *tensor. What
 * is written into it the instance's next calls see, and for other than states other instances may see it too.
 * RONDO_NOT_FOUND if there is no such weight; RONDO_INVALID_STATE if the engine is destroyed. Never blocks. Since
 * 0.1. */
RONDO_API rondo_status rondo_program_instance_weight(rondo_program_instance* instance, const char* name,
                                                     rondo_tensor** tensor);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_PROGRAMS_H */
