// Describes where a failure comes from. It travels with an error in addition to the code and the text, so that programs
// need not parse the text.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include "base/ref.h"

namespace rondo {

// An object of the user's that goes with an error of a task. Errors are released under locks, where the user's code
// must not run: a cause without owners waits for the next sweep.
class Cause final : public RefCounted {
 public:
  using Destroy = void (*)(void* object);
  Cause(void* object, Destroy destroy) : object(object), destroy(destroy) {}
  void* const object;
  const Destroy destroy;  // may be null

  // Destroys the objects of causes that were let go of. Without locks.
  static void sweep();

 protected:
  void dispose() override;

 private:
  Cause* next_ = nullptr;
};

struct Origin {
  const char* task = nullptr;  // that failed first, whose name lives as long as the process; null: none did
  rondo_device device = {RONDO_CPU, 0};
  Ref<const Cause> cause;
};

}  // namespace rondo
