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
// operands and results as the call's row has. The results tell, as the node or the caller has them, what neither
// attributes nor operands do: the dtype of a cast, how many elements a top-k keeps.
using InputTypes = std::span<const View* const>;
using ResultTypes = std::span<ResultType>;

Status infer(const ElementwiseCall& call, InputTypes inputs, ResultTypes results);
Status infer(const FusedCall& call, InputTypes inputs, ResultTypes results);
Status infer(const AddNCall& call, InputTypes inputs, ResultTypes results);
Status infer(const WhereCall& call, InputTypes inputs, ResultTypes results);
Status infer(const GatedCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CopyCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TextCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DropoutCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DropoutGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const MatmulCall& call, InputTypes inputs, ResultTypes results);
Status infer(const MatmulIntegerCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ReduceCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ProductGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CumulativeCall& call, InputTypes inputs, ResultTypes results);
Status infer(const SoftmaxCall& call, InputTypes inputs, ResultTypes results);
Status infer(const SoftmaxGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const NormalisationCall& call, InputTypes inputs, ResultTypes results);
Status infer(const NormalisationGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const BatchNormStatisticsCall& call, InputTypes inputs, ResultTypes results);
Status infer(const BatchNormCall& call, InputTypes inputs, ResultTypes results);
Status infer(const BatchNormSumsCall& call, InputTypes inputs, ResultTypes results);
Status infer(const AttentionCall& call, InputTypes inputs, ResultTypes results);
Status infer(const AttentionGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RotaryCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RecurrentCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RecurrentGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const EmbeddingBagCall& call, InputTypes inputs, ResultTypes results);
Status infer(const EmbeddingBagGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const EmbeddingBagDescendCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DotInteractionCall& call, InputTypes inputs, ResultTypes results);
Status infer(const DotInteractionGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CrossEntropyCall& call, InputTypes inputs, ResultTypes results);
Status infer(const CrossEntropyGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ConcatCall& call, InputTypes inputs, ResultTypes results);
Status infer(const PadCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TileCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RepeatCall& call, InputTypes inputs, ResultTypes results);
Status infer(const RollCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TriangleCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TakeCall& call, InputTypes inputs, ResultTypes results);
Status infer(const TakeAlongAxisCall& call, InputTypes inputs, ResultTypes results);
Status infer(const PutCall& call, InputTypes inputs, ResultTypes results);
Status infer(const SortCall& call, InputTypes inputs, ResultTypes results);
Status infer(const OneHotCall& call, InputTypes inputs, ResultTypes results);
Status infer(const NonzeroCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ConvolutionCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ConvolutionFilterGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const WindowCall& call, InputTypes inputs, ResultTypes results);
Status infer(const WindowGradCall& call, InputTypes inputs, ResultTypes results);
Status infer(const WindowPickCall& call, InputTypes inputs, ResultTypes results);
Status infer(const OptimizerStepCall& call, InputTypes inputs, ResultTypes results);
Status infer(const AllFiniteCall& call, InputTypes inputs, ResultTypes results);
Status infer(const GlobalNormCall& call, InputTypes inputs, ResultTypes results);
Status infer(const ClipGlobalNormCall& call, InputTypes inputs, ResultTypes results);

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
// That a call makes results of these dtypes and shapes, if its kind says any: those that it has, without unwritten
// ones.
Status check_results(const Call& call, InputTypes inputs, std::span<const View* const> made);

// --- what functions check alike
// The shape that operands broadcast to, and what is there already.
class JoinedShape {
 public:
  JoinedShape(const char* name, const Layout& shape) : name_(name), shape_(shape) {}
  Status add(const char* name, const Layout& next);
  const Layout& shape() const { return shape_; }

 private:
  const char* name_;
  Layout shape_;
};
Status check_float(const char* name, const View& view);
// The dtype of another operand.
Status check_dtype_of(const char* name, const View& view, const char* of, const View& other);
// One dtype and shape.
Status check_type(const char* name, const View& view, rondo_dtype dtype, const Layout& shape);
inline Status check_type(const char* name, const View& view, const View& like) {
  return check_type(name, view, like.dtype, like.layout);
}
// One element; null: the call has none.
Status check_one(const char* name, const View* view, rondo_dtype dtype);
// A number that is finite and at least 0.
Status check_epsilon(const char* name, double value);
// An attribute with a bit for each axis.
Status check_axes_attribute(unsigned axes, const View& of);
// The input of a name in the row; null: it has none.
template <class OneKind>
const View* find_operand(const OneKind& call, InputTypes inputs, std::string_view name) {
  const std::optional<size_t> at = input_of(call, name);
  return at ? inputs[*at] : nullptr;
}

// An attribute that is an axis.
Status check_axis_attribute(int axis, const View& of);
// An attribute that is a reduction.
Status check_reduction_attribute(ReduceOp op);

}  // namespace rondo::ops
