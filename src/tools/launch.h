// Runs `rondo launch`: it starts the ranks of a program on this machine and waits for them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::tools {

// arguments: what follows `launch`. Starts N processes, each with the RONDO_* variables by which they find each other,
// passes on signals, and returns when all have ended: the status of the first that failed, 128 and the signal's number
// if a signal ended it, else 0. When one fails, the others are ended. 2 where the arguments are wrong, 126 or 127 where
// the program cannot be started.
int launch(int count, char** arguments);

}  // namespace rondo::tools
