// The program about graphs: see program.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program.h"

namespace memory {

Outcome run_graphs(rondo_engine* engine, rondo_device device, const At& at);

}  // namespace memory
