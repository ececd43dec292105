// Gradients reduced over ranks while backward goes on. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_DATA_PARALLEL_HPP
#define RONDO_HPP_DATA_PARALLEL_HPP

#include <rondo/hpp/comm.hpp>
#include <rondo/hpp/tape.hpp>

namespace rondo {
inline namespace abi_0 {

// Gradients of a model in buckets, each reduced over all ranks as soon as the tape has filled it (data_parallel.h).
//
//   rondo::Buckets buckets(comm, {w, b});
//   buckets.reduce(tape, loss);
//   rondo::Tensor dw = buckets.gradient(0);
class Buckets : public Owner<rondo_buckets, rondo_buckets_destroy> {
 public:
  using Owner::Owner;
  Buckets(const Comm& comm, const Tensors& parameters,
          const rondo_buckets_options& options = RONDO_BUCKETS_OPTIONS_INIT)
      : Owner(create(comm, parameters, options)), engine_(parameters.engine()) {}
  void reduce(const Tape& tape, const Tensor& output) const {
    rondo_tensor* outputs[] = {output.get()};
    detail::carry([&] { return rondo_buckets_reduce(get(), tape.get(), 1, outputs, nullptr); });
  }
  // With the gradients of other tensors that the tape watches, which stay this rank's own.
  std::vector<Tensor> reduce_with(const Tape& tape, const Tensor& output, const Tensors& sources) const {
    rondo_tensor* outputs[] = {output.get()};
    detail::Made made(sources.size(), sources.engine());
    detail::carry([&] {
      return rondo_buckets_reduce_with(get(), tape.get(), 1, outputs, nullptr, sources.count(), sources.data(),
                                       made.data());
    });
    return made.take_all();
  }
  Tensor gradient(int32_t index) const {
    return Tensor::made_by(engine_, [&](rondo_tensor** out) { return rondo_buckets_gradient(get(), index, out); });
  }
  rondo_buckets_info info() const {
    rondo_buckets_info info = RONDO_BUCKETS_INFO_INIT;
    throw_on_failure(rondo_buckets_query(get(), &info));
    return info;
  }

 private:
  static rondo_buckets* create(const Comm& comm, const Tensors& parameters, const rondo_buckets_options& options) {
    rondo_buckets* buckets = nullptr;
    throw_on_failure(rondo_buckets_create(comm.get(), parameters.count(), parameters.data(), &options, &buckets));
    return buckets;
  }

  rondo_engine* engine_ = nullptr;
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_DATA_PARALLEL_HPP
