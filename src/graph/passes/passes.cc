// Runs the passes over a recorded program, one after the other, in the order of their table.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/passes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/settings.h"

namespace rondo {

namespace {

struct Pass {
  const char* name;
  Status (*run)(ops::Program&, PassReport*);
};
constexpr Pass kPasses[] = {
#define RONDO_PASS(name, text) {#name, name},
#include "graph/passes/passes.def"
#undef RONDO_PASS
};

}  // namespace

Status run_passes(ops::Program& program, std::vector<PassReport>* reports) {
  const std::string chosen = setting(Setting::graph_passes);
  if (chosen == "none") return {};
  const bool one =
      std::any_of(std::begin(kPasses), std::end(kPasses), [&](const Pass& each) { return chosen == each.name; });
  for (const Pass& pass : kPasses) {
    if (one && chosen != pass.name) continue;
    PassReport& report = reports->emplace_back();
    report.name = pass.name;
    report.before = program.nodes.size();
    RONDO_TRY(pass.run(program, &report));
    report.after = program.nodes.size();
  }
  return {};
}

}  // namespace rondo
