// The version one build of the simulated library claims; its version script hides what is newer.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
namespace simnccl {
extern const int kVersion;
const int kVersion = SIMNCCL_VERSION;
}  // namespace simnccl
