// Finds and launches the kernels of tasks, and adds them to graphs as nodes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/task/kernel_task.h"

#include <cstring>

#include "base/text.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/element_text.h"
#include "rtc/device_text.h"
#include "rtc/kernel.h"

namespace rondo::ops {

rtc::Signature KernelSpec::signature() const {
  rtc::Signature signature(family_);
  signature.put(static_cast<int16_t>(number_));
  for (int i = 0; i < entry_count_; ++i) signature.put(static_cast<int16_t>(entries_[i].value));
  for (int i = 0; i < computed_count_; ++i) {
    const Computed& each = computed_[i];
    signature.put(static_cast<int32_t>(each.repeats));
    signature.put(static_cast<int16_t>(each.given));
    uint8_t packed[Expression::kMaxPacked];
    signature.put_bytes(packed, static_cast<uint32_t>(each.expression->pack(packed)));
  }
  return signature;
}

std::string KernelSpec::source() const {
  std::string text = "using namespace rondo::device;\n";
  for (int i = 0; i < entry_count_; ++i) {
    const Entry& entry = entries_[i];
    // Kernels of these families move 8-bit floats as bytes.
    const rondo_dtype moved = entry.is_type ? moved_dtype(static_cast<rondo_dtype>(entry.value)) : RONDO_BOOL;
    text += entry.is_type ? format("using %s = %s;\n", entry.name, memory_type(moved))
                          : format("constexpr int %s = %d;\n", entry.name, entry.value);
  }
  rtc::append_text(rtc::kStridedText, &text);
  for (int i = 0; i < computed_count_; ++i) {
    const Computed& each = computed_[i];
    text += element_text(*each.expression, each.repeats, each.scope, each.given);
  }
  for (int i = 0; i < part_count_; ++i) rtc::append_text(parts_[i], &text);
  return text;
}

Status KernelTask::prepare() {
  for (Launch& launch : launches_) {
    if (launch.function) continue;
    Kernel& kernel = kernels_[static_cast<uint32_t>(launch.kernel)];
    if (!kernel.function) {
      const KernelSpec& spec = kernel.spec;
      const rtc::Kernel* found = nullptr;
      RONDO_TRY(rtc::find_kernel(
          cuda_device(*this), spec.signature(), spec.name(), [&spec] { return spec.source(); }, &found));
      kernel.function = found->function;
      kernel.waits = found->waits;
    }
    launch.function = kernel.function;
    launch.shape.waits = kernel.waits;
  }
  return {};
}

Status KernelTask::run(const TaskContext& context) {
  RONDO_TRY(prepare());
  for (const Address& each : addresses_) {
    const char* from = each.storage ? each.storage->address() : static_cast<const char*>(context.workspace);
    from += each.bytes;
    std::memcpy(each.word, &from, sizeof from);
  }
  for (Launch& launch : launches_) {
    void** const parameters = launch.parameters ? launch.parameters : &launch.arguments;
    RONDO_TRY(context.kernels
                  ? launch_as_node(context, launch.function, launch.shape, parameters)
                  : cuda_device(*this).launch_with(launch.function, launch.shape, context.stream, parameters));
  }
  return {};
}

Status launch_as_node(const TaskContext& context, cuda::CUfunction function, const cuda::CudaDevice::Launch& shape,
                      void** parameters) {
  auto& gpu = static_cast<cuda::CudaDevice&>(*context.device);
  KernelNodes& kernels = *context.kernels;
  if (kernels.graph) {
    if (kernels.next == kernels.nodes.size())
      return error(RONDO_INTERNAL, "a task launches more than the %zu kernels that it was captured as", kernels.next);
    return gpu.graph_set_kernel(*kernels.graph, kernels.nodes[kernels.next++], function, shape, parameters);
  }
  const bool early = kernels.chained && *kernels.chained && shape.waits;
  RONDO_TRY(early ? gpu.launch_early(function, shape, context.stream, parameters)
                  : gpu.launch_with(function, shape, context.stream, parameters));
  if (kernels.chained) *kernels.chained = shape.waits;
  if (!kernels.noted) return {};
  void* node = nullptr;
  RONDO_TRY(gpu.last_captured(context.stream, &node));
  kernels.nodes.push_back(node);
  return {};
}

}  // namespace rondo::ops
