// Entry points: modules, functions, launches. A "cubin" is a shared library the NVRTC stand-in made; "PTX" is text that
// carries one. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "capture.h"

namespace simcuda {

Module::~Module() {
  if (loaded != nullptr) dlclose(loaded);
}

namespace {

// The real call takes no size either: it is in the image.
std::size_t image_bytes(const unsigned char* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 || header.e_shnum > 200 ||
      header.e_shoff > (64u << 20))
    return 0;
  return header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
}

int hex(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The payload of simulated PTX, or an error: not PTX, or of a version this driver does not know.
CUresult unpack_ptx(const char* text, std::vector<unsigned char>* image) {
  int major = 0, minor = 0;
  const char* version = std::strstr(text, ".version ");
  if (version == nullptr || std::sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return CUDA_ERROR_INVALID_IMAGE;
  // PTX 7.x belongs to CUDA 11, 8.x to 12, 9.x to 13; the minor versions go with CUDA's.
  if (major - 7 + 11 > kDriverVersion / 1000 ||
      (major - 7 + 11 == kDriverVersion / 1000 && minor > kDriverVersion % 1000 / 10))
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  const char* payload = std::strstr(text, "// payload ");
  if (payload == nullptr) return CUDA_ERROR_INVALID_PTX;
  for (payload += 11; hex(payload[0]) >= 0 && hex(payload[1]) >= 0; payload += 2)
    image->push_back(static_cast<unsigned char>(hex(payload[0]) * 16 + hex(payload[1])));
  return CUDA_SUCCESS;
}

// Opens the image as a library under a name of its own, gone from the file system before this returns.
void* open_image(const unsigned char* image, std::size_t bytes) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/simcuda-module-XXXXXX";
  int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  std::size_t done = 0;
  while (done < bytes) {
    ssize_t n = write(file, image + done, bytes - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  close(file);
  void* library = done == bytes ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  return library;
}

// The addresses a loaded library occupies: its globals are device memory to the kernels in it.
SimcudaRange loaded_range(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return {};
  struct Search {
    std::uint64_t base;
    SimcudaRange found;
  } search{map->l_addr, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        if (info->dlpi_addr != search.base) return 0;
        std::uint64_t end = search.base;
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_LOAD)
            end = std::max<std::uint64_t>(end, search.base + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
        search.found = {search.base, end - search.base};
        return 1;
      },
      &search);
  return search.found;
}

// Shared variables are thread-local to the host compiler. Their sizes are in the symbol table, the names say whose they
// are: a variable of a function begins with _ZZ and the function. The anchor's place among them tells a thread's block
// from the anchor's address; asking the C library for the block (dl_iterate_phdr) fails now and then, since it takes
// the last module that a thread's table has room for to be beyond it.
bool read_shared(const unsigned char* image, std::size_t size, Module* module) {
  bool anchored = false;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (header.e_phoff + (i + 1) * sizeof segment > size) break;
    std::memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_TLS) module->shared_block_bytes = segment.p_memsz;
  }
  auto section = [&](std::size_t i) {
    Elf64_Shdr read;
    std::memcpy(&read, image + header.e_shoff + i * sizeof read, sizeof read);
    return read;
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum) continue;
    const Elf64_Shdr names = section(table.sh_link);
    if (table.sh_offset + table.sh_size > size || names.sh_offset + names.sh_size > size) continue;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, image + table.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_name >= names.sh_size) continue;
      const char* name = reinterpret_cast<const char*>(image + names.sh_offset + symbol.st_name);
      if (std::strncmp(name, "_ZZ", 3) == 0) module->shared[name] = symbol.st_size;
      if (std::strcmp(name, "_ZL19simcuda_anchor_byte") == 0) {
        module->anchor_offset = symbol.st_value;
        anchored = true;
      }
    }
  }
  return anchored;
}

// A kernel's own variables, and those of functions that any kernel of the module may call.
int static_shared_bytes(const Module& module, const char* kernel) {
  auto belongs = [](const std::string& variable, const std::string& name) {
    return variable.rfind("_ZZ" + std::to_string(name.size()) + name + "E", 0) == 0;
  };
  std::size_t bytes = 0;
  for (const auto& [variable, size] : module.shared) {
    bool of_another = false;
    for (unsigned i = 0; i < module.table->n_kernels; ++i)
      of_another = of_another || belongs(variable, module.table->kernels[i].name);
    if (belongs(variable, kernel) || !of_another) bytes += size;
  }
  return static_cast<int>(bytes);
}

CUresult load(const void* image, std::shared_ptr<Module>* result) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  std::vector<unsigned char> unpacked;
  bool ptx = std::memcmp(bytes, ELFMAG, SELFMAG) != 0;
  if (ptx) {
    if (CUresult error = unpack_ptx(static_cast<const char*>(image), &unpacked)) return error;
    bytes = unpacked.data();
    if (unpacked.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes, ELFMAG, SELFMAG) != 0) return CUDA_ERROR_INVALID_PTX;
  }
  std::size_t size = image_bytes(bytes);
  if (size == 0) return CUDA_ERROR_INVALID_IMAGE;
  auto module = std::make_shared<Module>();
  module->loaded = open_image(bytes, size);
  if (module->loaded == nullptr) return CUDA_ERROR_INVALID_IMAGE;
  module->table = static_cast<const SimcudaModule*>(dlsym(module->loaded, SIMCUDA_MODULE_SYMBOL));
  if (module->table == nullptr || module->table->abi_version != SIMCUDA_ABI_VERSION) return CUDA_ERROR_INVALID_IMAGE;
  // A cubin runs on its own major architecture from its minor version on; PTX on everything newer.
  int arch = static_cast<int>(module->table->arch), device = settings().arch;
  if (arch > device || (!ptx && arch / 10 != device / 10))
    return ptx ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!ptx && static_cast<int>(module->table->nvrtc_version / 1000) > kDriverVersion / 1000)
    return CUDA_ERROR_INVALID_IMAGE;
  module->image = loaded_range(module->loaded);
  module->anchor = reinterpret_cast<void* (*)()>(dlsym(module->loaded, "simcuda_anchor"));
  if (module->anchor == nullptr || !read_shared(bytes, size, module.get())) return CUDA_ERROR_INVALID_IMAGE;
  *result = std::move(module);
  return CUDA_SUCCESS;
}

// A launch refused for its arguments breaks the capture it was meant for.
CUresult refuse_launch(Stream& stream, CUresult error) {
  if (stream.capture != nullptr) invalidate(*stream.capture);
  return error;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned, CUjit_option*, void**) {
  SIM_ENTER(cuModuleLoadDataEx);
  if (result == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  // Driver 13 loads modules during a capture; older ones were seen to refuse it.
  if (kDriverVersion < 13000) {
    Lock lock(d.mutex);
    if (CUresult refused = check_unsafe()) return refused;
  }
  std::shared_ptr<Module> module;
  if (CUresult error = load(image, &module)) return error;
  Lock lock(d.mutex);
  if (settings().loads_wait) d.wait_for(current_device(), lock);
  module->device = current_device();
  module->id = d.next_id++;
  *result = d.modules.add(module);
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule handle) {
  SIM_ENTER_IF(cuModuleUnload, Need::Init);
  Driver& d = driver();
  std::shared_ptr<Module> module;
  {
    Lock lock(d.mutex);
    if (CUresult refused = check_unsafe()) return refused;
    module = d.modules.remove(handle);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (settings().frees_wait) d.wait_for(module->device, lock);
    for (const auto& [name, function] : module->functions) {
      std::shared_ptr<Function> gone = d.functions.remove(function);
      // Tasks in flight and executables hold the function: they would run code that is no longer there.
      if (gone.use_count() > 1) report("cuModuleUnload while kernel '" + name + "' is in flight or in a graph");
    }
  }
  return module->device->error;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  SIM_ENTER(cuModuleGetFunction);
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Module> module = d.modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (unsigned i = 0; i < module->table->n_kernels; ++i) {
    const SimcudaKernel& kernel = module->table->kernels[i];
    if (std::strcmp(kernel.name, name) != 0) continue;
    CUfunction& known = module->functions[name];
    if (known == nullptr) {
      auto made = std::make_shared<Function>();
      made->module = module;
      made->kernel = &kernel;
      made->static_shared = static_shared_bytes(*module, name);
      made->max_dynamic_shared = kSharedBytes - made->static_shared;
      known = d.functions.add(made);
    }
    *function = known;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  SIM_ENTER(cuModuleGetGlobal_v2);
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Module> module = driver().modules.find(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  void* found = dlsym(module->loaded, name);
  Dl_info info{};
  const Elf64_Sym* symbol = nullptr;
  if (found == nullptr ||
      dladdr1(found, &info, reinterpret_cast<void**>(const_cast<Elf64_Sym**>(&symbol)), RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
    return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(found);
  if (bytes != nullptr) *bytes = symbol->st_size;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  SIM_ENTER(cuFuncGetAttribute);
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Function> function = driver().functions.find(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = function->kernel->max_threads != 0 ? static_cast<int>(function->kernel->max_threads) : 1024;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = function->static_shared; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
    case 5: *value = static_cast<int>(function->module->table->arch); break;  // what it was compiled for
    case 6: *value = settings().arch; break;                                  // what it runs as
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = function->max_dynamic_shared; break;
    default:
      if (attribute < 0 || attribute > 15) return CUDA_ERROR_INVALID_VALUE;
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  SIM_ENTER(cuFuncSetAttribute);
  Lock lock(driver().mutex);
  std::shared_ptr<Function> function = driver().functions.find(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (attribute == 9) return CUDA_SUCCESS;  // preferred carve-out: a hint
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      value > shared_bytes_on_request(settings().arch) - function->static_shared)
    return CUDA_ERROR_INVALID_VALUE;
  function->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction handle) {
  SIM_ENTER(cuFuncLoad);
  Lock lock(driver().mutex);
  return driver().functions.find(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int block_size,
                                                     size_t shared_bytes) {
  SIM_ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  if (blocks == nullptr || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Function> function = driver().functions.find(handle);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  int by_threads = std::min(32, 2048 / std::min(2048, (block_size + 31) / 32 * 32));
  std::size_t shared = shared_bytes + static_cast<std::size_t>(function->static_shared);
  std::size_t available = static_cast<std::size_t>(shared_bytes_per_multiprocessor(settings().arch));
  int by_shared = shared == 0 ? 32 : static_cast<int>(available / (shared + 1024));
  *blocks = block_size > 1024 ? 0 : std::min(by_threads, by_shared);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream_handle,
                        void** parameters, void** extra) {
  SIM_ENTER_IF(cuLaunchKernel, Need::Handles);
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(stream_handle, &stream)) return error;
  WorkRef work;
  if (CUresult error = make_kernel_work(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes,
                                        parameters, extra, false, &work))
    return refuse_launch(*stream, error);
  if (work->home() != stream->device) return CUDA_ERROR_INVALID_HANDLE;  // a capture survives it, as measured
  return enqueue(stream, work);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  SIM_ENTER(cuLaunchKernelEx);
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  bool programmatic = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      programmatic = config->attrs[i].value.programmaticStreamSerializationAllowed != 0;
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(config->hStream, &stream)) return error;
  WorkRef work;
  if (CUresult error = make_kernel_work(function, {config->gridDimX, config->gridDimY, config->gridDimZ},
                                        {config->blockDimX, config->blockDimY, config->blockDimZ},
                                        config->sharedMemBytes, parameters, extra, programmatic, &work))
    return refuse_launch(*stream, error);
  if (work->home() != stream->device) return CUDA_ERROR_INVALID_HANDLE;  // a capture survives it, as measured
  return enqueue(stream, work);
}

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void* argument) {
  SIM_ENTER(cuLaunchHostFunc);
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  auto work = std::make_shared<HostWork>();
  work->function = function;
  work->argument = argument;
  return enqueue(stream, work);
}

}  // extern "C"
}  // namespace simcuda
