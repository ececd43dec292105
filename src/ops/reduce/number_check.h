// Checks tensors for NaN and infinities, on the device that they are on. They write a record there, which a graph reads
// when all of it has run (graph/compile/numbers.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/program/operator_task.h"
#include "rtc/device/numbers.h"

namespace rondo::ops {

// Words of a record for each check: where the first NaN is, and the first infinity (device::at_turn).
inline constexpr int64_t kNumberWords = 2;

struct NumberItem {
  View view;   // of a float dtype
  View found;  // its words of a record
};
inline constexpr size_t kMostNumberItems = device::kMostItems;
// A number that is the same for views which one task may look at.
int number_form(const View& view);
// Looks at some views of one form. turn: one word, the turns of loops so far.
Ref<OperatorTask> make_number_check(std::vector<NumberItem> items, const View& turn);
// A turn of a loop begins.
Ref<OperatorTask> make_number_turn(const View& turn);
// Nothing is found yet, or no turn has begun: all words of a record have this value.
Ref<OperatorTask> make_number_begin(const View& record, uint64_t value);

}  // namespace rondo::ops
