// Work that another simulated library puts in streams: it begins when its turn comes, takes as long as that library
// wants, and is a kernel's node in a graph. Plain C, found with dlsym. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SimcudaSpan {
  unsigned long long address;
  size_t bytes;
  int written; /* else read */
} SimcudaSpan;

typedef struct SimcudaForeign {
  const char* name; /* static */
  /* Called without locks when it is the work's turn: simcuda_foreign_done(token) must follow, from any thread, once. */
  void (*start)(void* argument, void* token);
  void (*drop)(void* argument); /* when no stream and no graph holds the work any more; may be under a lock */
  void* argument;
  const SimcudaSpan* spans; /* what it touches: checked when it begins, and counted as written when it is done */
  size_t n_spans;
  int forks; /* while it is captured it is two nodes side by side behind one, as of libraries with streams of their own
              */
} SimcudaForeign;

/* A CUresult. On failure nothing is called. */
int simcuda_foreign_enqueue(void* stream, const SimcudaForeign* work);
void simcuda_foreign_done(void* token);
/* The ordinal of the stream's device, -1 for what is no stream; whether it is being captured. */
int simcuda_foreign_stream(void* stream, int* capturing);
void simcuda_foreign_report(const char* text);

#ifdef __cplusplus
}
#endif
