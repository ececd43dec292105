// Finds the arenas that graphs share by name, and finds or makes blocks of memory in them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/plan/shared_arena.h"

#include <algorithm>
#include <map>

#include "base/room.h"

namespace rondo {

namespace {

// A graph that holds an arena holds its engine, so no other engine is where that is.
struct Named {
  std::mutex mutex;
  std::map<std::pair<const Engine*, std::string>, std::weak_ptr<SharedArena>> arenas;
};
Named& named() {
  static Named& all = *new Named;  // graphs may go when the process ends
  return all;
}

}  // namespace

std::shared_ptr<SharedArena> SharedArena::of(const Engine& engine, const std::string& name) {
  Named& all = named();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.arenas, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<SharedArena>& kept = all.arenas[{&engine, name}];
  std::shared_ptr<SharedArena> arena = kept.lock();
  if (!arena) kept = arena = std::make_shared<SharedArena>();
  return arena;
}

Status SharedArena::make_block(Engine& engine, Device& device, size_t bytes, const char* graph, Ref<Storage>* block) {
  {
    Engine::NotRecorded not_recorded;
    *block = engine.new_storage(device, bytes);
  }
  RONDO_TRY(engine.back_unseen(**block));
  (*block)->mark_written(graph);  // there need not be anything in it
  return {};
}

Status SharedArena::take(Engine& engine, Device& device, size_t bytes, const char* graph, Ref<Storage>* storage) {
  const std::lock_guard lock(mutex_);
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (&block->storage->device() != &device || block->storage->bytes() < bytes) continue;
    *storage = block->storage;
    return {};
  }
  make_room(&blocks_);
  Ref<Storage> made;
  RONDO_TRY(make_block(engine, device, bytes, graph, &made));
  blocks_.push_back({made, nullptr});
  *storage = std::move(made);
  return {};
}

bool SharedArena::changes_hands(const Storage& block, const void* graph) {
  const std::lock_guard lock(mutex_);
  for (Block& each : blocks_)
    if (each.storage.get() == &block) return std::exchange(each.last, graph) != graph;
  return false;
}

}  // namespace rondo
