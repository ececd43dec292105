// Copies between host and devices: it stages and cuts into chunks, and defines the tasks that copy.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ops/ops.h"
#include "ops/task/submit.h"

namespace rondo::ops {

namespace {

// Larger copies use the copy streams, so that they overlap with compute; smaller ones are done before an event would
// be.
constexpr size_t kOwnStream = size_t{1} << 20;
// Host copies are cut so that staging stays bounded.
constexpr size_t kChunk = size_t{32} << 20;

struct Region {
  Storage* storage;
  int64_t offset;
  bool continues = false;  // keeps the elements around it in the storage, and depends on it
  char* address() const { return storage->address() + offset; }
  void move_to(const Rebinding& memory) { memory.move(&storage, &offset); }
};

// A whole view as a target; its parts after the first continue what the first began.
Region target_of(const View& view) {
  return {view.storage, view.offset, view.bytes() != view.storage->bytes()};
}
Region part_of(const Region& whole, size_t done) {
  return {whole.storage, whole.offset + static_cast<int64_t>(done), done > 0 || whole.continues};
}

// Bytes from one storage to another on a GPU's stream; either side may be pinned host memory.
class DeviceCopy : public OperatorTask {
 public:
  DeviceCopy(Device& device, Region from, Region to, size_t bytes)
      : OperatorTask("copy", device), from_(from), to_(to), bytes_(bytes) {
    reads(*from.storage);
    if (to.continues) follows(*to.storage);
    writes(*to.storage);
    leaves_gaps_ = bytes < to.storage->bytes();  // what follows may fail
    if (bytes >= kOwnStream)
      lane = from.storage->pinned() ? Lane::copy_in : to.storage->pinned() ? Lane::copy_out : lane;
  }
  Status run(const TaskContext& context) override {
    StreamDevice& device = *this->device().streams();
    if (from_.storage->pinned())
      return device.copy(CopyKind::host_to_device, to_.address(), from_.address(), bytes_, context.stream);
    if (to_.storage->pinned())
      // mutation: copy_past_the_end
      return device.copy(CopyKind::device_to_host, to_.address(), from_.address(), bytes_, context.stream);
    return device.copy_peer(to_.address(), *from_.storage->device().streams(), from_.address(), bytes_, context.stream);
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<DeviceCopy>(device(), memory.moved(from_), memory.moved(to_), bytes_);
  }

 private:
  Region from_, to_;
  size_t bytes_;
};

// Bytes from one host storage to another on a worker.
class HostCopy : public Computation {
 public:
  HostCopy(Device& cpu, Region from, Region to, size_t bytes)
      : Computation("copy", cpu), from_(from), to_(to), bytes_(bytes) {
    reads(*from.storage);
    if (to.continues) follows(*to.storage);
    writes(*to.storage);
  }
  Status run(const TaskContext&) override {
    std::memcpy(to_.address(), from_.address(), bytes_);
    return {};
  }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    return make_ref<HostCopy>(device(), memory.moved(from_), memory.moved(to_), bytes_);
  }

 private:
  Region from_, to_;
  size_t bytes_;
};

// Either of them, from a whole view to another one: what its node says.
template <class Copy>
class CopyOfViews final : public Copy {
 public:
  CopyOfViews(Device& device, const View& from, const View& to)
      : Copy(device, {from.storage, from.offset}, target_of(to), from.bytes()), from_(from), to_(to) {}
  void list_operands(std::vector<TaskOperand>* list) const override { *list = {{from_, false}, {to_, true}}; }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    View from = from_, to = to_;
    memory.move_all(from, to);
    return make_ref<CopyOfViews>(this->device(), from, to);
  }

 private:
  const View from_, to_;
};

// Bytes of a source into host memory on a worker.
class HostLoad final : public OperatorTask {
 public:
  HostLoad(Device& cpu, Ref<ByteSource> source, uint64_t offset, Region to, size_t bytes)
      : OperatorTask("load", cpu), source_(std::move(source)), offset_(offset), to_(to), bytes_(bytes) {
    if (to.continues) follows(*to.storage);
    writes(*to.storage);
  }
  Status run(const TaskContext&) override { return source_->fetch(offset_, to_.address(), bytes_); }

 private:
  Ref<ByteSource> source_;
  uint64_t offset_;
  Region to_;
  size_t bytes_;
};

// Memory of the host, handed over as it is.
class HostRead final : public Task {
 public:
  HostRead(Device& device, Region from, const std::function<Status(const char*, size_t)>& take, size_t bytes)
      : Task("read", device), from_(from), take_(take), bytes_(bytes) {
    reads(*from.storage);
  }
  Status run(const TaskContext&) override { return take_(from_.address(), bytes_); }

 private:
  Region from_;
  const std::function<Status(const char*, size_t)>& take_;
  size_t bytes_;
};

// Staged bytes are free again when the device, or a worker, has copied them. After so many of them the host waits for
// the copy it submitted last, lest one that is faster takes all the memory there is.
constexpr int64_t kStagedAhead = int64_t{256} << 20;

void keep_pace(Engine& engine, Storage& target, size_t bytes) {
  if (Engine::in_task() || Engine::thread_sink()) return;
  if (engine.staged_bytes.fetch_add(static_cast<int64_t>(bytes)) + static_cast<int64_t>(bytes) < kStagedAhead) return;
  engine.staged_bytes.store(0);
  (void)engine.wait(target, Awaited::contents);  // its error stays with it for later readers
}

// The second task too, if the first has failed already, as it may in naive mode: skipped, it poisons the target.
Status submit_both(Engine& engine, Ref<OperatorTask> one, Ref<OperatorTask> other, const Describe& describe = {}) {
  const Status first = submit(engine, std::move(one), {}, describe);
  const Status second = submit(engine, std::move(other), {}, describe);
  return first.ok() ? second : first;
}

Device& cpu() {
  Device* device = nullptr;
  (void)get_device({RONDO_CPU, 0}, &device);
  return *device;
}

bool plain(const View& view) {
  return view.layout.contiguous() && !view.accumulate;
}

constexpr auto as_copy = [] { return Call{CopyCall{}}; };

Status exchange(const View& from, const View& to) {
  Engine& engine = from.engine();
  if (from.elements() == 0) return {};
  // Strided or accumulating ends go through a contiguous temporary on their own device.
  if (!from.layout.contiguous()) {
    Ref<Storage> storage;
    const View packed = make_temporary(engine, from.device(), from.dtype, from.layout, &storage);
    RONDO_TRY(copy_elements(from, packed));
    return exchange(packed, to);
  }
  if (!plain(to)) {
    Ref<Storage> storage;
    const View packed = make_temporary(engine, to.device(), to.dtype, to.layout, &storage);
    RONDO_TRY(exchange(from, packed));
    return copy_elements(packed, to);
  }
  if (is_transfer(from, to)) return submit(engine, make_transfer(from, to), {}, as_copy);
  Device& gpu = from.device().is_host() ? to.device() : from.device();
  const Ref<Storage> staging = engine.new_storage(gpu, from.bytes(), true);
  View middle = from;
  middle.storage = staging.get();
  middle.offset = 0;
  const Status status = submit_both(engine, make_transfer(from, middle), make_transfer(middle, to), as_copy);
  keep_pace(engine, *to.storage, from.bytes());
  return status;
}

// Steps of which only what they do together means something to a tape.
template <class Steps>
Status together(const Describe& call, std::initializer_list<TaskOperand> operands, const Steps& steps) {
  return submit_unheard(steps, [&](Observer& tapes) { tapes.done("copy", call(), operands); });
}

}  // namespace

bool is_transfer(const View& from, const View& to) {
  const bool pinned = from.storage->pinned() || to.storage->pinned();
  return plain(from) && plain(to) && from.dtype == to.dtype &&
         (pinned || (&from.device() != &to.device() && !from.device().is_host() && !to.device().is_host()));
}

// Pinned memory belongs to a GPU, and host tasks move what is between it and other memory of the host.
Ref<OperatorTask> make_transfer(const View& from, const View& to) {
  if (from.device().is_host() || to.device().is_host()) return make_ref<CopyOfViews<HostCopy>>(cpu(), from, to);
  return make_ref<CopyOfViews<DeviceCopy>>(to.device(), from, to);
}

bool has_stages(const View& from, const View& to) {
  return &from.device() != &to.device() && !is_transfer(from, to);
}

Status copy_across(const View& from, const View& to) {
  if (from.elements() > 0 && records_operators(from.engine()))
    return submit_recorded(from.engine(), "copy", {{from, false}, {to, true}}, as_copy);
  return together(as_copy, {{from, false}, {to, true}}, [&] { return exchange(from, to); });
}

Status copy_to(const View& a, Device& device, Output& out) {
  View to;
  RONDO_TRY(check_moved({{"a", &a}}));
  RONDO_TRY(out.resolve(a.engine(), device, a.dtype, a.layout, {&a}, false, &to));
  RONDO_TRY(&a.device() == &device ? copy_elements(a, to) : copy_across(a, to));
  out.commit();
  return {};
}

namespace {

// To a contiguous view.
Status upload(const View& to, const void* data, size_t bytes) {
  Engine& engine = to.engine();
  const char* from = static_cast<const char*>(data);
  if (to.device().is_host()) {
    // A copy of the user's data that a worker moves in when the tensor's turn comes.
    const Ref<Storage> copy = engine.new_storage(to.device(), bytes);
    RONDO_TRY(engine.back_unseen(*copy));
    std::memcpy(copy->address(), from, bytes);
    RONDO_TRY(engine.submit(make_ref<HostCopy>(to.device(), Region{copy.get(), 0}, target_of(to), bytes)));
    keep_pace(engine, *to.storage, bytes);
    return {};
  }
  for (size_t done = 0; done < bytes; done += kChunk) {
    const size_t part = std::min(kChunk, bytes - done);
    const Ref<Storage> staging = engine.new_storage(to.device(), part, true);
    if (Status status = engine.back_unseen(*staging); !status.ok()) {
      // The parts that were moved before cannot be taken back: half a write is none.
      if (done > 0) {
        (void)engine.wait(*to.storage, Awaited::contents);
        engine.poison(*to.storage, status);
      }
      return status;
    }
    std::memcpy(staging->address(), from + done, part);
    RONDO_TRY(
        engine.submit(make_ref<DeviceCopy>(to.device(), Region{staging.get(), 0}, part_of(target_of(to), done), part)));
    keep_pace(engine, *to.storage, part);
  }
  return {};
}

}  // namespace

Status write_from_host(const View& to, const void* data, size_t bytes) {
  if (bytes == 0) return {};
  if (plain(to)) return together({}, {{to, true}}, [&] { return upload(to, data, bytes); });
  Ref<Storage> storage;
  const View packed = make_temporary(to.engine(), to.device(), to.dtype, to.layout, &storage);
  RONDO_TRY(upload(packed, data, bytes));
  return copy_elements(packed, to);
}

Status initialise_from_host(const View& to, const void* data, size_t bytes) {
  if (!to.device().is_host() || bytes == 0) return write_from_host(to, data, bytes);
  RONDO_TRY(to.engine().back_unseen(*to.storage));
  std::memcpy(to.address(), data, bytes);
  to.storage->mark_written("copy");
  return {};
}

Status load_from(const View& to, const Ref<ByteSource>& source) {
  Engine& engine = to.engine();
  const size_t bytes = to.bytes();
  if (bytes == 0) return {};
  if (!plain(to)) {
    Ref<Storage> storage;
    const View packed = make_temporary(engine, to.device(), to.dtype, to.layout, &storage);
    RONDO_TRY(load_from(packed, source));
    return copy_elements(packed, to);
  }
  const Region target = target_of(to);
  if (to.device().is_host()) return engine.submit(make_ref<HostLoad>(to.device(), source, 0, target, bytes));
  for (size_t done = 0; done < bytes; done += kChunk) {
    const size_t part = std::min(kChunk, bytes - done);
    const Ref<Storage> staging = engine.new_storage(to.device(), part, true);
    const Region middle{staging.get(), 0}, there = part_of(target, done);
    RONDO_TRY(submit_both(engine, make_ref<HostLoad>(cpu(), source, done, middle, part),
                          make_ref<DeviceCopy>(to.device(), middle, there, part)));
    keep_pace(engine, *to.storage, part);
  }
  return {};
}

namespace {

// A read: an unreadable source is no failure of the task, for the reader is told.
class DeviceRead final : public DeviceCopy {
 public:
  using DeviceCopy::DeviceCopy;
  PartialFailure* partial_failure() override { return &partial_failure_; }
  Status run(const TaskContext& context) override {
    return partial_failure_.clean() ? DeviceCopy::run(context) : Status();
  }
  // Once it is done.
  Status refusal() const { return partial_failure_.clean() ? Status() : partial_failure_.cause(); }

 private:
  PartialFailure partial_failure_;
};

}  // namespace

Status read_pieces(const View& from, const std::function<Status(const char*, size_t)>& take) {
  Engine& engine = from.engine();
  const size_t bytes = from.bytes();
  if (bytes == 0) return engine.wait(*from.storage, Awaited::contents);
  if (!from.layout.contiguous()) {
    RONDO_TRY(engine.wait(*from.storage, Awaited::contents));  // what is refused is no task
    Ref<Storage> storage;
    const View packed = make_temporary(engine, from.device(), from.dtype, from.layout, &storage);
    RONDO_TRY(copy_elements(from, packed));
    return read_pieces(packed, take);
  }
  const Region source{from.storage, from.offset};
  if (from.device().is_host()) {
    // A task of its own, so that what other threads write meanwhile comes before or after all of it.
    RONDO_TRY(engine.wait(*from.storage, Awaited::contents));
    return engine.run_here(make_ref<HostRead>(from.device(), source, take, bytes));
  }
  for (size_t done = 0; done < bytes; done += kChunk) {
    const size_t part = std::min(kChunk, bytes - done);
    const Ref<Storage> staging = engine.new_storage(from.device(), part, true);
    const Ref<DeviceRead> read =
        make_ref<DeviceRead>(from.device(), part_of(source, done), Region{staging.get(), 0}, part);
    RONDO_TRY(engine.submit(read));
    RONDO_TRY(engine.wait(*staging, Awaited::contents));
    RONDO_TRY(read->refusal());
    RONDO_TRY(take(staging->address(), part));
  }
  return {};
}

Status read_to_host(const View& from, void* data) {
  char* to = static_cast<char*>(data);
  return read_pieces(from, [&to](const char* piece, size_t part) {
    std::memcpy(to, piece, part);
    to += part;
    return Status();
  });
}

}  // namespace rondo::ops
