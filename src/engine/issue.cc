// Issues device tasks: it chooses the stream, takes the memory, adds the waits and launches.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <thread>

#include "base/caught.h"
#include "engine/engine.h"

namespace rondo {

namespace {

std::string stream_name(const DeviceState& state, const std::atomic<Stream*>& slot) {
  if (&slot == &state.high) return "high priority";
  if (&slot == &state.copy_in) return "copy in";
  if (&slot == &state.copy_out) return "copy out";
  if (&slot == &state.communicate) return "communication";
  return "compute " + std::to_string(&slot - state.compute);
}

}  // namespace

Status Engine::make_stream(DeviceState& state, std::atomic<Stream*>& slot, bool high, Stream** stream) {
  std::lock_guard lock(state.mutex);
  if ((*stream = slot.load())) return {};
  StreamDevice* device = state.device.streams();
  void* native = nullptr;
  RONDO_TRY(device->stream_create(high, &native));
  std::lock_guard states(states_mutex_);
  const uint32_t id = n_streams_.load();
  if (id == kMaxStreams) {
    device->stream_destroy(native);
    return error(RONDO_INVALID_STATE, "the engine has %u streams, the most it can have", kMaxStreams);
  }
  auto* made = new Stream(*device, id, native, stream_name(state, slot));
  streams_[id].store(made, std::memory_order_release);
  n_streams_.store(id + 1, std::memory_order_release);
  slot.store(made, std::memory_order_release);
  *stream = made;
  return {};
}

Status Engine::compute_stream(DeviceState& state, int index, Stream** stream) {
  return stream_of(state, state.compute[index % compute_streams_], false, stream);
}

// Copies that are worth it and collectives have streams of their own, urgent tasks a high-priority one. Collectives get
// their multiprocessors first: other processes wait for them. With several compute streams a task follows the work it
// depends on, which saves a wait; a task without such goes to its thread's home stream.
Status Engine::choose_stream(Task& task, DeviceState& state, Stream** stream) {
  if (task.stream_hint >= 0) return compute_stream(state, task.stream_hint, stream);
  if (task.lane == Task::Lane::copy_in) return stream_of(state, state.copy_in, false, stream);
  if (task.lane == Task::Lane::copy_out) return stream_of(state, state.copy_out, false, stream);
  if (task.lane == Task::Lane::communicate) return stream_of(state, state.communicate, true, stream);
  if (task.priority > 0) return stream_of(state, state.high, true, stream);
  for (const Fence& fence : task.fences_) {
    if (fence.stream == kEveryStream) continue;
    Stream* producer = streams_[fence.stream].load(std::memory_order_acquire);
    if (&producer->device != state.device.streams() || producer->completed() >= fence.sequence) continue;
    for (int i = 0; i < compute_streams_; ++i)
      if (state.compute[i].load(std::memory_order_acquire) == producer) {
        *stream = producer;
        return {};
      }
  }
  static std::atomic<int> threads{0};
  thread_local const int home = threads.fetch_add(1);
  return compute_stream(state, home, stream);
}

// Memory for what the task uses first. The memory's earlier uses, on other streams, come before ours.
Status Engine::take_memory(Task& task, Stream& stream) {
  for (uint32_t i = task.kept_accesses_; i < task.accesses_.size(); ++i) {
    const Access& access = task.accesses_[i];
    Storage* storage = access.variable->storage();
    if (!storage || storage->address()) continue;
    if (access.read | task.leaves_gaps_) [[unlikely]]
      RONDO_TRY(take_zeroed(task, *storage, stream));
    else
      RONDO_TRY(storage->materialise(stream.id, &task.fences_));
  }
  return {};
}

// Zeroes memory that the task may leave unwritten, because it writes a part or is the user's: its readers must not see
// what other tensors have left there. The task's stream does it before the task.
Status Engine::take_zeroed(Task& task, Storage& storage, Stream& stream) {
  if (&storage.device() != &stream.device || storage.pinned()) return storage.materialise_zeroed();
  RONDO_TRY(storage.materialise(stream.id, &task.fences_));
  if (!storage.stale() || task.covers(storage)) return {};
  std::vector<Wait> waits;
  RONDO_TRY(find_waits(task, stream, &waits));
  const Stream::Issue issuing(stream);
  for (const auto& [each, event] : waits) RONDO_TRY(stream.wait_for(each, *event));
  // mutation: unwritten_part_left_as_it_was
  RONDO_TRY(stream.device.fill_bytes(storage.address(), 0, storage.bytes(), stream.native));
  const Fence fence = stream.advance("zero");
  storage.mark_clean();
  std::lock_guard lock(order_mutex_);
  storage.write_fence_ = fence;
  return {};
}

Status Engine::issue(Task& task, Fence* fence) {
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(task.device(), &state));
  Stream* stream = nullptr;
  RONDO_TRY(pick_stream(task, *state, &stream));

  if (task.accesses_.size() > task.kept_accesses_) RONDO_TRY(take_memory(task, *stream));
  TaskContext context;
  context.device = &task.device();
  context.stream = stream->native;
  if (task.workspace_bytes() == 0 && task.fences_.only(stream->id)) [[likely]]
    RONDO_TRY(issue_locked(task, *stream, context, {}, fence));
  else
    RONDO_TRY(issue_apart(task, *stream, *state, context, fence));
  if ((fence->sequence & (marker_distance_ - 1)) == 0) [[unlikely]]
    return bound_run_ahead(*stream, fence->sequence);
  return {};
}

Status Engine::issue_apart(Task& task, Stream& stream, DeviceState& state, TaskContext& context, Fence* fence) {
  Block* workspace = nullptr;
  const auto take = [&]() -> Status {
    context.auxiliaries = nullptr;
    if (const int count = task.wants_auxiliaries()) RONDO_TRY(stream.auxiliaries(count, &context.auxiliaries));
    return task.workspace_bytes() ? state.pool.allocate(task.workspace_bytes(), stream.id, &workspace) : Status();
  };
  Status taken = take();
  if (taken.code() == RONDO_OUT_OF_MEMORY && task.degrade()) taken = take();
  RONDO_TRY(taken);
  if (workspace) {
    context.workspace = workspace->address;
    task.fences_.add(workspace->fences);
  }
  std::vector<Wait> waits;
  Status status = find_waits(task, stream, &waits);
  if (status.ok()) status = issue_locked(task, stream, context, waits, fence);
  if (workspace) {
    FenceSet used;
    used.add(*fence);  // mutation: workspace_released_before_its_task
    state.pool.free(workspace, used);
  }
  return status;
}

Status Engine::find_waits(const Task& task, Stream& stream, std::vector<Wait>* waits) {
  auto wait_for = [&](Fence each) -> Status {
    if (each.stream == stream.id) return {};
    Stream* producer = this->stream(each.stream);
    if (producer->completed() >= each.sequence || stream.already_waits(each)) return {};
    Ref<Event> event;
    RONDO_TRY(producer->cover(each.sequence, &event));
    if (event) waits->push_back({each, std::move(event)});
    return {};
  };
  for (const Fence& each : task.fences_) RONDO_TRY(for_each_fence(each, wait_for));
  return {};
}

Status Engine::bound_run_ahead(Stream& stream, uint64_t sequence) {
  const Status status = caught([&] { return stream.bound(sequence, static_cast<uint64_t>(max_tasks_)); });
  // The task itself is issued and good: what fails here concerns it only if nothing on the device is good any more.
  return status.code() == RONDO_DEVICE_LOST ? status : Status();
}

Status Engine::issue_locked(Task& task, Stream& stream, const TaskContext& context, std::span<const Wait> waits,
                            Fence* fence) {
  const Stream::Issue issuing(stream);
  for (const auto& [each, event] : waits) RONDO_TRY(stream.wait_for(each, *event));  // mutation: wait_removed
  if (observed_.load(std::memory_order_acquire)) [[unlikely]]
    return run_observed(task, stream, context, fence);
  Status status = run_body(task, context, issuing.thread);
  // A body that failed may have enqueued something first: its fence counts all the same.
  *fence = stream.advance(task.name_);
  return status;
}

Status Engine::run_observed(Task& task, Stream& stream, const TaskContext& context, Fence* fence) {
  const RunObserver observer = this->run_observer();
  const RunObserver::Run run = observer.begin(task, &stream);
  Status status = run_body(task, context);
  *fence = stream.advance(task.name_);
  observer.end(task, task.submitted_us_, run, &stream);
  return status;
}

Status Engine::issue_within(Device& device, const char* name, int auxiliaries,
                            const std::function<Status(const TaskContext&)>& body, Fence* fence) {
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(device, &state));
  Stream* stream = nullptr;
  RONDO_TRY(compute_stream(*state, 0, &stream));
  TaskContext context;
  context.device = &device;
  context.stream = stream->native;
  if (auxiliaries > 0) RONDO_TRY(stream->auxiliaries(auxiliaries, &context.auxiliaries));
  const Stream::Issue issuing(*stream);
  Status status = caught([&] { return body(context); });
  *fence = stream->advance(name);
  return status;
}

// --- other libraries' streams ---

Status Engine::export_to_stream(Variable& variable, Awaited what, void* native_stream) {
  FenceSet fences;
  {
    std::unique_lock lock(order_mutex_);
    RONDO_TRY(wait_on_host(variable, what, {}, lock));  // host tasks and tasks in an issuer's queue have no fence yet
    if (!variable.error_.ok()) return variable.error_;
    if (const Status* cause = written_off(variable)) return *cause;
    fences = awaited(variable, what);
  }
  auto wait_for = [&](Fence fence) -> Status {
    Stream* producer = stream(fence.stream);
    Ref<Event> event;
    RONDO_TRY(producer->cover(fence.sequence, &event));
    return event ? producer->device.stream_wait(native_stream, event->native) : Status();
  };
  for (const Fence& fence : fences) RONDO_TRY(for_each_fence(fence, wait_for));
  return {};
}

Status Engine::import_from_stream(Variable& variable, Device& device, void* native_stream) {
  DeviceState* state = nullptr;
  RONDO_TRY(device_state(device, &state));
  Stream* entry = nullptr;
  RONDO_TRY(compute_stream(*state, 0, &entry));
  StreamDevice& streams = *device.streams();
  void* event = nullptr;
  RONDO_TRY(streams.event_create(false, &event));
  Status status = streams.event_record(event, native_stream);
  if (status.ok()) {
    const Stream::Issue issuing(*entry);
    status = streams.stream_wait(entry->native, event);
    if (status.ok()) {
      const Fence fence = entry->advance("import");
      std::lock_guard order(order_mutex_);
      variable.write_fence_ = fence;
    }
  }
  streams.event_destroy(event);
  return status;
}

}  // namespace rondo
