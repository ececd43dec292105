// Copies between devices and from and to the user's memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor.h"

namespace rondo::ops {

// `to` = `from`, same shape and dtype, different devices. Asynchronous in every direction: pageable memory goes through
// pinned staging, copied by a host task, so that no stream's issue waits for the host's memory.
Status copy_across(const View& from, const View& to);

}  // namespace rondo::ops
