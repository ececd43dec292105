// Runs `rondo cache`: shows the kept kernels that were compiled, and carries them to other machines.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::tools {

// The arguments after "cache". 0; 1 if something is damaged, or cannot be read or written; 2 for what is not
// understood.
int cache(int count, char** arguments);

}  // namespace rondo::tools
