// Numbers, shapes, axes and nested lists as programs write them. Part of rondo.hpp, which says what holds for all of
// it. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_ARGUMENTS_HPP
#define RONDO_HPP_ARGUMENTS_HPP

#include <rondo/hpp/base.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

namespace rondo {
inline namespace abi_0 {

using Shape = std::vector<int64_t>;

namespace detail {

template <class T>
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// A whole number in another type, or an error that says where it does not fit.
template <class To, class From>
To whole(From number, const char* whose) {
  const auto to = static_cast<To>(number);
  if (static_cast<From>(to) != number || (to < To{}) != (number < From{}))
    throw std::out_of_range(std::string(whose) + " is " + std::to_string(number) + "; it must be from " +
                            std::to_string(std::numeric_limits<To>::min()) + " to " +
                            std::to_string(std::numeric_limits<To>::max()));
  return to;
}

// An index from the start, of one that may count from the end.
inline size_t place_of(int64_t place, int64_t size, const char* whose) {
  if (place < -size || place >= size)
    throw std::out_of_range(std::string(whose) + " is " + std::to_string(place) + "; " +
                            (size == 0
                                 ? "there are none"
                                 : "it must be from " + std::to_string(-size) + " to " + std::to_string(size - 1)));
  return static_cast<size_t>(place < 0 ? place + size : place);
}

inline int32_t dims(const Shape& shape) {
  return count(shape.size(), "rondo: the dimensions of a shape");
}

// What a value of a tensor is in memory that has addresses.
template <class T>
using StoredAs = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

}  // namespace detail

// A number beside a tensor, of any arithmetic type. Whole numbers reach the operator exactly. Those beyond int64_t are
// refused: make a tensor of uint64_t of them.
class Number {
 public:
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Number(T value) : whole_(std::is_integral_v<T>) {
    if constexpr (std::is_integral_v<T>)
      i64_ = detail::whole<int64_t>(value, "rondo::Number: a whole number beside a tensor");
    else
      f64_ = static_cast<double>(value);
  }
  bool whole() const noexcept { return whole_; }
  int64_t i64() const noexcept { return i64_; }
  double f64() const noexcept { return whole_ ? static_cast<double>(i64_) : f64_; }

 private:
  bool whole_;
  int64_t i64_ = 0;
  double f64_ = 0;
};

// Axes of a tensor: 1, {0, -1}, a vector of whole numbers. Negative ones count from the end; none are all of them.
class Axes {
 public:
  Axes() = default;
  template <class T, class = std::enable_if_t<detail::is_whole<T>>>
  Axes(T axis) : axes_{detail::whole<int32_t>(axis, kAxis)} {}
  Axes(bool) = delete;  // of a call that forgot the axes
  Axes(std::initializer_list<int64_t> axes) { add(axes); }
  template <class T, class = std::enable_if_t<detail::is_whole<T>>>
  Axes(const std::vector<T>& axes) {
    add(axes);
  }
  int32_t count() const { return detail::count(axes_.size(), "rondo: axes"); }
  const int32_t* data() const noexcept { return axes_.empty() ? nullptr : axes_.data(); }
  bool empty() const noexcept { return axes_.empty(); }
  size_t size() const noexcept { return axes_.size(); }

 private:
  static constexpr const char* kAxis = "rondo: an axis";
  template <class List>
  void add(const List& axes) {
    axes_.reserve(axes.size());
    for (const auto axis : axes) axes_.push_back(detail::whole<int32_t>(axis, kAxis));
  }
  std::vector<int32_t> axes_;
};

// Values as a list of lists, {{1, 2}, {3, 4}}, which has their shape; or a number or a vector.
template <class T>
class Nested {
 public:
  template <class V,
            class = std::enable_if_t<std::is_arithmetic_v<V> && (std::is_floating_point_v<T> || std::is_integral_v<V>)>>
  Nested(V value) : values_{} {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      values_.push_back(detail::whole<T>(value, "rondo::Engine::from_host: a value"));
    else
      values_.push_back(static_cast<T>(value));
  }
  Nested(std::initializer_list<Nested> parts) : shape_{static_cast<int64_t>(parts.size())} {
    for (const Nested& part : parts) {
      if (part.shape_ != parts.begin()->shape_)
        throw std::invalid_argument("rondo::Engine::from_host: the inner lists of values have different lengths");
      values_.insert(values_.end(), part.values_.begin(), part.values_.end());
    }
    if (parts.size() > 0) shape_.insert(shape_.end(), parts.begin()->shape_.begin(), parts.begin()->shape_.end());
  }
  Nested(const std::vector<T>& values)
      : shape_{static_cast<int64_t>(values.size())}, values_(values.begin(), values.end()) {}
  const Shape& shape() const noexcept { return shape_; }
  const void* data() const noexcept { return values_.data(); }

 private:
  Shape shape_;
  std::vector<detail::StoredAs<T>> values_;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_ARGUMENTS_HPP
