// Makes tensors and views, reads, writes, queries and destroys them, after checking their handles.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/capi.h"
#include "capi/structs.h"
#include "engine/user_call.h"
#include "engine/views.h"
#include "ops/ops.h"
#include "ops/task/submit.h"

using namespace rondo;
using capi::check_engine;
using capi::check_tensor;
using capi::guard;

namespace {

Status new_tensor(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim, const int64_t* shape,
                  rondo_tensor** tensor) {
  RONDO_TRY(check_engine(engine, "engine"));
  RONDO_NOT_NULL(tensor);
  RONDO_TRY(engine->engine->usable());
  Layout layout;
  RONDO_TRY(check_shape(ndim, shape, dtype, &layout));
  Device* found = nullptr;
  RONDO_TRY(get_device(device, &found));
  *tensor = make_tensor(*engine->engine, *found, dtype, layout);
  return {};
}

// Views: checks, arithmetic, a handle on the same storage.
template <class Arithmetic>
rondo_status new_view(const char* function, rondo_tensor* tensor, rondo_tensor** view, Arithmetic&& arithmetic) {
  return guard(function, [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    RONDO_NOT_NULL(view);
    RONDO_TRY(tensor->view.engine().usable());
    View result;
    RONDO_TRY(arithmetic(tensor->view, &result));
    *view = make_view(tensor->storage, result);
    return {};
  });
}

Status check_host_copy(rondo_tensor* tensor, const void* data, size_t bytes) {
  RONDO_TRY(check_tensor(tensor, "tensor"));
  const View& view = tensor->view;
  RONDO_TRY(view.engine().usable());
  if (bytes != view.bytes())
    return error(RONDO_INVALID_ARGUMENT, "bytes is %zu; the tensor has %zu (%s %s)", bytes, view.bytes(),
                 dtype_name(view.dtype), shape_text(view.layout).c_str());
  if (bytes && !data) return capi::null_argument("data");
  Sink* sink = Engine::thread_sink();
  if (sink && &sink->engine == &view.engine())
    return error(RONDO_INVALID_STATE, "host copies cannot be recorded; copy before the recording or after it");
  return {};
}

}  // namespace

rondo_tensor_info capi::describe(const View& view) {
  rondo_tensor_info facts = RONDO_TENSOR_INFO_INIT;
  facts.dtype = view.dtype;
  facts.device = view.device().id();
  facts.ndim = view.layout.ndim;
  facts.contiguous = view.layout.contiguous();
  facts.elements = view.elements();
  facts.bytes = static_cast<int64_t>(view.bytes());
  for (int i = 0; i < view.layout.ndim; ++i) {
    facts.shape[i] = view.layout.shape[i];
    facts.strides[i] = view.layout.strides[i];
  }
  return facts;
}

extern "C" {

size_t rondo_dtype_size(rondo_dtype dtype) {
  return is_dtype(dtype) ? dtype_size(dtype) : 0;
}
const char* rondo_dtype_name(rondo_dtype dtype) {
  return dtype_name(dtype);
}

rondo_status rondo_tensor_create(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                 const int64_t* shape, rondo_tensor** tensor) {
  return guard("rondo_tensor_create", [&] { return new_tensor(engine, device, dtype, ndim, shape, tensor); });
}

rondo_status rondo_tensor_from_host(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                                    const int64_t* shape, const void* data, rondo_tensor** tensor) {
  return guard("rondo_tensor_from_host", [&]() -> Status {
    Engine::NotRecorded not_recorded;
    RONDO_NOT_NULL(tensor);
    rondo_tensor* made = nullptr;
    RONDO_TRY(new_tensor(engine, device, dtype, ndim, shape, &made));
    Status status;
    if (made->view.bytes() && !data)
      status = capi::null_argument("data");
    else
      status = ops::initialise_from_host(made->view, data, made->view.bytes());
    if (status.ok())
      *tensor = made;
    else
      destroy_tensor(made);
    return status;
  });
}

void rondo_tensor_destroy(rondo_tensor* tensor) {
  if (!tensor) return;
  guard("rondo_tensor_destroy", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    if (UserCall::keeps(tensor)) [[unlikely]]
      return error(RONDO_INVALID_STATE,
                   "tensor is borrowed by a function that is called with it; whoever has made it destroys it when that "
                   "has returned");
    return destroy_tensor(tensor) ? Status() : capi::dead_handle("tensor", "tensor", tensor);
  });
}

rondo_status rondo_tensor_write(rondo_tensor* tensor, const void* data, size_t bytes) {
  return guard("rondo_tensor_write", [&]() -> Status {
    RONDO_TRY(check_host_copy(tensor, data, bytes));
    if (tensor->view.accumulate)
      return error(RONDO_INVALID_ARGUMENT, "tensor is an accumulator view; write to the tensor itself");
    RONDO_TRY(ops::check_writable("tensor", tensor->view));
    return ops::write_from_host(tensor->view, data, bytes);
  });
}

rondo_status rondo_tensor_read(rondo_tensor* tensor, void* data, size_t bytes) {
  return guard("rondo_tensor_read", [&]() -> Status {
    RONDO_TRY(check_host_copy(tensor, data, bytes));
    if (Engine::in_task())
      return error(RONDO_INVALID_STATE,
                   "waiting inside a task is refused: the task may be what it would wait for; read outside");
    RONDO_TRY(ops::check_written("tensor", tensor->view));
    Engine::NotRecorded not_recorded;
    const ops::ScopedNoTape unheard;
    return ops::read_to_host(tensor->view, data);
  });
}

rondo_status rondo_tensor_accept(rondo_tensor* tensor) {
  return guard("rondo_tensor_accept", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    const ops::ScopedNoTape unheard;  // the contents stay what they are
    return ops::accept(*tensor->storage);
  });
}

rondo_status rondo_tensor_wait(rondo_tensor* tensor) {
  return guard("rondo_tensor_wait", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    return tensor->view.engine().wait(*tensor->storage, Awaited::contents);
  });
}

rondo_status rondo_tensor_wait_for(rondo_tensor* tensor, int64_t milliseconds) {
  return guard("rondo_tensor_wait_for", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    RONDO_TRY(capi::check_limit(milliseconds));
    return tensor->view.engine().wait(*tensor->storage, Awaited::contents, TimeLimit(milliseconds));
  });
}

rondo_status rondo_tensor_query(rondo_tensor* tensor, rondo_tensor_info* info) {
  return guard("rondo_tensor_query", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    const View& view = tensor->view;
    RONDO_TRY(view.engine().usable());
    return capi::write_info("info", info, capi::describe(view));
  });
}

rondo_status rondo_tensor_data(rondo_tensor* tensor, void** address) {
  return guard("rondo_tensor_data", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    RONDO_NOT_NULL(address);
    RONDO_TRY(tensor->view.engine().usable());
    RONDO_TRY(tensor->view.engine().back(*tensor->storage));
    tensor->storage->exposed.store(true, std::memory_order_release);
    *address = tensor->view.address();
    return {};
  });
}

rondo_status rondo_tensor_variable(rondo_tensor* tensor, rondo_variable** variable) {
  return guard("rondo_tensor_variable", [&]() -> Status {
    RONDO_TRY(check_tensor(tensor, "tensor"));
    RONDO_NOT_NULL(variable);
    RONDO_TRY(tensor->view.engine().usable());
    *variable = borrow_variable(*tensor->storage);
    return {};
  });
}

rondo_status rondo_tensor_reshape(rondo_tensor* tensor, int32_t ndim, const int64_t* shape, rondo_tensor** view) {
  return new_view("rondo_tensor_reshape", tensor, view,
                  [&](const View& from, View* to) { return reshape_view(from, ndim, shape, to); });
}

rondo_status rondo_tensor_slice(rondo_tensor* tensor, int32_t axis, int64_t start, int64_t stop, int64_t step,
                                rondo_tensor** view) {
  return new_view("rondo_tensor_slice", tensor, view,
                  [&](const View& from, View* to) { return slice_view(from, axis, start, stop, step, to); });
}

rondo_status rondo_tensor_transpose(rondo_tensor* tensor, const int32_t* axes, rondo_tensor** view) {
  return new_view("rondo_tensor_transpose", tensor, view,
                  [&](const View& from, View* to) { return transpose_view(from, axes, to); });
}

rondo_status rondo_tensor_flip(rondo_tensor* tensor, int32_t n_axes, const int32_t* axes, rondo_tensor** view) {
  return new_view("rondo_tensor_flip", tensor, view, [&](const View& from, View* to) -> Status {
    if (n_axes < 0) return error(RONDO_INVALID_ARGUMENT, "n_axes is %d; 0 (all) or more is needed", n_axes);
    if (n_axes > 0 && !axes) return capi::null_argument("axes");
    return flip_view(from, n_axes, axes, to);
  });
}

rondo_status rondo_tensor_split(rondo_tensor* tensor, int32_t axis, int64_t parts, int64_t part, rondo_tensor** view) {
  return new_view("rondo_tensor_split", tensor, view,
                  [&](const View& from, View* to) { return split_view(from, axis, parts, part, to); });
}

rondo_status rondo_tensor_broadcast(rondo_tensor* tensor, int32_t ndim, const int64_t* shape, rondo_tensor** view) {
  return new_view("rondo_tensor_broadcast", tensor, view,
                  [&](const View& from, View* to) { return broadcast_view(from, ndim, shape, to); });
}

rondo_status rondo_tensor_accumulator(rondo_tensor* tensor, rondo_tensor** view) {
  return new_view("rondo_tensor_accumulator", tensor, view, [](const View& from, View* to) -> Status {
    RONDO_TRY(ops::check_writable("tensor", from));
    if (from.dtype == RONDO_BOOL)
      return error(RONDO_INVALID_ARGUMENT, "tensor is bool, which does not add; use a number dtype");
    RONDO_TRY(ops::check_computed("tensor", from.dtype));
    *to = accumulator_view(from);
    return {};
  });
}

}  // extern "C"
