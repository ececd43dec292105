// Walks the calling thread's stack to find the function outside the library that called it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/caller.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "base/text.h"

namespace rondo {

namespace {

struct Walk {
  const void* own;   // where the library begins
  Dl_info found{};   // of the first function outside
  uintptr_t at = 0;  // in it; 0: none yet
};

_Unwind_Reason_Code step(_Unwind_Context* frame, void* of) {
  auto& walk = *static_cast<Walk*>(of);
  int behind_call = 0;
  uintptr_t at = _Unwind_GetIPInfo(frame, &behind_call);
  if (!behind_call) --at;  // where the call returns to may be another line already
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(at), &info) || info.dli_fbase == walk.own) return _URC_NO_REASON;
  walk.found = info;
  walk.at = at;
  return _URC_END_OF_STACK;
}

}  // namespace

std::string caller() {
  Dl_info own;
  if (!dladdr(reinterpret_cast<void*>(&caller), &own)) return {};
  Walk walk{own.dli_fbase};
  _Unwind_Backtrace(step, &walk);
  if (!walk.at) return {};
  const std::string path = walk.found.dli_fname ? walk.found.dli_fname : "";
  std::string text = format("%s+0x%zx", path.substr(path.rfind('/') + 1).c_str(),
                            static_cast<size_t>(walk.at - reinterpret_cast<uintptr_t>(walk.found.dli_fbase)));
  if (const char* name = walk.found.dli_sname) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &failed), std::free);
    text = std::string(failed == 0 && plain ? plain.get() : name) + " in " + text;
  }
  return text;
}

}  // namespace rondo
