// The fixture of tests of communicators. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/comm.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

namespace conformance {

std::string group_name(const testing::TestParamInfo<Group>& info) {
  const Group& group = info.param;
  return std::string(group.kind == RONDO_CUDA ? "cuda_" : "cpu_") + std::to_string(group.ranks) +
         (group.mode == RONDO_ENGINE_ASYNC ? "_async" : "_threaded") + (group.graph ? "_graph" : "_eager");
}

namespace {

// Of this process; ranks 0: all are here.
rondo_ranks_info of_processes() {
  rondo_ranks_info info = RONDO_RANKS_INFO_INIT;
  const char* text = std::getenv("RONDO_TEST_PROCESSES");
  if (text && std::string(text) == "1") must(rondo_ranks_query(&info));
  return info;
}

}  // namespace

bool here(int32_t rank) {
  static const rondo_ranks_info own = of_processes();
  return own.ranks == 0 || own.rank == rank;
}

// A share has one number of ranks, and one mode.
std::vector<Group> groups() {
  std::vector<int32_t> numbers = {2, 3, 4};
  if (share() >= 0) numbers = {2 + share() % 3};
  if (const int32_t processes = of_processes().ranks) numbers = {processes};
  std::vector<Group> all;
  for (const rondo_device_kind kind : {RONDO_CPU, RONDO_CUDA})
    for (const int32_t ranks : numbers)
      for (const bool graph : {false, true}) all.push_back({kind, ranks, RONDO_ENGINE_ASYNC, graph});
  return all;
}

std::vector<Group> pairs() {
  if (share() >= 0) return {{RONDO_CUDA, 2, share() % 2 == 0 ? RONDO_ENGINE_ASYNC : RONDO_ENGINE_THREADED, false}};
  return {{RONDO_CUDA, 2, RONDO_ENGINE_ASYNC, false}, {RONDO_CUDA, 2, RONDO_ENGINE_THREADED, false}};
}

// An engine, and the ends of a group on it; none yet while `ends` is empty.
struct OnGroup::Held {
  Engine engine;
  std::vector<Comm> ends;
  bool own = false;  // of one case only
  std::mutex mutex;

  void make(const Group& group, const rondo_comm_options& options) {
    ends.clear();
    std::vector<rondo_device> devices;
    for (int32_t rank = 0; rank < group.ranks; ++rank)
      devices.push_back({group.kind, group.kind == RONDO_CUDA ? rank : 0});
    std::vector<rondo_comm*> made(devices.size());
    if (of_processes().ranks == 0) {
      must(rondo_comm_create_all(engine.get(), devices.data(), group.ranks, &options, made.data()));
    } else {
      const auto own = static_cast<size_t>(of_processes().rank);
      must(rondo_comm_create(engine.get(), devices[own], &options, &made[own]));
    }
    for (rondo_comm* each : made) ends.emplace_back(each);
  }
  bool well() const {
    const bool done = rondo_engine_wait_all(engine.get()) == RONDO_OK;
    for (const Comm& each : ends)
      if (each && rondo_comm_check(each.get()) != RONDO_OK) return false;
    return done && !own;
  }

  // Those that are kept, by what they are for.
  using Kept = std::map<std::tuple<int, int32_t, int>, std::unique_ptr<Held>>;
  static Kept& kept() {
    static Kept kept;
    return kept;
  }
  static Kept::key_type key(const Group& group) { return {group.kind, group.ranks, group.mode}; }
  // Before the program looks for leaks, and before other static objects go.
  struct End : testing::Environment {
    void TearDown() override { kept().clear(); }
  };
  static inline testing::Environment* const end = testing::AddGlobalTestEnvironment(new End);
};

class OnGroup::Limit {
 public:
  explicit Limit(Held& held) : held_(held), thread_([this] { watch(); }) {}
  ~Limit() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  void watch() {
    const char* text = std::getenv("RONDO_TEST_CASE_S");
    const std::chrono::seconds limit(text ? std::max(std::atoi(text), 1) : 240);
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
    std::fprintf(stderr, "%s is not done after %lld s\n", name_.c_str(), static_cast<long long>(limit.count()));
    if (const std::unique_lock held(held_.mutex, std::try_to_lock); held && !held_.ends.empty()) {
      for (const Comm& each : held_.ends) {
        if (!each) continue;
        rondo_comm_info info = RONDO_COMM_INFO_INIT;
        if (rondo_comm_query(each.get(), &info) == RONDO_OK)
          std::fprintf(stderr, "  rank %d: %lld collectives submitted, %s\n", info.rank,
                       static_cast<long long>(info.submitted),
                       info.state == RONDO_COMM_WORKING ? "working" : rondo_last_error());
      }
      held_.own = true;
      for (const Comm& each : held_.ends)
        if (each) (void)rondo_comm_abort(each.get(), "the test case takes too long");
      ADD_FAILURE() << name_ << " took too long; its group was aborted";
    }
    if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
    std::fprintf(stderr, "[  FAILED  ] %s hangs\n", name_.c_str());
    std::_Exit(1);
  }

  static std::string name_of_case() {
    const testing::TestInfo* const info = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(info->test_suite_name()) + "." + info->name();
  }

  Held& held_;
  const std::string name_ = name_of_case();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

OnGroup::OnGroup() = default;
OnGroup::~OnGroup() = default;

void OnGroup::SetUp() {
  if (on_cuda() && cuda_devices() < ranks()) {
    if (needs_cuda()) FAIL() << "needs " << ranks() << " cuda devices, there are " << cuda_devices();
    GTEST_SKIP() << "needs " << ranks() << " cuda devices: " << cuda_reason();
  }
  held_ = std::move(Held::kept()[Held::key(GetParam())]);
  if (!held_) {
    held_ = std::make_unique<Held>();
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.mode = GetParam().mode;
    held_->engine = create_engine(options);
  }
  limit_ = std::make_unique<Limit>(*held_);
}

void OnGroup::TearDown() {
  if (!held_) return;
  const bool well = held_->well();
  if (!well) destroy_group();
  limit_.reset();
  if (well)
    Held::kept()[Held::key(GetParam())] = std::move(held_);
  else
    held_.reset();
}

rondo_engine* OnGroup::engine() const {
  return held_->engine.get();
}

void OnGroup::regroup(const rondo_comm_options& options) {
  const std::lock_guard lock(held_->mutex);
  held_->own = true;
  held_->make(GetParam(), options);
}

void OnGroup::destroy_group() {
  const std::lock_guard lock(held_->mutex);
  held_->own = true;
  held_->ends.clear();
}

void OnGroup::destroy_end(int32_t rank) {
  const std::lock_guard lock(held_->mutex);
  held_->own = true;
  held_->ends[static_cast<size_t>(rank)].reset();
}

void OnGroup::destroy_every_group() {
  destroy_group();
  Held::kept().clear();
}

std::vector<rondo_comm*> OnGroup::comms() const {
  const std::lock_guard lock(held_->mutex);
  if (held_->ends.empty()) held_->make(GetParam(), RONDO_COMM_OPTIONS_INIT);
  std::vector<rondo_comm*> all;
  for (const Comm& each : held_->ends) all.push_back(each.get());
  return all;
}

int32_t OnGroup::library() const {
  for (rondo_comm* const each : comms())
    if (each) {
      rondo_comm_info info = RONDO_COMM_INFO_INIT;
      must(rondo_comm_query(each, &info));
      return info.version;
    }
  return 0;
}

void OnGroup::each_rank(const std::function<void(int32_t)>& body) const {
  std::vector<std::exception_ptr> thrown(static_cast<size_t>(ranks()));
  std::vector<std::thread> threads;
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    if (!here(rank)) continue;
    threads.emplace_back([&body, &thrown, rank] {
      try {
        body(rank);
      } catch (...) {
        thrown[static_cast<size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (const std::exception_ptr& each : thrown)
    if (each) std::rethrow_exception(each);
}

void OnGroup::run(const RankBody& body) {
  std::vector<Results> eager(static_cast<size_t>(ranks()));
  each_rank([&](int32_t rank) { body(rank, eager[static_cast<size_t>(rank)]); });
  for (int32_t rank = 0; rank < ranks(); ++rank)
    for (const Results::Item& item : eager[static_cast<size_t>(rank)].items())
      expect_as(download(item.tensor), item.expected(), item.label + ", rank " + std::to_string(rank));
  if (!GetParam().graph) return;
  std::vector<Results> recorded(static_cast<size_t>(ranks()));
  std::vector<Graph> graphs(static_cast<size_t>(ranks()));
  for (int32_t rank = 0; rank < ranks(); ++rank)
    if (here(rank))
      graphs[static_cast<size_t>(rank)] = record(engine(), [&] { body(rank, recorded[static_cast<size_t>(rank)]); });
  each_rank([&](int32_t rank) {
    for (int launch = 0; launch < 2; ++launch) must(rondo_graph_launch(graphs[static_cast<size_t>(rank)].get()));
  });
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    if (!here(rank)) continue;
    const auto index = static_cast<size_t>(rank);
    for (size_t i = 0; i < eager[index].items().size(); ++i) {
      const Results::Item& item = eager[index].items()[i];
      expect_same_bits(download(recorded[index].items()[i].tensor), download(item.tensor),
                       item.label + ", replayed on rank " + std::to_string(rank));
    }
    const rondo_graph_info info = graph_info(graphs[index].get());
    EXPECT_EQ(info.segments, 1) << graph_report(graphs[index].get());
    EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graphs[index].get());
  }
}

Array rank_values(rondo_dtype dtype, const Shape& shape, int32_t rank) {
  Array values(dtype, shape);
  for (size_t i = 0; i < values.size(); ++i)
    values.set(i, static_cast<Real>(dtype == RONDO_BOOL ? (i + static_cast<size_t>(rank)) % 2
                                                        : (i * 3 + static_cast<size_t>(rank) * 2) % 4 + 1));
  return values;
}

void expect_failure(rondo_status status, rondo_status expected, const std::string& words) {
  EXPECT_EQ(status, expected) << rondo_last_error();
  EXPECT_NE(std::string(rondo_last_error()).find(words), std::string::npos) << rondo_last_error();
}

}  // namespace conformance
