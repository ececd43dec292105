// Draws the whole numbers below n in random order, by sorting random keys.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "engine/views.h"
#include "ops/movement/shapes.h"
#include "ops/ops.h"

namespace rondo::ops {

// By sorting numbers that are drawn: of 53 bits, so that equal ones are rare and what they favour cannot be seen.
Status random_permutation(const NewTensor& made, int64_t n, Output& out) {
  if (made.dtype != RONDO_I32 && made.dtype != RONDO_I64)
    return error(RONDO_INVALID_ARGUMENT, "dtype is %s; i32 and i64 are possible (rondo_cast makes others of them)",
                 dtype_name(made.dtype));
  if (made.dtype == RONDO_I32 && n > INT64_C(1) << 31)
    return error(RONDO_INVALID_ARGUMENT, "n is %lld; i32 holds the numbers of 2147483648 at most",
                 static_cast<long long>(n));
  Layout shape;
  if (Status status = check_shape(1, &n, RONDO_F64, &shape); !status.ok()) return status.with_context("n");
  View to;
  RONDO_TRY(out.resolve(*made.engine, *made.device, made.dtype, shape, {}, false, &to));
  if (n == 0) {
    out.commit();
    return {};
  }
  Handle drawn, order{made.dtype == RONDO_I64 ? make_view(Ref<Storage>::share(to.storage), to) : nullptr};
  {
    Output numbers(&drawn.tensor);
    RONDO_TRY(random_uniform({made.engine, made.device, RONDO_F64, shape}, 0, 1, numbers));
  }
  {
    Output places(&order.tensor);
    RONDO_TRY(argsort(drawn.tensor->view, 0, false, places));
  }
  if (made.dtype == RONDO_I32) RONDO_TRY(copy_elements(order.tensor->view, to));
  out.commit();
  return {};
}

}  // namespace rondo::ops
