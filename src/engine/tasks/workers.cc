// Runs the worker threads: their queue is a pairing heap, and waiting threads may share their work.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tasks/workers.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/machine/arithmetic.h"
#include "base/machine/processors.h"

namespace rondo {

namespace {

thread_local Workers* workers_of_thread = nullptr;
thread_local bool does_a_part = false;  // of what is shared
thread_local bool helps = false;        // with what another thread has shared
thread_local bool looks_next = false;
thread_local Workers::Shares* shares_of_thread = nullptr;

// Counts how many tasks a thread of the program has pushed since its last wait, and in how many waits in a row it ran
// just the one that it had pushed.
struct Habit {
  int pushed = 0, ran = 0;
};
thread_local Habit habit;
constexpr int kEstablished = 4;

// How far a guest looks.
constexpr int kLooks = 16;

// Several times what it takes to be woken, and less than that.
constexpr std::chrono::microseconds kLongWatch{100}, kShortWatch{8};

// A task of a thread that waits as it always does, but later, is late by that.
constexpr std::chrono::microseconds kGlance{200};

// Parts that one thread does in less time are done when another one has been woken.
constexpr uint32_t kWorthWaking = 60000;  // nanoseconds

// Returns when done(), or after a while; whether it is.
template <class Done>
bool watch(const Done& done, std::chrono::microseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    for (int i = 0; i < 16; ++i) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#elif defined(__aarch64__)
      __asm__ volatile("yield");
#endif
    }
  }
  return true;
}

}  // namespace

Workers::LooksNext::LooksNext(bool does) : before_(std::exchange(looks_next, does)) {}
Workers::LooksNext::~LooksNext() {
  looks_next = before_;
}

// `took` is 0 as long as nothing is known.
Workers::Shares::Shares(std::atomic<uint32_t>& took)
    : took_(shares_of_thread ? nullptr : &took),
      worth_waking_(took.load(std::memory_order_relaxed) == 0 || took.load(std::memory_order_relaxed) >= kWorthWaking) {
  if (took_) shares_of_thread = this;
}
Workers::Shares::~Shares() {
  if (!took_) return;
  shares_of_thread = nullptr;
  if (sum_ > 0) took_->store(static_cast<uint32_t>(std::min<int64_t>(sum_, UINT32_MAX)), std::memory_order_relaxed);
}

Workers::Blocking::Blocking() : workers_(workers_of_thread) {
  if (!workers_) return;
  const std::lock_guard lock(workers_->mutex_);
  ++workers_->blocked_;
  if (workers_->count_ - workers_->blocked_ >= workers_->wanted_) return;
  try {
    workers_->threads_.reserve(workers_->threads_.size() + 1);  // once a thread runs nothing may fail
    workers_->threads_.push_back(start_thread([workers = workers_] { workers->loop(); }));
    ++workers_->count_;
  } catch (const std::exception&) {
    // The system has no thread or no memory left; the tasks wait for those there are.
  }
}

Workers::Blocking::~Blocking() {
  if (!workers_) return;
  const std::lock_guard lock(workers_->mutex_);
  --workers_->blocked_;
}

Workers::Workers(std::string name, int threads, std::function<void(Task&)> body, std::function<void()> call)
    : name_(std::move(name)), body_(std::move(body)), call_(std::move(call)), processors_(known_processors()) {
  try {
    const std::lock_guard lock(mutex_);
    threads_.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i) threads_.push_back(start_thread([this] { loop(); }));
  } catch (const std::exception&) {
    if (threads_.empty()) throw;  // with fewer than wished for the work gets done too
  }
  wanted_ = count_ = static_cast<int>(threads_.size());
}

Workers::~Workers() {
  stop();
}

void Workers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    offers_.fetch_add(1, std::memory_order_release);
  }
  work_.notify_all();
  // A task that waits may have started one more meanwhile.
  for (;;) {
    std::vector<Thread> threads;
    {
      std::lock_guard lock(mutex_);
      threads.swap(threads_);
    }
    if (threads.empty()) return;
    for (Thread& thread : threads) thread.join();
  }
}

bool Workers::Heap::comes_first(const Task& a, const Task& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.order_ < b.order_;
}

// The one that comes first takes the other under it. Either may be null.
Task* Workers::Heap::meld(Task* a, Task* b) {
  if (!a || !b) return a ? a : b;
  if (comes_first(*b, *a)) std::swap(a, b);
  b->next_ = std::exchange(a->under_, b);
  return a;
}

void Workers::Heap::push(Task& task) {
  task.next_ = task.under_ = nullptr;
  top_ = meld(top_, &task);
}

// Melds the tasks that were below it: in pairs from the left, then all pairs from the right.
Task& Workers::Heap::take(Task** link) {
  Task& taken = **link;
  *link = taken.next_;
  Task* pairs = nullptr;
  for (Task* each = taken.under_; each;) {
    Task* const first = each;
    Task* const second = first->next_;
    each = second ? second->next_ : nullptr;
    first->next_ = nullptr;
    if (second) second->next_ = nullptr;
    Task* const pair = meld(first, second);
    pair->next_ = std::exchange(pairs, pair);
  }
  while (pairs) {
    Task* const pair = pairs;
    pairs = std::exchange(pair->next_, nullptr);
    top_ = meld(top_, pair);
  }
  return taken;
}

Task* Workers::Heap::take(const std::function<bool(Task&)>& wanted, int looks) {
  Task** const link = find(&top_, wanted, looks);
  return link ? &take(link) : nullptr;
}

Task** Workers::Heap::find(Task** link, const std::function<bool(Task&)>& wanted, int& looks) {
  for (; *link && looks-- > 0; link = &(*link)->next_) {
    if (wanted(**link)) return link;
    if (Task** below = find(&(*link)->under_, wanted, looks)) return below;
  }
  return nullptr;
}

bool Workers::push(Task& task) {
  bool wake = false, call = false;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return false;
    (task.lendable() ? lendable_ : others_).push(task);
    const bool own = looks_next && workers_of_thread == this;
    if (!own) offers_.fetch_add(1, std::memory_order_release);
    if ((idle_ > 0 || guests_ > 0) && !own) {
      wake = idle_ > 0 && !leaves_it_to_the_waiter(task);
      call = calls_guests();
    }
  }
  if (wake) this->wake();
  if (call) [[unlikely]]
    call_();
  return true;
}

Task& Workers::pop() {
  if (lendable_.empty() || others_.empty()) return (lendable_.empty() ? others_ : lendable_).pop();
  return (Heap::comes_first(*others_.top(), *lendable_.top()) ? others_ : lendable_).pop();
}

void Workers::wake_for_what_is_left() {
  if (!empty() && idle_ > 0) wake();
}

// The thread that pushes it waits next, as it has done several times, and runs it then. If it does not, it pushes
// another task, for which a thread is woken, or a glance finds the task.
bool Workers::leaves_it_to_the_waiter(const Task& task) {
  Habit& own = habit;
  if (workers_of_thread) return false;
  const bool first = own.pushed == 0, leaves = first && own.ran >= kEstablished && glances_ && task.lendable();
  own.pushed = first ? 1 : 2;  // or more
  if (!first) own.ran = 0;
  left_ += leaves;
  return leaves;
}

void Workers::sleep(std::unique_lock<std::mutex>& lock) {
  ++idle_;
  if (waiters_run_ && !glances_) {
    glances_ = true;
    const uint64_t before = left_;
    if (work_.wait_for(lock, kGlance) == std::cv_status::timeout) waiters_run_ = left_ != before;
    glances_ = false;
  } else {
    work_.wait(lock);
  }
  --idle_;
}

bool Workers::calls_guests() const {
  return guests_ > 0 && idle_ == 0 && computing_ < wanted_ && !lendable_.empty();
}

Workers::Guest::Guest(Workers& workers) : workers_(workers) {
  const std::lock_guard lock(workers_.mutex_);
  ++workers_.guests_;
}

void Workers::Guest::leave() {
  Habit& own = habit;
  if (own.pushed > 0) own = {};  // others ran it
  const std::lock_guard lock(workers_.mutex_);
  --workers_.guests_;
  workers_.wake_for_what_is_left();
}

Task* Workers::Guest::take(const std::function<bool(Task&)>& wanted) {
  const std::lock_guard lock(workers_.mutex_);
  Task* task = nullptr;
  if (workers_.computing_ < workers_.wanted_) task = workers_.lendable_.take(wanted, kLooks);
  if (task) ++workers_.computing_;
  if (Habit& own = habit; task && own.pushed == 1) {
    own = {0, std::min(own.ran + 1, kEstablished)};
    workers_.waiters_run_ |= own.ran == kEstablished;
  }
  workers_.wake_for_what_is_left();
  return task;
}

void Workers::Guest::run(Task& task) {
  const DefaultArithmetic arithmetic;
  Workers* const before = std::exchange(workers_of_thread, &workers_);
  workers_.body_(task);
  workers_of_thread = before;
  const std::lock_guard lock(workers_.mutex_);
  --workers_.computing_;
}

// The task's own thread takes parts from the front and those that help take them from the back, so that what they work
// on meets once, and a thread is likely to find what it has made itself.
void Workers::share(int64_t parts, const std::function<void(int64_t)>& body) {
  struct Ends {
    const std::function<void(int64_t)>& body;
    const int64_t parts;
    std::atomic<int64_t> front{0}, back{0};
  } ends{body, parts};
  const std::function<void(int64_t)> from_an_end = [&ends](int64_t) {
    ends.body(helps ? ends.parts - 1 - ends.back.fetch_add(1, std::memory_order_relaxed)
                    : ends.front.fetch_add(1, std::memory_order_relaxed));
  };
  const bool shares = workers_of_thread && parts > 1 && !does_a_part;
  Shared shared{shares ? from_an_end : body, parts};
  if (shares)
    workers_of_thread->share_out(shared);
  else
    shared.work();
  if (shared.failed) std::rethrow_exception(std::move(shared.thrown));
}

void Workers::Shared::work() noexcept {
  const bool before = std::exchange(does_a_part, does_a_part || parts > 1);
  try {
    for (int64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) body(part);
  } catch (...) {
    next.store(parts, std::memory_order_relaxed);
    if (!failed.exchange(true)) thrown = std::current_exception();
  }
  does_a_part = before;
}

void Workers::share_out(Shared& shared) {
  Shares* const sum = shares_of_thread;
  const auto begin = sum ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  int64_t wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    shared_.push_back(&shared);
    offers_.fetch_add(1, std::memory_order_release);
    if (!sum || sum->worth_waking()) wanted = std::min<int64_t>(idle_, shared.parts - 1);
  }
  for (; wanted > 0; --wanted) wake();
  shared.work();
  int joined = 1;
  {
    const std::lock_guard lock(mutex_);
    std::erase(shared_, &shared);  // no further thread takes a part
    joined = shared.joined;
  }
  const auto alone = [&shared] { return shared.helpers.load(std::memory_order_acquire) == 0; };
  if (!watch(alone, kLongWatch)) {
    std::unique_lock lock(mutex_);
    helped_.wait(lock, alone);
  }
  if (sum) sum->add((std::chrono::steady_clock::now() - begin) * joined);
}

void Workers::help(std::unique_lock<std::mutex>& lock) {
  Shared& shared = *shared_.front();
  ++shared.helpers;
  ++shared.joined;
  ++computing_;
  lock.unlock();
  set_default_arithmetic();
  helps = true;
  shared.work();
  helps = false;
  lock.lock();
  --computing_;
  std::erase(shared_, &shared);
  if (shared.helpers.fetch_sub(1, std::memory_order_acq_rel) == 1) helped_.notify_all();  // it is gone
}

// To be woken takes longer than many a task: a thread that has just worked watches a while for what comes next. The
// longer, the more often something came: a processor that only watches is one that others do not have.
void Workers::look(std::unique_lock<std::mutex>& lock, std::chrono::microseconds& patience) {
  const uint64_t before = offers_.load(std::memory_order_relaxed);
  ++looking_;
  lock.unlock();
  const bool came = watch([&] { return offers_.load(std::memory_order_acquire) != before; }, patience);
  patience = std::clamp(came ? patience * 2 : patience / 2, kShortWatch, kLongWatch);
  lock.lock();
  --looking_;
}

void Workers::loop() {
  pthread_setname_np(pthread_self(), name_.substr(0, 15).c_str());
  workers_of_thread = this;
  set_default_arithmetic();  // it has that of the thread that made it
  auto patience = kLongWatch;
  std::unique_lock lock(mutex_);
  for (bool looks = false;; looks = true) {
    while (empty() && shared_.empty() && !stopping_) {
      if (looks && looking_ + computing_ < processors_) {
        const uint64_t before = offers_.load(std::memory_order_relaxed);
        look(lock, patience);
        looks = offers_.load(std::memory_order_relaxed) != before;  // again, if others were faster
        continue;
      }
      sleep(lock);
    }
    if (empty()) {
      if (shared_.empty()) return;
      help(lock);
      continue;
    }
    Task& task = pop();
    const bool computes = task.lendable();
    computing_ += computes;
    wake_for_what_is_left();
    const bool call = calls_guests();
    lock.unlock();
    if (call) [[unlikely]]
      call_();
    body_(task);
    lock.lock();
    computing_ -= computes;
  }
}

}  // namespace rondo
