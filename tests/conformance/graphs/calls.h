// The base of the suites about graphs that are called. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "graphs/recording.h"

namespace conformance {

using Callable = Graph;

class OnCalls : public OnRecording {
 protected:
  struct Kind {
    rondo_dtype dtype;
    Shape shape;
  };
  template <class... T>
  static std::vector<Tensor> list(T... tensors) {
    std::vector<Tensor> made;
    (made.push_back(std::move(tensors)), ...);
    return made;
  }
  static rondo_record_options for_calls(const char* name = "callable") {
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.name = name;
    options.flags = RONDO_RECORD_CALLABLE;
    return options;
  }
  Tensor input(const Kind& kind) const {
    return make(rondo_record_input, engine(), device(), kind.dtype, static_cast<int32_t>(kind.shape.size()),
                kind.shape.data());
  }
  // A graph of what `body` makes of inputs.
  Callable callable(const std::vector<Kind>& kinds,
                    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) const {
    const rondo_record_options options = for_calls();
    return record(
        engine(),
        [&] {
          std::vector<Tensor> inputs;
          for (const Kind& kind : kinds) inputs.push_back(input(kind));
          for (const Tensor& output : body(inputs)) must(rondo_record_output(engine(), output));
        },
        &options);
  }
  // Calls, with new outputs or into given ones.
  static std::vector<Tensor> call_all(const Callable& graph, std::vector<rondo_tensor*> inputs, size_t outputs) {
    std::vector<rondo_tensor*> made(outputs, nullptr);
    must(rondo_graph_call(graph.get(), static_cast<int32_t>(inputs.size()), inputs.data(),
                          static_cast<int32_t>(outputs), made.data()));
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  static Tensor call(const Callable& graph, std::vector<rondo_tensor*> inputs) {
    return std::move(call_all(graph, std::move(inputs), 1)[0]);
  }
  static void call_into(const Callable& graph, std::vector<rondo_tensor*> inputs, std::vector<rondo_tensor*> outputs) {
    const std::vector<rondo_tensor*> given = outputs;
    must(rondo_graph_call(graph.get(), static_cast<int32_t>(inputs.size()), inputs.data(),
                          static_cast<int32_t>(outputs.size()), outputs.data()));
    EXPECT_EQ(outputs, given);
  }
  static void expect_all(rondo_tensor* tensor, Real value) {
    const Array got = download(tensor);
    for (size_t i = 0; i < got.size() && !HasFailure(); ++i) EXPECT_EQ(got[i], value) << "at " << i;
  }
  // body(number), with numbers that no two calls share, so many from each thread.
  static void from_threads(int threads, int each, const std::function<void(int)>& body) {
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        try {
          for (int i = 0; i < each; ++i) body(t * each + i);
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
    for (std::thread& thread : running) thread.join();
  }
};

}  // namespace conformance
