// Writes the attributes of a node as JSON, and reads them: each member that the struct of the kind names, by its name.
// Numbers that are 0, truths that are false and lists that are empty are left out; what is not there is read as that.
//
// A real number is a text in hexadecimal notation ("0x1.8p-3"), so that every reader has its bits.
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
// A call of the kind with this name. unknown: the first word, if one is not known.
Status read_attributes(const std::string& kind, std::string_view json, Ref<const ops::Call>* call);

std::string real_text(double value);
std::string bits_text(uint64_t bits);
Status read_real(models::JsonReader* json, double* value);
Status read_bits(models::JsonReader* json, uint64_t* bits);
Status read_dtype(models::JsonReader* json, rondo_dtype* dtype);

}  // namespace rondo::program_files
