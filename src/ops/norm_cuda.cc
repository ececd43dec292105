// Statistics of groups and sums for gradients on a GPU: which form of the kernel in rtc/device/norm.h, and its launch.
// Where there are too few groups to fill the device, their elements are split over blocks, whose partial results a
// second pass joins, always in the same order.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/norm.h"

namespace rondo::ops {

namespace {

using device::kNormInputs;
using device::NormArguments;

constexpr int kThreads = 256;

struct Variant {
  NormKind kind = NormKind::moments;
  rondo_dtype in = RONDO_F32, weight = RONDO_F32;
  bool columns = false, joins = false, partial = false, wide = false;
  bool masked = false, weighted = false, fixed = true, tracks = false;
  int vector = 1, group = 32, kept = 0, reduced = 0;

  KernelSpec spec() const {
    KernelSpec spec(rtc::kNorm, columns ? 1 : 0, wide);
    spec.type("In", in).type("Weight", weight).constant("kKind", static_cast<int>(kind)).constant("kJoins", joins);
    spec.constant("kPartial", partial).constant("kVector", vector).constant("kGroup", group).constant("kKept", kept);
    spec.constant("kReduced", reduced).constant("kMasked", masked).constant("kWeighted", weighted);
    return spec.constant("kFixed", fixed).constant("kTracks", tracks);
  }
  std::string text() const {
    const std::string kernel = format(R"(
using Pass = NormPass<In, Weight, Index, static_cast<NormKind>(kKind), kJoins, kPartial, kVector, kGroup, kKept,
                      kReduced, kMasked, kWeighted, kFixed, kTracks>;
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const NormArguments args) {
  __shared__ __align__(16) unsigned char memory[Pass::%s];
  Pass{args, memory}.%s();
}
)",
                                      columns ? "kColumnsMemory" : "kRowsMemory", columns ? "columns" : "rows");
    return spec().text({rtc::kNormText, kernel.c_str()});
  }
};

struct Pass {
  Variant variant;
  NormArguments arguments = {};
  unsigned splits = 1;
  const rtc::Kernel* kernel = nullptr;

  unsigned blocks() const {
    return blocks_for(arguments.groups, variant.columns ? variant.group * variant.vector : kThreads / variant.group);
  }
};

// Largest of a partial result.
size_t partial_bytes(NormKind kind, rondo_dtype dtype) {
  const bool wide = dtype == RONDO_F64;
  if (kind == NormKind::moments)
    return wide ? sizeof(device::Moments<double, true>::Acc) : sizeof(device::Moments<float, true>::Acc);
  return 2 * (wide ? sizeof(device::Sum<double, true>::Acc) : sizeof(device::Sum<float, true>::Acc));
}

class CudaNorm final : public Task {
 public:
  explicit CudaNorm(const NormPlan& given) : Task(given.name, given.x().device()), plan_(given) {
    given.declare(*this);
    plan();
  }

  Status prepare() override {
    for (int i = 0; i < passes_; ++i) {
      Pass& pass = pass_[i];
      if (pass.kernel) continue;
      RONDO_TRY(rtc::find_kernel(
          cuda_device(*this), pass.variant.spec().signature(), name(), [&pass] { return pass.variant.text(); },
          &pass.kernel));
    }
    return {};
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    for (int i = 0; i < passes_; ++i) {
      Pass& pass = pass_[i];
      for (int a = 0; a < kNormInputs; ++a) pass.arguments.in[a] = plan_.in[a] ? plan_.in[a]->address() : nullptr;
      for (int a = kNormInputs; a < device::kNormArrays; ++a)
        pass.arguments.out[a - kNormInputs] = plan_.result(a) ? plan_.result(a)->address() : nullptr;
      pass.arguments.partial = context.workspace;
      RONDO_TRY(launch(*this, *pass.kernel, context, kThreads, pass.blocks(), pass.arguments, pass.splits));
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }

 private:
  void plan();
  int widest_vector(bool columns) const;

  NormPlan plan_;
  Pass pass_[2];
  int passes_ = 1;
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

void CudaNorm::plan() {
  const auto& kept = plan_.kept;
  const auto& reduced = plan_.reduced;
  const int64_t groups = plan_.groups(), length = plan_.length();
  const int64_t kept_step = kept.count ? std::abs(kept.stride[device::kNormX][kept.count - 1]) : INT64_MAX;
  const int64_t reduced_step = reduced.count ? std::abs(reduced.stride[device::kNormX][reduced.count - 1]) : 0;

  Pass& first = pass_[0];
  Variant& variant = first.variant;
  variant.kind = plan_.kind;
  variant.in = plan_.x().dtype;
  const auto& weight = plan_.in[device::kNormWeight];
  variant.weight = weight ? weight->dtype : variant.in;
  variant.columns = groups > 1 && kept_step < reduced_step;
  variant.masked = plan_.in[device::kNormY].has_value();
  variant.weighted = weight.has_value();
  variant.fixed = plan_.fixed();
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
  const int64_t least = variant.columns ? kThreads / variant.group * 16 : 8192;
  int64_t splits = 1;
  if ((variant.columns || variant.group == kThreads) && blocks < 256 && length >= 2 * least)
    splits = std::min(512 / blocks, (length + least - 1) / least);
  const int64_t vector = variant.columns ? 1 : variant.vector;
  const int64_t chunk = ((length + splits - 1) / splits + vector - 1) / vector * vector;
  if (chunk > 0) splits = (length + chunk - 1) / chunk;
  first.splits = static_cast<unsigned>(std::max<int64_t>(splits, 1));

  NormArguments& arguments = first.arguments;
  arguments.kept = KernelDims<device::kNormArrays>(kept);
  arguments.reduced = KernelDims<kNormInputs>(reduced);
  arguments.groups = groups;
  arguments.length = length;
  arguments.chunk = chunk;
  arguments.parts = splits;
  arguments.epsilon = plan_.epsilon;
  arguments.momentum = plan_.momentum;
  int64_t reach = std::max(groups * first.splits, length);
  for (int a = 0; a < device::kNormArrays; ++a)
    reach = std::max(reach, kept.reach(a) + (a < kNormInputs ? reduced.reach(a) : 0));
  variant.wide = needs_wide(reach);
  if (first.splits == 1) return;

  variant.partial = true;
  variant.tracks = false;
  passes_ = 2;
  workspace_bytes_ = static_cast<size_t>(groups * splits) * partial_bytes(plan_.kind, plan_.x().dtype);
  Pass& second = pass_[1];
  second.arguments = arguments;
  Variant& joining = second.variant;
  joining.kind = plan_.kind;
  joining.in = variant.in;
  joining.weight = variant.in;
  joining.columns = joining.joins = true;
  joining.wide = variant.wide;
  joining.tracks = plan_.tracks();
  joining.kept = kept.count;
  joining.group = power_of_two_up_to(groups, 32);
}

}  // namespace

Ref<Task> make_cuda_norm(const NormPlan& plan) {
  return make_ref<CudaNorm>(plan);
}

}  // namespace rondo::ops
