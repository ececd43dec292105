/* Program files: functions that were recorded once, saved with their weights, and called in another process, language
 * or machine.
 *
 * A program file is data, never code: a safetensors file whose tensors are the weights and whose metadata have the
 * program as text, or JSON that names safetensors files in its folder. It has functions with names, each with named
 * inputs and outputs of one dtype and shape. Whatever stands in a file, opening it, making an instance and calling that
 * end with results or with a status; they read and write nothing but the program's own tensors.
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
  size_t n_metadata;               /* texts of the program's author, such as the labels of a classifier; the keys
                                      "rondo.program" and "rondo.check" are Rondo's */
  const char* const* keys;         /* as many */
  const char* const* values;       /* as many */
  const char* reader;              /* the oldest version of the library that shall read the file, such as "0.1"; NULL:
                                      this one */
  const char* weights_into; /* the name of a safetensors file in the folder of the program's, which is written and
                               has the weights; NULL: none is written */
  size_t n_weights_from;    /* safetensors files that are there, in the folder of the program's */
  const char* const* weights_from; /* as many names; they stay as they are, and their tensors with names of weights are
                                      equal to these */
} rondo_program_save_options;
#define RONDO_PROGRAM_SAVE_OPTIONS_INIT \
  { sizeof(rondo_program_save_options), NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, NULL }

/* Writes `n_functions` graphs that are called (RONDO_RECORD_CALLABLE) as the functions of the file `path`, under
 * `names`, as they were recorded, before passes. Tensors from outside become weights, which the functions share; those
 * that a function writes become states, with what is in them now. Waits for them. Parameters and sections have the
 * values that they have now. options NULL means RONDO_PROGRAM_SAVE_OPTIONS_INIT.
 *
 * The file appears under its name when it is complete (rondo_model_file_write). Equal programs give equal bytes.
 *
 * With options->weights_into or options->weights_from the file `path` is JSON: the program, and the files that have its
 * weights, by name, size and SHA-256. Weights that are in no file of weights_from are written into weights_into;
 * without such weights it is not written. Both files appear when both are complete. A file of that name is replaced:
 * other programs that name it are refused from then on.
 *
 * RONDO_UNSUPPORTED if something cannot be in a file, or is newer than the version that shall read it: the message
 * names each such operator, and where it was recorded if that was noted. RONDO_INVALID_ARGUMENT for names that come
 * twice, are empty, have control characters or are not UTF-8, for keys that are Rondo's, for a weight that no function
 * uses, and for one that differs from the tensor of its name in weights_from, is in two of these files or has no file
 * to go into, and for a file of weights_from that has no weight, is named twice or lies in another folder;
 * RONDO_NOT_FOUND for a file of weights_from that is not there; RONDO_IO_ERROR if a file cannot be read or written; a
 * poisoned weight's error. Not allowed while recording or inside a task. Since 0.1. */
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
 * do the same to the same elements. Each dimension that a function varies with is an axis of one of its inputs, or a
 * whole number times it is: of an axis of 32 * H, sizes are multiples of 32.
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

/* Opens the file `path` and reads and checks its program; no weight is read. Of JSON also opens the files that it
 * names, which lie in its folder and are no links. The caller owns *program. RONDO_NOT_FOUND if there is no such file;
 * RONDO_IO_ERROR if one cannot be read or is not valid, or has another size than the program says, with the place and
 * the reason; RONDO_UNSUPPORTED if it needs a later version of the library, with the first word that this one does not
 * know. Since 0.1. */
RONDO_API rondo_status rondo_program_open(const char* path, rondo_program** program);
/* Opens a program from the bytes that its file would have, `bytes` of them at `data`, as rondo_program_open does. They
 * are copied: the caller's may change or go when this returns, and the program and its instances keep the copy. What is
 * large is better opened by its path, which takes no memory for what is on a device.
 *
 * RONDO_UNSUPPORTED for JSON that names files, since bytes have no folder; other errors as of rondo_program_open.
 * Since 0.1. */
RONDO_API rondo_status rondo_program_open_bytes(const void* data, size_t bytes, rondo_program** program);
/* Says that `program` comes from somebody whom the caller trusts. Until this is said nothing that is compiled or chosen
 * for it is kept for other processes (rondo/cache.h): its kernels would take the room of others'. What is kept already
 * is used all the same. Holds for instances, calls and rondo_program_memory from now on, and for programs that were
 * bound from it. What a process has compiled before it keeps in its memory alone. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_program_trust(rondo_program* program);
/* Limits how long it may take to make something of `program`, from now on and each time anew, to most_ms milliseconds;
 * 0: as long as it takes, as at first. That is an instance, the graph of another size in a call, what
 * rondo_program_bind, rondo_program_memory, rondo_program_kernels and rondo_program_check make, and what a call adds to
 * a recording: where sizes vary at the call, else when the recording, or the body that it is in, ends. Also of programs
 * that were bound from it, and of instances that are there.
 *
 * When it is over they return RONDO_TIMED_OUT, and nothing of it is kept but kernels that were compiled. Looked at
 * between nodes, passes and kernels: a kernel that is compiled goes on to its end, and so does a piece of a file that
 * is read. RONDO_INVALID_ARGUMENT for a limit below 0. Never blocks. Since 0.1. */
RONDO_API rondo_status rondo_program_limit_making(rondo_program* program, int64_t most_ms);
/* Limits the memory of the host that it may take to make something of `program`, from now on and each time anew, to
 * most_bytes; 0: what RONDO_PROGRAM_HOST_MB says, as at first. It holds for all that rondo_program_limit_making holds
 * for. Counted are nodes with their operands, which are read, recorded and made into tasks, the steps of recurrent
 * layers, and kernels that are compiled; also what goes again before the end. Tensors are not: these have
 * rondo_engine_options and rondo_program_instance_options.
 *
 * What needs more is RONDO_OUT_OF_MEMORY before it is made, and nothing of it is kept but kernels that were compiled.
 * Opening a file has the limit of RONDO_PROGRAM_HOST_MB. RONDO_INVALID_ARGUMENT for a limit below 0. Never blocks.
 * Since 0.1. */
RONDO_API rondo_status rondo_program_limit_host_memory(rondo_program* program, int64_t most_bytes);
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

typedef struct rondo_program_memory_info {
  size_t size;          /* set by RONDO_PROGRAM_MEMORY_INFO_INIT */
  int64_t weight_bytes; /* of all weights that no function writes: instances on one device share them */
  int64_t state_bytes;  /* of those that functions write */
  int64_t graph_bytes; /* of the graphs of all functions: temporaries, and what calls copy inputs and outputs through */
} rondo_program_memory_info;
#define RONDO_PROGRAM_MEMORY_INFO_INIT \
  { sizeof(rondo_program_memory_info), 0, 0, 0 }
/* The memory that an instance of `program` takes on a device, where dimensions that vary have the sizes `dims`, one for
 * each (NULL and 0 if there are none), with one arena: graph_bytes are once more for each further one. The sum is what
 * options->most_bytes of an instance has to allow. No weight is
 * read and nothing is made but kernels that are missing, which may take as long as an instance of that size.
 * RONDO_INVALID_ARGUMENT and RONDO_IO_ERROR as of rondo_program_bind; other errors as of rondo_program_create_instance.
 * Since 0.1. */
RONDO_API rondo_status rondo_program_memory(rondo_program* program, rondo_engine* engine, rondo_device device,
                                            int32_t n_dims, const int64_t* dims, rondo_program_memory_info* info);

/* Calls each function of the program file `path` n_calls times, with inputs that a seed gives, and writes the file anew
 * with a self-check: what the calls have given. sizes: where dimensions vary, one size of each for each call, n_sizes
 * together; NULL and 0 where none do. The file may be JSON beside its weights, which stay as they are; a check that is
 * there is replaced. Real inputs are from -1 to 1, whole ones are 0 or 1. States are as in the file. Older versions of
 * the library read the file too.
 * RONDO_INVALID_ARGUMENT for fewer calls than 1, or more than 64 of all functions together, for another number of
 * sizes, for sizes outside the bounds and for a check of more than 4 MiB; RONDO_UNSUPPORTED if a second run has other
 * results, as of random numbers; RONDO_OUT_OF_MEMORY if inputs and outputs of a call have more than 1 GiB; errors as of
 * rondo_program_open, rondo_program_create_instance, rondo_program_call and rondo_program_save. Since 0.1. */
RONDO_API rondo_status rondo_program_add_check(const char* path, rondo_engine* engine, rondo_device device,
                                               int32_t n_calls, int32_t n_sizes, const int64_t* sizes);

typedef struct rondo_program_check_info {
  size_t size;     /* set by RONDO_PROGRAM_CHECK_INFO_INIT */
  int64_t calls;   /* calls that were made */
  int64_t outputs; /* outputs that were compared */
  int64_t exact;   /* of these the ones that had to have the same bits */
} rondo_program_check_info;
#define RONDO_PROGRAM_CHECK_INFO_INIT \
  { sizeof(rondo_program_check_info), 0, 0, 0 }
/* Runs the self-check of `program` on a new instance on a device. On a device of the class where the check was made,
 * with the same version of the library, outputs have to have the same SHA-256 if their function has no products,
 * convolutions, attention or recurrent layers, nor in a file with states any other function; else some elements of each
 * have to be near those that they were. A class is on a cpu the architecture, the version of the C library and whether
 * there are AVX2 and FMA; on a GPU the compute capability, the number of processors, and the version and build of
 * NVRTC. most_bytes: what the instance may take (rondo_program_instance_options), and inputs and outputs of a call on
 * the host; 0: any, and 1 GiB. timeout_ms: of each call, as of rondo_program_call_within, and loops end with it on GPUs
 * too, since the host decides them then; 0: none, and a loop of the file may turn for ever. Making the instance has the
 * limit of rondo_program_limit_making.
 *
 * RONDO_NOT_FOUND if the file has no check; RONDO_IO_ERROR if that is not valid or if an output is another one, with
 * function, output, place and both values; RONDO_UNSUPPORTED for a check of a later version; RONDO_OUT_OF_MEMORY for
 * more than most_bytes; RONDO_INVALID_ARGUMENT for limits below 0; other errors as of rondo_program_create_instance and
 * rondo_program_call_within. Since 0.1. */
RONDO_API rondo_status rondo_program_check(rondo_program* program, rondo_engine* engine, rondo_device device,
                                           int64_t most_bytes, int64_t timeout_ms, rondo_program_check_info* info);

typedef struct rondo_program_kernels_info {
  size_t size;     /* set by RONDO_PROGRAM_KERNELS_INFO_INIT */
  int64_t needed;  /* kernels that all functions together use; 0 on a cpu */
  int64_t kept;    /* of these, those that are kept on disk (the setting RONDO_CACHE) for the device */
  int64_t missing; /* the others, which an instance would compile */
} rondo_program_kernels_info;
#define RONDO_PROGRAM_KERNELS_INFO_INIT \
  { sizeof(rondo_program_kernels_info), 0, 0, 0 }
/* The kernels that an instance of `program` needs on a device, where dimensions that vary have the sizes `dims`, one
 * for each (NULL and 0 if there are none), and how many of them are kept. Kernels of libraries do not count, nor does
 * what this process has loaded. No weight is read and nothing is compiled; choices of cuDNN's engines are made as for
 * an instance. Functions whose sizes vary are checked at the smallest sizes first when an instance is made, which
 * compiles what is missing there. Where NVRTC is missing too, kept are those that the device takes, whichever
 * compiler made them. Errors as of rondo_program_memory. Since 0.1. */
RONDO_API rondo_status rondo_program_kernels(rondo_program* program, rondo_engine* engine, rondo_device device,
                                             int32_t n_dims, const int64_t* dims, rondo_program_kernels_info* info);
/* The kernels of `program` that are missing on a device at the sizes `dims`, as rondo_program_kernels counts them, a
 * line each: a name, and the first characters of the name that its file in the folder would have. Writes at most
 * capacity bytes with the final zero; *length is the whole length without it (buffer may be NULL with capacity 0), and
 * 0 if none is missing. Errors as of rondo_program_memory. Since 0.1. */
RONDO_API rondo_status rondo_program_missing_kernels(rondo_program* program, rondo_engine* engine, rondo_device device,
                                                     int32_t n_dims, const int64_t* dims, char* buffer, size_t capacity,
                                                     size_t* length);

/* Makes an instance of a program on a device: loads the weights and records each function anew, which checks that
 * attributes, shapes and dtypes of all nodes go together. Files that the program names are read whole before the first
 * of their weights is loaded, and RONDO_IO_ERROR if their SHA-256 is another one; then and later only bytes of this
 * SHA-256 are loaded. The caller owns *instance, which keeps the files open.
 * RONDO_IO_ERROR for a program whose nodes do not go together, with function, node and reason; RONDO_INVALID_STATE
 * while this thread records; other errors as of rondo_model_file_load and rondo_record_end. Since 0.1. */
RONDO_API rondo_status rondo_program_create_instance(rondo_program* program, rondo_engine* engine, rondo_device device,
                                                     rondo_program_instance** instance);
typedef struct rondo_program_instance_options {
  size_t size;                             /* set by RONDO_PROGRAM_INSTANCE_OPTIONS_INIT */
  const rondo_callable_options* callables; /* of functions whose sizes vary: the bytes that the graphs of one may take,
                                              and sizes that inputs are filled up to; of all functions: arenas. Its name
                                              and flags are not given. NULL means RONDO_CALLABLE_OPTIONS_INIT */
  size_t n_weights;                        /* weights that are given instead of those in the file, which are not read */
  const char* const* weight_names;         /* as many names of the program's weights, each once */
  rondo_tensor* const* weights;       /* as many, each whole and on the device, of the weight's dtype and shape. They
                                         are used as they are at each call; of a state, functions write them */
  int64_t most_turns;                 /* loops turn at most as often, whatever limit the file has; 0: as it says */
  size_t n_extra;                     /* further outputs of functions, after their own, for comparing layers */
  const char* const* extra_functions; /* as many names of functions; outputs come in this order */
  const int64_t* extra_values;        /* as many numbers of values outside of bodies, as rondo_program_text has them */
  int64_t most_bytes; /* that the weights of the file, states and all graphs of the instance may take together; 0: any.
                         What callers give, and outputs that calls make, are the callers'. Copies of weights that
                         products on a cpu keep packed do not count */
} rondo_program_instance_options;
#define RONDO_PROGRAM_INSTANCE_OPTIONS_INIT \
  { sizeof(rondo_program_instance_options), NULL, 0, NULL, NULL, 0, 0, NULL, NULL, 0 }
/* Makes an instance with options, which the caller owns as *instance; NULL means RONDO_PROGRAM_INSTANCE_OPTIONS_INIT.
 * RONDO_INVALID_ARGUMENT for options that rondo_callable_create refuses, for a name and flags of callables, for weights
 * and values that the program does not have, and for weights that do not fit; RONDO_NOT_FOUND for functions that it
 * does not have; RONDO_OUT_OF_MEMORY for more bytes than options->most_bytes, before they are taken, with the number;
 * errors as of rondo_program_create_instance. Since 0.1. */
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
 * Where options->most_bytes of the instance has no room for a graph of these sizes, those of other sizes are let go of
 * first, when their calls are done; RONDO_OUT_OF_MEMORY if that is not enough. A recording, or a task, does not let go
 * of them: there the call fails at once.
 *
 * RONDO_NOT_FOUND if there is no such function, with the names there are; other errors as of rondo_graph_call and
 * rondo_callable_call. Since 0.1. */
RONDO_API rondo_status rondo_program_call(rondo_program_instance* instance, const char* function, int32_t n_inputs,
                                          rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs);
/* Calls a function of an instance with these inputs, as rondo_program_call, within timeout_ms milliseconds from now on.
 * When the limit is over, nothing of the call begins any more: not the call, if it still waits for what was submitted
 * before it; no further operator of what runs one by one (all on a cpu); no further turn of a loop that the host
 * decides. What has begun ends as it would: a device cannot be stopped, nor a CUDA graph that was launched. Its
 * outputs, and states that it would have written, get the error RONDO_TIMED_OUT then, which waits return. Does not
 * wait, but for room within options->most_bytes, and for that no longer than the limit: rondo_tensor_wait_for waits for
 * the outputs, for as long.
 *
 * RONDO_INVALID_ARGUMENT for a limit below 1; RONDO_INVALID_STATE while this thread records on the engine or has a tape
 * open; RONDO_TIMED_OUT if it was over before the call was submitted, because its graph had to be made (which is kept)
 * or there was no room for that graph yet; other errors as of rondo_program_call. Since 0.1. */
RONDO_API rondo_status rondo_program_call_within(rondo_program_instance* instance, const char* function,
                                                 int64_t timeout_ms, int32_t n_inputs, rondo_tensor* const* inputs,
                                                 int32_t n_outputs, rondo_tensor** outputs);
/* Calls a function of an instance by the names of its inputs and outputs, in any order: inputs[i] is the one of the
 * name input_names[i], and all of them are given; outputs[i] is the one of output_names[i], as many as are wanted, each
 * once. The others are not handed out. Otherwise as rondo_program_call, or if timeout_ms is not 0 as
 * rondo_program_call_within. Further outputs of options->extra_values have no names.
 *
 * RONDO_NOT_FOUND for a name that the function does not have, with one that it has; RONDO_INVALID_ARGUMENT for a name
 * that comes twice, and for inputs that are not given; other errors as of rondo_program_call and
 * rondo_program_call_within, with tensors in the order of the file. Since 0.1. */
RONDO_API rondo_status rondo_program_call_named(rondo_program_instance* instance, const char* function,
                                                int64_t timeout_ms, int32_t n_inputs, const char* const* input_names,
                                                rondo_tensor* const* inputs, int32_t n_outputs,
                                                const char* const* output_names, rondo_tensor** outputs);
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
/* Writes the program of `instance` as the file `path`, with its weights and states as they are now and the texts of its
 * author: what was trained, or has other weights, becomes a file again, in the form that options say. Of these only
 * weights_into, n_weights_from and weights_from are given; NULL means RONDO_PROGRAM_SAVE_OPTIONS_INIT. Waits for the
 * tensors, one after the other: what calls of other threads write meanwhile is in some states and not in others, so let
 * none run. RONDO_INVALID_ARGUMENT for other options; RONDO_INVALID_STATE while this thread records; errors as of
 * rondo_program_save. Since 0.1. */
RONDO_API rondo_status rondo_program_instance_save(rondo_program_instance* instance, const char* path,
                                                   const rondo_program_save_options* options);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_PROGRAMS_H */
