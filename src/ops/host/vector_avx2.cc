// Compiles the host's loops for processors that have AVX2 and F16C.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define RONDO_VECTOR_SET avx2
#define RONDO_VECTOR [[gnu::flatten, gnu::target("avx2,f16c")]]
#define RONDO_VECTOR_BYTES 32
#define RONDO_VECTOR_F16C
#include "ops/host/vector_loops.h"
#endif
