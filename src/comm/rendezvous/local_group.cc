// Makes sessions of the ranks of one process: they meet in an object that all of them share.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/local_group.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>

#include "base/caught.h"
#include "base/text.h"

namespace rondo::comm {

namespace {

struct Member {
  Session::Listener* listener = nullptr;
  int calls = 0;       // into the listener, under way
  bool taken = false;  // it has, or had, a session
  bool left = false;   // which is gone, or will never come
};

// The texts that were given under one name; freed when all have taken them.
struct Round {
  std::vector<std::string> labels, given;
  std::vector<bool> here;
  int arrived = 0, taken = 0;
};

// Shared by the ranks.
struct LocalGroup {
  explicit LocalGroup(int ranks, int64_t time_limit_ms)
      : places(static_cast<size_t>(ranks)), time_limit_ms(time_limit_ms), number(next_number()) {}

  static uint64_t next_number() {
    static constinit std::atomic<uint64_t> last{0};
    return last.fetch_add(1) + 1;
  }

  // Calls each listener but `from`'s without the lock; none of them is removed meanwhile.
  template <class Call>
  void call_others(int from, std::unique_lock<std::mutex>& lock, Call call) {
    for (size_t i = 0; i < places.size(); ++i) {
      Member& place = places[i];
      if (static_cast<int>(i) == from || !place.listener) continue;
      ++place.calls;
      Session::Listener* listener = place.listener;
      lock.unlock();
      // Who has no memory for what it would tell is as good as lost.
      if (const Status received = caught([&] { return call(*listener); }); !received.ok())
        listener->lost(from, received);
      lock.lock();
      if (--place.calls == 0) changed.notify_all();
    }
  }

  void never_comes(int member) {
    const std::lock_guard lock(mutex);
    for (size_t i = 0; i < members.size(); ++i)
      if (members[i] == member && !places[i].taken) places[i].left = true;
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Member> places;
  std::vector<int> members;  // of a group made of another's ranks: these, there
  std::map<std::string, std::shared_ptr<Round>> rounds;
  std::map<std::string, std::weak_ptr<LocalGroup>> groups;  // made of some of the ranks, by name
  const int64_t time_limit_ms;
  const uint64_t number;
};

class LocalSession final : public Session {
 public:
  LocalSession(std::shared_ptr<LocalGroup> group, int rank) : group_(std::move(group)), rank_(rank) {
    const std::lock_guard lock(group_->mutex);
    group_->places[static_cast<size_t>(rank_)].taken = true;
  }
  ~LocalSession() override {
    LocalSession::listen(nullptr);
    std::unique_lock lock(group_->mutex);
    group_->places[static_cast<size_t>(rank_)].left = true;
    group_->changed.notify_all();
    group_->call_others(rank_, lock, [&](Listener& listener) {
      listener.left(rank_);
      return Status();
    });
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(group_->places.size()); }
  uint64_t number() const override { return group_->number; }

  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override {
    return gather(format("%llu", static_cast<unsigned long long>(rounds_.fetch_add(1))), label, mine, all);
  }

  Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) override {
    const auto place = std::find(members.begin(), members.end(), rank_);
    if (place == members.end()) return error(RONDO_INTERNAL, "rank %d is none of the group's", rank_);
    std::string key(name);
    for (const int member : members) key += format(" %d", member);
    std::lock_guard lock(group_->mutex);
    std::weak_ptr<LocalGroup>& known = group_->groups[key];
    std::shared_ptr<LocalGroup> group = known.lock();
    const size_t index = static_cast<size_t>(place - members.begin());
    if (!group) {
      group = std::make_shared<LocalGroup>(static_cast<int>(members.size()), group_->time_limit_ms);
      group->members = members;
      for (size_t i = 0; i < members.size(); ++i)
        group->places[i].left = group_->places[static_cast<size_t>(members[i])].left;
      known = group;
    }
    *made = std::make_shared<LocalSession>(std::move(group), static_cast<int>(index));
    return {};
  }

  // Also from the groups that the others make with it, or have made and where it has not come yet.
  void give_up(const Status& cause) noexcept override {
    std::unique_lock lock(group_->mutex);
    Member& place = group_->places[static_cast<size_t>(rank_)];
    if (place.left) return;
    place.left = true;
    group_->changed.notify_all();
    for (const auto& [key, known] : group_->groups)
      if (const std::shared_ptr<LocalGroup> group = known.lock()) group->never_comes(rank_);
    group_->call_others(rank_, lock, [&](Listener& listener) {
      listener.lost(rank_, cause);
      return Status();
    });
  }

  void tell(std::string_view text) override {
    std::unique_lock lock(group_->mutex);
    group_->call_others(rank_, lock, [&](Listener& listener) {
      listener.received(rank_, std::string(text));
      return Status();
    });
  }

  void listen(Listener* listener) override {
    std::unique_lock lock(group_->mutex);
    Member& place = group_->places[static_cast<size_t>(rank_)];
    place.listener = nullptr;
    group_->changed.wait(lock, [&] { return place.calls == 0; });
    place.listener = listener;
    if (!listener) return;
    for (size_t i = 0; i < group_->places.size(); ++i)
      if (group_->places[i].left) {
        lock.unlock();
        listener->left(static_cast<int>(i));
        lock.lock();
      }
  }

  // A rank of a process that has left is known at once; any other that does not come is late.
  Status reform(std::vector<int>* members, std::shared_ptr<Session>* made) override {
    members->clear();
    {
      std::lock_guard lock(group_->mutex);
      for (size_t i = 0; i < group_->places.size(); ++i)
        if (!group_->places[i].left) members->push_back(static_cast<int>(i));
    }
    return subgroup(*members, format("reform %llu", static_cast<unsigned long long>(rounds_.fetch_add(1))), made);
  }

 private:
  Status gather(const std::string& key, std::string_view label, std::string_view mine, std::vector<std::string>* all) {
    LocalGroup& group = *group_;
    std::unique_lock lock(group.mutex);
    const size_t count = group.places.size();
    std::shared_ptr<Round>& known = group.rounds[key];
    if (!known)
      known = std::make_shared<Round>(
          Round{std::vector<std::string>(count), std::vector<std::string>(count), std::vector<bool>(count, false)});
    const std::shared_ptr<Round> round = known;
    const auto own = static_cast<size_t>(rank_);
    round->labels[own] = label;
    round->given[own] = mine;
    round->here[own] = true;
    ++round->arrived;
    group.changed.notify_all();
    auto gone = [&]() -> int {
      for (size_t i = 0; i < count; ++i)
        if (group.places[i].left && !round->here[i]) return static_cast<int>(i);
      return -1;
    };
    auto over = [&] { return round->arrived == static_cast<int>(count) || gone() >= 0; };
    if (group.time_limit_ms < 0)
      group.changed.wait(lock, over);
    else
      group.changed.wait_for(lock, std::chrono::milliseconds(group.time_limit_ms), over);
    const bool complete = round->arrived == static_cast<int>(count);
    if (++round->taken == static_cast<int>(count)) group.rounds.erase(key);
    if (!complete) {
      if (const int lost = gone(); lost >= 0)
        return error(RONDO_RANK_LOST, "%s: rank %d has left", std::string(label).c_str(), lost);
      std::string late;
      for (size_t i = 0; i < count; ++i)
        if (!round->here[i]) late += format("%s%zu", late.empty() ? "" : ", ", i);
      return error(RONDO_TIMED_OUT, "%s: after %lld ms rank %s has not come", std::string(label).c_str(),
                   static_cast<long long>(group.time_limit_ms), late.c_str());
    }
    for (size_t i = 0; i < count; ++i)
      if (round->labels[i] != round->labels[own])
        return error(RONDO_INVALID_STATE, "rank %d does '%s' while rank %zu does '%s'", rank_,
                     round->labels[own].c_str(), i, round->labels[i].c_str());
    *all = round->given;
    return {};
  }

  const std::shared_ptr<LocalGroup> group_;
  const int rank_;
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace

std::vector<std::shared_ptr<Session>> make_local_group(int ranks, int64_t time_limit_ms) {
  const auto group = std::make_shared<LocalGroup>(ranks, time_limit_ms);
  std::vector<std::shared_ptr<Session>> sessions;
  for (int i = 0; i < ranks; ++i) sessions.push_back(std::make_shared<LocalSession>(group, i));
  return sessions;
}

}  // namespace rondo::comm
