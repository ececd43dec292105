// Makes room for one more element of a vector, before something that must not be lost is begun. It grows as push_back
// lets it grow: a vector that is asked to hold exactly one more each time would be copied each time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace rondo {

template <class T>
void make_room(std::vector<T>* vector) {
  if (vector->size() == vector->capacity()) vector->reserve(2 * vector->size() + 1);
}

}  // namespace rondo
