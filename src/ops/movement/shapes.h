// Declares the operators that move elements, as the C API calls them (rondo/shapes.h says what each does).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/shapes.h>

#include <vector>

#include "ops/ops.h"
#include "ops/program/kinds.h"

namespace rondo::ops {

// At least one tensor.
Status concat(std::span<const View* const> tensors, int axis, Output& out);
Status stack(std::span<const View* const> tensors, int axis, Output& out);
Status pad(const View& a, rondo_pad_mode mode, int n, const int64_t* widths, double value, Output& out);
// fill: the bits of an element.
Status pad_with(const View& a, rondo_pad_mode mode, int n, const int64_t* widths, uint64_t fill, Output& out);
Status tile(const View& a, int n, const int64_t* counts, Output& out);
Status repeat(const View& a, int64_t count, int axis, Output& out);
Status roll(const View& a, int n, const int64_t* shifts, Output& out);
// Elements from, or up to, a diagonal; others are 0.
Status triangle(bool upper, const View& a, int64_t diagonal, Output& out);
Status eye(const NewTensor& made, int64_t diagonal, Output& out);

Status take(const View& a, const View& indices, int axis, Output& out);
Status take_along_axis(const View& a, const View& indices, int axis, Output& out);

// i32 or i64.
Status check_indices(const View& indices);
// Into a tensor that is there; a view that accumulates is added to.
Status put(rondo_tensor* tensor, const View& indices, const View& values, int axis);
Status put_along_axis(rondo_tensor* tensor, const View& indices, const View& values, int axis);

// The places of elements that are not 0, and their number: `limit` rows, of `fill` where there are no more.
Status nonzero(const View& a, int64_t limit, int64_t fill, Output& out, Output& count);
// The parts of a where a mask of its first dimensions is true, and their number.
// The numbers of elements in the place of coordinates.
Status nonzero_numbers(const View& a, int64_t limit, int64_t fill, Output& out, Output& count);
Status select(const View& a, const View& mask, int64_t limit, double fill, Output& out, Output& count);

// made: without a shape.
// Numbers at equal distances, as many as `made` has elements.
Status sequence(const char* name, const NewTensor& made, const SequenceCall& call, Output& out);
Status arange(const NewTensor& made, Scalar start, Scalar stop, Scalar step, Output& out);
Status linspace(const NewTensor& made, double start, double stop, int64_t count, bool endpoint, Output& out);

Status sort(const View& a, int axis, bool descending, Output& out);
Status argsort(const View& a, int axis, bool descending, Output& out);
Status topk(const View& a, int64_t k, int axis, bool largest, Output& out, Output& indices);

}  // namespace rondo::ops
