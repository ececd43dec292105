// Errors as exceptions, owners of handles, devices and features. Part of rondo.hpp, which says what holds for all of
// it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_BASE_HPP
#define RONDO_HPP_BASE_HPP

#include <rondo/rondo.h>

#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace rondo {
inline namespace abi_0 {

// Why a call failed: its status, and the message of rondo_last_error() or one of the program's own. A task, a
// callable's function or a gradient may throw one, and it goes on to whoever waits or calls.
class Error : public std::runtime_error {
 public:
  // Of the call that failed last on this thread.
  explicit Error(rondo_status status) : Error(status, status == RONDO_OK ? kNoError : rondo_last_error()) {
    if (status != RONDO_OK) task_ = rondo_last_error_operator(&device_);
  }
  // Of the program's own. RONDO_OK is no error, so that RONDO_USER_ERROR stands for it.
  Error(rondo_status status, const std::string& message)
      : std::runtime_error(std::string(rondo_status_name(failure(status))) + ": " + message),
        status_(failure(status)) {}
  rondo_status status() const noexcept { return status_; }
  // what() without the name of the status.
  const char* message() const noexcept {
    return what() + std::char_traits<char>::length(rondo_status_name(status_)) + 2;
  }
  // The operator or task that failed first, and where; null: the call was refused.
  const char* task() const noexcept { return task_; }
  rondo_device device() const noexcept { return device_; }

 private:
  static constexpr const char* kNoError = "rondo::Error was made of RONDO_OK, which is no error";
  static rondo_status failure(rondo_status status) noexcept { return status == RONDO_OK ? RONDO_USER_ERROR : status; }

  rondo_status status_;
  rondo_device device_{RONDO_CPU, 0};
  const char* task_ = nullptr;
};

// For calls of the C interface.
inline void throw_on_failure(rondo_status status) {
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
  throw_on_failure(call(tell, held.get()));
  (void)held.release();  // it has been told, or will be
}

// Of a wait with a limit: whether it ended in time.
inline bool in_time(rondo_status status) {
  if (status == RONDO_TIMED_OUT) return false;
  throw_on_failure(status);
  return true;
}

// A text that the C interface writes into a buffer.
template <class Write>
std::string text_of(const Write& write) {
  size_t length = 0;
  throw_on_failure(write(nullptr, size_t{0}, &length));
  std::string text(length + 1, '\0');
  throw_on_failure(write(text.data(), text.size(), &length));
  text.resize(length);
  return text;
}

// So many of what `whose` names, in the type of the C interface.
inline int32_t count(size_t n, const char* whose) {
  constexpr auto most = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (n > most)
    throw std::length_error(std::string(whose) + " are " + std::to_string(n) + "; at most " + std::to_string(most) +
                            " can be given");
  return static_cast<int32_t>(n);
}

// What a function of the program's own threw inside a call of the C interface, on this thread: it cannot pass through.
inline std::exception_ptr& thrown_here() {
  thread_local std::exception_ptr thrown;
  return thrown;
}
// The status of such a function; what it throws waits for carry(). What an attempt before threw counts no more.
template <class Body>
rondo_status caught(const Body& body) noexcept {
  thrown_here() = nullptr;
  try {
    body();
    return RONDO_OK;
  } catch (const Error& error) {
    thrown_here() = std::current_exception();
    return error.status();
  } catch (...) {
    thrown_here() = std::current_exception();
    return RONDO_USER_ERROR;
  }
}
// A call that may run such functions: throws on what the last of them threw, if that is why the call failed.
template <class Call>
void carry(const Call& call) {
  std::exception_ptr outer = std::exchange(thrown_here(), nullptr);
  const rondo_status status = call();
  const std::exception_ptr thrown = std::exchange(thrown_here(), std::move(outer));
  if (status == RONDO_OK) return;
  if (thrown) std::rethrow_exception(thrown);
  throw Error(status);
}

}  // namespace detail

// Says of a handle that it stays somebody else's: rondo::Engine engine(handle, rondo::borrowed).
struct Borrowed {};
inline constexpr Borrowed borrowed{};

// A handle of the C interface. Given alone it is adopted: destroyed with its owner. A borrowed one is not, and must
// live as long as it is used.
template <class Handle, void (*destroy)(Handle*)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(Handle* handle) noexcept : handle_(handle) {}
  Owner(Handle* handle, Borrowed) noexcept : handle_(handle, Destroy{false}) {}
  Handle* get() const noexcept { return handle_.get(); }
  // Gives the handle away: who adopted it does not destroy it any more.
  Handle* release() noexcept { return handle_.release(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  void reset() noexcept { handle_.reset(); }

 private:
  struct Destroy {
    bool owned = true;
    void operator()(Handle* handle) const noexcept {
      if (owned) destroy(handle);
    }
  };
  std::unique_ptr<Handle, Destroy> handle_;
};

// --- devices and features
inline int32_t device_count(rondo_device_kind kind) {
  int32_t count = 0;
  throw_on_failure(rondo_device_count(kind, &count));
  return count;
}
inline rondo_device_info device_info(rondo_device device) {
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  throw_on_failure(rondo_device_query(device, &info));
  return info;
}
inline rondo_device parse_device(const std::string& text) {
  rondo_device device = {RONDO_CPU, 0};
  throw_on_failure(rondo_device_parse(text.c_str(), &device));
  return device;
}
inline std::string to_string(rondo_device device) {
  char text[16];
  throw_on_failure(rondo_device_format(device, text, sizeof text));
  return text;
}
inline std::string to_string(rondo_dtype dtype) {
  return rondo_dtype_name(dtype);
}
struct Feature {
  bool available;
  std::string reason;
};
inline Feature feature(const std::string& name) {
  int32_t available = 0;
  const char* reason = nullptr;
  throw_on_failure(rondo_feature(name.c_str(), &available, &reason));
  return {available != 0, reason};
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_BASE_HPP
