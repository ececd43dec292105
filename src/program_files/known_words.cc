// The words that came after the first version: none yet. A row here goes with a golden file that has the word.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/known_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/json.h"
#include "program_files/attributes.h"

namespace rondo::program_files {

namespace {

using Members = std::vector<std::pair<std::string, std::string_view>>;

Members members_of(std::string_view json) {
  Members members;
  models::JsonReader reader(json, "attributes");
  (void)reader.object([&](const std::string& key) -> Status { return reader.raw(&members.emplace_back(key, "").second); });
  return members;
}

// Names of members, those of members too.
void list_names(std::string_view json, std::vector<std::string>* names) {
  for (const auto& [name, value] : members_of(json)) {
    names->push_back(name);
    if (!value.empty() && value.front() == '{') list_names(value, names);
  }
}

}  // namespace

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
  const auto found = std::find_if(formers.begin(), formers.end(), [&](const Former& each) { return each.name == name; });
  return found == formers.end() ? nullptr : &*found;
}

void KnownWords::each_newer(std::string_view kind, std::string_view json, Version than,
                            const std::function<void(const Attribute&)>& visit) const {
  std::vector<std::string> names;
  for (const Attribute& each : attributes) {
    if (each.kind != kind || each.since <= than) continue;
    if (names.empty()) list_names(json, &names);
    if (std::find(names.begin(), names.end(), each.name) != names.end()) visit(each);
  }
}

bool former_attributes(const KnownWords::Former& former, std::string_view json, std::string* of_former) {
  const Members all = members_of(json), implied = members_of(former.with);
  for (const auto& each : implied)
    if (std::find(all.begin(), all.end(), each) == all.end()) return false;
  *of_former = "{";
  for (const auto& [name, value] : all) {
    const bool is_implied = std::any_of(implied.begin(), implied.end(), [&](const auto& each) { return each.first == name; });
    if (is_implied) continue;
    *of_former += (of_former->size() > 1 ? ",\"" : "\"") + name + "\":" + std::string(value);
  }
  *of_former += "}";
  return true;
}

std::string present_attributes(const KnownWords::Former& former, std::string_view json) {
  const std::string_view given = json.substr(json.find('{') + 1);
  const bool none = given.find_first_not_of(" \t\r\n") == given.find('}');
  std::string all(former.with.substr(0, former.with.size() - 1));
  return all + (none || former.with == "{}" ? "" : ",") + std::string(given);
}

const KnownWords::Former* written_as(const Node& node, const KnownWords& words) {
  if (!node.call || words.formers.empty()) return nullptr;
  const std::string_view kind = row_of(*node.call).name;
  const bool is_known = words.since(kind) <= words.version;
  std::string json, rest;
  write_attributes(*node.call, &json);
  for (const KnownWords::Former& each : words.formers)
    if (each.kind == kind && each.since <= words.version && (!is_known || node.former == each.name) &&
        former_attributes(each, json, &rest))
      return &each;
  return nullptr;
}

}  // namespace rondo::program_files
