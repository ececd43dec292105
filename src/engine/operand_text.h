// Shows the tensors of a task in pictures and timelines: as a text, and by their bytes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rondo {

struct TaskOperand;
struct View;

// "f32 [10]": dtype and shape of what is read or written. Operators work on views that repeat smaller operands up to
// the result's shape; here each has its own size again: 1 along an axis that repeats it, and nothing for those in
// front.
std::string unbroadcast_text(const View& view);
// The bytes of all of its elements.
size_t unbroadcast_bytes(const View& view);
// "f32 [64, 10], f32 [10] -> f32 [64, 10]"
std::string operands_text(const std::vector<TaskOperand>& operands);

}  // namespace rondo
