// Checks the handles and windows of pooling, resizing and local response normalisation, and calls their operators.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/pooling.h>

#include "capi/operators.h"
#include "capi/structs.h"
#include "ops/image/window.h"

using namespace rondo;
using capi::operator1;

namespace {

Status check_list(const char* name, int32_t n, const int64_t* list) {
  return n > 0 && !list ? capi::null_argument(name) : Status();
}

rondo_status pool(const char* function, bool largest, rondo_tensor* a, int32_t n, const int64_t* kernel,
                  const rondo_pool_options* options, rondo_tensor** out) {
  return operator1(function, a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_list("kernel", n, kernel));
    rondo_pool_options known = RONDO_POOL_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &known));
    return ops::pool(largest, a->view, n, kernel, known, output);
  });
}

rondo_status adaptive(const char* function, bool largest, rondo_tensor* a, int32_t n, const int64_t* sizes,
                      rondo_tensor** out) {
  return operator1(function, a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_list("sizes", n, sizes));
    return ops::adaptive_pool(largest, a->view, n, sizes, output);
  });
}

}  // namespace

extern "C" {

rondo_status rondo_max_pool(rondo_tensor* a, int32_t n, const int64_t* kernel, const rondo_pool_options* options,
                            rondo_tensor** out) {
  return pool("rondo_max_pool", true, a, n, kernel, options, out);
}

rondo_status rondo_avg_pool(rondo_tensor* a, int32_t n, const int64_t* kernel, const rondo_pool_options* options,
                            rondo_tensor** out) {
  return pool("rondo_avg_pool", false, a, n, kernel, options, out);
}

rondo_status rondo_adaptive_max_pool(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_tensor** out) {
  return adaptive("rondo_adaptive_max_pool", true, a, n, sizes, out);
}

rondo_status rondo_adaptive_avg_pool(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_tensor** out) {
  return adaptive("rondo_adaptive_avg_pool", false, a, n, sizes, out);
}

rondo_status rondo_resize(rondo_tensor* a, int32_t n, const int64_t* sizes, rondo_resize_mode mode,
                          rondo_resize_origin origin, rondo_tensor** out) {
  return operator1("rondo_resize", a, "a", out, [&](ops::Output& output) -> Status {
    RONDO_TRY(check_list("sizes", n, sizes));
    return ops::resize(a->view, n, sizes, mode, origin, output);
  });
}

rondo_status rondo_local_response_norm(rondo_tensor* a, int64_t size, double alpha, double beta, double k,
                                       rondo_tensor** out) {
  return operator1("rondo_local_response_norm", a, "a", out, [&](ops::Output& output) {
    return ops::local_response_norm(a->view, size, alpha, beta, k, output);
  });
}

}  // extern "C"
