// The floor on cpu; see floor.h.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "floor_cpu.h"

#include <cstring>

#include <vector>

#include "floor.h"

namespace bench {

HandOff::HandOff() : thread_([this] { run(); }) {}

HandOff::~HandOff() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  some_.notify_one();
  thread_.join();
}

void HandOff::push(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  some_.notify_one();
}

void HandOff::wait() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

void HandOff::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    some_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    work();
    lock.lock();
    busy_ = false;
    if (queue_.empty()) idle_.notify_all();
  }
}

namespace {

// Not inlined, so that no addition of a chain can be folded into the next.
[[gnu::noinline]] void plain_add(const float* a, const float* b, float* c) {
  for (int i = 0; i < kElements; ++i) c[i] = a[i] + b[i];
}

class CpuFloor final : public Floor {
 public:
  void add() override {
    thread_.push([this] { plain_add(a_.data(), b_.data(), c_.data()); });
  }
  void add_new() override {
    thread_.push([this] {
      const std::unique_ptr<float[]> fresh(new float[kElements]);
      plain_add(a_.data(), b_.data(), fresh.get());
    });
  }
  void copy(std::size_t bytes) override {
    if (from_.size() < bytes) {
      wait();
      from_.assign(bytes, 1);
      to_.assign(bytes, 0);
    }
    thread_.push([this, bytes] { std::memcpy(to_.data(), from_.data(), bytes); });
  }
  void wait() override { thread_.wait(); }
  std::unique_ptr<FloorGraph> graph(int nodes, int, bool) override { return std::make_unique<Loop>(*this, nodes); }

 private:
  struct Loop final : FloorGraph {
    Loop(CpuFloor& floor, int nodes) : floor(floor), nodes(nodes) {}
    void launch() override {
      floor.thread_.push([&f = floor, n = nodes] {
        for (int i = 0; i < n; ++i) plain_add(f.c_.data(), f.b_.data(), f.c_.data());
      });
    }
    void launch_changed() override { launch(); }  // a loop has no nodes
    CpuFloor& floor;
    int nodes;
  };

  std::vector<float> a_ = std::vector<float>(kElements, 1.0F), b_ = a_, c_ = a_;
  std::vector<char> from_, to_;
  HandOff thread_;  // last: it ends before what it works on
};

}  // namespace

std::unique_ptr<Floor> make_cpu_floor() {
  return std::make_unique<CpuFloor>();
}

std::unique_ptr<Floor> make_floor(rondo_device device) {
  return device.kind == RONDO_CUDA ? make_cuda_floor(device.index) : make_cpu_floor();
}

}  // namespace bench
