// What tests of passes have in common: an engine, and recordings as programs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <functional>
#include <string>

#include "graph/passes/passes.h"
#include "graph/recording.h"

namespace rondo {

// Takes results that nobody asks for again.
struct Result {
  ~Result() { rondo_tensor_destroy(tensor); }
  operator rondo_tensor*() const { return tensor; }
  rondo_tensor** slot() { return &tensor; }
  rondo_tensor* tensor = nullptr;
};

class OnPrograms : public ::testing::Test {
 protected:
  void SetUp() override { must(rondo_engine_create(nullptr, &engine_)); }
  void TearDown() override {
    must(rondo_record_abort(engine_));
    rondo_engine_destroy(engine_);
  }
  static void must(rondo_status status) { ASSERT_EQ(status, RONDO_OK) << rondo_last_error(); }
  void make(int64_t n, rondo_tensor** tensor, rondo_dtype dtype = RONDO_F32) {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, dtype, 1, &n, tensor));
  }
  void filled(int64_t n, rondo_tensor** tensor) {
    make(n, tensor);
    must(rondo_fill(*tensor, 1));
  }
  ops::Program recorded(const std::function<void()>& body) {
    must(rondo_record_begin(engine_, nullptr));
    body();
    Recording::Drawn drawn;
    return static_cast<Recording*>(Engine::thread_sink())->program(&drawn);
  }
  // The names of a program's tasks.
  static std::string names(const ops::Program& program) {
    std::string all;
    for (const ops::ProgramNode& node : program.nodes) all += std::string(all.empty() ? "" : " ") + node.name;
    return all;
  }

  rondo_engine* engine_ = nullptr;
};

}  // namespace rondo
