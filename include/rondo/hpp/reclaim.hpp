// C++ for reclaim.h: asking the program for memory before a request fails. Included by rondo.hpp.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_RECLAIM_HPP
#define RONDO_HPP_RECLAIM_HPP

#include <rondo/reclaim.h>
#include <rondo/hpp/base.hpp>

#include <functional>
#include <memory>
#include <utility>

namespace rondo {
inline namespace abi_0 {

// Bytes that were asked for, and how often before; true: try again. Must not throw.
using Reclaim = std::function<bool(int64_t, int32_t)>;
// An empty function: nobody is asked any more. `host_limit`: of the pools of the cpu that begin from here on.
inline void set_reclaim(Reclaim reclaim, int64_t host_limit = 0) {
  if (!reclaim) return throw_on_failure(rondo_set_reclaim(nullptr, nullptr, nullptr, host_limit));
  auto kept = std::make_unique<Reclaim>(std::move(reclaim));
  throw_on_failure(rondo_set_reclaim([](void* arg, int64_t bytes, int32_t attempt)
                                         -> int32_t { return (*static_cast<Reclaim*>(arg))(bytes, attempt) ? 1 : 0; },
                                     kept.get(), [](void* arg) { delete static_cast<Reclaim*>(arg); }, host_limit));
  (void)kept.release();
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_RECLAIM_HPP
