// Describes a group of nodes by a text, for those who look for such groups in a graph: in a recording (graph/passes/)
// and in a model's file (onnx/patterns/).
//
// A text is a term. `Add(a, b)` is a node of that type with as many inputs; `...` as the last one stands for any number
// of constants. A small letter begins the name of a value, which is the same value wherever it stands; `#` before it
// asks for a constant of one element. A number is such a constant, of that value as its type has it. `[a | b]` is one
// of several terms, `Softmax:s(x)` gives a node a name, and `^` stands for another text.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace rondo {

struct Term {
  enum Kind { kNode, kValue, kNumber, kChoice };
  Kind kind = kValue;
  std::string_view name;   // type of a node, name of a value; a part of the text, as the label is
  std::string_view label;  // of a node; empty: none
  double number = 0;
  bool constant = false;  // a value that must be a constant of one element
  bool rest = false;      // constants may follow the node's inputs
  std::vector<Term> parts;
};

// A term of a text that the library has, and that stays; what is wrong in one is a mistake of the program, and ends it.
// inner: what ^ stands for.
Term read_term(std::string_view text, std::string_view inner = {});

// True if a constant is the number of a term, as one of so many bits of significand has it; 0: as f32 has it.
bool is_number(const Term& term, double constant, int bits);

}  // namespace rondo
