// Finds what keeps the GPU from being used on this machine, and says what to do about each.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/doctor.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/settings.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/next_step.h"
#include "dynlib/blas.h"
#include "dynlib/cuda_libraries.h"
#include "dynlib/cudnn.h"
#include "dynlib/nccl.h"
#include "dynlib/onednn.h"
#include "rtc/disk_cache.h"
#include "rtc/kernel.h"
#include "tools/facts.h"
#include "tools/remedies.h"
#include "tools/report.h"

namespace rondo::tools {

using Json = nlohmann::ordered_json;

namespace {

// A GPU that the kernel shows, whether or not the driver library works: NVIDIA's device file, or a PCI device of its
// vendor.
bool gpu_present() {
  if (cuda::driver_node() == cuda::DriverNode::works) return true;
  bool found = false;
  if (DIR* dir = opendir("/sys/bus/pci/devices")) {
    while (const dirent* entry = readdir(dir)) {
      char vendor[16] = "";
      char kind[16] = "";
      const std::string base = std::string("/sys/bus/pci/devices/") + entry->d_name;
      if (std::FILE* file = std::fopen((base + "/vendor").c_str(), "r")) {
        if (!std::fgets(vendor, sizeof vendor, file)) vendor[0] = '\0';
        std::fclose(file);
      }
      if (std::FILE* file = std::fopen((base + "/class").c_str(), "r")) {
        if (!std::fgets(kind, sizeof kind, file)) kind[0] = '\0';
        std::fclose(file);
      }
      // Vendor 0x10de is NVIDIA; class 0x03 is display controllers.
      if (std::strncmp(vendor, "0x10de", 6) == 0 && std::strncmp(kind, "0x03", 4) == 0) found = true;
    }
    closedir(dir);
  }
  return found;
}

class Doctor {
 public:
  explicit Doctor(const Json& facts) : facts_(facts) {}

  int examine() {
    examine_settings();
    if (device_count(RONDO_CUDA) > 0) {
      examine_devices();
      examine_compiler();
      if (findings_ == 0) report(Mark::fine, "The GPU can be used");
      examine_library("cublaslt", cuda::cublaslt(), "Matrix products on the GPU use Rondo's own slower kernel");
      examine_library("cudnn", cuda::cudnn(), "Convolutions on the GPU use Rondo's own slower kernels");
      if (device_count(RONDO_CUDA) > 1)
        examine_library("nccl", cuda::nccl(), "Of collectives between GPUs there is at most all-reduce");
    } else {
      examine_absence();
    }
    examine_library("blas", blas(), "Matrix products on the cpu use Rondo's own slower loop");
    examine_library(
        "onednn", onednn(),
        "Convolutions of f32 with channels last, and gradients of filters, on the cpu use Rondo's own slower "
        "loops");
    examine_cache();
    return findings_ == 0 ? 0 : 1;
  }

 private:
  static std::string text(const Json& object, const char* key) { return object[key].get<std::string>(); }
  const Json& feature(const char* name) const {
    for (const Json& each : facts_["features"])
      if (each["name"] == name) return each;
    return facts_["features"].at(0);
  }
  std::string reason(const char* name) const { return text(feature(name), "reason"); }

  void finding(const std::string& sentence, const std::string& command) {
    ++findings_;
    report(Mark::mend, sentence, command);
  }

  // The remedy that makes a library usable: it is shown again if a setting hides it or leads elsewhere, else installed.
  static std::string remedy(const Library& library) {
    if (const Setting which = library.spec().setting; !setting(which).empty())
      return unset(settings()[static_cast<size_t>(which)].name);
    return install(library);
  }

  void examine_library(const char* name, const Library& library, const std::string& without) {
    if (!feature(name)["available"]) report(Mark::note, without + ": " + reason(name), remedy(library));
  }

  // Values that cannot be meant, and libraries that were asked for and are not to be had: nothing else is tried then.
  void examine_settings() {
    for (const Json& each : facts_["settings"]) {
      const std::string name = text(each, "name"), value = text(each, "value");
      if (const std::string problem = text(each, "problem"); !problem.empty())
        finding(name + "=" + value + " is " + problem, unset(name.c_str()));
      for (const Library* library : libraries())
        if (settings()[static_cast<size_t>(library->spec().setting)].name == name && !value.empty() &&
            value != "none" && !library->is_open())
          finding(name + "=" + value + " leads nowhere, and nothing else is tried: " + library->why_not(),
                  unset(name.c_str()));
    }
  }

  // Why the driver shows no device.
  void examine_absence() {
    const cuda::Driver& driver = cuda::driver();
    std::string reason = driver.why_not();
    std::string command = remedy(driver);
    const cuda::CUresult answer = cuda::first_answer();
    if (driver.is_open()) {
      device_count(RONDO_CUDA, &reason);
      command = cuda::next_step(answer).command;
    }
    const bool says_none = answer == cuda::CUDA_SUCCESS || answer == cuda::CUDA_ERROR_NO_DEVICE;
    const std::string chosen = setting(Setting::cuda_path);
    const std::vector<Probe> probes = driver.probes();
    const bool rejected = std::any_of(probes.begin(), probes.end(), [](const Probe& each) { return each.rejected; });
    if (gpu_present())
      finding("A GPU is there but cannot be used: " + reason, command);
    else if (driver.is_open() && !says_none)
      finding("The CUDA driver " + driver.path() + " is there but fails: " + reason, command);
    else if (!driver.is_open() && chosen.empty() && rejected)
      finding("A CUDA driver was found but cannot be used: " + reason, command);
    else if (!driver.is_open() && !chosen.empty() && chosen != "none")
      return;  // examine_settings has said it
    else if (cuda::driver_node() == cuda::DriverNode::behind_none)
      report(Mark::fine,
             "No NVIDIA GPU is visible: there is a device file /dev/nvidiactl, but no driver behind it; Rondo runs on "
             "the cpu");
    else
      report(Mark::fine, "No NVIDIA GPU is visible; Rondo runs on the cpu");
  }

  void examine_devices() {
    for (const Json& each : facts_["devices"])
      if (each.contains("error"))
        finding("The device " + text(each, "device") + " cannot be used: " + text(each, "error"), "nvidia-smi");
  }

  // Finds out whether operators run on each device: by compiling and loading a kernel, since NVRTC opens its second
  // library, and the driver judges the result, only then.
  void examine_compiler() {
    if (!feature("nvrtc")["available"]) {
      std::string kept;
      for (const Json& each : facts_["cache"]["architectures"])
        kept += (kept.empty() ? "" : ", ") + each.get<std::string>();
      finding("Operators cannot be compiled for the GPU: " + reason("nvrtc") +
                  (kept.empty() ? "" : "; kernels that are kept for " + kept + " run without it, and no others"),
              remedy(cuda::nvrtc()));
      return;
    }
    for (int i = 0; i < device_count(RONDO_CUDA); ++i) {
      Device* device = nullptr;
      if (!get_device({RONDO_CUDA, i}, &device).ok()) continue;  // said by examine_devices
      if (const Status tried = rtc::try_kernel(static_cast<cuda::CudaDevice&>(*device)); !tried.ok()) {
        const bool compiled = tried.code() == RONDO_DEVICE_ERROR || tried.code() == RONDO_DEVICE_LOST;
        finding("Operators cannot run on " + device_name(device->id()) + ": " + tried.message(),
                compiled ? "nvidia-smi" : remedy(cuda::nvrtc()));
      }
    }
  }

  void examine_cache() {
    const Json& facts = facts_["cache"];
    const std::string& folder = rtc::DiskCache::instance().folder();
    if (facts["refused"]) {
      finding("Compiled kernels cannot be kept: " + text(facts, "reason"), another_cache(setting(Setting::cache)));
    } else if (text(facts, "folder").empty()) {
      report(Mark::note, "Compiled kernels are not kept between runs: " + text(facts, "reason"), another_cache({}));
    } else if (const std::string problem = rtc::DiskCache::instance().write_problem(); !problem.empty()) {
      finding("Compiled kernels cannot be kept: nothing can be written to " + folder + ": " + problem +
                  " (RONDO_CACHE names another folder, or 'off')",
              another_cache(folder));
    }
    if (facts["unusable"] != 0)
      report(Mark::note,
             facts["unusable"].dump() + " files of kept kernels are not as they were written: `rondo cache verify` " +
                 "names them, `rondo cache clear` removes all",
             "rondo cache verify");
  }

  const Json& facts_;
  int findings_ = 0;
};

}  // namespace

int doctor(const Json& facts) {
  return Doctor(facts).examine();
}

}  // namespace rondo::tools
