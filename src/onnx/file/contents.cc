// Makes row-major bytes of ONNX's several ways to write the elements of a tensor, and checks that there are as many as
// the shape says before any of them is used.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/file/contents.h"

#include <rondo/rondo.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "onnx/file/failure.h"

static_assert(std::endian::native == std::endian::little,
              "ONNX's raw data are little endian, and are taken as they are");

namespace rondo_onnx {

namespace {

struct TypeRow {
  int64_t type;
  const char* name;
  int dtype;  // -1: Rondo has none
};
constexpr TypeRow kTypes[] = {{1, "FLOAT", RONDO_F32},
                              {2, "UINT8", RONDO_U8},
                              {3, "INT8", RONDO_I8},
                              {4, "UINT16", RONDO_U16},
                              {5, "INT16", RONDO_I16},
                              {6, "INT32", RONDO_I32},
                              {7, "INT64", RONDO_I64},
                              {8, "STRING", -1},
                              {9, "BOOL", RONDO_BOOL},
                              {10, "FLOAT16", RONDO_F16},
                              {11, "DOUBLE", RONDO_F64},
                              {12, "UINT32", RONDO_U32},
                              {13, "UINT64", RONDO_U64},
                              {14, "COMPLEX64", -1},
                              {15, "COMPLEX128", -1},
                              {16, "BFLOAT16", RONDO_BF16},
                              {17, "FLOAT8E4M3FN", RONDO_F8_E4M3},
                              {18, "FLOAT8E4M3FNUZ", -1},
                              {19, "FLOAT8E5M2", RONDO_F8_E5M2},
                              {20, "FLOAT8E5M2FNUZ", -1},
                              {21, "UINT4", -1},
                              {22, "INT4", -1},
                              {23, "FLOAT4E2M1", -1},
                              {24, "FLOAT8E8M0", -1},
                              {25, "UINT2", -1},
                              {26, "INT2", -1},
                              {27, "FLOAT6E2M3", -1},
                              {28, "FLOAT6E3M2", -1}};
constexpr int64_t kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;

template <class T>
void append_as(const std::vector<int64_t>& numbers, std::string* bytes) {
  bytes->resize(numbers.size() * sizeof(T));
  for (size_t i = 0; i < numbers.size(); ++i) {
    const T value = static_cast<T>(numbers[i]);
    std::memcpy(bytes->data() + i * sizeof(T), &value, sizeof(T));
  }
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

// A byte for each integer of a few bits, of which several are in a byte, the first in its lowest bits.
std::string unpack(std::string_view packed, int64_t count, int bits, bool sign) {
  std::string bytes(static_cast<size_t>(count), '\0');
  const auto in_byte = static_cast<size_t>(8 / bits);
  const int most = 1 << bits;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int all = static_cast<unsigned char>(packed[i / in_byte]);
    const int value = all >> (static_cast<int>(i % in_byte) * bits) & (most - 1);
    bytes[i] = static_cast<char>(sign && value >= most / 2 ? value - most : value);
  }
  return bytes;
}

}  // namespace

bool find_dtype(int64_t type, rondo_dtype* dtype) {
  for (const TypeRow& each : kTypes)
    if (each.type == type && each.dtype >= 0) {
      *dtype = static_cast<rondo_dtype>(each.dtype);
      return true;
    }
  return false;
}

int narrow_bits(int64_t type) {
  return type == kUint4 || type == kInt4 ? 4 : type == kUint2 || type == kInt2 ? 2 : 0;
}

bool find_storage(int64_t type, rondo_dtype* dtype) {
  if (narrow_bits(type) == 0) return find_dtype(type, dtype);
  *dtype = type == kInt4 || type == kInt2 ? RONDO_I8 : RONDO_U8;
  return true;
}

int64_t type_of(rondo_dtype dtype) {
  for (const TypeRow& each : kTypes)
    if (each.dtype == static_cast<int>(dtype)) return each.type;
  return 0;
}

std::string type_name(int64_t type) {
  for (const TypeRow& each : kTypes)
    if (each.type == type) return each.name;
  return "type " + std::to_string(type);
}

int64_t count_elements(const std::vector<int64_t>& shape, size_t item, const std::string& whose) {
  if (shape.size() > RONDO_MAX_DIMS)
    throw Failure(RONDO_UNSUPPORTED, whose + " has " + std::to_string(shape.size()) + " dimensions; at most " +
                                         std::to_string(RONDO_MAX_DIMS) + " can be converted");
  constexpr uint64_t kMost = uint64_t{1} << 47;  // bytes of a tensor of a program file
  uint64_t bytes = item;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) malformed(whose + " has a dimension of " + std::to_string(size));
    empty = empty || size == 0;
  }
  for (const int64_t size : shape) {
    const auto factor = static_cast<uint64_t>(std::max<int64_t>(size, 1));
    if (factor > kMost / bytes) malformed(whose + " has more than " + std::to_string(kMost) + " bytes by its shape");
    bytes *= factor;
  }
  return empty ? 0 : static_cast<int64_t>(bytes / item);
}

void read_contents(const TensorProto& tensor, const std::string& model_path, int64_t most, Contents* contents) {
  const std::string whose = "the tensor " + excerpt(tensor.name);
  const int bits = narrow_bits(tensor.type);
  if (tensor.strings || !find_storage(tensor.type, &contents->dtype))
    throw Failure(RONDO_UNSUPPORTED, whose + " is of the type " + type_name(tensor.type));
  const size_t item = rondo_dtype_size(contents->dtype);
  const int64_t count = count_elements(tensor.dims, item, whose);
  contents->shape = tensor.dims;
  check_memory(static_cast<uint64_t>(count) * item, most, whose);
  const size_t expected =
      bits > 0 ? (static_cast<size_t>(count) * static_cast<size_t>(bits) + 7) / 8 : static_cast<size_t>(count) * item;
  if (tensor.external) {
    if (tensor.length >= 0 && static_cast<size_t>(tensor.length) != expected)
      malformed(whose + " has " + std::to_string(tensor.length) + " bytes of external data; its shape takes " +
                std::to_string(expected));
    contents->own = read_external(model_path, tensor.location, tensor.offset, static_cast<int64_t>(expected));
    contents->bytes = contents->own;
  } else if (!tensor.raw.empty()) {
    contents->bytes = tensor.raw;
  } else if (bits > 0) {
    append_as<uint8_t>(tensor.integers, &contents->own);
  } else {
    switch (contents->dtype) {
      case RONDO_F32: contents->own = bytes_of(tensor.floats); break;
      case RONDO_F64: contents->own = bytes_of(tensor.doubles); break;
      case RONDO_I64:
      case RONDO_U64: append_as<int64_t>(tensor.integers, &contents->own); break;
      case RONDO_I32:
      case RONDO_U32: append_as<uint32_t>(tensor.integers, &contents->own); break;
      case RONDO_I16:
      case RONDO_U16:
      case RONDO_F16:
      case RONDO_BF16: append_as<uint16_t>(tensor.integers, &contents->own); break;
      default: append_as<uint8_t>(tensor.integers, &contents->own); break;
    }
  }
  if (contents->bytes.empty()) contents->bytes = contents->own;
  if (contents->bytes.size() != expected)
    malformed(whose + " holds " + std::to_string(contents->bytes.size()) + " bytes; its shape takes " +
              std::to_string(expected));
  if (bits > 0) {
    std::string bytes = unpack(contents->bytes, count, bits, contents->dtype == RONDO_I8);
    contents->own = std::move(bytes);
    contents->bytes = contents->own;
  } else if (contents->dtype == RONDO_BOOL) {
    std::string bytes(contents->bytes);
    for (char& each : bytes) each = each != 0;
    contents->own = std::move(bytes);
    contents->bytes = contents->own;
  }
}

}  // namespace rondo_onnx
