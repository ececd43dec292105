// Reads the headers of safetensors files with all checks, and composes them for files that are written.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/header.h"

#include <algorithm>
#include <cinttypes>
#include <limits>

#include "base/dtype.h"
#include "base/json_text.h"
#include "base/text.h"
#include "models/json.h"

namespace rondo::models {

namespace {

// Every dtype of the format, in its order, which is that of alignment.
struct FormatDtype {
  std::string_view name;
  uint32_t bits;
  int rondo_dtype;
};
constexpr FormatDtype kFormatDtypes[] = {
    {"BOOL", 8, RONDO_BOOL},
    {"F4", 4, -1},
    {"F6_E2M3", 6, -1},
    {"F6_E3M2", 6, -1},
    {"U8", 8, RONDO_U8},
    {"I8", 8, RONDO_I8},
    {"F8_E5M2", 8, RONDO_F8_E5M2},
    {"F8_E4M3", 8, RONDO_F8_E4M3},
    {"F8_E8M0", 8, -1},
    {"F8_E4M3FNUZ", 8, -1},
    {"F8_E5M2FNUZ", 8, -1},
    {"I16", 16, RONDO_I16},
    {"U16", 16, RONDO_U16},
    {"F16", 16, RONDO_F16},
    {"BF16", 16, RONDO_BF16},
    {"I32", 32, RONDO_I32},
    {"U32", 32, RONDO_U32},
    {"F32", 32, RONDO_F32},
    {"C64", 64, -1},
    {"F64", 64, RONDO_F64},
    {"I64", 64, RONDO_I64},
    {"U64", 64, RONDO_U64},
};
static_assert(std::count_if(std::begin(kFormatDtypes), std::end(kFormatDtypes),
                            [](const FormatDtype& each) { return each.rondo_dtype >= 0; }) == kDtypes,
              "each of Rondo's dtypes has its row");
constexpr size_t kLongestDtype = 15;

const FormatDtype& format_of(rondo_dtype dtype) {
  return *std::find_if(std::begin(kFormatDtypes), std::end(kFormatDtypes),
                       [dtype](const FormatDtype& each) { return each.rondo_dtype == dtype; });
}

Status invalid(const TensorEntry& entry, const std::string& what) {
  return error(RONDO_IO_ERROR, "tensor '%s' %s", excerpt(entry.name).c_str(), what.c_str());
}

// {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, in any order; checked against itself. Further members are
// read over, as the format's own readers do: files of later versions may have them.
class EntryReader {
 public:
  EntryReader(JsonReader& json, TensorEntry& entry) : json_(json), entry_(entry) {}

  Status read() {
    RONDO_TRY(json_.object([&](const std::string& key) -> Status {
      const int which = key == "dtype" ? 0 : key == "shape" ? 1 : key == "data_offsets" ? 2 : -1;
      if (which < 0) return json_.skip();
      if (seen_[which]) return json_.wrong("a tensor's " + key + " comes twice");
      seen_[which] = true;
      return which == 0 ? json_.text(&entry_.dtype) : which == 1 ? read_shape() : read_offsets();
    }));
    constexpr const char* names[] = {"dtype", "shape", "data_offsets"};
    for (int i = 0; i < 3; ++i)
      if (!seen_[i]) return invalid(entry_, format("has no %s", names[i]));
    return check();
  }

 private:
  Status read_shape() {
    return json_.array([&]() -> Status {
      uint64_t size = 0;
      RONDO_TRY(json_.number(&size));
      if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        return json_.wrong("a size beyond 63 bits");
      if (entry_.ndim < kMaxDims) entry_.shape[entry_.ndim] = static_cast<int64_t>(size);
      ++entry_.ndim;
      empty_ |= size == 0;
      if (size != 0) overflows_ |= __builtin_mul_overflow(elements_, size, &elements_);
      return {};
    });
  }

  Status read_offsets() {
    int count = 0;
    RONDO_TRY(json_.array([&]() -> Status {
      if (count == 2) return json_.wrong("data_offsets has more than two numbers");
      return json_.number(count++ == 0 ? &entry_.begin : &entry_.end);
    }));
    return count == 2 ? Status() : json_.wrong("data_offsets has two numbers, where a tensor begins and ends");
  }

  Status check() {
    if (entry_.end < entry_.begin)
      return invalid(
          entry_, format("ends before it begins: data_offsets are %" PRIu64 " and %" PRIu64, entry_.begin, entry_.end));
    const auto* known = std::find_if(std::begin(kFormatDtypes), std::end(kFormatDtypes),
                                     [this](const FormatDtype& each) { return each.name == entry_.dtype; });
    if (known == std::end(kFormatDtypes)) {
      // A dtype to come: listed with the size that its data have.
      if (entry_.dtype.empty() || entry_.dtype.size() > kLongestDtype)
        return invalid(entry_, "has the dtype '" + excerpt(entry_.dtype) + "'; they have 1 to 15 characters");
      return {};
    }
    entry_.rondo_dtype = known->rondo_dtype;
    uint64_t bits = 0;
    if (!empty_ && (overflows_ || __builtin_mul_overflow(elements_, uint64_t{known->bits}, &bits)))
      return invalid(entry_, "has a shape whose bits are beyond 64 bits");
    if (bits % 8 != 0) return invalid(entry_, "does not end at a byte: it has " + std::to_string(bits) + " bits");
    if (bits / 8 != entry_.end - entry_.begin)
      return invalid(entry_,
                     format("has %" PRIu64 " bytes by its data_offsets and %" PRIu64 " by its dtype %s and shape",
                            entry_.end - entry_.begin, bits / 8, entry_.dtype.c_str()));
    return {};
  }

  JsonReader& json_;
  TensorEntry& entry_;
  bool seen_[3] = {};
  uint64_t elements_ = 1;  // sizes of 0 aside
  bool empty_ = false, overflows_ = false;
};

// The data lie one after the other, from the first byte to the last.
Status check_places(const std::vector<TensorEntry>& entries, uint64_t data_bytes) {
  uint64_t at = 0;
  for (const TensorEntry& each : entries) {
    if (each.end > data_bytes)
      return invalid(
          each, format("ends at byte %" PRIu64 " of the data, of which the file has %" PRIu64, each.end, data_bytes));
    if (each.begin < at) return invalid(each, format("overlaps another: it begins at byte %" PRIu64, each.begin));
    if (each.begin > at)
      return invalid(each,
                     format("begins at byte %" PRIu64 " of the data; those from %" PRIu64 " on belong to no tensor",
                            each.begin, at));
    at = each.end;
  }
  if (at == data_bytes) return {};
  return error(RONDO_IO_ERROR, "the file has %" PRIu64 " bytes of data, of which %" PRIu64 " belong to tensors",
               data_bytes, at);
}

}  // namespace

Status read_metadata(JsonReader& json, Metadata* metadata) {
  RONDO_TRY(json.object([&](const std::string& key) -> Status {
    metadata->emplace_back(key, std::string());
    return json.text(&metadata->back().second);
  }));
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : *metadata) keys.emplace_back(key);
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  return twice == keys.end() ? Status() : json.wrong("the metadata have '" + excerpt(*twice) + "' twice");
}

Status read_header(std::string_view text, uint64_t data_bytes, Header* header) {
  if (text.empty() || text[0] != '{') return error(RONDO_IO_ERROR, "its header does not begin with '{'");
  if (const size_t bad = first_not_utf8(text); bad != std::string_view::npos)
    return error(RONDO_IO_ERROR, "at byte %zu of its header: not UTF-8", bad);
  JsonReader json(text);
  bool has_metadata = false;
  std::vector<TensorEntry>& entries = header->entries;
  RONDO_TRY(json.object([&](const std::string& key) -> Status {
    if (key == kMetadata) {
      if (has_metadata) return json.wrong("__metadata__ comes twice");
      has_metadata = true;
      if (json.null()) return {};
      return read_metadata(json, &header->metadata);
    }
    entries.emplace_back();
    entries.back().name = key;
    return EntryReader(json, entries.back()).read();
  }));
  RONDO_TRY(json.end());
  std::stable_sort(entries.begin(), entries.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  for (size_t i = 0; i < entries.size(); ++i)
    if (!header->by_name.emplace(entries[i].name, i).second) return invalid(entries[i], "comes twice");
  return check_places(entries, data_bytes);
}

std::string metadata_text(const Metadata& metadata) {
  std::string text = "{";
  for (const auto& [key, value] : metadata) {
    if (text.size() > 1) text += ',';
    text += json_text(key);
    text += ':';
    text += json_text(value);
  }
  text += '}';
  return text;
}

std::string write_header(const std::vector<TensorEntry>& entries, const Metadata& metadata) {
  std::string text = "{";
  const auto member = [&text](std::string_view name) {
    if (text.back() != '{') text += ',';
    text += json_text(name) + ':';
  };
  if (!metadata.empty()) {
    member(kMetadata);
    text += metadata_text(metadata);
  }
  for (const TensorEntry& each : entries) {
    member(each.name);
    text += "{\"dtype\":" + json_text(each.dtype) + ",\"shape\":[";
    for (int64_t i = 0; i < each.ndim; ++i) {
      if (i) text += ',';
      text += std::to_string(each.shape[i]);
    }
    text += format("],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", each.begin, each.end);
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

const char* format_name(rondo_dtype dtype) {
  return format_of(dtype).name.data();
}
int format_rank(rondo_dtype dtype) {
  return static_cast<int>(&format_of(dtype) - kFormatDtypes);
}

}  // namespace rondo::models
