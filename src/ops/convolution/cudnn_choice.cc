// Choosing plans and keeping what was chosen.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_choice.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "base/caught.h"
#include "base/dtype.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/uncancelled.h"
#include "ops/convolution/cudnn_budget.h"
#include "ops/convolution/cudnn_trial.h"
#include "rtc/disk_cache.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr size_t kKept = 3;      // plans of a choice
constexpr int kCopies = 10;      // of a plan in a graph that times it, at most
constexpr float kSlow = 3;       // so many times the best so far is not worth timing well
constexpr float kLongUs = 2000;  // what copies of a plan may take together
constexpr char kFileName[] = "cudnn convolution";

struct SameBytes {
  size_t operator()(const Problem& problem) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&problem), sizeof problem});
  }
  bool operator()(const Problem& a, const Problem& b) const { return std::memcmp(&a, &b, sizeof a) == 0; }
};

struct Entry {
  std::atomic<const Choice*> choice{nullptr};
};

rtc::Key key_of(CudaDevice& device, Problem problem) {
  problem.device = 0;  // the name of the device is in the circumstances
  rtc::KeyBuilder key;
  key.add(kFileName);
  key.add({reinterpret_cast<const char*>(&problem), sizeof problem});
  key.add(circumstances(device));
  return key.key();
}

// Where cuDNN 9 (seen on an H200) divides by zero while it proposes engines, or runs one that never ends, it is not
// asked: nobody could go on. All that were seen step in three dimensions, over a filter that leaves out some of the
// image, or adding in 16 bits.
bool is_deadly(const Problem& problem) {
  if (problem.way != kData || problem.spatial != 3) return false;
  bool leaves_out = false;
  for (int i = 0; i < 3; ++i) {
    if (problem.stride[i] == 1) return false;
    leaves_out |= problem.filter.size[i + 2] < problem.stride[i];
  }
  return leaves_out || (problem.beta && is_half(static_cast<rondo_dtype>(problem.dtype)));
}

// What has come to an end with the device, or with the host's memory, is no matter of one plan.
bool is_fatal(const Status& status) {
  return status.code() == RONDO_DEVICE_LOST || status.code() == RONDO_LIBRARY_MISSING;
}

}  // namespace

size_t workspace_limit() {
  static const auto bytes = static_cast<size_t>(setting_number(Setting::convolution_workspace_mb)) << 20;
  return bytes;
}

std::string circumstances(CudaDevice& device) {
  rondo_device_info info = RONDO_DEVICE_INFO_INIT;
  const Status known = device.query(&info);
  return format("%s %d %d driver %d; cuDNN %s; cuBLASLt %s", known.ok() ? info.name : "", device.capability(),
                device.multiprocessors(), driver().driver_version(), cudnn().version().c_str(),
                cublaslt().is_open() ? cublaslt().version().c_str() : "");
}

const Plan* Choice::plan() const {
  const size_t first = first_.load(std::memory_order_acquire);
  return first < plans_.size() ? plans_[first].get() : nullptr;
}

Status Choice::run(CudaDevice& device, const Addresses& addresses, void* workspace, size_t workspace_bytes,
                   void* stream, bool capturing) const {
  Status status = error(RONDO_UNSUPPORTED, "every plan of cuDNN for this convolution has failed");
  for (size_t i = first_.load(std::memory_order_acquire); i < plans_.size(); ++i) {
    if (plans_[i]->workspace_bytes() > workspace_bytes) continue;
    status = plans_[i]->run(device, addresses, workspace, stream);
    if (status.ok() || is_fatal(status)) return status;
    // A device that is lost says so here, and no other plan would run on it.
    if (!capturing) {
      const CudaDevice::Current current(device);
      RONDO_TRY(current.status());
      const CUresult state = driver().cuStreamQuery(static_cast<CUstream>(stream));
      if (state != CUDA_SUCCESS && state != CUDA_ERROR_NOT_READY) return device.check(state, "cuStreamQuery");
    }
    size_t expected = i;
    if (first_.compare_exchange_strong(expected, i + 1))
      log(RONDO_LOG_WARNING, "convolution: engine %s of cuDNN failed and is not used any more: %s",
          text_of(plans_[i]->recipe()).c_str(), status.message());
    if (capturing && !device.capture_check(stream).ok()) return status;
  }
  return status;
}

// Makes one choice.
class Chooser {
 public:
  Chooser(CudaDevice& device, const Problem& problem) : device_(device), problem_(problem), trial_(device, problem) {}

  Status choose(std::unique_ptr<Choice>* choice) {
    auto made = std::make_unique<Choice>();
    std::vector<Recipe> recipes;
    if (log_enabled(RONDO_LOG_DEBUG)) log(RONDO_LOG_DEBUG, "convolution: %s", text_of(problem_).c_str());
    Status status = is_deadly(problem_) ? error(RONDO_UNSUPPORTED, "cuDNN does not survive it")
                                        : OperationGraph::make(device_, problem_, &graph_);
    if (status.ok()) {
      status = take_memory();
      if (status.ok() && read_kept(&recipes)) status = take_kept(recipes, made.get());
      if (status.ok() && made->plans_.empty()) {
        status = graph_->propose(&recipes);
        if (status.ok()) status = choose_among(recipes, made.get());
      }
    }
    if (is_fatal(status)) return status;
    if (!status.ok()) log(RONDO_LOG_DEBUG, "convolution: cuDNN has no way of it: %s", status.message());
    *choice = std::move(made);
    return {};
  }

 private:
  struct Candidate {
    std::unique_ptr<Plan> plan;
    float microseconds = 0;
  };

  Status take_memory() {
    const StreamDevice::Relaxed relaxed(device_);
    const Status memory = trial_.take();
    if (memory.code() != RONDO_OUT_OF_MEMORY) return memory;
    log(RONDO_LOG_INFO, "convolution: no memory to try engines of cuDNN out; the first one is taken (%s)",
        memory.message());
    has_memory_ = false;
    return {};
  }

  // A plan of the recipe that was run once. RONDO_UNSUPPORTED and the like: this one will not do.
  Status make(const Recipe& recipe, std::unique_ptr<Plan>* plan) {
    log(RONDO_LOG_DEBUG, "convolution: engine %s of cuDNN is tried", text_of(recipe).c_str());
    const StreamDevice::Relaxed relaxed(device_);  // it loads code and takes memory
    RONDO_TRY(Plan::make(graph_, recipe, plan));
    if ((*plan)->workspace_bytes() > workspace_limit())
      return error(RONDO_UNSUPPORTED,
                   "it needs %zu bytes of workspace, more than RONDO_CONVOLUTION_WORKSPACE_MB allows",
                   (*plan)->workspace_bytes());
    if (!has_memory_) {
      // What was seen to go wrong often is not taken unseen.
      const bool half = is_half(static_cast<rondo_dtype>(problem_.dtype));
      const bool adds = problem_.beta && half;
      const bool grouped = problem_.way == kFilter && problem_.image.size[1] != problem_.filter.size[1] && half;
      return problem_.relu || adds || grouped ? error(RONDO_UNSUPPORTED, "there is no memory to see what it does")
                                              : Status();
    }
    const char* flaw = nullptr;
    RONDO_TRY(trial_.examine(**plan, &flaw));
    return flaw ? error(RONDO_UNSUPPORTED, "%s", flaw) : Status();
  }

  // Whether the recipe gives a candidate; *fatal: an error that ends the choosing.
  bool try_recipe(const Recipe& recipe, Candidate* candidate, bool* captures, Status* fatal) {
    Status status = make(recipe, &candidate->plan);
    if (status.ok() && has_memory_) {
      const Status timed = time(*candidate->plan, &candidate->microseconds);
      *captures = timed.ok();
      if (is_fatal(timed)) status = timed;
    }
    if (is_fatal(status)) *fatal = status;
    if (!status.ok())
      log(RONDO_LOG_DEBUG, "convolution: engine %s of cuDNN is passed over: %s", text_of(recipe).c_str(),
          status.message());
    else
      log(RONDO_LOG_DEBUG, "convolution: engine %s of cuDNN takes %.1f us and %zu bytes of workspace%s",
          text_of(recipe).c_str(), static_cast<double>(candidate->microseconds), candidate->plan->workspace_bytes(),
          *captures ? "" : ", and cannot be captured");
    return status.ok();
  }

  // As a graph runs it. One run first: an engine that is slow shall not take the time that the others need.
  Status time(const Plan& plan, float* microseconds) {
    RONDO_TRY(trial_.time(plan, 1, microseconds));
    if (budget_us_ > 0 && *microseconds > kSlow * best_us_) {  // unless something came between
      float again = 0;
      RONDO_TRY(trial_.time(plan, 1, &again));
      *microseconds = std::min(*microseconds, again);
    }
    if (budget_us_ == 0 || *microseconds > kSlow * best_us_) return {};
    const auto copies = static_cast<int>(std::min<float>(kCopies, kLongUs / std::max(*microseconds, 1.0F)));
    if (copies > 1) RONDO_TRY(trial_.time(plan, copies, microseconds));
    best_us_ = std::min(best_us_, *microseconds);
    return {};
  }

  Status choose_among(const std::vector<Recipe>& recipes, Choice* choice) {
    const TimingBudget::Spender spender;
    const auto start = std::chrono::steady_clock::now();
    std::vector<Candidate> good, uncapturable;
    bool deterministic = true;
    for (const Recipe& recipe : recipes) {
      // Those without fixed bits stand last, and are tried only where nothing else will do.
      if (deterministic && !recipe.deterministic && !good.empty()) break;
      deterministic = recipe.deterministic;
      Candidate candidate;
      Status fatal;
      bool captures = true;
      const bool works = try_recipe(recipe, &candidate, &captures, &fatal);
      RONDO_TRY(fatal);
      if (works) (captures ? good : uncapturable).push_back(std::move(candidate));
      const auto spent = std::chrono::steady_clock::now() - start;
      if (!good.empty() && (budget_us_ == 0 || !has_memory_ || spent > std::chrono::microseconds(budget_us_))) break;
    }
    choice->capturable_ = !good.empty();
    if (good.empty()) good = std::move(uncapturable);
    std::stable_sort(good.begin(), good.end(),
                     [](const Candidate& a, const Candidate& b) { return a.microseconds < b.microseconds; });
    RONDO_TRY(time_again(&good));
    if (good.size() > kKept) {
      // The last of them needs the least workspace of all: it serves where that of the others cannot be had.
      const auto least = std::min_element(good.begin(), good.end(), [](const Candidate& a, const Candidate& b) {
        return a.plan->workspace_bytes() < b.plan->workspace_bytes();
      });
      if (least >= good.begin() + kKept) std::swap(*least, good[kKept - 1]);
      good.resize(kKept);
    }
    for (Candidate& each : good) choice->plans_.push_back(std::move(each.plan));
    // What was chosen for want of time is for this process only.
    if (choice->capturable_ && has_memory_ && !choice->plans_.empty() && !budget_.cut) keep(*choice);
    return {};
  }

  // The best few once more, in turn: what was measured first met a colder device.
  Status time_again(std::vector<Candidate>* good) {
    const size_t count = std::min(good->size(), kKept);
    if (count < 2 || budget_us_ == 0) return {};
    for (int round = 0; round < 2; ++round)
      for (size_t i = 0; i < count; ++i) {
        float microseconds = 0;
        const Status timed = time(*(*good)[i].plan, &microseconds);
        if (is_fatal(timed)) return timed;
        if (timed.ok())
          (*good)[i].microseconds = round == 0 ? microseconds : std::min((*good)[i].microseconds, microseconds);
      }
    std::stable_sort(good->begin(), good->begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Candidate& a, const Candidate& b) { return a.microseconds < b.microseconds; });
    return {};
  }

  bool read_kept(std::vector<Recipe>* recipes) {
    std::string text;
    if (!rtc::DiskCache::instance().find(key_of(device_, problem_), &text)) return false;
    std::string_view lines = text;
    for (std::string_view line; take_part(&lines, '\n', &line) && recipes->size() < kKept;) {
      Recipe recipe;
      if (!read_recipe(std::string(line), &recipe)) return false;
      recipes->push_back(std::move(recipe));
    }
    return !recipes->empty();
  }

  // Those of an earlier process, if all of them still will do.
  Status take_kept(const std::vector<Recipe>& recipes, Choice* choice) {
    std::vector<std::unique_ptr<Plan>> plans;
    for (const Recipe& recipe : recipes) {
      Candidate candidate;
      Status fatal;
      bool captures = true;
      const bool works = try_recipe(recipe, &candidate, &captures, &fatal);
      RONDO_TRY(fatal);
      if (!works || !captures) return {};  // chosen anew
      plans.push_back(std::move(candidate.plan));
    }
    choice->plans_ = std::move(plans);
    return {};
  }

  void keep(const Choice& choice) {
    std::string text;
    for (const auto& plan : choice.plans_) text += text_of(plan->recipe()) + "\n";
    rtc::DiskCache::instance().store(key_of(device_, problem_), kFileName, text);
  }

  CudaDevice& device_;
  const Problem problem_;
  Trial trial_;
  bool has_memory_ = true;
  float best_us_ = std::numeric_limits<float>::infinity();
  const TimingBudget budget_ = TimingBudget::of_one();
  const long long budget_us_ = budget_.microseconds;
  std::shared_ptr<const OperationGraph> graph_;
};

Status find_choice(CudaDevice& device, const Problem& problem, const Choice** choice) {
  static std::mutex table;
  static auto* entries = new std::unordered_map<Problem, std::unique_ptr<Entry>, SameBytes, SameBytes>;
  Entry* entry = nullptr;
  {
    std::lock_guard lock(table);
    std::unique_ptr<Entry>& slot = (*entries)[problem];
    if (!slot) slot = std::make_unique<Entry>();
    entry = slot.get();
  }
  if ((*choice = entry->choice.load(std::memory_order_acquire))) return {};
  // One at a time on the whole: two that are timed side by side would say nothing of either.
  static std::mutex choosing;
  std::lock_guard lock(choosing);
  if ((*choice = entry->choice.load(std::memory_order_acquire))) return {};
  const Uncancelled uncancelled;
  // On a thread of its own: the caller's may be capturing, and a trial's captures must be judged as strictly as any.
  std::unique_ptr<Choice> made;
  Status status;
  std::thread([&] {
    status = caught(
        [&] {
          const CudaDevice::Current current(device);
          return current.status().ok() ? Chooser(device, problem).choose(&made) : current.status();
        },
        "convolution: choosing an engine of cuDNN");
  }).join();
  RONDO_TRY(status);
  *choice = made.release();
  entry->choice.store(*choice, std::memory_order_release);
  return {};
}

}  // namespace rondo::ops::dnn
