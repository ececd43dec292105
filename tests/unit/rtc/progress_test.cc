// Telling of long compiles: who is told, of what, and when it ends. Nothing here goes by how fast the machine is: what
// takes long goes on until it was told of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "rtc/progress.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace rondo::rtc {
namespace {

using std::chrono::milliseconds;

struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  struct Report {
    std::string kernel;  // "" in the last
    int64_t done, known;
    double seconds;
  };
  std::vector<Report> reports;
  bool destroyed = false;

  static void receive(void* arg, const char* kernel, int64_t done, int64_t known, double seconds) {
    auto* self = static_cast<Told*>(arg);
    std::lock_guard lock(self->mutex);
    self->reports.push_back({kernel ? kernel : "", done, known, seconds});
    self->changed.notify_all();
  }
  static void destroy(void* arg) { static_cast<Told*>(arg)->destroyed = true; }
  Report wait_for(size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reports.size() >= count; });
    return reports[count - 1];
  }
};

// Never destroyed, as the process's own: its thread looks at it until it ends by itself.
Progress& make_progress(Progress::Clock::duration patience) {
  static auto* const all = new std::vector<std::unique_ptr<Progress>>;
  return *all->emplace_back(std::make_unique<Progress>(patience));
}

TEST(Progress, TellsOfALongCompile) {
  Progress& progress = make_progress(milliseconds(20));
  Told told;
  progress.set(Told::receive, &told, Told::destroy);
  {
    const Progress::Compiling first(progress, "add"), second(progress, "mul");
    size_t count = 1;
    while (told.wait_for(count).known < 2) ++count;  // of a machine that was busy between the two
    const Told::Report report = told.wait_for(count);
    EXPECT_EQ(report.kernel, "add");
    EXPECT_EQ(report.done, 0);
    EXPECT_EQ(report.known, 2);
    EXPECT_GE(report.seconds, 0.02);
    EXPECT_GT(told.wait_for(count + 1).seconds, report.seconds) << "again, as long as it goes on";
  }
  std::unique_lock lock(told.mutex);
  told.changed.wait(lock, [&] { return told.reports.back().kernel.empty(); });
  EXPECT_EQ(told.reports.back().done, 2);
  EXPECT_EQ(told.reports.back().known, 2);
  lock.unlock();
  progress.set(nullptr, nullptr, nullptr);
  EXPECT_TRUE(told.destroyed);
}

TEST(Progress, TellsOfMuchThatIsAhead) {
  Progress& progress = make_progress(std::chrono::hours(1));
  Told told;
  progress.set(Told::receive, &told, nullptr);
  Progress::Ahead ahead(progress, int64_t{1} << 40);
  {
    const Progress::Compiling first(progress, "add");
    std::this_thread::sleep_for(milliseconds(20));
  }
  ahead.one_is_ready();
  const Progress::Compiling second(progress, "mul");
  const Told::Report report = told.wait_for(1);
  EXPECT_EQ(report.kernel, "mul");
  EXPECT_EQ(report.done, 1);
  EXPECT_EQ(report.known, int64_t{1} << 40);
  progress.set(nullptr, nullptr, nullptr);
}

TEST(Progress, WhoIsReplacedHearsNoMore) {
  Progress& progress = make_progress(milliseconds(1));
  Told first, second;
  progress.set(Told::receive, &first, Told::destroy);
  const Progress::Compiling compiling(progress, "add");
  first.wait_for(1);
  progress.set(Told::receive, &second, nullptr);
  EXPECT_TRUE(first.destroyed);
  const size_t before = first.reports.size();
  second.wait_for(2);
  EXPECT_EQ(first.reports.size(), before);
  progress.set(nullptr, nullptr, nullptr);
  const size_t silent = second.reports.size();
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(second.reports.size(), silent);
}

TEST(Progress, StartsWhenSomebodyAsksInBetween) {
  Progress& progress = make_progress(milliseconds(1));
  Told told;
  const Progress::Compiling compiling(progress, "add");
  progress.set(Told::receive, &told, nullptr);
  EXPECT_EQ(told.wait_for(1).kernel, "add");
  progress.set(nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace rondo::rtc
