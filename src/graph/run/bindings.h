// A call of a graph is given inputs and outputs. Bindings say what stands for them in the graph, and whether tensors of
// the caller's may take its place.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"
#include "engine/tensor.h"

namespace rondo {

// An input or an output: memory of the graph's, in whose place a call puts the caller's.
struct Binding {
  Ref<Storage> storage;
  rondo_dtype dtype;
  Layout layout;        // row-major
  bool copied = false;  // through memory of the graph's, because a CUDA graph works on it
};

// Filled in while the graph is compiled, immutable then.
class Bindings {
 public:
  Bindings() = default;
  Bindings(std::vector<Binding> inputs, const std::vector<Binding>& outputs);

  bool empty() const { return list_.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(list_.size()); }
  uint32_t inputs() const { return inputs_; }
  bool is_input(uint32_t binding) const { return binding < inputs_; }
  const Binding& operator[](uint32_t binding) const { return list_[binding]; }
  Binding& operator[](uint32_t binding) { return list_[binding]; }
  std::string name(uint32_t binding) const;  // "inputs[1]"
  // Which one a variable stands for; null: none.
  const uint32_t* find(const Variable* variable) const;

  // Notes another variable that the graph uses. written: it writes that.
  void uses(Variable& variable, bool written) { others_[&variable] |= written; }
  // Those of them that are tensors from outside.
  std::vector<Storage*> captured_tensors() const;

  // Checks what a call is given, before it does anything: live tensors, as many as there are; outputs: null or live.
  Status check(const Engine& engine, const char* graph, rondo_tensor* const* inputs,
               rondo_tensor* const* outputs) const;

 private:
  Status check_bound(const Engine& engine, const char* graph, uint32_t binding, const View& view) const;
  Status check_output(uint32_t binding, const View& view, rondo_tensor* const* inputs,
                      rondo_tensor* const* outputs) const;

  std::vector<Binding> list_;  // inputs, then outputs
  uint32_t inputs_ = 0;
  std::unordered_map<const Variable*, uint32_t> numbers_;
  std::unordered_map<Variable*, bool> others_;
};

// Tells whether a tensor begins where kernels count on, so that a call can take it.
bool is_aligned(const View& view);

}  // namespace rondo
