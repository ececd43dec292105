// Views as nodes of a program: a step of one is applied to a view, and the steps that lead from a whole tensor to a
// view of it are found from how both lie in memory. A view that the library makes is found again by such steps; what
// is not found is told.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/tensor.h"
#include "program_files/program_text.h"

namespace rondo::program_files {

Status apply_view(const ViewStep& step, const View& from, View* to);
// base: a whole tensor, dense. False if no steps are found.
bool find_view_steps(const View& base, const View& wanted, std::vector<ViewStep>* steps);

}  // namespace rondo::program_files
