// Runs the threads that look after communicators: failures of a library, work that takes too long, what the device has
// done. Two for the process, started by the first communicator. The path of a collective never asks.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::comm {

class Communicator;

void watch(Communicator& communicator);
// Has all looked at soon.
void wake_watch();
// Returns when it is not being looked at any more.
void unwatch(Communicator& communicator);

}  // namespace rondo::comm
