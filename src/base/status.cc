// Makes errors and their texts, and keeps one error of each code for when the host has no memory.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <atomic>
#include <cstdarg>
#include <exception>
#include <new>
#include <system_error>

#include "base/caught.h"
#include "base/json_text.h"
#include "base/text.h"

namespace rondo {

Status::Status(rondo_status code, std::string message) noexcept
    : info_(new (std::nothrow) ErrorInfo(code, std::move(message))) {
  if (!info_) *this = bare(code);
}

// Returns the error of each code from static memory, which is never destroyed: threads may fail while the process
// exits.
Status Status::bare(rondo_status code) noexcept {
  static constexpr int kCodes = RONDO_TIMED_OUT + 1;
  struct Bare {
    Bare() {
      for (int each = 0; each < kCodes; ++each)
        new (at(each))
            ErrorInfo(static_cast<rondo_status>(each),
                      each == RONDO_OUT_OF_MEMORY ? "the host has no memory left"
                                                  : "the host has no memory left for the text that says what failed");
    }
    ErrorInfo* at(int each) { return reinterpret_cast<ErrorInfo*>(room) + each; }
    alignas(ErrorInfo) unsigned char room[kCodes * sizeof(ErrorInfo)];
  };
  static Bare all;
  const int number = code;  // a caller may have given any
  ErrorInfo* info = all.at(number > RONDO_OK && number < kCodes ? number : RONDO_OUT_OF_MEMORY);
  info->retain();
  Status status;
  status.info_ = info;
  return status;
}

Status Status::no_memory() noexcept {
  return bare(RONDO_OUT_OF_MEMORY);
}

Status Status::with_context(std::string_view context) const noexcept {
  if (ok()) return {};
  try {
    const std::string_view inner = message();
    std::string text;
    text.reserve(context.size() + 2 + inner.size());
    text.append(context).append(": ").append(inner);
    return Status(code(), std::move(text)).with_origin(info_->origin);
  } catch (const std::bad_alloc&) {
    return *this;
  }
}

namespace {

std::atomic<Cause*> let_go_of{nullptr};

}  // namespace

void Cause::dispose() {
  next_ = let_go_of.load(std::memory_order_relaxed);
  while (!let_go_of.compare_exchange_weak(next_, this, std::memory_order_acq_rel)) {
  }
}

void Cause::sweep() {
  if (!let_go_of.load(std::memory_order_relaxed)) return;
  for (Cause* each = let_go_of.exchange(nullptr, std::memory_order_acq_rel); each;) {
    Cause* const next = each->next_;
    if (each->destroy) each->destroy(each->object);
    delete each;
    each = next;
  }
}

Status Status::with_origin(const Origin& origin) const noexcept {
  if (ok() || (!origin.task && !origin.cause)) return *this;
  Status same;
  try {
    auto* info = new ErrorInfo(info_->code, std::string(info_->message));
    info->origin = origin;
    same.info_ = info;
  } catch (const std::bad_alloc&) {
    return *this;
  }
  return same;
}

Status Status::of_task(const char* task, rondo_device device) const noexcept {
  if (ok() || info_->origin.task) return *this;
  return with_origin({task, device, info_->origin.cause});
}

Status error(rondo_status code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Status made;
  try {
    made = Status(code, plain(vformat(format, arguments)));
  } catch (const std::bad_alloc&) {
    made = Status::bare(code);
  }
  va_end(arguments);
  return made;
}

Status status_of_exception(const char* where) noexcept {
  Status status;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    status = Status::no_memory();
  } catch (const std::system_error& problem) {
    status = problem.code() == std::errc::resource_unavailable_try_again
                 ? error(RONDO_OUT_OF_MEMORY, "the system starts no thread: %s", problem.what())
                 : error(RONDO_INTERNAL, "%s", problem.what());
  } catch (const std::exception& exception) {
    status = error(RONDO_INTERNAL, "%s", exception.what());
  }
  return where ? status.with_context(where) : status;
}

}  // namespace rondo
