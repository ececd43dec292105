// Checking a program: that each node has the operands that its kind names, that nothing is read before it is written,
// and that a pass has kept what acts outside of the program. Builds with RONDO_VERIFY_PROGRAMS check after every pass.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ops/program/program.h"

namespace rondo::ops {

// An error that names the first node that is wrong, and why. A value that is read before it is written is an error too,
// unless `undefined` is given, which says whether there is one.
Status verify(const Program& program, bool* undefined = nullptr);

// Remembers what passes must keep: the nodes that are never left out, in their order, and where the random numbers of
// each node begin.
class KeptEffects {
 public:
  explicit KeptEffects(const Program& program);
  Status check(const Program& after) const;

 private:
  struct Drawn {
    const Device* device;
    uint64_t begin;
    bool operator==(const Drawn&) const = default;
  };
  static Drawn drawn_by(const ProgramNode& node);
  std::vector<const Call*> acting_;
  std::vector<Drawn> drawn_;
};

}  // namespace rondo::ops
