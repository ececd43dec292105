/* User code: elementwise expressions written as text, for every device; kernels in CUDA C++, for cuda devices.
 *
 *   rondo_expression_create("let d = x - m; y = d * d * scale", "deviation", &expression);
 *   rondo_argument arguments[] = {RONDO_TENSOR("x", x), RONDO_TENSOR("m", m), RONDO_SCALAR("scale", 0.5)};
 *   rondo_expression_run(expression, 3, arguments, 1, &y);
 *
 * docs/user_code.md has the language: statements, operators, functions, dtypes.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef RONDO_USER_H
#define RONDO_USER_H

#include <rondo/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one argument of user code is. Values are ABI. Since 0.1. */
typedef enum rondo_argument_kind {
  RONDO_ARGUMENT_TENSOR = 0,
  RONDO_ARGUMENT_SCALAR = 1, /* the member scalar */
  RONDO_ARGUMENT_INTEGER = 2 /* the member integer: exact to 64 bits */
} rondo_argument_kind;

/* One argument, made by one of the macros below. Since 0.1. */
typedef struct rondo_argument {
  const char* name; /* of the operand in the text, or of the kernel's parameter; NULL there: by position alone */
  rondo_argument_kind kind;
  rondo_tensor* tensor; /* the operand; NULL for a number */
  double scalar;
  int64_t integer;
} rondo_argument;
#define RONDO_TENSOR(name, tensor) \
  { name, RONDO_ARGUMENT_TENSOR, tensor, 0, 0 }
#define RONDO_SCALAR(name, value) \
  { name, RONDO_ARGUMENT_SCALAR, NULL, value, 0 }
#define RONDO_INTEGER(name, value) \
  { name, RONDO_ARGUMENT_INTEGER, NULL, 0, value }

/* --- expressions --- */

/* A parsed text. It belongs to no engine: any thread may run it on any engine, several at once. */
typedef struct rondo_expression rondo_expression;

/* Parses `text`, statements such as "y = a * x + y" separated by semicolons. Names that are read before they are
 * assigned are its operands; assigned ones are its results, in the order of their first assignment, but for those of
 * `let`, which are values on the way. `name` is for errors, traces and graph reports; copied; name NULL: "expression".
 * Neither looks at a device nor blocks. The caller owns *expression. RONDO_INVALID_ARGUMENT with line, column and the
 * line itself for a text that is not right, is longer than 16384 bytes or nested deeper than 100. Since 0.1. */
RONDO_API rondo_status rondo_expression_create(const char* text, const char* name, rondo_expression** expression);
/* Destroys the `expression`. Never blocks; what was submitted goes on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_expression_destroy(rondo_expression* expression);
/* Name of operand or result `index` of the `expression`, in the order of the text; NULL beyond the last. Lives as long
 * as the expression. Since 0.1. */
RONDO_API const char* rondo_expression_operand(rondo_expression* expression, int32_t index);
RONDO_API const char* rondo_expression_result(rondo_expression* expression, int32_t index);

/* Computes the results of an `expression` from its `arguments`: one per operand, in any order, found by name. At least
 * one is a tensor; all tensors are of one engine and device, and broadcast to the one shape that every result has, but
 * for reductions. dtypes are deduced as for operators: promoted from operand to operand; a number takes the dtype of
 * what it meets, under the rules of rondo_binary_scalar.
 *
 * `out` has one entry per result: NULL for a new tensor, or a tensor to write, as for operators; one may be an operand,
 * element for element. All elementwise work is one task and one kernel, whatever it is made of; another value of a
 * number compiles nothing. Each result that comes from a reduction ("n = sqrt(sum(x * x) / 8)") is a task of its own,
 * which computes what it reduces itself unless that is a result too, and what is behind it. So is each that comes from
 * a softmax ("y = softmax(x * s + m) * keep"), with all that is before and behind it, or from a matrix product
 * ("y = gelu(matmul(a, b) + bias)"), with all that is behind it: the one shape is the product's then. What is computed
 * before a product ("y = matmul(relu(a) * mask, b)") has a shape of its own; it is one elementwise task, which stages
 * it in temporary memory. On a cpu nothing is compiled.
 *
 * RONDO_INVALID_ARGUMENT for a name that is missing, given twice or not an operand, and for whatever operators refuse,
 * with line and column where it stands in the text; RONDO_UNSUPPORTED beyond 16 tensors, 16 numbers, 64 operations or
 * 8 results in one kernel. On error every entry of `out` is untouched. Since 0.1. */
RONDO_API rondo_status rondo_expression_run(rondo_expression* expression, int32_t n_arguments,
                                            const rondo_argument* arguments, int32_t n_out, rondo_tensor** out);

/* What `count` calls of rondo_expression_run do, one for each set of tensors, as one task: a step of training ends with
 * one for all parameters. `arguments` has `n_arguments` entries for each set, one set behind the other, `out` as many
 * as the expression has results. Sets may differ in shapes, in dtypes and in numbers; they are of one engine and
 * device, and what a set writes, no other may read or write. The results have the same bits as those of separate calls.
 * With count 0 nothing is done.
 *
 * On cuda sets that are contiguous, of the same dtypes, numbers and alignment are one kernel and one node of a graph,
 * as many as the kernel's arguments hold: of sets with 6 tensors and results about 70. Others have a kernel each, as if
 * they were alone. On a cpu workers share the sets. Softmaxes, products and reductions are tasks of their own, and what
 * is computed before products is one task for all sets. Since the sets are one task, an error of one operand is an
 * error of all results.
 *
 * Errors are those of rondo_expression_run, with the number of the set; RONDO_INVALID_ARGUMENT for sets of several
 * engines or devices, or that touch what another one writes. On error every entry of `out` is untouched. Since 0.1. */
RONDO_API rondo_status rondo_expression_run_each(rondo_expression* expression, int32_t count, int32_t n_arguments,
                                                 const rondo_argument* arguments, int32_t n_out, rondo_tensor** out);

/* --- modules --- */

/* A text of CUDA C++, compiled for one device. It belongs to one engine. */
typedef struct rondo_module rondo_module;

typedef struct rondo_module_options {
  size_t size;         /* set by RONDO_MODULE_OPTIONS_INIT */
  const char* name;    /* what the text's lines are called in messages; copied; NULL: "module" */
  const char* options; /* for NVRTC, separated by spaces: "-DTILE=16 --use_fast_math"; copied; NULL: none */
} rondo_module_options;
#define RONDO_MODULE_OPTIONS_INIT \
  { sizeof(rondo_module_options), NULL, NULL }

/* Compiles `text`, CUDA C++17 by NVRTC, for a cuda device. `kernels` declares those that will be launched, separated by
 * semicolons: a name, which may be a template's with its arguments, and the parameters:
 * "scale<float>(const float* x, float* y, float a, int n)". A parameter is a number (bool, float, double, integers) or
 * a pointer to a tensor's elements: const if it is read, otherwise written. The compiler checks the declarations.
 * options NULL means RONDO_MODULE_OPTIONS_INIT. The caller owns *module.
 *
 * Blocks while it compiles; what was compiled before, in this process or an earlier one, is found in the cache of
 * kernels. Code stays loaded until the process ends: the same text with the same kernels and options is the same code,
 * its __device__ variables too. A text with include options (-I) is compiled each time.
 *
 * RONDO_UNSUPPORTED for a cpu device; RONDO_COMPILE_FAILED with NVRTC's log, whose lines are the text's, or
 * "kernels[i]" for a declaration that is not what the text has; RONDO_INVALID_ARGUMENT with line and column for a
 * declaration that is none. Since 0.1. */
RONDO_API rondo_status rondo_module_create(rondo_engine* engine, rondo_device device, const char* text,
                                           const char* kernels, const rondo_module_options* options,
                                           rondo_module** module);
/* Destroys the `module`. Never blocks; launches in flight and graphs go on. NULL is allowed. Since 0.1. */
RONDO_API void rondo_module_destroy(rondo_module* module);

typedef enum rondo_launch_flags {
  RONDO_LAUNCH_DEFAULT = 0,
  RONDO_LAUNCH_STRIDED = 1 /* tensors that are not contiguous are welcome: the kernel knows their strides */
} rondo_launch_flags;

typedef struct rondo_launch_options {
  size_t size;           /* set by RONDO_LAUNCH_OPTIONS_INIT */
  uint32_t grid_x;       /* blocks; 0: 1, as for all six */
  uint32_t grid_y;       /* blocks */
  uint32_t grid_z;       /* blocks */
  uint32_t block_x;      /* threads of a block */
  uint32_t block_y;      /* threads of a block */
  uint32_t block_z;      /* threads of a block */
  uint32_t shared_bytes; /* of dynamic shared memory, up to what the device has */
  int32_t priority;      /* as in rondo_task_options */
  int32_t stream;        /* as in rondo_task_options: -1, the engine picks */
  uint32_t flags;        /* rondo_launch_flags */
} rondo_launch_options;
#define RONDO_LAUNCH_OPTIONS_INIT \
  { sizeof(rondo_launch_options), 0, 0, 0, 0, 0, 0, 0, 0, -1, RONDO_LAUNCH_DEFAULT }

/* Submits a launch of a `kernel` of the `module`, by the name that it was declared with. `arguments` are its
 * parameters', in order: a tensor for a pointer, which is given the address of its first element, a number for a
 * number, which its type must hold. An argument's name, if it has one, must be the parameter's.
 *
 * An ordinary task: asynchronous, ordered by the tensors it reads and writes, kept in a recording, captured into a
 * graph. A written tensor may be read as well, so what it held stays, and an error of it too; a tensor without contents
 * is written first. What overlaps is the kernel's business. options NULL means RONDO_LAUNCH_OPTIONS_INIT.
 *
 * RONDO_INVALID_ARGUMENT for what does not fit: an unknown kernel, the number, kind, dtype or device of an argument, a
 * tensor that is not contiguous (but see RONDO_LAUNCH_STRIDED), is read-only or shows an element twice where it is
 * written, a grid, a block or shared memory beyond the device's or the kernel's limits. Since 0.1. */
RONDO_API rondo_status rondo_module_launch(rondo_module* module, const char* kernel, int32_t n_arguments,
                                           const rondo_argument* arguments, const rondo_launch_options* options);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_USER_H */
