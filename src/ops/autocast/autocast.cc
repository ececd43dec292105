// Keeps a thread's autocast scopes, and the tensors that were cast in them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/autocast/autocast.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/folded_product.h"
#include "base/room.h"
#include "base/text.h"
#include "base/threads/thread_owned.h"
#include "ops/autocast/precisions.h"
#include "ops/ops.h"

namespace rondo::ops {

constinit std::atomic<int> autocast_scopes{0};

namespace {

// By precision, what it is for those who set another one.
constexpr rondo_precision kPublic[] = {
#define RONDO_PRECISION(name, NAME, text) RONDO_PRECISION_##NAME,
#include "ops/autocast/precisions.def"
#undef RONDO_PRECISION
};

struct AutocastScope {
  Ref<Engine> engine;
  rondo_dtype dtype;
  std::map<std::string, rondo_precision, std::less<>> overrides;  // those of the scopes around it and its own

  std::optional<rondo_precision> set_for(std::string_view operation) const {
    const auto found = overrides.find(operation);
    return found == overrides.end() ? std::nullopt : std::optional(found->second);
  }
};

// A part of a storage, and what it was cast to.
struct Cast {
  int64_t offset;
  rondo_dtype dtype;
  Layout layout;
  View to;
  Ref<Storage> keep;

  bool is_of(const View& view, rondo_dtype target) const {
    return offset == view.offset && dtype == view.dtype && to.dtype == target && layout.same_shape(view.layout) &&
           std::equal(layout.strides, layout.strides + layout.ndim, view.layout.strides);
  }
  static uint64_t hash(const View& view, rondo_dtype target) {
    uint64_t all = static_cast<uint64_t>(view.dtype) << 8 | static_cast<uint64_t>(target);
    const auto mix = [&all](int64_t word) { all = mixed(all, static_cast<uint64_t>(word)); };
    mix(view.offset);
    for (int d = 0; d < view.layout.ndim; ++d) mix(view.layout.shape[d]), mix(view.layout.strides[d]);
    return all;
  }
};

// The tensors that were cast in the scopes of a thread, by the storages that were read.
class Casts {
 public:
  struct Of {
    Ref<Storage> from;
    uint64_t written;  // the last task that writes it
    std::unordered_multimap<uint64_t, Cast> casts;
  };

  void clear() {
    found_.clear();
    all_.clear();
  }
  void forget(const Variable* storage) {
    const auto found = found_.find(storage);
    if (found == found_.end()) return;
    all_.erase(found->second);
    found_.erase(found);
  }
  // Drops the casts of storages that no handle refers to any more. A look is at the newest ones, every fourth at four
  // times as many, and so on: what is not named any more is gone before as many others have come as had come before.
  void look_for_unnamed() {
    size_t count = kNewest;
    for (uint64_t look = ++looks_; look % 4 == 0 && count < all_.size(); look /= 4) count *= 4;
    for (auto each = all_.end(); count-- > 0 && each != all_.begin();) {
      if ((--each)->from->handles.load() != 0) continue;
      found_.erase(each->from.get());
      each = all_.erase(each);
    }
  }
  // Those of a storage that was last written by this task.
  Of& of(Storage& storage, uint64_t written) {
    auto found = found_.find(&storage);
    if (found == found_.end()) {
      all_.push_back({Ref<Storage>::share(&storage), written, {}});
      try {
        found = found_.emplace(&storage, std::prev(all_.end())).first;
      } catch (...) {
        all_.pop_back();
        throw;
      }
    }
    Of& of = *found->second;
    if (of.written != written) of.casts.clear();
    of.written = written;
    return of;
  }

 private:
  static constexpr size_t kNewest = 4;
  std::list<Of> all_;  // the newest storage last
  std::unordered_map<const Variable*, std::list<Of>::iterator> found_;
  uint64_t looks_ = 0;
};

class ThreadScopes {
 public:
  ThreadScopes() = default;
  ThreadScopes(const ThreadScopes&) = delete;
  ThreadScopes& operator=(const ThreadScopes&) = delete;
  ~ThreadScopes() {
    release();
    autocast_scopes.fetch_sub(static_cast<int>(scopes_.size()), std::memory_order_relaxed);
  }

  AutocastScope* innermost(const Engine& engine) {
    for (size_t i = scopes_.size(); i-- > 0;)
      if (scopes_[i].engine.get() == &engine) return &scopes_[i];
    return nullptr;
  }
  void open(Engine& engine, rondo_dtype dtype) {
    const AutocastScope* around = innermost(engine);
    AutocastScope scope{Ref<Engine>::share(&engine), dtype, around ? around->overrides : decltype(around->overrides)()};
    scopes_.push_back(std::move(scope));
    autocast_scopes.fetch_add(1, std::memory_order_relaxed);
  }
  void close(const AutocastScope& scope) {
    scopes_.erase(scopes_.begin() + (&scope - scopes_.data()));
    autocast_scopes.fetch_sub(1, std::memory_order_relaxed);
    if (scopes_.empty()) casts_.clear();
  }

  // Finds the dtype that the operator which begins computes in: from its operands, those there are, the image first if
  // there is one.
  void aim(const Casting::Name& name, std::span<rondo_tensor** const> operands) {
    target_.reset();
    image_.reset();
    rondo_dtype widest = RONDO_BOOL;
    bool half = false;
    const View* first = nullptr;
    for (rondo_tensor** const each : operands) {
      if (!*each) continue;
      if (!first) first = &(*each)->view;
      const rondo_dtype dtype = (*each)->view.dtype;
      if (is_float(dtype)) widest = is_float(widest) ? promote(widest, dtype) : dtype;
      half |= is_half(dtype);
    }
    const AutocastScope* scope = first ? innermost(first->engine()) : nullptr;
    if (!scope || scope->dtype == RONDO_F32 || !is_float(widest)) return;
    const Precision usual = name.usual();
    if (usual == Precision::none) return;
    std::optional<rondo_precision> set = name.row ? scope->set_for(name.row) : std::nullopt;
    if (!set) set = scope->set_for(name.function);
    switch (set.value_or(kPublic[static_cast<size_t>(usual)])) {
      case RONDO_PRECISION_HALF:
        if (widest != RONDO_F64) target_ = scope->dtype;
        return;
      case RONDO_PRECISION_SINGLE:
        if (half) target_ = RONDO_F32;
        return;
      case RONDO_PRECISION_WIDEST:
        // Those of which that is usual do so themselves.
        if (usual == Precision::image)
          image_ = first->dtype;
        else if (usual != Precision::widest)
          target_ = widest;
        return;
    }
  }
  // The dtype that operand i is cast to, if it is.
  std::optional<rondo_dtype> target(size_t i, rondo_dtype dtype) const {
    if (!image_) return target_;
    if (i == Casting::kImage || (*image_ != RONDO_F32 && !is_half(*image_))) return {};
    if (i == Casting::kResidual) return image_;
    const bool stays = !is_half(dtype) || (dtype == *image_ && i < Casting::kStatistics);
    return stays ? std::nullopt : std::optional(RONDO_F32);
  }
  Status cast(rondo_tensor** operand, std::optional<rondo_dtype> target);
  void release() {
    for (rondo_tensor* each : handles_) destroy_tensor(each);
    handles_.clear();
  }

 private:
  void forget(Engine& engine);

  std::vector<AutocastScope> scopes_;
  Casts casts_;
  uint64_t changes_ = 0;                // of the thread, when casts_ was looked at last
  size_t seen_ = 0;                     // tasks of the recording by then
  std::vector<rondo_tensor*> handles_;  // casts that the running operator reads
  std::optional<rondo_dtype> target_;   // of all operands
  std::optional<rondo_dtype> image_;    // else of an image that the others follow
};

constinit const ThreadOwned<ThreadScopes> thread_scopes;

// Drops casts of storages without handles, of those that the recording writes, and of those from before a change of the
// thread.
void ThreadScopes::forget(Engine& engine) {
  const ThreadState& thread = this_thread();
  if (changes_ != thread.changes) {
    casts_.clear();
    changes_ = thread.changes;
    seen_ = thread.sink ? thread.sink->taken() : 0;
  }
  casts_.look_for_unnamed();
  if (!thread.sink || &thread.sink->engine != &engine) return;
  for (; seen_ < thread.sink->taken(); ++seen_)
    for (const Access& access : thread.sink->taken(seen_).accesses())
      if (access.write) casts_.forget(access.variable);
}

Status ThreadScopes::cast(rondo_tensor** operand, std::optional<rondo_dtype> target) {
  const View& view = (*operand)->view;
  if (!target || view.dtype == *target || view.accumulate) return {};
  if (view.dtype != RONDO_F32 && !is_half(view.dtype)) return {};
  Engine& engine = view.engine();
  make_room(&handles_);
  forget(engine);
  // Asked before the cast reads it: who writes in between makes another cast necessary.
  const uint64_t written = engine.last_writer(*view.storage);
  Casts::Of& of = casts_.of(*view.storage, written);
  const uint64_t hash = Cast::hash(view, *target);
  const auto [first, last] = of.casts.equal_range(hash);
  const auto known = std::find_if(first, last, [&](const auto& each) { return each.second.is_of(view, *target); });
  if (known != last) {
    handles_.push_back(*operand = make_view(known->second.keep, known->second.to));
    return {};
  }
  rondo_tensor* made = nullptr;
  Output out(&made);
  RONDO_TRY(ops::cast(view, *target, out));
  handles_.push_back(made);
  if (!view.storage->exposed.load(std::memory_order_acquire))
    of.casts.emplace(hash, Cast{view.offset, view.dtype, view.layout, made->view, made->storage});
  *operand = made;
  return {};
}

Status check_scope(Engine& engine, AutocastScope** scope) {
  RONDO_TRY(engine.usable());
  ThreadScopes* known = thread_scopes.find();
  *scope = known ? known->innermost(engine) : nullptr;
  if (*scope) return {};
  return error(RONDO_INVALID_STATE,
               "no autocast scope of the engine is open on this thread; call rondo_autocast_begin first");
}

}  // namespace

Status begin_autocast(Engine& engine, rondo_dtype dtype) {
  RONDO_TRY(engine.usable());
  if (!is_half(dtype) && dtype != RONDO_F32)
    return error(RONDO_INVALID_ARGUMENT, "dtype is %s; f16 and bf16 are possible, and f32, which casts nothing",
                 is_dtype(dtype) ? dtype_name(dtype) : format("%d", dtype).c_str());
  if (Engine::in_task()) return error(RONDO_INVALID_STATE, "an autocast scope cannot be opened inside a task");
  thread_scopes.get().open(engine, dtype);
  return {};
}

Status set_autocast(Engine& engine, const char* operation, bool is_text, rondo_precision precision) {
  AutocastScope* scope = nullptr;
  RONDO_TRY(check_scope(engine, &scope));
  if (Precision usual{}; !is_text && (!find_precision(operation, &usual) || usual == Precision::none))
    return error(RONDO_INVALID_ARGUMENT,
                 "operation is '%s'; the name of an operator that is cast is needed, as in \"exp\", \"sum\" or "
                 "\"matmul\", or that of a live expression",
                 operation);
  if (precision < RONDO_PRECISION_HALF || precision > RONDO_PRECISION_WIDEST)
    return error(RONDO_INVALID_ARGUMENT,
                 "precision is %d; a rondo_precision is needed, RONDO_PRECISION_HALF (0) to RONDO_PRECISION_WIDEST (2)",
                 precision);
  scope->overrides[operation] = precision;
  return {};
}

Status end_autocast(Engine& engine) {
  AutocastScope* scope = nullptr;
  RONDO_TRY(check_scope(engine, &scope));
  thread_scopes.find()->close(*scope);
  return {};
}

void abandon_autocast(Engine& engine) {
  ThreadScopes* known = thread_scopes.find();
  while (AutocastScope* scope = known ? known->innermost(engine) : nullptr) known->close(*scope);
}

std::string autocast_text(const Engine& engine) {
  if (autocast_scopes.load(std::memory_order_relaxed) == 0 || Engine::in_task()) return {};
  ThreadScopes* known = thread_scopes.find();
  const AutocastScope* scope = known ? known->innermost(engine) : nullptr;
  if (!scope || scope->dtype == RONDO_F32) return {};
  std::string text = dtype_name(scope->dtype);
  for (const auto& [operation, precision] : scope->overrides)
    text += format(", %s %d", operation.c_str(), static_cast<int>(precision));
  return text;
}

Precision Casting::Name::usual() const {
  Precision usual = Precision::widest;
  if (is_text) return usual;
  if (!row || !find_precision(row, &usual)) (void)find_precision(function, &usual);
  return usual;
}

Status Casting::operands(const Name& name, std::span<rondo_tensor** const> operands) {
  ThreadScopes* known = thread_scopes.find();
  if (!known || Engine::in_task()) return {};
  known->aim(name, operands);
  for (size_t i = 0; i < operands.size(); ++i)
    if (rondo_tensor** const each = operands[i]; *each)
      RONDO_TRY(known->cast(each, known->target(i, (*each)->view.dtype)));
  return {};
}

void Casting::release() {
  if (Engine::in_task()) return;  // an operator that runs it in its caller's thread may be in the middle
  if (ThreadScopes* known = thread_scopes.find()) known->release();
}

}  // namespace rondo::ops
