/* Does what any program that multiplies matrices on a GPU does from its start on: it opens the libraries that are
 * named, makes the device's context, and runs one product of cuBLASLt. programs.py compares `rondo run` with it.
 *
 *     bare DRIVER CUBLASLT [LIBRARY...]      paths; the simulated driver has no cuBLASLt: "none" multiplies nothing
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, WIDTH = 384, F32 = 0, COMPUTE_F32 = 68 };

static void* open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "bare: %s\n", dlerror());
    exit(1);
  }
  return library;
}

/* Ends the program where a call fails. */
static void check(const char* what, int code) {
  if (code != 0) {
    fprintf(stderr, "bare: %s gives %d\n", what, code);
    exit(1);
  }
}

static void* find(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "bare: %s is missing\n", name);
    exit(1);
  }
  return found;
}

/* Declares `call`, a function of the library that returns a status, and looks it up. */
#define DECLARE(call, library, name, ...) \
  int(*call) __VA_ARGS__;                 \
  *(void**)&(call) = find(library, name)

static void multiply(void* driver, const char* path) {
  void* const library = open_library(path);
  const size_t bytes = sizeof(float) * WIDTH * WIDTH;
  const float one = 1, zero = 0;
  void *handle = NULL, *product = NULL, *tall = NULL, *square = NULL;
  uint64_t a = 0, b = 0, c = 0;
  DECLARE(allocate, driver, "cuMemAlloc_v2", (uint64_t*, size_t));
  DECLARE(synchronize, driver, "cuCtxSynchronize", (void));
  DECLARE(create, library, "cublasLtCreate", (void**));
  DECLARE(describe, library, "cublasLtMatmulDescCreate", (void**, int, int));
  DECLARE(lay_out, library, "cublasLtMatrixLayoutCreate", (void**, int, uint64_t, uint64_t, int64_t));
  DECLARE(run, library, "cublasLtMatmul",
          (void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*,
           void*, const void*, void*, size_t, void*));
  check("cuMemAlloc", allocate(&a, bytes));
  check("cuMemAlloc", allocate(&b, bytes));
  check("cuMemAlloc", allocate(&c, bytes));
  check("cublasLtCreate", create(&handle));
  check("cublasLtMatmulDescCreate", describe(&product, COMPUTE_F32, F32));
  check("cublasLtMatrixLayoutCreate", lay_out(&square, F32, WIDTH, WIDTH, WIDTH));
  check("cublasLtMatrixLayoutCreate", lay_out(&tall, F32, WIDTH, ROWS, WIDTH));
  check("cublasLtMatmul", run(handle, product, &one, (void*)(uintptr_t)a, square, (void*)(uintptr_t)b, tall, &zero,
                              (void*)(uintptr_t)c, tall, (void*)(uintptr_t)c, tall, NULL, NULL, 0, NULL));
  check("cuCtxSynchronize", synchronize());
}

int main(int argc, char** argv) {
  void *driver, *context = NULL;
  int device = 0, i;
  if (argc < 3) {
    fprintf(stderr, "usage: bare DRIVER CUBLASLT|none [LIBRARY...]\n");
    return 2;
  }
  driver = open_library(argv[1]);
  for (i = 3; i < argc; ++i) (void)open_library(argv[i]);
  {
    DECLARE(init, driver, "cuInit", (unsigned));
    DECLARE(get, driver, "cuDeviceGet", (int*, int));
    DECLARE(retain, driver, "cuDevicePrimaryCtxRetain", (void**, int));
    DECLARE(set, driver, "cuCtxSetCurrent", (void*));
    check("cuInit", init(0));
    check("cuDeviceGet", get(&device, 0));
    check("cuDevicePrimaryCtxRetain", retain(&context, device));
    check("cuCtxSetCurrent", set(context));
  }
  if (strcmp(argv[2], "none") != 0) multiply(driver, argv[2]);
  return 0;
}
