// One convolution as cuDNN's: the problem, what the library proposes for it, and plans, which compute it with one
// engine.
//
// A plan is immutable and may be run by any thread. Those that were chosen (cudnn_choice.h) stay until the process
// ends, because graphs that hold their kernels may.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/convolution/cudnn_descriptor.h"

namespace rondo::ops::dnn {

enum Way : int32_t { kForward, kData, kFilter };

// N, C, then two or three spatial dimensions; of the filter the first is that of the result's channels.
struct Operand {
  int64_t size[5] = {};
  int64_t stride[5] = {};
};

// result = convolution(image, filter), or one of its gradients, which is what `way` says; then, forward only, +
// residual
// + bias and the larger of that and 0. No padding: problems are hashed, compared and kept as bytes.
struct Problem {
  int32_t way = kForward;
  int32_t dtype = 0;  // rondo_dtype of everything
  int32_t device = 0;
  int32_t spatial = 0;  // 2 or 3
  Operand image, filter, result;
  int64_t residual_stride[5] = {};
  int64_t stride[3] = {}, dilation[3] = {}, before[3] = {}, after[3] = {};
  int32_t residual = 0, bias = 0, relu = 0;  // whether there is one
  int32_t beta = 0;                          // adds to what the output holds
  int32_t tf32 = 0;
  int32_t deterministic = 0;

  const Operand& out() const { return way == kForward ? result : way == kData ? image : filter; }
};
static_assert(std::has_unique_object_representations_v<Problem>);

std::string text_of(const Problem& problem);

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

struct Addresses {
  void* image = nullptr;
  void* filter = nullptr;
  void* result = nullptr;
  void* residual = nullptr;
  void* bias = nullptr;
};

// The problem in cuDNN's words, which proposals are asked for and plans are made of.
class OperationGraph {
 public:
  static Status make(cuda::CudaDevice& device, const Problem& problem, std::shared_ptr<const OperationGraph>* graph);
  // The same with handles that the caller keeps for longer.
  static Status make(Handles& handles, const Problem& problem, std::shared_ptr<const OperationGraph>* graph);
  // What the library's heuristics propose, best first, without what the problem's promises exclude. Empty: nothing.
  Status propose(std::vector<Recipe>* recipes) const;
  const Problem& problem() const { return problem_; }

 private:
  friend class Plan;
  OperationGraph(Handles& handles, const Problem& problem) : handles_(handles), problem_(problem) {}
  Status build();
  Status add_tensor(int64_t id, int dtype, const Operand& operand, bool is_virtual, const Descriptor** tensor);
  Status add_pointwise(int mode, int precision, const Descriptor& x, const Descriptor* b, const Descriptor& y);
  Status ask(int mode, std::vector<Recipe>* recipes) const;
  Status read_configuration(const Descriptor& configuration, std::vector<Recipe>* recipes) const;

  Handles& handles_;
  const Problem problem_;
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
  // Enqueues it.
  Status run(cuda::CudaDevice& device, const Addresses& addresses, void* workspace, void* stream) const;

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
