// Control flow: bodies as callables. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_CONTROL_HPP
#define RONDO_HPP_CONTROL_HPP

#include <rondo/hpp/engine.hpp>

#include <exception>
#include <functional>
#include <vector>

namespace rondo {
inline namespace abi_0 {

// What a body issues. What it throws ends the call and is thrown on.
using Body = std::function<void()>;

namespace detail {

inline rondo_status call_body(const Body& body) {
  return caught([&] { body(); });
}
// Null for an empty one, which the C interface knows what to say to.
inline rondo_body_fn function_of(const Body& body) {
  return body ? [](void* arg) { return call_body(*static_cast<const Body*>(arg)); } : rondo_body_fn{};
}

}  // namespace detail

// Runs `then` if the condition is true, else `otherwise`, which may be empty. As rondo_if. Since 0.1.
inline void if_else(const Engine& engine, const Tensor& condition, const Body& then, const Body& otherwise = {}) {
  const Body* bodies[] = {&then, &otherwise};
  const rondo_body_fn yes = [](void* both) { return detail::call_body(*static_cast<const Body* const*>(both)[0]); };
  const rondo_body_fn no = [](void* both) { return detail::call_body(*static_cast<const Body* const*>(both)[1]); };
  detail::carry(
      [&] { return rondo_if(engine.get(), condition.get(), then ? yes : nullptr, otherwise ? no : nullptr, bodies); });
}

// Runs the body as long as the condition is true, at most `limit` times; 0: without a limit. As rondo_while. Since 0.1.
inline void while_true(const Engine& engine, const Tensor& condition, const Body& body, int64_t limit = 0) {
  detail::carry([&] {
    return rondo_while(engine.get(), condition.get(), detail::function_of(body), limit, const_cast<Body*>(&body));
  });
}

// Runs bodies[index], or none. As rondo_switch. Since 0.1.
inline void switch_to(const Engine& engine, const Tensor& index, const std::vector<Body>& bodies) {
  std::vector<rondo_body_fn> functions;
  std::vector<void*> arguments;
  functions.reserve(bodies.size());
  arguments.reserve(bodies.size());
  for (const Body& body : bodies) {
    functions.push_back(detail::function_of(body));
    arguments.push_back(const_cast<Body*>(&body));
  }
  detail::carry([&] {
    return rondo_switch(engine.get(), index.get(), detail::count(bodies.size(), "rondo::switch_to: bodies"),
                        functions.data(), arguments.data());
  });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CONTROL_HPP
