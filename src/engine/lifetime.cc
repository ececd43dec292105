// Opens and closes an engine: device states, health, fork, names, storages.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/caught.h"
#include "base/log.h"
#include "engine/engine.h"
#include "engine/trace.h"
#include "memory/reclaim.h"

namespace rondo {

namespace {

class Action final : public Task {
 public:
  Action(Device& cpu, std::function<void()> action) : Task("release", cpu), action_(std::move(action)) {}
  Status run(const TaskContext&) override {
    action_();
    return {};
  }

 private:
  std::function<void()> action_;
};

}  // namespace

uint64_t Engine::count_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { forks_.fetch_add(1); });
  (void)registered;
  return forks_.load(std::memory_order_relaxed);
}

Status Engine::unusable() const {
  if (forked())
    return error(
        RONDO_FORKED,
        "the engine was made before fork(): devices and threads do not survive it; create an engine in the child");
  std::lock_guard lock(health_mutex_);
  if (!lost_.ok()) return lost_;
  return error(RONDO_INVALID_STATE, "the engine was destroyed; its objects can only be destroyed");
}

Status Engine::noted(const Status& status) {
  if (status.code() != RONDO_DEVICE_LOST) return status;
  std::lock_guard lock(health_mutex_);
  if (closed_) return status;
  if (lost_.ok()) {
    lost_ = status;
    healthy_.store(false, std::memory_order_release);
    log(RONDO_LOG_ERROR, "engine lost: %s", status.message());
  }
  return lost_;
}

Status Engine::make_state(Device& device, DeviceState** state) {
  const int slot = slot_of(device.id());
  std::lock_guard lock(states_mutex_);
  if ((*state = states_[slot].load())) return {};
  RONDO_TRY(usable());  // the threads of a closed engine would never be stopped
  auto made = std::make_unique<DeviceState>(device, *this);
  made->pool.set_limit(memory_limit_ || !device.is_host() ? memory_limit_ : reclaim_host_limit());
  {
    std::lock_guard order(order_mutex_);
    made->random = {seed_, 0};
  }
  try {
    if (device.is_host())
      workers_ = std::make_unique<Workers>(
          "rondo-worker", workers_wanted_,
          [this](Task& task) { task.device().is_host() ? run_host(task) : dispatch(task, this_thread()); },
          [this] {
            const std::lock_guard order(order_mutex_);
            call_guests();
          });
    else if (mode_ == RONDO_ENGINE_THREADED)
      made->issuer = std::make_unique<Workers>("rondo-issue", 1, [this](Task& task) { run_device(task); });
  } catch (const std::system_error& problem) {
    return error(RONDO_OUT_OF_MEMORY, "the system starts no thread for the engine: %s; raise its limit of processes",
                 problem.what());
  }
  *state = made.release();
  states_[slot].store(*state, std::memory_order_release);
  return {};
}

void Engine::close() {
  if (forked()) return;  // threads and devices of the parent are not ours
  const bool well = usable().ok();
  cancel_completions();
  if (well) {
    if (Status status = caught([this] { return wait_all(); }); !status.ok())
      log(RONDO_LOG_WARNING, "engine destroyed with a failure nobody waited for: %s", status.message());
  }
  {
    std::lock_guard lock(health_mutex_);
    closed_ = true;
    healthy_.store(false, std::memory_order_release);
  }
  wait_for_tasks();  // a lost engine's are skipped, but by the threads that end now
  if (well)
    (void)caught([this] { return wait_for_streams(); });  // of what tasks submitted while the first wait was going on
  // Threads of one kind hand tasks to the other, and a thread of the program may be about to hand over one: they end
  // now, and refuse what comes, but stay until nothing refers to the engine.
  Workers* workers = nullptr;
  {
    std::lock_guard lock(states_mutex_);  // from here on make_state() makes none
    workers = workers_.get();
  }
  if (workers) workers->stop();
  for (auto& slot : states_)
    if (DeviceState* state = slot.load(); state && state->issuer) state->issuer->stop();
  std::lock_guard lock(trace_mutex_);
  observed_.store(0);
  trace_ = nullptr;
}

Engine::~Engine() {
  for (auto& slot : states_) delete slot.load();  // pools ask the streams about fences
  for (auto& slot : streams_) delete slot.load();
}

const char* Engine::intern(const char* text) {
  static auto* mutex = new std::mutex;
  static auto* names = new std::unordered_set<std::string>;
  std::lock_guard lock(*mutex);
  return names->insert(text).first->c_str();
}

// --- variables and storages
// -------------------------------------------------------------------------------------------

Variable::Variable(Engine& engine, bool is_storage) : is_storage_(is_storage), engine_(Ref<Engine>::share(&engine)) {}
Variable::~Variable() = default;

Storage::Storage(Engine& engine, Device& device, size_t bytes, bool pinned)
    : Variable(engine, true), device_(device), bytes_(bytes), pinned_(pinned) {}

Storage::Storage(Engine& engine, Device& device, size_t bytes, void* address, Ref<Task> release)
    : Variable(engine, true),
      device_(device),
      bytes_(bytes),
      address_(static_cast<char*>(address)),
      release_(std::move(release)) {
  exposed.store(true, std::memory_order_relaxed);
}

Storage::~Storage() {
  if (handle) release_handle(handle);
  if (engine_->forked()) return;
  // No task refers to the storage any more, so no other thread touches the fences.
  if (block_) {
    FenceSet fences = read_fences_;
    fences.add(write_fence_);
    DeviceState& state = *engine_->existing_state(device_.id());
    // mutation: memory_released_before_its_last_task, staging_released_before_its_copy
    (pinned_ ? *state.pinned : state.pool).free(block_, fences);
  }
  if (release_) {
    FenceSet fences = read_fences_;
    fences.add(write_fence_);
    engine_->run_after(fences, std::move(release_));
  }
}

Status Storage::take_block(uint32_t stream, FenceSet* before, bool zeroed) {
  std::lock_guard once(materialise_mutex_);
  if (address()) [[unlikely]] {
    std::lock_guard order(engine_->order_mutex_);
    if (before) before->add(read_fences_);
    return {};
  }
  DeviceState* state = nullptr;
  RONDO_TRY(engine_->device_state(device_, &state));
  Pool& pool = pinned_ ? *state->pinned : state->pool;
  Block* block = nullptr;
  RONDO_TRY(pool.allocate(bytes_, stream, &block));
  if (zeroed) [[unlikely]] {
    if (Status status = device_.zero({{{block->address, bytes_}}}); !status.ok()) {
      pool.free(block, {});
      return status;
    }
    mark_clean();
  }
  // mutation: pool_reuse_without_its_fence
  if (before) before->add(block->fences);
  {
    std::lock_guard order(engine_->order_mutex_);
    read_fences_.add(block->fences);
  }
  block_ = block;
  address_.store(block->address, std::memory_order_release);
  return {};
}

Status Engine::make_action(std::function<void()> what, Ref<Task>* action) {
  Device* cpu = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &cpu));
  DeviceState* state = nullptr;  // with it the workers start that may have to do it
  RONDO_TRY(device_state(*cpu, &state));
  *action = make_ref<Action>(*cpu, std::move(what));
  return {};
}

void Engine::run_after(const FenceSet& fences, Ref<Task> action) {
  bool done = true;
  for (const Fence& fence : fences) done = done && fence_done(fence);
  // A closed engine has waited for everything; on a lost one nothing will ever use the memory.
  if (done || !usable().ok()) return destroy_apart([&] { (void)run_body(*action, {}); });
  hand_action(std::move(action), fences);
}

void Engine::hand_action(Ref<Task> action, const FenceSet& fences) {
  Task* task = action.leak();
  {
    std::lock_guard lock(order_mutex_);
    task->order_ = ++order_;
    task->fences_ = fences;
    count(*task);
  }
  if (!workers_->push(*task)) run_host(*task);
}

Ref<Storage> Engine::new_storage(Device& device, size_t bytes, bool pinned) {
  Ref<Storage> storage = make_ref<Storage>(*this, device, bytes, pinned);
  if (Sink* sink = thread_sink(); sink && &sink->engine == this) sink->created(*storage);
  return storage;
}

Status Engine::back(Storage& storage) {
  // First: a graph's temporary has an address, of the arena.
  if (const Owner* owner = this->owner(storage)) [[unlikely]]
    return error(RONDO_INVALID_STATE,
                 "the tensor is %s; a task that rondo_engine_push_tensors gives it can ask for its address",
                 owner->refusal);
  if (storage.address() && !storage.stale()) return {};
  if (storage.address()) [[unlikely]] {
    std::lock_guard lock(order_mutex_);
    return storage.given_away_ ? storage.error_ : Status();  // it could not be zeroed when its first task had failed
  }
  return noted(storage.materialise_zeroed());
}

Status Engine::back_unseen(Storage& storage) {
  RONDO_TRY(noted(storage.materialise(kNoStream)));
  storage.mark_clean();
  return {};
}

// --- trace
// ------------------------------------------------------------------------------------------------------------

Status Engine::trace_begin() {
  RONDO_TRY(usable());
  std::lock_guard lock(trace_mutex_);
  if (trace_) return error(RONDO_INVALID_STATE, "a trace is on already; end it first");
  trace_ = make_ref<Trace>();
  observed_.fetch_or(kByTrace, std::memory_order_release);
  return {};
}

RunObserver Engine::observer_of(uint8_t by) {
  RunObserver observer;
  observer.last_tasks = last_tasks_;
  observer.ranges = ranges_;
  if (by & kByTrace) {
    const std::lock_guard lock(trace_mutex_);
    observer.trace = trace_;
  }
  return observer;
}

Status Engine::trace_end(const char* path) {
  RONDO_TRY(usable());
  if (in_task()) return error(RONDO_INVALID_STATE, "a trace cannot be ended inside a task");
  Status none = error(RONDO_INVALID_STATE, "no trace is on; begin one first");
  if (!run_observer().trace) return none;
  if (Status failure = wait_all(); !failure.ok()) {
    std::lock_guard order(order_mutex_);  // it is for the user's wait_all to report
    first_failure_ = failure;
  }
  Ref<Trace> ended;
  {
    std::lock_guard lock(trace_mutex_);
    observed_.fetch_and(static_cast<uint8_t>(~kByTrace));
    ended = std::exchange(trace_, nullptr);
  }
  if (!ended) return none;  // another thread ended it meanwhile
  return path ? ended->write(path) : Status();
}

}  // namespace rondo
