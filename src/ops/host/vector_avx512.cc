// Compiles the host's loops for processors that have the parts of AVX-512 that they use.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#define RONDO_VECTOR_SET avx512
#if defined(__clang__)
#define RONDO_VECTOR [[gnu::flatten, gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]]
#else  // GCC keeps to half of the width unless it is told
#if defined(__SANITIZE_ADDRESS__)
// GCC 12 stores to 64 aligned bytes of a stack that the sanitizer aligns to 32 (its bug 110027): the sanitizer looks at
// the other sets alone.
#define RONDO_UNCHECKED gnu::no_sanitize_address,
#else
#define RONDO_UNCHECKED
#endif
#define RONDO_VECTOR                                                                    \
  [[                                                                                    \
    RONDO_UNCHECKED gnu::flatten,                                                       \
    gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512") \
  ]]
#endif
#define RONDO_VECTOR_BYTES 64
#define RONDO_VECTOR_F16C
#define RONDO_VECTOR_AVX512
#include "ops/host/vector_loops.h"
#endif
