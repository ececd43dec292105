// Collects the facts about this machine that `rondo info` and `rondo doctor` show.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/facts.h"

#include <rondo/rondo.h>

#include <set>

#include "base/machine/instructions.h"
#include "base/settings.h"
#include "base/text.h"
#include "device/device.h"
#include "device/features.h"
#include "dynlib/blas.h"
#include "dynlib/cuda_libraries.h"
#include "dynlib/cudnn.h"
#include "dynlib/nccl.h"
#include "dynlib/onednn.h"
#include "rtc/disk_cache.h"

namespace rondo::tools {

using Json = nlohmann::ordered_json;

namespace {

// Says what is wrong with a setting's value, and what holds instead; empty if nothing is. Paths are judged where they
// are used, by the probes of libraries and by the reason why there is no cache.
std::string problem_and_effect(Setting which) {
  const std::string problem = setting_problem(which);
  if (problem.empty()) return {};
  if (which == Setting::log) return problem + "; warning is used";
  if (which == Setting::engine) return problem + "; no engine can be made unless the program names the mode";
  if (which == Setting::check_indices) return problem + "; no engine can be made unless the program says whether";
  if (setting_is_folder(which)) return problem + "; nothing is written";
  const SettingInfo& about = settings()[static_cast<size_t>(which)];
  const bool number = about.values[0] >= '0' && about.values[0] <= '9';
  return problem + "; " + (number ? std::string(about.fallback) + " is used" : "no engine can be made");
}

// The compiler by its name: Clang calls itself GCC in some macros.
std::string compiler_name() {
#if defined(__clang__)
  return format("Clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return format("GCC %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "an unknown compiler";
#endif
}

const char* build_kind() {
#if defined(__SANITIZE_ADDRESS__)
  return "with the address sanitizer";
#elif defined(__SANITIZE_THREAD__)
  return "with the thread sanitizer";
#elif defined(__OPTIMIZE__)
  return "optimised";
#else
  return "not optimised";
#endif
}

Json setting_facts() {
  Json list = Json::array();
  for (size_t i = 0; i < settings().size(); ++i) {
    const auto which = static_cast<Setting>(i);
    list.push_back({{"name", settings()[i].name},
                    {"value", which == Setting::secret && setting_is_set(which) ? "(set)" : setting(which)},
                    {"origin", setting_is_set(which) ? "environment" : "default"},
                    {"problem", problem_and_effect(which)},
                    {"doc", settings()[i].doc}});
  }
  return list;
}

// The reason of a feature without the places where its library was looked for: those are with the library, once.
std::string without_places(const std::string& reason) {
  for (Library* library : libraries())
    if (const Status opened = library->open(); !opened.ok() && opened.message() == reason) return library->why_not();
  return reason;
}

Json library_facts() {
  Json list = Json::array();
  for (Library* library : libraries()) {
    const Status opened = library->open();
    Json probes = Json::array();
    for (const Probe& probe : library->probes())
      probes.push_back({{"place", probe.place}, {"result", probe.result}, {"rejected", probe.rejected}});
    list.push_back({{"name", library->spec().title},
                    {"found", opened.ok()},
                    {"reason", library->why_not()},
                    {"path", library->path()},
                    {"version", library->is_open() ? library->version() : ""},
                    {"setting", settings()[static_cast<size_t>(library->spec().setting)].name},
                    {"hint", library->remedy().text},
                    {"probes", probes}});
  }
  return list;
}

Json device_facts() {
  Json list = Json::array();
  for (const auto kind : {RONDO_CPU, RONDO_CUDA}) {
    const int count = device_count(kind);
    for (int i = 0; i < count; ++i) {
      const rondo_device id = {kind, i};
      Json facts = {{"device", device_name(id)}};
      Device* device = nullptr;
      rondo_device_info info = RONDO_DEVICE_INFO_INIT;
      Status status = get_device(id, &device);
      if (status.ok()) status = device->query(&info);
      if (status.ok()) {
        facts["name"] = info.name;
        facts["total_memory"] = info.total_memory;
        facts["free_memory"] = info.free_memory;
        facts["processors"] = info.processors;
        if (kind == RONDO_CPU) facts["instructions"] = instructions_name(instructions());
        if (kind == RONDO_CUDA)
          facts["capability"] = std::to_string(info.capability / 10) + "." + std::to_string(info.capability % 10);
      } else {
        facts["error"] = status.message();
      }
      list.push_back(facts);
    }
  }
  return list;
}

Json feature_facts() {
  Json list = Json::array();
  for (const char* name : feature_names()) {
    int32_t available = 0;
    const char* reason = "";
    rondo_feature(name, &available, &reason);
    list.push_back({{"name", name}, {"available", available != 0}, {"reason", without_places(reason)}});
  }
  return list;
}

Json cache_facts() {
  rtc::DiskCache& cache = rtc::DiskCache::instance();
  int64_t bytes = 0, files = 0, unusable = 0;
  std::set<std::string> architectures;
  cache.visit(false, [&](const rtc::KeptFile& file) {
    ++files;
    bytes += file.bytes;
    if (!file.problem.empty())
      ++unusable;
    else if (file.entry.origin.architecture != 0)
      architectures.insert(rtc::architecture_text(file.entry.origin));
  });
  return {{"folder", cache.folder()},
          {"files", files},
          {"bytes", bytes},
          {"limit", cache.limit_bytes()},
          {"architectures", architectures},
          {"unusable", unusable},
          {"reason", cache.why_off()},
          {"refused", cache.refused()}};
}

}  // namespace

const std::vector<Library*>& libraries() {
  static const auto* list = new std::vector<Library*>{
      &cuda::driver(), &cuda::nvrtc(), &cuda::cublaslt(), &cuda::cudnn(), &cuda::nccl(), &blas(), &onednn()};
  return *list;
}

Json collect_facts() {
  Json facts;
  facts["version"] = rondo_version_string();
  facts["build"] = {{"compiler", compiler_name()}, {"kind", build_kind()}, {"cpp", __cplusplus}};
  facts["settings"] = setting_facts();
  // The driver's devices first: NVRTC, cuBLASLt and cuDNN are judged by the driver's version.
  facts["devices"] = device_facts();
  facts["libraries"] = library_facts();
  facts["features"] = feature_facts();
  facts["cache"] = cache_facts();
  return facts;
}

}  // namespace rondo::tools
