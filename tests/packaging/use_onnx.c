/* What somebody else's program does with an installed librondo_onnx: it asks for an operator, and opens a model that is
 * not there. Prints the library's version if both are right. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <rondo/rondo.h>
#include <rondo_onnx.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  const char *name = NULL, *domain = NULL;
  int64_t since = 0;
  rondo_program* program = NULL;
  if (rondo_onnx_operator(0, &name, &domain, &since) != RONDO_OK || strcmp(name, "Abs") != 0) return 1;
  if (rondo_onnx_open("none.onnx", NULL, &program) != RONDO_NOT_FOUND || !strstr(rondo_onnx_last_error(), "none.onnx"))
    return 1;
  printf("%s\n", rondo_version_string());
  return 0;
}
