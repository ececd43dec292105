// Reading a library's headers. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/elf_check.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rondo {

namespace {

constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;  // not known here: the loader judges
#endif

const char kDamaged[] = "is damaged: shorter than its header says";

// Fewer than `bytes` only at the file's end.
size_t read_at(int file, void* to, size_t bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(file, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

// [offset, offset + length) lies in the file.
bool inside(uint64_t offset, uint64_t length, uint64_t size) {
  return offset <= size && length <= size - offset;
}

ElfProblem check_headers(int file, uint64_t size) {
  ElfW(Ehdr) header = {};
  const size_t got = read_at(file, &header, sizeof header, 0);
  if (got == 0) return {"is an empty file"};
  if (std::memcmp(header.e_ident, ELFMAG, std::min<size_t>(got, SELFMAG)) != 0)
    return {"is no library: it has no ELF header"};
  if (got < EI_NIDENT) return {kDamaged};
  const unsigned word = header.e_ident[EI_CLASS];
  if (word != ELFCLASS32 && word != ELFCLASS64) return {"is damaged: its ELF header makes no sense"};
  if (word != kClass)
    return {std::string("is for another processor: a ") + (word == ELFCLASS32 ? "32" : "64") + "-bit library"};
  if (header.e_ident[EI_DATA] != kOrder) return {"is for another processor: its byte order is not this one's"};
  if (got < sizeof header) return {kDamaged};
  if (kMachine != EM_NONE && header.e_machine != kMachine)
    return {"is for another processor: ELF machine " + std::to_string(header.e_machine) + ", here it is " +
            std::to_string(kMachine)};
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return {"is damaged: its program headers have the wrong size"};
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  const size_t bytes = segments.size() * sizeof(ElfW(Phdr));
  if (!inside(header.e_phoff, bytes, size) || read_at(file, segments.data(), bytes, header.e_phoff) != bytes)
    return {kDamaged, false, true};
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_LOAD && !inside(segment.p_offset, segment.p_filesz, size)) return {kDamaged, false, true};
  return {};
}

}  // namespace

ElfProblem check_elf(const std::string& path) {
  struct stat info;
  // Before open, which can have effects on a device.
  if (stat(path.c_str(), &info) != 0) return {std::strerror(errno), errno == ENOENT || errno == ENOTDIR};
  if (!S_ISREG(info.st_mode)) return {"is not a file", false, !S_ISDIR(info.st_mode)};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {std::strerror(errno)};
  ElfProblem problem = check_headers(file, static_cast<uint64_t>(info.st_size));
  close(file);
  return problem;
}

}  // namespace rondo
