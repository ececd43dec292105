// Defines tasks that are kernels: the one base of all families whose work on a GPU is one launch or a few, one after
// the other. A task says when it is made, or at the latest when it is prepared, which kernels those are, what their
// arguments are and which words of them are addresses; finding the kernels, filling the words in and launching is
// written here, once.
//
// Elementwise tasks are not among them: an eager one is made, prepared and run in less time than it takes to fill in
// what is kept here, so they keep their one launch themselves (elementwise_task.h).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/small_vector.h"
#include "device/cuda/cuda_device.h"
#include "ops/program/operator_task.h"
#include "ops/task/kernel_spec.h"

namespace rondo::ops {

class KernelTask : public OperatorTask {
 public:
  // Finds the kernels of all launches. An override that says more about them calls this at its end.
  Status prepare() override;
  Ref<OperatorTask> again(const Rebinding& memory) const override = 0;
  size_t own_kernels() const override { return launches_.size(); }
  // Launches all, in their order. Prepares the task if it came here by another way than the usual ones.
  Status run(const TaskContext& context) override;

 protected:
  static constexpr int kThreads = 256;  // of a block, unless a launch says otherwise

  KernelTask(const char* name, Device& device) : OperatorTask(name, device) {}

  // A kernel that launches name by the number that is returned.
  int add_kernel(const KernelSpec& spec) {
    kernels_.push_back({spec, nullptr, false});
    return static_cast<int>(kernels_.size()) - 1;
  }
  // `blocks` blocks, `layers` times in y. arguments: the struct that the kernel takes; it stays where it is, the
  // task's, which may go on filling it in until it is run.
  template <class Arguments>
  void add_launch(int kernel, Arguments& arguments, int64_t blocks, int64_t layers = 1, int threads = kThreads) {
    Launch& launch = launches_.append();
    launch = {};
    launch.kernel = kernel;
    launch.arguments = &arguments;
    launch.shape.grid[0] = static_cast<unsigned>(blocks);
    launch.shape.grid[1] = static_cast<unsigned>(layers);
    launch.shape.block[0] = static_cast<unsigned>(threads);
  }
  // A kernel that is there already, and takes as many parameters as it has: the address of each, the task's too.
  void add_launch(cuda::CUfunction function, void** parameters, const cuda::CudaDevice::Launch& shape) {
    Launch& launch = launches_.append();
    launch = {};
    launch.function = function;
    launch.parameters = parameters;
    launch.shape = shape;
  }

  // A word of 8 bytes among the arguments is an address, known when the task is run: so many bytes after the view's
  // first element, or from the start of scratch memory.
  void add_address(void* word, const View& view, int64_t bytes = 0) {
    addresses_.push_back({word, view.storage, view.offset + bytes});
  }
  void add_workspace(void* word, int64_t bytes = 0) { addresses_.push_back({word, nullptr, bytes}); }

 private:
  struct Kernel {
    KernelSpec spec;
    cuda::CUfunction function;  // null: not found yet
    bool waits = false;
  };
  struct Launch {
    int kernel = 0;
    cuda::CUfunction function = nullptr;
    void* arguments = nullptr;
    void** parameters = nullptr;  // null: `arguments` is the one there is
    cuda::CudaDevice::Launch shape;
  };
  struct Address {
    void* word;
    Storage* storage;  // null: scratch memory
    int64_t bytes;
  };
  SmallVector<Kernel, 1> kernels_;
  SmallVector<Launch, 2> launches_;
  SmallVector<Address, 8> addresses_;
};

}  // namespace rondo::ops
