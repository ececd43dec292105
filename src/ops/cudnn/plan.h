// Holds the objects that cuDNN's backend interface makes of a description: operation graphs, the library's proposals
// for them, and plans, which compute them with one engine.
//
// A plan is immutable and may be run by any thread. Those that were chosen (choice.h) stay until the process ends,
// because graphs that hold their kernels may.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ops/cudnn/descriptor.h"

namespace rondo::ops::dnn {

// An engine and its knobs: what a plan can be made of again.
struct Recipe {
  int64_t engine = 0;
  std::vector<std::pair<int32_t, int64_t>> knobs;
  bool deterministic = true;
  bool operator==(const Recipe& other) const { return engine == other.engine && knobs == other.knobs; }
};
// "41 2:3 17:8", and back; false if it is none.
std::string text_of(const Recipe& recipe);
bool read_recipe(const std::string& text, Recipe* recipe);

// cuDNN's name for what elements of a float dtype are.
cuda::cudnnDataType_t data_type(int32_t dtype);

// The properties that the engines of a family of problems may have. Never: sums that are rounded on the way, or of
// another algorithm.
struct Promises {
  const char* family;     // "convolution", for messages
  bool compiled = false;  // for tenths of seconds, while the plan is made
  bool tensor_cores = true;
  bool narrowed = false;       // operands, to fewer digits
  bool deterministic = false;  // others are passed over; otherwise they come last
};

// A tensor of a graph.
struct TensorSpec {
  int64_t id = 0;
  int type = 0;  // cudnnDataType_t
  std::span<const int64_t> sizes, strides;
  bool is_virtual = false;  // between operations
  bool by_value = false;    // one number, which a run gives by an address of the host
};

// The addresses of the tensors of a run, by their ids.
class Pointers {
 public:
  void add(int64_t id, const void* address) {
    ids_[static_cast<size_t>(count_)] = id;
    at_[static_cast<size_t>(count_++)] = const_cast<void*>(address);
  }
  int64_t count() const { return count_; }
  const int64_t* ids() const { return ids_.data(); }
  void* const* addresses() const { return at_.data(); }

 private:
  static constexpr size_t kMost = 24;
  int64_t count_ = 0;
  std::array<int64_t, kMost> ids_ = {};
  std::array<void*, kMost> at_ = {};
};

// A problem in cuDNN's words, which proposals are asked for and plans are made of. The code that describes the problem
// adds tensors and operations, each after its operands, and finishes it.
class OperationGraph {
 public:
  OperationGraph(Handles& handles, const Promises& promises) : handles_(handles), promises_(promises) {}

  // A descriptor that lives as long as the graph.
  Status create(cuda::cudnnBackendDescriptorType_t type, Descriptor** made);
  Status add_tensor(const TensorSpec& spec, const Descriptor** tensor);
  // Finalizes an operation of the graph.
  Status add_operation(Descriptor& operation);
  Status finish();

  // The proposals of the library's heuristics, best first, without those that the promises exclude. Empty: nothing.
  Status propose(std::vector<Recipe>* recipes) const;

 private:
  friend class Plan;
  Status ask(int mode, std::vector<Recipe>* recipes) const;
  Status read_configuration(const Descriptor& configuration, std::vector<Recipe>* recipes) const;

  Handles& handles_;
  const Promises promises_;
  std::vector<std::unique_ptr<Descriptor>> parts_;
  std::vector<cuda::cudnnBackendDescriptor_t> operations_;
  Descriptor graph_;
};

class Plan {
 public:
  // RONDO_UNSUPPORTED and the like where the engine does not take it.
  static Status make(const std::shared_ptr<const OperationGraph>& graph, const Recipe& recipe,
                     std::unique_ptr<Plan>* plan);
  const Recipe& recipe() const { return recipe_; }
  size_t workspace_bytes() const { return workspace_bytes_; }
  // Enqueues it. Numbers that are given by value are read before it returns.
  Status run(cuda::CudaDevice& device, const Pointers& pointers, void* workspace, void* stream) const;

 private:
  Plan(std::shared_ptr<const OperationGraph> graph, Recipe recipe)
      : graph_(std::move(graph)), recipe_(std::move(recipe)) {}
  Status build();

  const std::shared_ptr<const OperationGraph> graph_;
  const Recipe recipe_;
  std::vector<std::unique_ptr<Descriptor>> knobs_;
  Descriptor engine_, configuration_, plan_;
  size_t workspace_bytes_ = 0;
};

}  // namespace rondo::ops::dnn
