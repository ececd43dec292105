// Writes and reads the expressions of fused nodes as JSON, and what else of it attributes need: lists, and the names of
// operators.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/json.h"
#include "ops/program/attributes.h"

namespace rondo::program_files {

template <class Item>
void write_list(std::string* json, size_t count, const Item& item) {
  *json += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) *json += ',';
    item(i);
  }
  *json += ']';
}

// An error for a word that a later version may know.
Status unknown(const models::JsonReader& json, const char* what, const std::string& word);
Status read_op(models::JsonReader* json, ops::Op* op);

void write_expression(std::string* json, const ops::Fused& fused);
// Builds it as its maker did. RONDO_IO_ERROR unless all its steps are ones that a maker can add.
Status read_expression(models::JsonReader* json, std::shared_ptr<const ops::Fused>* made);

}  // namespace rondo::program_files
