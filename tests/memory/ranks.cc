// See ranks.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ranks.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace memory {

namespace {

constexpr int kRanks = 2;
constexpr int64_t kElements = 6000;  // more than what everybody adds up alone
constexpr rondo_device kCpu = {RONDO_CPU, 0};

// One rank's part, on its thread.
class Rank {
 public:
  Rank(rondo_engine* engine, int rank, rondo_comm* comm, const At& at, std::mutex& mutex)
      : engine_(engine), rank_(rank), comm_(comm), at_(at), mutex_(mutex) {}
  ~Rank() {
    step("destroying");
    for (rondo_tensor* each : tensors_) rondo_tensor_destroy(each);
    rondo_comm_destroy(half_);
    rondo_comm_destroy(comm_);
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  // Until it has met the other one, or that one has met it alone: then it hears that this one is lost.
  void meet(const std::string& address, std::atomic<bool>* met_by, const std::function<void()>& relent) {
    rondo_comm_options options = RONDO_COMM_OPTIONS_INIT;
    options.rank = rank_;
    options.ranks = kRanks;
    options.address = address.c_str();
    options.secret = "0123456789abcdef0123456789abcdef";
    options.time_limit_ms = 2000;
    while (!met_by[1 - rank_]) {
      step("comm_create");
      // What the other one says of a rank that it has met and lost is no failure here: both come again.
      const rondo_status met = rondo_comm_create(engine_, kCpu, &options, &comm_);
      met_by[rank_] = met == RONDO_OK;
      if (met == RONDO_OK) return;
      if (met == RONDO_OUT_OF_MEMORY) note(met);
      relent();
    }
  }

  void work() {
    if (!comm_ || collectives()) return;
    (void)rondo_comm_abort(comm_, "a call has failed");
    if (half_) (void)rondo_comm_abort(half_, "a call has failed");
  }
  Outcome outcome;

 private:
  void step(const std::string& name) {
    const std::lock_guard lock(mutex_);
    step_ = "rank " + std::to_string(rank_) + ": " + name;
    at_(step_);
  }
  void note(rondo_status status) { outcome.failures.push_back({step_, status, rondo_last_error()}); }
  bool call(rondo_status status) {
    if (status != RONDO_OK) note(status);
    return status == RONDO_OK;
  }
  bool upload(int64_t elements, rondo_tensor** made) {
    std::vector<float> data(static_cast<size_t>(elements));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<float>((i % 13 + 1) * static_cast<size_t>(rank_ + 1));
    if (!call(rondo_tensor_from_host(engine_, kCpu, RONDO_F32, 1, &elements, data.data(), made))) return false;
    tensors_.push_back(*made);
    return true;
  }
  bool read(const std::string& name, rondo_tensor* from) {
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    if (!call(rondo_tensor_query(from, &info))) return false;
    std::string bytes(static_cast<size_t>(info.bytes), '\0');
    if (!call(rondo_tensor_read(from, bytes.data(), bytes.size()))) return false;
    outcome.values["rank " + std::to_string(rank_) + ": " + name] = bytes;
    return true;
  }
  // Collectives whose results this rank keeps.
  bool results(const std::string& name, rondo_comm* comm, rondo_tensor* of) {
    step(name + "all_reduce");
    rondo_tensor *sum = nullptr, *all = nullptr;
    if (!call(rondo_comm_all_reduce(comm, of, RONDO_SUM, &sum))) return false;
    tensors_.push_back(sum);
    step(name + "all_gather");
    if (!call(rondo_comm_all_gather(comm, of, &all))) return false;
    tensors_.push_back(all);
    step(name + "read");
    return read(name + "sum", sum) && read(name + "all", all);
  }

  bool collectives() {
    step("from_host");
    rondo_tensor *few = nullptr, *many = nullptr;
    if (!upload(3, &few) || !upload(kElements, &many)) return false;
    if (!results("few ", comm_, few) || !results("many ", comm_, many)) return false;
    step("group");
    if (!call(rondo_comm_group_begin(comm_)) || !call(rondo_comm_broadcast(comm_, few, 1)) ||
        !call(rondo_comm_group_end(comm_)))
      return false;
    step("barrier");
    if (!call(rondo_comm_barrier(comm_)) || !call(rondo_comm_wait(comm_)) || !read("broadcast", few)) return false;
    step("split");
    const int32_t colour = 0, key = -rank_;
    if (!call(rondo_comm_split(&comm_, 1, &colour, &key, &half_))) return false;
    return results("split ", half_, few);
  }

  rondo_engine* const engine_;
  const int rank_;
  rondo_comm* comm_;
  rondo_comm* half_ = nullptr;
  const At& at_;
  std::mutex& mutex_;
  std::string step_;
  std::vector<rondo_tensor*> tensors_;
};

}  // namespace

Outcome run_ranks(Meet meet, const At& at, const std::function<void()>& relent) {
  at("engine_create");
  rondo_engine* engine = nullptr;
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.workers = 2;
  if (const rondo_status made = rondo_engine_create(&options, &engine); made != RONDO_OK)
    return {{{"engine_create", made, rondo_last_error()}}, {}};
  rondo_comm* ends[kRanks] = {};
  Outcome all;
  if (meet == Meet::in_process) {
    at("comm_create_all");
    const rondo_device devices[kRanks] = {kCpu, kCpu};
    rondo_comm_options comm = RONDO_COMM_OPTIONS_INIT;
    comm.time_limit_ms = -1;
    if (const rondo_status made = rondo_comm_create_all(engine, devices, kRanks, &comm, ends); made != RONDO_OK)
      all.failures.push_back({"comm_create_all", made, rondo_last_error()});
  }
  if (all.failures.empty()) {
    const char* folder = std::getenv("TMPDIR");
    const std::string path = std::string(folder ? folder : "/tmp") + "/rondo.ranks." + std::to_string(getpid());
    std::mutex mutex;
    std::atomic<bool> met_by[kRanks] = {};
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank)
      threads.emplace_back([&, rank] {
        Outcome mine;
        {
          Rank part(engine, rank, ends[rank], at, mutex);
          if (meet == Meet::by_sockets) part.meet("file:" + path, met_by, relent);
          part.work();
          mine = std::move(part.outcome);
        }
        const std::lock_guard lock(mutex);
        for (Failure& each : mine.failures) all.failures.push_back(std::move(each));
        all.values.merge(mine.values);
      });
    for (std::thread& each : threads) each.join();
    unlink(path.c_str());
  }
  at("engine_destroy");
  (void)rondo_engine_wait_all(engine);
  rondo_engine_destroy(engine);
  return all;
}

}  // namespace memory
