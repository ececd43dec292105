// Where NCCL is looked for, and which versions will do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/nccl.h"

#include "base/text.h"
#include "dynlib/cuda_libraries.h"

namespace rondo::cuda {

namespace {

constexpr int kOldest = 20906;  // the first whose collectives can be captured

std::string text_of(int number) {
  return format("%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace

Nccl::Nccl()
    : Library({"NCCL (libnccl)",
               Setting::nccl_path,
               {"libnccl.so.2"},
               {"nvidia/nccl/lib"},
               true,
               "install NVIDIA's NCCL"}) {}

std::string Nccl::hint() const {
  if (!failing_.empty()) return "update NCCL to 2.9.6 or newer (Debian, Ubuntu: libnccl2; PyPI: nvidia-nccl-cu12)";
  const int major = driver().open().ok() ? driver().driver_version() / 1000 : 0;
  return format("install NCCL (Debian, Ubuntu: libnccl2; PyPI: nvidia-nccl-cu%d)", major >= 13 ? 13 : 12);
}

std::string Nccl::name_of(int since) const {
  return "NCCL " + text_of(since);
}

Status Nccl::accept(std::string*) {
  auto get_version = reinterpret_cast<ncclResult_t (*)(int*)>(symbol("ncclGetVersion"));
  if (!get_version) return error(RONDO_LIBRARY_MISSING, "has no ncclGetVersion: not NCCL");
  int number = 0;
  if (const ncclResult_t rc = get_version(&number); rc != ncclSuccess)
    return error(RONDO_LIBRARY_MISSING, "does not answer: ncclGetVersion failed with %d", rc);
  if (number < 10000) number = number / 1000 * 10000 + number % 1000;  // as versions up to 2.8 count
  version_ = text_of(number);
  if (number < kOldest) {
    failing_ = "is too old";
    return error(RONDO_LIBRARY_MISSING, "is NCCL %s; 2.9.6 or newer is needed", version_.c_str());
  }
  number_ = number;
  return {};
}

std::string Nccl::sibling_folder() {
  if (!nvrtc().is_open()) return {};
  const std::string& path = nvrtc().path();
  return path[0] == '/' ? path.substr(0, path.rfind('/')) : std::string();
}

Nccl& nccl() {
  static auto* instance = new Nccl;
  return *instance;
}

}  // namespace rondo::cuda
