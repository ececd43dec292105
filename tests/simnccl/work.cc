// Collectives on the device: published when their turn comes, done when every rank's is there.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "library.h"
#include "numbers.h"

namespace simnccl {
namespace {

// One piece of work: the operations of a group. A graph's node is one too, and runs once for each launch.
struct Work {
  CommRef comm;
  std::vector<Operation> operations;
  bool captured = false;
};

bool is_message(Kind kind) {
  return kind == Kind::send || kind == Kind::receive;
}

std::size_t bytes_of(const Operation& each) {
  return each.count * element_bytes(each.dtype);
}

// What a rank gives to the others, and how much it gets: what it does not get, it does not write. So the root of a
// broadcast in place only reads, as the real library has it, and others may read the same memory meanwhile.
std::size_t given_bytes(const Comm& comm, const Operation& each) {
  switch (each.kind) {
    case Kind::broadcast: return comm.rank == each.root ? bytes_of(each) : 0;
    case Kind::reduce_scatter: return bytes_of(each) * static_cast<std::size_t>(comm.ranks);
    case Kind::receive: return 0;
    default: return bytes_of(each);
  }
}
std::size_t got_bytes(const Comm& comm, const Operation& each) {
  switch (each.kind) {
    case Kind::broadcast: return comm.rank == each.root && each.output == each.input ? 0 : bytes_of(each);
    case Kind::reduce: return comm.rank == each.root ? bytes_of(each) : 0;
    case Kind::all_gather: return bytes_of(each) * static_cast<std::size_t>(comm.ranks);
    case Kind::send: return 0;
    default: return bytes_of(each);
  }
}

// One run of it.
class Run {
 public:
  Run(const Work& work, void* token)
      : comm_(work.comm),
        operations_(work.operations),
        captured_(work.captured),
        token_(token),
        parts_(work.operations.size()),
        begin_(soon()),
        end_(Clock::time_point::max()) {}

  // Whether it is over; the end has been told then.
  bool step() {
    if (Clock::now() < begin_) return false;
    if (!begun_) begin();
    bool all = true;
    if (!comm_->aborted && !broken_)
      for (std::size_t i = 0; i < operations_.size() && !broken_; ++i) all = advance(i) && all;
    if (comm_->aborted || broken_) {
      spoil();
      return finish();
    }
    if (!all) {
      if (Clock::now() - begin_ > hang_limit()) hang();
      return false;
    }
    if (end_ == Clock::time_point::max()) end_ = soon();
    return Clock::now() < end_ ? false : finish();
  }

 private:
  struct Part {
    bool published = false, done = false;
    std::uint64_t number = 0;
  };

  void begin() {
    begun_ = true;
    std::lock_guard lock(comm_->mutex);
    if (comm_->running++ > 0)
      report("two pieces of work of one communicator are on the device at once, with no order between them");
    for (const Operation& each : operations_) {
      comm_->history.push_back(std::string(kind_name(each.kind)) + " of " + std::to_string(each.count));
      if (comm_->history.size() > 16) comm_->history.pop_front();
    }
  }

  bool finish() {
    {
      std::lock_guard lock(comm_->mutex);
      --comm_->running;
    }
    driver_calls()->done(token_);
    return true;
  }

  // What an aborted kernel leaves: nobody can know.
  void spoil() {
    for (const Operation& each : operations_)
      if (const std::size_t bytes = got_bytes(*comm_, each)) std::memset(each.output, 0xdb, bytes);
  }

  void hang() {
    std::string text = "rank " + std::to_string(comm_->rank) + " of " + std::to_string(comm_->ranks) + " hangs in";
    {
      std::lock_guard lock(comm_->mutex);
      for (const std::string& each : comm_->history) text += " | " + each;
    }
    report(text);
    comm_->state = ncclInternalError;
    broken_ = true;
  }

  void mismatch(int other, const Entry& mine, const Entry& theirs) {
    report("rank " + std::to_string(comm_->rank) + " does " + entry_text(mine) + " while rank " +
           std::to_string(other) + " does " + entry_text(theirs));
    comm_->state = ncclInternalError;
    broken_ = true;
  }

  void describe(const Operation& each, Entry* entry) const {
    entry->kind = each.kind;
    entry->dtype = each.dtype;
    entry->op = each.op;
    entry->root = each.root;
    entry->captured = captured_ ? 1 : 0;
    entry->count = each.count;
  }

  bool advance(std::size_t i) {
    if (parts_[i].done) return true;
    const Operation& each = operations_[i];
    if (each.kind == Kind::send) return send(each, parts_[i]);
    if (each.kind == Kind::receive) return receive(each, parts_[i]);
    // In their order.
    for (std::size_t before = 0; before < i; ++before)
      if (!is_message(operations_[before].kind) && !parts_[before].done) return false;
    return collect(each, parts_[i]);
  }

  bool collect(const Operation& each, Part& part) {
    Comm& comm = *comm_;
    Shared& shared = *comm.shared;
    Lane& own = shared.steps[comm.rank];
    if (!part.published) {
      const std::uint64_t number = comm.steps;
      for (int r = 0; r < comm.ranks; ++r)
        if (shared.finished[r] + kSlots <= number) return false;  // somebody has not read what is in the slot
      Entry& entry = own.slots[number % kSlots];
      describe(each, &entry);
      store(entry, each.input, given_bytes(comm, each), &comm.files[number % kSlots]);
      part.number = number;
      part.published = true;
      comm.steps = number + 1;
      own.published.store(number + 1, std::memory_order_release);
    }
    for (int r = 0; r < comm.ranks; ++r)
      if (shared.steps[r].published.load(std::memory_order_acquire) <= part.number) return false;
    const std::size_t slot = part.number % kSlots;
    const Entry& mine = own.slots[slot];
    for (int r = 0; r < comm.ranks; ++r) {
      const Entry& theirs = shared.steps[r].slots[slot];
      const bool same = theirs.kind == mine.kind && theirs.dtype == mine.dtype && theirs.op == mine.op &&
                        theirs.root == mine.root && theirs.count == mine.count && theirs.captured == mine.captured;
      if (!same) {
        mismatch(r, mine, theirs);
        return false;
      }
    }
    if (!compute(each, slot)) return false;  // somebody died with its data: that looks like a hang
    shared.finished[comm.rank].store(part.number + 1, std::memory_order_release);
    return part.done = true;
  }

  bool compute(const Operation& each, std::size_t slot) {
    const Comm& comm = *comm_;
    const std::size_t bytes = bytes_of(each);
    auto entry = [&](int r) -> const Entry& { return comm.shared->steps[r].slots[slot]; };
    switch (each.kind) {
      case Kind::broadcast: return load(entry(each.root), each.output, 0, got_bytes(comm, each));
      case Kind::all_gather: {
        for (int r = 0; r < comm.ranks; ++r)
          if (!load(entry(r), static_cast<char*>(each.output) + static_cast<std::size_t>(r) * bytes, 0, bytes))
            return false;
        return true;
      }
      case Kind::reduce:
        if (comm.rank != each.root) return true;
        break;
      default: break;
    }
    const std::size_t from = each.kind == Kind::reduce_scatter ? static_cast<std::size_t>(comm.rank) * bytes : 0;
    std::vector<std::vector<char>> data(static_cast<std::size_t>(comm.ranks));
    std::vector<const void*> inputs;
    for (int r = 0; r < comm.ranks; ++r) {
      std::vector<char>& each_data = data[static_cast<std::size_t>(r)];
      each_data.resize(bytes + 1);
      if (!load(entry(r), each_data.data(), from, bytes)) return false;
      inputs.push_back(each_data.data());
    }
    reduce(each.dtype, each.op, inputs, each.output, each.count);
    return true;
  }

  bool send(const Operation& each, Part& part) {
    Comm& comm = *comm_;
    const int to = each.root;
    Lane& lane = comm.shared->messages[comm.rank][to];
    const std::atomic<std::uint64_t>& taken = comm.shared->taken[comm.rank][to];
    if (!part.published) {
      const std::uint64_t number = comm.sent[to];
      if (taken + kSlots <= number) return false;
      Entry& entry = lane.slots[number % kSlots];
      describe(each, &entry);
      store(entry, each.input, bytes_of(each),
            &comm.message_files[static_cast<std::size_t>(to) * kSlots + number % kSlots]);
      part.number = number;
      part.published = true;
      comm.sent[to] = number + 1;
      lane.published.store(number + 1, std::memory_order_release);
    }
    return part.done = taken.load(std::memory_order_acquire) > part.number;
  }

  bool receive(const Operation& each, Part& part) {
    Comm& comm = *comm_;
    const int from = each.root;
    Lane& lane = comm.shared->messages[from][comm.rank];
    if (!part.published) {
      // Messages of one pair meet in their order.
      part.number = comm.received[from]++;
      part.published = true;
    }
    if (lane.published.load(std::memory_order_acquire) <= part.number) return false;
    const Entry& entry = lane.slots[part.number % kSlots];
    if (entry.count != each.count || entry.dtype != each.dtype) {
      Entry mine{};
      describe(each, &mine);
      mismatch(from, mine, entry);
      return false;
    }
    if (!load(entry, each.output, 0, bytes_of(each))) return false;
    comm.shared->taken[from][comm.rank].store(part.number + 1, std::memory_order_release);
    return part.done = true;
  }

  const CommRef comm_;
  const std::vector<Operation> operations_;
  const bool captured_;
  void* const token_;
  std::vector<Part> parts_;
  const Clock::time_point begin_;
  Clock::time_point end_;
  bool begun_ = false, broken_ = false;
};

void start(void* argument, void* token) {
  auto run = std::make_shared<Run>(*static_cast<const Work*>(argument), token);
  carry_on([run] { return run->step(); });
}

void drop(void* argument) {
  const std::unique_ptr<Work> work(static_cast<Work*>(argument));
  if (work->captured) --work->comm->graph_references;
}

}  // namespace

ncclResult_t enqueue(const CommRef& comm, std::vector<Operation> operations, CUstream stream) {
  const DriverCalls& driver = *driver_calls();
  int capturing = 0;
  if (driver.stream(stream, &capturing) != comm->device)
    return fail(comm.get(), ncclInvalidArgument, "the stream is not one of the communicator's device");
  std::vector<SimcudaSpan> spans;
  for (const Operation& each : operations) {
    if (const std::size_t bytes = given_bytes(*comm, each))
      spans.push_back({reinterpret_cast<unsigned long long>(each.input), bytes, 0});
    if (const std::size_t bytes = got_bytes(*comm, each))
      spans.push_back({reinterpret_cast<unsigned long long>(each.output), bytes, 1});
  }
  auto work = std::make_unique<Work>(Work{comm, std::move(operations), capturing != 0});
  const SimcudaForeign foreign{"nccl", start, drop, work.get(), spans.data(), spans.size(), 1};
  if (work->captured) ++comm->graph_references;
  if (const int error = driver.enqueue(stream, &foreign)) {
    if (work->captured) --comm->graph_references;
    return fail(comm.get(), ncclUnhandledCudaError, "the driver refuses work with " + std::to_string(error));
  }
  (void)work.release();  // drop() has it now
  return ncclSuccess;
}

bool connect(Comm& comm, const std::vector<Operation>& operations) {
  if (kVersion < 22200) return true;  // connected when it was made
  bool all = true;
  for (const Operation& each : operations) {
    // Ends of messages connect in pairs, which is left out: only sends and receives that cross are in one group.
    if (is_message(each.kind)) continue;
    const auto kind = static_cast<std::size_t>(each.kind);
    if (comm.connected[kind]) continue;
    comm.shared->connecting[kind][comm.rank] = 1;
    bool here = true;
    for (int r = 0; r < comm.ranks; ++r) here = here && comm.shared->connecting[kind][r] != 0;
    comm.connected[kind] = here;
    all = all && here;
  }
  return all;
}

}  // namespace simnccl
