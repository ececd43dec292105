// Errors as exceptions, owners of handles, devices and features. Part of rondo.hpp, which says what holds for all of
// it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_BASE_HPP
#define RONDO_HPP_BASE_HPP

#include <rondo/rondo.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace rondo {
inline namespace abi_0 {

class Error : public std::runtime_error {
 public:
  explicit Error(rondo_status status)
      : std::runtime_error(std::string(rondo_status_name(status)) + ": " + rondo_last_error()),
        status_(status),
        task_(rondo_last_error_operator(&device_)) {}
  rondo_status status() const noexcept { return status_; }
  // The operator or task that failed first, and where; null: the call was refused.
  const char* task() const noexcept { return task_; }
  rondo_device device() const noexcept { return device_; }

 private:
  rondo_status status_;
  rondo_device device_{RONDO_CPU, 0};
  const char* task_;
};

inline void check(rondo_status status) {
  if (status != RONDO_OK) throw Error(status);
}

// What is told when something is done: null, or what a wait would have thrown. It must be short, and must neither wait
// nor throw.
using Done = std::function<void(const Error*)>;
namespace detail {
inline void tell(void* arg, rondo_status status) {
  const std::unique_ptr<Done> done(static_cast<Done*>(arg));
  if (status == RONDO_OK) return (*done)(nullptr);
  const Error error(status);
  (*done)(&error);
}
template <class Call>
void notify(Done done, const Call& call) {
  std::unique_ptr<Done> held(new Done(std::move(done)));
  check(call(tell, held.get()));
  (void)held.release();  // it has been told, or will be
}
}  // namespace detail

// Of a wait with a limit: whether it ended in time.
inline bool in_time(rondo_status status) {
  if (status == RONDO_TIMED_OUT) return false;
  check(status);
  return true;
}

// The texts that the C interface writes into a buffer.
template <class Write>
std::string text_of(const Write& write) {
  size_t length = 0;
  check(write(nullptr, 0, &length));
  std::string text(length + 1, '\0');
  check(write(text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

template <class Handle, void (*destroy)(Handle*)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Handle* handle) : handle_(handle) {}
  Handle* get() const noexcept { return handle_.get(); }
  Handle* release() noexcept { return handle_.release(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void reset() noexcept { handle_.reset(); }

 private:
  struct Destroy {
    void operator()(Handle* handle) const noexcept { destroy(handle); }
  };
  std::unique_ptr<Handle, Destroy> handle_;
};

// --- devices and features
inline int32_t device_count(rondo_device_kind kind) {
  int32_t count = 0;
  check(rondo_device_count(kind, &count));
  return count;
}
inline rondo_device_info device_info(rondo_device device) {
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  check(rondo_device_query(device, &info));
  return info;
}
inline rondo_device parse_device(const std::string& text) {
  rondo_device device = {RONDO_CPU, 0};
  check(rondo_device_parse(text.c_str(), &device));
  return device;
}
inline std::string to_string(rondo_device device) {
  char text[16];
  check(rondo_device_format(device, text, sizeof text));
  return text;
}
struct Feature {
  bool available;
  std::string reason;
};
inline Feature feature(const std::string& name) {
  int32_t available = 0;
  const char* reason = nullptr;
  check(rondo_feature(name.c_str(), &available, &reason));
  return {available != 0, reason};
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_BASE_HPP
