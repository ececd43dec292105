// Times two plans on one stream and on two, and keeps which of the ways is faster.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_pair.h"

#include <algorithm>
#include <memory>

#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/settings.h"
#include "base/text.h"
#include "engine/tasks/auxiliary.h"
#include "ops/convolution/cudnn_trial.h"
#include "ops/trial/choice_table.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr int kCopies = 10;
constexpr int kRounds = 3;

std::string text_of(const Chosen& each) {
  std::string text(ConvolutionQuestion(each.problem).bytes());
  return text + text_of(each.choice->plan()->recipe());
}

Status measure(CudaDevice& device, const Chosen& first, const Chosen& second, PairTimes* times) {
  const Plan &a = *first.choice->plan(), &b = *second.choice->plan();
  ConvolutionTrial of_a(device, first.problem), of_b(device, second.problem);
  std::unique_ptr<Auxiliary> auxiliary;
  {
    const StreamDevice::Relaxed relaxed(device);
    RONDO_TRY(of_a.take());
    RONDO_TRY(of_b.take());
    RONDO_TRY(of_a.run(a));
    RONDO_TRY(of_b.run(b));
    RONDO_TRY(Auxiliary::make(device, &auxiliary));
  }
  const auto one_by_one = [&](void* stream) {
    for (int i = 0; i < kCopies; ++i) {
      RONDO_TRY(a.run(device, of_a.pointers(), of_a.workspace(), stream));
      RONDO_TRY(b.run(device, of_b.pointers(), of_b.workspace(), stream));
    }
    return Status();
  };
  const auto side_by_side = [&](void* stream) {
    for (int i = 0; i < kCopies; ++i) {
      RONDO_TRY(auxiliary->fork(stream));
      RONDO_TRY(b.run(device, of_b.pointers(), of_b.workspace(), auxiliary->stream()));
      RONDO_TRY(a.run(device, of_a.pointers(), of_a.workspace(), stream));
      RONDO_TRY(auxiliary->join(stream, true));
    }
    return Status();
  };
  // In turn, and the better of each: what comes first meets a colder device.
  for (int round = 0; round < kRounds; ++round) {
    float one = 0, two = 0;
    RONDO_TRY(of_a.time_graph(one_by_one, &one));
    RONDO_TRY(of_a.time_graph(side_by_side, &two));
    times->one_by_one_us = round == 0 ? one / kCopies : std::min(times->one_by_one_us, one / kCopies);
    times->side_by_side_us = round == 0 ? two / kCopies : std::min(times->side_by_side_us, two / kCopies);
  }
  return {};
}

Status find(CudaDevice& device, const Chosen& first, const Chosen& second, const std::string& text, PairTimes* times) {
  const KeptChoice kept("cudnn pair", text, circumstances(device));
  std::string said;
  if (kept.read(&said) && scan(said.c_str(), "%f %f", &times->one_by_one_us, &times->side_by_side_us) == 2) return {};
  *times = {};
  count_trial();
  const Status status = run_trial(device, "convolution_gradients: measuring two streams",
                                  [&] { return measure(device, first, second, times); });
  if (status.code() == RONDO_DEVICE_LOST) return status;
  if (!status.ok()) {
    log(RONDO_LOG_INFO, "convolution_gradients: two streams could not be measured: %s", status.message());
    *times = {};
    times->why_not = "could not be measured";
    return {};
  }
  kept.keep(format("%.9g %.9g", times->one_by_one_us, times->side_by_side_us));
  return {};
}

}  // namespace

Status time_pair(CudaDevice& device, const Chosen& first, const Chosen& second, PairTimes* times) {
  *times = {};
  if (setting_number(Setting::trial_ms) == 0) {
    times->why_not = "nothing is timed, as RONDO_TRIAL_MS says";
    return {};
  }
  if (!first.choice->capturable() || !second.choice->capturable()) {
    times->why_not = "not both can be captured";
    return {};
  }
  static auto* const table = new ChoiceTable<PairTimes>;
  const std::string text = text_of(first) + text_of(second);
  const PairTimes* found = nullptr;
  RONDO_TRY(table->find_or_make(
      text + device_name(device.id()),
      [&](std::unique_ptr<PairTimes>* made) {
        auto measured = std::make_unique<PairTimes>();
        RONDO_TRY(find(device, first, second, text, measured.get()));
        *made = std::move(measured);
        return Status();
      },
      &found));
  *times = *found;
  return {};
}

}  // namespace rondo::ops::dnn
