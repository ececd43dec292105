// Running an engine on a stream of the simulated driver: what it touches is checked there, its workspace is written
// with garbage and looked at again, and what it writes is destroyed before it is computed. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>

#include "../simcuda/libraries/library_call.h"
#include "engines.h"

namespace simcudnn {
namespace {

struct Run {
  std::shared_ptr<const Engine> engine;
  std::vector<void*> pointers;
  void* workspace = nullptr;
  std::vector<double> numbers;  // given by value, as they were when it was enqueued
};

std::size_t bytes_of(int dtype) {
  return dtype == CUDNN_DATA_DOUBLE ? 8 : dtype == CUDNN_DATA_FLOAT ? 4 : 2;
}

// The memory of a tensor in pieces without gaps.
void add_ranges(const Tensor& tensor, void* base, SimcudaAccess kind, std::vector<SimcudaLibraryRange>* ranges) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // step, size
  for (std::size_t i = 0; i < tensor.dims.size(); ++i)
    if (tensor.dims[i] > 1) axes.emplace_back(tensor.strides[i], tensor.dims[i]);
  std::sort(axes.begin(), axes.end());
  std::int64_t piece = 1;
  std::size_t outer = 0;
  for (; outer < axes.size() && axes[outer].first == piece; ++outer) piece *= axes[outer].second;
  std::vector<std::int64_t> starts = {0};
  for (; outer < axes.size(); ++outer) {
    std::vector<std::int64_t> more;
    for (const std::int64_t start : starts)
      for (std::int64_t i = 0; i < axes[outer].second; ++i) more.push_back(start + i * axes[outer].first);
    starts = std::move(more);
  }
  const std::size_t size = bytes_of(tensor.dtype);
  for (const std::int64_t start : starts)
    ranges->push_back({reinterpret_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(start) * size,
                       static_cast<std::uint64_t>(piece) * size, kind});
}

void run(void* argument) {
  const Run& r = *static_cast<const Run*>(argument);
  const auto bytes = static_cast<std::size_t>(r.engine->workspace);
  auto* scratch = static_cast<unsigned char*>(r.workspace);
  const auto mark = static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(&r) >> 5 | 1);
  const std::size_t looked_at = std::min<std::size_t>(bytes, 4096);
  if (scratch != nullptr) std::fill_n(scratch, looked_at, mark);
  if (settings().record.empty()) compute(*r.engine, r.pointers);
  if (scratch == nullptr) return;
  if (std::any_of(scratch, scratch + looked_at, [&](unsigned char each) { return each != mark; }))
    if (auto* report = reinterpret_cast<SimcudaLibraryReportFn*>(driver_function("simcuda_library_report")))
      report("a cuDNN engine's workspace was written by others while it ran");
}

}  // namespace

void* driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

void execute(const std::shared_ptr<const Engine>& engine, const std::vector<void*>& pointers, void* workspace,
             void* stream) {
  Mood& mood = settings().engines[engine->number];
  if (mood.fails_at != 0 && --mood.fails_at == 0)
    throw Refusal{Problem::execution, "the engine fails, as it was told to"};
  if (mood.uncapturable) {
    unsigned long long scratch = 0;
    auto* allocate = reinterpret_cast<int (*)(unsigned long long*, std::size_t)>(driver_function("cuMemAlloc_v2"));
    auto* release = reinterpret_cast<int (*)(unsigned long long)>(driver_function("cuMemFree_v2"));
    if (allocate == nullptr || allocate(&scratch, 16) != 0)
      throw Refusal{Problem::execution, "the engine could not allocate what it needs"};
    release(scratch);
  }
  const Pattern& p = engine->pattern;
  const std::vector<const Tensor*> operands = p.operands();
  auto made = std::make_unique<Run>(Run{engine, pointers, engine->workspace > 0 ? workspace : nullptr, {}});
  made->numbers.reserve(operands.size());
  std::vector<SimcudaLibraryRange> ranges;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->by_value) {
      made->numbers.push_back(load(pointers[i], 0, operands[i]->dtype));
      made->pointers[i] = &made->numbers.back();
      continue;
    }
    if (reinterpret_cast<std::uint64_t>(pointers[i]) % static_cast<std::uint64_t>(operands[i]->alignment) != 0)
      throw Refusal{Problem::misaligned, "a pointer is not aligned as its tensor says"};
    const bool written = i + p.written_operands() >= operands.size();
    add_ranges(*operands[i], pointers[i],
               !written      ? SIMCUDA_LOAD
               : p.beta != 0 ? SIMCUDA_UPDATE
                             : SIMCUDA_STORE,
               &ranges);
  }
  if (engine->workspace > 0)
    ranges.push_back(
        {reinterpret_cast<std::uint64_t>(workspace), static_cast<std::uint64_t>(engine->workspace), SIMCUDA_STORE});
  auto* call = reinterpret_cast<SimcudaLibraryCallFn*>(driver_function("simcuda_library_call"));
  if (call == nullptr) throw Refusal{Problem::execution, "there is no simulated driver in the process"};
  const std::string name = "cudnn engine " + std::to_string(engine->number);
  const SimcudaLibraryCall request = {name.c_str(), run,           [](void* each) { delete static_cast<Run*>(each); },
                                      made.get(),   ranges.data(), ranges.size(),
                                      mood.slow_us};
  const int result = call(stream, &request);
  (void)made.release();  // the call has it, whatever came of it
  if (result != 0) throw Refusal{Problem::execution, "the driver answered " + std::to_string(result)};
}

}  // namespace simcudnn
