// Compiles and loads the modules of users' texts, once each, and finds their kernels.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/user_module.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "rtc/image.h"

namespace rondo::rtc {

using namespace cuda;

namespace {

struct CachedModule {
  std::mutex mutex;  // held while the module is made: who wants the same one waits
  bool ready = false;
  UserModule module;
};

void describe(const UserSource& source, KeyBuilder& key) {
  key.add("user module");
  key.add(source.file);
  key.add(source.text);
  for (const std::string& each : source.expressions) key.add(each);
  key.add("options");
  for (const std::string& each : source.options) key.add(each);
}

// A text that takes in files is what those are now, which nothing but compiling finds out.
bool includes_files(const UserSource& source) {
  for (const std::string& each : source.options)
    for (const char* option : {"-I", "--include-path", "-include", "--pre-include"})
      if (each.rfind(option, 0) == 0) return true;
  return false;
}

// Appends after the image: the names of the kernels in it, each with a zero, and their bytes in all.
void append_names(const std::vector<std::string>& names, std::string* image) {
  const size_t before = image->size();
  for (const std::string& each : names) image->append(each.c_str(), each.size() + 1);
  const auto bytes = static_cast<uint32_t>(image->size() - before);
  image->append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

bool read_names(const std::string& image, size_t count, std::vector<std::string>* names) {
  uint32_t bytes = 0;
  if (image.size() < sizeof bytes) return false;
  std::memcpy(&bytes, image.data() + image.size() - sizeof bytes, sizeof bytes);
  if (image.size() - sizeof bytes < bytes) return false;
  const char* at = image.data() + image.size() - sizeof bytes - bytes;
  const char* const end = at + bytes;
  while (at < end) {
    const void* zero = std::memchr(at, 0, static_cast<size_t>(end - at));
    if (!zero) return false;
    names->emplace_back(at);
    at = static_cast<const char*>(zero) + 1;
  }
  return names->size() == count;
}

// The kernel, with all the shared memory that the device has for it.
Status find_kernel(CudaDevice& device, CUmodule module, const char* name, UserKernel* kernel) {
  RONDO_TRY(device.module_function(module, name, &kernel->function));
  const CudaDevice::Current current(device);
  RONDO_TRY(current.status());
  int fixed = 0;
  RONDO_TRY(device.check(
      driver().cuFuncGetAttribute(&kernel->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function),
      "cuFuncGetAttribute"));
  RONDO_TRY(device.check(driver().cuFuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function),
                         "cuFuncGetAttribute"));
  kernel->max_dynamic_shared = device.max_shared_bytes() - fixed;
  return device.check(driver().cuFuncSetAttribute(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  kernel->max_dynamic_shared),
                      "cuFuncSetAttribute");
}

Status make(CudaDevice& device, const UserSource& source, UserModule* made) {
  ImageRequest request;
  request.name = source.file.c_str();
  request.compile = [&source](const Target& target, std::string* image) {
    std::vector<std::string> lowered;
    RONDO_TRY(compile_user(target, source, image, &lowered));
    append_names(lowered, image);
    return Status();
  };
  if (!includes_files(source)) request.describe = [&source](KeyBuilder& key) { describe(source, key); };
  std::string image;
  CUmodule module = nullptr;
  RONDO_TRY(load_image(device, request, &image, &module));
  std::vector<std::string> names;
  Status status = read_names(image, source.expressions.size(), &names)
                      ? Status()
                      : error(RONDO_INTERNAL, "the image has not the names of its kernels");
  made->kernels.resize(names.size());
  for (size_t i = 0; i < names.size() && status.ok(); ++i)
    status = find_kernel(device, module, names[i].c_str(), &made->kernels[i]);
  if (!status.ok()) device.module_unload(module);
  return status.with_context(source.file);
}

}  // namespace

Status find_user_module(CudaDevice& device, const UserSource& source, const UserModule** module) {
  // Never destroyed: modules stay until the process ends.
  static auto* const mutex = new std::mutex;
  static auto* const entries = new std::map<std::tuple<int, uint64_t, uint64_t>, std::unique_ptr<CachedModule>>;
  static auto* const fresh = new std::vector<std::unique_ptr<CachedModule>>;  // made anew each time
  KeyBuilder key;
  describe(source, key);
  CachedModule* entry = nullptr;
  {
    std::lock_guard lock(*mutex);
    std::unique_ptr<CachedModule>& slot = includes_files(source)
                                              ? fresh->emplace_back()
                                              : (*entries)[{device.id().index, key.key().words[0], key.key().words[1]}];
    if (!slot) slot = std::make_unique<CachedModule>();
    entry = slot.get();
  }
  std::lock_guard lock(entry->mutex);
  if (!entry->ready) {
    UserModule made;
    RONDO_TRY(make(device, source, &made));
    entry->module = std::move(made);
    entry->ready = true;
  }
  *module = &entry->module;
  return {};
}

}  // namespace rondo::rtc
