// Says of a task that it can keep a copy of an operand in the order in which it reads it, for its next runs.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/status.h"

namespace rondo {
class Storage;
}

namespace rondo::ops {

// A graph's compiler asks a task for that if no task of the graph writes the operand's storage: between two runs of the
// graph only tasks of the engine's write it then, and the storage's version counts them.
class PacksWeights {
 public:
  virtual const Storage& weights() const = 0;
  // Bytes of the copy; 0: there is none to make.
  virtual size_t packed_bytes() const = 0;
  // From here on the task keeps the copy, for which it takes memory now, or shares that of another task. Before it
  // runs.
  virtual Status keep_packed() = 0;
  // The task is run by a graph that writes the weights: it reads them as they lie. From any thread.
  virtual void read_unpacked() = 0;

 protected:
  ~PacksWeights() = default;
};

}  // namespace rondo::ops
