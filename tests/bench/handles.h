// Owners of Rondo's handles for the benchmarks, and a check that turns a status into an exception with the library's
// message. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.h>

#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline void check(rondo_status status, const char* call) {
  if (status != RONDO_OK) {
    throw std::runtime_error(std::string(call) + ": " + rondo_status_name(status) + ": " + rondo_last_error());
  }
}
#define BENCH_CHECK(call) ::bench::check((call), #call)

template <class T, void (*destroy)(T*)>
struct Destroy {
  void operator()(T* handle) const { destroy(handle); }
};
using Engine = std::unique_ptr<rondo_engine, Destroy<rondo_engine, rondo_engine_destroy>>;
using Tensor = std::unique_ptr<rondo_tensor, Destroy<rondo_tensor, rondo_tensor_destroy>>;
using Variable = std::unique_ptr<rondo_variable, Destroy<rondo_variable, rondo_variable_destroy>>;
using Graph = std::unique_ptr<rondo_graph, Destroy<rondo_graph, rondo_graph_destroy>>;

inline Engine make_engine(rondo_engine_mode mode, int streams = 0) {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = mode;
  options.streams = streams;
  rondo_engine* engine = nullptr;
  BENCH_CHECK(rondo_engine_create(&options, &engine));
  return Engine(engine);
}

inline Tensor make_tensor(rondo_engine* engine, rondo_device device, std::int64_t elements, double value) {
  rondo_tensor* tensor = nullptr;
  BENCH_CHECK(rondo_tensor_create(engine, device, RONDO_F32, 1, &elements, &tensor));
  Tensor owner(tensor);
  BENCH_CHECK(rondo_fill(tensor, value));
  return owner;
}

// c = a + b into c, which exists.
inline void add(const Tensor& a, const Tensor& b, const Tensor& c) {
  rondo_tensor* out = c.get();
  check(rondo_binary(RONDO_ADD, a.get(), b.get(), &out), "rondo_binary");
}

}  // namespace bench
