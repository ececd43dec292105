// The version one build of the simulated driver claims; its version script hides what is newer.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
namespace simcuda {
extern const int kDriverVersion;
const int kDriverVersion = SIMCUDA_VERSION;
}  // namespace simcuda
