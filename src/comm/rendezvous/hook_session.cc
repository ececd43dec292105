// Moves the data of collectives through a user's function, and gathers texts the same way.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/hook_session.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <numeric>

#include "base/machine/arithmetic.h"
#include "base/machine/sha256.h"
#include "base/text.h"
#include "comm/rendezvous/frame.h"
#include "comm/rendezvous/messages.h"

namespace rondo::comm {

namespace {

// Steps of one name among the same ranks: they follow each other, and do not meet those of other names.
class HookExchange final : public Exchange {
 public:
  HookExchange(std::shared_ptr<Hooks> hooks, std::vector<int> members, const std::string& name)
      : hooks_(std::move(hooks)), members_(std::move(members)) {
    const Digest digest = sha256(name);
    std::memcpy(&channel_, digest.data(), sizeof channel_);
    channel_ &= 0x7fffffff;
  }

  Status run(std::span<const Message> sends, std::span<const Message> receives, uint64_t what,
             const Deadline& deadline) override {
    // Sizes and kinds are compared by what moves the data, as far as it does that.
    (void)what;
    std::vector<rondo_message> out = translate(sends), in = translate(receives);
    StopArgument argument{this, &deadline};
    char why[512] = "";
    rondo_exchange_step step = {};
    step.size = sizeof step;
    step.channel = channel_;
    step.n_sends = static_cast<int32_t>(out.size());
    step.n_receives = static_cast<int32_t>(in.size());
    step.sends = out.data();
    step.receives = in.data();
    step.stop = &HookExchange::stop;
    step.stop_arg = &argument;
    step.why = why;
    step.why_capacity = sizeof why;
    rondo_status code = RONDO_INTERNAL;
    try {
      const KeptArithmetic arithmetic;
      code = hooks_->given().exchange(hooks_->given().arg, &step);
    } catch (...) {
      return error(RONDO_USER_ERROR, "the exchange function threw an exception, which it must not");
    }
    if (code == RONDO_OK) return {};
    if (Status cause = aborted(); !cause.ok()) return cause;
    if (deadline.over()) return error(RONDO_TIMED_OUT, "the time limit is over, and some rank's data have not come");
    why[sizeof why - 1] = '\0';
    const bool known = code > RONDO_OK && code <= RONDO_TIMED_OUT && code != RONDO_DEVICE_LOST;
    return error(known ? code : RONDO_USER_ERROR, "%s",
                 why[0] ? why : "the exchange function failed without a message");
  }

  void abort(const Status& cause) override {
    const std::lock_guard lock(mutex_);
    if (aborted_.ok()) aborted_ = cause;
    stopped_.store(true, std::memory_order_release);
  }

 private:
  struct StopArgument {
    const HookExchange* exchange;
    const Deadline* deadline;
  };
  static int32_t stop(void* arg) {
    const auto& argument = *static_cast<const StopArgument*>(arg);
    return argument.exchange->stopped_.load(std::memory_order_acquire) || argument.deadline->over();
  }
  Status aborted() {
    const std::lock_guard lock(mutex_);
    return aborted_;
  }
  std::vector<rondo_message> translate(std::span<const Message> messages) const {
    std::vector<rondo_message> made;
    for (const Message& each : messages)
      made.push_back({members_[static_cast<size_t>(each.rank)], each.data, each.bytes});
    return made;
  }

  const std::shared_ptr<Hooks> hooks_;
  const std::vector<int> members_;
  int32_t channel_ = 0;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  Status aborted_;
};

class HookSession final : public Session {
 public:
  HookSession(std::shared_ptr<Hooks> hooks, std::vector<int> members, std::string name, int64_t time_limit_ms)
      : hooks_(std::move(hooks)),
        members_(std::move(members)),
        name_(std::move(name)),
        time_limit_ms_(time_limit_ms),
        exchange_(hooks_, members_, name_) {
    rank_ = static_cast<int>(std::find(members_.begin(), members_.end(), hooks_->given().rank) - members_.begin());
  }

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(members_.size()); }

  Status all_gather(std::string_view label, std::string_view mine, std::vector<std::string>* all) override {
    const std::lock_guard lock(mutex_);
    std::string own = Writer().text(label).text(mine).take();
    std::vector<std::string> came(members_.size());
    std::vector<uint64_t> sizes(members_.size());
    uint64_t size = own.size();
    RONDO_TRY(step(
        [&](int) {
          return Message{0, &size, sizeof size};
        },
        [&](int r) {
          return Message{0, &sizes[static_cast<size_t>(r)], sizeof size};
        }));
    for (size_t r = 0; r < sizes.size(); ++r) {
      if (sizes[r] > kMaxFrame)
        return error(RONDO_INTERNAL, "rank %zu gives %llu bytes for '%s'; %zu are the most", r,
                     static_cast<unsigned long long>(sizes[r]), std::string(label).c_str(), kMaxFrame);
      came[r].resize(sizes[r]);
    }
    RONDO_TRY(step(
        [&](int) {
          return Message{0, own.data(), own.size()};
        },
        [&](int r) {
          std::string& to = came[static_cast<size_t>(r)];
          return Message{0, to.data(), to.size()};
        }));
    all->clear();
    for (size_t r = 0; r < came.size(); ++r) {
      Reader reader(came[r]);
      const std::string theirs = reader.text(kMaxFrame);
      if (theirs != label)
        return error(RONDO_INVALID_STATE,
                     "the ranks of the group do different things: rank %d is at '%s', rank %zu at '%s'", rank_,
                     std::string(label).c_str(), r, theirs.c_str());
      all->push_back(reader.text(kMaxFrame));
      if (!reader.done())
        return error(RONDO_INTERNAL, "rank %zu does not give a text for '%s' as Rondo does", r, theirs.c_str());
    }
    return {};
  }

  Status subgroup(const std::vector<int>& members, std::string_view name, std::shared_ptr<Session>* made) override {
    std::vector<int> ranks;
    for (const int each : members) {
      if (each < 0 || each >= size())
        return error(RONDO_INVALID_ARGUMENT, "a group of %d ranks has no rank %d", size(), each);
      ranks.push_back(members_[static_cast<size_t>(each)]);
    }
    if (std::find(members.begin(), members.end(), rank_) == members.end())
      return error(RONDO_INVALID_ARGUMENT, "rank %d is no member of the group it would make", rank_);
    *made = std::make_shared<HookSession>(hooks_, std::move(ranks), name_ + "/" + std::string(name), time_limit_ms_);
    return {};
  }

  void tell(std::string_view) override {}
  void listen(Listener*) override {}
  void give_up(const Status&) noexcept override {}  // the program's functions know nothing of that
  Status reform(std::vector<int>*, std::shared_ptr<Session>*) override {
    return error(
        RONDO_UNSUPPORTED,
        "a communicator over functions of the program's own cannot be formed again of those left; make a new one");
  }
  Status open_exchange(const std::function<Status()>&, std::unique_ptr<Exchange>* made) override {
    *made = std::make_unique<HookExchange>(hooks_, members_, name_ + " data");
    return {};
  }

 private:
  // The same message to each other rank, and one from each; its own is copied.
  template <class Send, class Receive>
  Status step(const Send& send, const Receive& receive) {
    std::vector<Message> sends, receives;
    for (int r = 0; r < size(); ++r) {
      Message out = send(r), in = receive(r);
      out.rank = in.rank = r;
      if (r == rank_) {
        std::memcpy(in.data, out.data, out.bytes);
        continue;
      }
      sends.push_back(out);
      receives.push_back(in);
    }
    const Deadline deadline(time_limit_ms_ < 0 ? 1e9 : static_cast<double>(time_limit_ms_) * 1e-3);
    return exchange_.run(sends, receives, 0, deadline);
  }

  const std::shared_ptr<Hooks> hooks_;
  const std::vector<int> members_;
  const std::string name_;
  const int64_t time_limit_ms_;
  int rank_ = 0;
  std::mutex mutex_;
  HookExchange exchange_;
};

}  // namespace

std::shared_ptr<Session> make_hook_session(std::shared_ptr<Hooks> hooks, int64_t time_limit_ms) {
  std::vector<int> all(static_cast<size_t>(hooks->given().ranks));
  std::iota(all.begin(), all.end(), 0);
  return std::make_shared<HookSession>(std::move(hooks), std::move(all), "hooks", time_limit_ms);
}

}  // namespace rondo::comm
