// What every file of the conformance suite includes, read once by the compiler instead of by each file.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "harness.h"
