// Judges which cuDNN is accepted, and opens what it needs in the process before it is called.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/cudnn.h"

#include <dlfcn.h>
#include <unistd.h>

#include <memory>
#include <mutex>

#include "base/settings.h"
#include "base/text.h"
#include "dynlib/cuda_libraries.h"
#include "dynlib/loading/system_loader.h"

namespace rondo::cuda {

namespace {

constexpr int kOldest = 8020;

std::string folder_of(const std::string& file) {
  return file[0] == '/' ? file.substr(0, file.rfind('/')) : std::string();
}

// The cuBLASLt that cuDNN opens by its name in the middle of its work. The cuBLASLt that Rondo uses may be of another
// major version, or hidden by a setting that cuDNN does not know.
class CublasLtOfCudnn final : public Library {
 public:
  CublasLtOfCudnn(int major, std::string folder)
      : Library({"cuDNN's cuBLASLt (libcublasLt)",
                 Setting::cublaslt_path,
                 {format("libcublasLt.so.%d", major)},
                 {"nvidia/cu13/lib", "nvidia/cublas/lib"},
                 true,
                 {"install CUDA's cuBLAS"}}),
        major_(major),
        folder_(std::move(folder)) {}
  Remedy remedy() const override { return install("cuBLAS", "nvidia-cublas", major_); }

 protected:
  std::string chosen() const override { return {}; }
  Status accept(std::string*) override {
    for (const char* name : {"cublasLtGetVersion", "cublasLtGetProperty", "cublasLtCreate", "cublasLtDestroy",
                             "cublasLtMatmul", "cublasLtMatmulAlgoGetHeuristic"})
      if (!symbol(name)) return error(RONDO_LIBRARY_MISSING, "has no %s: not a whole cuBLASLt", name);
    const size_t version = reinterpret_cast<size_t (*)()>(symbol("cublasLtGetVersion"))();
    version_ = format("%zu.%zu.%zu", version / 10000, version / 100 % 100, version % 100);
    return {};
  }
  // Searched for next to cuDNN, in the folders of wheels next to its own, or where Rondo's own was found.
  std::string sibling_folder() override {
    std::vector<std::string> folders = {folder_, folder_ + "/../../cublas/lib", folder_ + "/../../cu13/lib"};
    if (cublaslt().is_open()) folders.push_back(folder_of(cublaslt().path()));
    for (const std::string& folder : folders)
      if (access((folder + "/" + spec().sonames[0]).c_str(), F_OK) == 0) return folder;
    return {};
  }

 private:
  const int major_;
  const std::string folder_;
};

// The libraries that a version consists of besides libcudnn itself, as far as the backend's convolutions need them.
std::vector<const char*> parts_of(int major) {
  if (major >= 9)
    return {"libcudnn_graph.so.9", "libcudnn_engines_precompiled.so.9", "libcudnn_engines_runtime_compiled.so.9",
            "libcudnn_heuristic.so.9"};
  return {"libcudnn_ops_infer.so.8", "libcudnn_ops_train.so.8", "libcudnn_cnn_infer.so.8", "libcudnn_cnn_train.so.8"};
}

}  // namespace

Cudnn::Cudnn()
    : Library({"cuDNN (libcudnn)",
               Setting::cudnn_path,
               {"libcudnn.so.9", "libcudnn.so.8"},
               {"nvidia/cudnn/lib"},
               true,
               {"install cuDNN"}}) {}

Remedy Cudnn::remedy() const {
  const Release* release = release_for(driver_major(), driver().lowest_capability());
  const int major = release ? release->major : 12;
  const std::string wheel = format("nvidia-cudnn-cu%d", major);
  return {format("install cuDNN %d for CUDA %d (PyPI: %s)", major < 12 ? 8 : 9, major, wheel.c_str()), wheel};
}

std::string Cudnn::name_of(int since) const {
  return format("cuDNN %d.%d", since / 1000, since % 1000 / 10);
}

std::string Cudnn::sibling_folder() {
  if (!nvrtc().is_open() || folder_of(nvrtc().path()).empty()) return {};
  return folder_of(nvrtc().path()) + "/../../cudnn/lib";  // as PyPI's packages lie
}

// Opens what cuDNN would open by itself, from its own folder: where one of these fails, cuDNN ends the process.
Status Cudnn::open_parts(std::vector<void*>* parts) {
  const int major = symbol("cudnnGetLastErrorString") ? 9 : 8;
  const std::string folder = folder_of(path());
  if (folder.empty()) return error(RONDO_LIBRARY_MISSING, "its folder is not known");
  for (const char* name : parts_of(major)) {
    const std::string file = folder + "/" + name;
    if (const ElfProblem problem = check_library(file); !problem.text.empty())
      return error(RONDO_LIBRARY_MISSING, "is not whole: %s %s", file.c_str(), problem.text.c_str());
    void* part = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    const char* reason = part ? nullptr : dlerror();
    if (!part) return error(RONDO_LIBRARY_MISSING, "is not whole: %s", reason ? reason : file.c_str());
    parts->push_back(part);
  }
  return {};
}

Status Cudnn::judge(std::string* reservation) {
  const size_t version = reinterpret_cast<size_t (*)()>(symbol("cudnnGetVersion"))();
  const size_t cuda = reinterpret_cast<size_t (*)()>(symbol("cudnnGetCudartVersion"))();
  // 8907 is 8.9.7, 91900 is 9.19.0.
  const bool old = version < 10000;
  const auto major = static_cast<int>(version / (old ? 1000 : 10000));
  const auto minor = static_cast<int>(old ? version / 100 % 10 : version / 100 % 100);
  const int cuda_major = static_cast<int>(cuda / 1000);
  version_ = format("%d.%d.%d for CUDA %d.%d", major, minor, static_cast<int>(version % 100), cuda_major,
                    static_cast<int>(cuda % 1000 / 10));
  if (major * 1000 + minor * 10 < kOldest) {
    failing_ = "is too old";
    return error(RONDO_LIBRARY_MISSING, "is cuDNN %s; 8.2 or newer is needed", version_.c_str());
  }
  if (const int newest = driver_major(); newest && cuda_major > newest)
    return error(RONDO_LIBRARY_MISSING, "is cuDNN %s, newer than the driver's CUDA %d", version_.c_str(), newest);
  // Kept whatever becomes of this cuDNN: another one may ask for it again.
  static std::mutex mutex;
  static auto* found = new std::vector<std::unique_ptr<CublasLtOfCudnn>>;
  std::lock_guard lock(mutex);
  (void)cublaslt().open();  // often the same one
  found->push_back(std::make_unique<CublasLtOfCudnn>(cuda_major, folder_of(path())));
  if (const Status lt = found->back()->open(); !lt.ok())
    return error(RONDO_LIBRARY_MISSING,
                 "is cuDNN %s, which needs libcublasLt.so.%d and ends the process without it: %s", version_.c_str(),
                 cuda_major, lt.message());
  number_ = major * 1000 + minor * 10;
  *reservation = too_new_for_a_device(cuda_major);
  return {};
}

Status Cudnn::accept(std::string* reservation) {
  for (const char* name : {"cudnnGetVersion", "cudnnGetCudartVersion", "cudnnBackendCreateDescriptor"})
    if (!symbol(name)) return error(RONDO_LIBRARY_MISSING, "has no %s: not cuDNN 8 or newer", name);
  std::vector<void*> parts;
  (void)nvrtc().open();  // engines that compile look for one by its name
  Status verdict = open_parts(&parts);
  if (verdict.ok()) verdict = judge(reservation);
  if (!verdict.ok())
    for (void* part : parts) dlclose(part);
  return verdict;
}

Cudnn& cudnn() {
  static auto* instance = new Cudnn;
  return *instance;
}

}  // namespace rondo::cuda
