// Knows which version of the library has which word of programs first, and what became of kinds whose meaning changed.
// So a reader refuses words that are newer than it is, and a writer those that are newer than its reader.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "program_files/program_text.h"
#include "program_files/version.h"

namespace rondo::program_files {

struct KnownWords {
  struct Kind {
    std::string_view name;
    Version since;
  };
  struct Attribute {
    std::string_view kind, name;
    Version since;
  };
  // A kind as it was before its meaning changed: a node of it is one of another kind whose attributes begin with these
  // members, which do what it did. They are the new kind's first ones.
  struct Former {
    std::string_view name;
    Version since;
    std::string_view kind, with;  // "{\"op\":\"sum\"}"
  };

  Version version;                        // that reads: words which are newer are not known
  std::span<const Kind> kinds;            // that are not as old as their rows say
  std::span<const Attribute> attributes;  // that are newer than their kinds; what is left out does what was done before
  std::span<const Former> formers;

  Version since(std::string_view kind) const;
  const Former* former(std::string_view name) const;
};

// A word that a version does not know.
struct NewerWord {
  const Node* node;
  size_t number;  // of the node in its list
  std::string text;
  Version since;
};
// Adds those of some nodes, bodies included.
void list_newer(const std::vector<Node>& nodes, const KnownWords& words, Version than, std::vector<NewerWord>* newer);

// The attributes of a former kind's node as those of its new kind. json: an object.
std::string present_attributes(const KnownWords::Former& former, std::string_view json);
// The former kind under which a node is written, with the attributes that it has there; null: its own.
const KnownWords::Former* written_as(const Node& node, const KnownWords& words, std::string* attributes);

}  // namespace rondo::program_files
