// Tries Rondo's own all-reduce kernels, measures them by size, and compares them with the library.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/transport/peer_choice.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <thread>

#include "base/text.h"
#include "comm/rendezvous/agree.h"
#include "comm/rendezvous/messages.h"
#include "engine/tasks/task.h"

namespace rondo::comm {

using device::PeerMethod;

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTrial = std::chrono::seconds(5);  // after which a kernel ends by itself
constexpr auto kEnd = std::chrono::seconds(30);   // by when it has, also on a device that is busy
constexpr auto kBudget = std::chrono::milliseconds(50);
constexpr size_t kTrialElements = 8195;  // several blocks, and no whole number of units

// The sizes that are measured, and up to which size the outcome holds.
struct SizeClass {
  size_t bytes, up_to;
};
constexpr SizeClass kSizes[] = {{size_t{4} << 10, size_t{16} << 10},
                                {size_t{64} << 10, size_t{128} << 10},
                                {size_t{256} << 10, size_t{512} << 10},
                                {size_t{1} << 20, size_t{2} << 20},
                                {size_t{8} << 20, SIZE_MAX}};

std::vector<PeerMethod> methods(const SymmetricBuffers& buffers) {
  std::vector<PeerMethod> all = {device::kPeerPush, device::kPeerStage};
  if (buffers.one_process()) all.insert(all.end(), {device::kPeerPull, device::kPeerExchange});
  return all;
}

Operation sum_of(size_t count, const void* in, void* out) {
  Operation operation;
  operation.kind = Kind::all_reduce;
  operation.dtype = RONDO_F32;
  operation.reduction = RONDO_SUM;
  operation.count = count;
  operation.input = in;
  operation.output = out;
  return operation;
}

}  // namespace

const char* way_name(AllReduceMethod way) {
  static const char* const names[] = {"push", "stage", "pull", "exchange", "library"};
  return names[way];
}

AllReduceMethod PeerChoice::operator()(size_t bytes) const {
  for (const Class& each : classes_)
    if (bytes <= each.up_to) return each.way;
  return kNextWay;
}

bool PeerChoice::own() const {
  return std::any_of(classes_.begin(), classes_.end(), [](const Class& each) { return each.way != kNextWay; });
}

std::string PeerChoice::text() const {
  std::string text;
  for (const Class& each : classes_) {
    if (!text.empty()) text += ", ";
    text += each.up_to == SIZE_MAX ? format("beyond %s", way_name(each.way))
                                   : format("up to %zu bytes %s", each.up_to, way_name(each.way));
  }
  return text;
}

// A stream, events and memory to try kernels with, and the waiting for them.
class PeerMeasure {
 public:
  PeerMeasure(cuda::CudaDevice& device, Session& session, SymmetricBuffers& buffers)
      : device_(device), session_(session), buffers_(buffers) {}
  ~PeerMeasure() {
    for (void* event : events_)
      if (event) device_.event_destroy(event);
    if (stream_) device_.stream_destroy(stream_);
    for (void* memory : memory_)
      if (memory) device_.release(memory);
    if (host_) device_.release_pinned(host_);
  }
  PeerMeasure(const PeerMeasure&) = delete;
  PeerMeasure& operator=(const PeerMeasure&) = delete;

  Status prepare(size_t bytes) {
    RONDO_TRY(device_.stream_create(true, &stream_));
    for (void*& event : events_) RONDO_TRY(device_.event_create(true, &event));
    for (void*& memory : memory_) {
      RONDO_TRY(device_.allocate(bytes, &memory));
      RONDO_TRY(device_.fill_bytes(memory, 0, bytes, stream_));
    }
    return device_.allocate_pinned(kTrialElements * sizeof(float), &host_);
  }

  Status attempt(const PeerKernels& kernels, PeerMethod method) {
    auto* values = static_cast<float*>(host_);
    auto value = [](size_t i, int rank) { return static_cast<float>(static_cast<int>(i % 251) * (rank + 1)); };
    const size_t bytes = kTrialElements * sizeof(float);
    for (size_t i = 0; i < kTrialElements; ++i) values[i] = value(i, buffers_.rank());
    RONDO_TRY(device_.copy(CopyKind::host_to_device, memory_[0], host_, bytes, stream_));
    RONDO_TRY(kernels.launch(sum_of(kTrialElements, memory_[0], memory_[1]), method, stream_));
    RONDO_TRY(finish());
    RONDO_TRY(device_.copy(CopyKind::device_to_host, host_, memory_[1], bytes, stream_));
    RONDO_TRY(finish());
    if (const uint32_t late = buffers_.control().report)
      return error(RONDO_UNSUPPORTED, "nothing comes from rank %u by %s", late - 1, way_name(method));
    for (size_t i = 0; i < kTrialElements; ++i) {
      float sum = 0;
      for (int r = 0; r < buffers_.ranks(); ++r) sum += value(i, r);
      if (values[i] != sum)
        return error(RONDO_UNSUPPORTED, "a trial of %s gave %g where %g is right", way_name(method),
                     static_cast<double>(values[i]), static_cast<double>(sum));
    }
    return {};
  }

  // Microseconds of one.
  Status measure(const PeerKernels& kernels, Transport* next, AllReduceMethod way, size_t bytes, double* each) {
    const Operation operation = sum_of(bytes / sizeof(float), memory_[0], memory_[1]);
    const int runs = bytes <= size_t{1} << 20 ? 10 : 3;
    TaskContext context;
    context.device = &device_;
    context.stream = stream_;
    auto run = [&] {
      return way == kNextWay ? next->run({&operation, 1}, context)
                             : kernels.launch(operation, static_cast<PeerMethod>(way), stream_);
    };
    for (int i = 0; i < 2; ++i) RONDO_TRY(run());
    RONDO_TRY(device_.event_record(events_[0], stream_));
    for (int i = 0; i < runs; ++i) RONDO_TRY(run());
    RONDO_TRY(device_.event_record(events_[1], stream_));
    RONDO_TRY(finish(next));
    float milliseconds = 0;
    RONDO_TRY(device_.event_elapsed(events_[0], events_[1], &milliseconds));
    *each = static_cast<double>(milliseconds) * 1000 / runs;
    return {};
  }

  // The fastest way for each size, on rank 0.
  Status choose(const PeerKernels& kernels, Transport* next, PeerChoice* choice) {
    std::vector<AllReduceMethod> ways;
    for (const PeerMethod method : methods(buffers_)) ways.push_back(method);
    if (next) ways.push_back(kNextWay);
    const auto begin = Clock::now();
    for (const SizeClass& size : kSizes) {
      AllReduceMethod best = ways[0];
      double least = HUGE_VAL;
      for (const AllReduceMethod way : ways) {
        double time = 0;
        RONDO_TRY(agree(session_, "peer kernels: measure", measure(kernels, next, way, size.bytes, &time)));
        if (time < least) {
          least = time;
          best = way;
        }
      }
      const bool over = Clock::now() - begin > kBudget;
      std::vector<std::string> all;
      RONDO_TRY(agree(session_, "peer kernels: choice", {}, format("%d %d", best, over), &all));
      std::string_view rest = all[0];
      int chosen = 0;
      int last = 0;
      const bool said = take_number(&rest, INT_MIN, INT_MAX, &chosen) && take_number(&rest, 0, 1, &last);
      const auto way = std::find(ways.begin(), ways.end(), static_cast<AllReduceMethod>(chosen));
      if (!said || way == ways.end())
        return error(RONDO_INTERNAL, "rank 0 says '%.200s' of the way that is fastest", all[0].c_str());
      choice->classes_.push_back({size.up_to, *way});
      if (last) break;
    }
    choice->classes_.back().up_to = SIZE_MAX;
    return {};
  }

 private:
  // Waits for the stream, but not without end.
  Status finish(Transport* next = nullptr) {
    RONDO_TRY(device_.event_record(done(), stream_));
    const auto begin = Clock::now();
    for (bool over = false;;) {
      RONDO_TRY(device_.event_query(done(), &over));
      if (over) return {};
      const auto waited = Clock::now() - begin;
      if (waited > kEnd) {
        const Status late =
            error(RONDO_TIMED_OUT, "%s does not end a trial of the all-reduce", device_name(device_.id()).c_str());
        buffers_.abort();
        if (next) next->refuse(late), next->abort();
        (void)device_.stream_synchronize(stream_);  // nothing it uses may go before
        return late;
      }
      if (waited > std::chrono::milliseconds(1)) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  void* done() const { return events_[2]; }

  cuda::CudaDevice& device_;
  Session& session_;
  SymmetricBuffers& buffers_;
  void* stream_ = nullptr;
  void* events_[3] = {};
  void* memory_[2] = {};
  void* host_ = nullptr;
};

Status try_peer_kernels(cuda::CudaDevice& device, Session& session, SymmetricBuffers& buffers, int max_blocks) {
  const PeerKernels kernels(device, buffers, max_blocks,
                            static_cast<uint64_t>(std::chrono::nanoseconds(kTrial).count()));
  PeerMeasure measure(device, session, buffers);
  auto prepare = [&]() -> Status {
    for (const PeerMethod method : methods(buffers)) RONDO_TRY(kernels.prepare(sum_of(1, nullptr, nullptr), method));
    return measure.prepare(kTrialElements * sizeof(float));
  };
  RONDO_TRY(agree(session, "peer kernels: prepare", prepare()));
  for (const PeerMethod method : methods(buffers))
    RONDO_TRY(agree(session, "peer kernels: trial", measure.attempt(kernels, method)));
  return {};
}

Status measure_peer_kernels(cuda::CudaDevice& device, Session& session, SymmetricBuffers& buffers,
                            const PeerKernels& kernels, Transport* next, PeerChoice* choice) {
  PeerMeasure measure(device, session, buffers);
  RONDO_TRY(agree(session, "peer kernels: memory", measure.prepare(kSizes[std::size(kSizes) - 1].bytes)));
  return measure.choose(kernels, next, choice);
}

}  // namespace rondo::comm
