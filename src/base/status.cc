// Text of errors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <atomic>
#include <cstdarg>

#include "base/text.h"

namespace rondo {

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

Status Status::with_origin(const Origin& origin) const {
  if (ok()) return {};
  auto* info = new ErrorInfo(info_->code, info_->message);
  info->origin = origin;
  Status same;
  same.info_ = info;
  return same;
}

Status Status::of_task(const char* task, rondo_device device) const {
  if (ok() || info_->origin.task) return *this;
  return with_origin({task, device, info_->origin.cause});
}

Status error(rondo_status code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = vformat(format, arguments);
  va_end(arguments);
  return Status(code, std::move(text));
}

}  // namespace rondo
