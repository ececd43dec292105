// Makes, compares and keeps plans of cuBLASLt, and multiplies with them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/matmul_cublaslt.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/dtype.h"
#include "base/log.h"
#include "ops/task/rounding_witness.h"

namespace rondo::ops::lt {

namespace {

using namespace cuda;

static_assert(std::has_unique_object_representations_v<Problem>);

struct SameBytes {
  size_t operator()(const Problem& problem) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&problem), sizeof problem});
  }
  bool operator()(const Problem& a, const Problem& b) const { return std::memcmp(&a, &b, sizeof a) == 0; }
};

Status check_lt(cublasStatus_t result, const char* function) {
  if (result == CUBLAS_STATUS_SUCCESS) return {};
  if (is_missing_function(result)) return missing_function_error(result);
  const char* name = "an unknown code";
  switch (result) {
    case 1: name = "CUBLAS_STATUS_NOT_INITIALIZED"; break;
    case 3: name = "CUBLAS_STATUS_ALLOC_FAILED"; break;
    case 7: name = "CUBLAS_STATUS_INVALID_VALUE"; break;
    case 8: name = "CUBLAS_STATUS_ARCH_MISMATCH"; break;
    case 11: name = "CUBLAS_STATUS_MAPPING_ERROR"; break;
    case 13: name = "CUBLAS_STATUS_EXECUTION_FAILED"; break;
    case 14: name = "CUBLAS_STATUS_INTERNAL_ERROR"; break;
    case CUBLAS_STATUS_NOT_SUPPORTED: name = "CUBLAS_STATUS_NOT_SUPPORTED"; break;
    default: break;
  }
  return error(result == 3 ? RONDO_OUT_OF_MEMORY : RONDO_DEVICE_ERROR, "%s failed with %d %s", function, result, name);
}
#define RONDO_LT(call, function) RONDO_TRY(check_lt(cublaslt().call, function))

cudaDataType_t data_type(int32_t dtype) {
  switch (dtype) {
    case RONDO_F16: return CUDA_R_16F;
    case RONDO_BF16: return CUDA_R_16BF;
    case RONDO_F64: return CUDA_R_64F;
    default: return CUDA_R_32F;
  }
}

Status make_layout(const Problem& problem, int32_t dtype, const Operand& operand, cublasLtMatrixLayout_t* layout) {
  RONDO_LT(cublasLtMatrixLayoutCreate(layout, data_type(dtype), static_cast<uint64_t>(operand.rows),
                                      static_cast<uint64_t>(operand.columns), operand.leading),
           "cublasLtMatrixLayoutCreate");
  RONDO_LT(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &problem.batch,
                                            sizeof problem.batch),
           "cublasLtMatrixLayoutSetAttribute(batch count)");
  RONDO_LT(cublasLtMatrixLayoutSetAttribute(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &operand.batch_stride,
                                            sizeof operand.batch_stride),
           "cublasLtMatrixLayoutSetAttribute(batch offset)");
  return {};
}

// Handles belong to the process's device and are never destroyed.
Status handle_of(CudaDevice& device, cublasLtHandle_t* handle) {
  static std::mutex mutex;
  static auto* handles = new std::unordered_map<int, cublasLtHandle_t>;
  std::lock_guard lock(mutex);
  cublasLtHandle_t& kept = (*handles)[device.id().index];
  if (!kept) RONDO_LT(cublasLtCreate(&kept), "cublasLtCreate");
  *handle = kept;
  return {};
}

class Preference {
 public:
  ~Preference() {
    if (native) cublaslt().cublasLtMatmulPreferenceDestroy(native);
  }
  Status fill(const CudaDevice& device, const Problem& problem) {
    RONDO_LT(cublasLtMatmulPreferenceCreate(&native), "cublasLtMatmulPreferenceCreate");
    const uint64_t workspace = device.capability() >= 90 ? uint64_t{32} << 20 : uint64_t{4} << 20;
    RONDO_TRY(set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, workspace));
    // Parts of a split k are kept in the compute type and added in a fixed order.
    RONDO_TRY(set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE}));
    RONDO_TRY(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<uint32_t>(problem.a.alignment)));
    RONDO_TRY(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<uint32_t>(problem.b.alignment)));
    RONDO_TRY(set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<uint32_t>(problem.d.alignment)));
    return set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<uint32_t>(problem.d.alignment));
  }
  cublasLtMatmulPreference_t native = nullptr;

 private:
  template <class T>
  Status set(cublasLtMatmulPreferenceAttributes_t attribute, T value) {
    RONDO_LT(cublasLtMatmulPreferenceSetAttribute(native, attribute, &value, sizeof value),
             "cublasLtMatmulPreferenceSetAttribute");
    return {};
  }
};

size_t reach(const Problem& problem, int32_t dtype, const Operand& operand) {
  const int64_t elements =
      operand.leading * (operand.columns - 1) + operand.rows + (problem.batch - 1) * operand.batch_stride;
  return static_cast<size_t>(elements) * dtype_size(static_cast<rondo_dtype>(dtype));
}

// Device memory and a stream for a trial.
class Scratch {
 public:
  explicit Scratch(CudaDevice& device) : device_(device) {}
  ~Scratch() {
    if (stream) device_.stream_destroy(stream);
    for (void* address : {in, bias, out, workspace})
      if (address) device_.release(address);
  }
  Status take(const Problem& problem, size_t workspace_bytes) {
    // a and b are only read: one block stands for both.
    in_bytes = std::max(reach(problem, problem.dtype, problem.a), reach(problem, problem.dtype, problem.b));
    bias_bytes = static_cast<size_t>(problem.d.rows) * dtype_size(static_cast<rondo_dtype>(problem.out_dtype));
    RONDO_TRY(device_.stream_create(false, &stream));
    RONDO_TRY(device_.allocate(in_bytes + sizeof(uint32_t), &in));
    RONDO_TRY(device_.allocate(bias_bytes + sizeof(uint32_t), &bias));
    out_bytes = reach(problem, problem.out_dtype, problem.d);
    RONDO_TRY(device_.allocate(out_bytes + sizeof(uint32_t), &out));
    return workspace_bytes ? device_.allocate(workspace_bytes, &workspace) : Status();
  }
  void* stream = nullptr;
  void* in = nullptr;
  void* bias = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;
  size_t in_bytes = 0, bias_bytes = 0, out_bytes = 0;

 private:
  CudaDevice& device_;
};

// Numbers of either sign between 1/32 and 1, all different in their last digits.
std::vector<char> mixed_numbers(int32_t dtype, size_t bytes) {
  const bool half = is_half(static_cast<rondo_dtype>(dtype));
  const int digits = dtype == RONDO_F16 ? 10 : dtype == RONDO_BF16 ? 7 : dtype == RONDO_F64 ? 52 : 23;
  const int bits = half ? 16 : dtype == RONDO_F64 ? 64 : 32;
  const uint64_t one = (uint64_t{1} << (bits - 2 - digits)) - 1;  // the exponent of 1
  std::vector<char> numbers(bytes);
  uint64_t state = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at + static_cast<size_t>(bits) / 8 <= bytes; at += static_cast<size_t>(bits) / 8) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const uint64_t mantissa = state >> 8 & ((uint64_t{1} << digits) - 1), exponent = one - 1 - (state & 255) % 4;
    const uint64_t number = (state >> 63) << (bits - 1) | exponent << digits | mantissa;
    std::memcpy(&numbers[at], &number, static_cast<size_t>(bits) / 8);  // little-endian
  }
  return numbers;
}

bool has_bias(const Problem& problem) {
  return problem.epilogue & CUBLASLT_EPILOGUE_BIAS;
}

// Runs the plan once. *works is false if the library refuses it or its arithmetic will not do.
Status try_out(CudaDevice& device, Plan& plan, bool* works) {
  const Problem& problem = plan.problem;
  Scratch scratch(device);
  *works = true;
  if (Status memory = scratch.take(problem, plan.workspace_bytes); !memory.ok()) {
    if (memory.code() != RONDO_OUT_OF_MEMORY) return memory;
    log(RONDO_LOG_INFO, "rondo_matmul: no memory to try an algorithm of cuBLASLt out; it is taken as proposed (%s)",
        memory.message());
    return {};
  }
  const bool adds = has_bias(problem) || problem.beta;  // of 16 bits not both: see pose() in matmul_cuda.cc
  const bool rounds = adds && is_half(static_cast<rondo_dtype>(problem.out_dtype));
  RoundingWitness witness;
  if (has_bias(problem)) RONDO_TRY(set_bias(plan.description, scratch.bias));
  if (rounds) {
    witness = rounding_witness(static_cast<rondo_dtype>(problem.dtype), static_cast<rondo_dtype>(problem.out_dtype),
                               problem.k);
    RONDO_TRY(fill_with_halves(scratch.in, witness.element, scratch.in_bytes, scratch.stream));
    RONDO_TRY(fill_with_halves(has_bias(problem) ? scratch.bias : scratch.out, witness.addend,
                               has_bias(problem) ? scratch.bias_bytes : scratch.out_bytes, scratch.stream));
  }
  const Status run =
      multiply(device, plan, plan.description, scratch.in, scratch.in, scratch.out, scratch.workspace, scratch.stream);
  uint16_t result = 0;
  if (!run.ok()) {
    log(RONDO_LOG_DEBUG, "rondo_matmul: an algorithm that cuBLASLt proposed did not run: %s", run.message());
    *works = false;
  } else if (rounds) {
    RONDO_TRY(device.copy(CopyKind::device_to_host, &result, scratch.out, sizeof result, scratch.stream));
  }
  RONDO_TRY(device.stream_synchronize(scratch.stream));
  if (*works && rounds && float_of_half(static_cast<rondo_dtype>(problem.out_dtype), result) < witness.rest / 4) {
    log(RONDO_LOG_DEBUG, "rondo_matmul: an algorithm that cuBLASLt proposed rounds before it adds");
    *works = false;
  }
  return {};
}

// Sets *same to whether a plan of many makes the bits that the plan of one makes of each.
Status compare(CudaDevice& device, const Plan& many, const Plan& one, bool* same) {
  const Problem& problem = many.problem;
  Scratch scratch(device);
  RONDO_TRY(scratch.take(problem, std::max(many.workspace_bytes, one.workspace_bytes)));
  const auto stream = static_cast<CUstream>(scratch.stream);
  const std::vector<char> numbers = mixed_numbers(problem.dtype, scratch.in_bytes);
  RONDO_TRY(device.copy(CopyKind::host_to_device, scratch.in, numbers.data(), numbers.size(), stream));
  const std::vector<char> bias = mixed_numbers(problem.out_dtype, scratch.bias_bytes);
  RONDO_TRY(device.copy(CopyKind::host_to_device, scratch.bias, bias.data(), bias.size(), stream));
  const auto at = [](void* first, int64_t elements, int32_t dtype) {
    return static_cast<char*>(first) + elements * static_cast<int64_t>(dtype_size(static_cast<rondo_dtype>(dtype)));
  };
  std::vector<char> results[2];
  for (const Plan* const plan : {&many, &one}) {
    RONDO_CU(cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(scratch.out), 0, scratch.out_bytes, stream),
             "cuMemsetD8Async");
    if (has_bias(problem)) RONDO_TRY(set_bias(plan->description, scratch.bias));
    for (int i = 0; i < (plan == &many ? 1 : problem.batch); ++i)
      RONDO_TRY(multiply(device, *plan, plan->description, at(scratch.in, i * problem.a.batch_stride, problem.dtype),
                         at(scratch.in, i * problem.b.batch_stride, problem.dtype),
                         at(scratch.out, i * problem.d.batch_stride, problem.out_dtype), scratch.workspace, stream));
    std::vector<char>& result = results[plan == &one];
    result.resize(scratch.out_bytes);
    RONDO_TRY(device.copy(CopyKind::device_to_host, result.data(), scratch.out, result.size(), stream));
    RONDO_TRY(device.stream_synchronize(stream));
  }
  *same = results[0] == results[1];
  return {};
}

// Takes the algorithm of one matrix, if it computes many in a call, each as it would alone.
Status make_plan_as_alone(CudaDevice& device, const Plan& one, Plan* plan) {
  if (!one.usable) return {};
  cublasLtMatmulHeuristicResult_t result = {};
  const cublasStatus_t checked = cublaslt().cublasLtMatmulAlgoCheck(plan->handle, plan->description, plan->a, plan->b,
                                                                    plan->d, plan->d, &one.algorithm, &result);
  if (checked != CUBLAS_STATUS_SUCCESS || result.state != CUBLAS_STATUS_SUCCESS) {
    log(RONDO_LOG_DEBUG, "rondo_matmul: an algorithm of one matrix is none of %d",
        static_cast<int>(plan->problem.batch));
    return {};
  }
  plan->algorithm = one.algorithm;
  plan->workspace_bytes = result.workspaceSize;
  RONDO_TRY(try_out(device, *plan, &plan->usable));
  if (!plan->usable) return {};
  plan->usable = false;
  if (Status status = compare(device, *plan, one, &plan->usable); !status.ok() && status.code() != RONDO_OUT_OF_MEMORY)
    return status;
  if (!plan->usable) log(RONDO_LOG_DEBUG, "rondo_matmul: many matrices in a call have other bits than each alone");
  return {};
}

Status make_plan(CudaDevice& device, const Problem& problem, const Plan* one, Plan* plan) {
  plan->problem = problem;
  RONDO_TRY(handle_of(device, &plan->handle));
  RONDO_TRY(make_description(problem, &plan->description));
  RONDO_TRY(make_layout(problem, problem.dtype, problem.a, &plan->a));
  RONDO_TRY(make_layout(problem, problem.dtype, problem.b, &plan->b));
  RONDO_TRY(make_layout(problem, problem.out_dtype, problem.d, &plan->d));
  if (one) return make_plan_as_alone(device, *one, plan);
  Preference preference;
  RONDO_TRY(preference.fill(device, problem));
  constexpr int kProposals = 8;
  cublasLtMatmulHeuristicResult_t proposals[kProposals] = {};
  int count = 0;
  const cublasStatus_t result =
      cublaslt().cublasLtMatmulAlgoGetHeuristic(plan->handle, plan->description, plan->a, plan->b, plan->d, plan->d,
                                                preference.native, kProposals, proposals, &count);
  if (result != CUBLAS_STATUS_SUCCESS) {
    if (is_missing_function(result)) return missing_function_error(result);
    log(RONDO_LOG_DEBUG, "rondo_matmul: %s", check_lt(result, "cublasLtMatmulAlgoGetHeuristic").message());
    return {};
  }
  for (int i = 0; i < count && !plan->usable; ++i) {
    if (proposals[i].state != CUBLAS_STATUS_SUCCESS) continue;
    plan->algorithm = proposals[i].algo;
    plan->workspace_bytes = proposals[i].workspaceSize;
    RONDO_TRY(try_out(device, *plan, &plan->usable));
  }
  return {};
}

void destroy(Plan* plan) {
  if (plan->description) destroy_description(plan->description);
  for (cublasLtMatrixLayout_t layout : {plan->a, plan->b, plan->d})
    if (layout) cublaslt().cublasLtMatrixLayoutDestroy(layout);
  delete plan;
}

}  // namespace

Status make_description(const Problem& problem, cublasLtMatmulDesc_t* description) {
  const bool wide = problem.dtype == RONDO_F64;
  const cublasComputeType_t compute = wide           ? CUBLAS_COMPUTE_64F
                                      : problem.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
  RONDO_LT(cublasLtMatmulDescCreate(description, compute, wide ? CUDA_R_64F : CUDA_R_32F), "cublasLtMatmulDescCreate");
  for (const auto& [attribute, value] : {std::pair{CUBLASLT_MATMUL_DESC_TRANSA, problem.a.transposed},
                                         std::pair{CUBLASLT_MATMUL_DESC_TRANSB, problem.b.transposed},
                                         std::pair{CUBLASLT_MATMUL_DESC_EPILOGUE, problem.epilogue}})
    RONDO_LT(cublasLtMatmulDescSetAttribute(*description, attribute, &value, sizeof value),
             "cublasLtMatmulDescSetAttribute");
  return {};
}

void destroy_description(cublasLtMatmulDesc_t description) {
  cublaslt().cublasLtMatmulDescDestroy(description);
}

Status set_bias(cublasLtMatmulDesc_t description, const void* bias) {
  RONDO_LT(cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
           "cublasLtMatmulDescSetAttribute(bias pointer)");
  return {};
}

Status multiply(CudaDevice& device, const Plan& plan, cublasLtMatmulDesc_t description, const void* a, const void* b,
                void* d, void* workspace, void* stream) {
  static const float scalars_f32[] = {0.0f, 1.0f};
  static const double scalars_f64[] = {0.0, 1.0};
  const bool wide = plan.problem.dtype == RONDO_F64;
  const int beta = plan.problem.beta;
  CudaDevice::Current current(device);
  RONDO_LT(cublasLtMatmul(plan.handle, description, wide ? static_cast<const void*>(&scalars_f64[1]) : &scalars_f32[1],
                          a, plan.a, b, plan.b,
                          wide ? static_cast<const void*>(&scalars_f64[beta]) : &scalars_f32[beta], d, plan.d, d,
                          plan.d, &plan.algorithm, workspace, plan.workspace_bytes, static_cast<CUstream>(stream)),
           "cublasLtMatmul");
  return {};
}

Status find_plan(CudaDevice& device, const Problem& problem, const Plan** plan) {
  static auto* plans = new std::unordered_map<Problem, Plan*, SameBytes, SameBytes>;
  static std::shared_mutex table;
  static std::mutex making;  // one problem is tried out at a time
  {
    std::shared_lock lock(table);
    if (const auto found = plans->find(problem); found != plans->end()) {
      *plan = found->second;
      return {};
    }
  }
  const Plan* alone = nullptr;
  if (problem.as_alone) {
    Problem one = problem;
    one.as_alone = 0;
    one.batch = 1;
    one.a.batch_stride = one.b.batch_stride = one.d.batch_stride = 0;
    RONDO_TRY(find_plan(device, one, &alone));
  }
  std::lock_guard one(making);
  {
    std::shared_lock lock(table);
    if (const auto found = plans->find(problem); found != plans->end()) {
      *plan = found->second;
      return {};
    }
  }
  CudaDevice::Current current(device);
  StreamDevice::Relaxed relaxed(device);  // loading code and taking memory, should the thread be capturing
  auto* made = new Plan;
  if (Status status = make_plan(device, problem, alone, made); !status.ok()) {
    destroy(made);
    return status;
  }
  std::unique_lock lock(table);
  plans->emplace(problem, made);
  *plan = made;
  return {};
}

}  // namespace rondo::ops::lt
