// Findings. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/doctor.h"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/settings.h"
#include "device/device.h"
#include "dynlib/cuda_libraries.h"
#include "rtc/compiler.h"

namespace rondo::tools {

using Json = nlohmann::ordered_json;

namespace {

// A GPU that the kernel shows, whether or not the driver library works: NVIDIA's device files, or a PCI device of its
// vendor.
bool gpu_present() {
  if (std::FILE* file = std::fopen("/dev/nvidiactl", "r")) {
    std::fclose(file);
    return true;
  }
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
    for (const Json& each : facts_["settings"])
      if (const std::string problem = text(each, "problem"); !problem.empty())
        finding(text(each, "name") + "=" + text(each, "value") + " is " + problem);
    if (device_count(RONDO_CUDA) > 0) {
      examine_devices();
      examine_compiler();
      if (findings_ == 0) remark("The GPU can be used");
      if (!feature("cublaslt")["available"])
        remark("Matrix products on the GPU use Rondo's own slower kernel: " + reason("cublaslt"));
    } else {
      examine_absence();
    }
    if (!feature("blas")["available"])
      remark("Matrix products on the cpu use Rondo's own slower loop: " + reason("blas"));
    if (text(facts_["cache"], "folder").empty())
      remark("Compiled kernels are not kept between runs: " + text(facts_["cache"], "reason"));
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

  // Why the driver shows no device.
  void examine_absence() {
    const cuda::Driver& driver = cuda::driver();
    std::string reason;
    device_count(RONDO_CUDA, &reason);
    Device* none = nullptr;
    const bool says_none = get_device({RONDO_CUDA, 0}, &none).code() == RONDO_NOT_FOUND;
    const std::string chosen = setting(Setting::cuda_path);
    const bool expected = !says_none && chosen != "none";
    const std::vector<Probe> probes = driver.probes();
    const auto rejected = std::find_if(probes.begin(), probes.end(), [](const Probe& each) { return each.rejected; });
    if (gpu_present())
      finding("A GPU is there but cannot be used: " + reason);
    else if (expected && driver.is_open())
      finding("The CUDA driver " + driver.path() + " is there but fails: " + reason);
    else if (expected && !chosen.empty())
      finding("RONDO_CUDA_DRIVER=" + chosen +
              " leads to no CUDA driver that works, and nothing else is tried: " + reason);
    else if (expected && rejected != probes.end())
      finding("A CUDA driver was found but cannot be used: " + rejected->place + ": " + rejected->result);
    else
      remark("No NVIDIA GPU is visible; Rondo runs on the cpu");
  }

  void examine_devices() {
    for (const Json& each : facts_["devices"])
      if (each.contains("error"))
        finding("The device " + text(each, "device") + " cannot be used: " + text(each, "error"));
  }

  // Whether operators can be compiled for each device: by compiling one, since NVRTC opens its second library only
  // then.
  void examine_compiler() {
    if (!feature("nvrtc")["available"]) {
      finding("Operators cannot be compiled for the GPU: " + reason("nvrtc"));
      return;
    }
    std::map<std::string, std::string> problems;  // by compute capability
    for (const Json& each : facts_["devices"]) {
      if (!each.contains("capability")) continue;
      const std::string capability = text(each, "capability");
      if (!problems.count(capability)) problems[capability] = compile_problem(capability);
      if (!problems[capability].empty())
        finding("Operators cannot be compiled for " + text(each, "device") + ": " + problems[capability]);
    }
  }

  static std::string compile_problem(const std::string& capability) {
    const size_t point = capability.find('.');
    const int number = std::stoi(capability.substr(0, point)) * 10 + std::stoi(capability.substr(point + 1));
    rtc::Target target;
    if (const Status chosen = rtc::choose_target(number, false, &target); !chosen.ok()) return chosen.message();
    std::string image;
    return rtc::compile(target, "a trial kernel", "extern \"C\" __global__ void rondo_kernel(int* at) { *at = 1; }\n",
                        &image)
        .message();
  }

  const Json& facts_;
  int findings_ = 0;
};

}  // namespace

int doctor(const Json& facts) {
  return Doctor(facts).examine();
}

}  // namespace rondo::tools
