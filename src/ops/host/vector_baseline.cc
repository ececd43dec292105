// Compiles the host's loops with the instructions that every processor has.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#define RONDO_VECTOR_SET baseline
#define RONDO_VECTOR [[gnu::flatten]]
#define RONDO_VECTOR_BYTES 16
#include "ops/host/vector_loops.h"
