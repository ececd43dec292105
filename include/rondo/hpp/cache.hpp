// Compiled kernels. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_CACHE_HPP
#define RONDO_HPP_CACHE_HPP

#include <rondo/hpp/base.hpp>

#include <functional>
#include <utility>

namespace rondo {
inline namespace abi_0 {

inline rondo_cache_info cache_info() {
  rondo_cache_info info = RONDO_CACHE_INFO_INIT;
  throw_on_failure(rondo_cache_query(&info));
  return info;
}
// How many kernels were written; `capability` 90 for 9.0, 0 for all.
inline int64_t export_cache(const std::string& path, int32_t capability = 0) {
  int64_t kernels = 0;
  throw_on_failure(rondo_cache_export(path.c_str(), capability, &kernels));
  return kernels;
}
// How many kernels were not there before.
inline int64_t import_cache(const std::string& path) {
  int64_t kernels = 0;
  throw_on_failure(rondo_cache_import(path.c_str(), &kernels));
  return kernels;
}
// Kernel, how many are done, how many are known, seconds. The kernel is empty in the last call. Must not throw.
using CompileProgress = std::function<void(const std::string&, int64_t, int64_t, double)>;
// An empty function: nobody is told any more.
inline void set_compile_progress(CompileProgress told) {
  if (!told) return throw_on_failure(rondo_set_compile_progress(nullptr, nullptr, nullptr));
  auto kept = std::make_unique<CompileProgress>(std::move(told));
  throw_on_failure(rondo_set_compile_progress(
      [](void* arg, const char* kernel, int64_t done, int64_t known, double seconds) {
        (*static_cast<CompileProgress*>(arg))(kernel ? kernel : "", done, known, seconds);
      },
      kept.get(), [](void* arg) { delete static_cast<CompileProgress*>(arg); }));
  (void)kept.release();
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CACHE_HPP
