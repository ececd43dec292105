// The words by which a row of the kinds' table names operands, one by one, for the operands of one call.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rondo::program_files {

struct OperandWord {
  std::string_view name;
  bool list;  // any number of operands has the name
};

// Calls visit(word) for each word of the inputs, or of the outputs, of "a [bias] tensors... -> out".
template <class Visit>
void each_operand_word(std::string_view row, bool outputs, const Visit& visit) {
  const size_t arrow = row.find("->");
  row = outputs ? row.substr(arrow + 2) : row.substr(0, arrow);
  while (true) {
    const size_t begin = row.find_first_not_of(' ');
    if (begin == std::string_view::npos) return;
    row.remove_prefix(begin);
    std::string_view word = row.substr(0, row.find(' '));
    row.remove_prefix(word.size());
    if (word.front() == '[') word = word.substr(1, word.find_first_of(":]") - 1);
    const size_t end = word.find_first_of(".*");
    visit(OperandWord{word.substr(0, end), end != std::string_view::npos});
  }
}

}  // namespace rondo::program_files
