// What programs that run out of memory share: named tensors, steps, and what failed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "program.h"

namespace memory {

inline constexpr int64_t kRows = 8, kColumns = 16;

class Steps {
 public:
  Outcome outcome;

 protected:
  Steps(rondo_engine* engine, rondo_device device, const At& at, std::string prefix = "")
      : engine_(engine), device_(device), at_(at), prefix_(std::move(prefix)) {}
  ~Steps() {
    step("destroying");
    for (const auto& [name, tensor] : tensors_) rondo_tensor_destroy(tensor);
  }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  void step(const std::string& name) {
    step_ = prefix_ + name;
    at_(step_);
  }
  bool call(rondo_status status) {
    if (status != RONDO_OK) outcome.failures.push_back({step_, status, rondo_last_error()});
    return status == RONDO_OK;
  }
  rondo_tensor* of(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : found->second;
  }
  void keep(const std::string& name, rondo_tensor* tensor) {
    rondo_tensor_destroy(std::exchange(tensors_[name], tensor));
  }
  void make(const std::string& name, const std::vector<std::string>& inputs,
            const std::function<rondo_status(rondo_tensor**)>& make) {
    step(name);
    for (const std::string& input : inputs)
      if (!of(input)) return;
    rondo_tensor* out = nullptr;
    if (call(make(&out))) keep(name, out);
  }
  void from_host(const std::string& name, const std::function<float(int64_t)>& value) {
    std::vector<float> data(kRows * kColumns);
    for (size_t i = 0; i < data.size(); ++i) data[i] = value(static_cast<int64_t>(i));
    const int64_t shape[] = {kRows, kColumns};
    make(name, {}, [&](rondo_tensor** out) {
      return rondo_tensor_from_host(engine_, device_, RONDO_F32, 2, shape, data.data(), out);
    });
  }
  void read(const std::string& name) {
    rondo_tensor* from = of(name);
    step("read " + name);
    if (!from) return;
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    if (!call(rondo_tensor_query(from, &info))) return;
    std::string bytes(static_cast<size_t>(info.bytes), '\0');
    if (call(rondo_tensor_read(from, bytes.data(), bytes.size()))) outcome.values[prefix_ + name] = bytes;
  }
  void drop(const std::string& name) {
    rondo_tensor_destroy(of(name));
    tensors_.erase(name);
  }

  rondo_engine* engine_;
  const rondo_device device_;
  const At& at_;
  const std::string prefix_;
  std::string step_;
  std::map<std::string, rondo_tensor*> tensors_;
};

}  // namespace memory
