// Makes communicators, watches the collectives in flight, and ends a communicator when a rank is lost.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/communicator.h"

#include <algorithm>
#include <climits>
#include <map>
#include <tuple>

#include "base/caught.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "base/threads/within.h"
#include "comm/rendezvous/local_group.h"
#include "comm/rendezvous/messages.h"
#include "comm/transport/host_transport.h"
#include "comm/transport/nccl_transport.h"
#include "comm/transport/peer_transport.h"
#include "comm/watchdog.h"
#include "ops/ops.h"

namespace rondo::comm {

// --- chains ---

namespace {

struct Chains {
  std::mutex mutex;
  std::map<std::pair<const Engine*, const Device*>, Chain*> all;
};
Chains& chains() {
  static auto* chains = new Chains;
  return *chains;
}

}  // namespace

Ref<Chain> Chain::of(Engine& engine, Device& device) {
  // Ranks of one host run in parallel, on threads of their own.
  if (device.is_host()) return make_ref<Chain>(engine, device);
  std::lock_guard lock(chains().mutex);
  Chain*& known = chains().all[{&engine, &device}];
  // One whose last reference is just being given up is not taken any more.
  if (known && known->retain_unless_gone()) return Ref<Chain>::adopt(known);
  Ref<Chain> made = make_ref<Chain>(engine, device);
  known = made.get();
  return made;
}

Chain::~Chain() {
  if (device_.is_host()) return;
  std::lock_guard lock(chains().mutex);
  const auto known = chains().all.find({&order->engine(), &device_});
  if (known != chains().all.end() && known->second == this) chains().all.erase(known);
}

// --- making ---

namespace {

// With a driver that does not answer.
constexpr auto kDriverTimeout = std::chrono::milliseconds(1000);

Status make_transport(Device& device, const std::shared_ptr<Session>& session, const Options& options,
                      const std::function<Status()>& lost, std::unique_ptr<Transport>* transport) {
  if (device.is_host()) return make_host_transport(session, options.time_limit_ms, lost, transport);
  std::unique_ptr<Transport> library;
  const Status made = make_nccl_transport(*device.streams(), *session, options, lost, &library);
  if (!made.ok() && made.code() != RONDO_LIBRARY_MISSING) return made;
  return make_peer_transport(*device.streams(), *session, {options.time_limit_ms, options.max_blocks},
                             std::move(library), made, transport);
}

// Each rank's part on a thread of its own, for they wait for each other; the first failure by rank. Unless there are
// threads for all, no part is begun.
Status on_threads(size_t count, const std::function<Status(size_t)>& part) {
  std::mutex starting;
  bool all = false;  // are there
  std::vector<Status> outcomes(count);
  std::vector<Thread> threads;
  Status started;
  {
    const std::lock_guard lock(starting);
    started = caught([&]() -> Status {
      threads.reserve(count);
      for (size_t i = 1; i < count; ++i)
        threads.push_back(start_thread([&, i] {
          {
            const std::lock_guard begun(starting);
            if (!all) return;
          }
          outcomes[i] = caught([&] { return part(i); });
        }));
      return {};
    });
    all = started.ok();
  }
  if (started.ok()) outcomes[0] = caught([&] { return part(0); });
  for (Thread& thread : threads) thread.join();
  RONDO_TRY(started.with_context("ranks of this process"));
  // The others' failures follow from the one that is no lost rank.
  for (const Status& each : outcomes)
    if (!each.ok() && each.code() != RONDO_RANK_LOST) return each;
  for (const Status& each : outcomes) RONDO_TRY(each);
  return {};
}

}  // namespace

namespace {

// Returns whether all ranks of a group of GPUs are in this process. Then the gate keeps other collectives out while a
// library makes communicators: it allocates, frees and launches for each of them.
bool all_here(std::span<Communicator* const> ends) {
  return ends.size() > 1 && static_cast<size_t>(ends[0]->size()) == ends.size() && !ends[0]->device().is_host();
}

}  // namespace

// If an exception leaves a rank's part in making further communicators of this one, the other ranks must not wait for
// it.
class Communicator::NoMemory {
 public:
  explicit NoMemory(Communicator& end) : end_(end) {}
  ~NoMemory() {
    if (std::uncaught_exceptions() == before_) return;
    end_.fail(Status::no_memory(), true);
    end_.session_->give_up(Status::no_memory());
  }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

 private:
  Communicator& end_;
  const int before_ = std::uncaught_exceptions();
};

Communicator::Communicator(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options)
    : engine_(Ref<Engine>::share(&engine)),
      device_(device),
      session_(std::move(session)),
      options_(options),
      chain_(Chain::of(engine, device)) {
  if (setting_choice(Setting::comm_check) == 1) order_check_ = std::make_unique<OrderCheck>(rank(), size());
}

Status Communicator::refuse_here(const char* what) {
  if (Engine::in_task())
    return error(RONDO_INVALID_STATE, "%s inside a task is refused: it waits for other ranks; do it outside", what);
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE, "%s while this thread records is refused; do it before the recording", what);
  return {};
}

Status Communicator::create(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options,
                            Ref<Communicator>* made) {
  Ref<Communicator> communicator;
  RONDO_TRY(make(engine, device, std::move(session), options, &communicator));
  RONDO_TRY(communicator->fill_token());
  *made = std::move(communicator);
  return {};
}

Status Communicator::make(Engine& engine, Device& device, std::shared_ptr<Session> session, const Options& options,
                          Ref<Communicator>* made) {
  RONDO_TRY(engine.usable());
  DeviceState* state = nullptr;
  RONDO_TRY(engine.device_state(device, &state));
  Ref<Communicator> communicator = Ref<Communicator>::adopt(new Communicator(engine, device, session, options));
  if (!device.is_host()) engine.expect_write_off();
  RONDO_TRY(engine.make_action(
      [leaving = communicator->leaving_, gpu = !device.is_host()] {
        leaving->gate.reset();  // the device is done
        using Kept = std::shared_ptr<Leaving>;
        Kept* const kept = gpu && leaving->transport ? new (std::nothrow) Kept(leaving) : nullptr;
        if (!kept) {
          *leaving = {};
          return;
        }
        // The library frees its memory: later, if a collective of this process waits for a rank.
        cuda::release_apart(
            [](void*, void* what) {
              const std::unique_ptr<Kept> all(static_cast<Kept*>(what));
              **all = {};
            },
            nullptr, kept);
      },
      &communicator->farewell_));
  // From here on it hears of ranks that are lost, and of what others do who are made already.
  session->listen(communicator.get());
  // If other ranks are connected already, they wait for this one.
  Status connected;
  try {
    connected = communicator->connect();
  } catch (...) {
    communicator->tell_failed(Status::no_memory());
    throw;
  }
  if (connected.code() == RONDO_OUT_OF_MEMORY) communicator->tell_failed(connected);
  RONDO_TRY(connected);
  *made = std::move(communicator);
  return {};
}

Status Communicator::connect() {
  std::unique_ptr<Transport> transport;
  const Status connected = make_transport(
      device_, session_, options_, [this] { return incomplete(); }, &transport);
  // If a rank is lost, the library may be the first to notice, and cannot say so.
  for (int i = 0; i < 50 && connected.code() == RONDO_DEVICE_ERROR; ++i) {
    RONDO_TRY(check());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  RONDO_TRY(connected);
  // Ranks of which it is not known where they are have the group 0.
  if (!device_.is_host() && group() != 0)
    gate_.emplace(engine_.get(), group(), [this] {
      const std::lock_guard lock(mutex_);
      return all_done(flights_);
    });
  Status failure;
  {
    std::lock_guard lock(mutex_);
    transport_ = std::move(transport);
    failure = failure_;
  }
  if (!failure.ok()) {
    transport_->refuse(failure);
    if (gate_) gate_->leave();
  }
  const Layout one = Layout::row_major(0, nullptr);
  token_ = make_temporary(*engine_, device_, RONDO_U8, one, &token_storage_);
  watch(*this);
  return {};
}

Status Communicator::fill_token() {
  return ops::fill(token_, ops::Scalar::of(0));
}

Status Communicator::fill_tokens(std::span<const Ref<Communicator>> all) {
  for (const Ref<Communicator>& each : all)
    if (each) RONDO_TRY(each->fill_token());
  return {};
}

Status Communicator::create_all(Engine& engine, std::span<Device* const> devices, const Options& options,
                                std::vector<Ref<Communicator>>* made) {
  RONDO_TRY(refuse_here("making communicators"));
  std::vector<std::shared_ptr<Session>> sessions =
      make_local_group(static_cast<int>(devices.size()), options.time_limit_ms);
  std::vector<Ref<Communicator>> all(devices.size());
  {
    std::optional<cuda::GateClosed> closed;
    if (devices.size() > 1 && !devices[0]->is_host()) closed.emplace();
    RONDO_TRY(on_threads(
        devices.size(), [&](size_t i) { return make(engine, *devices[i], std::move(sessions[i]), options, &all[i]); }));
  }
  RONDO_TRY(fill_tokens(all));
  *made = std::move(all);
  return {};
}

Status Communicator::split(std::span<Communicator* const> ends, const int32_t* colours, const int32_t* keys,
                           std::vector<Ref<Communicator>>* made) {
  RONDO_TRY(refuse_here("splitting a communicator"));
  std::vector<Ref<Communicator>> all(ends.size());
  std::optional<cuda::GateClosed> closed;
  if (all_here(ends)) closed.emplace();
  RONDO_TRY(on_threads(ends.size(), [&](size_t i) -> Status {
    Communicator& end = *ends[i];
    const NoMemory without(end);
    RONDO_TRY(end.check());
    const int32_t colour = colours[i];
    const int32_t key = keys ? keys[i] : 0;
    std::vector<std::string> choices;
    RONDO_TRY(end.session_->all_gather("split", format("%d %d", colour, key), &choices));
    std::vector<std::tuple<int, int>> members;  // key, rank
    for (size_t rank = 0; rank < choices.size(); ++rank) {
      int other_colour = 0;
      int other_key = 0;
      std::string_view rest = choices[rank];
      if (!take_number(&rest, INT_MIN, INT_MAX, &other_colour) || !take_number(&rest, INT_MIN, INT_MAX, &other_key))
        return error(RONDO_INTERNAL, "rank %zu says '%.200s' of its part in a split", rank, choices[rank].c_str());
      if (other_colour == colour) members.emplace_back(other_key, static_cast<int>(rank));
    }
    const int64_t number = end.groups_.fetch_add(1);
    if (colour < 0) return {};
    std::sort(members.begin(), members.end());
    std::vector<int> ranks;
    for (const auto& [other_key, rank] : members) ranks.push_back(rank);
    std::shared_ptr<Session> session;
    RONDO_TRY(end.session_->subgroup(ranks, format("split %lld colour %d", static_cast<long long>(number), colour),
                                     &session));
    return make(end.engine(), end.device_, std::move(session), end.options_, &all[i]);
  }));
  closed.reset();
  RONDO_TRY(fill_tokens(all));
  *made = std::move(all);
  return {};
}

Status Communicator::reform(std::span<Communicator* const> ends, std::vector<Ref<Communicator>>* made) {
  RONDO_TRY(refuse_here("forming a communicator anew"));
  for (Communicator* end : ends)
    if (end->check().ok())
      return error(RONDO_INVALID_STATE, "the communicator '%s' works; rondo_comm_split makes another of it",
                   end->name());
  std::vector<Ref<Communicator>> all(ends.size());
  std::optional<cuda::GateClosed> closed;
  if (all_here(ends)) closed.emplace();
  RONDO_TRY(on_threads(ends.size(), [&](size_t i) -> Status {
    const NoMemory without(*ends[i]);
    std::vector<int> members;
    std::shared_ptr<Session> session;
    RONDO_TRY(ends[i]->session_->reform(&members, &session));
    return make(ends[i]->engine(), ends[i]->device_, std::move(session), ends[i]->options_, &all[i]);
  }));
  closed.reset();
  RONDO_TRY(fill_tokens(all));
  *made = std::move(all);
  return {};
}

// Work on the device may go on: the transport is released after it, and never waited for here.
void Communicator::dispose() {
  if (engine_->forked()) return;  // as it is: its threads do not exist here
  session_->listen(nullptr);
  if (transport_) {  // else it was never made
    unwatch(*this);
    // If there is no memory for ending it, no later call can do so.
    if (failed_.load(std::memory_order_acquire) && !caught([this] { return end(); }).ok()) transport_->abort();
  }
  if (farewell_) {
    leaving_->transport = std::move(transport_);
    leaving_->session = session_;
    if (gate_ && !failed_.load(std::memory_order_acquire))  // without memory the work that goes on is not known of
      (void)caught([&]() -> Status {
        leaving_->gate =
            std::make_unique<cuda::GateMember>(*gate_, [flights = std::move(flights_)] { return all_done(flights); });
        return {};
      });
    engine_->run_after(engine_->fences(*chain_->order), std::move(farewell_));
  }
  delete this;
}

// --- the end ---

Status Communicator::check() const {
  if (!failed_.load(std::memory_order_acquire)) [[likely]]
    return {};
  std::lock_guard lock(mutex_);
  return failure_;
}

Status Communicator::incomplete() const {
  std::lock_guard lock(mutex_);
  return failure_.ok() ? departed_ : failure_;
}

Status Communicator::wait() {
  const Status waited = engine_->wait(*chain_->order, Awaited::uses);
  const Status failed = check();
  return failed.ok() ? waited : failed;
}

void Communicator::abort(const char* reason) {
  fail(error(RONDO_RANK_LOST, "communicator '%s' was aborted by rank %d: %s", name(), rank(), reason), true);
  tell_the_others();
}

void Communicator::fail(const Status& cause, bool tell) {
  Transport* transport = nullptr;  // null while it is being made
  {
    std::lock_guard lock(mutex_);
    if (!failure_.ok()) return;
    failure_ = cause;
    tell_ = tell;
    failed_.store(true, std::memory_order_release);
    transport = transport_.get();
  }
  if (transport) transport->refuse(cause);
  if (transport && gate_) gate_->leave();
  wake_watch();
}

Status Communicator::end() {
  if (ended_) return {};
  Status cause;
  {
    std::lock_guard lock(mutex_);
    cause = failure_;
  }
  finish_flights();
  if (unfinished_) engine_->write_off(*unfinished_->stream, unfinished_->before, cause);
  ended_ = true;
  log(RONDO_LOG_ERROR, "communicator '%s', rank %d: %s", name(), rank(), cause.message());
  transport_->abort();
  tell_the_others();
  return {};
}

void Communicator::tell_the_others() noexcept {
  Status cause;
  {
    std::lock_guard lock(mutex_);
    if (!tell_) return;
    tell_ = false;
    cause = failure_;
  }
  tell_failed(cause);
}

void Communicator::tell_failed(const Status& cause) noexcept {
  const auto say = [&](const char* text) {
    return caught([&]() -> Status {
      session_->tell(format("failed %d %s", static_cast<int>(cause.code()), text));
      return {};
    });
  };
  if (!say(cause.message()).ok()) (void)say("");  // which is short enough to need no memory here
}

// Keeps the first of them that is not done.
void Communicator::finish_flights() {
  (void)caught([this]() -> Status {
    wait_for_flights();
    return {};
  });
  std::lock_guard lock(mutex_);
  const auto first = std::find_if_not(flights_.begin(), flights_.end(), [](const Flight& each) { return each.done(); });
  if (first != flights_.end()) unfinished_ = std::move(*first);
  flights_.clear();
}

void Communicator::wait_for_flights() {
  std::deque<Flight> flights;
  {
    std::lock_guard lock(mutex_);
    flights = flights_;
  }
  // Collectives that are known to be done keep their results, so a lock that another thread has for a moment is waited
  // for. For a while only: the device may be loading a kernel, for which it waits for what is to be ended here.
  const auto looks_done = [engine = engine_, flights] {
    // One that is just being issued is counted by its stream when that is over, which refuse() sees to.
    const Clock::time_point begun = Clock::now();
    for (const Flight& flight : flights)
      while (flight.stream && flight.stream->issued() < flight.sequence && Clock::now() - begun < kDriverTimeout)
        std::this_thread::yield();
    return std::all_of(flights.begin(), flights.end(), [](const Flight& flight) {
      return !flight.stream || flight.stream->poll_waiting(flight.sequence);
    });
  };
  (void)within<bool>(kDriverTimeout, looks_done);
}

void Communicator::received(int rank, std::string text) {
  const Status heard = caught([&]() -> Status {
    hear(rank, text);
    return {};
  });
  if (!heard.ok()) fail(heard, true);
}

void Communicator::hear(int rank, const std::string& text) {
  if (text.starts_with("step ")) {
    Status difference;
    {
      std::lock_guard lock(mutex_);
      if (order_check_) difference = order_check_->note(rank, text.substr(5));
    }
    if (!difference.ok()) fail(difference, true);
  } else if (text.starts_with("failed ")) {
    std::string_view rest(text);
    rest.remove_prefix(7);
    int code = 0;
    (void)take_number(&rest, 0, INT_MAX, &code);  // a failure all the same
    fail(failure_of(static_cast<uint64_t>(code), rest).with_context(format("rank %d", rank)), false);
  }
}

void Communicator::left(int rank) noexcept {
  std::lock_guard lock(mutex_);
  if (departed_.ok()) departed_ = error(RONDO_RANK_LOST, "rank %d has left communicator '%s'", rank, name());
}

void Communicator::lost(int rank, const Status& cause) noexcept {
  fail(error(cause.code(), "communicator '%s', rank %d: %s", name(), rank, cause.message()), false);
}

// --- of its tasks ---

Status Communicator::begin(const char* what, void* native_stream, bool messages) {
  std::unique_lock lock(mutex_);
  RONDO_TRY(failure_);
  RONDO_TRY(departed_);
  if (!native_stream) return {};
  Flight flight{what, nullptr, 0, engine_->positions(), Clock::now()};
  for (const Fence& each : flight.before)
    if (Stream* stream = engine_->stream(each.stream); stream->native == native_stream) {
      flight.stream = stream;
      flight.sequence = each.sequence + 1;
    }
  flights_.push_back(std::move(flight));
  lock.unlock();
  if (!gate_) return {};
  gate_->begin(messages);  // it looks at the flights
  lock.lock();
  if (!flights_.empty() && flights_.back().what == what) flights_.back().since = Clock::now();
  return {};
}

void Communicator::issued(bool messages) noexcept {
  if (gate_) gate_->issued(messages);
}

bool Communicator::all_done(const std::deque<Flight>& flights) {
  return std::all_of(flights.begin(), flights.end(), [](const Flight& each) { return each.done(); });
}

void Communicator::missed(const char* what, const Status& cause) {
  fail(error(RONDO_RANK_LOST, "rank %d of communicator '%s' cannot take part in %s: %s", rank(), name(), what,
             cause.message()),
       true);
}

void Communicator::look() noexcept {
  // An end that finds no memory is tried again in the next round.
  const Status looked =
      caught([this] { return failed_.load(std::memory_order_acquire) ? end() : look_at_the_oldest(); });
  if (!looked.ok()) fail(looked, true);
}

Status Communicator::look_at_the_oldest() {
  RONDO_TRY(transport_->poll());
  if (options_.time_limit_ms < 0) return {};
  const char* what = nullptr;
  Stream* stream = nullptr;
  uint64_t sequence = 0;
  Clock::time_point since;
  {
    std::lock_guard lock(mutex_);
    if (flights_.empty()) return {};
    const Flight& oldest = flights_.front();
    if (oldest.done()) return {};
    what = oldest.what;
    stream = oldest.stream;
    sequence = oldest.sequence;
    since = oldest.since;
  }
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - since).count();
  if (taken <= options_.time_limit_ms) return {};
  // It may be done and just not noticed.
  const std::optional<bool> done = within<bool>(kDriverTimeout, [engine = engine_, stream, sequence] {
    stream->mark(sequence);
    for (int i = 0; i < 10 && !stream->poll(sequence); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return stream->poll(sequence);
  });
  if (done.value_or(false)) return {};
  return error(RONDO_TIMED_OUT, "%s of communicator '%s' is not done on rank %d after %lld ms", what, name(), rank(),
               static_cast<long long>(taken));
}

// If there is no memory for it, the next round asks again.
void Communicator::ask() noexcept {
  (void)caught([this]() -> Status {
    ask_the_device();
    return {};
  });
}

void Communicator::ask_the_device() {
  for (;;) {
    Stream* stream = nullptr;
    uint64_t sequence = 0;
    uint64_t latest = 0;
    {
      std::lock_guard lock(mutex_);
      while (!flights_.empty() && flights_.front().done()) flights_.pop_front();
      if (flights_.empty()) return;
      stream = flights_.front().stream;
      sequence = flights_.front().sequence;
      latest = flights_.back().sequence;
    }
    if (!stream->poll(sequence)) return stream->mark(latest);
    if (stream->completed() < sequence) return;  // a lost device
  }
}

}  // namespace rondo::comm
