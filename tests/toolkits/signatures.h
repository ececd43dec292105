// What the sources that signatures.py generates compare with: types of Rondo's tables and types of a real header.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace toolkits {

// The generated source declares `std::true_type corresponds(O*, T*);` for each pair of classes, opaque or not, that
// stand for each other; a call here finds it by its arguments.
template <class O, class T>
std::false_type corresponds(O*, T*);

// Whether passing, storing or pointing to an O of ours does what it does with a T of theirs.
template <class O, class T>
constexpr bool compatible() {
  if constexpr (std::is_same_v<O, T>) {
    return true;
  } else if constexpr (std::is_const_v<O> || std::is_const_v<T>) {
    return std::is_const_v<O> && std::is_const_v<T> && compatible<std::remove_const_t<O>, std::remove_const_t<T>>();
  } else if constexpr (std::is_pointer_v<O> && std::is_pointer_v<T>) {
    return compatible<std::remove_pointer_t<O>, std::remove_pointer_t<T>>();
  } else if constexpr (std::is_array_v<O> && std::is_array_v<T>) {
    return std::extent_v<O> == std::extent_v<T> && compatible<std::remove_extent_t<O>, std::remove_extent_t<T>>();
  } else if constexpr (std::is_same_v<O, int> && std::is_enum_v<T>) {
    return sizeof(T) == sizeof(int);  // Rondo has enumerations of CUDA as int, so that a number nobody knows is no trap
  } else if constexpr (std::is_class_v<O> && std::is_class_v<T>) {
    using corresponds_to = decltype(corresponds(std::declval<O*>(), std::declval<T*>()));
    return corresponds_to::value;
  } else {
    return false;
  }
}

// As concepts, because compilers say with which types or values one of them does not hold.
template <class Ours, class Theirs>
concept stands_for = compatible<Ours, Theirs>();
template <auto Ours, auto Theirs>
concept equals = Ours == Theirs;

template <class O, class T>
inline constexpr bool same = std::is_same_v<O, T>;

}  // namespace toolkits
