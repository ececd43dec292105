// Findings. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/doctor.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/settings.h"
#include "device/cuda/cuda_device.h"
#include "dynlib/cuda_libraries.h"
#include "rtc/disk_cache.h"
#include "rtc/kernel.h"
#include "tools/next_step.h"

namespace rondo::tools {

using Json = nlohmann::ordered_json;

namespace {

// A GPU that the kernel shows, whether or not the driver library works: NVIDIA's device file, or a PCI device of its
// vendor.
bool gpu_present() {
  if (driver_node() == DriverNode::works) return true;
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
      if (findings_ == 0) remark("The GPU can be used");
      if (!feature("cublaslt")["available"])
        remark("Matrix products on the GPU use Rondo's own slower kernel: " + reason("cublaslt"));
      if (!feature("cudnn")["available"])
        remark("Convolutions on the GPU use Rondo's own slower kernels: " + reason("cudnn"));
      if (device_count(RONDO_CUDA) > 1 && !feature("nccl")["available"])
        remark("Of collectives between GPUs there is at most all-reduce: " + reason("nccl"));
    } else {
      examine_absence();
    }
    if (!feature("blas")["available"])
      remark("Matrix products on the cpu use Rondo's own slower loop: " + reason("blas"));
    if (!feature("onednn")["available"])
      remark("Convolutions on the cpu use Rondo's own slower loops: " + reason("onednn"));
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

  // One line, one full stop: the texts of libraries have what they like.
  static void remark(std::string line) {
    std::replace(line.begin(), line.end(), '\n', ' ');
    while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
    std::printf("%s.\n", line.c_str());
  }
  void finding(const std::string& line) {
    ++findings_;
    remark(line);
  }

  // Values that cannot be meant, and libraries that were asked for and are not to be had: nothing else is tried then.
  void examine_settings() {
    for (const Json& each : facts_["settings"]) {
      const std::string value = text(each, "value");
      if (const std::string problem = text(each, "problem"); !problem.empty())
        finding(text(each, "name") + "=" + value + " is " + problem);
      for (const Json& library : facts_["libraries"])
        if (text(library, "setting") == text(each, "name") && !value.empty() && value != "none" && !library["found"])
          finding(text(each, "name") + "=" + value +
                  " leads nowhere, and nothing else is tried: " + text(library, "reason"));
    }
  }

  // Why the driver shows no device.
  void examine_absence() {
    const cuda::Driver& driver = cuda::driver();
    std::string reason;
    device_count(RONDO_CUDA, &reason);
    const cuda::CUresult answer = cuda::first_answer();
    if (driver.is_open()) reason += ". Next: " + next_step(answer);
    const bool says_none = answer == cuda::CUDA_SUCCESS || answer == cuda::CUDA_ERROR_NO_DEVICE;
    const std::string chosen = setting(Setting::cuda_path);
    const std::vector<Probe> probes = driver.probes();
    const auto rejected = std::find_if(probes.begin(), probes.end(), [](const Probe& each) { return each.rejected; });
    if (gpu_present())
      finding("A GPU is there but cannot be used: " + reason);
    else if (driver.is_open() && !says_none)
      finding("The CUDA driver " + driver.path() + " is there but fails: " + reason);
    else if (!driver.is_open() && chosen.empty() && rejected != probes.end())
      finding("A CUDA driver was found but cannot be used: " + rejected->place + ": " + rejected->result + "; " +
              driver.hint());
    else if (!driver.is_open() && !chosen.empty() && chosen != "none")
      return;  // examine_settings has said it
    else if (driver_node() == DriverNode::behind_none)
      remark(
          "No NVIDIA GPU is visible: there is a device file /dev/nvidiactl, but no driver behind it; Rondo runs on "
          "the cpu");
    else
      remark("No NVIDIA GPU is visible; Rondo runs on the cpu");
  }

  void examine_devices() {
    for (const Json& each : facts_["devices"])
      if (each.contains("error")) {
        finding("The device " + text(each, "device") + " cannot be used: " + text(each, "error"));
      }
  }

  // Whether operators run on each device: by compiling and loading a kernel, since NVRTC opens its second library, and
  // the driver judges the result, only then.
  void examine_compiler() {
    if (!feature("nvrtc")["available"]) {
      std::string kept;
      for (const Json& each : facts_["cache"]["architectures"])
        kept += (kept.empty() ? "" : ", ") + each.get<std::string>();
      finding("Operators cannot be compiled for the GPU: " + reason("nvrtc") +
              (kept.empty() ? "" : "; kernels that are kept for " + kept + " run without it, and no others"));
      return;
    }
    for (int i = 0; i < device_count(RONDO_CUDA); ++i) {
      Device* device = nullptr;
      if (!get_device({RONDO_CUDA, i}, &device).ok()) continue;  // said by examine_devices
      if (const Status tried = rtc::try_kernel(static_cast<cuda::CudaDevice&>(*device)); !tried.ok()) {
        finding("Operators cannot run on " + device_name(device->id()) + ": " + tried.message());
      }
    }
  }

  void examine_cache() {
    const Json& facts = facts_["cache"];
    if (facts["refused"]) {
      finding("Compiled kernels cannot be kept: " + text(facts, "reason"));
    } else if (text(facts, "folder").empty()) {
      remark("Compiled kernels are not kept between runs: " + text(facts, "reason"));
    } else if (const std::string problem = rtc::DiskCache::instance().write_problem(); !problem.empty()) {
      finding("Compiled kernels cannot be kept: nothing can be written to " + text(facts, "folder") + ": " + problem +
              " (RONDO_CACHE names another folder, or 'off')");
    }
    if (facts["unusable"] != 0)
      remark(facts["unusable"].dump() + " files of kept kernels are not as they were written: `rondo cache verify` " +
             "names them, `rondo cache clear` removes all");
  }

  const Json& facts_;
  int findings_ = 0;
};

}  // namespace

int doctor(const Json& facts) {
  return Doctor(facts).examine();
}

}  // namespace rondo::tools
