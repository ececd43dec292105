// Memory of temporaries that graphs share, which are recorded with the same name: their launches run one after the
// other.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace rondo {

class SharedArena {
 public:
  // The arena of that name which graphs of the engine hold, or a new one.
  static std::shared_ptr<SharedArena> of(const Engine& engine, const std::string& name);

  // A block of memory for temporaries of a graph, which no other graph has.
  static Status make_block(Engine& engine, Device& device, size_t bytes, const char* graph, Ref<Storage>* block);
  // A block of at least so many bytes, which is the largest so far. An older one stays with the graphs that have it.
  Status take(Engine& engine, Device& device, size_t bytes, const char* graph, Ref<Storage>* storage);
  // A graph that has the block is about to run on it: whether the last one to do so was another one. Guarded by the
  // order of the block's writers.
  bool changes_hands(const Storage& block, const void* graph);

 private:
  struct Block {
    Ref<Storage> storage;
    const void* last = nullptr;  // the graph
  };
  std::mutex mutex_;
  std::vector<Block> blocks_;  // the largest of a device is its last
};

}  // namespace rondo
