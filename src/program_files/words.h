// Names the enumerators that attributes of nodes have, as program files spell them, and operands by the words of the
// kinds' table. An enumeration without its words does not compile where an attribute of it is written or read.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ops/program/attributes.h"

namespace rondo::program_files {

// words: by enumerator, from 0 on.
template <class Enumeration>
struct Words;

#define RONDO_WORDS(Enumeration, ...)                           \
  template <>                                                   \
  struct Words<Enumeration> {                                   \
    static constexpr const char* const words[] = {__VA_ARGS__}; \
  }

RONDO_WORDS(rondo_dtype, "bool", "u8", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "i16", "u16", "u32", "u64",
            "f8_e4m3", "f8_e5m2");
RONDO_WORDS(rondo_activation, "none", "relu", "gelu", "relu6", "silu", "hard_swish", "gelu_erf");
RONDO_WORDS(rondo_softmax_op, "softmax", "log_softmax", "softmin");
RONDO_WORDS(rondo_pad_mode, "constant", "edge", "reflect", "symmetric", "wrap");
RONDO_WORDS(rondo_optimizer_kind, "sgd", "adam", "adamw", "lamb");
RONDO_WORDS(rondo_rate_schedule, "constant", "linear", "cosine", "step");
RONDO_WORDS(ops::RecurrentKind, "lstm", "gru", "rnn");
RONDO_WORDS(ops::WindowRule, "fixed", "adaptive", "nearest", "linear", "exact");
RONDO_WORDS(device::WindowOrigin, "half_pixel", "align_corners", "asymmetric");
template <>
struct Words<ops::ReduceOp> {
  static constexpr const char* const words[] = {
#define REDUCTION(ID, name, ...) #name,
#include "ops/operators/reductions.def"
#undef REDUCTION
  };
};
template <>
struct Words<ops::Normalisation> {
  static constexpr const char* const words[] = {
#define NORMALISATION(name, ...) #name,
#include "ops/operators/normalisations.def"
#undef NORMALISATION
  };
};
#undef RONDO_WORDS

static_assert(std::size(Words<rondo_dtype>::words) == kDtypes);

// A word by which a row of the kinds' table names operands, one by one, for the operands of one call.
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
