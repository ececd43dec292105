// Allocation functions in the place of the C library's. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "heap.h"

#include <link.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace heap {
namespace {

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};
Range rondo;
// Libraries that ask for memory on behalf of whoever called them. Not the loader: where it has none for thread-local
// memory, it ends the process.
std::array<Range, 16> between;
size_t n_between = 0;

std::atomic<bool> watching{false};
std::atomic<int64_t> asked{0}, first{0}, last{0};
thread_local bool walking = false;  // the unwinder may allocate

int note(dl_phdr_info* info, size_t, void*) {
  Range range;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (!range.end || begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* name = slash ? slash + 1 : info->dlpi_name;
  if (std::strncmp(name, "librondo.so", 11) == 0) rondo = range;
  for (const char* each : {"libc.so", "libstdc++.so", "libgcc_s.so", "libpthread.so", "libdl.so"})
    if (std::strncmp(name, each, std::strlen(each)) == 0 && n_between < between.size()) between[n_between++] = range;
  return 0;
}

struct Walk {
  uintptr_t from;  // where the allocation function was called
  bool reached = false;
  bool ours = false;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  const auto at = static_cast<uintptr_t>(_Unwind_GetIP(context));
  walk.reached = walk.reached || at == walk.from;
  if (!walk.reached) return _URC_NO_REASON;
  for (size_t i = 0; i < n_between; ++i)
    if (between[i].holds(at)) return _URC_NO_REASON;
  walk.ours = rondo.holds(at);
  return _URC_END_OF_STACK;
}

bool asked_by_rondo(void* caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  if (rondo.holds(at)) return true;
  size_t i = 0;
  while (i < n_between && !between[i].holds(at)) ++i;
  if (i == n_between) return false;
  Walk walk{at};
  walking = true;
  _Unwind_Backtrace(step, &walk);
  walking = false;
  return walk.ours;
}

// Whether this one fails.
bool fails(void* caller) {
  if (!watching.load(std::memory_order_acquire) || walking || !asked_by_rondo(caller)) return false;
  const int64_t number = asked.fetch_add(1) + 1;
  if (number < first.load() || number > last.load()) return false;
  errno = ENOMEM;
  return true;
}

void watch(int64_t from, int64_t to) {
  asked = 0;
  first = from;
  last = to;
  watching.store(true, std::memory_order_release);
}

}  // namespace

void look_around() {
  dl_iterate_phdr(note, nullptr);
  if (!rondo.end) std::abort();  // the test would see nothing
}
void count() {
  watch(INT64_MAX, INT64_MAX);
}
void fail(int64_t number, Failing failing) {
  watch(number, failing == Failing::once ? number : INT64_MAX);
}
int64_t stop() {
  watching = false;
  return asked;
}

}  // namespace heap

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

extern "C" {
void* malloc(size_t bytes) {
  return heap::fails(CALLER) ? nullptr : __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  return heap::fails(CALLER) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, size_t bytes) {
  return heap::fails(CALLER) ? nullptr : __libc_realloc(block, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return heap::fails(CALLER) ? nullptr : __libc_memalign(alignment, bytes);
}
}

#if defined(__SANITIZE_ADDRESS__)
// The sanitizer's own do not come by malloc.
void* operator new(size_t bytes) {
  if (heap::fails(CALLER)) throw std::bad_alloc();
  return __libc_malloc(bytes);
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return heap::fails(CALLER) ? nullptr : __libc_malloc(bytes);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  if (heap::fails(CALLER)) throw std::bad_alloc();
  return __libc_memalign(static_cast<size_t>(alignment), bytes);
}
void* operator new[](size_t bytes) {
  if (heap::fails(CALLER)) throw std::bad_alloc();
  return __libc_malloc(bytes);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
  return heap::fails(CALLER) ? nullptr : __libc_malloc(bytes);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete[](void* block) noexcept {
  std::free(block);
}
void operator delete[](void* block, size_t) noexcept {
  std::free(block);
}
#endif
