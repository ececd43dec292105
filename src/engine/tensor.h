// Tensors as users hold them: a view (dtype, layout, offset) of a storage. Handles live in memory that is never given
// back (handle.h), so that a destroyed handle can be told from a live one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/dtype.h"
#include "base/shape.h"
#include "engine/engine.h"

namespace rondo {

// A view by value: what operators compute with. Does not own the storage.
struct View {
  Storage* storage = nullptr;
  rondo_dtype dtype = RONDO_F32;
  bool accumulate = false;  // writes add
  Layout layout;
  int64_t offset = 0;  // bytes from the storage's start to the first element

  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the analyzer goes on after an error that another file makes
  Device& device() const { return storage->device(); }
  Engine& engine() const { return storage->engine(); }
  int64_t elements() const { return layout.elements(); }
  size_t bytes() const { return static_cast<size_t>(elements()) * dtype_size(dtype); }
  // Valid once the storage has memory: inside run().
  char* address() const { return storage->address() + offset; }
};

// One of the tensors that a task works on.
struct TaskOperand {
  View view;
  bool written = false;
};
std::string operand_text(const View& view);  // "f32 [64, 10]"

// Declares that a task writes a view. Writing a part of a storage, or adding to it, keeps the rest: it depends on, and
// does not clear, an error of what was there. Adding needs contents as well.
void declare_output(Task& task, const View& view);

}  // namespace rondo

// The public handles.
struct rondo_variable {
  uint32_t magic = 0;
  bool borrowed = false;
  rondo::Variable* variable = nullptr;
  rondo::Ref<rondo::Variable> owner;  // null when borrowed
};

struct rondo_tensor {
  uint32_t magic = 0;
  rondo::View view;
  rondo::Ref<rondo::Storage> storage;  // owns view.storage
};

namespace rondo {

// A new tensor handle on a fresh contiguous storage, or on a given one. Never null; throws std::bad_alloc.
rondo_tensor* make_tensor(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape);
rondo_tensor* make_view(const Ref<Storage>& storage, const View& view);
// False if it is not alive (handle.h).
bool destroy_tensor(rondo_tensor* tensor);
bool alive(const rondo_tensor* tensor);

rondo_variable* make_variable(Engine& engine);
// The one handle of a storage's variable, made when it is first asked for; lives as long as the storage.
rondo_variable* borrow_variable(Storage& storage);
bool destroy_variable(rondo_variable* handle);
bool alive(const rondo_variable* variable);

// The tensors and variables of an engine that users hold, a line on each: what it is, and the task that made it.
void list_live(const Engine& engine, std::vector<std::string>* objects);

// A view on a fresh storage without a handle, for temporaries inside operators: the storage lives as long as the Ref
// and tasks.
View make_temporary(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, Ref<Storage>* storage);

}  // namespace rondo
