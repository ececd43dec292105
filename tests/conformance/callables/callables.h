// The base of the suites about callables. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "graphs/recording.h"
#include "tape/tape.h"

namespace conformance {

// Owns a callable of a C++ function, and counts how often that is called.
class Called {
 public:
  // Stores its results, or returns what it fails with.
  using Body = std::function<rondo_status(const std::vector<rondo_tensor*>& inputs, std::vector<Tensor>* outputs)>;
  Called(rondo_engine* engine, int32_t outputs, Body body, const rondo_callable_options* options = nullptr)
      : outputs_(outputs), state_(new State{std::move(body), {}}) {
    must(rondo_callable_create(
        engine, outputs, options, run, state_, [](void* arg) { delete static_cast<State*>(arg); }, &handle_));
  }
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;
  ~Called() { rondo_callable_destroy(handle_); }
  operator rondo_callable*() const { return handle_; }

  std::vector<Tensor> all(std::vector<rondo_tensor*> inputs) const {
    std::vector<rondo_tensor*> made(static_cast<size_t>(outputs_), nullptr);
    must(rondo_callable_call(handle_, static_cast<int32_t>(inputs.size()), inputs.data(), outputs_, made.data()));
    std::vector<Tensor> owned;
    for (rondo_tensor* each : made) owned.emplace_back(each);
    return owned;
  }
  Tensor operator()(std::vector<rondo_tensor*> inputs) const { return std::move(all(std::move(inputs))[0]); }
  int runs() const { return state_->runs.load(); }
  rondo_callable_info info() const {
    rondo_callable_info info = RONDO_CALLABLE_INFO_INIT;
    must(rondo_callable_query(handle_, &info));
    return info;
  }
  std::string report() const {
    size_t length = 0;
    must(rondo_callable_report(handle_, nullptr, 0, &length));
    std::vector<char> text(length + 1);
    must(rondo_callable_report(handle_, text.data(), text.size(), &length));
    return text.data();
  }

 private:
  struct State {
    Body body;
    std::atomic<int> runs{0};
  };
  static rondo_status run(void* arg, int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                          rondo_tensor** outputs) {
    auto* state = static_cast<State*>(arg);
    ++state->runs;
    try {
      std::vector<Tensor> made;
      const rondo_status status = state->body({inputs, inputs + n_inputs}, &made);
      for (size_t i = 0; i < made.size() && i < static_cast<size_t>(n_outputs); ++i) outputs[i] = made[i].release();
      return status;
    } catch (const std::exception&) {
      return RONDO_USER_ERROR;
    }
  }
  const int32_t outputs_;
  State* const state_;
  rondo_callable* handle_ = nullptr;
};

class OnCallables : public OnRecording {
 protected:
  using Inputs = std::vector<rondo_tensor*>;
  using Outputs = std::vector<Tensor>;
  static rondo_callable_options named(const char* name, uint32_t flags = RONDO_CALLABLE_DEFAULT) {
    rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
    options.name = name;
    options.flags = flags;
    return options;
  }
  // 2 x + 1.
  static rondo_status line(const Inputs& x, Outputs* y) {
    const Tensor twice = make(rondo_binary_scalar, RONDO_MUL, x[0], 2.0);
    y->push_back(make(rondo_binary_scalar, RONDO_ADD, twice, 1.0));
    return RONDO_OK;
  }
  static void expect_all(rondo_tensor* tensor, Real value) {
    const Array got = download(tensor);
    for (size_t i = 0; i < got.size() && !HasFailure(); ++i) EXPECT_EQ(got[i], value) << "at " << i;
  }
  static void from_threads(int threads, const std::function<void(int)>& body) {
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        try {
          body(t);
        } catch (const std::exception& problem) {
          ADD_FAILURE() << problem.what();
        }
      });
    for (std::thread& thread : running) thread.join();
  }
};

}  // namespace conformance
