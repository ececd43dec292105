// What the suites about optimizers share. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "harness.h"

namespace conformance {

struct OptimizerDeleter {
  void operator()(rondo_optimizer* optimizer) const { rondo_optimizer_destroy(optimizer); }
};
using Optimizer = std::unique_ptr<rondo_optimizer, OptimizerDeleter>;
using Tensors = std::vector<Tensor>;

inline std::vector<rondo_tensor*> handles(const Tensors& tensors) {
  return {tensors.begin(), tensors.end()};
}
inline rondo_optimizer_options optimizer_options(rondo_optimizer_kind kind, double rate) {
  rondo_optimizer_options options = RONDO_OPTIMIZER_OPTIONS_INIT;
  options.kind = kind;
  options.rate = rate;
  return options;
}

class OnOptimizer : public OnEngine {
 protected:
  Tensors up_all(const std::vector<Array>& arrays) const {
    Tensors all;
    for (const Array& each : arrays) all.push_back(up(each));
    return all;
  }
  static Optimizer optimizer(const Tensors& parameters, const rondo_optimizer_options& options) {
    rondo_optimizer* made = nullptr;
    std::vector<rondo_tensor*> list = handles(parameters);
    must(rondo_optimizer_create(static_cast<int32_t>(list.size()), list.data(), &options, &made));
    return Optimizer(made);
  }
  static void step(const Optimizer& of, const Tensors& gradients, rondo_tensor* finite = nullptr,
                   rondo_tensor* scale = nullptr) {
    std::vector<rondo_tensor*> list = handles(gradients);
    must(rondo_optimizer_step(of.get(), static_cast<int32_t>(list.size()), list.data(), finite, scale));
  }
  static Tensor all_finite(const Tensors& tensors) {
    std::vector<rondo_tensor*> list = handles(tensors);
    return make(rondo_all_finite, static_cast<int32_t>(list.size()), list.data());
  }
  static Tensor global_norm(const Tensors& tensors) {
    std::vector<rondo_tensor*> list = handles(tensors);
    return make(rondo_global_norm, static_cast<int32_t>(list.size()), list.data());
  }
  static void write(rondo_tensor* tensor, const Array& array) {
    unsigned char nothing = 0;
    must(rondo_tensor_write(tensor, array.bytes.empty() ? &nothing : array.bytes.data(), array.bytes.size()));
  }
  // Runs a body that reads its operands where they are: eager each time, or recorded when it is first run.
  class Repeated {
   public:
    Repeated(rondo_engine* engine, bool graph, std::function<void()> body)
        : engine_(engine), is_graph_(graph), body_(std::move(body)) {}
    void run() {
      if (!is_graph_) return body_();
      if (!graph_) graph_ = record(engine_, body_);
      must(rondo_graph_launch(graph_.get()));
    }

   private:
    rondo_engine* engine_;
    bool is_graph_;
    std::function<void()> body_;
    Graph graph_;
  };
  Repeated repeated(std::function<void()> body) const { return {engine(), GetParam().graph, std::move(body)}; }

  struct State {
    std::string name;
    Tensor tensor;
  };
  static std::vector<State> states(const Optimizer& of) {
    rondo_optimizer_info info = RONDO_OPTIMIZER_INFO_INIT;
    must(rondo_optimizer_query(of.get(), &info));
    std::vector<State> all;
    for (int32_t i = 0; i < info.states; ++i) {
      const char* name = nullptr;
      Tensor tensor;
      must(rondo_optimizer_state(of.get(), i, &name, tensor.slot()));
      all.push_back({name, std::move(tensor)});
    }
    return all;
  }
  static Array state(const Optimizer& of, const std::string& name) {
    for (const State& each : states(of))
      if (each.name == name) return download(each.tensor);
    throw std::runtime_error("there is no state " + name);
  }
  // Of a parameter's elements and of its state, all bits.
  static std::vector<Array> snapshot(const Optimizer& of, const Tensors& parameters) {
    std::vector<Array> all;
    for (const Tensor& each : parameters) all.push_back(download(each));
    for (const State& each : states(of)) all.push_back(download(each.tensor));
    return all;
  }
  static void expect_same(const std::vector<Array>& actual, const std::vector<Array>& expected,
                          const std::string& label) {
    ASSERT_EQ(actual.size(), expected.size()) << label;
    for (size_t i = 0; i < actual.size(); ++i)
      expect_same_bits(actual[i], expected[i], label + ", " + std::to_string(i));
  }
};

}  // namespace conformance
