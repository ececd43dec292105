// The words that came after the first version: none yet. A row here goes with a golden file that has the word.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/known_words.h"

#include "program_files/attributes.h"

namespace rondo::program_files {

const KnownWords& known_words() {
  static const KnownWords words = {kThisVersion, {}, {}, {}};
  return words;
}

Version KnownWords::since(std::string_view kind) const {
  for (const Kind& each : kinds)
    if (each.name == kind) return each.since;
  for (const ops::KindRow& each : ops::kKinds)
    if (each.name == kind) return *read_version(each.since);
  return {};
}

const KnownWords::Former* KnownWords::former(std::string_view name) const {
  for (const Former& each : formers)
    if (each.name == name) return &each;
  return nullptr;
}

void list_newer(const std::vector<Node>& nodes, const KnownWords& words, Version than, std::vector<NewerWord>* newer) {
  std::string json;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (node.choice)
      for (const Choice::Body& each : node.choice->bodies) list_newer(each.nodes, words, than, newer);
    if (!node.call) continue;
    const std::string_view kind = row_of(*node.call).name;
    const KnownWords::Former* const former = written_as(node, words, &json);
    const Version since = former ? former->since : words.since(kind);
    if (than < since) newer->push_back({&node, i, "the kind '" + std::string(kind) + "'", since});
    for (const KnownWords::Attribute& each : words.attributes) {
      if (each.kind != kind || each.since <= than) continue;
      json.clear();
      write_attributes(*node.call, &json);
      if (json.find("\"" + std::string(each.name) + "\":") != std::string::npos)
        newer->push_back({&node, i, "the attribute '" + std::string(each.name) + "'", each.since});
    }
  }
}

std::string present_attributes(const KnownWords::Former& former, std::string_view json) {
  const std::string_view given = json.substr(json.find('{') + 1);
  const bool none = given.find_first_not_of(" \t\r\n") == given.find('}');
  std::string all(former.with.substr(0, former.with.size() - 1));
  return all + (none || all.size() == 1 ? "" : ",") + std::string(given);
}

const KnownWords::Former* written_as(const Node& node, const KnownWords& words, std::string* attributes) {
  if (!node.call || words.formers.empty()) return nullptr;
  const std::string_view kind = row_of(*node.call).name;
  const bool is_known = words.since(kind) <= words.version;
  std::string json;
  write_attributes(*node.call, &json);
  for (const KnownWords::Former& each : words.formers) {
    const size_t members = each.with.size() - 1;  // without the brace at the end
    if (each.kind != kind || words.version < each.since || (is_known && node.former != each.name) ||
        json.compare(0, members, each.with, 0, members) != 0)
      continue;
    if (members > 1 && json[members] != ',' && json[members] != '}') continue;
    *attributes = "{" + json.substr(json[members] == ',' ? members + 1 : members);
    return &each;
  }
  return nullptr;
}

}  // namespace rondo::program_files
