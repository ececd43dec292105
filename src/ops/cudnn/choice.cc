// Chooses among cuDNN's plans for a problem by trying and timing them, and keeps the choice.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn/choice.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string_view>

#include "base/log.h"
#include "base/sort_few.h"
#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "ops/trial/budget.h"
#include "ops/trial/choice_table.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr size_t kKept = 3;      // plans of a choice
constexpr int kCopies = 10;      // of a plan in a graph that times it, at most
constexpr float kSlow = 3;       // so many times the best so far is not worth timing well
constexpr float kLongUs = 2000;  // what copies of a plan may take together

// A failure that does not concern a single plan.
bool is_fatal(const Status& status) {
  return status.code() == RONDO_LIBRARY_MISSING || ends_trial(status);
}

}  // namespace

bool available() {
  static const bool found = [] {
    const Status status = cudnn().open();
    if (!status.ok())
      log(RONDO_LOG_WARNING, "cuDNN cannot be used, convolutions and attention on GPUs go to Rondo's own kernels: %s",
          status.message());
    return status.ok();
  }();
  return found;
}

std::string circumstances(CudaDevice& device) {
  return device_circumstances(device) + format("; cuDNN %s; cuBLASLt %s", cudnn().version().c_str(),
                                               cublaslt().is_open() ? cublaslt().version().c_str() : "");
}

const Plan* Choice::plan() const {
  const size_t first = first_.load(std::memory_order_acquire);
  return first < plans_.size() ? plans_[first].get() : nullptr;
}

Status Choice::run(CudaDevice& device, const Pointers& pointers, void* workspace, size_t workspace_bytes, void* stream,
                   bool capturing) const {
  Status status = error(RONDO_UNSUPPORTED, "every plan of cuDNN for this %s has failed", family_);
  for (size_t i = first_.load(std::memory_order_acquire); i < plans_.size(); ++i) {
    if (plans_[i]->workspace_bytes() > workspace_bytes) continue;
    status = plans_[i]->run(device, pointers, workspace, stream);
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
      log(RONDO_LOG_WARNING, "%s: engine %s of cuDNN failed and is not used any more: %s", family_,
          text_of(plans_[i]->recipe()).c_str(), status.message());
    if (capturing && !device.capture_check(stream).ok()) return status;
  }
  return status;
}

// Makes one choice.
class PlanSelection {
 public:
  PlanSelection(CudaDevice& device, const Question& question)
      : device_(device),
        question_(question),
        family_(question.promises().family),
        kept_file_(std::string("cudnn ") + family_),
        trial_(question.trial(device)),
        budget_(TimingBudget::of_one(question.timing_us())) {}

  Status choose(std::unique_ptr<Choice>* choice) {
    auto made = std::make_unique<Choice>(family_);
    std::vector<Recipe> recipes;
    if (log_enabled(RONDO_LOG_DEBUG)) log(RONDO_LOG_DEBUG, "%s: %s", family_, question_.text().c_str());
    Handles* handles = nullptr;
    Status status = handles_of(device_, &handles);
    if (status.ok()) status = describe(*handles, question_, &graph_);
    if (status.ok()) {
      kept_.emplace(kept_file_.c_str(), question_.bytes(), circumstances(device_));  // of a library that is open
      status = take_memory();
      if (status.ok() && read_kept(&recipes)) status = take_kept(recipes, made.get());
      if (status.ok() && made->plans_.empty()) {
        status = graph_->propose(&recipes);
        if (status.ok()) status = choose_among(recipes, made.get());
      }
    }
    if (is_fatal(status)) return status;
    if (!status.ok()) log(RONDO_LOG_DEBUG, "%s: cuDNN has no way of it: %s", family_, status.message());
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
    const Status memory = trial_->take();
    if (memory.code() != RONDO_OUT_OF_MEMORY) return memory;
    log(RONDO_LOG_INFO, "%s: no memory to try engines of cuDNN out; %s (%s)", family_,
        question_.taken_unseen() ? "the first one is taken" : "none is taken", memory.message());
    has_memory_ = false;
    return {};
  }

  // A plan of the recipe that was run once. RONDO_UNSUPPORTED and the like: this one will not do.
  Status make(const Recipe& recipe, std::unique_ptr<Plan>* plan) {
    log(RONDO_LOG_DEBUG, "%s: engine %s of cuDNN is tried", family_, text_of(recipe).c_str());
    const StreamDevice::Relaxed relaxed(device_);  // it loads code and takes memory
    RONDO_TRY(Plan::make(graph_, recipe, plan));
    if (const size_t bytes = (*plan)->workspace_bytes(); bytes > question_.workspace_limit())
      return error(RONDO_UNSUPPORTED, "it needs %zu bytes of workspace, more than the %zu that are allowed", bytes,
                   question_.workspace_limit());
    if (!has_memory_)
      return question_.taken_unseen() ? Status() : error(RONDO_UNSUPPORTED, "there is no memory to see what it does");
    const char* flaw = nullptr;
    RONDO_TRY(trial_->examine(**plan, &flaw));
    return flaw ? error(RONDO_UNSUPPORTED, "%s", flaw) : Status();
  }

  // Returns whether the recipe gives a candidate; *fatal: an error that ends the choosing.
  bool try_recipe(const Recipe& recipe, Candidate* candidate, bool* captures, Status* fatal) {
    Status status = make(recipe, &candidate->plan);
    if (status.ok() && has_memory_) {
      const Status timed = time(*candidate->plan, &candidate->microseconds);
      *captures = timed.ok();
      if (is_fatal(timed)) status = timed;
    }
    if (is_fatal(status)) *fatal = status;
    if (!status.ok())
      log(RONDO_LOG_DEBUG, "%s: engine %s of cuDNN is passed over: %s", family_, text_of(recipe).c_str(),
          status.message());
    else
      log(RONDO_LOG_DEBUG, "%s: engine %s of cuDNN takes %.1f us and %zu bytes of workspace%s", family_,
          text_of(recipe).c_str(), static_cast<double>(candidate->microseconds), candidate->plan->workspace_bytes(),
          *captures ? "" : ", and cannot be captured");
    return status.ok();
  }

  // As a graph runs it. One run first: an engine that is slow shall not take the time that the others need.
  Status time(const Plan& plan, float* microseconds) {
    RONDO_TRY(trial_->time(plan, 1, microseconds));
    if (budget_us_ > 0 && *microseconds > kSlow * best_us_) {  // unless something came between
      float again = 0;
      RONDO_TRY(trial_->time(plan, 1, &again));
      *microseconds = std::min(*microseconds, again);
    }
    if (budget_us_ == 0 || *microseconds > kSlow * best_us_) return {};
    const auto copies = static_cast<int>(std::min<float>(kCopies, kLongUs / std::max(*microseconds, 1.0F)));
    if (copies > 1) RONDO_TRY(trial_->time(plan, copies, microseconds));
    best_us_ = std::min(best_us_, *microseconds);
    return {};
  }

  Status choose_among(const std::vector<Recipe>& recipes, Choice* choice) {
    const TimingBudget::Spender spender;
    count_trial();
    std::optional<std::chrono::steady_clock::time_point> start;
    std::vector<Candidate> good, uncapturable;
    bool deterministic = true;
    for (const Recipe& recipe : recipes) {
      RONDO_TRY(MakingLimit::check());
      // Those without fixed bits stand last, and are tried only where nothing else will do.
      if (deterministic && !recipe.deterministic && !good.empty()) break;
      deterministic = recipe.deterministic;
      Candidate candidate;
      Status fatal;
      bool captures = true;
      const bool works = try_recipe(recipe, &candidate, &captures, &fatal);
      RONDO_TRY(fatal);
      if (works) (captures ? good : uncapturable).push_back(std::move(candidate));
      // Time counts from the first on: with it the library loads what all of them need, seconds from a cold disk.
      const auto now = std::chrono::steady_clock::now();
      if (!start) start = now;
      const bool spent = now - *start > std::chrono::microseconds(budget_us_);
      if (!good.empty() && (budget_us_ == 0 || !has_memory_ || spent)) break;
    }
    choice->capturable_ = !good.empty();
    if (good.empty()) good = std::move(uncapturable);
    put_fastest_first(&good, good.size());
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
    // A choice that was cut short by the budget of time is for this process only.
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
    put_fastest_first(good, count);
    return {};
  }
  static void put_fastest_first(std::vector<Candidate>* good, size_t count) {
    sort_few(good->data(), static_cast<int>(count),
             [](const Candidate& a, const Candidate& b) { return a.microseconds < b.microseconds; });
  }

  bool read_kept(std::vector<Recipe>* recipes) {
    std::string text;
    if (!kept_->read(&text)) return false;
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
    kept_->keep(text);
  }

  CudaDevice& device_;
  const Question& question_;
  const char* const family_;
  const std::string kept_file_;
  std::optional<KeptChoice> kept_;
  const std::unique_ptr<Trial> trial_;
  bool has_memory_ = true;
  float best_us_ = std::numeric_limits<float>::infinity();
  const TimingBudget budget_;
  const long long budget_us_ = budget_.microseconds;
  std::shared_ptr<const OperationGraph> graph_;
};

Status describe(Handles& handles, const Question& question, std::shared_ptr<const OperationGraph>* graph) {
  const auto made = std::make_shared<OperationGraph>(handles, question.promises());
  RONDO_TRY(question.describe(made.get()));
  RONDO_TRY(made->finish());
  *graph = made;
  return {};
}

Status find_choice(CudaDevice& device, const Question& question, const Choice** choice) {
  static auto* const table = new ChoiceTable<Choice>;
  const int index = device.id().index;
  std::string name(reinterpret_cast<const char*>(&index), sizeof index);
  name.append(question.promises().family).append(question.bytes());
  if ((*choice = table->find(name))) return {};
  return table->find_or_make(
      name,
      [&](std::unique_ptr<Choice>* made) {
        return run_trial(device, "choosing an engine of cuDNN",
                         [&] { return PlanSelection(device, question).choose(made); });
      },
      choice);
}

}  // namespace rondo::ops::dnn
