// Running the passes that a setting names, one after the other.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/passes.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/settings.h"
#include "engine/tasks/making_limit.h"
#include "ops/program/verify.h"

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
  // Creating an engine refuses such a value, but the environment may have changed since.
  if (const std::string problem = setting_problem(Setting::graph_passes); !problem.empty())
    return error(RONDO_INVALID_ARGUMENT, "the setting RONDO_GRAPH_PASSES=%s is %s", chosen.c_str(), problem.c_str());
#ifdef RONDO_VERIFY_PROGRAMS
  // A recording may read what no task writes: the compiler refuses that later, in words for the user.
  bool undefined = false;
  RONDO_TRY(ops::verify(program, &undefined));
#endif
  if (chosen == "none") return {};
  const bool one =
      std::any_of(std::begin(kPasses), std::end(kPasses), [&](const Pass& each) { return chosen == each.name; });
  for (const Pass& pass : kPasses) {
    if (one && chosen != pass.name) continue;
    PassReport& report = reports->emplace_back();
    report.name = pass.name;
    report.before = program.nodes.size();
#ifdef RONDO_VERIFY_PROGRAMS
    const ops::KeptEffects effects(program);
#endif
    RONDO_TRY(MakingLimit::check());
    RONDO_TRY(pass.run(program, &report));
#ifdef RONDO_VERIFY_PROGRAMS
    RONDO_TRY(effects.check(program));
    if (const Status status = ops::verify(program, undefined ? &undefined : nullptr); !status.ok())
      return status.with_context(std::string("after the pass ") + pass.name);
#endif
    report.after = program.nodes.size();
  }
  return {};
}

}  // namespace rondo
