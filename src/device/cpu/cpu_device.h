// Presents the cpu as a device: it has memory only, and its tasks run on the engine's workers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"

namespace rondo {

Device& cpu_device();

}  // namespace rondo
