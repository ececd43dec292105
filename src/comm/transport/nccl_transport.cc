// Makes and aborts NCCL's communicators: they are made without blocking where it can do that (2.14), so that a peer
// that never comes costs the time limit and no more; aborted by a thread of their own, because NCCL waits there until
// graphs are gone.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/nccl_transport.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/dtype.h"
#include "base/log.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "comm/rendezvous/agree.h"
#include "dynlib/nccl.h"
#include "engine/tasks/task.h"

namespace rondo::comm {

namespace {

using namespace rondo::cuda;
using Clock = std::chrono::steady_clock;

constexpr int kWithConfig = 21403, kWithBfloat16 = 21000, kWithGraphOrdering = 23005;
constexpr size_t kLarge = size_t{4} << 20;
constexpr auto kNap = std::chrono::microseconds(50);

Status nccl_error(ncclResult_t result, const char* function, ncclComm_t comm = nullptr) {
  if (is_missing_function(result)) return missing_function_error(result);
  Nccl& library = nccl();
  const char* text = library.ncclGetErrorString ? library.ncclGetErrorString(result) : nullptr;
  const char* last = comm && library.ncclGetLastError ? library.ncclGetLastError(comm) : nullptr;
  const rondo_status code = result == ncclRemoteError       ? RONDO_RANK_LOST
                            : result == ncclInvalidArgument ? RONDO_INVALID_ARGUMENT
                                                            : RONDO_DEVICE_ERROR;
  return error(code, "NCCL %s: %s failed with %d (%s)%s%s", library.version().c_str(), function, result,
               text ? text : "unknown", last && *last ? ": " : "", last && *last ? last : "");
}

bool dtype_of(rondo_dtype dtype, ncclDataType_t* result) {
  switch (dtype) {
    case RONDO_BOOL:
    case RONDO_U8: *result = ncclUint8; return true;
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2: *result = ncclUint8; return true;  // only moved
    case RONDO_I8: *result = ncclInt8; return true;
    case RONDO_I32: *result = ncclInt32; return true;
    case RONDO_I64: *result = ncclInt64; return true;
    case RONDO_I16:
    case RONDO_U16:  // has no integers of 16 bits: what is only moved goes as what has as many
    case RONDO_F16: *result = ncclFloat16; return true;
    case RONDO_BF16: *result = ncclBfloat16; return true;
    case RONDO_F32: *result = ncclFloat32; return true;
    case RONDO_F64: *result = ncclFloat64; return true;
    case RONDO_U32: *result = ncclUint32; return true;
    case RONDO_U64: *result = ncclUint64; return true;
  }
  return false;
}

ncclRedOp_t operator_of(rondo_reduce_op reduction) {
  switch (reduction) {
    case RONDO_PROD: return ncclProd;
    case RONDO_MAX: return ncclMax;
    case RONDO_MIN: return ncclMin;
    case RONDO_MEAN: return ncclAvg;
    default: return ncclSum;
  }
}

// A communicator of the library's, shared with the thread that aborts it.
struct Handle {
  std::mutex calls;  // held while a thread is in a call on it
  ncclComm_t comm = nullptr;
};

class NcclTransport final : public Transport {
 public:
  NcclTransport(StreamDevice& device, const Session& session, const Options& options)
      : device_(device),
        rank_(session.rank()),
        size_(session.size()),
        time_limit_ms_(options.time_limit_ms),
        max_blocks_(options.max_blocks),
        name_(options.name) {}

  ~NcclTransport() override {
    if (!handle_->comm || aborted_.load()) return;
    const StreamDevice::Entered entered(device_);
    const std::lock_guard calls(handle_->calls);
    const ncclResult_t result = nccl().ncclCommDestroy(handle_->comm);
    if (result != ncclSuccess && result != ncclInProgress)
      log(RONDO_LOG_WARNING, "%s", nccl_error(result, "ncclCommDestroy").message());
  }

  // Every rank of the session does it.
  Status connect(Session& session, const std::function<Status()>& lost) {
    lost_ = lost;
    const Status connected = meet(session);
    lost_ = nullptr;
    return connected;
  }

  const char* name() const override { return "nccl"; }
  int32_t version() const override { return nccl().number(); }

  Status supports(const Operation& operation) const override {
    ncclDataType_t dtype = 0;
    if (!dtype_of(operation.dtype, &dtype))
      return error(RONDO_UNSUPPORTED, "NCCL has not the dtype %d", operation.dtype);
    const bool reduces =
        operation.kind == Kind::all_reduce || operation.kind == Kind::reduce_scatter || operation.kind == Kind::reduce;
    if (reduces && (operation.dtype == RONDO_I16 || operation.dtype == RONDO_U16))
      return error(RONDO_UNSUPPORTED, "NCCL moves %s and does not reduce it: cast it to i32 first (rondo_cast)",
                   dtype_name(operation.dtype));
    if (operation.dtype == RONDO_BF16 && nccl().number() < kWithBfloat16)
      return error(RONDO_UNSUPPORTED, "NCCL %s has not bf16; 2.10 or newer has", nccl().version().c_str());
    if (operation.reduction == RONDO_MEAN && nccl().number() < kWithBfloat16)
      return error(RONDO_UNSUPPORTED, "NCCL %s has not the mean; 2.10 or newer has, or divide the sum",
                   nccl().version().c_str());
    return {};
  }

  Status run(std::span<const Operation> operations, const TaskContext& context) override {
    const StreamDevice::Entered entered(device_);
    RONDO_TRY(entered.status());
    const std::lock_guard calls(handle_->calls);
    RONDO_TRY(refused());
    RONDO_TRY(note(nccl().ncclGroupStart(), "ncclGroupStart"));
    Status status;
    for (const Operation& each : operations) {
      status = issue(each, static_cast<CUstream>(context.stream));
      if (!status.ok()) break;
    }
    // Always, or the thread would stay in the group.
    const Status ended = note(nccl().ncclGroupEnd(), "ncclGroupEnd");
    RONDO_TRY(status);
    RONDO_TRY(ended);
    return settled();
  }

  bool capturable(const char**) const override { return true; }

  Status poll() override {
    const std::unique_lock calls(handle_->calls, std::try_to_lock);
    if (!calls || refusing_.load()) return {};
    ncclResult_t state = ncclSuccess;
    RONDO_TRY(note(nccl().ncclCommGetAsyncError(handle_->comm, &state), "ncclCommGetAsyncError"));
    return state == ncclSuccess || state == ncclInProgress ? Status()
                                                           : nccl_error(state, "a collective", handle_->comm);
  }

  void refuse(const Status& cause) override {
    const std::lock_guard lock(mutex_);
    if (cause_.ok()) cause_ = cause;
    refusing_.store(true, std::memory_order_release);
  }

  void abort() override {
    if (!handle_->comm || aborted_.exchange(true)) return;
    auto work = [handle = handle_, &device = device_] {
      const StreamDevice::Entered entered(device);
      // No other thread may be in a call of it. Who is in one that does not come back is freed by the abort alone. In
      // naps: the thread sanitizer does not see std::timed_mutex's waiting against the steady clock.
      std::unique_lock calls(handle->calls, std::defer_lock);
      for (const Clock::time_point begun = Clock::now();
           !calls.try_lock() && Clock::now() - begun < std::chrono::seconds(1);)
        std::this_thread::sleep_for(kNap);
      (void)nccl().ncclCommAbort(handle->comm);
    };
    try {
      start_thread(work).detach();
    } catch (const std::exception& problem) {
      log(RONDO_LOG_ERROR, "the system starts no thread that aborts a communicator: %s", problem.what());
      work();
    }
  }

 private:
  Status meet(Session& session) {
    RONDO_TRY(nccl().open());
    const StreamDevice::Entered entered(device_);
    RONDO_TRY(entered.status());
    ncclUniqueId id = {};
    Status got;
    if (rank_ == 0)
      if (const ncclResult_t result = nccl().ncclGetUniqueId(&id); result != ncclSuccess)
        got = nccl_error(result, "ncclGetUniqueId");
    // A rank that cannot go on says so before the others wait for it inside the library.
    const std::string mine = got.ok() ? std::string(id.internal, sizeof id.internal) : got.message();
    std::vector<std::string> all;
    RONDO_TRY(session.all_gather("meeting for NCCL", mine, &all));
    RONDO_TRY(got);
    if (all[0].size() != sizeof id.internal) return error(RONDO_RANK_LOST, "rank 0: %s", all[0].c_str());
    std::memcpy(id.internal, all[0].data(), sizeof id.internal);
    RONDO_TRY(nccl().number() >= kWithConfig && nccl().ncclCommInitRankConfig ? join(id) : join_blocking(id));
    const Status warmed = warm(session);
    if (!warmed.ok()) abort();
    return warmed;
  }

  Status refused() const {
    if (!refusing_.load(std::memory_order_acquire)) return {};
    const std::lock_guard lock(mutex_);
    return cause_;
  }

  // The outcome of a call: in progress counts as well.
  Status note(ncclResult_t result, const char* function) const {
    return result == ncclSuccess || result == ncclInProgress ? Status() : nccl_error(result, function, handle_->comm);
  }

  bool late(Clock::time_point since) const {
    return time_limit_ms_ >= 0 && Clock::now() - since > std::chrono::milliseconds(time_limit_ms_);
  }

  // Until the library has finished on the host what was asked of it: its threads put work on the stream.
  Status settled() const {
    const Clock::time_point since = Clock::now();
    for (int asked = 0;; ++asked) {
      ncclResult_t state = ncclSuccess;
      RONDO_TRY(note(nccl().ncclCommGetAsyncError(handle_->comm, &state), "ncclCommGetAsyncError"));
      if (state == ncclSuccess) return {};
      if (state != ncclInProgress) return nccl_error(state, "a collective", handle_->comm);
      RONDO_TRY(refused());
      if (lost_) RONDO_TRY(lost_());
      if (late(since))
        return error(RONDO_TIMED_OUT, "communicator '%s', rank %d: NCCL has not begun a collective after %lld ms",
                     name_.c_str(), rank_, static_cast<long long>(time_limit_ms_));
      // Mostly it is a matter of microseconds.
      if (asked < 100)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kNap);
    }
  }

  Status join(const ncclUniqueId& id) {
    ncclConfig_t config;
    config.blocking = 0;
    if (max_blocks_ > 0) config.maxCTAs = max_blocks_;
    // Collectives of a device form a chain that Rondo keeps, so the library need not keep another.
    if (nccl().number() >= kWithGraphOrdering) {
      config.graphUsageMode = 1;
      config.graphStreamOrdering = 0;
    }
    RONDO_TRY(note(nccl().ncclCommInitRankConfig(&handle_->comm, size_, id, rank_, &config), "ncclCommInitRankConfig"));
    Status status = settled();
    if (status.code() == RONDO_TIMED_OUT)
      status = error(RONDO_TIMED_OUT, "communicator '%s', rank %d: not all of %d ranks have come after %lld ms",
                     name_.c_str(), rank_, size_, static_cast<long long>(time_limit_ms_));
    if (!status.ok()) abort();
    return status;
  }

  // Before 2.14 the call may block for ever, so it has a thread that may be abandoned.
  Status join_blocking(const ncclUniqueId& id) {
    struct Joining {
      std::mutex mutex;
      std::condition_variable changed;
      bool done = false;
      ncclResult_t result = ncclSuccess;
      ncclComm_t comm = nullptr;
    };
    const auto joining = std::make_shared<Joining>();
    start_thread([joining, id, size = size_, rank = rank_, &device = device_] {
      const StreamDevice::Entered entered(device);
      ncclComm_t comm = nullptr;
      const ncclResult_t result = nccl().ncclCommInitRank(&comm, size, id, rank);
      const std::lock_guard lock(joining->mutex);
      joining->comm = comm;
      joining->result = result;
      joining->done = true;
      joining->changed.notify_all();
    }).detach();
    std::unique_lock lock(joining->mutex);
    const Clock::time_point since = Clock::now();
    while (!joining->changed.wait_for(lock, std::chrono::milliseconds(20), [&] { return joining->done; })) {
      RONDO_TRY(lost_());
      if (late(since))
        return error(RONDO_TIMED_OUT, "communicator '%s', rank %d: not all of %d ranks have come after %lld ms",
                     name_.c_str(), rank_, size_, static_cast<long long>(time_limit_ms_));
    }
    if (joining->result != ncclSuccess) return nccl_error(joining->result, "ncclCommInitRank");
    handle_->comm = joining->comm;
    return {};
  }

  // Runs each kind once: from 2.22 on connections are made by the first use, which waits for the other ranks and cannot
  // be captured. All ranks have their memory first: a driver may not give any while a kernel waits for its peers.
  Status warm(Session& session) {
    const size_t parts = static_cast<size_t>(size_) * sizeof(float);
    void* stream = nullptr;
    void* done = nullptr;
    void* small = nullptr;
    void* large = nullptr;
    Status status = device_.stream_create(true, &stream);
    if (status.ok()) status = device_.event_create(false, &done);
    if (status.ok()) status = device_.allocate(2 * parts, &small);
    if (status.ok()) status = device_.allocate(kLarge, &large);
    if (status.ok()) status = device_.fill_bytes(small, 0, 2 * parts, stream);
    if (status.ok()) status = device_.fill_bytes(large, 0, kLarge, stream);
    status = agree(session, "the first collectives", status);
    const bool begun = status.ok();
    TaskContext context;
    context.device = &device_;
    context.stream = stream;
    void* const second = static_cast<char*>(small) + parts;
    const Operation uses[] = {{Kind::all_reduce, RONDO_F32, RONDO_SUM, 0, 1, small, small},
                              {Kind::all_reduce, RONDO_F32, RONDO_SUM, 0, kLarge / sizeof(float), large, large},
                              {Kind::all_gather, RONDO_F32, RONDO_SUM, 0, 1, small, second},
                              {Kind::reduce_scatter, RONDO_F32, RONDO_SUM, 0, 1, second, small},
                              {Kind::broadcast, RONDO_F32, RONDO_SUM, 0, 1, small, small},
                              {Kind::reduce, RONDO_F32, RONDO_SUM, 0, 1, small, small},
                              {Kind::all_to_all, RONDO_F32, RONDO_SUM, 0, 1, small, second}};
    for (const Operation& use : uses)
      if (status.ok()) status = run({&use, 1}, context);
    if (status.ok()) status = device_.event_record(done, stream);
    const Clock::time_point since = Clock::now();
    for (bool over = false; status.ok() && !over;) {
      status = device_.event_query(done, &over);
      if (over || !status.ok()) break;
      status = lost_();
      if (status.ok() && late(since))
        status = error(RONDO_TIMED_OUT, "communicator '%s', rank %d: the first collectives are not done after %lld ms",
                       name_.c_str(), rank_, static_cast<long long>(time_limit_ms_));
      std::this_thread::sleep_for(kNap);
    }
    // Memory that a collective that never ends may still write is not freed.
    if (!begun && stream) (void)device_.stream_synchronize(stream);
    if (status.ok() || !begun) {
      if (small) device_.release(small);
      if (large) device_.release(large);
    }
    if (done) device_.event_destroy(done);
    if (stream) device_.stream_destroy(stream);
    return status;
  }

  Status issue(const Operation& each, CUstream stream) {
    ncclDataType_t dtype = ncclUint8;
    (void)dtype_of(each.dtype, &dtype);
    const ncclRedOp_t op = operator_of(each.reduction);
    const Nccl& library = nccl();
    ncclComm_t comm = handle_->comm;
    const auto peer = static_cast<int>(each.peer);
    switch (each.kind) {
      case Kind::all_reduce:
        return note(library.ncclAllReduce(each.input, each.output, each.count, dtype, op, comm, stream),
                    "ncclAllReduce");
      case Kind::all_gather:
        return note(library.ncclAllGather(each.input, each.output, each.count, dtype, comm, stream), "ncclAllGather");
      case Kind::reduce_scatter:
        return note(library.ncclReduceScatter(each.input, each.output, each.count, dtype, op, comm, stream),
                    "ncclReduceScatter");
      case Kind::broadcast:
        // In place on every rank; the root's is read only.
        return note(library.ncclBroadcast(each.input ? each.input : each.output,
                                          each.output ? each.output : const_cast<void*>(each.input), each.count, dtype,
                                          peer, comm, stream),
                    "ncclBroadcast");
      case Kind::reduce:
        return note(library.ncclReduce(each.input, each.output, each.count, dtype, op, peer, comm, stream),
                    "ncclReduce");
      case Kind::send: return note(library.ncclSend(each.input, each.count, dtype, peer, comm, stream), "ncclSend");
      case Kind::receive: return note(library.ncclRecv(each.output, each.count, dtype, peer, comm, stream), "ncclRecv");
      case Kind::all_to_all: {
        const size_t bytes = each.count * dtype_size(each.dtype);
        for (int rank = 0; rank < size_; ++rank) {
          const auto offset = static_cast<size_t>(rank) * bytes;
          RONDO_TRY(note(
              library.ncclSend(static_cast<const char*>(each.input) + offset, each.count, dtype, rank, comm, stream),
              "ncclSend"));
          RONDO_TRY(
              note(library.ncclRecv(static_cast<char*>(each.output) + offset, each.count, dtype, rank, comm, stream),
                   "ncclRecv"));
        }
        return {};
      }
      case Kind::barrier:
        return note(library.ncclAllReduce(each.input, each.output, each.count, dtype, ncclSum, comm, stream),
                    "ncclAllReduce");
    }
    return {};
  }

  StreamDevice& device_;
  const int rank_, size_;
  const int64_t time_limit_ms_;
  const int max_blocks_;
  const std::string name_;
  std::function<Status()> lost_;  // while connecting: why not all ranks are there any more
  const std::shared_ptr<Handle> handle_ = std::make_shared<Handle>();
  mutable std::mutex mutex_;
  Status cause_;
  std::atomic<bool> refusing_{false};
  std::atomic<bool> aborted_{false};
};

}  // namespace

Status make_nccl_transport(StreamDevice& device, Session& session, const Options& options,
                           const std::function<Status()>& lost, std::unique_ptr<Transport>* made) {
  auto transport = std::make_unique<NcclTransport>(device, session, options);
  RONDO_TRY(transport->connect(session, lost));
  *made = std::move(transport);
  return {};
}

}  // namespace rondo::comm
