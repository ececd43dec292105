// Poison by writing it, or by mapping a file full of it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "heap/poison.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace simcuda {
namespace {

constexpr std::size_t kFile = std::size_t{4} << 20;    // real memory that a pattern takes, however much shows it
constexpr std::size_t kLarge = std::size_t{64} << 10;  // below it writing is cheaper than a system call and page faults

// A file in memory full of one byte.
int file_of(Poison pattern) {
  int file = memfd_create("simcuda-poison", MFD_CLOEXEC);
  std::vector<unsigned char> bytes(kFile, static_cast<unsigned char>(pattern));
  std::size_t done = 0;
  while (file >= 0 && done < kFile) {
    ssize_t n = write(file, bytes.data() + done, kFile - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (done == kFile) return file;
  std::fprintf(stderr, "simcuda: cannot make a file of %zu bytes in memory\n", kFile);
  std::abort();
}

}  // namespace

void poison(void* begin, std::size_t bytes, Poison pattern) {
  const int byte = static_cast<int>(pattern);
  if (bytes < kLarge) {
    std::memset(begin, byte, bytes);
    return;
  }
  static const int fresh = file_of(Poison::fresh), freed = file_of(Poison::freed);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage, last = (address + bytes) / kPage * kPage;
  std::memset(begin, byte, first - address);
  for (std::uintptr_t at = first; at < last; at += kFile) {
    const std::size_t part = std::min<std::size_t>(kFile, last - at);
    if (mmap(reinterpret_cast<void*>(at), part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
             pattern == Poison::fresh ? fresh : freed, 0) == MAP_FAILED) {
      std::fprintf(stderr, "simcuda: cannot map %zu bytes of a pattern\n", part);
      std::abort();
    }
  }
  std::memset(reinterpret_cast<void*>(last), byte, address + bytes - last);
}

}  // namespace simcuda
