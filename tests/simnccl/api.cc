// Entry points of the simulated library. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>

#include "library.h"
#include "numbers.h"

namespace simnccl {
namespace {

// What a thread has put in its group.
struct Group {
  int depth = 0;
  struct Call {
    CommRef comm;
    Operation operation;
    CUstream stream;
  };
  std::vector<Call> calls;
  ncclResult_t failure = ncclSuccess;
};
thread_local Group t_group;

#define SIM_ENTER(name) \
  if (const ncclResult_t refused = ::simnccl::enter(#name)) return refused

// A communicator that can be used now; marks a call on it as under way.
class Use {
 public:
  explicit Use(ncclComm_t handle) : comm_(find_comm(handle)) {
    if (comm_ != nullptr && comm_->in_call.fetch_add(1) > 0)
      report("two threads are in calls on one communicator at once");
  }
  ~Use() {
    if (comm_ != nullptr) --comm_->in_call;
  }
  const CommRef& comm() const { return comm_; }
  ncclResult_t check(const char* what) const {
    if (comm_ == nullptr) {
      report(std::string(what) + " on what is no communicator");
      return ncclInvalidArgument;
    }
    if (comm_->aborted) return fail(comm_.get(), ncclInvalidUsage, "the communicator was aborted");
    const int state = comm_->state;
    if (state == ncclInProgress) {
      report(std::string(what) + " on a communicator whose last call is still in progress");
      return fail(comm_.get(), ncclInvalidUsage, "the last call is still in progress");
    }
    return state;
  }

 private:
  CommRef comm_;
};

bool capturing_thread_refuses(const Comm& comm) {
  int device = -1;
  const DriverCalls* driver = driver_calls();
  if (driver == nullptr || driver->current_device(&device) != 0) return true;
  if (device != comm.device)
    report("a call on a communicator of device " + std::to_string(comm.device) + " with device " +
           std::to_string(device) + " current");
  return false;
}

ncclResult_t check_operation(const Comm& comm, const Operation& each) {
  const bool reduces = each.kind == Kind::all_reduce || each.kind == Kind::reduce || each.kind == Kind::reduce_scatter;
  const std::size_t width = element_bytes(each.dtype);
  if (width == 0 || (each.dtype == ncclBfloat16 && kVersion < 21000)) return ncclInvalidArgument;
  if (reduces && (each.op < 0 || each.op > (kVersion < 21000 ? ncclMin : ncclAvg))) return ncclInvalidArgument;
  if (each.root < 0 || each.root >= comm.ranks) return ncclInvalidArgument;
  const bool needs_input = each.kind != Kind::receive && !(each.kind == Kind::broadcast && comm.rank != each.root);
  const bool needs_output = each.kind != Kind::send && !(each.kind == Kind::reduce && comm.rank != each.root);
  if (each.count > 0 && ((needs_input && each.input == nullptr) || (needs_output && each.output == nullptr)))
    return ncclInvalidArgument;
  if ((needs_input && reinterpret_cast<std::uintptr_t>(each.input) % width != 0) ||
      (needs_output && reinterpret_cast<std::uintptr_t>(each.output) % width != 0))
    return ncclInvalidArgument;
  return ncclSuccess;
}

// The outermost end: one piece of work for each communicator and stream.
ncclResult_t launch(Group group) {
  std::map<std::pair<Comm*, CUstream>, std::pair<CommRef, std::vector<Operation>>> pieces;
  for (Group::Call& call : group.calls) {
    auto& piece = pieces[{call.comm.get(), call.stream}];
    piece.first = call.comm;
    piece.second.push_back(call.operation);
  }
  ncclResult_t result = ncclSuccess;
  for (auto& [key, piece] : pieces) {
    auto put = [comm = piece.first, operations = std::move(piece.second), stream = key.second,
                since = Clock::now()]() -> bool {
      if (comm->aborted) return true;
      if (!connect(*comm, operations)) {
        if (Clock::now() - since < hang_limit()) return false;
        report("rank " + std::to_string(comm->rank) + " hangs: not all ranks have come to their first " +
               kind_name(operations[0].kind));
        comm->state = ncclInternalError;
        return true;
      }
      comm->state = enqueue(comm, operations, stream);
      return true;
    };
    Comm& comm = *key.first;
    comm.state = ncclInProgress;
    if (!comm.blocking) {
      // A thread of the library's does it.
      carry_on([put, when = soon()] { return Clock::now() >= when && put(); });
      result = ncclInProgress;
      continue;
    }
    while (!put()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (comm.state != ncclSuccess) result = comm.state;
    if (comm.aborted) result = ncclInternalError;
    // Only errors of the device stay.
    if (comm.state == ncclInvalidArgument) comm.state = ncclSuccess;
  }
  return result;
}

ncclResult_t add(const char* what, ncclComm_t handle, const Operation& operation, CUstream stream) {
  const Use use(handle);
  ncclResult_t result = use.check(what);
  if (result == ncclSuccess) result = check_operation(*use.comm(), operation);
  if (result == ncclSuccess && capturing_thread_refuses(*use.comm())) result = ncclUnhandledCudaError;
  if (result != ncclSuccess) {
    if (t_group.depth > 0 && t_group.failure == ncclSuccess) t_group.failure = result;
    return result;
  }
  t_group.calls.push_back({use.comm(), operation, stream});
  if (t_group.depth > 0) return ncclSuccess;
  return launch(std::exchange(t_group, {}));
}

ncclResult_t init(ncclComm_t* handle, int ranks, const ncclUniqueId& id, int rank, const ncclConfig_t& config) {
  if (handle == nullptr || ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  if (ranks > kRanks) return ncclInvalidUsage;
  const DriverCalls* driver = driver_calls();
  int device = -1;
  if (driver == nullptr || driver->current_device(&device) != 0) return ncclUnhandledCudaError;
  auto comm = std::make_shared<Comm>();
  comm->rank = rank;
  comm->ranks = ranks;
  comm->device = device;
  comm->blocking = config.blocking != 0;
  comm->ordered_by_caller = config.graphStreamOrdering == 0;
  comm->shared = open_meeting(id.internal);
  if (comm->shared == nullptr) return ncclSystemError;
  Shared& shared = *comm->shared;
  std::int32_t known = 0;
  if (!shared.ranks.compare_exchange_strong(known, ranks) && known != ranks) {
    report("rank " + std::to_string(rank) + " joins a communicator of " + std::to_string(ranks) +
           " ranks, others one of " + std::to_string(known));
    return ncclInvalidUsage;
  }
  std::int32_t nobody = 0;
  if (!shared.joined[rank].compare_exchange_strong(nobody, getpid())) {
    report("rank " + std::to_string(rank) + " joins twice");
    return ncclInvalidUsage;
  }
  *handle = add_comm(comm);
  auto all_here = [comm] {
    bool all = true;
    for (int r = 0; r < comm->ranks; ++r) all = all && comm->shared->joined[r] != 0;
    return all;
  };
  comm->state = ncclInProgress;
  if (!comm->blocking) {
    carry_on([comm, all_here, when = soon()] {
      if (comm->aborted) return true;
      if (Clock::now() < when || !all_here()) return false;
      comm->state = ncclSuccess;
      return true;
    });
    return ncclInProgress;
  }
  while (!all_here()) std::this_thread::sleep_for(std::chrono::microseconds(200));
  comm->state = ncclSuccess;
  return ncclSuccess;
}

// Whether a rank that lives has not taken yet what this one has published.
bool someone_reads(const Comm& comm) {
  const Shared& shared = *comm.shared;
  for (int r = 0; r < comm.ranks; ++r)
    if (shared.finished[r] < comm.steps && kill(shared.joined[r], 0) == 0) return true;
  return false;
}

// Both ends wait, as NCCL does, until no graph holds work of the communicator.
ncclResult_t end(ncclComm_t handle, bool aborted) {
  const CommRef comm = find_comm(handle);
  if (comm == nullptr) {
    report(std::string(aborted ? "abort" : "destroy") + " of what is no communicator");
    return ncclInvalidArgument;
  }
  if (aborted) comm->aborted = true;
  const Clock::time_point since = Clock::now();
  bool told = false;
  for (;;) {
    bool running = false;
    {
      std::lock_guard lock(comm->mutex);
      running = comm->running > 0;
    }
    if (comm->graph_references == 0 && !running) break;
    if (!told && Clock::now() - since > hang_limit()) {
      told = true;
      report(std::string(aborted ? "abort" : "destroy") +
             " of a communicator hangs: " + (running ? "work of it is on the device" : "graphs hold work of it"));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (remove_comm(handle) == nullptr) report("a communicator is destroyed twice");
  // What real ranks have sent is with the others by then; here they may still have to come for it.
  while (!aborted && someone_reads(*comm) && Clock::now() - since < std::chrono::seconds(2))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  for (const int file : comm->files)
    if (file >= 0) close(file);
  for (const int file : comm->message_files)
    if (file >= 0) close(file);
  return ncclSuccess;
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  SIM_ENTER(ncclGetVersion);
  if (version == nullptr) return ncclInvalidArgument;
  *version = kVersion;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  SIM_ENTER(ncclGetUniqueId);
  if (id == nullptr) return ncclInvalidArgument;
  return make_meeting(id->internal) ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  SIM_ENTER(ncclCommInitRank);
  return init(comm, ranks, id, rank, {});
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* given) {
  SIM_ENTER(ncclCommInitRankConfig);
  ncclConfig_t config;
  if (given != nullptr) {
    if (given->size < 20 || given->magic != config.magic) {
      report("a config without its size or magic");
      return ncclInvalidArgument;
    }
    // What the simulated version knows; what it does not is its default.
    const std::size_t known = kVersion < 21700 ? 20 : kVersion < 22700 ? 48 : kVersion < 22900 ? 80 : sizeof config;
    std::memcpy(&config, given, std::min(known, given->size));
    if (config.blocking != INT_MIN && (config.blocking < 0 || config.blocking > 1)) return ncclInvalidArgument;
    if (config.maxCTAs != INT_MIN && config.maxCTAs < 1) return ncclInvalidArgument;
    if (config.graphUsageMode != INT_MIN && (config.graphUsageMode < 0 || config.graphUsageMode > 2))
      return ncclInvalidArgument;
    // Ordering by the caller and mixing do not go together.
    if (config.graphStreamOrdering == 0 && config.graphUsageMode == 2) report("graphStreamOrdering 0 with mixing");
  }
  return init(comm, ranks, id, rank, config);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  SIM_ENTER(ncclCommDestroy);
  return end(comm, false);
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  SIM_ENTER(ncclCommAbort);
  return end(comm, true);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* result) {
  SIM_ENTER(ncclCommGetAsyncError);
  const CommRef comm = find_comm(handle);
  if (comm == nullptr || result == nullptr) {
    report("ncclCommGetAsyncError of what is no communicator");
    return ncclInvalidArgument;
  }
  *result = comm->state;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  static const char* const texts[] = {"no error",
                                      "unhandled cuda error",
                                      "unhandled system error",
                                      "internal error",
                                      "invalid argument",
                                      "invalid usage",
                                      "remote process exited or there was a network error",
                                      "in progress"};
  return result >= 0 && result <= ncclInProgress ? texts[result] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t handle) {
  thread_local std::string text;
  const CommRef comm = find_comm(handle);
  if (comm == nullptr) return "";
  std::lock_guard lock(comm->mutex);
  text = comm->last_error;
  return text.c_str();
}

ncclResult_t ncclGroupStart() {
  SIM_ENTER(ncclGroupStart);
  ++t_group.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (t_group.depth == 0) {
    report("ncclGroupEnd without ncclGroupStart");
    return ncclInvalidUsage;
  }
  const bool outermost = --t_group.depth == 0;
  // The group is over whatever comes of it.
  Group group = outermost ? std::exchange(t_group, {}) : Group();
  SIM_ENTER(ncclGroupEnd);
  if (!outermost) return ncclSuccess;
  return group.failure != ncclSuccess ? group.failure : launch(std::move(group));
}

ncclResult_t ncclAllReduce(const void* input, void* output, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
                           ncclComm_t comm, CUstream stream) {
  SIM_ENTER(ncclAllReduce);
  return add("ncclAllReduce", comm, {Kind::all_reduce, input, output, count, dtype, op, 0}, stream);
}

ncclResult_t ncclBroadcast(const void* input, void* output, size_t count, ncclDataType_t dtype, int root,
                           ncclComm_t comm, CUstream stream) {
  SIM_ENTER(ncclBroadcast);
  return add("ncclBroadcast", comm, {Kind::broadcast, input, output, count, dtype, 0, root}, stream);
}

ncclResult_t ncclReduce(const void* input, void* output, size_t count, ncclDataType_t dtype, ncclRedOp_t op, int root,
                        ncclComm_t comm, CUstream stream) {
  SIM_ENTER(ncclReduce);
  return add("ncclReduce", comm, {Kind::reduce, input, output, count, dtype, op, root}, stream);
}

ncclResult_t ncclAllGather(const void* input, void* output, size_t count, ncclDataType_t dtype, ncclComm_t comm,
                           CUstream stream) {
  SIM_ENTER(ncclAllGather);
  return add("ncclAllGather", comm, {Kind::all_gather, input, output, count, dtype, 0, 0}, stream);
}

ncclResult_t ncclReduceScatter(const void* input, void* output, size_t count, ncclDataType_t dtype, ncclRedOp_t op,
                               ncclComm_t comm, CUstream stream) {
  SIM_ENTER(ncclReduceScatter);
  return add("ncclReduceScatter", comm, {Kind::reduce_scatter, input, output, count, dtype, op, 0}, stream);
}

ncclResult_t ncclSend(const void* input, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm,
                      CUstream stream) {
  SIM_ENTER(ncclSend);
  return add("ncclSend", comm, {Kind::send, input, nullptr, count, dtype, 0, peer}, stream);
}

ncclResult_t ncclRecv(void* output, size_t count, ncclDataType_t dtype, int peer, ncclComm_t comm, CUstream stream) {
  SIM_ENTER(ncclRecv);
  return add("ncclRecv", comm, {Kind::receive, nullptr, output, count, dtype, 0, peer}, stream);
}

// Answers -1 to what it does not understand. README.md lists the commands.
__attribute__((visibility("default"))) long long simnccl_control(const char* command, const char* argument) {
  const std::string what = command, text = argument == nullptr ? "" : argument;
  if (what == "fault") return parse_faults(text) ? 0 : -1;
  if (what == "clear-faults") return clear_faults(), 0;
  if (what == "calls") return calls_of(text);
  if (what == "error") {
    int code = 0, count = 0;
    if (std::sscanf(text.c_str(), "%d %d", &code, &count) != 2) return -1;
    break_newest(code, count);
    return 0;
  }
  if (what == "live") return static_cast<long long>(live_comms());
  return -1;
}

}  // extern "C"
}  // namespace simnccl
