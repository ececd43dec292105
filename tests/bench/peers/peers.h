// Peers beside us: runs peer.py, which measures the same rows with PyTorch and CuPy where Python has them, and reads
// what it says. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../report.h"

namespace bench {

// Adds the peers' medians to the results and their versions, or why there are none, to the setting. `python` is the
// interpreter, `script` the path of peer.py.
void measure_peers(const std::string& python, const std::string& script, const Options& options, Setting& setting,
                   std::vector<Result>& results);

}  // namespace bench
