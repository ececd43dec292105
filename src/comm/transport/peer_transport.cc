// Sends all-reduces of the sizes at which it is faster through Rondo's kernels, and the rest to the next transport.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/peer_transport.h"

#include <algorithm>
#include <climits>
#include <mutex>

#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "comm/rendezvous/agree.h"
#include "comm/rendezvous/messages.h"
#include "comm/transport/peer_choice.h"
#include "engine/tasks/task.h"

namespace rondo::comm {

namespace {

enum Wish { kMeasured, kOn, kOff };

// Milliseconds that kernels wait beyond the communicator's limit. A kernel that gives up looks as if it were done; so
// the thread that watches the limit acts first, and has written off its results.
constexpr int64_t kGrace = 2000;

class PeerTransport final : public Transport {
 public:
  PeerTransport(cuda::CudaDevice& device, std::unique_ptr<SymmetricBuffers> buffers, const PeerOptions& options,
                int max_blocks, std::unique_ptr<Transport> next, const Status& missing)
      : time_limit_ms_(options.time_limit_ms),
        buffers_(std::move(buffers)),
        kernels_(device, *buffers_, max_blocks,
                 time_limit_ms_ < 0 ? 0 : static_cast<uint64_t>(time_limit_ms_ + kGrace) * 1000000),
        next_(std::move(next)),
        missing_(missing) {}

  Status measure(cuda::CudaDevice& device, Session& session, bool library) {
    RONDO_TRY(measure_peer_kernels(device, session, *buffers_, kernels_, library ? next_.get() : nullptr, &choice_));
    if (session.rank() == 0)
      log(RONDO_LOG_INFO, "all-reduce of %d ranks from %s on: %s", session.size(), device_name(device.id()).c_str(),
          choice_.text().c_str());
    return {};
  }
  bool of_use() const { return choice_.own(); }
  std::unique_ptr<Transport> give_next() { return std::move(next_); }

  const char* name() const override { return next_ ? "peer, nccl" : "peer"; }
  int32_t version() const override { return next_ ? next_->version() : 0; }

  Status supports(const Operation& operation) const override {
    const AllReduceMethod way = way_of(operation);
    if (way != kNextWay) return kernels_.prepare(operation, static_cast<device::PeerMethod>(way));
    return next_ ? next_->supports(operation) : missing_;
  }

  Status run(std::span<const Operation> operations, const TaskContext& context) override {
    {
      std::lock_guard lock(mutex_);
      RONDO_TRY(refused_);
    }
    const bool own = std::all_of(operations.begin(), operations.end(),
                                 [this](const Operation& each) { return way_of(each) != kNextWay; });
    if (!own) return next_ ? next_->run(operations, context) : missing_;
    for (const Operation& each : operations)
      if (each.count > 0)
        RONDO_TRY(kernels_.launch(each, static_cast<device::PeerMethod>(way_of(each)), context.stream));
    return {};
  }

  bool capturable(const char** why) const override { return !next_ || next_->capturable(why); }

  Status poll() override {
    if (const uint32_t late = __atomic_load_n(&buffers_->control().report, __ATOMIC_RELAXED))
      return error(RONDO_TIMED_OUT, "rank %u did not take part in an all-reduce within %lld ms", late - 1,
                   static_cast<long long>(time_limit_ms_));
    return next_ ? next_->poll() : Status();
  }

  void refuse(const Status& cause) override {
    {
      std::lock_guard lock(mutex_);
      if (refused_.ok()) refused_ = cause;
    }
    if (next_) next_->refuse(cause);
  }

  // The library's first: the other is told by a copy too, which may wait for a kernel of the library's.
  void abort() override {
    if (next_) next_->abort();
    buffers_->abort();
  }

 private:
  AllReduceMethod way_of(const Operation& operation) const {
    return PeerKernels::serves(operation) ? choice_(PeerKernels::bytes_of(operation)) : kNextWay;
  }

  const int64_t time_limit_ms_;
  const std::unique_ptr<SymmetricBuffers> buffers_;
  const PeerKernels kernels_;
  std::unique_ptr<Transport> next_;
  const Status missing_;
  PeerChoice choice_;
  std::mutex mutex_;
  Status refused_;
};

// The wish that all ranks have in common: the setting that wants least, the smallest limit of blocks.
Status compare_wishes(Session& session, int max_blocks, bool library, int* wish, int* blocks) {
  const int own = setting_choice(Setting::comm_peer);
  const Status known = own < 0 ? error(RONDO_INVALID_ARGUMENT, "RONDO_COMM_PEER=%s is %s",
                                       setting(Setting::comm_peer).c_str(), setting_problem(Setting::comm_peer).c_str())
                               : Status();
  const int most = max_blocks > 0 ? max_blocks : device::kPeerBlocks;
  std::vector<std::string> all;
  RONDO_TRY(agree(session, "peer kernels: wish", known, format("%d %d %d", own, most, library), &all));
  *wish = own;
  *blocks = most;
  for (size_t r = 0; r < all.size(); ++r) {
    int theirs = 0;
    int theirs_most = 0;
    int theirs_library = 0;
    std::string_view rest = all[r];
    if (!take_number(&rest, 0, 2, &theirs) || !take_number(&rest, 1, INT_MAX, &theirs_most) ||
        !take_number(&rest, 0, 1, &theirs_library))
      return error(RONDO_INTERNAL, "rank %zu says '%.200s' of its kernels", r, all[r].c_str());
    if ((theirs_library != 0) != library)
      return error(RONDO_LIBRARY_MISSING, "rank %zu has %s NCCL while rank %d has %s", r, theirs_library ? "an" : "no",
                   session.rank(), library ? "one" : "none");
    if (theirs == kOff || *wish == kOff)
      *wish = kOff;
    else if (theirs == kMeasured)
      *wish = kMeasured;
    *blocks = std::min(*blocks, theirs_most);
  }
  return {};
}

}  // namespace

Status make_peer_transport(StreamDevice& device, Session& session, const PeerOptions& options,
                           std::unique_ptr<Transport> next, const Status& missing, std::unique_ptr<Transport>* made) {
  auto& cuda_device = static_cast<cuda::CudaDevice&>(device);
  int wish = kOff;
  int blocks = 0;
  RONDO_TRY(compare_wishes(session, options.max_blocks, next != nullptr, &wish, &blocks));
  Status refused = session.size() < 2 ? error(RONDO_UNSUPPORTED, "the group has one rank")
                   : wish == kOff     ? error(RONDO_UNSUPPORTED, "RONDO_COMM_PEER is off")
                                      : Status();
  std::unique_ptr<SymmetricBuffers> buffers;
  if (refused.ok()) refused = SymmetricBuffers::make(cuda_device, session, &buffers);
  if (refused.ok()) refused = try_peer_kernels(cuda_device, session, *buffers, blocks);
  if (refused.code() == RONDO_RANK_LOST || refused.code() == RONDO_TIMED_OUT) return refused;
  if (!refused.ok()) {
    log(RONDO_LOG_INFO, "no kernels of Rondo's own for the all-reduce of %s: %s", device_name(device.id()).c_str(),
        refused.message());
    if (!next)
      return error(missing.code(), "%s; kernels of Rondo's own do not serve here either: %s", missing.message(),
                   refused.message());
    *made = std::move(next);
    return {};
  }
  auto transport =
      std::make_unique<PeerTransport>(cuda_device, std::move(buffers), options, blocks, std::move(next), missing);
  RONDO_TRY(transport->measure(cuda_device, session, wish == kMeasured));
  if (!transport->of_use())
    *made = transport->give_next();
  else
    *made = std::move(transport);
  return {};
}

}  // namespace rondo::comm
