// Prints what `rondo doctor` has found: a mark, a sentence in lines that fit a terminal, and a command that can be
// copied.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo::tools {

// fine: nothing to do; note: works, and could be better; mend: is there, or was asked for, and does not work.
enum class Mark { fine, note, mend };

// Prints "mend  <sentence>." and below it "      $ <command>". The text of a library becomes one sentence: its lines
// are joined, and it ends with one full stop. A command is never broken.
void report(Mark mark, const std::string& sentence, const std::string& command = {});

}  // namespace rondo::tools
