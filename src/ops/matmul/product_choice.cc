// Finds the kernel of a product in the process, on disk, or by a trial.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/settings.h"
#include "base/small_vector.h"
#include "base/text.h"
#include "engine/tasks/making_limit.h"
#include "ops/matmul/product_trial.h"
#include "ops/task/kernels_ahead.h"
#include "ops/trial/budget.h"
#include "ops/trial/choice_table.h"
#include "rtc/device_text.h"
#include "rtc/unkept.h"

namespace rondo::ops {

namespace {

// So many times the quickest by estimate is not tried: Rondo's kernels among themselves, the library's compared with
// these, and these compared with the library's.
constexpr float kOwnPlausible = 1.4F, kLibraryPlausible = 3, kPlausible = 2;
constexpr float kMargin = 0.97F;  // of the rule's time: who takes less takes its place
constexpr float kLongProductUs = 1000;
constexpr long long kShare = 4;  // of RONDO_TRIAL_MS

// The words that tell problems apart: the device's index, and all that a kernel depends on but for the numbers.
class ProductWords {
 public:
  ProductWords(int device, const Product& p) {
    put(device);
    put(p.dtype(), p.out.dtype, p.m, p.n, p.k, p.a_step[0], p.a_step[1], p.b_step[0], p.b_step[1], p.out_step[0],
        p.out_step[1], p.activation, p.allow_tf32, p.out.accumulate, p.batch.count);
    for (int d = 0; d < p.batch.count; ++d)
      put(p.batch.size[d], p.batch.stride[0][d], p.batch.stride[1][d], p.batch.stride[2][d]);
    for (const View* each : {&p.a, &p.b, &p.out}) put(alignment_of(*each, Product::kAligned));
    put(p.has_bias());
    if (p.has_bias()) put(p.bias_step, alignment_of(p.bias, 16));
    if (p.after) put(*p.after);
  }
  std::string_view all() const { return {reinterpret_cast<const char*>(words_.begin()), words_.size() * kWord}; }
  std::string_view problem() const { return all().substr(kWord); }

 private:
  static constexpr size_t kWord = sizeof(int64_t);

  template <class... T>
  void put(T... values) {
    (words_.push_back(static_cast<int64_t>(values)), ...);
  }
  void put(const RowSide& after) {
    uint8_t packed[Expression::kMaxPacked];
    const int bytes = after.expression.pack(packed);
    put(bytes);
    for (int i = 0; i < bytes; ++i) put(packed[i]);
    for (size_t k = 0; k < after.inputs.size(); ++k) {
      put(after.inputs[k].dtype, after.step[k], alignment_of(after.inputs[k], 16));
      for (int d = 0; d < after.rows.count; ++d) put(after.rows.size[d], after.rows.stride[k][d]);
    }
  }
  SmallVector<int64_t, 64> words_;
};

static_assert(sizeof(Tiling) == 9 * sizeof(float), "it has no bytes of padding");

// The device, the library, and Rondo's kernels.
std::string product_circumstances(cuda::CudaDevice& device) {
  (void)cuda::cublaslt().open();  // without it there is no version
  std::string all = device_circumstances(device) + "; cuBLASLt ";
  if (cuda::cublaslt().is_open()) all += cuda::cublaslt().version();
  for (const ProductKernel each : {ProductKernel::small_tiles, ProductKernel::middle_tiles, ProductKernel::large_tiles})
    all.append(reinterpret_cast<const char*>(tiling_of(each)), sizeof(Tiling));
  for (const char* const text : {rtc::kPreludeText, rtc::kMatmulText, rtc::kTensorCoreText, rtc::kMatmulTilesText,
                                 rtc::kMatmulRowsText, rtc::kRowFinishText})
    all += text;
  return all;
}

// "small_tiles 2.65\nlibrary 3.40\n": the kernel that was chosen, and the others.
std::string kept_text(const std::vector<ProductTime>& times) {
  std::string text;
  for (const ProductTime& each : times)
    text += format("%s %.2f\n", name_of(each.kernel), static_cast<double>(each.microseconds));
  return text;
}

bool read_kept_text(std::string_view text, std::vector<ProductTime>* times) {
  for (std::string_view line; take_part(&text, '\n', &line);) {
    std::string_view name;
    ProductTime time = {};
    if (times->size() == kProductKernels || !take_part(&line, ' ', &name) || !read_kernel(name, &time.kernel))
      return false;
    const std::string number(line);
    const char* end = nullptr;
    time.microseconds = static_cast<float>(read_decimal(number.c_str(), &end));
    if (end == number.c_str() || *end != '\0' || !std::isfinite(time.microseconds) || time.microseconds < 0)
      return false;
    times->push_back(time);
  }
  return !times->empty();
}

// "2.65 us in a chain, cuBLASLt 3.40".
std::string times_text(const std::vector<ProductTime>& times) {
  std::string text;
  for (const ProductTime& each : times) {
    const auto microseconds = static_cast<double>(each.microseconds);
    text += text.empty() ? format("%.2f us in a chain", microseconds)
                         : format(", %s %.2f", text_of(each.kernel), microseconds);
  }
  return text;
}

class ProductSelection {
 public:
  ProductSelection(cuda::CudaDevice& device, const Product& product, ProductQuestion& question,
                   std::string_view problem)
      : device_(device),
        product_(product),
        question_(question),
        kept_("product", problem, product_circumstances(device)) {}

  Status choose(bool may_try, std::unique_ptr<ProductChoice>* made) {
    bool found = false;
    RONDO_TRY(read_kept(made, &found));
    if (found) return {};
    RONDO_TRY(question_.by_rule(&rule_));
    const long long wanted = setting_number(Setting::trial_ms) * 1000 / kShare;
    const bool tries = may_try && wanted > 0 && !rtc::Unkept::current();
    if (tries) RONDO_TRY(list_candidates());
    if (kernels_are_counted()) {
      for (const ProductKernel each : candidates_) RONDO_TRY(make_cuda_matmul_by(product_, each)->prepare());
      const rtc::Kernel* between = nullptr;
      return candidates_.size() > 1 ? find_trial_kernel(device_, &between) : Status();
    }
    if (candidates_.size() > 1) {
      const TimingBudget budget = TimingBudget::of_one(wanted);
      if (budget.microseconds > 0) {
        bool can = false;
        RONDO_TRY(can_make(rule_, true, &can));
        if (!can) return {};  // it fails, and says why
        const MakingLimit tried(0, MakingLimit::kUncounted);
        const MakingLimit::Scope uncounted(&tried);
        RONDO_TRY(prepare_candidates());
        if (candidates_.size() > 1) {
          RONDO_TRY(choose_by_time(budget.microseconds, made));
          if (*made) return {};
        }
      }
    }
    *made = std::make_unique<ProductChoice>(ProductChoice{rule_, {}});
    return {};
  }

 private:
  Status read_kept(std::unique_ptr<ProductChoice>* made, bool* found) {
    std::string text;
    std::vector<ProductTime> times;
    *found = kept_.read(&text) && read_kept_text(text, &times);
    if (*found) {
      const bool rules = times[0].kernel == ProductShape(product_, device_).own_by_rule();
      RONDO_TRY(can_make(times[0].kernel, !rules, found));
    }
    if (*found) *made = std::make_unique<ProductChoice>(ProductChoice{times[0].kernel, times_text(times)});
    return {};
  }

  // An error that concerns this kernel alone means that it cannot. A stranger's program that may have no more kernels
  // ends here.
  Status can_make(ProductKernel kernel, bool prepared, bool* can) {
    *can = true;
    Status status = question_.takes(kernel, can);
    if (status.ok() && *can && prepared) {
      const StreamDevice::Relaxed relaxed(device_);
      status = make_cuda_matmul_by(product_, kernel)->prepare();
    }
    if (status.ok()) return {};
    *can = false;
    if (ends_trial(status) || (status.code() == RONDO_UNSUPPORTED && rtc::Unkept::current())) return status;
    log(RONDO_LOG_DEBUG, "rondo_matmul: %s is passed over: %s", text_of(kernel), status.message());
    return {};
  }

  // The rule's first.
  Status list_candidates() {
    candidates_ = {rule_};
    const Product& p = product_;
    if (p.k == 0 || p.m == 0 || p.n == 0 || p.batch.elements() == 0) return {};
    const ProductShape shape(p, device_);
    if (shape.estimate_us(rule_) > kLongProductUs) return {};
    constexpr ProductKernel kOwn[] = {ProductKernel::few_rows, ProductKernel::small_tiles, ProductKernel::middle_tiles,
                                      ProductKernel::large_tiles, ProductKernel::any_strides};
    float own = std::numeric_limits<float>::infinity();
    for (const ProductKernel each : kOwn)
      if (shape.takes(each)) own = std::min(own, shape.estimate_us(each));
    float library = std::numeric_limits<float>::infinity();
    for (const ProductKernel each : {ProductKernel::library, ProductKernel::library_in_two}) {
      bool takes = each == rule_;
      if (!takes && shape.estimate_us(each) <= kLibraryPlausible * own) RONDO_TRY(can_make(each, false, &takes));
      if (!takes) continue;
      library = shape.estimate_us(each);
      if (each != rule_) candidates_.push_back(each);
      break;
    }
    const float most = std::min(kOwnPlausible * own, kPlausible * library);
    for (const ProductKernel each : kOwn)
      if (each != rule_ && shape.takes(each) && shape.estimate_us(each) <= most) candidates_.push_back(each);
    return {};
  }

  // Compiles and loads what all but the rule's need; in the caller's thread, so that products are compiled side by
  // side.
  Status prepare_candidates() {
    std::vector<ProductKernel> ready = {rule_};
    for (size_t i = 1; i < candidates_.size(); ++i) {
      RONDO_TRY(MakingLimit::check());
      bool can = false;
      RONDO_TRY(can_make(candidates_[i], true, &can));
      if (can) ready.push_back(candidates_[i]);
    }
    candidates_ = std::move(ready);
    return {};
  }

  // Leaves *made null where nothing could be measured.
  Status choose_by_time(long long budget_us, std::unique_ptr<ProductChoice>* made) {
    std::vector<ProductTime> times;
    const Status status = run_trial(device_, kMatmul, [&] {
      const TimingBudget::Spender spender;
      count_trial();
      return time_products(device_, product_, candidates_, budget_us, &times);
    });
    if (ends_trial(status)) return status;
    if (!status.ok() || times.empty() || times[0].kernel != rule_) {
      log(RONDO_LOG_INFO, "rondo_matmul: kernels of a product could not be tried, the rule decides: %s",
          status.ok() ? "its own does not run" : status.message());
      return {};
    }
    // Another process may have been quicker: then both have the same bits.
    bool found = false;
    RONDO_TRY(read_kept(made, &found));
    if (found) return {};
    const auto fastest = std::min_element(times.begin(), times.end(), [](const ProductTime& a, const ProductTime& b) {
      return a.in_chain > b.in_chain || (a.in_chain == b.in_chain && a.microseconds < b.microseconds);
    });
    // A choice that is made again on another day shall be the same one.
    if (fastest->microseconds < kMargin * times[0].microseconds) std::swap(times[0], *fastest);
    if (log_enabled(RONDO_LOG_DEBUG))
      log(RONDO_LOG_DEBUG, "rondo_matmul: %lld x %lld x %lld: %s, %s", static_cast<long long>(product_.m),
          static_cast<long long>(product_.n), static_cast<long long>(product_.k), text_of(times[0].kernel),
          times_text(times).c_str());
    kept_.keep(kept_text(times));
    *made = std::make_unique<ProductChoice>(ProductChoice{times[0].kernel, times_text(times)});
    return {};
  }

  cuda::CudaDevice& device_;
  const Product& product_;
  ProductQuestion& question_;
  const KeptChoice kept_;
  ProductKernel rule_ = ProductKernel::any_strides;
  std::vector<ProductKernel> candidates_;
};

}  // namespace

Status find_product_choice(cuda::CudaDevice& device, const Product& product, bool may_try, ProductQuestion& question,
                           const ProductChoice** choice) {
  static auto* const table = new ChoiceTable<ProductChoice>;
  const ProductWords words(device.id().index, product);
  if ((*choice = table->find(words.all()))) [[likely]]
    return {};
  return table->find_or_make(
      words.all(),
      [&](std::unique_ptr<ProductChoice>* made) {
        return ProductSelection(device, product, question, words.problem()).choose(may_try, made);
      },
      choice);
}

}  // namespace rondo::ops
