// Gives the dtypes and shapes of an operator's results, from its attributes and the dtypes and shapes of its operands
// alone. Eager calls ask it before they make their results, and the verifier compares nodes with it. It believes
// nothing: attributes and operands that do not go together, and shapes beyond 63 bits, are an error that names the
// operand or attribute.
//
// Each function is where its operator is. The rows of kinds.def say which kinds have one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "ops/program/kinds.h"

namespace rondo::ops {

struct ResultType {
  rondo_dtype dtype = RONDO_F32;
  Layout shape;  // row-major
  // The same, of the sizes of a layout.
  void set(rondo_dtype its_dtype, const Layout& sizes) {
    dtype = its_dtype;
    shape = Layout::row_major(sizes.ndim, sizes.shape);
  }
};

// Looks at the dtypes and layouts of operands, not at their storages, of which there may be none. There are as many
// operands and results as the call's row has.
using InputTypes = std::span<const View* const>;
using ResultTypes = std::span<ResultType>;

Status infer(const ReduceCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CumulativeCall& call, InputTypes inputs, ResultTypes results);
Status infer(const SoftmaxCall& call, InputTypes inputs, ResultTypes results);
Status infer(const SoftmaxGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CrossEntropyCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CrossEntropyGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DotInteractionCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DotInteractionGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const PadCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TileCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RepeatCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RollCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TriangleCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TakeCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TakeAlongAxisCall& call, InputTypes inputs, ResultTypes results);

// Lays a result out in row-major order; an error that has this name for it if 63 bits do not address it.
Status check_result(std::string_view name, ResultType* result);

// The one result of an operator.
template <class OneKind>
Status infer_one(const OneKind& call, InputTypes inputs, ResultType* result) {
  RONDO_TRY(infer(call, inputs, ResultTypes(result, 1)));
  return check_result("out", result);
}

template <class OneKind>
Status infer_one(const OneKind& call, std::initializer_list<const View*> inputs, ResultType* result) {
  return infer_one(call, InputTypes(inputs.begin(), inputs.size()), result);
}

// The results of a call of any kind. RONDO_UNSUPPORTED if its kind has no such function.
Status infer_results(const Call& call, InputTypes inputs, std::vector<ResultType>* results);
// An attribute that is an axis.
Status check_axis_attribute(int axis, const View& of);
// An attribute that is a reduction.
Status check_reduction_attribute(ReduceOp op);

}  // namespace rondo::ops
