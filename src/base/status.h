// Defines Status, the outcome of an internal call. One pointer: null is success, otherwise a shared, immutable error
// with code and text, so that a first cause can be kept by many variables at once. Making an error never loads a
// library and never fails: where the host has no memory for a text, an error that was there from the start says so.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/origin.h"
#include "base/path.h"
#include "base/ref.h"

namespace rondo {

class ErrorInfo final : public RefCounted {
 public:
  ErrorInfo(rondo_status code, std::string message) noexcept
      : code(code), owned_(std::move(message)), message(owned_.c_str()) {}
  // `message` lives as long as the process.
  ErrorInfo(rondo_status code, const char* message) noexcept : code(code), message(message) {}
  const rondo_status code;

 private:
  const std::string owned_;

 public:
  const char* const message;
  Origin origin;  // given before others know the error
};

// Nearly always a success, so what concerns the error is kept off the path.
class [[nodiscard]] Status {
 public:
  Status() = default;
  RONDO_COLD Status(rondo_status code, std::string message) noexcept;
  // The host has no memory left. Takes none.
  RONDO_COLD static Status no_memory() noexcept;
  Status(const Status& other) : info_(other.info_) {
    if (info_) [[unlikely]]
      info_->retain();
  }
  Status(Status&& other) noexcept : info_(std::exchange(other.info_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(info_, other.info_);
    return *this;
  }
  ~Status() {
    if (info_) [[unlikely]]
      drop();
  }

  bool ok() const { return !info_; }
  rondo_status code() const { return info_ ? info_->code : RONDO_OK; }
  const char* message() const { return info_ ? info_->message : ""; }
  // The same error with context before its text, if there is memory for it; success stays success.
  RONDO_COLD Status with_context(std::string_view context) const noexcept;
  // The place that the error comes from; a success has none.
  RONDO_COLD Origin origin() const { return info_ ? info_->origin : Origin(); }
  // The same error with another origin.
  RONDO_COLD Status with_origin(const Origin& origin) const noexcept;
  // The same error, of this task, unless it is known to be another one's.
  RONDO_COLD Status of_task(const char* task, rondo_device device) const noexcept;

 private:
  friend Status error(rondo_status code, const char* format, ...);
  RONDO_COLD void drop() { info_->release(); }
  // An error without a text of its own.
  static Status bare(rondo_status code) noexcept;

  const ErrorInfo* info_ = nullptr;
};

// printf-style construction.
[[gnu::format(printf, 2, 3)]] RONDO_COLD Status error(rondo_status code, const char* format, ...);

// Returns from the enclosing function when the expression is an error.
#define RONDO_TRY(expression)                                               \
  do {                                                                      \
    if (::rondo::Status status_ = (expression); !status_.ok()) [[unlikely]] \
      return status_;                                                       \
  } while (false)

}  // namespace rondo
