// Checks tensors for NaN and infinities, on the device that they are on. They write a record there, which a graph reads
// when all of it has run (graph/compile/numbers.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"
#include "rtc/device/numbers.h"

namespace rondo::ops {

// Words of a record for each check: where the first NaN is, and the first infinity (device::at_turn).
inline constexpr int64_t kNumberWords = 2;

// Looks at a view of a float dtype. found: its words of a record; turn: one word, the turns of loops so far.
Ref<Task> make_number_check(const View& view, const View& found, const View& turn);
// A turn of a loop begins.
Ref<Task> make_number_turn(const View& turn);
// Nothing is found yet, or no turn has begun: all words of a record have this value.
Ref<Task> make_number_begin(const View& record, uint64_t value);

}  // namespace rondo::ops
