// Compiles or counts the kernels of a program for a GPU that need not be there: its description stands in for it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <rondo/rondo.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "device/cuda/cuda_device.h"
#include "rtc/disk_cache.h"
#include "tools/described/facts.h"
#include "tools/program.h"
#include "tools/program_sizes.h"
#include "tools/usage.h"

namespace rondo::tools {

namespace {

using Json = nlohmann::ordered_json;

int failure(const std::string& what) {
  std::fprintf(stderr, "rondo: %s\n", what.c_str());
  return 1;
}

// A member that has to be a whole number between two others.
bool read_number(const Json& all, const char* key, int64_t least, int64_t most, int64_t* value) {
  const auto found = all.find(key);
  if (found == all.end() || !found->is_number_integer()) return false;
  *value = found->get<int64_t>();
  return *value >= least && *value <= most;
}

// Says what is wrong with a description; empty if nothing is.
std::string read_facts(const std::string& file, described::DeviceFacts* facts) {
  std::ifstream in(file, std::ios::binary);
  std::string text(65536, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.empty()) return "cannot be read";
  const Json all = Json::parse(text, nullptr, false);
  int64_t version = 0;
  if (!all.is_object() || !read_number(all, "rondo_device", 1, 1, &version))
    return "is not the description of a device; `rondo info --describe` writes one";
  int64_t capability = 0, processors = 0, shared = 0, memory = 0, driver = 0;
  if (!read_number(all, "capability", 35, 999, &capability)) return "has no \"capability\" of 35 to 999";
  if (!read_number(all, "processors", 1, 4096, &processors)) return "has no \"processors\" of 1 to 4096";
  if (!read_number(all, "shared_memory", 16384, 1 << 24, &shared))
    return "has no \"shared_memory\" of 16384 bytes or more";
  if (!read_number(all, "memory", 1 << 20, int64_t{1} << 50, &memory)) return "has no \"memory\" of 1 MiB or more";
  if (!read_number(all, "driver", 11020, 99990, &driver)) return "has no \"driver\" of 11020 or more";
  const std::string name = all.contains("name") && all["name"].is_string() ? all["name"].get<std::string>() : "a GPU";
  std::snprintf(facts->name, sizeof facts->name, "%s", name.c_str());
  facts->capability = static_cast<int32_t>(capability);
  facts->processors = static_cast<int32_t>(processors);
  facts->shared_memory = static_cast<int32_t>(shared);
  facts->driver = static_cast<int32_t>(driver);
  facts->memory = memory;
  return "";
}

// Finds the module of the driver that stands in: next to this command in a build, else where both were installed.
std::string module_path() {
  char path[PATH_MAX] = "";
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string folder(path, length > 0 ? static_cast<size_t>(length) : 0);
  folder.resize(std::min(folder.rfind('/'), folder.size()));
  const std::string installed = RONDO_MODULES_FROM_COMMAND;
  for (const std::string& place :
       {folder + "/tools/described", installed[0] == '/' ? installed : folder + "/" + installed}) {
    const std::string candidate = place + "/librondo_described.so";
    if (char* const real = realpath(candidate.c_str(), nullptr)) {
      std::string found = real;
      std::free(real);
      return found;
    }
  }
  return "";
}

// From here on the described device is cuda:0 of this process. Libraries that would want a GPU are not opened.
std::string stand_in(const described::DeviceFacts& facts) {
  const std::string path = module_path();
  void* const module = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const describe = module ? reinterpret_cast<described::Describe*>(dlsym(module, described::kDescribe)) : nullptr;
  if (!describe) return "librondo_described.so is not installed with this command";
  describe(&facts);
  setenv("RONDO_CUDA_DRIVER", path.c_str(), 1);
  for (const char* library : {"RONDO_CUBLASLT", "RONDO_CUDNN", "RONDO_NCCL"}) setenv(library, "none", 1);
  setenv("RONDO_TRIAL_MS", "0", 1);  // nothing can be timed
  return "";
}

}  // namespace

int describe_device(const std::string& device) {
  rondo_device id = {RONDO_CUDA, 0};
  if (!device.empty()) {
    const Status status = parse_device(device.c_str(), &id);
    if (!status.ok() || id.kind != RONDO_CUDA)
      return bad_usage("program", "--describe needs a device like cuda:0, or none");
  }
  Device* found = nullptr;
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  Status status = get_device(id, &found);
  if (status.ok()) status = found->query(&info);
  if (!status.ok()) return failure(status.message());
  const Json all = {{"rondo_device", 1},
                    {"name", info.name},
                    {"capability", info.capability},
                    {"processors", info.processors},
                    {"shared_memory", static_cast<const cuda::CudaDevice&>(*found).max_shared_bytes()},
                    {"memory", info.total_memory},
                    {"driver", info.driver}};
  std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  return 0;
}

namespace {

// Has the GPU that is described, by a file or by the name of one that was installed with the command, stand in for
// cuda:0. A status as of a command.
int stand_in_for(const std::string& device) {
  described::DeviceFacts facts = {};
  // "sm_90": one that was installed with the command.
  const std::string path = module_path(), folder = path.substr(0, path.rfind('/') + 1);
  const bool named = device.find_first_of("./") == std::string::npos;
  std::string wrong = read_facts(named ? folder + "devices/" + device + ".json" : device, &facts);
  if (!wrong.empty()) return failure("'" + device + "' " + wrong);
  wrong = stand_in(facts);
  return wrong.empty() ? 0 : failure(wrong);
}

// The lines of a text, each as far to the right as the first.
std::string indented(std::string lines) {
  for (size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 5) lines.insert(at + 1, 4, ' ');
  return lines;
}

// Reads texts of sizes, and adds the smallest ones, at which an instance makes its functions first.
int read_all_sizes(const Program& program, const std::vector<std::string>& sizes,
                   std::vector<std::vector<int64_t>>* all) {
  for (const std::string& each : sizes)
    if (const std::string wrong = read_sizes(program, each, &all->emplace_back()); !wrong.empty())
      return bad_usage("program", wrong);
  const std::vector<ProgramDim> dims = program.dims();
  if (all->empty() && !dims.empty())
    return bad_usage("program", "the sizes of the program vary: --sizes is needed, once or several times");
  std::vector<int64_t> least;
  for (const ProgramDim& each : dims) least.push_back(each.least);
  if (std::find(all->begin(), all->end(), least) == all->end()) all->push_back(least);
  return 0;
}

}  // namespace

int find_kernels(const std::string& file, const std::string& device, const std::vector<std::string>& sizes) {
  if (!device.empty())
    if (const int status = stand_in_for(device)) return status;
  if (rtc::DiskCache::instance().folder().empty())
    return failure("no kernels are kept: " + rtc::DiskCache::instance().why_off());
  const Program program(file);
  program.trust();  // who asks for its kernels by name wants them kept
  std::vector<std::vector<int64_t>> all;
  if (const int status = read_all_sizes(program, sizes, &all)) return status;
  const Engine engine;
  for (const std::vector<int64_t>& each : all) (void)program.memory(engine, {RONDO_CUDA, 0}, each);
  return 0;
}

int print_kernels(const std::string& file, const std::string& device, const std::vector<std::string>& sizes) {
  rondo_device id = {RONDO_CUDA, 0};
  const bool named = parse_device(device.c_str(), &id).ok();
  if (named && id.kind != RONDO_CUDA)
    return bad_usage("program", "--for needs the description of a GPU, or one like cuda:0; a cpu has no kernels");
  if (!named)
    if (const int status = stand_in_for(device)) return status;
  const Program program(file);
  std::vector<std::vector<int64_t>> all;
  if (const int status = read_all_sizes(program, sizes, &all)) return status;
  const std::vector<ProgramDim> dims = program.dims();
  const Engine engine;
  std::printf("\nkernels for %s\n", plain(device, false).c_str());
  for (const std::vector<int64_t>& each : all) {
    const rondo_program_kernels_info info = program.kernels(engine, id, each);
    std::string at;
    for (size_t i = 0; i < dims.size(); ++i)
      at += (i ? "," : "") + plain(dims[i].name, false) + "=" + std::to_string(each[i]);
    std::printf("  %s%s%lld needed, %lld kept, %lld missing\n", at.c_str(), at.empty() ? "" : ": ",
                static_cast<long long>(info.needed), static_cast<long long>(info.kept),
                static_cast<long long>(info.missing));
    if (info.missing) std::printf("    %s\n", indented(plain(program.missing_kernels(engine, id, each), true)).c_str());
  }
  return 0;
}

int compile_program(int count, char** arguments) {
  std::string file, device;
  std::vector<std::string> sizes;
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    const bool option = word == "--for" || word == "--sizes";
    if (option && (++i == count || !*arguments[i])) return bad_usage("program", word + " needs a value");
    if (word == "--sizes")
      sizes.emplace_back(arguments[i]);
    else if (word == "--for" && device.empty())
      device = arguments[i];
    else if (word.empty() || word[0] == '-' || !file.empty())
      return bad_usage("program", "'" + word + "' does not follow compile");
    else
      file = word;
  }
  if (file.empty()) return bad_usage("program", "compile needs a file");
  if (device.empty())
    return bad_usage("program", "compile needs --for: the description of a device (`rondo info --describe`)");
  if (const int status = find_kernels(file, device, sizes)) return status;
  rondo_cache_info info = RONDO_CACHE_INFO_INIT;
  throw_on_failure(rondo_cache_query(&info));
  std::printf("%lld kernels compiled, %lld were there: %s\n", static_cast<long long>(info.compiled),
              static_cast<long long>(info.disk_hits), rtc::DiskCache::instance().folder().c_str());
  return info.failed_writes ? failure("not all of them could be kept") : 0;
}

}  // namespace rondo::tools
