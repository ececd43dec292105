// Handles of callables, for functions of other files that make or call them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "callable/callable.h"
#include "capi/capi.h"

struct rondo_callable {
  uint32_t magic = 0;
  rondo::Ref<rondo::Callable> callable;
};

namespace rondo::capi {

Status check_callable_options(const rondo_callable_options& options);
rondo_callable* make_callable(Ref<Callable> callable);
// Checks the tensors, and `check` if there is one, and calls it.
Status call_callable(Callable& callable, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                     rondo_tensor** outputs, const std::function<Status()>& check = {});

}  // namespace rondo::capi
