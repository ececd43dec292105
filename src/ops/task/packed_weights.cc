// Makes copies of matrices, finds those that are there, and counts their bytes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/packed_weights.h"

#include <algorithm>
#include <vector>

#include "base/caught.h"
#include "base/settings.h"

namespace rondo::ops {

namespace {

// All copies of the process. Never destroyed, as tasks may outlive whatever ends a program.
struct AllPacked {
  std::mutex mutex;
  std::vector<std::pair<const PackedWeights*, std::weak_ptr<PackedWeights>>> list;
  size_t bytes = 0;
};
AllPacked& all_packed() {
  static auto* const all = new AllPacked;
  return *all;
}

}  // namespace

PackedWeights::PackedWeights(const WeightMatrix& matrix, Ref<Storage> memory)
    : weights_(matrix.view.storage),
      dtype_(matrix.view.dtype),
      offset_(matrix.view.offset),
      n_(matrix.n),
      k_(matrix.k),
      group_(matrix.group),
      step_{matrix.step[0], matrix.step[1]},
      pack_(matrix.pack),
      memory_(std::move(memory)) {}

PackedWeights::~PackedWeights() {
  AllPacked& all = all_packed();
  const std::scoped_lock lock(all.mutex);
  all.bytes -= memory_->bytes();
  std::erase_if(all.list, [&](const auto& each) { return each.first == this; });
}

bool PackedWeights::is_of(const WeightMatrix& matrix) const {
  // mutation: packed_weights_of_other_groups
  return weights_ == matrix.view.storage && dtype_ == matrix.view.dtype && offset_ == matrix.view.offset &&
         n_ == matrix.n && k_ == matrix.k && group_ == matrix.group && pack_ == matrix.pack &&
         std::equal(step_, step_ + 2, matrix.step);
}

std::shared_ptr<PackedWeights> PackedWeights::known(const WeightMatrix& matrix) {
  // The list has no copy that is destroyed already. A copy of another matrix is not held here: it may have no other
  // owner any more, and its end takes the lock.
  for (const auto& [address, weak] : all_packed().list)
    if (address->is_of(matrix))
      if (std::shared_ptr<PackedWeights> one = weak.lock()) return one;
  return nullptr;
}

Status PackedWeights::find(const WeightMatrix& matrix, std::shared_ptr<PackedWeights>* found) {
  AllPacked& all = all_packed();
  const size_t bytes = matrix.bytes, most = static_cast<size_t>(setting_number(Setting::packed_weights_mb)) << 20;
  // Memory is taken without the lock: that may ask the program to give some back, which ends other copies.
  {
    const std::scoped_lock lock(all.mutex);
    *found = known(matrix);
    if (*found) return {};
    if (bytes > most || all.bytes > most - bytes)
      return error(RONDO_OUT_OF_MEMORY, "packed weights would have more than RONDO_PACKED_WEIGHTS_MB=%zu MiB",
                   most >> 20);
    all.bytes += bytes;
  }
  std::shared_ptr<PackedWeights> made;
  bool counted = false;  // by an object, whose end gives the bytes back
  const Status taken = caught([&]() -> Status {
    auto memory = make_ref<Storage>(matrix.view.engine(), matrix.view.device(), bytes);
    RONDO_TRY(memory->materialise(kNoStream));
    auto* const own = new PackedWeights(matrix, std::move(memory));
    counted = true;
    made.reset(own);
    return {};
  });
  std::shared_ptr<PackedWeights> twin;
  {
    const std::scoped_lock lock(all.mutex);
    if (!counted) all.bytes -= bytes;
    RONDO_TRY(taken);
    twin = known(matrix);
    if (!twin) all.list.emplace_back(made.get(), made);
  }
  *found = twin ? std::move(twin) : std::move(made);
  return {};
}

const void* PackedWeights::current(const WeightMatrix& matrix) {
  const Storage& weights = *matrix.view.storage;
  if (weights.exposed.load(std::memory_order_acquire)) return nullptr;
  const uint64_t version = matrix.view.engine().version(weights);
  const std::scoped_lock lock(mutex_);
  if (!packed_ || version_ != version) {  // mutation: weights_packed_once_for_ever
    packed_ = false;                      // if it fails
    pack_(matrix, memory_->address());
    packed_ = true;
    version_ = version;
  }
  return memory_->address();
}

Status KeptWeights::keep(const WeightMatrix& matrix) {
  const Status found = PackedWeights::find(matrix, &packed_);
  remark_ = found.ok() ? "its weights are packed once"
                       : std::string("its weights are packed in each run: ") + found.message();
  return found;
}

const void* KeptWeights::copy(const WeightMatrix& matrix) const {
  return packed_ && !unpacked_.load(std::memory_order_relaxed) ? packed_->current(matrix) : nullptr;
}

}  // namespace rondo::ops
