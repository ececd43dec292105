// Entry points: streams and events.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capture.h"

namespace simcuda {
namespace {

// A mark after everything the stream holds so far.
TaskRef mark(Stream& stream) {
  auto task = std::make_shared<Task>();
  append(stream, task);
  return task;
}

// An event that was last recorded in a capture has no completion to ask about.
CUresult check_event(Event& event) {
  if (event.capture == nullptr) return check_unsafe();
  if (event.capture->ended) return CUDA_ERROR_INVALID_VALUE;
  invalidate(*event.capture);
  return CUDA_ERROR_CAPTURED_EVENT;
}

}  // namespace

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  SIM_ENTER(cuStreamCreateWithPriority);
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  auto made = std::make_shared<Stream>();
  made->device = current_device();
  made->id = d.next_id++;
  made->flags = flags;
  made->priority = priority;
  *stream = d.streams.add(made);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  SIM_ENTER_IF(cuStreamDestroy_v2, Need::Init);
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream = d.streams.find(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  // A forked stream may go, its work stays captured. Without the stream the capture began on nobody can end it.
  if (stream->capture != nullptr && stream->capture->origin == stream.get()) {
    report("cuStreamDestroy of the stream a capture began on");
    invalidate(*stream->capture);
  }
  // Work in flight goes on: its tasks hold what they need.
  d.streams.remove(handle);
  return stream->device->error;
}

CUresult cuStreamSynchronize(CUstream handle) {
  SIM_ENTER(cuStreamSynchronize);
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (CUresult refused = check_not_capturing(*stream)) return refused;
  if (CUresult refused = check_unsafe()) return refused;
  d.scheduler.wait(lock, mark(*stream));
  return stream->device->error;
}

CUresult cuStreamQuery(CUstream handle) {
  SIM_ENTER(cuStreamQuery);
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream;
  if (CUresult error = usable_stream(handle, &stream)) return error;
  if (CUresult refused = check_not_capturing(*stream)) return refused;
  if (CUresult refused = check_unsafe()) return refused;
  TaskRef task = mark(*stream);
  if (CUresult error = stream->device->error) return error;
  return task->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  SIM_ENTER_IF(cuStreamWaitEvent, Need::Handles);
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Stream> stream = find_stream(handle);
  std::shared_ptr<Event> event = d.events.find(event_handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = stream->device->error) return error;
  if (event->capture == nullptr && event->task == nullptr) return CUDA_SUCCESS;  // never recorded
  if (event->capture != nullptr || stream->capture != nullptr) return capture_wait(stream, *event);
  if (CUresult error = check_legacy(*stream)) return error;
  stream->waits.push_back(event->task);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  SIM_ENTER(cuEventCreate);
  if (event == nullptr || flags > 7) return CUDA_ERROR_INVALID_VALUE;
  Driver& d = driver();
  Lock lock(d.mutex);
  auto made = std::make_shared<Event>();
  made->device = current_device();
  made->flags = flags;
  *event = d.events.add(made);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  SIM_ENTER_IF(cuEventDestroy_v2, Need::Init);
  Lock lock(driver().mutex);
  std::shared_ptr<Event> event = driver().events.remove(handle);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : event->device->error.load();
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  SIM_ENTER_IF(cuEventRecord, Need::Handles);
  Lock lock(driver().mutex);
  std::shared_ptr<Event> event = driver().events.find(handle);
  std::shared_ptr<Stream> stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult error = stream->device->error) return error;
  if (event->device != stream->device) return CUDA_ERROR_INVALID_HANDLE;
  if (stream->capture != nullptr) {
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    event->capture = stream->capture;
    event->nodes = stream->frontier;
    event->task = nullptr;
    return CUDA_SUCCESS;
  }
  if (CUresult error = check_legacy(*stream)) return error;
  event->capture = nullptr;
  event->nodes.clear();
  event->task = mark(*stream);
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent handle) {
  SIM_ENTER_IF(cuEventQuery, Need::Handles);
  Lock lock(driver().mutex);
  std::shared_ptr<Event> event = driver().events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = check_event(*event)) return refused;
  if (CUresult error = event->device->error) return error;
  return event->task == nullptr || event->task->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent handle) {
  SIM_ENTER_IF(cuEventSynchronize, Need::Handles);
  Driver& d = driver();
  Lock lock(d.mutex);
  std::shared_ptr<Event> event = d.events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = check_event(*event)) return refused;
  TaskRef task = event->task;
  d.scheduler.wait(lock, task);
  return event->device->error;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  SIM_ENTER(cuEventElapsedTime);
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Lock lock(driver().mutex);
  std::shared_ptr<Event> first = driver().events.find(start), second = driver().events.find(end);
  if (first == nullptr || second == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (Event* event : {first.get(), second.get()}) {
    if (event->capture != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
    if (event->task == nullptr || (event->flags & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  }
  if (CUresult error = first->device->error) return error;
  if (!first->task->done || !second->task->done) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(second->task->finished - first->task->finished).count();
  return CUDA_SUCCESS;
}

}  // extern "C"
}  // namespace simcuda
