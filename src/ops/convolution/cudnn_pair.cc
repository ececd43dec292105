// Times two plans on one stream and on two, and keeps which of the ways is faster.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/convolution/cudnn_pair.h"

#include <algorithm>
#include <map>
#include <thread>

#include "base/caught.h"
#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/threads/thread.h"
#include "base/threads/uncancelled.h"
#include "engine/tasks/auxiliary.h"
#include "ops/convolution/cudnn_trial.h"
#include "rtc/disk_cache.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr char kFileName[] = "cudnn pair";
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
  rtc::KeyBuilder key;
  key.add(kFileName);
  key.add(text);
  key.add(circumstances(device));
  std::string kept;
  if (rtc::DiskCache::instance().find(key.key(), &kept) &&
      scan(kept.c_str(), "%f %f", &times->one_by_one_us, &times->side_by_side_us) == 2)
    return {};
  *times = {};
  Status status;
  count_trial();
  const Uncancelled uncancelled;
  // On a thread of its own, as choices are made.
  start_thread([&] {
    status = caught(
        [&] {
          const CudaDevice::Current current(device);
          return current.status().ok() ? measure(device, first, second, times) : current.status();
        },
        "convolution_gradients: measuring two streams");
  }).join();
  if (status.code() == RONDO_DEVICE_LOST) return status;
  if (!status.ok()) {
    log(RONDO_LOG_INFO, "convolution_gradients: two streams could not be measured: %s", status.message());
    *times = {};
    times->why_not = "could not be measured";
    return {};
  }
  rtc::DiskCache::instance().store(key.key(), kFileName,
                                   format("%.9g %.9g", times->one_by_one_us, times->side_by_side_us));
  return {};
}

}  // namespace

Status time_pair(CudaDevice& device, const Chosen& first, const Chosen& second, PairTimes* times) {
  *times = {};
  if (setting_number(Setting::convolution_timing_ms) == 0) {
    times->why_not = "nothing is timed, as RONDO_CONVOLUTION_TIMING_MS says";
    return {};
  }
  if (!first.choice->capturable() || !second.choice->capturable()) {
    times->why_not = "not both can be captured";
    return {};
  }
  static std::mutex measuring;  // two measurements at once would say nothing of either
  static auto* known = new std::map<std::string, PairTimes>;
  std::lock_guard lock(measuring);
  const std::string text = text_of(first) + text_of(second);
  const auto found = known->try_emplace(text + device_name(device.id()));
  if (found.second)
    if (const Status status = find(device, first, second, text, &found.first->second); !status.ok()) {
      known->erase(found.first);
      return status;
    }
  *times = found.first->second;
  return {};
}

}  // namespace rondo::ops::dnn
