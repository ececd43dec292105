// Exports tensors to DLPack and imports them from it, in both versions of its structs.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/dlpack.h"

#include <cinttypes>
#include <memory>

#include "capi/capi.h"
#include "engine/views.h"
#include "ops/task/output.h"

using namespace rondo;
using capi::check_engine;
using capi::check_tensor;
using capi::guard_whole;

namespace {

constexpr DLDataType kTypes[kDtypes] = {
    {dlpack::kBool, 8, 1},   {dlpack::kUInt, 8, 1},         {dlpack::kInt, 8, 1},       {dlpack::kInt, 32, 1},
    {dlpack::kInt, 64, 1},   {dlpack::kFloat, 16, 1},       {dlpack::kBfloat, 16, 1},   {dlpack::kFloat, 32, 1},
    {dlpack::kFloat, 64, 1}, {dlpack::kInt, 16, 1},         {dlpack::kUInt, 16, 1},     {dlpack::kUInt, 32, 1},
    {dlpack::kUInt, 64, 1},  {dlpack::kFloat8E4m3fn, 8, 1}, {dlpack::kFloat8E5m2, 8, 1}};

// -1 is no stream but Python's word for "no synchronisation", which the driver would take for an address.
Status check_stream(const void* stream) {
  if (reinterpret_cast<intptr_t>(stream) != -1) return {};
  return error(RONDO_INVALID_ARGUMENT, "stream is -1, which is no CUstream; pass NULL, and the host waits");
}

// The objects that an exported tensor keeps alive.
template <class Managed>
struct Exported {
  Managed managed{};
  Ref<Storage> storage;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
};

template <class Managed>
Status export_tensor(rondo_tensor* tensor, void* stream, Managed** managed) {
  RONDO_TRY(check_tensor(tensor, "tensor"));
  RONDO_NOT_NULL(managed);
  RONDO_TRY(check_stream(stream));
  const View& view = tensor->view;
  Engine& engine = view.engine();
  RONDO_TRY(engine.usable());
  if (view.accumulate) return error(RONDO_INVALID_ARGUMENT, "tensor is an accumulator view; export the tensor itself");
  const bool read_only = view.layout.repeats() || view.storage->read_only;
  if (std::is_same_v<Managed, DLManagedTensor> && read_only)
    return error(RONDO_INVALID_ARGUMENT,
                 "tensor is read-only (it shows an element twice, or is memory that its owner exported as read-only), "
                 "which version 0 cannot say; use rondo_tensor_to_dlpack, or export a copy");
  RONDO_TRY(ops::check_written("tensor", view));
  // Who may write comes after those who read, too.
  const Awaited awaited = read_only ? Awaited::contents : Awaited::uses;
  if (view.device().is_host() || !stream)
    RONDO_TRY(engine.wait(*tensor->storage, awaited));
  else
    RONDO_TRY(engine.noted(engine.export_to_stream(*tensor->storage, awaited, stream)));
  RONDO_TRY(engine.back(*tensor->storage));
  tensor->storage->exposed.store(true, std::memory_order_release);
  auto exported = std::make_unique<Exported<Managed>>();
  exported->storage = tensor->storage;
  for (int i = 0; i < view.layout.ndim; ++i) {
    exported->shape[i] = view.layout.shape[i];
    exported->strides[i] = view.layout.strides[i];
  }
  DLTensor& out = exported->managed.dl_tensor;
  out.data = view.address();
  out.device = {view.device().is_host() ? dlpack::kCpu : dlpack::kCuda, view.device().id().index};
  out.ndim = view.layout.ndim;
  out.dtype = kTypes[view.dtype];
  out.shape = exported->shape;
  out.strides = exported->strides;
  out.byte_offset = 0;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    exported->managed.version = {1, is_f8(view.dtype) ? 1u : 0u};  // 1.1 names them
    exported->managed.flags = read_only ? dlpack::kReadOnly : 0;
  }
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = [](Managed* self) { delete static_cast<Exported<Managed>*>(self->manager_ctx); };
  *managed = &exported.release()->managed;
  return {};
}

Status describe(const DLTensor& tensor, rondo_device* device, rondo_dtype* dtype, Layout* layout) {
  switch (tensor.device.device_type) {
    case dlpack::kCpu:
    case dlpack::kCudaHost: *device = {RONDO_CPU, 0}; break;
    case dlpack::kCuda: *device = {RONDO_CUDA, tensor.device.device_id}; break;
    default:
      return error(RONDO_UNSUPPORTED,
                   "managed is on DLPack device type %d; cpu (1), cuda (2) and cuda host (3) are possible",
                   tensor.device.device_type);
  }
  int found = -1;
  for (int i = 0; i < kDtypes; ++i)
    if (tensor.dtype.code == kTypes[i].code && tensor.dtype.bits == kTypes[i].bits && tensor.dtype.lanes == 1)
      found = i;
  if (found < 0)
    return error(RONDO_UNSUPPORTED,
                 "managed has DLPack type code %d with %d bits and %d lanes, which is no rondo_dtype",
                 tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
  *dtype = static_cast<rondo_dtype>(found);
  RONDO_TRY(check_shape(tensor.ndim, tensor.shape, *dtype, layout));
  if (tensor.strides)
    for (int i = 0; i < tensor.ndim; ++i)
      if (tensor.shape[i] > 1) layout->strides[i] = tensor.strides[i];  // any other is never stepped along
  if (layout->elements() == 0) return {};
  const auto item = static_cast<int64_t>(dtype_size(*dtype));
  if (!layout->extent_fits(item))
    return error(RONDO_INVALID_ARGUMENT,
                 "managed->dl_tensor.strides of shape %s reach further than 63 bits count; strides are in elements",
                 shape_text(*layout).c_str());
  if (!tensor.data) return error(RONDO_INVALID_ARGUMENT, "managed->dl_tensor.data is NULL");
  if ((reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset) % static_cast<uintptr_t>(item) != 0)
    return error(RONDO_INVALID_ARGUMENT,
                 "managed->dl_tensor.data + byte_offset is no multiple of %" PRId64
                 ", the size of its dtype %s; import aligned memory",
                 item, dtype_name(*dtype));
  return {};
}

template <class Managed>
Status import_tensor(rondo_engine* engine, Managed* managed, void* stream, rondo_tensor** tensor) {
  RONDO_TRY(check_engine(engine, "engine"));
  RONDO_NOT_NULL(managed);
  RONDO_NOT_NULL(tensor);
  RONDO_TRY(check_stream(stream));
  RONDO_TRY(engine->engine->usable());
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    if (managed->version.major != 1)
      return error(RONDO_UNSUPPORTED, "managed is DLPack version %u.%u; version 1 is possible", managed->version.major,
                   managed->version.minor);
  View view;
  rondo_device id{};
  RONDO_TRY(describe(managed->dl_tensor, &id, &view.dtype, &view.layout));
  Device* device = nullptr;
  RONDO_TRY(get_device(id, &device));
  DeviceState* state = nullptr;
  RONDO_TRY(engine->engine->device_state(*device, &state));
  // The storage spans what the view reaches, which may begin before its first element.
  int64_t low = 0;
  int64_t high = 0;
  view.layout.extent(&low, &high);
  const auto item = static_cast<int64_t>(dtype_size(view.dtype));
  char* first = static_cast<char*>(managed->dl_tensor.data) + managed->dl_tensor.byte_offset;
  view.offset = -low * item;
  Managed* owned = managed;
  // Ownership passes only when nothing can fail any more: the release function is armed at the end.
  auto armed = std::make_shared<bool>(false);
  Ref<Task> release;
  const auto give_back = [owned, armed] {
    if (*armed && owned->deleter) owned->deleter(owned);
  };
  RONDO_TRY(engine->engine->make_action(give_back, &release));
  Ref<Storage> storage = make_ref<Storage>(*engine->engine, *device, static_cast<size_t>((high - low) * item),
                                           first ? first + low * item : nullptr, std::move(release));
  if (stream && !device->is_host())
    RONDO_TRY(engine->engine->noted(engine->engine->import_from_stream(*storage, *device, stream)));
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>)
    storage->read_only = (managed->flags & dlpack::kReadOnly) != 0;
  *tensor = make_view(storage, view);
  *armed = true;
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_tensor_to_dlpack(rondo_tensor* tensor, void* stream, DLManagedTensorVersioned** managed) {
  return guard_whole("rondo_tensor_to_dlpack", [&] { return export_tensor(tensor, stream, managed); });
}

rondo_status rondo_tensor_to_dlpack_v0(rondo_tensor* tensor, void* stream, DLManagedTensor** managed) {
  return guard_whole("rondo_tensor_to_dlpack_v0", [&] { return export_tensor(tensor, stream, managed); });
}

rondo_status rondo_tensor_from_dlpack(rondo_engine* engine, DLManagedTensorVersioned* managed, void* stream,
                                      rondo_tensor** tensor) {
  return guard_whole("rondo_tensor_from_dlpack", [&] { return import_tensor(engine, managed, stream, tensor); });
}

rondo_status rondo_tensor_from_dlpack_v0(rondo_engine* engine, DLManagedTensor* managed, void* stream,
                                         rondo_tensor** tensor) {
  return guard_whole("rondo_tensor_from_dlpack_v0", [&] { return import_tensor(engine, managed, stream, tensor); });
}

}  // extern "C"
