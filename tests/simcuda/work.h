// One piece of device work: a kernel launch, a copy, a fill, a host function. A stream runs it as a task, a captured
// stream keeps it as a graph node; it is immutable, so launches in flight and later updates never meet. Copyright 2026
// the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "driver.h"

namespace simcuda {

struct Work {
  virtual ~Work() = default;
  virtual CUgraphNodeType type() const = 0;
  virtual std::string name() const = 0;
  // Does it, on a worker, without the driver's lock. An error is the device's end.
  virtual void run(Device& device) const = 0;
  // Begins it, in the same place. False: it goes on after that, and Scheduler::complete is called for the task.
  virtual bool start(Device& device, const TaskRef& task) const {
    (void)task;
    run(device);
    return true;
  }
  virtual bool host() const { return false; }
  // The device it runs on whatever stream or graph holds it; null: that of the stream.
  virtual Device* home() const { return nullptr; }
};
using WorkRef = std::shared_ptr<const Work>;

struct KernelWork : Work {
  std::shared_ptr<Function> function;
  CUfunction handle = nullptr;
  SimcudaUint3 grid{}, block{};
  unsigned shared_bytes = 0;
  bool programmatic = false;  // launched with programmatic stream serialization
  std::vector<unsigned char> arguments;
  std::vector<void*> pointers;  // into `arguments`, one per parameter

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_KERNEL; }
  std::string name() const override { return function->kernel->name; }
  Device* home() const override { return function->module->device; }
  void run(Device&) const override {}
  bool start(Device& device, const TaskRef& task) const override;
};

// Copies the arguments a launch points to, and checks what a real launch checks.
CUresult make_kernel_work(CUfunction function, SimcudaUint3 grid, SimcudaUint3 block, unsigned shared_bytes,
                          void* const* parameters, void* const* extra, bool programmatic, WorkRef* result);

struct CopyWork : Work {
  std::uint64_t to = 0, from = 0;
  std::size_t bytes = 0;
  std::shared_ptr<std::vector<unsigned char>> staged;  // pageable source, read at the call

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMCPY; }
  std::string name() const override { return "memcpy"; }
  void run(Device& device) const override;
};

struct FillWork : Work {
  std::uint64_t to = 0;
  unsigned value = 0, width = 1;
  std::size_t count = 0;

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMSET; }
  std::string name() const override { return "memset"; }
  void run(Device& device) const override;
};

struct HostWork : Work {
  CUhostFn function = nullptr;
  void* argument = nullptr;

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_HOST; }
  std::string name() const override { return "host function"; }
  void run(Device&) const override { function(argument); }
  bool host() const override { return true; }
};

struct EmptyWork : Work {
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_EMPTY; }
  std::string name() const override { return "empty"; }
  void run(Device&) const override {}
};

// Puts the work in a stream, or in the graph the stream is captured into. Needs the lock.
CUresult enqueue(const std::shared_ptr<Stream>& stream, WorkRef work);
// Puts a task at the end of a stream that is not captured.
void append(Stream& stream, const TaskRef& task);
// `of_stream` runs it, unless the work has a device of its own.
TaskRef make_task(Device& of_stream, std::uint64_t stream, WorkRef work);
// Reports a copy whose host end lies in pinned memory that was freed: what it reads or what it writes.
void report_freed(std::uint64_t to, std::uint64_t from, std::size_t bytes, bool writes);
bool is_module_memory(std::uint64_t address, std::size_t bytes);

}  // namespace simcuda
