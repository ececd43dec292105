// Defines SmallVector<T, N>: a vector of trivially copyable elements whose first N live inside the object, so that the
// usual task needs no allocation.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/path.h"

namespace rondo {

template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector& other) { assign(other.begin(), other.size()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other.begin(), other.size());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      drop();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { drop(); }

  void push_back(const T& value) {
    if (size_ == capacity_) [[unlikely]] {
      const T copy = value;  // value may live in this vector
      grow(capacity_ * 2);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  // The same where it may not throw; false if there is no memory, and nothing has changed then.
  bool try_push_back(T value) noexcept {
    if (size_ == capacity_ && !try_grow(capacity_ * 2)) return false;
    data_[size_++] = value;
    return true;
  }
  // A new last element whose value the caller sets, in place.
  T& append() {
    if (size_ == capacity_) [[unlikely]]
      grow(capacity_ * 2);
    return data_[size_++];
  }
  // So many of them.
  T* extend(uint32_t count) {
    reserve(size_ + count);
    return data_ + std::exchange(size_, size_ + count);
  }
  void assign(const T* from, uint32_t count) {
    reserve(count);
    if (count) std::memmove(static_cast<void*>(data_), from, count * sizeof(T));
    size_ = count;
  }
  void reserve(uint32_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void clear() { size_ = 0; }
  void pop_back() { --size_; }
  // The others stay in their order.
  template <class F>
  void erase_if(const F& is_gone) {
    size_ = static_cast<uint32_t>(std::remove_if(begin(), end(), is_gone) - begin());
  }
  // Order is not kept.
  void erase_unordered(uint32_t i) { data_[i] = data_[--size_]; }

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  T* inline_data() { return reinterpret_cast<T*>(storage_); }
  RONDO_COLD void grow(uint32_t capacity) {
    if (!try_grow(capacity)) throw std::bad_alloc();
  }
  RONDO_COLD bool try_grow(uint32_t capacity) noexcept {
    constexpr size_t each = sizeof(T);  // NOLINT(bugprone-sizeof-expression): of the pointer, where T is one
    T* grown = static_cast<T*>(std::malloc(capacity * each));
    if (!grown) return false;
    if (size_) std::memcpy(static_cast<void*>(grown), data_, size_ * each);
    drop();
    data_ = grown;
    capacity_ = capacity;
    return true;
  }
  void drop() {
    if (data_ != inline_data()) std::free(data_);
    data_ = inline_data();
    capacity_ = N;
  }
  void take(SmallVector& other) {
    size_ = other.size_;
    if (other.data_ == other.inline_data()) {
      if (size_) std::memcpy(storage_, other.storage_, size_ * sizeof(T));
    } else {
      data_ = std::exchange(other.data_, other.inline_data());
      capacity_ = std::exchange(other.capacity_, N);
    }
    other.size_ = 0;
  }

  T* data_ = inline_data();
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];  // NOLINT(bugprone-sizeof-expression): T may be a pointer
};

}  // namespace rondo
