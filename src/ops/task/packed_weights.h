// Keeps copies of matrices in the order in which tasks read them, panels of products or tiles of convolutions, for as
// long as tasks of graphs want them. Tasks that read the same matrix in the same order share its copy.
//
// A copy is made by the first task that runs with it, and made anew by the first that runs after the matrix was
// written: the storage counts how often that happened. While a task reads the matrix no one writes it, so the count
// stays.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "base/ref.h"
#include "engine/tensor.h"

namespace rondo::ops {

// n lines of k numbers, and the order that their copy has.
struct WeightMatrix {
  View view;
  int64_t n, k;
  int64_t step[2];  // k, n
  int64_t group;    // of lines that are packed apart from the others; 0: there is one
  size_t bytes;     // of the copy
  // Shares its work among workers.
  void (*pack)(const WeightMatrix& matrix, char* copy);
};

class PackedWeights {
 public:
  // The copy of a matrix, which may be there already; takes memory for it. Null, and a status that says why: there is
  // no memory, or copies have as much as RONDO_PACKED_WEIGHTS_MB allows.
  static Status find(const WeightMatrix& matrix, std::shared_ptr<PackedWeights>* found);

  ~PackedWeights();
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // The copy of what the matrix holds now; null: others may write it without a task that says so. In a run of a task
  // that reads it.
  const void* current(const WeightMatrix& matrix);

 private:
  PackedWeights(const WeightMatrix& matrix, Ref<Storage> memory);
  bool is_of(const WeightMatrix& matrix) const;
  static std::shared_ptr<PackedWeights> known(const WeightMatrix& matrix);  // with the lock of the list

  // Matrices differ in one of these. The storage lives as long as the tasks that share the copy.
  const Storage* const weights_;
  const rondo_dtype dtype_;
  const int64_t offset_, n_, k_, group_;
  const int64_t step_[2];
  void (*const pack_)(const WeightMatrix& matrix, char* copy);
  const Ref<Storage> memory_;
  std::mutex mutex_;
  bool packed_ = false;   // guarded by mutex_
  uint64_t version_ = 0;  // of the weights, when they were packed; guarded by mutex_
};

// A task's part in such a copy (task/packs_weights.h), if it keeps one.
class KeptWeights {
 public:
  Status keep(const WeightMatrix& matrix);
  void read_unpacked() { unpacked_.store(true, std::memory_order_relaxed); }
  // In a run of the task; null: it reads the matrix as it lies.
  const void* copy(const WeightMatrix& matrix) const;
  const std::string& remark() const { return remark_; }

 private:
  std::shared_ptr<PackedWeights> packed_;
  std::atomic<bool> unpacked_{false};
  std::string remark_;
};

}  // namespace rondo::ops
