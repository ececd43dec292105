// Ranks: communicators and their collectives. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_COMM_HPP
#define RONDO_HPP_COMM_HPP

#include <rondo/hpp/engine.hpp>

namespace rondo {
inline namespace abi_0 {

// One rank's end of a group of devices, of this process or of many (comm.h).
//
//   std::vector<rondo::Comm> ends = rondo::Comm::create_all(engine, {{RONDO_CUDA, 0}, {RONDO_CUDA, 1}});
//   rondo::Tensor sum = ends[0].all_reduce(mine, RONDO_SUM);
class Comm : public Owner<rondo_comm, rondo_comm_destroy> {
 public:
  using Owner::Owner;
  using Ends = std::vector<Comm>;
  static Ends create_all(const Engine& engine, const std::vector<rondo_device>& devices,
                         const rondo_comm_options& options = RONDO_COMM_OPTIONS_INIT);
  // This process's end of a group of processes; which rank it is, the environment says unless the options do.
  static Comm create(const Engine& engine, rondo_device device,
                     const rondo_comm_options& options = RONDO_COMM_OPTIONS_INIT);
  // A rank's colour and key for each of the ends; ends that join no group are empty.
  static Ends split(const Ends& ends, const std::vector<int32_t>& colours, const std::vector<int32_t>& keys = {}) {
    if (colours.size() != ends.size() || (!keys.empty() && keys.size() != ends.size()))
      throw std::invalid_argument("rondo::Comm::split: each end needs one colour and, if any, one key");
    return made(ends.size(), [&](rondo_comm** out) {
      return rondo_comm_split(handles(ends).data(), detail::count(ends.size(), "rondo::Comm: ends"), colours.data(),
                              keys.empty() ? nullptr : keys.data(), out);
    });
  }
  static Ends reform(const Ends& ends) {
    return made(ends.size(), [&](rondo_comm** out) {
      return rondo_comm_reform(handles(ends).data(), detail::count(ends.size(), "rondo::Comm: ends"), out);
    });
  }

  rondo_comm_info info() const {
    rondo_comm_info info = RONDO_COMM_INFO_INIT;
    throw_on_failure(rondo_comm_query(get(), &info));
    return info;
  }
  int32_t rank() const { return info().rank; }
  int32_t ranks() const { return info().ranks; }
  // Throws the cause if the group has failed.
  void check_working() const { throw_on_failure(rondo_comm_check(get())); }
  void wait() const { throw_on_failure(rondo_comm_wait(get())); }
  void abort(const std::string& reason) const { throw_on_failure(rondo_comm_abort(get(), reason.c_str())); }

  Tensor all_reduce(const Tensor& input, rondo_reduce_op reduction) const {
    return input.made([&](rondo_tensor** out) { return rondo_comm_all_reduce(get(), input.get(), reduction, out); });
  }
  void all_reduce_into(const Tensor& input, rondo_reduce_op reduction, const Tensor& to) const {
    rondo_tensor* out = to.get();
    throw_on_failure(rondo_comm_all_reduce(get(), input.get(), reduction, &out));
  }
  Tensor all_gather(const Tensor& input) const {
    return input.made([&](rondo_tensor** out) { return rondo_comm_all_gather(get(), input.get(), out); });
  }
  Tensor reduce_scatter(const Tensor& input, rondo_reduce_op reduction) const {
    return input.made(
        [&](rondo_tensor** out) { return rondo_comm_reduce_scatter(get(), input.get(), reduction, out); });
  }
  void broadcast(const Tensor& tensor, int32_t root) const {
    throw_on_failure(rondo_comm_broadcast(get(), tensor.get(), root));
  }
  // Empty on ranks other than the root.
  Tensor reduce(const Tensor& input, rondo_reduce_op reduction, int32_t root) const {
    return input.made([&](rondo_tensor** out) { return rondo_comm_reduce(get(), input.get(), reduction, root, out); });
  }
  Tensor all_to_all(const Tensor& input) const {
    return input.made([&](rondo_tensor** out) { return rondo_comm_all_to_all(get(), input.get(), out); });
  }
  void send(const Tensor& tensor, int32_t peer) const { throw_on_failure(rondo_comm_send(get(), tensor.get(), peer)); }
  void receive(const Tensor& tensor, int32_t peer) const {
    throw_on_failure(rondo_comm_receive(get(), tensor.get(), peer));
  }
  void barrier() const { throw_on_failure(rondo_comm_barrier(get())); }
  // What `calls` submits on this end is one group.
  void group(const std::function<void()>& calls) const {
    throw_on_failure(rondo_comm_group_begin(get()));
    try {
      calls();
    } catch (...) {
      (void)rondo_comm_group_end(get());
      throw;
    }
    throw_on_failure(rondo_comm_group_end(get()));
  }

 private:
  static std::vector<rondo_comm*> handles(const Ends& ends) {
    std::vector<rondo_comm*> handles;
    handles.reserve(ends.size());
    for (const Comm& each : ends) handles.push_back(each.get());
    return handles;
  }
  template <class Make>
  static Ends made(size_t count, const Make& make) {
    std::vector<rondo_comm*> handles(count);
    Ends ends;
    ends.reserve(count);  // before there are handles that could be lost
    throw_on_failure(make(handles.data()));
    for (rondo_comm* each : handles) ends.emplace_back(each);
    return ends;
  }
};

inline Comm::Ends Comm::create_all(const Engine& engine, const std::vector<rondo_device>& devices,
                                   const rondo_comm_options& options) {
  return made(devices.size(), [&](rondo_comm** out) {
    return rondo_comm_create_all(engine.get(), devices.data(), detail::count(devices.size(), "rondo::Comm: devices"),
                                 &options, out);
  });
}

inline Comm Comm::create(const Engine& engine, rondo_device device, const rondo_comm_options& options) {
  rondo_comm* end = nullptr;
  throw_on_failure(rondo_comm_create(engine.get(), device, &options, &end));
  return Comm(end);
}
// Which rank this process is, by its environment.
inline rondo_ranks_info ranks() {
  rondo_ranks_info info = RONDO_RANKS_INFO_INIT;
  throw_on_failure(rondo_ranks_query(&info));
  return info;
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_COMM_HPP
