// Defines intrusive reference counting: RefCounted (the count) and Ref<T> (an owner). Objects delete themselves through
// the virtual `dispose`, so that type-stable handles can go back to their slab instead of to the heap.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace rondo {

class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) const_cast<RefCounted*>(this)->dispose();
  }
  // Gives a reference up if others hold more; the last one stays, so that nothing is destroyed here.
  bool release_unless_last() const {
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count > 1)
      if (count_.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel)) return true;
    return false;
  }
  // Takes one more, unless the last was given up and the object is about to go.
  bool retain_unless_gone() const {
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count > 0)
      if (count_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) return true;
    return false;
  }
  uint32_t use_count() const { return count_.load(std::memory_order_relaxed); }

 protected:
  virtual ~RefCounted() = default;
  virtual void dispose() { delete this; }
  // For a `dispose` that keeps the object: it has one reference again, which the caller owns.
  void resurrect() { count_.store(1, std::memory_order_relaxed); }

 private:
  mutable std::atomic<uint32_t> count_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: null converts like a pointer
  // Takes over a reference that the caller owns (fresh objects start with one).
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  static Ref share(T* object) {
    if (object) object->retain();
    return adopt(object);
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_) object_->retain();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  Ref(Ref<U> other) : object_(other.leak()) {}  // NOLINT: upcast
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Ref& other) const { return object_ == other.object_; }
  T* leak() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace rondo
