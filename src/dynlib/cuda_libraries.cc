// Where libcuda, NVRTC and cuBLASLt are looked for, and which versions will do.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/cuda_libraries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include "base/text.h"
#include "dynlib/elf_check.h"

namespace rondo::cuda {

namespace {
constexpr int kOldestDriver = 11020;
}

Driver::Driver()
    : Library({"the CUDA driver (libcuda.so.1)",
               Setting::cuda_path,
               {"libcuda.so.1"},
               {},
               false,
               "install the NVIDIA driver"}) {}

Status Driver::accept() {
  // Called while the library is being opened, so by raw lookup: the table's entries would wait for open() themselves.
  auto get_version = reinterpret_cast<CUresult (*)(int*)>(symbol("cuDriverGetVersion"));
  auto init = reinterpret_cast<CUresult (*)(unsigned)>(symbol("cuInit"));
  if (!get_version || !init) return error(RONDO_LIBRARY_MISSING, "has no cuInit: not a CUDA driver");
  int version = 0;
  const CUresult rc = get_version(&version);
  if (rc != CUDA_SUCCESS && rc != CUDA_ERROR_STUB_LIBRARY)
    return error(RONDO_LIBRARY_MISSING, "does not answer: cuDriverGetVersion failed with %d", rc);
  if (rc == CUDA_ERROR_STUB_LIBRARY || version == 0)
    return error(RONDO_LIBRARY_MISSING, "is the toolkit's stub library, not a driver (cuDriverGetVersion: %d)", rc);
  version_ = format("CUDA %d.%d", version / 1000, version % 1000 / 10);
  if (version < kOldestDriver)
    return error(RONDO_LIBRARY_MISSING, "driver is for %s; CUDA 11.2 (driver 460) or newer is needed",
                 version_.c_str());
  driver_version_ = version;
  return {};
}

Nvrtc::Nvrtc()
    : Library({"NVRTC (libnvrtc)",
               Setting::nvrtc_path,
               {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"},
               {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"},
               true,
               "install CUDA's NVRTC (PyPI: nvidia-cuda-nvrtc)"}) {}

// NVRTC opens its builtins by bare name and most builds have no run path: have them in the process first.
void Nvrtc::preload(const std::string& folder) {
  if (DIR* dir = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      const std::string name = entry->d_name;
      // libnvrtc-builtins.so.X.Y, not the longer file names those links point to
      const std::string file = folder + "/" + name;
      if (name.rfind("libnvrtc-builtins.so.", 0) == 0 && check_elf(file).text.empty())
        dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    closedir(dir);
  }
}

Status Nvrtc::accept() {
  auto get_version = reinterpret_cast<nvrtcResult (*)(int*, int*)>(symbol("nvrtcVersion"));
  if (!get_version) return error(RONDO_LIBRARY_MISSING, "has no nvrtcVersion: not NVRTC");
  if (const nvrtcResult rc = get_version(&major_, &minor_); rc != NVRTC_SUCCESS)
    return error(RONDO_LIBRARY_MISSING, "does not answer: nvrtcVersion failed with %d", rc);
  version_ = format("CUDA %d.%d", major_, minor_);
  if (const size_t slash = path().rfind('/'); slash != std::string::npos) {
    const std::string folder = path().substr(0, slash);
    // NVRTC would open such a file itself, in the middle of a compile.
    const std::string builtins = format("%s/libnvrtc-builtins.so.%d.%d", folder.c_str(), major_, minor_);
    if (const ElfProblem problem = check_elf(builtins); !problem.text.empty() && !problem.missing)
      return error(RONDO_LIBRARY_MISSING, "its builtins cannot be used: %s %s", builtins.c_str(), problem.text.c_str());
    preload(folder);
  }
  // Cubins and PTX of a newer major do not load on an older driver.
  const int driver_major = driver().open().ok() ? driver().driver_version() / 1000 : 0;
  if (driver_major && major_ > driver_major)
    return error(RONDO_LIBRARY_MISSING, "NVRTC is of %s, newer than the driver's CUDA %d: its kernels would not load",
                 version_.c_str(), driver_major);
  return {};
}

CublasLt::CublasLt()
    : Library({"cuBLASLt (libcublasLt)",
               Setting::cublaslt_path,
               {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
               {"nvidia/cu13/lib", "nvidia/cublas/lib"},
               true,
               "install CUDA's cuBLAS (PyPI: nvidia-cublas)"}) {}

Status CublasLt::accept() {
  auto get_version = reinterpret_cast<size_t (*)()>(symbol("cublasLtGetVersion"));
  if (!get_version) return error(RONDO_LIBRARY_MISSING, "has no cublasLtGetVersion: not cuBLASLt");
  const size_t version = get_version();  // major * 10000 + minor * 100 + patch since 11.0
  version_ = format("%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
  const size_t driver_major = driver().open().ok() ? static_cast<size_t>(driver().driver_version() / 1000) : 0;
  if (driver_major && version / 10000 > driver_major)
    return error(RONDO_LIBRARY_MISSING, "cuBLASLt %s is newer than the driver's CUDA %zu", version_.c_str(),
                 driver_major);
  return {};
}

std::string CublasLt::sibling_folder() {
  if (!nvrtc().is_open()) return {};
  const std::string& path = nvrtc().path();
  return path[0] == '/' ? path.substr(0, path.rfind('/')) : std::string();
}

Driver& driver() {
  static auto* instance = new Driver;
  return *instance;
}
Nvrtc& nvrtc() {
  static auto* instance = new Nvrtc;
  return *instance;
}
CublasLt& cublaslt() {
  static auto* instance = new CublasLt;
  return *instance;
}

}  // namespace rondo::cuda
