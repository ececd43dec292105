// Moves the data of a communicator: NCCL, sockets between processes, kernels of Rondo's own. One object is one rank's
// end. Made when the communicator is, by all ranks together; collectives reach it one task at a time, in the order of
// submission.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/ops.h>

#include <span>

#include "base/status.h"

namespace rondo {
struct TaskContext;
}

namespace rondo::comm {

enum class Kind : uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  send,
  receive,
  barrier
};
const char* kind_name(Kind kind);  // "all_reduce"

// One collective, checked: memory is contiguous, sizes fit, peers exist.
struct Operation {
  Kind kind = Kind::barrier;
  rondo_dtype dtype = RONDO_F32;
  rondo_reduce_op reduction = RONDO_SUM;  // of those that reduce
  int32_t peer = 0;                       // root, or the other end of send and receive
  // Elements: of the whole tensor for all_reduce, broadcast, reduce, send, receive; of one rank's part for all_gather,
  // reduce_scatter, all_to_all. May be 0.
  size_t count = 0;
  const void* input = nullptr;  // null where this rank gives nothing
  void* output = nullptr;       // null where it gets nothing; may be equal to input where the header says so
};

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  // Must not block for longer than the time limit, whatever state the peers are in.
  virtual ~Transport() = default;

  virtual const char* name() const = 0;  // "nccl"; static
  virtual int32_t version() const { return 0; }
  // RONDO_UNSUPPORTED with the reason, before the task is made.
  virtual Status supports(const Operation& operation) const = 0;

  // The body of a task; the operations are one group. On a device: enqueues on context.stream, or adds to the capture
  // (context.capturing), and does not wait for peers' work. On a host: returns when done, in a worker's thread.
  virtual Status run(std::span<const Operation> operations, const TaskContext& context) = 0;
  // Returns whether run() may be captured on this device; if not, *why says so.
  virtual bool capturable(const char** why) const = 0;

  // The transport's own failure if it has one by now; asked now and then by the watching thread, never blocks.
  virtual Status poll() { return {}; }
  // The end, in two steps, each from any thread, once or more, also while another is in run(); neither blocks. First,
  // run() returns the cause, soon where it is blocked, and at once from then on. Between the two the communicator
  // writes off what is on the device. Then that ends: kernels that wait for peers give up.
  virtual void refuse(const Status& cause) = 0;
  virtual void abort() {}
};

}  // namespace rondo::comm
