// Describes the kept entry of one compiled kernel: its key, its compiler, its image, and its bytes in a file. Nothing
// of such bytes is trusted: their lengths must fit, and a checksum covers all of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rondo::rtc {

struct Key {
  uint64_t words[2] = {};
  bool operator==(const Key& other) const { return words[0] == other.words[0] && words[1] == other.words[1]; }
};

// Two independent 64-bit mixes over a sequence of texts. Lengths count, so ("ab", "c") is not ("a", "bc"). Finds
// damage; who wants to deceive can make two texts of one key.
class KeyBuilder {
 public:
  void add(std::string_view text);
  Key key() const { return key_; }

 private:
  Key key_{{0x243f6a8885a308d3u, 0x13198a2e03707344u}};
};

// For which GPUs an image is, and the NVRTC that made it. All zero: no compiler did, and it is for no GPU by itself.
struct Origin {
  int32_t architecture = 0;  // 90 for sm_90
  int32_t binary = 0;        // a cubin; else PTX
  int32_t nvrtc_major = 0, nvrtc_minor = 0;
  uint64_t nvrtc_build = 0;  // tells builds of one version apart
  bool operator==(const Origin& other) const {
    return architecture == other.architecture && binary == other.binary && nvrtc_major == other.nvrtc_major &&
           nvrtc_minor == other.nvrtc_minor && nvrtc_build == other.nvrtc_build;
  }
};

struct CacheEntry {
  Key key;  // of what the image is made from
  Origin origin;
  int32_t rondo = 0;  // version of the library that kept it: rondo_version()
  std::string name;   // for people
  std::string image;
};

constexpr char kEntrySuffix[] = ".kernel";

// 32 hexadecimal digits.
std::string key_text(const Key& key);
// "sm_90" or "compute_90".
std::string architecture_text(const Origin& origin);
// Below the folder: "3f/<30 digits>.sm_90.12.8-<16 digits>.kernel"; without an origin "3f/<30 digits>.kernel".
std::string entry_file_name(const Key& key, const Origin& origin);

constexpr size_t kEntryHeaderBytes = 88;
// Larger ones are taken for damage.
constexpr uint64_t kMostEntryBytes = uint64_t{1} << 30;

std::string encode(const CacheEntry& entry);
// How many bytes the entry has that begins with `text`, by its header alone; 0 if it is none, and then *problem says
// why.
uint64_t entry_bytes(std::string_view text, std::string* problem);
// Returns whether `text` is a whole entry and nothing else; if not, *problem says why not.
bool decode(std::string_view text, CacheEntry* entry, std::string* problem);
// The same without the checksum, of as much of an entry as there is: the image stays empty, and so does a name that is
// cut off.
bool decode_header(std::string_view text, CacheEntry* entry, std::string* problem);

}  // namespace rondo::rtc
