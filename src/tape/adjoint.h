// Gradients while they are being added up: one object per storage. A tensor is a view of a storage, and so its gradient
// is the same view of the storage's gradient: what views, partial writes and writing in place mean for gradients
// follows from that alone, and no view needs a rule.
//
// Memory is taken late: a gradient may be one number for all elements, or the tensor that the only contribution so far
// was written to (which others may show as well), before it is memory of the storage's own shape.
//
// Used by one thread, the one that computes gradients.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "engine/tensor.h"

namespace rondo::tape {

// Memory that values are in.
using Memory = std::shared_ptr<const Ref<Storage>>;

// A gradient: a view of memory, or one number for all elements.
struct Value {
  bool uniform = false;
  double number = 0;
  View view;
  Memory memory;
  // True if it may be written: nothing else shows it, and no open tape keeps what is in it.
  bool exclusive() const;
  static Value of(double number) { return {true, number, {}, {}}; }
  static Value of(const View& view) {
    return {false, 0, view, std::make_shared<const Ref<Storage>>(Ref<Storage>::share(view.storage))};
  }
};

// An operator's rondo_tensor**: null, or a tensor; owned, or borrowed from its owner.
struct OwnedTensor {
  OwnedTensor() = default;
  OwnedTensor(const OwnedTensor&) = delete;
  OwnedTensor& operator=(const OwnedTensor&) = delete;
  OwnedTensor(OwnedTensor&& other) noexcept
      : tensor(std::exchange(other.tensor, nullptr)), borrowed(other.borrowed), fresh(other.fresh) {}
  OwnedTensor& operator=(OwnedTensor&& other) noexcept {
    std::swap(tensor, other.tensor);
    std::swap(borrowed, other.borrowed);
    std::swap(fresh, other.fresh);
    return *this;
  }
  ~OwnedTensor() {
    if (tensor && !borrowed) destroy_tensor(tensor);
  }
  rondo_tensor* tensor = nullptr;
  bool borrowed = false;
  bool fresh = false;  // what is written becomes the gradient; otherwise it is already in its place
};

// Which elements of a storage.
struct StorageRegion {
  Layout layout;
  int64_t offset = 0;  // bytes
};

inline StorageRegion place(const View& view) {
  return {view.layout, view.offset};
}
// The number of the storage that a view shows.
inline uint64_t number_of(const View& view) {
  return view.storage->number.load(std::memory_order_acquire);
}

class Adjoint {
 public:
  Adjoint(Engine& engine, Device& device, rondo_dtype dtype, size_t bytes)
      : engine_(engine), device_(device), dtype_(dtype), bytes_(bytes) {}

  bool none() const { return state_ == State::none && !direct_used_; }
  // The result is to be in a tensor of the caller's, where contributions to just this place may be written at once: the
  // gradient is not read before it is complete.
  void direct(rondo_tensor* given, const StorageRegion& place);

  // An operator writes a contribution to a place between these: begin, the operator, end. The contribution's shape is
  // the place's. An operator makes the tensor where slot->tensor is null.
  Status begin(const StorageRegion& place, OwnedTensor* slot);
  void end(const StorageRegion& place, const OwnedTensor& slot);
  // The same of evenly spaced places that are all of the storage, which one operator writes, where nothing came before:
  // there is no end to it then. False: they are not, or something did.
  bool begin_all(std::span<const StorageRegion> places, std::span<OwnedTensor> slots);
  // A contribution that is there already.
  Status add(const StorageRegion& place, const Value& value);
  // The gradient of what the place shows; none() has been asked.
  Status read(const StorageRegion& place, Value* value);
  // The place is written by what comes before: from there on its gradient is zero.
  Status clear(const StorageRegion& place);
  // Both.
  Status take(const StorageRegion& place, Value* value);
  // At the end: what was not written into the caller's tensor at once, is now.
  Status finish_direct();
  bool writes_directly() const { return direct_ != nullptr; }

 private:
  enum class State : uint8_t {
    none,     // zero
    uniform,  // value_.number, everywhere
    at,       // value_ at place_, zero elsewhere
    whole,    // value_ is memory of the storage's own shape: its first byte is the storage's
  };

  bool covers(const StorageRegion& place) const;
  bool visible(const StorageRegion& place, View* view) const;
  View at(const StorageRegion& place) const;
  Status materialise();
  Status fill(const View& view, double number);

  Engine& engine_;
  Device& device_;
  const rondo_dtype dtype_;
  const size_t bytes_;
  State state_ = State::none;
  StorageRegion place_;
  Value value_;
  rondo_tensor* direct_ = nullptr;
  StorageRegion direct_place_;
  bool direct_used_ = false;
};

// A view that shows one number in every element of a shape.
Status make_uniform(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, double number,
                    Value* value);

}  // namespace rondo::tape
