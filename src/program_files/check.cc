// Checks attributes and operands of single kinds, before their operators are called.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/check.h"

#include "ops/program/overlap.h"

namespace rondo::program_files {

using namespace ops;

namespace {

Status wrong(const char* what) {
  return error(RONDO_IO_ERROR, "%s", what);
}

bool broadcasts_to(const Layout& from, const Layout& to) {
  Layout common;
  return broadcast_shapes(from, to, &common) && common.same_shape(to);
}

Status check(const ElementwiseCall& call, std::span<const View> inputs, std::span<const View>) {
  if (!call.row || inputs.empty()) return wrong("it has no operator, or no input");
  if (call.scalar_first && !call.scalar) return wrong("its scalar comes first, and it has none");
  rondo_dtype common = inputs[0].dtype;
  for (const View& each : inputs) {
    if (!promotes(common, each.dtype)) return wrong("its inputs' dtypes do not go together");
    common = promote(common, each.dtype);
  }
  if (call.row->domain == Domain::whole && is_float(common)) return wrong("its operator is for integers and bool");
  return call.computed == call.row->computed(common) ? Status()
                                                     : wrong("it computes in another dtype than its inputs'");
}

Status check(const CopyCall&, std::span<const View> inputs, std::span<const View> results) {
  return broadcasts_to(inputs[0].layout, results[0].layout) ? Status() : wrong("its input does not fill its result");
}

Status check_expressions(const Fused& form, std::span<const View> inputs, std::span<const View> results) {
  const Expression& e = form.expression;
  if (inputs.size() != static_cast<size_t>(e.inputs()) || results.size() != static_cast<size_t>(e.outputs()) ||
      results.empty())
    return wrong("its expression has another number of inputs or results");
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].layout.same_shape(results[0].layout) || results[i].dtype != e.output(static_cast<int>(i)).dtype ||
        results[i].accumulate != (e.output(static_cast<int>(i)).accumulate != 0))
      return wrong("a result has another shape or dtype than its expression's");
  for (const View& each : inputs)
    if (!broadcasts_to(each.layout, results[0].layout)) return wrong("an input does not go with the results' shape");
  return {};
}

Status check(const FusedCall& call, std::span<const View> inputs, std::span<const View> results) {
  return call.fused ? check_expressions(*call.fused, inputs, results) : wrong("it has no expression");
}

Status check(const TextCall& call, std::span<const View> inputs, std::span<const View> results) {
  if (call.expressions.size() != 1 || !call.expressions[0]) return wrong("it has no expression, or several");
  return check_expressions(*call.expressions[0], inputs, results);
}

Status check(const NormalisationGradCall& call, std::span<const View> inputs, std::span<const View>) {
  const Layout& rows = inputs[0].layout;
  for (const View& each : inputs)
    if (each.dtype != inputs[0].dtype) return wrong("its inputs have several dtypes");
  if (!inputs[1].layout.same_shape(rows)) return wrong("dy has another shape than its input");
  if (call.axis < 0 || call.axis >= rows.ndim) return wrong("its axis is none of its input");
  const Layout size = Layout::row_major(1, &rows.shape[call.axis]);
  return !call.weight || inputs[2].layout.same_shape(size) ? Status() : wrong("its weight is not as long as its rows");
}

Status check(const GatedCall& call, std::span<const View>, std::span<const View>) {
  return call.row && call.row->operands == 1 ? Status() : wrong("its operator has not one operand");
}

constexpr bool kAreInFiles[] = {
#define RONDO_KIND(Name, ...) kInFiles<Name##Call>,
#include "ops/program/kinds.def"
#undef RONDO_KIND
};

}  // namespace

bool is_checked(const Call& call) {
  return kAreInFiles[call.of.index()];
}

Status check_operation(const Call& call, std::span<const View> inputs, std::span<const View> results) {
  for (const View& written : results) {
    if (written.layout.repeats()) return wrong("a result shows an element twice");
    for (const View& each : inputs)
      if (overlap(written, each) && !identical(written, each)) return wrong("a result overlaps an input");
    for (const View& each : results)
      if (&each != &written && overlap(written, each)) return wrong("two results overlap");
  }
  if (!is_checked(call)) return error(RONDO_UNSUPPORTED, "files do not have nodes of this kind");
  if (const auto* of = std::get_if<ElementwiseCall>(&call.of)) return check(*of, inputs, results);
  if (const auto* of = std::get_if<CopyCall>(&call.of)) return check(*of, inputs, results);
  if (const auto* of = std::get_if<FusedCall>(&call.of)) return check(*of, inputs, results);
  if (const auto* of = std::get_if<TextCall>(&call.of)) return check(*of, inputs, results);
  if (const auto* of = std::get_if<NormalisationGradCall>(&call.of)) return check(*of, inputs, results);
  if (const auto* of = std::get_if<GatedCall>(&call.of)) return check(*of, inputs, results);
  return {};
}

}  // namespace rondo::program_files
