// What rank 0 does for gatherings: it collects what each gives, and answers all when the last has come or one is lost.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "comm/wires.h"

namespace rondo::comm {

void Wires::gather_at_root(int from, const std::string& text, bool reform) {
  Reader reader(text);
  const std::string key = reader.text();
  reader.text();  // the group's name, which the key begins with
  const std::vector<int> members = reader.numbers();
  const auto limit = static_cast<int64_t>(reader.number());
  std::string label = reader.text(), given = reader.text();
  if (!reader.good()) return;
  for (const int each : members)
    if (each < 0 || each >= size()) return;
  Gathering& gathering = gatherings_[key];
  if (gathering.given.empty()) {
    gathering.members = members;
    gathering.reform = reform;
    gathering.limited = limit >= 0;
    gathering.until = Clock::now() + std::chrono::milliseconds(std::max<int64_t>(limit, 0));
  }
  gathering.given[from] = {std::move(label), std::move(given)};
  settle(key);
}

void Wires::settle_all() {
  std::vector<std::string> keys;
  for (const auto& [key, gathering] : gatherings_) keys.push_back(key);
  for (const std::string& key : keys) settle(key);
}

// Answers a gathering when all have come, or when that cannot be any more.
void Wires::settle(const std::string& key) {
  Gathering& gathering = gatherings_.at(key);
  const std::string group = key.substr(0, key.rfind('#'));
  const bool over = gathering.limited && Clock::now() >= gathering.until;
  std::vector<int> gone;
  std::string missing;
  bool waits = false;
  for (const int each : gathering.members) {
    if (gathering.given.count(each) > 0) continue;
    if (!gone_from(group, each).ok()) {
      gone.push_back(each);
      continue;
    }
    waits = true;
    missing += (missing.empty() ? "" : ", ") + std::to_string(each);
  }
  Status status = gathering.reform ? Status() : first_gone({group, gone});
  if (waits && over && gathering.reform) {
    // They count as lost from here on, also for themselves.
    for (const int each : gathering.members)
      if (gathering.given.count(each) == 0 && gone_from(group, each).ok())
        close(each,
              error(RONDO_RANK_LOST, "rank %d is lost: it did not come when a group of those left was formed", each));
    waits = false;
  } else if (waits && over && status.ok()) {
    status = error(RONDO_TIMED_OUT, "the time limit is over, and of the group's %zu ranks there is none yet of: %s",
                   gathering.members.size(), missing.c_str());
  }
  if (waits && status.ok()) return;
  std::vector<std::string> texts;
  if (gathering.reform) {
    for (const int each : gathering.members)
      if (gathering.given.count(each) > 0 && gone_from(group, each).ok()) texts.push_back(std::to_string(each));
  } else if (status.ok()) {
    const auto& [first_rank, first] = *gathering.given.begin();
    for (const int each : gathering.members) {
      auto& [label, given] = gathering.given.at(each);
      if (label != first.first && status.ok())
        status = error(RONDO_INVALID_STATE,
                       "the ranks of the group do different things: rank %d is at '%s', rank %d at '%s'", first_rank,
                       first.first.c_str(), each, label.c_str());
    }
    if (status.ok())
      for (const int each : gathering.members) texts.push_back(std::move(gathering.given.at(each).second));
  }
  for (const auto& [who, given] : gathering.given) answer(who, key, status, texts);
  gatherings_.erase(key);
}

void Wires::answer(int to, const std::string& key, const Status& status, const std::vector<std::string>& texts) {
  const std::string text =
      Writer().text(key).number(static_cast<uint64_t>(status.code())).text(status.message()).texts(texts).take();
  if (to == rank_)
    hear(0, Verb::gathered, text);
  else
    post_now(to, Verb::gathered, text);
  wake();
}

}  // namespace rondo::comm
