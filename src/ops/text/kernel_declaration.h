// Reads declarations of kernels as a user writes them: "scale<float>(const float* x, float* y, float a, int n);
// fill(float* y)". They say which kernels of a module are wanted and what each argument is.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ops/ops.h"

namespace rondo::ops {

struct KernelParameter {
  enum Kind : uint8_t {
    floating,
    integer,  // signed
    natural,  // unsigned
    truth,    // bool
    other     // of a pointer: a type that is not known here, which any tensor may be
  } kind = other;
  uint8_t size = 0;      // bytes of the number, or of what the pointer points to; 0: not known
  bool pointer = false;  // a tensor
  bool written = false;  // a pointer to what is not const
  std::string name;      // may be empty
  std::string type;      // as it was written, without the name
};

struct KernelDeclaration {
  std::string name;  // a C++ expression: "ns::scale<float, 4>"
  std::string parameters_text;
  std::vector<KernelParameter> parameters;
};

// Errors tell line and column. At least one declaration; no name twice.
Status parse_declarations(std::string_view text, std::vector<KernelDeclaration>* declarations);

// True if a tensor of a dtype may be given to a pointer: the same kind and size of number. Integers go by their size,
// of 2 bytes unsigned ones are the bits of 16-bit floats as well.
bool accepts(const KernelParameter& parameter, rondo_dtype dtype);

// A number as the word of an argument; false if the parameter's type does not hold it.
bool argument_word(const KernelParameter& parameter, const Scalar& number, uint64_t* word);

}  // namespace rondo::ops
