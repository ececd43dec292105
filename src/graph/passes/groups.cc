// Keeps groups of a program's nodes, and finds a place in its order for each of them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/passes/groups.h"

#include <algorithm>

#include "base/text.h"

namespace rondo {

void Groups::begin(uint32_t i) {
  group_of_[i] = i;
  groups_[i].place = i;
  groups_[i].nodes = {i};
}

void Groups::end(uint32_t i) {
  for (const Dependences::Before& before : dependences_.node(i).before) {
    Group& group = groups_[group_of_[before.node]];
    if (group_of_[before.node] == group_of_[i]) continue;
    if (!group.after.empty() && group.after.back() == i) continue;
    if (group.after.size() < kMostAfter)
      group.after.push_back(i);
    else
      group.many_after = true;
  }
  // Nothing moves across what may touch more than it names.
  if (program_.nodes[i].opaque()) closed_ = i + 1;
}

bool Groups::among(uint32_t node, const Some& groups) const {
  return std::find(groups.begin(), groups.end(), group_of_[node]) != groups.end();
}

bool Groups::allowed(uint32_t i, const Some& groups, uint32_t place) {
  const Dependences::Node& mine = dependences_.node(i);
  for (const Dependences::Before& each : mine.before) {
    ++steps_;
    if (!among(each.node, groups) && place != i && groups_[group_of_[each.node]].place > place) return false;
  }
  for (const uint32_t group : groups) {
    if (groups_[group].place == place) continue;
    if (groups_[group].many_after) return false;
    for (const uint32_t each : groups_[group].after) {
      ++steps_;
      if (!among(each, groups) && groups_[group_of_[each]].place < place) return false;
    }
  }
  return true;
}

std::optional<uint32_t> Groups::place_for(uint32_t i, const Some& groups) {
  // Nodes that are not switched together stay apart.
  for (const uint32_t group : groups)
    if (program_.nodes[groups_[group].nodes[0]].section != program_.nodes[i].section) return {};
  const uint32_t latest = groups_[groups.front()].place;
  if (allowed(i, groups, latest)) return latest;
  return allowed(i, groups, i) ? std::optional(i) : std::nullopt;
}

std::vector<uint32_t> Groups::nodes_with(uint32_t i, const Some& groups) const {
  std::vector<uint32_t> nodes;
  for (const uint32_t group : groups)
    nodes.insert(nodes.end(), groups_[group].nodes.begin(), groups_[group].nodes.end());
  nodes.push_back(i);
  if (groups.size() > 1) std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void Groups::join(uint32_t i, const Some& groups, uint32_t place) {
  joined_ = true;
  const uint32_t into = groups.front();
  Group& whole = groups_[into];
  if (groups.size() > 1) {
    std::vector<uint32_t> nodes = nodes_with(i, groups);
    for (const uint32_t node : nodes) group_of_[node] = into;
    for (const uint32_t group : groups) {
      if (group == into) continue;
      for (const uint32_t each : groups_[group].after) whole.after.push_back(each);
      whole.many_after |= groups_[group].many_after;
      groups_[group] = {};
    }
    whole.nodes = std::move(nodes);
  } else {
    group_of_[i] = into;
    whole.nodes.push_back(i);
  }
  groups_[i].nodes.clear();
  whole.after.erase_if([&](uint32_t node) { return group_of_[node] == into; });
  whole.many_after |= whole.after.size() > kMostAfter;
  whole.place = place;
}

std::string Groups::operators(const std::vector<uint32_t>& nodes) const {
  std::string all;
  for (const uint32_t each : nodes) {
    const ops::ProgramNode& node = program_.nodes[each];
    if (!all.empty()) all += ", ";
    if (node.operators.empty())
      all += node.name;
    else
      all += node.operators;
  }
  return all;
}

std::string Groups::line(const std::vector<uint32_t>& nodes) const {
  std::string line = "one of";
  for (const uint32_t each : nodes)
    line.append(each == nodes[0] ? " " : ", ").append(std::to_string(each) + " '").append(program_.nodes[each].name) +=
        "'";
  return line;
}

std::string Groups::some(const std::vector<uint32_t>& nodes) const {
  constexpr size_t kNamed = 4;
  std::string line;
  for (size_t i = 0; i < std::min(nodes.size(), kNamed); ++i)
    line += format("%s %u '%s'", i > 0 ? "," : "", nodes[i], program_.nodes[nodes[i]].name);
  if (nodes.size() > kNamed) line += format(" and %zu more", nodes.size() - kNamed);
  return line;
}

std::string Groups::sites(const std::vector<uint32_t>& nodes) const {
  constexpr size_t kNamed = 4;
  std::vector<const std::string*> sites;  // each once
  for (const uint32_t each : nodes) {
    const std::string& site = program_.nodes[each].site;
    const auto is = [&site](const std::string* known) { return *known == site; };
    if (!site.empty() && std::none_of(sites.begin(), sites.end(), is)) sites.push_back(&site);
  }
  std::string all;
  for (size_t i = 0; i < sites.size() && i < kNamed; ++i) all += (i ? ", " : "") + *sites[i];
  if (sites.size() > kNamed) all += format(" and %zu more", sites.size() - kNamed);
  return all;
}

std::vector<uint32_t> Groups::in_order() const {
  std::vector<uint32_t> at(groups_.size(), Dependences::kNone);  // groups by their places
  for (uint32_t group = 0; group < groups_.size(); ++group)
    if (!groups_[group].nodes.empty()) at[groups_[group].place] = group;
  std::erase(at, Dependences::kNone);
  return at;
}

}  // namespace rondo
