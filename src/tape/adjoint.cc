// Adds up contributions to a gradient, takes memory for it late, and shows views of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/adjoint.h"

#include "engine/views.h"
#include "ops/ops.h"
#include "tape/tape.h"

namespace rondo::tape {

namespace {

// The dimensions that count: those of another size than 1.
Layout squeezed(const Layout& layout) {
  Layout result;
  for (int d = 0; d < layout.ndim; ++d) {
    if (layout.shape[d] == 1) continue;
    result.shape[result.ndim] = layout.shape[d];
    result.strides[result.ndim++] = layout.strides[d];
  }
  return result;
}

bool same(const StorageRegion& a, const StorageRegion& b) {
  if (a.offset != b.offset) return false;
  const Layout x = squeezed(a.layout), y = squeezed(b.layout);
  if (!x.same_shape(y)) return false;
  for (int d = 0; d < x.ndim; ++d)
    if (x.strides[d] != y.strides[d]) return false;
  return true;
}

// A view of the same elements with dimensions of size 1 where `shape` has them.
View unsqueezed(const View& view, const Layout& shape) {
  const Layout steps = squeezed(view.layout);
  View result = view;
  result.layout = shape;
  int next = 0;
  for (int d = 0; d < shape.ndim; ++d) result.layout.strides[d] = shape.shape[d] == 1 ? 0 : steps.strides[next++];
  return result;
}

rondo_tensor* adding(const Ref<Storage>& storage, const View& view) {
  return make_view(storage, accumulator_view(view));
}

}  // namespace

Status make_uniform(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, double number,
                    Value* value) {
  Ref<Storage> storage;
  View one = make_temporary(engine, device, dtype, {}, &storage);
  RONDO_TRY(ops::fill(one, ops::Scalar::of(number)));
  *value = Value::of(one);
  value->view.layout = broadcast_layout({}, shape);
  return {};
}

bool Value::exclusive() const {
  return !uniform && memory.use_count() == 1 && !contents_kept(**memory);
}

void Adjoint::direct(rondo_tensor* given, const StorageRegion& place) {
  direct_ = given;
  direct_place_ = place;
}

// The place is every byte of the storage.
bool Adjoint::covers(const StorageRegion& place) const {
  return !place.layout.repeats() && static_cast<size_t>(place.layout.elements()) * dtype_size(dtype_) == bytes_;
}

// The view of the one contribution that a place shows, if there is one without a copy.
bool Adjoint::visible(const StorageRegion& place, View* view) const {
  if (same(place, place_)) {
    *view = unsqueezed(value_.view, place.layout);
    return true;
  }
  return place.offset == place_.offset && place.layout.contiguous() && place_.layout.contiguous() &&
         place.layout.elements() == place_.layout.elements() &&
         reshape_view(value_.view, place.layout.ndim, place.layout.shape, view).ok();
}

View Adjoint::at(const StorageRegion& place) const {
  View view = value_.view;
  view.layout = place.layout;
  view.offset = place.offset;
  return view;
}

Status Adjoint::fill(const View& view, double number) {
  return ops::fill(view, ops::Scalar::of(number));
}

// Memory of the storage's own shape, which may be written.
Status Adjoint::materialise() {
  if (state_ == State::whole && value_.exclusive()) return {};
  const int64_t elements = static_cast<int64_t>(bytes_ / dtype_size(dtype_));
  Ref<Storage> storage;
  const View flat = make_temporary(engine_, device_, dtype_, Layout::row_major(1, &elements), &storage);
  Value made = Value::of(flat);
  switch (state_) {
    case State::none: RONDO_TRY(fill(flat, 0)); break;
    case State::uniform: RONDO_TRY(fill(flat, value_.number)); break;
    case State::whole: {
      View from = value_.view;
      from.layout = flat.layout;
      from.offset = 0;
      RONDO_TRY(ops::copy_elements(from, flat));
      break;
    }
    case State::at: {
      if (!covers(place_)) RONDO_TRY(fill(flat, 0));
      View to = flat;
      to.layout = place_.layout;
      to.offset = place_.offset;
      RONDO_TRY(ops::copy_elements(value_.view, to));
      break;
    }
  }
  value_ = std::move(made);
  state_ = State::whole;
  return {};
}

Status Adjoint::begin(const StorageRegion& place, OwnedTensor* slot) {
  if (direct_ && same(place, direct_place_)) {
    View view = unsqueezed(direct_->view, place.layout);
    view.accumulate |= direct_used_;
    slot->tensor = make_view(direct_->storage, view);
    direct_used_ = true;
    return {};
  }
  if (state_ == State::none) {
    slot->fresh = true;
    if (place.layout.contiguous() || !covers(place)) return {};
    // In the storage's own order, so that other views of it read it where it is.
    View view;
    const Ref<Storage> storage = engine_.new_storage(device_, bytes_);
    view.storage = storage.get();
    view.dtype = dtype_;
    view.layout = place.layout;
    view.offset = place.offset;
    slot->tensor = make_view(storage, view);
    return {};
  }
  View view;
  if (state_ == State::at && value_.exclusive() && !value_.view.layout.repeats() && visible(place, &view)) {
    slot->tensor = adding(*value_.memory, view);
    return {};
  }
  RONDO_TRY(materialise());
  slot->tensor = adding(*value_.memory, at(place));
  return {};
}

void Adjoint::end(const StorageRegion& place, const OwnedTensor& slot) {
  if (!slot.fresh) return;
  value_ = Value::of(slot.tensor->view);
  place_ = place;
  state_ = State::at;
  if (covers(place) && !place.layout.contiguous()) state_ = State::whole;
}

bool Adjoint::begin_all(std::span<const StorageRegion> places, std::span<OwnedTensor> slots) {
  if (state_ != State::none || direct_used_) return false;
  StorageRegion all = places[0];
  const auto size = static_cast<int64_t>(dtype_size(dtype_));
  const int64_t step = places[1].offset - all.offset;
  if (step <= 0 || step % size != 0 || all.layout.ndim == kMaxDims) return false;
  for (size_t i = 0; i < places.size(); ++i)
    if (!places[i].layout.same_as(all.layout) || places[i].offset != all.offset + static_cast<int64_t>(i) * step)
      return false;
  all.layout.shape[all.layout.ndim] = static_cast<int64_t>(places.size());
  all.layout.strides[all.layout.ndim++] = step / size;
  if (!covers(all)) return false;
  View whole;
  Ref<Storage> storage;
  if (direct_ && !direct_->view.accumulate && direct_->view.layout.contiguous() && covers(direct_place_) &&
      direct_place_.layout.contiguous()) {
    whole = direct_->view;
    storage = direct_->storage;
    direct_used_ = true;
  } else {
    const int64_t elements = static_cast<int64_t>(bytes_ / dtype_size(dtype_));
    whole = make_temporary(engine_, device_, dtype_, Layout::row_major(1, &elements), &storage);
    value_ = Value::of(whole);
    state_ = State::whole;
  }
  for (size_t i = 0; i < places.size(); ++i) {
    View view = whole;
    view.layout = places[i].layout;
    view.offset += places[i].offset;
    slots[i].tensor = make_view(storage, view);
  }
  return true;
}

Status Adjoint::add(const StorageRegion& place, const Value& value) {
  const bool direct = direct_ && same(place, direct_place_);
  if (!direct) {
    if (value.uniform && covers(place) && (state_ == State::none || state_ == State::uniform)) {
      value_.number = value.number + (state_ == State::uniform ? value_.number : 0);
      state_ = State::uniform;
      return {};
    }
    if (state_ == State::none) {
      if (value.uniform)
        RONDO_TRY(make_uniform(engine_, device_, dtype_, place.layout, value.number, &value_));
      else
        value_ = value;
      place_ = place;
      state_ = State::at;
      return {};
    }
  }
  OwnedTensor slot;
  RONDO_TRY(begin(place, &slot));
  return value.uniform ? fill(slot.tensor->view, value.number) : ops::copy_elements(value.view, slot.tensor->view);
}

Status Adjoint::read(const StorageRegion& place, Value* value) {
  if (state_ == State::uniform) {
    *value = Value::of(value_.number);
    return {};
  }
  *value = value_;
  if (state_ == State::at && visible(place, &value->view)) return {};
  *value = {};
  if (state_ != State::whole) RONDO_TRY(materialise());
  *value = value_;
  value->view = at(place);
  return {};
}

Status Adjoint::clear(const StorageRegion& place) {
  if (state_ == State::none) return {};
  if (covers(place) || (state_ == State::at && same(place, place_))) {
    state_ = State::none;
    value_ = {};
    return {};
  }
  RONDO_TRY(materialise());
  return fill(at(place), 0);
}

Status Adjoint::take(const StorageRegion& place, Value* value) {
  if (state_ == State::none) return {};
  RONDO_TRY(read(place, value));
  if (state_ == State::whole && !covers(place)) {
    // A part is cleared where it is: what is read must not be.
    Ref<Storage> storage;
    const View copy = make_temporary(engine_, device_, dtype_, place.layout, &storage);
    RONDO_TRY(ops::copy_elements(value->view, copy));
    *value = Value::of(copy);
  }
  return clear(place);
}

Status Adjoint::finish_direct() {
  if (state_ == State::none) {
    // Nothing came: a tensor that is added to stays as it is.
    return direct_used_ || direct_->view.accumulate ? Status() : fill(direct_->view, 0);
  }
  View to = direct_->view;
  to.accumulate |= direct_used_;
  Value rest;
  RONDO_TRY(read(direct_place_, &rest));
  return rest.uniform ? fill(to, rest.number) : ops::copy_elements(rest.view, to);
}

}  // namespace rondo::tape
