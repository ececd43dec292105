// Runs several elementwise tasks as one, and joins those with the same kernel into launches.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/elementwise_group.h"

#include <algorithm>

#include "engine/tasks/workers.h"
#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

namespace {

constexpr int64_t kPacksOfBlock = int64_t{kElementwiseThreads} * kGroupRounds;

// Blocks that a part of a launch takes, one at least: packs leave a rest, which a block's lanes do as well.
unsigned blocks_of(const Space& space) {
  const int64_t packs = space.elements / space.vector;
  return static_cast<unsigned>(std::max<int64_t>((packs + kPacksOfBlock - 1) / kPacksOfBlock, 1));
}

}  // namespace

ElementwiseGroup::ElementwiseGroup(const char* name, Device& device, std::vector<Ref<ElementwiseTask>> parts)
    : Computation(name, device), parts_(std::move(parts)) {
  for (const Ref<ElementwiseTask>& part : parts_) part->hand_accesses_to(*this);
  if (!device.is_host()) plan_launches();
}

bool ElementwiseGroup::Launch::takes(const ElementwiseTask& part, const rtc::Signature& of_part) const {
  const ElementwiseTask& first = *parts[0];
  const Expression& expression = part.expression();
  return signature == of_part && parts.size() < static_cast<size_t>(group_capacity(expression)) &&
         std::equal(part.scalars(), part.scalars() + expression.scalars(), first.scalars());
}

void ElementwiseGroup::plan_launches() {
  for (const Ref<ElementwiseTask>& part : parts_) {
    const Space& space = part->space();
    if (space.elements == 0) continue;
    if (!space.flat || space.wide) {
      alone_.push_back(part.get());
      continue;
    }
    const rtc::Signature signature = part->signature(rtc::kElementwiseGroup);
    // The last one that could be meant is the one with room.
    const auto found = std::find_if(launches_.rbegin(), launches_.rend(),
                                    [&](const Launch& launch) { return launch.takes(*part, signature); });
    Launch& launch = found != launches_.rend() ? *found : launches_.emplace_back(Launch{signature, {}, 0, nullptr});
    launch.parts.push_back(part.get());
    launch.blocks += blocks_of(space);
  }
}

void ElementwiseGroup::list_operands(std::vector<TaskOperand>* list) const {
  for (const Ref<ElementwiseTask>& part : parts_) part->list_operands(list);
  std::stable_partition(list->begin(), list->end(), [](const TaskOperand& operand) { return !operand.written; });
}

Ref<OperatorTask> ElementwiseGroup::again(const Rebinding& memory) const {
  std::vector<Ref<ElementwiseTask>> parts;
  parts.reserve(parts_.size());
  for (const Ref<ElementwiseTask>& part : parts_) parts.push_back(part->moved(memory));
  return make_ref<ElementwiseGroup>(name(), device(), std::move(parts));
}

Status ElementwiseGroup::prepare() {
  for (ElementwiseTask* part : alone_) RONDO_TRY(part->prepare());
  for (Launch& launch : launches_) {
    if (launch.kernel) continue;
    RONDO_TRY(rtc::find_kernel(
        static_cast<cuda::CudaDevice&>(device()), launch.signature, name(),
        [&] { return group_text(launch.parts[0]->plan().computed(), launch.parts[0]->space()); }, &launch.kernel));
  }
  return {};
}

Status ElementwiseGroup::run(const TaskContext& context) {
  if (device().is_host()) {
    run_on_cpu(context);
    return {};
  }
  for (const Launch& each : launches_) RONDO_TRY(launch(each, context));
  for (ElementwiseTask* part : alone_) RONDO_TRY(part->run(context));
  return {};
}

Status ElementwiseGroup::launch(const Launch& launch, const TaskContext& context) {
  if (!launch.kernel) return error(RONDO_INTERNAL, "%s was run before it was prepared", name());
  uint64_t words[kGroupBytes / sizeof(uint64_t)] = {launch.parts.size()};
  const ElementwiseTask& first = *launch.parts[0];
  uint64_t* next = std::copy_n(first.scalars(), first.expression().scalars(), words + 1);
  uint64_t block = 0;
  for (const ElementwiseTask* part : launch.parts) {
    for (int k = 0; k < part->operands(); ++k) *next++ = reinterpret_cast<uint64_t>(part->address(k));
    *next++ = static_cast<uint64_t>(part->space().elements) | block << 32;
    block += blocks_of(part->space());
  }
  cuda::CudaDevice::Launch shape;
  shape.grid[0] = launch.blocks;
  shape.block[0] = kElementwiseThreads;
  void* parameters[] = {words};
  shape.waits = launch.kernel->waits;
  if (context.kernels) return launch_as_node(context, launch.kernel->function, shape, parameters);
  return static_cast<cuda::CudaDevice&>(device()).launch_with(launch.kernel->function, shape, context.stream,
                                                              parameters);
}

// Large parts share themselves. Several small ones in a row make a part that is worth a worker's while.
void ElementwiseGroup::run_on_cpu(const TaskContext& context) {
  std::vector<ElementwiseTask*> small;
  std::vector<size_t> begins;  // of rows, in `small`
  int64_t row = 0, all = 0;
  for (const Ref<ElementwiseTask>& part : parts_) {
    const int64_t cost = cost_on_cpu(part->expression()), elements = part->space().elements;
    if (elements == 0) continue;
    if (elements >= kSharedCost / cost) {
      part->run_on_cpu(context);
      continue;
    }
    if (small.empty() || row >= kPartCost) begins.push_back(small.size()), row = 0;
    small.push_back(part.get());
    row += cost * elements;
    all += cost * elements;
  }
  begins.push_back(small.size());
  const auto run_rows = [&](size_t first, size_t last) {
    for (size_t i = begins[first]; i < begins[last]; ++i) small[i]->run_on_cpu(context);
  };
  const size_t rows = begins.size() - 1;
  if (all < kSharedCost) return run_rows(0, rows);
  Workers::share(static_cast<int64_t>(rows),
                 [&](int64_t at) { run_rows(static_cast<size_t>(at), static_cast<size_t>(at) + 1); });
}

}  // namespace rondo::ops
