// Says where NCCL is searched for, and which of its versions are accepted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/nccl.h"

#include "base/settings.h"
#include "base/text.h"
#include "dynlib/cuda_libraries.h"

namespace rondo::cuda {

namespace {

constexpr int kOldestNccl = 20906;  // the first whose collectives can be captured

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
               {"install NVIDIA's NCCL"}}) {}

Remedy Nccl::remedy() const {
  const std::string wheel = driver_major() >= 13 ? "nvidia-nccl-cu13" : "nvidia-nccl-cu12";
  const char* what = failing_.empty() ? "install NCCL" : "update NCCL to 2.9.6 or newer";
  return {format("%s (Debian, Ubuntu: libnccl2; PyPI: %s)", what, wheel.c_str()), wheel, "libnccl2"};
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
  if (number < kOldestNccl) {
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
