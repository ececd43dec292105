//! Nothing: benchmarks are in `benches`. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
