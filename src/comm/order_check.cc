// Compares the next step of each rank with those that other ranks have told, by their numbers.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/order_check.h"

namespace rondo::comm {

Status OrderCheck::note(int rank, const std::string& what) {
  const uint64_t number = next_[static_cast<size_t>(rank)]++;
  const auto [found, fresh] = open_.try_emplace(number, Step{rank, what, 0});
  Step& step = found->second;
  if (!fresh && step.what != what)
    return error(RONDO_INVALID_STATE,
                 "the ranks differ: step %llu of the communicator is '%s' on rank %d and '%s' on rank %d; every rank "
                 "must do the same in the same order",
                 static_cast<unsigned long long>(number), step.what.c_str(), step.first, what.c_str(), rank);
  if (++step.seen == static_cast<int>(next_.size())) open_.erase(found);
  return {};
}

}  // namespace rondo::comm
