// Control flow as it is called: done at once, or recorded. run/control.h has what is recorded.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>

#include "graph/run/control.h"

namespace rondo {

// One body as it is given.
struct BodySource {
  std::string name;               // "then", for people
  std::function<Status()> issue;  // null: there is nothing to do
};

// How messages and reports call the body of this number: "then".
std::string body_name(ControlForm::Kind kind, size_t number);

// Outside of a recording: waits for the number and calls what it chooses. In one: records a Control.
Status control(Engine& engine, const ControlForm& form, const View& given, std::span<const BodySource> bodies);

}  // namespace rondo
