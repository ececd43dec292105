// Checks and plans the cross-entropy of rows of logits against labels, and its gradient.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/infer.h"
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

Status check_rows(const View& logits, const View& labels) {
  RONDO_TRY(check_computed("logits", logits.dtype));
  if (!is_float(logits.dtype))
    return error(RONDO_INVALID_ARGUMENT, "logits has dtype %s; a float dtype is needed (rondo_cast makes it)",
                 dtype_name(logits.dtype));
  if (logits.layout.ndim != 2)
    return error(RONDO_INVALID_ARGUMENT, "logits has shape %s; [n, classes] is needed",
                 shape_text(logits.layout).c_str());
  if (labels.dtype != RONDO_I32 && labels.dtype != RONDO_I64)
    return error(RONDO_INVALID_ARGUMENT, "labels has dtype %s; i32 or i64 is needed (rondo_cast makes it)",
                 dtype_name(labels.dtype));
  if (labels.layout.ndim != 1 || labels.layout.shape[0] != logits.layout.shape[0])
    return error(RONDO_INVALID_ARGUMENT, "labels has shape %s; one per row of logits %s is needed",
                 shape_text(labels.layout).c_str(), shape_text(logits.layout).c_str());
  return {};
}

RowPlan plan_rows(RowKind kind, const View& logits, const View& labels, const View& out) {
  RowPlan plan;
  plan.kind = kind;
  plan.x = logits;
  plan.per_row = labels;
  plan.out = out;
  plan.length = logits.layout.shape[1];
  plan.step[0] = logits.layout.strides[1];
  plan.step[2] = kind == RowKind::loss ? 0 : out.layout.strides[1];
  plan.rows.push(logits.layout.shape[0],
                 {logits.layout.strides[0], 0, out.layout.strides[0], labels.layout.strides[0]});
  return plan;
}

template <class OneKind>
Status resolve_rows(const OneKind& call, const View& logits, const View& labels, Output& out, View* to) {
  RONDO_TRY(check_inputs({{"logits", &logits}, {"labels", &labels}}));
  const View* const inputs[] = {&logits, &labels};
  ResultType made;
  RONDO_TRY(infer_one(call, inputs, &made));
  return out.resolve(logits.engine(), logits.device(), made.dtype, made.shape, inputs, false, to);
}

}  // namespace

Status infer(const CrossEntropyCall&, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_rows(*inputs[0], *inputs[1]));
  results[0].set(inputs[0]->dtype, Layout::row_major(1, inputs[0]->layout.shape));
  return {};
}

Status infer(const CrossEntropyGradCall&, InputTypes inputs, ResultTypes results) {
  RONDO_TRY(check_rows(*inputs[0], *inputs[1]));
  results[0].set(inputs[0]->dtype, inputs[0]->layout);
  return {};
}

Status cross_entropy(const View& logits, const View& labels, Output& out) {
  View to;
  RONDO_TRY(resolve_rows(CrossEntropyCall{}, logits, labels, out, &to));
  return submit_rows(plan_rows(RowKind::loss, logits, labels, to), out);
}

Status cross_entropy_grad(const View& logits, const View& labels, double scale, Output& out) {
  View to;
  RONDO_TRY(resolve_rows(CrossEntropyGradCall{scale}, logits, labels, out, &to));
  RowPlan plan = plan_rows(RowKind::loss_grad, logits, labels, to);
  plan.scale = scale;
  return submit_rows(plan, out);
}

}  // namespace rondo::ops
