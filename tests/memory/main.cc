// The host's memory is gone: the Nth allocation of the library fails, for every N, alone or with all that follow. What
// must hold then: each call says RONDO_OUT_OF_MEMORY or does its work, no wait goes on for ever, nothing that was taken
// stays taken, and as soon as there is memory again the same program gives the same results.
//
// Of several tests each takes its share of the Ns (RONDO_TEST_SHARE, "3 of 60"); without it this runs them all.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../faults/child.h"
#include "heap.h"
#include "program.h"
#include "ranks.h"

namespace memory {
namespace {

using faults::Child;
using faults::Ending;

struct Where {
  const char* name;
  rondo_device device;
  rondo_engine_mode mode;
  Subject subject = Subject::usual;
};

constexpr Where kPlaces[] = {
    {"cpu_async", {RONDO_CPU, 0}, RONDO_ENGINE_ASYNC},
    {"cpu_naive", {RONDO_CPU, 0}, RONDO_ENGINE_NAIVE},
    {"cuda_async", {RONDO_CUDA, 0}, RONDO_ENGINE_ASYNC},
    {"cuda_naive", {RONDO_CUDA, 0}, RONDO_ENGINE_NAIVE},
    {"cuda_threaded", {RONDO_CUDA, 0}, RONDO_ENGINE_THREADED},
    {"cpu_graphs", {RONDO_CPU, 0}, RONDO_ENGINE_ASYNC, Subject::graphs},
    {"cuda_graphs", {RONDO_CUDA, 0}, RONDO_ENGINE_ASYNC, Subject::graphs},
};

constexpr int64_t kTogether = 25;  // numbers that one process goes through

// Those of this test's share, up to the last.
std::vector<int64_t> numbers(int64_t last) {
  long long share = 0, shares = 1;
  if (const char* text = std::getenv("RONDO_TEST_SHARE"))
    if (std::sscanf(text, "%lld of %lld", &share, &shares) != 2 || shares < 1)
      throw std::runtime_error("RONDO_TEST_SHARE is '" + std::string(text) + "', not '3 of 60'");
  std::vector<int64_t> all;
  for (int64_t n = 1; n <= last; ++n)
    if (n % shares == share % shares) all.push_back(n);
  return all;
}

using Digests = std::map<std::string, long long>;

Digests digests(const Outcome& outcome) {
  Digests all;
  for (const auto& [name, bytes] : outcome.values) all[name] = static_cast<long long>(std::hash<std::string>()(bytes));
  return all;
}

void expect_whole(Child& child, const Outcome& outcome, const Digests& reference) {
  for (const Failure& each : outcome.failures) child.complain(each.step + " fails with memory: " + each.text);
  if (!outcome.failures.empty()) return;
  const Digests found = digests(outcome);
  for (const auto& [name, digest] : reference)
    if (const auto value = found.find(name); value == found.end() || value->second != digest)
      child.complain(name + (value == found.end() ? " is missing" : " has another value"));
}

// `also`: what else a call may say, of another rank that has failed.
void expect_told(Child& child, const Outcome& outcome, rondo_status also = RONDO_OUT_OF_MEMORY) {
  for (const Failure& each : outcome.failures)
    if ((each.status != RONDO_OUT_OF_MEMORY && each.status != also) || each.text.empty())
      child.complain(each.step + ": " + rondo_status_name(each.status) + " '" + each.text + "'");
}

int64_t in_use(rondo_engine* engine, rondo_device device) {
  rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
  return rondo_memory_query(engine, device, &info) == RONDO_OK ? info.in_use : -1;
}

std::string label(int64_t number, heap::Failing failing) {
  return "allocation " + std::to_string(number) + (failing == heap::Failing::once ? " alone" : " and all that follow");
}

class Memory : public testing::TestWithParam<Where> {
 protected:
  // What the program gives, and how much it asks for, in a process where nothing was used before and then again.
  void SetUp() override {
    const Where where = GetParam();
    const Ending ending = faults::in_child([&](Child& child) {
      const At at = [&](const std::string& step) { child.at(step); };
      heap::look_around();
      heap::count();
      const Outcome alone = run_alone(where.subject, where.mode, where.device, at);
      child.fact("cold", heap::stop());
      for (const Failure& each : alone.failures) child.complain(each.step + ": " + each.text);
      for (const auto& [name, digest] : digests(alone)) child.fact("value " + name, digest);
      rondo_engine* engine = make_engine(child, where);
      (void)run(where.subject, engine, where.device, at);
      heap::count();
      (void)run(where.subject, engine, where.device, at);
      child.fact("warm", heap::stop());
      rondo_engine_destroy(engine);
    });
    faults::expect_well(ending);
    ASSERT_TRUE(ending.facts.count("warm") && ending.facts.at("warm") > 100);
    cold_ = ending.facts.at("cold");
    warm_ = ending.facts.at("warm");
    for (const auto& [name, value] : ending.facts)
      if (name.compare(0, 6, "value ") == 0) reference_[name.substr(6)] = value;
    ASSERT_GT(reference_.size(), 15u);
  }

  static rondo_engine* make_engine(Child& child, const Where& where) {
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.mode = where.mode;
    options.workers = 2;
    rondo_engine* engine = nullptr;
    if (rondo_engine_create(&options, &engine) != RONDO_OK) child.complain(rondo_last_error());
    return engine;
  }

  // In a process of its own: what is used for the first time finds no memory.
  void cold(heap::Failing failing) const {
    const Where where = GetParam();
    for (const int64_t number : numbers(cold_))
      faults::expect_well(faults::in_child([&](Child& child) {
        const std::string what = label(number, failing);
        const At at = [&](const std::string& step) { child.at(what + ", " + step); };
        heap::look_around();
        heap::fail(number, failing);
        const Outcome failed = run_alone(where.subject, where.mode, where.device, at);
        heap::stop();
        child.in(what);
        expect_told(child, failed);
        expect_whole(child, run_alone(where.subject, where.mode, where.device, at), reference_);
      }));
  }

  // On an engine that has done all of it before, again and again.
  void warm(heap::Failing failing) const {
    const Where where = GetParam();
    const std::vector<int64_t> all = numbers(warm_);
    for (size_t begin = 0; begin < all.size(); begin += kTogether)
      faults::expect_well(faults::in_child([&](Child& child) {
        heap::look_around();
        rondo_engine* engine = make_engine(child, where);
        expect_whole(child, run(where.subject, engine, where.device, [&](const std::string& step) { child.at(step); }),
                     reference_);
        const rondo_device cpu = {RONDO_CPU, 0};
        const int64_t before = in_use(engine, where.device), before_cpu = in_use(engine, cpu);
        for (size_t i = begin; i < std::min(all.size(), begin + kTogether); ++i) {
          const std::string what = label(all[i], failing);
          const At at = [&](const std::string& step) { child.at(what + ", " + step); };
          heap::fail(all[i], failing);
          const Outcome failed = run(where.subject, engine, where.device, at);
          heap::stop();
          child.in(what);
          expect_told(child, failed);
          expect_whole(child, run(where.subject, engine, where.device, at), reference_);
          const std::string first = failed.failures.empty() ? "nothing" : failed.failures.front().step;
          child.expect(in_use(engine, where.device) == before && in_use(engine, cpu) == before_cpu,
                       "memory of the pool is lost; what failed first is " + first);
        }
        rondo_engine_destroy(engine);
      }));
  }

  int64_t cold_ = 0, warm_ = 0;
  Digests reference_;
};

INSTANTIATE_TEST_SUITE_P(Gone, Memory, testing::ValuesIn(kPlaces),
                         [](const auto& where) { return std::string(where.param.name); });

TEST_P(Memory, FirstUseSurvivesOneFailure) {
  cold(heap::Failing::once);
}
TEST_P(Memory, FirstUseSurvivesAllFailures) {
  cold(heap::Failing::from_then_on);
}
TEST_P(Memory, OneFailureIsToldAndOver) {
  warm(heap::Failing::once);
}
TEST_P(Memory, AllFailuresAreToldAndOver) {
  warm(heap::Failing::from_then_on);
}

// Two ranks: each number in a process of its own.
class MemoryOfRanks : public testing::TestWithParam<Meet> {
 protected:
  void SetUp() override {
    const Ending ending = faults::in_child([&](Child& child) {
      heap::look_around();
      heap::count();
      const Outcome alone = run_ranks(
          GetParam(), [&](const std::string& step) { child.at(step); }, [] {});
      child.fact("asked", heap::stop());
      for (const Failure& each : alone.failures) child.complain(each.step + ": " + each.text);
      for (const auto& [name, digest] : digests(alone)) child.fact("value " + name, digest);
    });
    faults::expect_well(ending);
    ASSERT_TRUE(ending.facts.count("asked") && ending.facts.at("asked") > 100);
    asked_ = ending.facts.at("asked");
    for (const auto& [name, value] : ending.facts)
      if (name.compare(0, 6, "value ") == 0) reference_[name.substr(6)] = value;
    ASSERT_EQ(reference_.size(), 14u);
  }

  void each_number(heap::Failing failing) const {
    for (const int64_t number : numbers(asked_))
      faults::expect_well(faults::in_child([&](Child& child) {
        const std::string what = label(number, failing);
        const At at = [&](const std::string& step) { child.at(what + ", " + step); };
        heap::look_around();
        heap::fail(number, failing);
        const Outcome failed = run_ranks(GetParam(), at, [] { heap::stop(); });
        heap::stop();
        child.in(what);
        expect_told(child, failed, RONDO_RANK_LOST);
        expect_whole(child, run_ranks(GetParam(), at, [] {}), reference_);
      }));
  }

  int64_t asked_ = 0;
  Digests reference_;
};

INSTANTIATE_TEST_SUITE_P(Gone, MemoryOfRanks, testing::Values(Meet::in_process, Meet::by_sockets),
                         [](const auto& meet) {
                           return meet.param == Meet::in_process ? "cpu_in_process" : "cpu_by_sockets";
                         });

TEST_P(MemoryOfRanks, OneFailureIsToldToBoth) {
  each_number(heap::Failing::once);
}
TEST_P(MemoryOfRanks, AllFailuresAreToldToBoth) {
  each_number(heap::Failing::from_then_on);
}

}  // namespace
}  // namespace memory
