// Asks cuDNN for attention that it can compute, and runs the plan that was chosen.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/attention_cudnn.h"

#include "ops/task/cuda_kernel.h"

namespace rondo::ops {

using namespace device;

namespace {

constexpr int64_t kAlignment = 16;  // bytes, of each row

struct Array {
  dnn::SdpaTensor tensor;
  AttentionArray array;
};
constexpr Array kArrays[] = {
    {dnn::kSdpaQ, kAttentionQ},   {dnn::kSdpaK, kAttentionK},       {dnn::kSdpaV, kAttentionV},
    {dnn::kSdpaO, kAttentionOut}, {dnn::kSdpaStats, kAttentionLse}, {dnn::kSdpaDo, kAttentionDy},
    {dnn::kSdpaDq, kAttentionDq}, {dnn::kSdpaDk, kAttentionDk},     {dnn::kSdpaDv, kAttentionDv}};

// The array in cuDNN's words: where an axis has one place, the step is what it would be if the rest were packed. Null
// if it has them, else why not.
const char* pose_array(const View& view, dnn::Sdpa* p, dnn::SdpaTensor tensor) {
  const Layout& layout = view.layout;
  const bool stats = tensor == dnn::kSdpaStats;
  int64_t* const to = p->stride[tensor];
  const int axes[] = {0, stats ? 1 : 2, stats ? 2 : 1};  // of batch, head, place
  const auto of_row = static_cast<int64_t>(dtype_size(view.dtype));
  if (view.accumulate) return "it adds to what is there";
  if (!stats && layout.shape[3] > 1 && layout.strides[3] != 1) return "elements of a head do not lie side by side";
  int64_t packed = p->elements(tensor);
  for (const int i : {2, 1, 0}) {
    const bool one = layout.shape[axes[i]] == 1;
    to[i] = one ? packed : layout.strides[axes[i]];
    if (to[i] < 1) return "an axis repeats its elements or runs backwards";
    if (!stats && to[i] * of_row % kAlignment != 0) return "rows do not begin at multiples of 16 bytes";
    packed = std::max(packed, to[i] * layout.shape[axes[i]]);
  }
  return alignment_of(view, kAlignment) < kAlignment ? "an operand does not begin at a multiple of 16 bytes" : nullptr;
}

// Null if cuDNN can express it, else why not; empty if it could not be expected to.
const char* pose(const AttentionPlan& plan, dnn::Sdpa* p) {
  const rondo_dtype dtype = plan.q().dtype;
  if (!is_half(dtype)) return "";
  if (plan.q().elements() == 0 || plan.keys() == 0) return "";
  if (plan.size() % 8 != 0 || plan.size() > (plan.gradient ? 128 : 256))
    return plan.gradient ? "heads are of another size than a multiple of 8 up to 128"
                         : "heads are of another size than a multiple of 8 up to 256";
  if (plan.drops()) return "dropout is by Rondo's numbers";
  if (plan.numbers.cap > 0) return "scores are capped";
  if (plan.has(kAttentionMask)) return "there is a mask";
  if (plan.has(kAttentionQueryLengths) || plan.has(kAttentionKeyLengths)) return "there are lengths";
  if (plan.has(kAttentionDlse)) return "there is a gradient of logarithms";
  if (plan.numbers.scale < 0) return "the scale is negative";
  p->gradient = plan.gradient;
  p->dtype = dtype;
  p->batch = plan.batch(), p->heads = plan.heads(), p->key_heads = plan.key_heads();
  p->queries = plan.queries(), p->keys = plan.keys(), p->size = plan.size();
  p->shift = plan.numbers.last ? p->keys - p->queries : 0;
  // A side that hides nothing is left out.
  p->after = plan.numbers.after;
  if (p->after >= 0 && p->shift + p->after >= p->keys - 1) p->after = -1;
  p->before = plan.numbers.before;
  if (p->before >= 0 && p->queries - 1 + p->shift - p->before <= 0) p->before = -1;
  if (!p->masks()) p->shift = 0;
  if (p->after >= 0 && p->shift + p->after < 0) return "a query sees no key";
  if (p->before >= 0 && p->queries - 1 + p->shift - p->before > p->keys - 1) return "a query sees no key";
  for (const Array& each : kArrays) {
    if (!p->has(each.tensor)) continue;
    if (const char* why = pose_array(*plan.view[each.array], p, each.tensor)) return why;
  }
  return nullptr;
}

// For gradients, heads must have keys of their own. cuDNN 9.28 ends the process if there is one query.
bool can_be_composed(const dnn::Sdpa& p) {
  return p.queries > 1 && p.keys > 1 && (!p.gradient || p.heads == p.key_heads);
}

}  // namespace

Status CudnnAttention::run(const AttentionPlan& plan, const TaskContext& context, size_t workspace_bytes) const {
  auto& device = static_cast<cuda::CudaDevice&>(*context.device);
  dnn::SdpaAddresses addresses = {};
  addresses[dnn::kSdpaSums] = context.workspace;
  const size_t sums = sums_bytes();
  for (int64_t b = 0; b < plan.batch(); b += problem_.batch)
    for (int64_t head = 0; head < plan.heads(); head += problem_.heads) {
      for (const Array& each : kArrays) {
        if (!problem_.has(each.tensor)) continue;
        const View& view = *plan.view[each.array];
        const int64_t before = problem_.offset(each.tensor, b, head, 0);
        addresses[each.tensor] =
            static_cast<char*>(view.address()) + before * static_cast<int64_t>(dtype_size(view.dtype));
      }
      RONDO_TRY(choice_.run(device, dnn::pointers_of(problem_, addresses, numbers_),
                            static_cast<char*>(context.workspace) + sums, workspace_bytes - sums, context.stream,
                            context.capturing));
    }
  return {};
}

Status find_cudnn_attention(cuda::CudaDevice& device, const AttentionPlan& plan, std::unique_ptr<CudnnAttention>* found,
                            std::string* why) {
  dnn::Sdpa problem;
  found->reset();
  why->clear();
  if (const char* reason = pose(plan, &problem)) {
    *why = reason;
    return {};
  }
  if (!dnn::available()) return {};  // which a warning has said
  const dnn::Choice* choice = nullptr;
  RONDO_TRY(dnn::find_choice(device, dnn::SdpaQuestion(problem), &choice));
  if (!choice->plan() && can_be_composed(problem)) {
    problem.composed = 1;
    const size_t limit = dnn::workspace_limit(problem);
    if (problem.gradient) {
      problem = dnn::part_within(problem, limit / 8 * 7);  // some is for what else it keeps
      if (dnn::slope_bytes(problem) > limit)
        *why = "cuDNN would keep the slopes of all scores, more than its workspace may have";
      else if (!dnn::composed_pays(problem))
        *why = "cuDNN would take all scores through memory, of which few are seen";
      if (!why->empty()) return {};
      int64_t* const sums = problem.stride[dnn::kSdpaSums];
      sums[0] = problem.heads * problem.queries, sums[1] = problem.queries, sums[2] = 1;
    }
    RONDO_TRY(dnn::find_choice(device, dnn::SdpaQuestion(problem, limit), &choice));
  }
  if (choice->plan())
    *found = std::make_unique<CudnnAttention>(problem, *choice, plan.arguments().scale);
  else
    *why = "cuDNN has no way of it";
  return {};
}

}  // namespace rondo::ops
