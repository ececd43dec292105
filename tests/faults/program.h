// The program that the faults meet: a little of everything Rondo does on a GPU, with a fixed order of calls and results
// that never change. A call that fails is noted and the program goes on as far as it can.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace faults {

struct Failure {
  std::string step;
  rondo_status status;
  std::string text;
};

class Program {
 public:
  // `at` is told each step's name.
  explicit Program(rondo_engine* engine, std::function<void(const std::string&)> at = nullptr);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void run();
  // Reads every tensor again.
  void read_again();

  const std::vector<Failure>& failures() const { return failures_; }
  void forget_failures() { failures_.clear(); }
  // What was read: the bytes by the tensor's name.
  const std::map<std::string, std::string>& values() const { return values_; }
  rondo_tensor* tensor(const std::string& name) const;
  rondo_graph* graph() const { return graph_; }

 private:
  void upload();
  void operators();
  void streams();
  void tasks();
  void record();
  void launch();
  void control();
  void callables();
  void trace();
  void device();

  // Notes a failure under the current step. Whether the call succeeded.
  bool call(rondo_status status);
  void step(const std::string& name);
  rondo_tensor* from_host(const std::string& name, rondo_device device, std::vector<int64_t> shape,
                          const std::function<float(int64_t)>& value);
  // Calls an operator with the slot of a new tensor, unless one of its inputs is missing.
  void make(const std::string& name, const std::vector<rondo_tensor*>& inputs,
            const std::function<rondo_status(rondo_tensor**)>& make);
  void push(const char* name, rondo_device device, int32_t stream, const std::vector<rondo_tensor*>& reads,
            rondo_tensor* write, rondo_task_fn fn, void* address);
  void read(const std::string& name);
  void drop(const std::string& name);

  rondo_engine* engine_;
  std::function<void(const std::string&)> at_;
  std::string step_;
  std::map<std::string, rondo_tensor*> tensors_;
  std::map<std::string, std::string> values_;
  std::vector<Failure> failures_;
  rondo_graph* graph_ = nullptr;
  rondo_graph* choosing_ = nullptr;
  rondo_callable* callable_ = nullptr;
};

// What a value must be where a line of arithmetic says so; the others are told by Program itself, run without faults.
std::string expected(const std::string& name);

}  // namespace faults
