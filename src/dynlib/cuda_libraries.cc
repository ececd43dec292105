// Says where libcuda, NVRTC and cuBLASLt are searched for, and which of their versions are accepted.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/cuda_libraries.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cstring>

#include "base/settings.h"
#include "base/text.h"
#include "dynlib/loading/system_loader.h"

namespace rondo::cuda {

namespace {

constexpr int kOldestDriver = 11020;
constexpr Release kReleases[] = {{13, 75}, {12, 50}, {11, 35}};

Remedy install_fitting(const char* what, const char* package) {
  const Release* release = release_for(driver_major(), driver().lowest_capability());
  if (!release) release = release_for(driver_major(), 0);
  return install(what, package, release ? release->major : kReleases[0].major);
}

}  // namespace

int driver_major() {
  return driver().open().ok() ? driver().driver_version() / 1000 : 0;
}

std::string too_new_for_a_device(int major) {
  const int lowest = driver().lowest_capability();
  for (const Release& each : kReleases)
    if (each.major == major && lowest != 0 && lowest < each.oldest_architecture)
      return format("is of CUDA %d, which serves no device of compute capability %d.%d", major, lowest / 10,
                    lowest % 10);
  return {};
}

// Packages on PyPI have CUDA's major version in their name up to 12.
Remedy install(const char* what, const char* package, int major) {
  if (major < 13)
    return {format("install %s of CUDA %d (PyPI: %s-cu%d)", what, major, package, major),
            format("%s-cu%d", package, major)};
  return {format("install %s of CUDA %d (PyPI: %s, version %d)", what, major, package, major),
          format("'%s==%d.*'", package, major)};
}

const Release* release_for(int driver_major, int capability) {
  for (const Release& each : kReleases)
    if ((driver_major == 0 || each.major <= driver_major) &&
        (capability == 0 || capability >= each.oldest_architecture))
      return &each;
  return nullptr;
}

Driver::Driver()
    : Library({"the CUDA driver (libcuda.so.1)",
               Setting::cuda_path,
               {"libcuda.so.1"},
               {},
               false,
               {"install the NVIDIA driver"}}) {}

Remedy Driver::remedy() const {
  return failing_.empty() ? spec().remedy : Remedy{"update the NVIDIA driver"};
}

void Driver::note_device(int capability) {
  int lowest = lowest_capability_.load();
  while ((lowest == 0 || capability < lowest) && !lowest_capability_.compare_exchange_weak(lowest, capability)) {
  }
}

Status Driver::accept(std::string*) {
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
  if (version < kOldestDriver) {
    failing_ = "is too old";
    return error(RONDO_LIBRARY_MISSING, "driver is for %s; CUDA 11.2 (driver 460) or newer is needed",
                 version_.c_str());
  }
  driver_version_ = version;
  return {};
}

Nvrtc::Nvrtc()
    : Library({"NVRTC (libnvrtc)",
               Setting::nvrtc_path,
               {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"},
               {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"},
               true,
               {"install CUDA's NVRTC"}}) {}

Remedy Nvrtc::remedy() const {
  return install_fitting("NVRTC", "nvidia-cuda-nvrtc");
}

// NVRTC opens its builtins by bare name and most builds have no run path: have them in the process first.
std::vector<void*> Nvrtc::preload(const std::string& folder) {
  std::vector<void*> handles;
  if (DIR* dir = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(dir)) {
      // libnvrtc-builtins.so.X.Y, not the longer file names those links point to
      const std::string file = folder + "/" + entry->d_name;
      if (std::strncmp(entry->d_name, "libnvrtc-builtins.so.", 21) == 0 && check_library(file).text.empty())
        if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) handles.push_back(handle);
    }
    closedir(dir);
  }
  return handles;
}

Status Nvrtc::accept(std::string* reservation) {
  auto get_version = reinterpret_cast<nvrtcResult (*)(int*, int*)>(symbol("nvrtcVersion"));
  if (!get_version) return error(RONDO_LIBRARY_MISSING, "has no nvrtcVersion: not NVRTC");
  if (const nvrtcResult rc = get_version(&major_, &minor_); rc != NVRTC_SUCCESS)
    return error(RONDO_LIBRARY_MISSING, "does not answer: nvrtcVersion failed with %d", rc);
  version_ = format("CUDA %d.%d", major_, minor_);
  if (const size_t slash = path().rfind('/'); slash != std::string::npos) {
    // NVRTC would open such a file itself, in the middle of a compile.
    const std::string builtins =
        format("%s/libnvrtc-builtins.so.%d.%d", path().substr(0, slash).c_str(), major_, minor_);
    if (const ElfProblem problem = check_library(builtins); !problem.text.empty() && !problem.missing)
      return error(RONDO_LIBRARY_MISSING, "its builtins cannot be used: %s %s", builtins.c_str(), problem.text.c_str());
  }
  // Cubins and PTX of a newer major do not load on an older driver.
  const int newest = driver_major();
  if (newest && major_ > newest)
    return error(RONDO_LIBRARY_MISSING, "NVRTC is of %s, newer than the driver's CUDA %d: its kernels would not load",
                 version_.c_str(), newest);
  *reservation = too_new_for_a_device(major_);
  return {};
}

CublasLt::CublasLt()
    : Library({"cuBLASLt (libcublasLt)",
               Setting::cublaslt_path,
               {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"},
               {"nvidia/cu13/lib", "nvidia/cublas/lib"},
               true,
               {"install CUDA's cuBLAS"}}) {}

Remedy CublasLt::remedy() const {
  return install_fitting("cuBLAS", "nvidia-cublas");
}

Status CublasLt::accept(std::string* reservation) {
  auto get_version = reinterpret_cast<size_t (*)()>(symbol("cublasLtGetVersion"));
  if (!get_version) return error(RONDO_LIBRARY_MISSING, "has no cublasLtGetVersion: not cuBLASLt");
  const size_t version = get_version();  // major * 10000 + minor * 100 + patch since 11.0
  version_ = format("%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
  const int major = static_cast<int>(version / 10000);
  const int newest = driver_major();
  if (newest && major > newest)
    return error(RONDO_LIBRARY_MISSING, "cuBLASLt %s is newer than the driver's CUDA %d", version_.c_str(), newest);
  *reservation = too_new_for_a_device(major);
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
