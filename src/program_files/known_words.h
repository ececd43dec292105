// Knows which version of the library has which word of programs first, and what became of kinds whose meaning changed.
// So a reader refuses words that are newer than it is, and a writer those that are newer than its reader.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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
  // A kind as it was before its meaning changed: a node of it is one of another kind, with these members among its
  // attributes, which do what it did.
  struct Former {
    std::string_view name;
    Version since;
    std::string_view kind, with;
  };

  Version version;                        // that reads: words which are newer are not known
  std::span<const Kind> kinds;            // that are not as old as their rows say
  std::span<const Attribute> attributes;  // that are newer than their kinds; what is left out does what was done before
  std::span<const Former> formers;

  Version since(std::string_view kind) const;
  const Former* former(std::string_view name) const;
  // Calls visit(attribute) for each attribute of a node that is newer than `than`. json: the node's attributes.
  void each_newer(std::string_view kind, std::string_view json, Version than,
                  const std::function<void(const Attribute&)>& visit) const;
};

// Those of this version.
const KnownWords& known_words();

// The attributes of a former kind's node, of those that it has as one of its new kind; and the other way round. False if
// it has others.
bool former_attributes(const KnownWords::Former& former, std::string_view json, std::string* of_former);
std::string present_attributes(const KnownWords::Former& former, std::string_view json);

// The former kind under which the node is written; null: its own.
const KnownWords::Former* written_as(const Node& node, const KnownWords& words);

}  // namespace rondo::program_files
