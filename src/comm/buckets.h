// Keeps the gradients of a model in blocks that are reduced over all ranks, each when the tape has filled it.
//
// A bucket is one storage, so that one collective moves it, and so that buckets are independent of each other in the
// order of tasks. Owned by the user's handle. Used by one thread at a time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/data_parallel.h>

#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "tape/tape.h"

namespace rondo::comm {

// Which bucket each of the parameters, by their bytes in the order of their use, falls into. Buckets are numbered as
// they fill on the way back: the last parameters are in bucket 0. Those of a dtype have buckets of their own.
std::vector<int> plan_buckets(std::span<const size_t> bytes, std::span<const rondo_dtype> dtypes, size_t bucket_bytes,
                              size_t edge_bytes);

class Buckets {
 public:
  static Status create(Communicator& comm, std::span<const View> parameters, const rondo_buckets_options& options,
                       std::unique_ptr<Buckets>* made);
  Buckets(const Buckets&) = delete;
  Buckets& operator=(const Buckets&) = delete;

  // `own`, of the views `more`, are made on the same way back and not reduced.
  Status reduce(tape::Tape& tape, std::span<const View> outputs, std::span<const View* const> given,
                std::span<const View> more, std::span<rondo_tensor*> own);
  // A handle of the caller's.
  rondo_tensor* gradient(size_t index) const;
  size_t parameters() const { return gradients_.size(); }
  Engine& engine() const { return comm_->engine(); }
  void describe(rondo_buckets_info* info) const;

 private:
  struct Bucket {
    Ref<Storage> storage;
    View view;         // all of it
    size_t gradients;  // in it
  };
  explicit Buckets(Communicator& comm) : comm_(Ref<Communicator>::share(&comm)) {}

  const Ref<Communicator> comm_;
  rondo_reduce_op reduction_ = RONDO_MEAN;
  std::vector<Ref<Storage>> kept_;  // the parameters'
  std::vector<View> sources_;
  std::vector<View> gradients_;
  std::vector<int> bucket_of_;
  std::vector<Bucket> buckets_;
};

}  // namespace rondo::comm
