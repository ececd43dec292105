// Judges which oneDNN is accepted: its version, and how it runs on the cpu.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/onednn.h"

#include "base/settings.h"
#include "base/text.h"

namespace rondo {

namespace {

struct OnednnVersion {
  int major, minor, patch;
  const char* hash;
  unsigned cpu_runtime, gpu_runtime;
};
// How a build runs on the cpu. A build for the pool of threads of its program would get no pool from Rondo, and SYCL's
// engines are made otherwise.
enum : unsigned { kNone = 0, kThreadPool = 8, kSycl = 0x200 };

}  // namespace

// Debian's packages from 13 on have the minor version in the name. Version 2 is named so that it is found and refused.
Onednn::Onednn()
    : Library({"oneDNN (libdnnl)",
               Setting::onednn_path,
               {"libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2"},
               {"../.."},  // PyPI's package installs it next to Python's folder, not in it
               false,
               {"install oneDNN 3 (PyPI: onednn-cpu-gomp; Debian 13: libdnnl3.6)", "onednn-cpu-gomp"}}) {}

std::string Onednn::name_of(int since) const {
  return format("oneDNN %d.%d", since / 1000, since % 1000 / 10);
}

Status Onednn::accept(std::string*) {
  // By raw lookup: the table's entries would wait for open() themselves.
  auto get_version = reinterpret_cast<const OnednnVersion* (*)()>(symbol("dnnl_version"));
  const OnednnVersion* found = get_version ? get_version() : nullptr;
  if (!found) return error(RONDO_LIBRARY_MISSING, "has no dnnl_version: not oneDNN");
  version_ = format("%d.%d.%d", found->major, found->minor, found->patch);
  if (found->major != 3) {
    failing_ = found->major < 3 ? "is too old" : "is too new";
    return error(RONDO_LIBRARY_MISSING, "is oneDNN %s, whose interface is another one; version 3 is needed",
                 version_.c_str());
  }
  if (found->cpu_runtime == kNone || found->cpu_runtime == kThreadPool || found->cpu_runtime & kSycl)
    return error(RONDO_LIBRARY_MISSING, "is a build of oneDNN %s for %s; one with OpenMP, TBB or one thread is needed",
                 version_.c_str(),
                 found->cpu_runtime == kNone         ? "no cpu"
                 : found->cpu_runtime == kThreadPool ? "a thread pool"
                                                     : "SYCL");
#define RONDO_FN(type, name, parameters, since) \
  if (!symbol(#name)) return error(RONDO_LIBRARY_MISSING, "has no " #name ": not a whole oneDNN");
#include "dynlib/onednn.def"
#undef RONDO_FN
  return {};
}

Onednn& onednn() {
  static auto* instance = new Onednn;
  return *instance;
}

}  // namespace rondo
