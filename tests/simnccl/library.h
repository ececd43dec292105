// State of the simulated library: settings, faults, communicators, work under way. One lock protects a communicator;
// the list of them has its own. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../../src/dynlib/nccl_types.h"
#include "../simcuda/libraries/foreign.h"
#include "meeting.h"

namespace simnccl {

using namespace rondo::cuda;
using Clock = std::chrono::steady_clock;

#define RONDO_FN(result, name, parameters, since) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "../../src/dynlib/nccl.def"
#undef RONDO_FN

// Each variant of the library is built with the version it claims.
extern const int kVersion;

struct Operation {
  Kind kind;
  const void* input;
  void* output;
  std::size_t count;
  int dtype, op, root;  // root: or the peer
};

struct Comm {
  ncclComm_t handle = nullptr;
  int rank = 0, ranks = 0, device = 0;
  bool blocking = true;
  bool ordered_by_caller = false;  // graphStreamOrdering 0
  std::shared_ptr<Shared> shared;

  std::atomic<int> state{ncclSuccess};  // what ncclCommGetAsyncError answers
  std::atomic<int> in_call{0};
  std::atomic<int> graph_references{0};
  std::atomic<bool> aborted{false};
  std::mutex mutex;
  std::uint64_t steps = 0;  // published so far
  std::uint64_t sent[kRanks] = {}, received[kRanks] = {};
  int running = 0;         // pieces of work on the device
  bool connected[8] = {};  // by kind
  std::vector<int> files = std::vector<int>(kSlots, -1);
  std::vector<int> message_files = std::vector<int>(kRanks * kSlots, -1);
  std::deque<std::string> history;  // what was begun last
  std::string last_error;
};
using CommRef = std::shared_ptr<Comm>;

// Handles are numbers that never come back.
ncclComm_t add_comm(const CommRef& comm);
CommRef find_comm(ncclComm_t handle);
CommRef remove_comm(ncclComm_t handle);
std::size_t live_comms();
// An error of the library's that no call has, of so many communicators: ncclCommGetAsyncError tells it.
void break_newest(int code, int count);

// The simulated driver that the process has loaded.
struct DriverCalls {
  decltype(&simcuda_foreign_enqueue) enqueue;
  decltype(&simcuda_foreign_done) done;
  decltype(&simcuda_foreign_stream) stream;
  decltype(&simcuda_foreign_report) report;
  int (*current_device)(int*);
  int (*relax)(int*);
};
const DriverCalls* driver_calls();  // null where there is none

// Says what a correct program would not have done.
void report(const std::string& text);
ncclResult_t fail(Comm* comm, ncclResult_t result, const std::string& text);

// Counts the call of an entry point, and answers for it when a fault was asked for; may end the process.
ncclResult_t enter(const char* name);
long long calls_of(const std::string& name);
bool parse_faults(const std::string& text);
void clear_faults();

// How long something may hang before it is reported and ended.
std::chrono::milliseconds hang_limit();
// A moment a little later, by the seed.
Clock::time_point soon();

// The thread that carries things on: `step` is called until it returns true.
void carry_on(std::function<bool()> step);

// Puts the operations in the stream as one piece of work.
ncclResult_t enqueue(const CommRef& comm, std::vector<Operation> operations, CUstream stream);
// Whether every rank has come to its first use of these kinds: before that nothing is put in a stream.
bool connect(Comm& comm, const std::vector<Operation>& operations);

}  // namespace simnccl
