/* User code: elementwise expressions written as text, for every device.
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
  const char* name; /* of the operand in the text */
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
 * number compiles nothing. Each reduction is a task behind it. On a cpu nothing is compiled.
 *
 * RONDO_INVALID_ARGUMENT for a name that is missing, given twice or not an operand, and for whatever operators refuse,
 * with line and column where it stands in the text; RONDO_UNSUPPORTED beyond 16 tensors, 16 numbers, 64 operations or
 * 8 results in one kernel. On error every entry of `out` is untouched. Since 0.1. */
RONDO_API rondo_status rondo_expression_run(rondo_expression* expression, int32_t n_arguments,
                                            const rondo_argument* arguments, int32_t n_out, rondo_tensor** out);

#ifdef __cplusplus
}
#endif
#endif /* RONDO_USER_H */
