// Keeps the connections of one process in a rendezvous, and the thread that serves them: every rank has one to rank 0,
// which collects, relays, and notices who is gone. Sessions (socket_session.h) are views of it.
//
// A rank is lost when its connection ends without a farewell, or when nothing was heard of it for the time of silence;
// rank 0 tells the others. When rank 0 itself is gone, every rank notices by itself.
//
// Rank 0 goes on serving until the others have left too, even when the link's last owner has released it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "comm/rendezvous/messages.h"
#include "comm/rendezvous/net.h"
#include "comm/rendezvous/session.h"

namespace rondo::comm {

class RendezvousLink {
 public:
  struct Terms {
    double silence_s = 30;
    int64_t time_limit_ms = -1;  // below 0: none
    bool one_host = false;       // all ranks are on this machine: no socket listens where others could come
  };
  // sockets[i]: to rank i; of rank 0 all but its own, of the others the first alone. Starts the thread.
  static std::shared_ptr<RendezvousLink> make(int rank, int size, std::vector<File> sockets, const Terms& terms);
  ~RendezvousLink();
  RendezvousLink(const RendezvousLink&) = delete;
  RendezvousLink& operator=(const RendezvousLink&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(peers_.size()); }
  const Terms& terms() const { return terms_; }

  // Ranks below are those of the whole rendezvous; a group is a name and its members.
  struct Group {
    std::string name;
    std::vector<int> members;
  };
  // The next gathering of a group, of those who are in it: what each gave. `reform`: of those of them who are left, and
  // *left says who that is.
  Status gather(const Group& group, uint64_t sequence, std::string_view label, std::string_view mine,
                std::vector<std::string>* all);
  Status reform(const Group& group, uint64_t sequence, std::vector<int>* left);
  void tell(const Group& group, std::string_view text) noexcept;
  void leave(const Group& group) noexcept;
  // This process cannot go on, as a rule because it has no memory: the connections end, so that it is lost to the
  // others, and all waits and listeners here get the cause.
  void fail(const Status& cause) noexcept;

  // Sets the listener that hears the texts told to a group, and which of its ranks are lost; null: there is no listener
  // any more, and none is being called. Events that came before are kept for it.
  void listen(const Group& group, Session::Listener* listener);
  // Why a rank is gone; OK: it is there.
  Status gone(int rank);

  // The last owner has released the link: says farewell.
  void release() noexcept;

 private:
  struct Peer {
    File socket;
    std::string in, out;
    Clock::time_point heard;
    Status gone;
    bool farewell = false;
    size_t kept = 0;  // bytes that it has sent and no session has asked for
  };
  // The parts of one gathering that rank 0 has received.
  struct Gathering {
    std::string group;
    std::vector<int> members;
    struct Given {
      std::string label, text;
      size_t kept;  // of Peer::kept
    };
    std::map<int, Given> given;
    Clock::time_point until;
    bool limited = false;
    bool reform = false;
  };
  // A gathering that this rank waits for: answered when `done`.
  struct Asked {
    std::vector<int> members;
    bool reform = false;
    bool done = false;
    Gathered answer;
  };
  enum class What : uint8_t { received, left, lost };
  struct Event {
    int rank = 0;
    What what = What::received;
    std::string text;
    Status cause;
    size_t kept = 0;  // of Peer::kept
  };
  struct Subscription {
    std::vector<int> members;
    bool opened = false;  // a listener was set at some time
    std::deque<Event> waiting;
    Session::Listener* listener = nullptr;
    bool heard_broken = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  RendezvousLink(int rank, std::vector<File> sockets, const Terms& terms);
  static void serve(const std::shared_ptr<RendezvousLink>& self);
  bool serve_once();
  void wake();
  Status ask(Lock& lock, const Group& group, Gather gather, Gathered* answer);

  void tell_broken() noexcept;

  // Below: with the lock held.
  void break_off(const Status& cause) noexcept;
  // An exception in the middle of a change ends the link: it could not be known what the other ranks know.
  template <class Body>
  void or_fail(Body body) noexcept {
    try {
      body();
    } catch (const std::exception&) {
      break_off(Status::no_memory());
    }
  }
  void post(int to, const Frame& frame) { post(to, encode(frame)); }
  void post(int to, const std::string& bytes);
  void post_now(int to, const std::string& bytes);
  bool flush(Peer& peer);
  // Reads what a peer has sent, in as many pieces at most.
  void read(int from, int turns);
  void close(int rank, const Status& cause);
  // Handles a received message, after checking it. An error: it contradicts what is known, and its sender is not to be
  // believed any more.
  Status hear(int from, Frame frame);
  void on_gather(int from, Gather gather);
  Status on_gathered(Gathered part);
  Status on_tell(Tell tell);
  Status on_leave(Leave leave);
  void relay(const std::vector<int>& members, int who, const Frame& frame);
  void finish(const std::string& key);
  void finish_all();
  void answer(int to, const Gathered& whole);
  Status check_members(const std::string& group, const std::vector<int>& members) const;
  void note(const std::string& group, const std::vector<int>& members, Event event);
  // Drops the events that wait: they were delivered, or will never have a listener.
  void forget(Subscription& subscription);
  // One more piece that a rank keeps here. False: it is too much, and the rank is lost.
  bool keep(int rank, size_t bytes, const std::string& group);
  void drop(int rank, size_t bytes);
  void erase(const std::string& key);  // a gathering
  // When all have left a group, nothing is known of it any more.
  void note_left(const std::string& group, const std::vector<int>& members, int who);
  Subscription make_subscription(const std::vector<int>& members) const;
  Status gone_from(const std::string& group, int rank) const;
  Status first_gone(const Group& group) const;
  void deliver();
  bool idle() const;

  const int rank_;
  const Terms terms_;
  const std::chrono::duration<double> silence_;
  File wake_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Peer> peers_;
  std::map<std::string, Asked> asked_;
  std::map<std::string, Gathering> gatherings_;
  std::set<std::pair<std::string, int>> left_;  // group, who
  // In the order in which it was heard: who is gone, from which group (empty: from all), and why. The first is the
  // cause of what comes after it.
  struct Departure {
    std::string group;
    int rank;
    Status cause;
  };
  std::vector<Departure> departures_;
  std::map<std::string, Subscription> subscriptions_;
  bool released_ = false;
  Status broken_;  // see fail()
  Clock::time_point beat_;
  std::mutex calling_;  // held while a listener is called; taken before mutex_
};

}  // namespace rondo::comm
