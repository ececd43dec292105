// Checks and plans the cross-entropy of rows of logits against labels, and its gradient.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/rows/rows.h"

namespace rondo::ops {

namespace {

Status check(const View& logits, const View& labels) {
  RONDO_TRY(check_inputs({{"logits", &logits}, {"labels", &labels}}));
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

}  // namespace

Status cross_entropy(const View& logits, const View& labels, Output& out) {
  RONDO_TRY(check(logits, labels));
  View to;
  RONDO_TRY(out.resolve(logits.engine(), logits.device(), logits.dtype, Layout::row_major(1, logits.layout.shape),
                        {&logits, &labels}, false, &to));
  return submit_rows(plan_rows(RowKind::loss, logits, labels, to), out);
}

Status cross_entropy_grad(const View& logits, const View& labels, double scale, Output& out) {
  RONDO_TRY(check(logits, labels));
  View to;
  RONDO_TRY(out.resolve(logits.engine(), logits.device(), logits.dtype, logits.layout, {&logits, &labels}, false, &to));
  RowPlan plan = plan_rows(RowKind::loss_grad, logits, labels, to);
  plan.scale = scale;
  return submit_rows(plan, out);
}

}  // namespace rondo::ops
