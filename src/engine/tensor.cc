// Makes, checks and destroys the handles of tensors and variables, and lists those that are alive.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "engine/tensor.h"

#include "base/text.h"
#include "engine/handle.h"
#include "engine/views.h"

namespace rondo {

using Tensors = HandleSlab<rondo_tensor, HandleKind::tensor>;
using Variables = HandleSlab<rondo_variable, HandleKind::variable>;

bool alive(const rondo_tensor* tensor) {
  return Tensors::alive(tensor);
}
bool alive(const rondo_variable* variable) {
  return Variables::alive(variable);
}

rondo_tensor* make_view(const Ref<Storage>& storage, const View& view) {
  rondo_tensor* tensor = Tensors::create([&](rondo_tensor& made) {
    made.storage = storage;
    made.view = view;
    made.view.storage = storage.get();
  });
  storage->handles.fetch_add(1, std::memory_order_relaxed);
  return tensor;
}

void declare_output(Task& task, const View& view) {
  if (view.accumulate)
    task.reads(*view.storage);
  else if (view.bytes() != view.storage->bytes())
    task.follows(*view.storage);
  task.writes(*view.storage);
}

// A task's results never overlap, so what they have together is enough to know.
bool Task::covers(const Storage& storage) const {
  if (leaves_gaps()) return false;
  std::vector<TaskOperand> operands;
  list_operands(&operands);
  size_t written = 0;
  for (const TaskOperand& each : operands)
    if (each.written && each.view.storage == &storage && !each.view.accumulate) written += each.view.bytes();
  return written == storage.bytes();
}

std::string operand_text(const View& view) {
  return std::string(dtype_name(view.dtype)) + " " + shape_text(view.layout);
}

View make_temporary(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape, Ref<Storage>* storage) {
  View view;
  view.dtype = dtype;
  view.layout = Layout::row_major(shape.ndim, shape.shape);
  *storage = engine.new_storage(device, static_cast<size_t>(view.layout.elements()) * dtype_size(dtype));
  view.storage = storage->get();
  note_view(nullptr, nullptr, view);
  return view;
}

rondo_tensor* make_tensor(Engine& engine, Device& device, rondo_dtype dtype, const Layout& shape) {
  Ref<Storage> storage;
  const View view = make_temporary(engine, device, dtype, shape, &storage);
  return make_view(storage, view);
}

bool destroy_tensor(rondo_tensor* tensor) {
  Ref<Storage> storage;
  const bool alive = Tensors::destroy(tensor, [&storage](rondo_tensor& each) {
    storage = std::move(each.storage);
    each.view.storage = nullptr;
  });
  if (alive) storage->handles.fetch_sub(1, std::memory_order_relaxed);
  return alive;
}

rondo_variable* make_variable(Engine& engine) {
  Ref<Variable> variable = make_ref<Variable>(engine);
  return Variables::create([&variable](rondo_variable& handle) {
    handle.variable = variable.get();
    handle.owner = std::move(variable);
  });
}

rondo_variable* borrow_variable(Storage& storage) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (!storage.handle) {
    storage.handle = Variables::create([&storage](rondo_variable& handle) {
      handle.borrowed = true;
      handle.variable = &storage;
    });
    storage.release_handle = [](rondo_variable* handle) {
      (void)Variables::destroy(handle, [](rondo_variable& each) {
        each.borrowed = false;
        each.variable = nullptr;
      });
    };
  }
  return storage.handle;
}

bool destroy_variable(rondo_variable* handle) {
  Ref<Variable> variable;
  return Variables::destroy(handle, [&variable](rondo_variable& each) {
    variable = std::move(each.owner);
    each.variable = nullptr;
  });
}

void list_live(const Engine& engine, std::vector<std::string>* objects) {
  const auto made = [](const Variable& variable) {
    return variable.written_by() ? format(" made by '%s'", variable.written_by()) : std::string(" no task has written");
  };
  Tensors::for_each([&](const rondo_tensor& each) {
    const View& view = each.view;
    if (&view.engine() == &engine)
      objects->push_back(format("tensor %s %s on %s", dtype_name(view.dtype), shape_text(view.layout).c_str(),
                                device_name(view.device().id()).c_str()) +
                         made(*view.storage));
  });
  Variables::for_each([&](const rondo_variable& each) {
    if (!each.borrowed && &each.variable->engine() == &engine) objects->push_back("variable" + made(*each.variable));
  });
}

}  // namespace rondo
