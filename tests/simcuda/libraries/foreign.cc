// Work of other simulated libraries. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "libraries/foreign.h"

#include <utility>

#include "capture.h"

namespace simcuda {
namespace {

struct ForeignWork final : Work, std::enable_shared_from_this<ForeignWork> {
  explicit ForeignWork(const SimcudaForeign& from) : it(from), spans(from.spans, from.spans + from.n_spans) {}
  ~ForeignWork() override {
    if (held) it.drop(it.argument);
  }

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_KERNEL; }
  std::string name() const override { return it.name; }
  void run(Device&) const override {}
  bool start(Device& device, const TaskRef& task) const override;

  SimcudaForeign it;
  std::vector<SimcudaSpan> spans;
  bool held = false;  // it was enqueued
};

struct Token {
  std::shared_ptr<const ForeignWork> work;
  TaskRef task;
};

bool ForeignWork::start(Device& device, const TaskRef& task) const {
  {
    Driver& d = driver();
    Lock lock(d.mutex);
    for (const SimcudaSpan& span : spans) {
      if (span.bytes == 0) continue;
      Device* owner = d.device_of(span.address);
      if (owner == nullptr || !owner->heap.inside(span.address, span.bytes)) {
        lose_device(device, CUDA_ERROR_ILLEGAL_ADDRESS,
                    std::string(it.name) + (span.written ? " writes " : " reads ") + std::to_string(span.bytes) +
                        " bytes " + (owner == nullptr ? "that are on no device" : owner->heap.describe(span.address)));
        return true;
      }
      if (span.written != 0 || !settings().check) continue;
      std::size_t unwritten = owner->heap.first_unwritten(span.address, span.bytes);
      if (unwritten != span.bytes)
        report(std::string(it.name) + " reads device memory that was never written, " +
               owner->heap.describe(span.address + unwritten));
    }
  }
  it.start(it.argument, new Token{shared_from_this(), task});
  return false;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int simcuda_foreign_enqueue(void* handle, const SimcudaForeign* from) {
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(static_cast<CUstream>(handle), &stream)) return error;
  auto work = std::make_shared<ForeignWork>(*from);
  work->held = true;
  // A node from which two go on: the work, and one of the library's own.
  const bool forks = from->forks != 0 && stream->capture != nullptr;
  if (forks)
    if (const CUresult error = enqueue(stream, std::make_shared<EmptyWork>())) {
      work->held = false;
      return error;
    }
  const std::vector<std::shared_ptr<Node>> before = stream->frontier;
  CUresult error = enqueue(stream, work);
  if (error != CUDA_SUCCESS) work->held = false;
  if (error == CUDA_SUCCESS && forks) {
    const std::vector<std::shared_ptr<Node>> own = std::exchange(stream->frontier, before);
    error = enqueue(stream, std::make_shared<EmptyWork>());
    stream->frontier.insert(stream->frontier.end(), own.begin(), own.end());
  }
  return error;
}

__attribute__((visibility("default"))) void simcuda_foreign_done(void* token) {
  std::unique_ptr<Token> done(static_cast<Token*>(token));
  Driver& d = driver();
  Lock lock(d.mutex);
  for (const SimcudaSpan& span : done->work->spans)
    if (Device* owner = span.written != 0 && span.bytes != 0 ? d.device_of(span.address) : nullptr)
      owner->heap.mark_written(span.address, span.bytes);
  d.scheduler.complete(done->task);
  done->work.reset();
}

__attribute__((visibility("default"))) int simcuda_foreign_stream(void* handle, int* capturing) {
  Lock lock(driver().mutex);
  std::shared_ptr<Stream> stream = find_stream(static_cast<CUstream>(handle));
  if (stream == nullptr) return -1;
  *capturing = stream->capture != nullptr ? 1 : 0;
  return stream->device->ordinal;
}

__attribute__((visibility("default"))) void simcuda_foreign_report(const char* text) {
  Lock lock(driver().mutex);
  report(text);
}

}  // extern "C"
}  // namespace simcuda
