// Exchanges data between ranks of one process: a message is the sender's memory, which the receiver copies from.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "base/text.h"
#include "comm/rendezvous/frame.h"
#include "comm/rendezvous/session.h"

namespace rondo::comm {

namespace {

// The data that one rank has given and another has not copied yet.
struct Post {
  enum class State : uint8_t { waiting, copied_now, taken };
  const void* data;
  size_t bytes;
  uint64_t what;
  State state = State::waiting;
};

// The state that the ranks share.
struct Room {
  ~Room();
  uint64_t number = 0;
  std::mutex mutex;
  std::condition_variable moved;
  std::map<std::pair<int, int>, std::deque<Post*>> posts;  // by sender and receiver
  Status mismatch;                                         // two ranks do different things: the end for all
  std::map<int, bool> left;                                // of each rank that has come, whether it has left
};

// Those that there are, by number: who is told one by another rank may find it gone. They live as long as the process.
class Rooms {
 public:
  static std::shared_ptr<Room> make() {
    const auto room = std::make_shared<Room>();
    const std::lock_guard lock(mutex());
    const uint64_t number = last()++ + 1;
    all()[number] = room;
    room->number = number;
    return room;
  }
  static std::shared_ptr<Room> find(uint64_t number) {
    const std::lock_guard lock(mutex());
    const auto found = all().find(number);
    return found == all().end() ? nullptr : found->second.lock();
  }
  static void forget(uint64_t number) {
    const std::lock_guard lock(mutex());
    all().erase(number);
  }

 private:
  using ByNumber = std::map<uint64_t, std::weak_ptr<Room>>;
  static std::mutex& mutex() {
    static auto* made = new std::mutex;
    return *made;
  }
  static ByNumber& all() {
    static auto* made = new ByNumber;
    return *made;
  }
  static uint64_t& last() {
    static uint64_t number = 0;
    return number;
  }
};

Room::~Room() {
  if (number) Rooms::forget(number);
}

class LocalExchange final : public Exchange {
 public:
  // Takes the memory for its leaving, which must not lack it.
  LocalExchange(int rank, std::shared_ptr<Room> room) : rank_(rank), room_(std::move(room)) {
    const std::lock_guard lock(room_->mutex);
    room_->left[rank_] = false;
  }
  ~LocalExchange() override {
    const std::lock_guard lock(room_->mutex);
    room_->left.find(rank_)->second = true;
    room_->moved.notify_all();
  }

  Status run(std::span<const Message> sends, std::span<const Message> receives, uint64_t what,
             const Deadline& deadline) override {
    std::vector<Post> mine;
    mine.reserve(sends.size());
    std::unique_lock lock(room_->mutex);
    const Withdrawal withdrawal{*this, lock, sends, mine};
    for (const Message& each : sends) {
      std::deque<Post*>& to = room_->posts[{rank_, each.rank}];
      mine.push_back({each.data, each.bytes, what});
      to.push_back(&mine.back());
    }
    room_->moved.notify_all();
    Status status;
    for (const Message& each : receives)
      if (status.ok()) status = take(lock, each, what, deadline);
    for (size_t i = 0; i < mine.size() && status.ok(); ++i)
      status = wait(lock, deadline, sends[i].rank, [&] { return mine[i].state == Post::State::taken; });
    return status;
  }

  void abort(const Status& cause) override {
    const std::lock_guard lock(room_->mutex);
    if (aborted_.ok()) aborted_ = cause;
    room_->moved.notify_all();
  }

 private:
  template <class Done>
  Status wait(std::unique_lock<std::mutex>& lock, const Deadline& deadline, int rank, const Done& done) {
    while (!done()) {
      if (!aborted_.ok()) return aborted_;
      if (!room_->mismatch.ok()) return room_->mismatch;
      if (const auto other = room_->left.find(rank); other != room_->left.end() && other->second)
        return error(RONDO_RANK_LOST, "rank %d has left", rank);
      if (deadline.over())
        return error(RONDO_TIMED_OUT, "the time limit is over, and nothing came of the ranks %d", rank);
      room_->moved.wait_for(lock, std::chrono::milliseconds(deadline.milliseconds()));
    }
    return aborted_;
  }

  Status take(std::unique_lock<std::mutex>& lock, const Message& message, uint64_t what, const Deadline& deadline) {
    std::deque<Post*>& from = room_->posts[{message.rank, rank_}];
    RONDO_TRY(wait(lock, deadline, message.rank, [&] { return !from.empty(); }));
    Post& post = *from.front();
    if (post.what != what)
      room_->mismatch = another_step(message.rank, post.what, rank_, what);
    else if (post.bytes != message.bytes)
      room_->mismatch = error(RONDO_INVALID_STATE, "rank %d sends %zu bytes where rank %d expects %zu", message.rank,
                              post.bytes, rank_, message.bytes);
    if (!room_->mismatch.ok()) {
      room_->moved.notify_all();
      return room_->mismatch;
    }
    from.pop_front();
    post.state = Post::State::copied_now;
    lock.unlock();
    if (message.bytes > 0) std::memmove(message.data, post.data, message.bytes);
    lock.lock();
    post.state = Post::State::taken;
    room_->moved.notify_all();
    return {};
  }

  // However run() ends, no rank copies from memory that it has given back.
  struct Withdrawal {
    LocalExchange& of;
    std::unique_lock<std::mutex>& lock;
    std::span<const Message> sends;
    std::vector<Post>& mine;
    ~Withdrawal() {
      Room& room = *of.room_;
      for (size_t i = 0; i < mine.size(); ++i)
        if (mine[i].state == Post::State::waiting)
          if (const auto to = room.posts.find({of.rank_, sends[i].rank}); to != room.posts.end())
            std::erase(to->second, &mine[i]);
      room.moved.wait(lock, [&] {
        for (const Post& each : mine)
          if (each.state == Post::State::copied_now) return false;
        return true;
      });
    }
  };

  const int rank_;
  const std::shared_ptr<Room> room_;
  Status aborted_;  // under the room's mutex
};

}  // namespace

Status another_step(int rank, uint64_t theirs, int own_rank, uint64_t ours) {
  const auto number = [](uint64_t what) { return static_cast<unsigned long long>(what >> 8); };
  const auto kind = [](uint64_t what) { return static_cast<unsigned long long>(what & 255); };
  return error(RONDO_INVALID_STATE,
               "rank %d is at another collective (number %llu, kind %llu) than rank %d (number %llu, kind %llu); all "
               "ranks must submit the same ones in the same order",
               rank, number(theirs), kind(theirs), own_rank, number(ours), kind(ours));
}

Status Session::open_exchange(const std::function<Status()>&, std::unique_ptr<Exchange>* made) {
  // Rank 0 makes the room and says which it is; it keeps it until all have come in.
  std::shared_ptr<Room> mine;
  if (rank() == 0) mine = Rooms::make();
  std::vector<std::string> all;
  RONDO_TRY(all_gather("the ranks' common room", Writer().number(mine ? mine->number : 0).take(), &all));
  if (!mine) mine = Rooms::find(Reader(all[0]).number(UINT64_MAX));
  if (!mine) return error(RONDO_RANK_LOST, "rank 0 has given up the ranks' common room");
  RONDO_TRY(all_gather("all have come in", {}, &all));
  *made = std::make_unique<LocalExchange>(rank(), std::move(mine));
  return {};
}

}  // namespace rondo::comm
