// The elements of a tensor of the model as Rondo takes them: dtype, shape and row-major bytes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/base.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/file/model.h"

namespace rondo_onnx {

// ONNX's number of an element type as Rondo's dtype; false where Rondo has none.
bool find_dtype(int64_t type, rondo_dtype* dtype);
// How many bits an integer of this type has, if they are fewer than 8; 0 for all other types.
int narrow_bits(int64_t type);
// The dtype of a value of the type; integers of fewer than 8 bits have a byte each.
bool find_storage(int64_t type, rondo_dtype* dtype);
// Rondo's dtype as ONNX's number.
int64_t type_of(rondo_dtype dtype);
// ONNX's name of an element type, such as "FLOAT4E2M1".
std::string type_name(int64_t type);

struct Contents {
  rondo_dtype dtype = RONDO_F32;
  std::vector<int64_t> shape;
  std::string_view bytes;  // in the model's buffer, or in `own`
  std::string own;
};

// Product of the sizes; Failure for a negative one, and beyond what a tensor of Rondo may have. A 0 among
// them bounds none of the others less, so that products of some of them do not overflow either.
int64_t count_elements(const std::vector<int64_t>& shape, size_t item, const std::string& whose);

// Gives what the tensor holds. External data are read from the folder of `model_path`. Integers of fewer than 8 bits
// get a byte each. Failure if there are more or fewer elements than its shape says (RONDO_IO_ERROR), for a type that
// Rondo does not have (RONDO_UNSUPPORTED), or if they take more than `most` bytes, where that is not 0
// (RONDO_OUT_OF_MEMORY).
void read_contents(const TensorProto& tensor, const std::string& model_path, int64_t most, Contents* contents);

}  // namespace rondo_onnx
