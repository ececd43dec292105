// RONDO_MEMBERS names the members of a struct once, so that what is done with each of them (comparing, hashing, reading
// and writing) follows from the list.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

// The preprocessor reads its output again as often as these nest: enough for 27 members.
#define RONDO_AGAIN(...) RONDO_AGAIN1(RONDO_AGAIN1(RONDO_AGAIN1(__VA_ARGS__)))
#define RONDO_AGAIN1(...) RONDO_AGAIN2(RONDO_AGAIN2(RONDO_AGAIN2(__VA_ARGS__)))
#define RONDO_AGAIN2(...) RONDO_AGAIN3(RONDO_AGAIN3(RONDO_AGAIN3(__VA_ARGS__)))
#define RONDO_AGAIN3(...) __VA_ARGS__
#define RONDO_PARENTHESES ()
#define RONDO_EACH_MEMBER(member, ...) \
  visit(#member, self.member);         \
  __VA_OPT__(RONDO_NEXT_MEMBER RONDO_PARENTHESES(__VA_ARGS__))
#define RONDO_NEXT_MEMBER() RONDO_EACH_MEMBER

// In a struct: each_member(self, visit) calls visit("name", self.name) for each of them, in this order.
#define RONDO_MEMBERS(...)                                                                              \
  template <class Self, class Visit>                                                                    \
  static constexpr void each_member([[maybe_unused]] Self& self, [[maybe_unused]] const Visit& visit) { \
    __VA_OPT__(RONDO_AGAIN(RONDO_EACH_MEMBER(__VA_ARGS__)))                                             \
  }

namespace rondo {

// A struct that names its members.
template <class T>
concept HasMembers = requires(T& value) {
  T::each_member(value, [](const char*, auto&) {});
};

}  // namespace rondo
