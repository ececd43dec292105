// Host memory that runs out on demand: allocations that librondo asks for, itself or through the C and C++ libraries,
// fail from the how-manieth on, or that one alone. What the test, the simulated driver, a BLAS and other libraries ask
// for is given always.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace heap {

// Finds out what lies where in the process. Before anything below; once.
void look_around();
// Counts from 0, and fails nothing.
void count();
enum class Failing { once, from_then_on };
// The allocation of that number, from 1, fails.
void fail(int64_t number, Failing failing);
// Ends that; how many were asked for meanwhile.
int64_t stop();

}  // namespace heap
