// Writes the attributes of a node as JSON, and reads them: each member that the struct of the kind names, by its name.
// Numbers that are 0, truths that are false and lists that are empty are left out; what is not there is read as that.
//
// A real number is a text in hexadecimal notation ("0x1.8p-3"), so that every reader has its bits. One that varies with
// sizes (sizes.h) is such a number times an expression in parentheses, or divided by it: "0x1p+0/(B*T)". Bits that vary
// are an expression, or those of such a real number: "f32:0x1p+0/(B*T)".
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "models/json.h"
#include "ops/program/kinds.h"

namespace rondo::program_files {

// {"transpose_b":true}: appended to the text. False if the kind has none that can be written.
bool write_attributes(const ops::Call& call, std::string* json);
// A call of the kind with this name. texts: what may stand in place of numbers, or null.
Status read_attributes(const std::string& kind, std::string_view json, models::NumberTexts* texts,
                       Ref<const ops::Call>* call);

std::string real_text(double value);
std::string bits_text(uint64_t bits);
// A real number that varies with the value of an expression.
inline double vary(double number, bool divided, int64_t by) {
  return divided ? number / static_cast<double>(by) : number * static_cast<double>(by);
}
Status read_real(models::JsonReader* json, double* value);
Status read_bits(models::JsonReader* json, uint64_t* bits);
Status read_dtype(models::JsonReader* json, rondo_dtype* dtype);

}  // namespace rondo::program_files
