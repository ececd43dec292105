// Computes statistics of groups and sums for gradients on a GPU: chooses the form of the kernel in
// rtc/device/rows/norm.h, and launches it. If there are too few groups to fill the device, their elements are split
// over blocks, whose partial results a second pass joins, always in the same order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/batch_norm/batch_norm.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/kernel_task.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

using device::kNormInputs;
using device::NormArguments;

// Around the memory and the way of a pass.
constexpr const char* kTextBefore = R"(
using Pass = NormPass<In, Weight, Index, static_cast<NormKind>(kKind), kJoins, kPartial, kVector, kGroup, kKept,
                      kReduced, kMasked, kWeighted, kFixed, kRests, kTracks>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const NormArguments args) {
  __shared__ __align__(16) unsigned char memory[Pass::)";
constexpr const char* kTextBetween = R"(];
  Pass{args, memory}.)";
constexpr const char* kTextBehind = R"(();
}
)";

struct Variant {
  NormKind kind = NormKind::moments;
  rondo_dtype in = RONDO_F32, weight = RONDO_F32;
  bool columns = false, joins = false, partial = false, wide = false;
  bool masked = false, weighted = false, fixed = true, rests = false, tracks = false;
  int vector = 1, group = 32, kept = 0, reduced = 0;

  KernelSpec spec(const char* name) const {
    KernelSpec spec(rtc::kNorm, columns ? 1 : 0, wide, name);
    spec.type("In", in).type("Weight", weight).constant("kKind", static_cast<int>(kind)).constant("kJoins", joins);
    spec.constant("kPartial", partial).constant("kVector", vector).constant("kGroup", group).constant("kKept", kept);
    spec.constant("kReduced", reduced).constant("kMasked", masked).constant("kWeighted", weighted);
    spec.constant("kFixed", fixed).constant("kRests", rests).constant("kTracks", tracks);
    return spec.text({rtc::kNormText, kTextBefore, columns ? "kColumnsMemory" : "kRowsMemory", kTextBetween,
                      columns ? "columns" : "rows", kTextBehind});
  }
};

// Largest of a partial result.
size_t partial_bytes(NormKind kind, rondo_dtype dtype) {
  const bool wide = dtype == RONDO_F64;
  if (kind == NormKind::moments)
    return wide ? sizeof(device::Moments<double>::Acc) : sizeof(device::Moments<float>::Acc);
  return 2 * (wide ? sizeof(device::Sum<double, true>::Acc) : sizeof(device::Sum<float, true>::Acc));
}

class CudaNorm final : public KernelTask {
 public:
  explicit CudaNorm(const NormPlan& given) : KernelTask(given.name, given.x().device()), plan_(given) {
    given.declare(*this);
    plan();
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CudaNorm>(memory.moved(plan_)); }

 private:
  void plan();
  int widest_vector(bool columns) const;
  void add_pass(const Variant& variant, int64_t splits);

  NormPlan plan_;
  NormArguments arguments_ = {};
};

// How many neighbours may be loaded at once from x, dy and y: along the innermost dimension of groups (columns) or
// within them (rows), which must be contiguous and start every run at a multiple.
int CudaNorm::widest_vector(bool columns) const {
  const auto& kept = plan_.kept;
  const auto& reduced = plan_.reduced;
  if ((columns ? kept.count : reduced.count) == 0 || (!columns && !plan_.fixed())) return 1;
  const auto size = static_cast<int64_t>(dtype_size(plan_.x().dtype));
  for (int64_t vector = std::min<int64_t>(16 / size, columns ? 4 : 8); vector > 1; vector /= 2) {
    bool fits = true;
    for (const int a : {device::kNormX, device::kNormDy, device::kNormY}) {
      if (!plan_.in[a]) continue;
      fits &= alignment_of(*plan_.in[a], 16) >= vector * size;
      for (int d = 0; d < kept.count; ++d)
        fits &= columns && d == kept.count - 1 ? kept.stride[a][d] == 1 && kept.size[d] % vector == 0
                                               : kept.stride[a][d] % vector == 0;
      for (int d = 0; d < reduced.count; ++d)
        fits &= !columns && d == reduced.count - 1
                    ? reduced.stride[a][d] == 1 && (reduced.count == 1 || reduced.size[d] % vector == 0)
                    : reduced.stride[a][d] % vector == 0;
    }
    if (fits) return static_cast<int>(vector);
  }
  return 1;
}

void CudaNorm::add_pass(const Variant& variant, int64_t splits) {
  const int64_t together = variant.columns ? variant.group * variant.vector : kThreads / variant.group;
  add_launch(add_kernel(variant.spec(name())), arguments_, blocks_for(arguments_.groups, together), splits);
}

void CudaNorm::plan() {
  const auto& kept = plan_.kept;
  const auto& reduced = plan_.reduced;
  const int64_t groups = plan_.groups(), length = plan_.length();
  const int64_t kept_step = kept.count ? std::abs(kept.stride[device::kNormX][kept.count - 1]) : INT64_MAX;
  const int64_t reduced_step = reduced.count ? std::abs(reduced.stride[device::kNormX][reduced.count - 1]) : 0;

  Variant variant;
  variant.kind = plan_.kind;
  variant.in = plan_.x().dtype;
  const auto& weight = plan_.in[device::kNormWeight];
  variant.weight = weight ? weight->dtype : variant.in;
  variant.columns = groups > 1 && kept_step < reduced_step;
  variant.masked = plan_.in[device::kNormY].has_value();
  variant.weighted = weight.has_value();
  variant.fixed = plan_.fixed();
  variant.rests = plan_.in[device::kNormRest].has_value();
  variant.tracks = plan_.tracks();
  variant.kept = kept.count;
  variant.reduced = reduced.count;
  variant.vector = widest_vector(variant.columns);
  if (variant.columns)
    variant.group = power_of_two_up_to((groups + variant.vector - 1) / variant.vector, 32);
  else
    variant.group = length > 2048 || (length > 256 && groups < 1024)
                        ? kThreads
                        : power_of_two_up_to((length + variant.vector - 1) / variant.vector, 32);

  // Splits: enough blocks to fill a large device, each with enough to do.
  const int64_t blocks = variant.columns ? blocks_for(groups, variant.group * variant.vector) : groups;
  const int64_t least = variant.columns ? kThreads / variant.group * 2 * device::kNormAhead : 8192;
  int64_t splits = 1;
  if ((variant.columns || variant.group == kThreads) && blocks < 256 && length >= 2 * least)
    splits = std::min(512 / blocks, (length + least - 1) / least);
  const int64_t vector = variant.columns ? 1 : variant.vector;
  const int64_t chunk = ((length + splits - 1) / splits + vector - 1) / vector * vector;
  if (chunk > 0) splits = (length + chunk - 1) / chunk;
  splits = std::max<int64_t>(splits, 1);

  arguments_.kept = KernelDims<device::kNormArrays>(kept);
  arguments_.reduced = KernelDims<kNormInputs>(reduced);
  arguments_.groups = groups;
  arguments_.length = length;
  arguments_.chunk = chunk;
  arguments_.parts = splits;
  arguments_.epsilon = plan_.epsilon;
  arguments_.momentum = plan_.momentum;
  for (int a = 0; a < kNormInputs; ++a)
    if (plan_.in[a]) add_address(&arguments_.in[a], *plan_.in[a]);
  for (int a = kNormInputs; a < device::kNormArrays; ++a)
    if (plan_.result(a)) add_address(&arguments_.out[a - kNormInputs], *plan_.result(a));
  int64_t reach = std::max(groups * splits, length);
  for (int a = 0; a < device::kNormArrays; ++a)
    reach = std::max(reach, kept.reach(a) + (a < kNormInputs ? reduced.reach(a) : 0));
  variant.wide = needs_wide(reach);
  if (splits == 1) return add_pass(variant, splits);

  workspace_bytes_ = static_cast<size_t>(groups * splits) * partial_bytes(plan_.kind, plan_.x().dtype);
  add_workspace(&arguments_.partial);
  variant.partial = true;
  variant.tracks = false;
  add_pass(variant, splits);
  Variant joining;
  joining.kind = plan_.kind;
  joining.in = variant.in;
  joining.weight = variant.in;
  joining.columns = joining.joins = true;
  joining.wide = variant.wide;
  joining.tracks = plan_.tracks();
  joining.kept = kept.count;
  joining.group = power_of_two_up_to(groups, 32);
  // So many lanes to a group that each has no more to join than it loads at once.
  while (joining.group > 2 && splits > device::kNormAhead * (kThreads / joining.group)) joining.group /= 2;
  add_pass(joining, 1);
}

}  // namespace

Ref<OperatorTask> make_cuda_norm(const NormPlan& plan) {
  return make_ref<CudaNorm>(plan);
}

}  // namespace rondo::ops
