// Defines one rank's end of a group of devices that work together: it turns collectives into tasks, watches over them,
// and ends them when a peer is lost.
//
// Owned by reference count: the user's handle, its tasks, and graphs that hold such tasks. So it outlives every graph
// that holds a collective of it. All members are thread-safe. Collectives of all communicators of an engine's GPU form
// one chain: the GPUs of different ranks would else meet them in different orders and wait for each other.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/order_check.h"
#include "comm/rendezvous/session.h"
#include "comm/transport/options.h"
#include "comm/transport/transport.h"
#include "device/cuda/collective_gate.h"
#include "engine/tensor.h"

namespace rondo::ops {
class Output;
}

namespace rondo::comm {

class CollectiveTask;

// The order of all collectives of one engine on one GPU, or of one communicator on a host.
class Chain final : public RefCounted {
 public:
  Chain(Engine& engine, Device& device) : order(make_ref<Variable>(engine)), device_(device) {}
  ~Chain() override;
  static Ref<Chain> of(Engine& engine, Device& device);
  const Ref<Variable> order;

 private:
  Device& device_;
};

class Communicator final : public RefCounted, private Session::Listener {
 public:
  // RONDO_INVALID_STATE inside a task and while the thread records: `what` waits for other ranks.
  static Status refuse_here(const char* what);
  // Blocks until every rank of the session has called it.
  static Status create(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options,
                       Ref<Communicator>* made);
  // The ends of one group, all in this process; each is made on a thread of its own.
  static Status create_all(Engine& engine, std::span<Device* const> devices, const Options& options,
                           std::vector<Ref<Communicator>>* made);
  // As the header says; made[i] is null where the colour is negative.
  static Status split(std::span<Communicator* const> ends, const int32_t* colours, const int32_t* keys,
                      std::vector<Ref<Communicator>>* made);
  static Status reform(std::span<Communicator* const> ends, std::vector<Ref<Communicator>>* made);

  int rank() const { return session_->rank(); }
  int size() const { return session_->size(); }
  uint64_t group() const { return session_->number(); }
  Engine& engine() const { return *engine_; }
  Device& device() const { return device_; }
  const char* name() const { return options_.name.c_str(); }
  Transport& transport() const { return *transport_; }
  int64_t submitted() const { return submitted_.load(std::memory_order_relaxed); }

  // RONDO_OK, or why the group has failed.
  Status check() const;
  Status wait();
  // The end for this rank, and for all others with `reason`.
  void abort(const char* reason);
  // The end, with the cause; the first counts. `tell`: others shall hear of it from this rank.
  void fail(const Status& cause, bool tell);
  // They hear of it now, not only when the watching thread comes to it. On a thread that holds no lock.
  void tell_the_others() noexcept;

  // --- collectives: checked, made a task, submitted; collectives.cc ---
  Status all_reduce(const View& input, rondo_reduce_op reduction, ops::Output& out);
  Status all_reduce_in_place(const View& view, rondo_reduce_op reduction);
  Status all_gather(const View& input, ops::Output& out);
  Status reduce_scatter(const View& input, rondo_reduce_op reduction, ops::Output& out);
  Status broadcast(const View& view, int32_t root);
  Status reduce(const View& input, rondo_reduce_op reduction, int32_t root, ops::Output* out);
  Status all_to_all(const View& input, ops::Output& out);
  Status send(const View& view, int32_t peer);
  Status receive(const View& view, int32_t peer);
  Status barrier();
  Status group_begin();
  Status group_end();
  // Passes the outcome of a call on; a failure in a group is the group's.
  Status grouped(const Status& status);

  // --- of its tasks ---
  // A task is about to reach the device on that native stream (null on a host): notes it, to tell later which one
  // hangs. Unless it fails, issued() follows when the task has reached the device, or could not. `messages`: it is of
  // sends and receives alone.
  Status begin(const char* what, void* native_stream, bool messages);
  void issued(bool messages) noexcept;
  // Tells of a task that cannot take part here: the others would wait for it.
  void missed(const char* what, const Status& cause);

  // Called by the watching threads. Looks, without blocking, whether something has failed or takes too long.
  void look() noexcept;
  // Asks the device which work is done, which may block: a driver that loads a kernel does not answer until its device
  // is idle.
  void ask() noexcept;

 private:
  friend class CollectiveTask;
  class NoMemory;
  using Clock = std::chrono::steady_clock;
  // Work on the device of which it is not known that it is done.
  struct Flight {
    const char* what;
    Stream* stream;  // null: a host's
    uint64_t sequence;
    std::vector<Fence> before;  // what was issued when it was
    Clock::time_point since;

    bool done() const { return !stream || stream->completed() >= sequence; }
  };

  Communicator(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options);
  ~Communicator() override = default;
  void dispose() override;

  void received(int rank, std::string text) override;
  void left(int rank) noexcept override;
  void lost(int rank, const Status& cause) noexcept override;

  Status check_view(const char* name, const View& view) const;
  Status check_rank(const char* name, int32_t rank) const;
  Status check_operation(const Operation& operation) const;
  Status check_parts(const View& input) const;
  Status check_output(const View& view) const;
  // Submits one operation, or keeps it in the thread's group. Operands that are not row-major without gaps go through
  // copies.
  Status submit(const Operation& operation, const View* input, const View* output);
  // The same for one whose output `out` has or makes, with that layout.
  Status submit(const Operation& operation, const View& input, const Layout& layout, bool in_place, ops::Output& out);
  Status submit(Ref<CollectiveTask> task);
  // Why not all ranks are there any more.
  Status incomplete() const;
  void hear(int rank, const std::string& text);
  // The parts of create(): until all ranks are connected, and what is submitted then.
  static Status make(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options,
                     Ref<Communicator>* made);
  Status fill_token();
  static Status fill_tokens(std::span<const Ref<Communicator>> all);
  Status connect();
  void tell_failed(const Status& cause) noexcept;
  Status look_at_the_oldest();
  void ask_the_device();
  // The rest of fail(), on the watching thread: it takes locks of streams, and a failure may come up under one.
  Status end();
  static bool all_done(const std::deque<Flight>& flights);
  void finish_flights();
  void wait_for_flights();

  const Ref<Engine> engine_;
  Device& device_;
  const std::shared_ptr<Session> session_;
  const Options options_;
  const Ref<Chain> chain_;
  std::unique_ptr<Transport> transport_;
  // The objects that are released when the device is done with them, and the task that releases them: made early, for
  // an end must not fail.
  struct Leaving {
    std::unique_ptr<Transport> transport;
    std::shared_ptr<Session> session;
    std::unique_ptr<cuda::GateMember> gate;  // stands for the work that goes on
  };
  std::shared_ptr<Leaving> leaving_ = std::make_shared<Leaving>();
  Ref<Task> farewell_;
  std::unique_ptr<OrderCheck> order_check_;  // null: not asked for
  std::atomic<int64_t> submitted_{0};
  std::atomic<int64_t> groups_{0};  // made of this one so far
  std::mutex submit_mutex_;         // numbers are in the order of submission

  mutable std::mutex mutex_;
  Status failure_;
  Status departed_;    // a rank has left: what is begun from then on would wait for it
  bool tell_ = false;  // and the others have not been told yet
  std::deque<Flight> flights_;
  std::atomic<bool> failed_{false};
  std::optional<cuda::GateMember> gate_;  // a GPU's, from when it is connected
  // The state of end():
  std::optional<Flight> unfinished_;
  bool ended_ = false;

  // The operand of a barrier: one byte.
  Ref<Storage> token_storage_;
  View token_;
};

}  // namespace rondo::comm
