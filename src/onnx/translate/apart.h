// A thread of its own on which constants are computed and read, while the thread that converts has a recording open.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace rondo_onnx {

// Owned by one conversion; its thread alone calls run(), or a function that runs there already.
class Apart {
 public:
  Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart();

  // Runs `work` on the thread and waits for it; what it throws goes on here. On that thread itself it just runs.
  void run(const std::function<void()>& work);
  bool here() const { return std::this_thread::get_id() == thread_.get_id(); }

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr thrown_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace rondo_onnx
