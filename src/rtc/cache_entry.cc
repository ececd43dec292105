// Writes the entries of the kernel cache as bytes, and reads them back with all of their checks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/cache_entry.h"

#include <algorithm>
#include <cstring>

#include "base/folded_product.h"
#include "base/text.h"

namespace rondo::rtc {

namespace {

constexpr char kEntryMagic[8] = {'R', 'O', 'N', 'D', 'O', 'K', 'R', 'N'};
constexpr uint32_t kEntryFormat = 2;

// The first bytes of an entry; the name follows, then the image.
struct Header {
  char magic[8];
  uint32_t format;
  uint32_t name_bytes;
  uint64_t image_bytes;
  Key key;
  Origin origin;
  int32_t rondo;
  uint32_t reserved;  // 0
  Key checksum;       // of all of the entry, with zeros in this place
};
static_assert(sizeof(Origin) == 24 && sizeof(Header) == kEntryHeaderBytes);

Key checksum_of(Header header, std::string_view name, std::string_view image) {
  header.checksum = {};
  KeyBuilder builder;
  builder.add({reinterpret_cast<const char*>(&header), sizeof header});
  builder.add(name);
  builder.add(image);
  return builder.key();
}

uint64_t mix(uint64_t hash, uint64_t word, uint64_t factor) {
  const uint64_t folded = folded_product(hash ^ word, factor);
  return (folded ^ (folded >> 29)) + word;  // a product of 0 must not forget the words before it
}

bool read_header(std::string_view text, Header* header, std::string* problem) {
  if (text.size() < sizeof *header) {
    *problem = format("it ends after %zu bytes, within the header of %zu", text.size(), sizeof *header);
    return false;
  }
  std::memcpy(header, text.data(), sizeof *header);
  if (std::memcmp(header->magic, kEntryMagic, sizeof kEntryMagic) != 0) {
    *problem = "it does not begin as a kept kernel does";
    return false;
  }
  if (header->format != kEntryFormat) {
    *problem = format("it has format %u, and this version of Rondo reads %u", header->format, kEntryFormat);
    return false;
  }
  // Each is checked by itself first: the sum of two wrong lengths may wrap and be small again.
  if (header->name_bytes > kMostEntryBytes || header->image_bytes > kMostEntryBytes ||
      sizeof *header + header->name_bytes + header->image_bytes > kMostEntryBytes) {
    *problem = "the lengths in its header are larger than any kernel";
    return false;
  }
  return true;
}

}  // namespace

void KeyBuilder::add(std::string_view text) {
  auto feed = [this](uint64_t word) {
    key_.words[0] = mix(key_.words[0], word, 0x9fb21c651e98df25u);
    key_.words[1] = mix(key_.words[1] ^ (word << 32 | word >> 32), word, 0xd6e8feb86659fd93u);
  };
  feed(text.size());
  for (size_t i = 0; i < text.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<size_t>(8, text.size() - i));
    feed(word);
  }
}

std::string key_text(const Key& key) {
  return format("%016llx%016llx", static_cast<unsigned long long>(key.words[0]),
                static_cast<unsigned long long>(key.words[1]));
}

std::string architecture_text(const Origin& origin) {
  return format("%s_%d", origin.binary ? "sm" : "compute", origin.architecture);
}

std::string entry_file_name(const Key& key, const Origin& origin) {
  const std::string digits = key_text(key);
  std::string name = digits.substr(0, 2) + "/" + digits.substr(2);
  if (!(origin == Origin()))
    name += format(".%s.%d.%d-%016llx", architecture_text(origin).c_str(), origin.nvrtc_major, origin.nvrtc_minor,
                   static_cast<unsigned long long>(origin.nvrtc_build));
  return name + kEntrySuffix;
}

std::string encode(const CacheEntry& entry) {
  Header header = {};
  std::memcpy(header.magic, kEntryMagic, sizeof kEntryMagic);
  header.format = kEntryFormat;
  header.name_bytes = static_cast<uint32_t>(entry.name.size());
  header.image_bytes = entry.image.size();
  header.key = entry.key;
  header.origin = entry.origin;
  header.rondo = entry.rondo;
  header.checksum = checksum_of(header, entry.name, entry.image);
  std::string text(reinterpret_cast<const char*>(&header), sizeof header);
  text.reserve(text.size() + entry.name.size() + entry.image.size());
  return text.append(entry.name).append(entry.image);
}

uint64_t entry_bytes(std::string_view text, std::string* problem) {
  Header header = {};
  return read_header(text, &header, problem) ? sizeof header + header.name_bytes + header.image_bytes : 0;
}

bool decode_header(std::string_view text, CacheEntry* entry, std::string* problem) {
  Header header = {};
  if (!read_header(text, &header, problem)) return false;
  entry->key = header.key;
  entry->origin = header.origin;
  entry->rondo = header.rondo;
  entry->name.clear();
  if (text.size() >= sizeof header + header.name_bytes) entry->name = text.substr(sizeof header, header.name_bytes);
  entry->image.clear();
  return true;
}

bool decode(std::string_view text, CacheEntry* entry, std::string* problem) {
  Header header = {};
  if (!read_header(text, &header, problem)) return false;
  const uint64_t bytes = sizeof header + header.name_bytes + header.image_bytes;
  if (bytes != text.size()) {
    *problem =
        format("it has %zu bytes, and its header says %llu", text.size(), static_cast<unsigned long long>(bytes));
    return false;
  }
  const std::string_view name = text.substr(sizeof header, header.name_bytes);
  const std::string_view image = text.substr(sizeof header + header.name_bytes);
  if (!(checksum_of(header, name, image) == header.checksum)) {
    *problem = "its checksum does not fit its bytes";
    return false;
  }
  *entry = {header.key, header.origin, header.rondo, std::string(name), std::string(image)};
  return true;
}

}  // namespace rondo::rtc
