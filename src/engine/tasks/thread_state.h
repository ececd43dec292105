// Holds the engine's knowledge of the calling thread in one object: to find a thread-local of a shared library costs a
// call, so a function that needs it looks it up once and keeps the reference.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/path.h"

namespace rondo {

class Observer;
class RandomScope;
class Sink;
class Stream;
class TaskQueue;

struct ThreadState {
  // Who is told of each task the thread submits: its open tapes, then its recording, which takes those of its engine.
  Observer* tapes = nullptr;
  Sink* sink = nullptr;
  bool observed() const { return tapes || sink; }
  // The source of random numbers for the tasks that it submits, if not the devices' sequences.
  RandomScope* random = nullptr;
  int task_depth = 0;  // bodies of tasks it is in the middle of
  // The stream whose lock it holds: the body of a device task may need memory, and so may wait for its own stream.
  const Stream* issuing = nullptr;
  // Tasks made ready by its completions, issued in turn instead of by recursion: a long chain must not eat the stack.
  // Null unless it is issuing tasks. Each by its own engine: the body of one engine's task may submit to another.
  TaskQueue* ready = nullptr;
  // True while it waits and runs a task in a worker's place (Engine::run_as_guest): no code of the user's.
  bool guest = false;
  // Counts the beginnings and ends of tapes and recordings on the thread so far, with pauses, bodies and sections: a
  // submission after one of them counts differently.
  uint64_t changes = 0;
};

// Never destroyed: may be used until the thread is gone.
RONDO_HOT ThreadState& this_thread();

}  // namespace rondo
