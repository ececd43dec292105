// The programs that run out of memory: a little of everything that Rondo does, with results that never change. A call
// that fails is noted and the program goes on as far as it can; at its end nothing of it is left.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace memory {

struct Failure {
  std::string step;
  rondo_status status;
  std::string text;
};

struct Outcome {
  std::vector<Failure> failures;
  std::map<std::string, std::string> values;  // the bytes of each result
};

using At = std::function<void(const std::string& step)>;

// Of each subject a program: most of the interface; graphs with all that is recorded, called and gone back through.
enum class Subject { usual, graphs };
// On an engine that the caller has. Waits for all it began.
Outcome run(Subject subject, rondo_engine* engine, rondo_device device, const At& at);
// An engine of its own, which is gone afterwards too.
Outcome run_alone(Subject subject, rondo_engine_mode mode, rondo_device device, const At& at);

}  // namespace memory
