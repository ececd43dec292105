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

struct CalledBody {
  const Body* body;
  std::exception_ptr* thrown;
};
inline rondo_status call_body(const CalledBody& called) {
  try {
    (*called.body)();
    return RONDO_OK;
  } catch (...) {
    *called.thrown = std::current_exception();
    return RONDO_USER_ERROR;
  }
}
inline void check_bodies(rondo_status status, const std::exception_ptr& thrown) {
  if (thrown) std::rethrow_exception(thrown);
  check(status);
}

}  // namespace detail

// Runs `then` if the condition is true, else `otherwise`, which may be empty. As rondo_if. Since 0.1.
inline void if_else(const Engine& engine, const Tensor& condition, const Body& then, const Body& otherwise = {}) {
  std::exception_ptr thrown;
  const detail::CalledBody bodies[] = {{&then, &thrown}, {&otherwise, &thrown}};
  const auto call_then = [](void* both) { return detail::call_body(static_cast<const detail::CalledBody*>(both)[0]); };
  const auto call_else = [](void* both) { return detail::call_body(static_cast<const detail::CalledBody*>(both)[1]); };
  const rondo_body_fn no = otherwise ? static_cast<rondo_body_fn>(call_else) : nullptr;
  detail::check_bodies(rondo_if(engine.get(), condition.get(), then ? static_cast<rondo_body_fn>(call_then) : nullptr,
                                no, const_cast<detail::CalledBody*>(bodies)),
                       thrown);
}

// Runs the body as long as the condition is true, at most `limit` times; 0: without a limit. As rondo_while. Since 0.1.
inline void while_true(const Engine& engine, const Tensor& condition, const Body& body, int64_t limit = 0) {
  std::exception_ptr thrown;
  detail::CalledBody called = {&body, &thrown};
  const auto call = [](void* one) { return detail::call_body(*static_cast<const detail::CalledBody*>(one)); };
  detail::check_bodies(
      rondo_while(engine.get(), condition.get(), body ? static_cast<rondo_body_fn>(call) : nullptr, limit, &called),
      thrown);
}

// Runs bodies[index], or none. As rondo_switch. Since 0.1.
inline void switch_to(const Engine& engine, const Tensor& index, const std::vector<Body>& bodies) {
  std::exception_ptr thrown;
  std::vector<detail::CalledBody> called;
  for (const Body& body : bodies) called.push_back({&body, &thrown});
  std::vector<rondo_body_fn> functions;
  std::vector<void*> arguments;
  const auto call = [](void* one) { return detail::call_body(*static_cast<const detail::CalledBody*>(one)); };
  for (detail::CalledBody& each : called) {
    functions.push_back(*each.body ? static_cast<rondo_body_fn>(call) : nullptr);
    arguments.push_back(&each);
  }
  detail::check_bodies(
      rondo_switch(engine.get(), index.get(), static_cast<int32_t>(bodies.size()), functions.data(), arguments.data()),
      thrown);
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_CONTROL_HPP
