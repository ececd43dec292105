// Serves gatherings on rank 0: it collects what each gives, and answers all when the last has come or one is lost.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "comm/rendezvous/rendezvous_link.h"

namespace rondo::comm {

void RendezvousLink::on_gather(int from, Gather gather) {
  const auto [found, made] = gatherings_.try_emplace(gather.key);
  Gathering& gathering = found->second;
  if (made) {
    gathering.group = gather.group;
    gathering.members = gather.members;
    gathering.reform = gather.reform;
    // Whom a reform shuts out, no other rank's limit decides.
    const int64_t limit_ms = gather.reform ? terms_.time_limit_ms : gather.limit_ms;
    gathering.limited = limit_ms >= 0;
    gathering.until = Clock::now() + std::chrono::milliseconds(std::max<int64_t>(limit_ms, 0));
  } else if (gathering.group != gather.group || gathering.members != gather.members ||
             gathering.reform != gather.reform || gathering.given.count(from) > 0) {
    // Which of them is wrong is not known here; the later one gets no further.
    const Status differs =
        error(RONDO_INVALID_STATE, "the ranks differ about who gathers in '%s', and how often", gather.group.c_str());
    return answer(from, {gather.key, differs, {}, 0, {}});
  }
  const size_t kept = from == rank_ ? 0
                                    : 2 * gather.key.size() + gather.members.size() * sizeof(int) +
                                          gather.label.size() + gather.text.size();
  gathering.given[from] = {std::move(gather.label), std::move(gather.text), kept};
  // If the rank is lost by it, that settles the gathering.
  if (keep(from, kept, gather.group)) finish(gather.key);
}

void RendezvousLink::erase(const std::string& key) {
  const auto found = gatherings_.find(key);
  for (const auto& [rank, given] : found->second.given) drop(rank, given.kept);
  gatherings_.erase(found);
}

void RendezvousLink::finish_all() {
  std::vector<std::string> keys;
  for (const auto& [key, gathering] : gatherings_) keys.push_back(key);
  for (const std::string& key : keys) finish(key);
}

// Answers a gathering when all have come, or when that cannot be any more.
void RendezvousLink::finish(const std::string& key) {
  Gathering& gathering = gatherings_.at(key);
  const std::string& group = gathering.group;
  // If no rank waits for it any more, it is dropped.
  if (std::none_of(gathering.given.begin(), gathering.given.end(),
                   [&](const auto& given) { return gone_from(group, given.first).ok(); })) {
    erase(key);
    return;
  }
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
  Gathered whole{key, status, {}, 0, {}};
  if (gathering.reform) {
    for (const int each : gathering.members)
      if (gathering.given.count(each) > 0 && gone_from(group, each).ok()) whole.ranks.push_back(each);
  } else if (status.ok()) {
    const auto& [first_rank, first] = *gathering.given.begin();
    for (const int each : gathering.members) {
      const std::string& label = gathering.given.at(each).label;
      if (label != first.label && status.ok())
        status = error(RONDO_INVALID_STATE,
                       "the ranks of the group do different things: rank %d is at '%s', rank %d at '%s'", first_rank,
                       first.label.c_str(), each, label.c_str());
    }
    whole.status = status;
    if (status.ok()) whole.ranks = gathering.members;
    for (const int each : whole.ranks) whole.texts.push_back(std::move(gathering.given.at(each).text));
  }
  std::vector<int> asked;
  for (const auto& [who, given] : gathering.given) asked.push_back(who);
  erase(key);
  for (const int each : asked) answer(each, whole);
}

// In as many messages as it needs.
void RendezvousLink::answer(int to, const Gathered& whole) {
  if (to == rank_) {
    (void)on_gathered(whole).ok();
    return;
  }
  Gathered part = whole;
  do {
    part.texts.clear();
    for (size_t bytes = 0; part.first + part.texts.size() < whole.texts.size();) {
      const std::string& next = whole.texts[part.first + part.texts.size()];
      bytes += next.size() + sizeof(uint64_t);
      if (bytes > kMaxText && !part.texts.empty()) break;
      part.texts.push_back(next);
    }
    post_now(to, encode(part));
    part.first += part.texts.size();
  } while (part.first < whole.texts.size());
  wake();
}

}  // namespace rondo::comm
