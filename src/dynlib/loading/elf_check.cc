// Reads the headers of a library's file and checks that the system's loader can map it without harm.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/loading/elf_check.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
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

#if defined(__x86_64__)
const char* const kLibFolders[] = {"lib/x86_64-linux-gnu", "lib64", "lib"};
#elif defined(__aarch64__)
const char* const kLibFolders[] = {"lib/aarch64-linux-gnu", "lib64", "lib"};
#else
const char* const kLibFolders[] = {"lib64", "lib"};
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

using Segments = std::vector<ElfW(Phdr)>;

ElfProblem check_headers(int file, uint64_t size, Segments* segments) {
  ElfW(Ehdr) header = {};
  const size_t got = read_at(file, &header, sizeof header, 0);
  if (got == 0) return {"is an empty file"};
  if (std::memcmp(header.e_ident, ELFMAG, std::min<size_t>(got, SELFMAG)) != 0)
    return {"is no library: it has no ELF header"};
  if (got < EI_NIDENT) return {kDamaged};
  const unsigned word = header.e_ident[EI_CLASS];
  if (word != ELFCLASS32 && word != ELFCLASS64) return {"is damaged: its ELF header makes no sense"};
  if (word != kClass)
    return {std::string("is for another processor: a ") + (word == ELFCLASS32 ? "32" : "64") + "-bit library", false,
            true};
  if (header.e_ident[EI_DATA] != kOrder) return {"is for another processor: its byte order is not this one's"};
  if (got < sizeof header) return {kDamaged};
  if (kMachine != EM_NONE && header.e_machine != kMachine)
    return {"is for another processor: ELF machine " + std::to_string(header.e_machine) + ", here it is " +
                std::to_string(kMachine),
            false, true};
  if (header.e_phentsize != sizeof(ElfW(Phdr))) return {"is damaged: its program headers have the wrong size"};
  segments->resize(header.e_phnum);
  const size_t bytes = segments->size() * sizeof(ElfW(Phdr));
  if (!inside(header.e_phoff, bytes, size) || read_at(file, segments->data(), bytes, header.e_phoff) != bytes)
    return {kDamaged};
  for (const ElfW(Phdr) & segment : *segments)
    if (segment.p_type == PT_LOAD && !inside(segment.p_offset, segment.p_filesz, size)) return {kDamaged};
  return {};
}

// The offset in the file that an address of the loaded library comes from; the file's end if it comes from nowhere.
uint64_t offset_of(ElfW(Addr) address, const Segments& segments, uint64_t size) {
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_LOAD && inside(address - segment.p_vaddr, 1, segment.p_filesz))
      return address - segment.p_vaddr + segment.p_offset;
  return size;
}

std::string text_at(int file, uint64_t offset) {
  char text[4096];
  const size_t got = read_at(file, text, sizeof text, offset);
  const void* end = std::memchr(text, '\0', got);
  return end ? text : std::string();
}

// The values that a token of a run path may have. $LIB depends on how the loader was built, and $PLATFORM on the
// processor as it sees it (until glibc 2.36 not what the kernel says), so each of those in use is tried.
std::vector<std::string> values_of(const std::string& token, const std::string& origin) {
  if (token.find("ORIGIN") != std::string::npos) return {origin};
  if (token.find("LIB") != std::string::npos) return {std::begin(kLibFolders), std::end(kLibFolders)};
  const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  std::vector<std::string> values{platform ? platform : ""};
#if defined(__x86_64__)
  for (const char* each : {"haswell", "xeon_phi"})
    if (values[0] != each) values.emplace_back(each);
#endif
  return values;
}

// Splits a run path and expands what the loader expands in it.
void add_folders(const std::string& list, const std::string& origin, std::vector<RunFolder>* folders) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    std::vector<RunFolder> made{{list.substr(begin, end - begin)}};
    begin = end + 1;
    for (size_t i = 0; i < made.size(); ++i) {
      for (const std::string token : {"$ORIGIN", "${ORIGIN}", "$PLATFORM", "${PLATFORM}", "$LIB", "${LIB}"}) {
        const RunFolder pattern = made[i];
        const size_t at = pattern.path.find(token);
        if (at == std::string::npos) continue;
        const std::vector<std::string> values = values_of(token, origin);
        for (size_t each = 0; each < values.size(); ++each) {
          RunFolder filled{pattern.path, pattern.certain && values.size() == 1};
          filled.path.replace(at, token.size(), values[each]);
          if (each == 0)
            made[i] = std::move(filled);
          else
            made.push_back(std::move(filled));
        }
      }
    }
    folders->insert(folders->end(), made.begin(), made.end());
  }
}

void read_needs(int file, uint64_t size, const Segments& segments, const std::string& path, ElfNeeds* needs) {
  const auto dynamic = std::find_if(segments.begin(), segments.end(),
                                    [](const ElfW(Phdr) & segment) { return segment.p_type == PT_DYNAMIC; });
  if (dynamic == segments.end() || !inside(dynamic->p_offset, dynamic->p_filesz, size)) return;
  std::vector<ElfW(Dyn)> entries(dynamic->p_filesz / sizeof(ElfW(Dyn)));
  if (read_at(file, entries.data(), entries.size() * sizeof(ElfW(Dyn)), dynamic->p_offset) < dynamic->p_filesz) return;
  entries.erase(
      std::find_if(entries.begin(), entries.end(), [](const ElfW(Dyn) & each) { return each.d_tag == DT_NULL; }),
      entries.end());
  uint64_t strings = size;
  for (const ElfW(Dyn) & each : entries)
    if (each.d_tag == DT_STRTAB) strings = offset_of(each.d_un.d_ptr, segments, size);
  char real[PATH_MAX];
  const std::string whole = realpath(path.c_str(), real) ? real : path;
  const std::string origin = whole.substr(0, whole.rfind('/'));
  for (const ElfW(Dyn) & each : entries) {
    const uint64_t at = strings + each.d_un.d_val;
    switch (each.d_tag) {
      case DT_NEEDED:
      case DT_AUXILIARY:
      case DT_FILTER: needs->libraries.push_back(text_at(file, at)); break;
      case DT_RPATH: add_folders(text_at(file, at), origin, &needs->rpath); break;
      case DT_RUNPATH: add_folders(text_at(file, at), origin, &needs->runpath); break;
      case DT_FLAGS_1: needs->no_default_folders = each.d_un.d_val & DF_1_NODEFLIB; break;
      default: break;
    }
  }
}

}  // namespace

ElfProblem check_elf(const std::string& path, ElfNeeds* needs) {
  struct stat info;
  // Before open, which can have effects on a device.
  if (stat(path.c_str(), &info) != 0)
    return {std::strerror(errno), errno == ENOENT || errno == ENOTDIR, errno == EACCES};
  if (!S_ISREG(info.st_mode)) return {"is not a file", false, S_ISDIR(info.st_mode)};
  // It may have become a pipe meanwhile: never wait.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {std::strerror(errno), false, errno == EACCES};
  Segments segments;
  ElfProblem problem = {"is not a file"};
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
    const auto size = static_cast<uint64_t>(info.st_size);
    problem = check_headers(file, size, &segments);
    if (needs && problem.text.empty()) read_needs(file, size, segments, path, needs);
  }
  close(file);
  return problem;
}

}  // namespace rondo
