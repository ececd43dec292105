// Views of tensors: other shapes, other orders of axes, parts by index. Part of rondo.hpp, which says what holds for
// all of it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_VIEWS_HPP
#define RONDO_HPP_VIEWS_HPP

#include <rondo/hpp/arguments.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace rondo {
inline namespace abi_0 {

class Tensor;

// A part of an axis, as Python's slices: Slice() is all of it, Slice(1) what follows the first, Slice(0, -1) all but
// the last, Slice({}, {}, -1) all backwards.
struct Slice {
  Slice(std::optional<int64_t> from = {}, std::optional<int64_t> to = {}, int64_t by = 1)
      : start(from.value_or(by < 0 ? kMost : 0)), stop(to.value_or(by < 0 ? kLeast : kMost)), step(by) {}
  int64_t start, stop, step;

 private:
  static constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
};
// In an index: as many whole axes as the other entries leave, and an axis of size 1.
struct EllipsisIndex {};
struct NewAxisIndex {};
inline constexpr EllipsisIndex Ellipsis{};
inline constexpr NewAxisIndex NewAxis{};

// An entry of an index: a place, whose axis goes away; a Slice; Ellipsis; NewAxis; or a tensor of places, which are
// copied.
struct Index {
  template <class T, class = std::enable_if_t<detail::is_whole<T>>>
  Index(T place) : kind(Kind::place), slice(detail::whole<int64_t>(place, "rondo::Tensor::index: a place")) {}
  Index(const Slice& part) : kind(Kind::slice), slice(part) {}
  Index(EllipsisIndex) : kind(Kind::ellipsis) {}
  Index(NewAxisIndex) : kind(Kind::new_axis) {}
  Index(const Tensor& where);

  enum class Kind { place, slice, ellipsis, new_axis, places } kind;
  Slice slice;  // of a place its start
  rondo_tensor* places = nullptr;
};

namespace detail {

// Methods of a tensor that share its memory, but where they say that they may copy.
template <class T>
class Views {
 public:
  // One dimension may be -1. Copies where the order of the elements in memory asks for it; view() refuses then.
  T reshape(const Shape& shape) const {
    rondo_tensor* view = nullptr;
    const rondo_status status = rondo_tensor_reshape(self().get(), dims(shape), shape.data(), &view);
    if (status == RONDO_OK) return T(view, self().engine());
    if (status != RONDO_INVALID_ARGUMENT || !self() || self().is_contiguous() || !fits(shape)) throw Error(status);
    return self().clone().view(shape);
  }
  T view(const Shape& shape) const {
    return self().made(
        [&](rondo_tensor** view) { return rondo_tensor_reshape(self().get(), dims(shape), shape.data(), view); });
  }
  T flatten() const { return reshape({-1}); }
  // The tensor itself where it is row-major without gaps, else a copy that is.
  T contiguous() const { return self().is_contiguous() ? self() : self().clone(); }
  // Without the axes of size 1, or without one axis if its size is 1.
  T squeeze() const {
    Shape shape = self().shape();
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
    return view(shape);
  }
  T squeeze(int64_t axis) const {
    Shape shape = self().shape();
    const size_t place = place_of(axis, self().dim(), "rondo::Tensor::squeeze: the axis");
    if (shape[place] == 1) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(place));
    return view(shape);
  }
  T unsqueeze(int64_t axis) const {
    Shape shape = self().shape();
    const size_t place = place_of(axis, self().dim() + 1, "rondo::Tensor::unsqueeze: the axis");
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(place), 1);
    return view(shape);
  }
  T slice(int32_t axis, int64_t start, int64_t stop, int64_t step = 1) const {
    return self().made(
        [&](rondo_tensor** view) { return rondo_tensor_slice(self().get(), axis, start, stop, step, view); });
  }
  // So many places of an axis, from one on.
  T narrow(int32_t axis, int64_t start, int64_t length) const {
    const int64_t size = self().size(axis);
    if (start < -size || start > size || length < 0 || (start < 0 ? start + size : start) + length > size)
      throw std::out_of_range("rondo::Tensor::narrow: start is " + std::to_string(start) + " and length " +
                              std::to_string(length) + "; the axis has " + std::to_string(size) + " places");
    if (start < 0) start += size;
    return slice(axis, start, start + length);
  }
  // The axes in another order, each once; without axes reversed.
  T transpose(const Axes& axes = {}) const {
    if (!axes.empty() && axes.count() != self().dim())
      throw std::invalid_argument("rondo::Tensor::transpose: axes are " + std::to_string(axes.size()) +
                                  "; the tensor has " + std::to_string(self().dim()));
    return self().made([&](rondo_tensor** view) { return rondo_tensor_transpose(self().get(), axes.data(), view); });
  }
  T permute(const Axes& axes) const { return transpose(axes); }
  // Two axes exchanged.
  T transpose(int64_t one, int64_t other) const {
    constexpr const char* whose = "rondo::Tensor::transpose: the axis";
    std::vector<int32_t> axes(static_cast<size_t>(self().dim()));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
    std::swap(axes[place_of(one, self().dim(), whose)], axes[place_of(other, self().dim(), whose)]);
    return transpose(axes);
  }
  // Of a matrix, with rows and columns exchanged.
  T t() const {
    if (self().dim() > 2)
      throw std::invalid_argument("rondo::Tensor::t: the tensor has " + std::to_string(self().dim()) +
                                  " axes; at most 2 can be exchanged, and transpose() takes others");
    return transpose();
  }
  // Without axes: of all of them.
  T flip(const Axes& axes = {}) const {
    return self().made(
        [&](rondo_tensor** view) { return rondo_tensor_flip(self().get(), axes.count(), axes.data(), view); });
  }
  std::vector<T> split(int64_t parts, int32_t axis = 0) const {
    const auto part_of = [&](int64_t part) {
      return self().made(
          [&](rondo_tensor** view) { return rondo_tensor_split(self().get(), axis, parts, part, view); });
    };
    std::vector<T> views{part_of(0)};
    for (int64_t part = 1; part < parts; ++part) views.push_back(part_of(part));
    return views;
  }
  T broadcast(const Shape& shape) const {
    return self().made(
        [&](rondo_tensor** view) { return rondo_tensor_broadcast(self().get(), dims(shape), shape.data(), view); });
  }
  T expand(const Shape& shape) const { return broadcast(shape); }
  // Operators that write into it add to the elements.
  T accumulator() const {
    return self().made([&](rondo_tensor** view) { return rondo_tensor_accumulator(self().get(), view); });
  }

  // The part at one place of the first axis.
  T operator[](int64_t place) const { return index({place}); }
  T index(const std::vector<Index>& entries) const {
    const Shape given = self().shape();
    size_t axes = 0, ellipses = 0;
    for (const Index& entry : entries) {
      ellipses += entry.kind == Index::Kind::ellipsis;
      axes += entry.kind != Index::Kind::ellipsis && entry.kind != Index::Kind::new_axis;
    }
    if (axes > given.size() || ellipses > 1)
      throw std::out_of_range("rondo::Tensor::index: the index names " + std::to_string(axes) + " axes and " +
                              std::to_string(ellipses) + " times Ellipsis; the tensor has " +
                              std::to_string(given.size()) + " axes, and Ellipsis may stand once");
    T part = self();
    size_t axis = 0;
    for (const Index& entry : entries) {
      const auto number = static_cast<int32_t>(axis);
      Shape shape = part.shape();
      const auto here = shape.begin() + static_cast<std::ptrdiff_t>(axis);
      switch (entry.kind) {
        case Index::Kind::place: {
          const size_t place = place_of(entry.slice.start, *here, "rondo::Tensor::index: a place of an axis");
          shape.erase(here);
          const auto start = static_cast<int64_t>(place);
          part = part.slice(number, start, start + 1).view(shape);
          break;
        }
        case Index::Kind::slice:
          part = part.slice(number, entry.slice.start, entry.slice.stop, entry.slice.step);
          ++axis;
          break;
        case Index::Kind::ellipsis: axis += given.size() - axes; break;
        case Index::Kind::new_axis:
          part = part.unsqueeze(number);
          ++axis;
          break;
        case Index::Kind::places: {
          part = part.made([&](rondo_tensor** out) { return rondo_take(part.get(), entry.places, number, out); });
          axis += part.shape().size() + 1 - shape.size();
          break;
        }
      }
    }
    return part;
  }

 private:
  const T& self() const noexcept { return static_cast<const T&>(*this); }
  // Whether a shape, of which one dimension may be -1, has as many elements as this tensor.
  bool fits(const Shape& shape) const {
    int64_t elements = 1, open = 0;
    for (const int64_t size : shape) {
      if (size < -1) return false;
      if (size == -1)
        ++open;
      else
        elements *= size;
    }
    const int64_t wanted = self().numel();
    return open == 0 ? elements == wanted : open == 1 && elements != 0 && wanted % elements == 0;
  }
};

}  // namespace detail

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_VIEWS_HPP
