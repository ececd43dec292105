// Runs collectives on cpu devices: each is one or two steps of messages, with sums in between:
//
//   all_reduce      piece i of everybody's tensor to rank i, which adds them up; then the sums to everybody
//   reduce_scatter  the first half of that
//   reduce          everything to the root, which adds up
//   the others      one step
//
// Small tensors are all-reduced in one step, every rank adding up everything: the same additions in the same order, so
// the same bits. The operations of a group share their steps.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/host_transport.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "comm/transport/host_reduce.h"
#include "engine/tasks/workers.h"

namespace rondo::comm {

namespace {

constexpr size_t kSmall = 8192;  // bytes
constexpr uint64_t kGroup = 255;
constexpr uint64_t kBetweenTwo = 254;

class HostTransport final : public Transport {
 public:
  HostTransport(std::shared_ptr<Session> session, std::unique_ptr<Exchange> exchange, int64_t time_limit_ms)
      : session_(std::move(session)),
        exchange_(std::move(exchange)),
        rank_(session_->rank()),
        size_(session_->size()),
        time_limit_ms_(time_limit_ms) {}

  const char* name() const override { return "host"; }
  Status supports(const Operation&) const override { return {}; }
  bool capturable(const char** why) const override {
    *why = "runs on the host";
    return false;
  }
  void refuse(const Status& cause) override { exchange_->abort(cause); }

  Status run(std::span<const Operation> operations, const TaskContext&) override {
    const Workers::Blocking waits;
    const Deadline deadline(time_limit_ms_ < 0 ? 1e9 : static_cast<double>(time_limit_ms_) * 1e-3);
    // Collectives, which all ranks run alike, are counted; sends and receives between two of them are not.
    uint64_t collectives = 0;
    for (const Operation& each : operations) collectives += each.kind != Kind::send && each.kind != Kind::receive;
    const auto kind = operations.size() == 1 ? static_cast<uint64_t>(operations[0].kind) : kGroup;
    const uint64_t what = collectives == 0 ? kBetweenTwo : number_ << 8 | kind;
    number_ += collectives;
    std::vector<Plan> plans;
    for (const Operation& each : operations) plans.push_back(plan(each));
    // A root takes the memory of all that it adds up; one block for the group, at places that are known by now.
    size_t bytes = 0;
    for (Plan& each : plans) {
      each.scratch = bytes;
      bytes += (each.scratch_bytes + 15) / 16 * 16;
    }
    scratch_.resize(bytes);
    sends_.clear();
    receives_.clear();
    for (Plan& each : plans) first_step(each);
    RONDO_TRY(exchange_->run(sends_, receives_, what, deadline));
    sends_.clear();
    receives_.clear();
    for (Plan& each : plans) second_step(each);
    if (sends_.empty() && receives_.empty()) return {};
    return exchange_->run(sends_, receives_, what, deadline);
  }

 private:
  struct Plan {
    Operation op;
    size_t element;
    bool whole = false;  // everybody, or the root, gets everything there is to add up
    size_t scratch = 0;
    size_t scratch_bytes = 0;
  };

  // The beginning of rank i's piece in a tensor of `count` elements.
  size_t begin_of(size_t count, int i) const {
    return count / static_cast<size_t>(size_) * static_cast<size_t>(i) +
           std::min(count % static_cast<size_t>(size_), static_cast<size_t>(i));
  }
  size_t piece(size_t count, int i) const { return begin_of(count, i + 1) - begin_of(count, i); }

  static char* at(const void* memory, size_t bytes) {
    return const_cast<char*>(static_cast<const char*>(memory)) + bytes;
  }

  Plan plan(const Operation& op) const {
    Plan made{op, dtype_size(op.dtype)};
    const auto ranks = static_cast<size_t>(size_);
    switch (op.kind) {
      case Kind::all_reduce:
        made.whole = size_ == 1 || op.count * made.element <= kSmall;
        made.scratch_bytes = ranks * (made.whole ? op.count : piece(op.count, rank_)) * made.element;
        break;
      case Kind::reduce:
        made.whole = true;
        made.scratch_bytes = rank_ == op.peer ? ranks * op.count * made.element : 0;
        break;
      case Kind::reduce_scatter: made.scratch_bytes = ranks * op.count * made.element; break;
      default: break;
    }
    return made;
  }

  void send(int to, const void* data, size_t bytes) {
    if (bytes > 0) sends_.push_back({to, const_cast<void*>(data), bytes});
  }
  void receive(int from, void* data, size_t bytes) {
    if (bytes > 0) receives_.push_back({from, data, bytes});
  }

  void first_step(const Plan& plan) {
    const Operation& op = plan.op;
    const size_t bytes = op.count * plan.element;
    char* scratch = scratch_.data() + plan.scratch;
    for (int r = 0; r < size_; ++r) {
      const auto index = static_cast<size_t>(r);
      switch (op.kind) {
        case Kind::all_reduce: {
          const size_t mine = piece(op.count, rank_) * plan.element;
          if (plan.whole) {
            send(r, op.input, bytes);
            receive(r, scratch + index * bytes, bytes);
          } else {
            send(r, at(op.input, begin_of(op.count, r) * plan.element), piece(op.count, r) * plan.element);
            receive(r, scratch + index * mine, mine);
          }
          break;
        }
        case Kind::reduce:
          if (rank_ == op.peer) receive(r, scratch + index * bytes, bytes);
          break;
        case Kind::reduce_scatter:
          send(r, at(op.input, index * bytes), bytes);
          receive(r, scratch + index * bytes, bytes);
          break;
        case Kind::all_gather:
          send(r, op.input, bytes);
          receive(r, at(op.output, index * bytes), bytes);
          break;
        case Kind::all_to_all:
          send(r, at(op.input, index * bytes), bytes);
          receive(r, at(op.output, index * bytes), bytes);
          break;
        case Kind::broadcast:
          if (rank_ == op.peer && r != rank_) send(r, op.input ? op.input : op.output, bytes);
          break;
        case Kind::barrier:
          sends_.push_back({r, nullptr, 0});
          receives_.push_back({r, nullptr, 0});
          break;
        case Kind::send:
        case Kind::receive: break;
      }
    }
    if (op.kind == Kind::reduce) send(op.peer, op.input, bytes);
    if (op.kind == Kind::broadcast && rank_ != op.peer) receive(op.peer, op.output, bytes);
    if (op.kind == Kind::broadcast && rank_ == op.peer && op.input && op.output && op.input != op.output)
      std::memcpy(op.output, op.input, bytes);
    if (op.kind == Kind::send) send(op.peer, op.input, bytes);
    if (op.kind == Kind::receive) receive(op.peer, op.output, bytes);
  }

  void add_up(const Plan& plan, void* output, size_t count) {
    std::vector<const void*> inputs;
    for (int r = 0; r < size_; ++r)
      inputs.push_back(scratch_.data() + plan.scratch + static_cast<size_t>(r) * count * plan.element);
    reduce_on_host(plan.op.dtype, plan.op.reduction, inputs, output, count);
  }

  void second_step(const Plan& plan) {
    const Operation& op = plan.op;
    if (op.kind == Kind::reduce_scatter) add_up(plan, op.output, op.count);
    if (op.kind == Kind::reduce && rank_ == op.peer) add_up(plan, op.output, op.count);
    if (op.kind != Kind::all_reduce) return;
    if (plan.whole) return add_up(plan, op.output, op.count);
    const size_t mine = piece(op.count, rank_);
    char* own = at(op.output, begin_of(op.count, rank_) * plan.element);
    add_up(plan, own, mine);
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      send(r, own, mine * plan.element);
      receive(r, at(op.output, begin_of(op.count, r) * plan.element), piece(op.count, r) * plan.element);
    }
  }

  const std::shared_ptr<Session> session_;
  const std::unique_ptr<Exchange> exchange_;
  const int rank_, size_;
  const int64_t time_limit_ms_;
  uint64_t number_ = 0;
  std::vector<char> scratch_;
  std::vector<Message> sends_, receives_;
};

}  // namespace

Status make_host_transport(std::shared_ptr<Session> session, int64_t time_limit_ms, const std::function<Status()>& lost,
                           std::unique_ptr<Transport>* made) {
  std::unique_ptr<Exchange> exchange;
  RONDO_TRY(session->open_exchange(lost, &exchange));
  *made = std::make_unique<HostTransport>(std::move(session), std::move(exchange), time_limit_ms);
  return {};
}

}  // namespace rondo::comm
