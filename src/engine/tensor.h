// Tensors as users hold them: a view (dtype, layout, offset) of a storage. Handles live in memory that is never given
// back (handle.h), so that a destroyed handle can be told from a live one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace rondo

namespace rondo {

// Declares that a task writes a view. Writing a part of a storage, or adding to it, keeps the rest: it depends on, and
// does not clear, an error of what was there.
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
void destroy_tensor(rondo_tensor* tensor);
bool alive(const rondo_tensor* tensor);

rondo_variable* make_variable(Engine& engine);
// The one handle of a storage's variable, made when it is first asked for; lives as long as the storage.
rondo_variable* borrow_variable(Storage& storage);
void destroy_variable(rondo_variable* handle);
bool alive(const rondo_variable* variable);

// A view on a fresh storage without a handle, for temporaries inside operators: the storage lives as long as the Ref
// and tasks.
View make_temporary(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, Ref<Storage>* storage);

}  // namespace rondo
