// Putting work in streams, and doing copies and fills.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "work.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "capture.h"

namespace simcuda {
namespace {

// Both ends of a copy or fill, checked when it runs: the memory may have been freed since the call.
bool check_range(Device& device, const char* what, std::uint64_t address, std::size_t bytes) {
  Driver& d = driver();
  Device* owner = d.device_of(address);
  if (owner == nullptr || owner->heap.inside(address, bytes)) return true;
  std::size_t good = 0;
  while (owner->heap.inside(address + good, 1)) ++good;
  lose_device(device, CUDA_ERROR_ILLEGAL_ADDRESS,
              std::string(what) + " of " + std::to_string(bytes) + " bytes, at byte " + std::to_string(good) + ": " +
                  owner->heap.describe(address + good));
  return false;
}

// A hostile copy moves in pieces, with time between them for whoever did not wait.
void move_bytes(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  auto* target = reinterpret_cast<unsigned char*>(to);
  auto* source = reinterpret_cast<const unsigned char*>(from);
  std::uint64_t seed = settings().seed;
  if (seed == 0 || bytes < 256 || !Random(seed ^ to ^ bytes).one_in(4)) {
    std::memmove(target, source, bytes);
    return;
  }
  std::size_t half = bytes / 2;
  if (to <= from || from + bytes <= to) {
    std::memmove(target, source, half);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    std::memmove(target + half, source + half, bytes - half);
  } else {
    std::memmove(target, source, bytes);
  }
}

}  // namespace

void report_freed(std::uint64_t to, std::uint64_t from, std::size_t bytes, bool writes) {
  Driver& d = driver();
  const std::string freed = d.pinned.freed(writes ? to : from, bytes);
  if (freed.empty()) return;
  auto end = [&](std::uint64_t address) {
    Device* owner = d.device_of(address);
    return owner == nullptr ? std::string("host memory") : "device memory " + owner->heap.describe(address);
  };
  report("copy of " + std::to_string(bytes) + " bytes from " + end(from) + " to " + end(to) +
         (writes ? " writes " : " reads ") + freed);
}

bool is_module_memory(std::uint64_t address, std::size_t bytes) {
  for (const auto& [handle, module] : driver().modules)
    if (address - module->image.begin < module->image.bytes &&
        address - module->image.begin + bytes <= module->image.bytes)
      return true;
  return false;
}

TaskRef make_task(Device& of_stream, std::uint64_t stream, WorkRef work) {
  Device& device = work->home() != nullptr ? *work->home() : of_stream;
  auto task = std::make_shared<Task>();
  task->stream = stream;
  task->host = work->host();
  task->lost = &device.error;
  task->run = [&device, work = std::move(work)](const TaskRef& self) {
    return device.error != 0 || work->start(device, self);
  };
  return task;
}

void append(Stream& stream, const TaskRef& task) {
  Driver& d = driver();
  std::vector<TaskRef> after = std::move(stream.waits);
  stream.waits.clear();
  after.push_back(stream.tail);
  // The legacy stream waits for every blocking stream of its device, and they for it.
  Device& device = *stream.device;
  if (&stream == device.legacy_stream.get()) {
    for (const auto& [handle, other] : d.streams)
      if (other->device == &device && (other->flags & CU_STREAM_NON_BLOCKING) == 0) after.push_back(other->tail);
  } else if ((stream.flags & CU_STREAM_NON_BLOCKING) == 0 && device.legacy_stream != nullptr) {
    after.push_back(device.legacy_stream->tail);
  }
  task->stream = stream.id;
  stream.tail = task;
  d.scheduler.submit(task, after);
}

CUresult enqueue(const std::shared_ptr<Stream>& stream, WorkRef work) {
  if (stream->capture != nullptr) return capture_work(*stream, std::move(work));
  if (CUresult error = check_legacy(*stream)) return error;
  append(*stream, make_task(*stream->device, stream->id, std::move(work)));
  return CUDA_SUCCESS;
}

void CopyWork::run(Device& device) const {
  Driver& d = driver();
  Device *source, *target;
  {
    Lock lock(d.mutex);
    if (!check_range(device, "copy to device memory", to, bytes)) return;
    if (!check_range(device, "copy from device memory", from, bytes)) return;
    source = d.device_of(from);
    target = d.device_of(to);
    if (target == nullptr) report_freed(to, from, bytes, /*writes=*/true);
    if (source == nullptr && staged == nullptr) report_freed(to, from, bytes, /*writes=*/false);
    // Without checks, kernels do not tell what they write.
    if (source != nullptr && target == nullptr && settings().check) {
      std::size_t unwritten = source->heap.first_unwritten(from, bytes);
      if (unwritten != bytes)
        report("copy to the host reads device memory that was never written, " +
               source->heap.describe(from + unwritten));
    }
  }
  move_bytes(to, staged != nullptr ? reinterpret_cast<std::uint64_t>(staged->data()) : from, bytes);
  if (target == nullptr) return;
  if (source != nullptr)
    target->heap.copy_written(to, source->heap, from, bytes);
  else
    target->heap.mark_written(to, bytes);
}

void FillWork::run(Device& device) const {
  Driver& d = driver();
  std::size_t bytes = count * width;
  Device* target;
  {
    Lock lock(d.mutex);
    if (!check_range(device, "memset", to, bytes)) return;
    target = d.device_of(to);
  }
  auto* memory = reinterpret_cast<unsigned char*>(to);
  if (width == 1)
    std::memset(memory, static_cast<int>(value), count);
  else
    for (std::size_t i = 0; i < count; ++i) std::memcpy(memory + i * width, &value, width);
  if (target != nullptr) target->heap.mark_written(to, bytes);
}

}  // namespace simcuda
