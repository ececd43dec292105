// Graphs. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_GRAPH_HPP
#define RONDO_HPP_GRAPH_HPP

#include <rondo/hpp/tensor.hpp>

#include <string>
#include <vector>

namespace rondo {
inline namespace abi_0 {

inline rondo_record_options record_defaults(const char* name = nullptr) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.name = name;
  return options;
}

// What an engine has recorded; as rondo/graph.h.
class Graph : public Owner<rondo_graph, rondo_graph_destroy> {
 public:
  using Owner::Owner;
  Graph(rondo_graph* handle, rondo_engine* engine) : Owner(handle), engine_(engine) {}
  void launch() const { throw_on_failure(rondo_graph_launch(get())); }
  // A run of a graph that was recorded with RONDO_RECORD_CALLABLE: on these inputs, with new outputs, or into given
  // ones.
  std::vector<Tensor> call(const Tensors& inputs) const {
    detail::Made made(outputs(), engine_);
    call(inputs, made.count(), made.data());
    return made.take_all();
  }
  void call_into(const Tensors& inputs, const Tensors& outputs) const {
    std::vector<rondo_tensor*> given = outputs.handles();
    call(inputs, outputs.count(), given.data());
  }
  // The value of a parameter, or whether a section runs, in what is submitted from now on.
  void set(const std::string& name, Number value) const {
    throw_on_failure(value.whole() ? rondo_graph_set_i64(get(), name.c_str(), value.i64())
                                   : rondo_graph_set(get(), name.c_str(), value.f64()));
  }
  void set_i64(const std::string& name, int64_t value) const { set(name, value); }
  void enable(const std::string& name, bool on = true) const {
    throw_on_failure(rondo_graph_enable(get(), name.c_str(), on));
  }
  rondo_graph_info info() const {
    rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
    throw_on_failure(rondo_graph_query(get(), &info));
    return info;
  }
  std::string report() const {
    return detail::text_of([&](char* buffer, size_t capacity, size_t* length) {
      return rondo_graph_report(get(), buffer, capacity, length);
    });
  }
  void dot(const std::string& path) const { throw_on_failure(rondo_graph_dot(get(), path.c_str())); }
  // A launch whose tasks are measured, and waited for: report() tells of it, and the file, if one is named.
  void profile() const { throw_on_failure(rondo_graph_profile(get(), nullptr)); }
  void profile(const std::string& path) const { throw_on_failure(rondo_graph_profile(get(), path.c_str())); }
  // The same of a call.
  std::vector<Tensor> profile_call(const Tensors& inputs, const std::string& path = "") const {
    detail::Made made(outputs(), engine_);
    throw_on_failure(rondo_graph_profile_call(get(), path.empty() ? nullptr : path.c_str(), inputs.count(),
                                              inputs.data(), made.count(), made.data()));
    return made.take_all();
  }

 private:
  size_t outputs() const { return static_cast<size_t>(info().outputs); }
  void call(const Tensors& inputs, int32_t n_outputs, rondo_tensor** outputs) const {
    throw_on_failure(rondo_graph_call(get(), inputs.count(), inputs.data(), n_outputs, outputs));
  }

  rondo_engine* engine_ = nullptr;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_GRAPH_HPP
