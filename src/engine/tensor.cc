// Making and destroying tensor handles. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tensor.h"

#include "engine/handle.h"

namespace rondo {

using Tensors = HandleSlab<rondo_tensor, 0x524e5431>;
using Variables = HandleSlab<rondo_variable, 0x524e5631>;

bool alive(const rondo_tensor* tensor) {
  return Tensors::alive(tensor);
}
bool alive(const rondo_variable* variable) {
  return Variables::alive(variable);
}

rondo_tensor* make_view(const Ref<Storage>& storage, const View& view) {
  rondo_tensor* tensor = Tensors::create();
  tensor->storage = storage;
  tensor->view = view;
  tensor->view.storage = storage.get();
  storage->handles.fetch_add(1, std::memory_order_relaxed);
  storage->engine().live_objects.fetch_add(1, std::memory_order_relaxed);
  return tensor;
}

void declare_output(Task& task, const View& view) {
  if (view.accumulate || view.bytes() != view.storage->bytes()) task.reads(*view.storage);
  task.writes(*view.storage);
}

View make_temporary(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, Ref<Storage>* storage) {
  View view;
  view.dtype = dtype;
  view.layout = Layout::row_major(shape.ndim, shape.shape);
  *storage = engine.new_storage(device, static_cast<size_t>(view.layout.elements()) * dtype_size(dtype));
  view.storage = storage->get();
  return view;
}

rondo_tensor* make_tensor(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape) {
  Ref<Storage> storage;
  const View view = make_temporary(engine, device, dtype, shape, &storage);
  return make_view(storage, view);
}

void destroy_tensor(rondo_tensor* tensor) {
  Ref<Storage> storage = std::move(tensor->storage);
  tensor->view.storage = nullptr;
  storage->handles.fetch_sub(1, std::memory_order_relaxed);
  storage->engine().live_objects.fetch_sub(1, std::memory_order_relaxed);
  Tensors::destroy(tensor);
}

rondo_variable* make_variable(Engine& engine) {
  rondo_variable* handle = Variables::create();
  handle->owner = make_ref<Variable>(engine);
  handle->variable = handle->owner.get();
  engine.live_objects.fetch_add(1, std::memory_order_relaxed);
  return handle;
}

rondo_variable* borrow_variable(Storage& storage) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!storage.handle) {
    rondo_variable* handle = Variables::create();
    handle->borrowed = true;
    handle->variable = &storage;
    storage.handle = handle;
    storage.release_handle = [](rondo_variable* each) {
      each->borrowed = false;
      each->variable = nullptr;
      Variables::destroy(each);
    };
  }
  return storage.handle;
}

void destroy_variable(rondo_variable* handle) {
  Ref<Variable> variable = std::move(handle->owner);
  handle->variable = nullptr;
  variable->engine().live_objects.fetch_sub(1, std::memory_order_relaxed);
  Variables::destroy(handle);
}

}  // namespace rondo
