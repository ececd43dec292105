// Running a kernel launch: its blocks one after another on a worker, every access checked, every misuse reported with
// the kernel's name. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <numeric>

#include "block.h"
#include "graph.h"
#include "work.h"

namespace simcuda {
namespace {

struct Run {
  Device& device;
  const KernelWork& work;
  Task& task;
  BlockLaunch launch{};
  bool unwritten_reported = false, early_reported = false;
  bool read_early = false;  // by the block that runs
  // Read by the first block of a gated launch before its wait, with what was there and who read it.
  struct EarlyRead {
    std::uint64_t address;
    std::vector<unsigned char> found;
    std::string reader;
  };
  std::vector<EarlyRead> early_reads{};
};

std::string where(const Run& run, const SimcudaLane& lane) {
  auto triple = [](const SimcudaUint3& v) {
    return std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z);
  };
  return "kernel '" + run.work.name() + "' (block " + triple(lane.block) + ", thread " + triple(lane.thread) + ")";
}

int on_access(const BlockLaunch& launch, const SimcudaLane& lane, std::uint64_t address, std::uint64_t bytes, int kind,
              std::string* text) {
  Run& run = *static_cast<Run*>(launch.user);
  Driver& d = driver();
  Lock lock(d.mutex);
  auto refuse = [&](CUresult code, const std::string& why) {
    char number[32];
    std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(address));
    *text = where(run, lane) +
            (kind == SIMCUDA_LOAD    ? ": read"
             : kind == SIMCUDA_STORE ? ": write"
                                     : ": atomic update") +
            " of " + std::to_string(bytes) + " bytes at " + number + ": " + why;
    return code;
  };
  // Large arguments reach the kernel's stack through a checked copy.
  auto arguments = reinterpret_cast<std::uint64_t>(run.work.arguments.data());
  if (kind == SIMCUDA_LOAD && address - arguments < run.work.arguments.size() &&
      bytes <= run.work.arguments.size() - (address - arguments))
    return 0;
  bool power = bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
  if (power && address % bytes != 0) return refuse(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned");
  Device* owner = d.device_of(address);
  if (owner == nullptr) {
    if (d.pinned.inside(address, bytes) || is_module_memory(address, bytes)) return 0;
    const std::string freed = d.pinned.freed(address, bytes);
    return refuse(CUDA_ERROR_ILLEGAL_ADDRESS, freed.empty() ? "not memory of the device" : freed);
  }
  if (owner != &run.device && run.device.peers.count(owner->ordinal) == 0)
    return refuse(CUDA_ERROR_ILLEGAL_ADDRESS,
                  "memory of device " + std::to_string(owner->ordinal) + ", whose peer access is not enabled");
  if (lane.heap_bytes == 0 && kind != SIMCUDA_LOAD && !run.early_reported) {
    run.early_reported = true;
    report(where(run, lane) +
           ": launched with programmatic serialization, writes device memory before it waits for the kernel before it");
  }
  Heap& heap = owner->heap;
  if (!heap.inside(address, bytes)) {
    std::uint64_t bad = address;
    while (heap.inside(bad, 1)) ++bad;
    return refuse(CUDA_ERROR_ILLEGAL_ADDRESS, heap.describe(bad));
  }
  // A kernel that waited for the one before it goes on when a lost device has stopped that.
  if (kind != SIMCUDA_STORE && run.device.error == 0) {
    std::size_t unwritten = heap.first_unwritten(address, bytes);
    if (unwritten != bytes && !run.unwritten_reported) {
      run.unwritten_reported = true;
      report(where(run, lane) + ": reads device memory that was never written, " + heap.describe(address + unwritten));
    }
  }
  if (kind != SIMCUDA_LOAD) heap.mark_written(address, bytes);
  if (lane.heap_bytes == 0 && kind == SIMCUDA_LOAD) {
    run.read_early = true;
    if (!launch.gated) return 0;
    if (run.early_reads.empty()) ++driver().early_readers;
    const auto* const at = reinterpret_cast<const unsigned char*>(address);
    run.early_reads.push_back({address, {at, at + bytes}, where(run, lane)});
  }
  return 0;
}

void on_set_conditional(const BlockLaunch&, std::uint64_t handle, unsigned value) {
  Lock lock(driver().mutex);
  set_conditional(handle, value);
}

void on_grid_wait(const BlockLaunch& launch) {
  Run& run = *static_cast<Run*>(launch.user);
  Lock lock(driver().mutex);
  driver().scheduler.pass_gate(lock, run.task);
  run.launch.gated = false;
  for (const Run::EarlyRead& each : run.early_reads)
    if (std::memcmp(reinterpret_cast<const void*>(each.address), each.found.data(), each.found.size()) != 0) {
      report(each.reader +
             ": launched with programmatic serialization, reads what the kernels before it write, before "
             "it waits for them");
      break;
    }
}

const BlockCallbacks kCallbacks = {on_access, on_set_conditional, on_grid_wait};

// The calling thread's copy of the module's thread-local variables, which is where its static shared memory lives.
SimcudaRange static_shared(const Module& module) {
  return {reinterpret_cast<std::uint64_t>(module.anchor()) - module.anchor_offset, module.shared_block_bytes};
}

}  // namespace

bool KernelWork::start(Device& device, const TaskRef& task) const {
  Driver& d = driver();
  Run run{device, *this, *task};
  BlockLaunch& launch = run.launch;
  launch.kernel = function->kernel;
  launch.arguments = const_cast<void**>(pointers.data());
  launch.user = &run;
  SimcudaLane& lane = launch.lane;
  std::memset(static_cast<void*>(&lane), 0, sizeof lane);
  lane.block_dim = block;
  lane.grid_dim = grid;
  lane.heap = device.heap.base();
  // A kernel launched with programmatic serialization may start before the kernel it follows has ended. Until it waits
  // for that, every access takes the slow path, which objects.
  lane.heap_bytes = programmatic ? 0 : device.heap.reserved();
  launch.heap_bytes_after_wait = device.heap.reserved();
  launch.gated = !task->gate.empty();
  lane.valid = device.heap.valid();
  lane.written = device.heap.written();
  lane.image = function->module->image;
  lane.shared_static = static_shared(*function->module);
  std::vector<std::uint64_t> dynamic(shared_bytes / 8 + 4);
  lane.shared_dynamic = {(reinterpret_cast<std::uint64_t>(dynamic.data()) + 15) & ~std::uint64_t{15}, shared_bytes};

  std::uint64_t total = std::uint64_t{grid.x} * grid.y * grid.z, stride = 1, offset = 0;
  Random random(settings().seed ^ total);
  if (settings().seed != 0) {
    stride = random.below(total) | 1;
    offset = random.below(total);
    while (std::gcd(stride, total) != 1) ++stride;
    launch.order = random.next() | 1;
  }
  for (std::uint64_t i = 0; i < total && device.error == 0; ++i) {
    std::uint64_t b = static_cast<std::uint64_t>((static_cast<unsigned __int128>(i) * stride + offset) % total);
    lane.block = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                  static_cast<unsigned>(b / (std::uint64_t{grid.x} * grid.y))};
    // Shared memory begins with garbage, never with what the block before left.
    std::memset(reinterpret_cast<void*>(lane.shared_static.begin), 0xff, lane.shared_static.bytes);
    std::memset(reinterpret_cast<void*>(lane.shared_dynamic.begin), 0xff, shared_bytes);
    run.read_early = false;
    BlockResult result = run_block(launch, kCallbacks);
    if (run.read_early && !result.waited && !run.early_reported) {
      Lock lock(d.mutex);
      run.early_reported = true;
      report(
          "kernel '" + name() +
          "': launched with programmatic serialization, reads device memory and never waits for the kernel before it");
    }
    if (result.error != 0) {
      Lock lock(d.mutex);
      // Accesses say where they happened; a trap or a deadlock only what it was.
      lose_device(device, result.error,
                  result.text.rfind("kernel '", 0) == 0 ? result.text : "kernel '" + name() + "': " + result.text);
    }
  }
  return true;
}

CUresult make_kernel_work(CUfunction function, SimcudaUint3 grid, SimcudaUint3 block, unsigned shared_bytes,
                          void* const* parameters, void* const* extra, bool programmatic, WorkRef* result) {
  Driver& d = driver();
  std::shared_ptr<Function> found = d.functions.find(function);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (d.modules.size() == 0) return CUDA_ERROR_INVALID_HANDLE;
  const SimcudaKernel& kernel = *found->kernel;
  std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.x > 1024 || block.y > 1024 || block.z > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel.max_threads != 0 && threads > kernel.max_threads) return CUDA_ERROR_INVALID_VALUE;
  // Static and dynamic together: the static part is off this already.
  if (std::int64_t{shared_bytes} > found->max_dynamic_shared) return CUDA_ERROR_INVALID_VALUE;
  if (kernel.n_arguments != 0 && parameters == nullptr && extra == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (parameters != nullptr && extra != nullptr) return CUDA_ERROR_INVALID_VALUE;

  auto work = std::make_shared<KernelWork>();
  work->function = found;
  work->handle = function;
  work->grid = grid;
  work->block = block;
  work->shared_bytes = shared_bytes;
  work->programmatic = programmatic;
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  for (unsigned i = 0; i < kernel.n_arguments; ++i) {
    bytes = (bytes + 15) / 16 * 16;
    offsets.push_back(bytes);
    bytes += kernel.argument_bytes[i];
  }
  work->arguments.resize(bytes);
  for (unsigned i = 0; i < kernel.n_arguments; ++i) {
    work->pointers.push_back(work->arguments.data() + offsets[i]);
    if (parameters != nullptr) std::memcpy(work->pointers[i], parameters[i], kernel.argument_bytes[i]);
  }
  if (parameters == nullptr && kernel.n_arguments != 0) {
    // extra: {1 (buffer pointer), address, 2 (buffer size), &size, 0}; parameters lie there at their natural alignment,
    // which for the one-struct kernels this serves is the start of the buffer.
    const unsigned char* buffer = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0; extra[i] != nullptr; i += 2) {
      if (extra[i] == reinterpret_cast<void*>(1)) buffer = static_cast<const unsigned char*>(extra[i + 1]);
      if (extra[i] == reinterpret_cast<void*>(2)) size = *static_cast<const std::size_t*>(extra[i + 1]);
    }
    if (kernel.n_arguments != 1 || buffer == nullptr || size != kernel.argument_bytes[0])
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(work->pointers[0], buffer, size);
  }
  *result = std::move(work);
  return CUDA_SUCCESS;
}

}  // namespace simcuda
