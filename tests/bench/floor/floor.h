// The floor: the work of the rows without Rondo. On cuda it is the bare driver, opened by the benchmark itself, with
// one stream and a kernel of its own; on cpu a thread with a queue, and a plain loop. Each Floor has a stream (a
// thread) of its own and is used by one thread at a time; different ones may be used by different threads at once.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <cstddef>
#include <memory>

namespace bench {

constexpr int kElements = 1024;  // of each operand, as in the goals

// A prepared sequence of additions: a captured CUDA graph, or on cpu a loop over them handed to the thread as one.
class FloorGraph {
 public:
  virtual ~FloorGraph() = default;
  virtual void launch() = 0;  // on the floor's stream
  // The same when the first addition and the last one have been given other operands, one of two in turn. Of a graph
  // that was made to be changed.
  virtual void launch_changed() = 0;
};

class Floor {
 public:
  virtual ~Floor() = default;
  virtual void add() = 0;      // enqueues c = a + b over kElements floats
  virtual void add_new() = 0;  // the same into memory taken for it and given back after it, both in stream order
  virtual void copy(std::size_t bytes) = 0;  // enqueues a copy from one place of the device to another
  virtual void wait() = 0;                   // until everything enqueued is done
  // `nodes` additions in `branches` independent chains, ready to launch. What this call takes is the floor of
  // recording, unless it is made to be changed.
  virtual std::unique_ptr<FloorGraph> graph(int nodes, int branches, bool to_change = false) = 0;
};

// Throws std::runtime_error that says what is missing. `device` picks the side.
std::unique_ptr<Floor> make_floor(rondo_device device);

std::unique_ptr<Floor> make_cuda_floor(int ordinal);  // floor_cuda.cc
std::unique_ptr<Floor> make_cpu_floor();              // floor_cpu.cc

}  // namespace bench
