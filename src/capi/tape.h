// Declares what functions over tapes, and over other objects that keep tensors of an engine, share: checks of live
// tapes and engines, lists of tensors.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "capi/capi.h"
#include "tape/tape.h"

namespace rondo::capi {

// A live tape that this thread may use.
Status check_tape(const rondo_tape* tape);
// The guard of handles whose objects belong to an engine: RONDO_FORKED, or RONDO_INVALID_STATE where the engine was
// destroyed, so that nothing can be done with its objects but to destroy them. If a device is lost, an object can still
// be queried and ended; functions that work with it say why they cannot.
inline Status check_present(const Engine& engine) {
  const Status usable = engine.usable();
  return usable.ok() || usable.code() == RONDO_DEVICE_LOST ? Status() : usable;
}
tape::Tape& tape_of(rondo_tape* tape);

Status check_count(const char* name, int32_t count, int32_t most);
Status check_list(const char* list, rondo_tensor* const* tensors, int32_t count);
std::vector<View> views_of(rondo_tensor* const* tensors, int32_t count);
// Tensors whose gradients are asked for, and where they go: null for a new one.
Status check_sources(int32_t n_sources, rondo_tensor* const* sources, rondo_tensor* const* gradients);
// Outputs of which gradients are asked, and the outputs' own: null for 1.
Status read_outputs(int32_t n_outputs, rondo_tensor* const* outputs, rondo_tensor* const* output_gradients,
                    std::vector<const View*>* given);

}  // namespace rondo::capi
