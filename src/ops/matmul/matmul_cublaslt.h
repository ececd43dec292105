// Chooses the algorithm by which cuBLASLt computes a product, once per shape and kept for the process, so that a
// product gives the same bits whenever and however it is run.
//
// A plan is immutable, shared by all tasks of its shape and never destroyed. All functions are thread-safe.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/cuda_device.h"
#include "rondo/base.h"

namespace rondo::ops::lt {

// A matrix in column-major storage, as the library sees it.
struct Operand {
  int64_t rows = 0, columns = 0, leading = 0;
  int64_t batch_stride = 0;
  int32_t transposed = 0;  // the product uses it transposed
  int32_t alignment = 0;   // bytes, of every matrix of the batch that a call starts at
};

// D = A B + beta D + bias, D of m rows. No padding: problems are hashed and compared as bytes.
struct Problem {
  Operand a, b, d;
  int64_t k = 0;
  int32_t batch = 1;
  int32_t device = 0;
  int32_t dtype = 0;      // rondo_dtype of A and B
  int32_t out_dtype = 0;  // of D and the bias: dtype, or the one it is computed in
  int32_t as_alone = 0;   // by the algorithm of one matrix, with its bits; or not at all
  int32_t epilogue = 0;   // CUBLASLT_EPILOGUE_*
  int32_t beta = 0;
  int32_t tf32 = 0;
};

struct Plan {
  Problem problem;
  bool usable = false;  // the library computes this
  cuda::cublasLtHandle_t handle = nullptr;
  cuda::cublasLtMatmulDesc_t description = nullptr;  // without a bias pointer
  cuda::cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cuda::cublasLtMatmulAlgo_t algorithm = {};
  size_t workspace_bytes = 0;
};

// The plan for a problem. Algorithms that round to 16 bits before they add the bias or what D held are not taken: an
// operator rounds once. The first call for a problem asks the library's heuristics and runs what it proposes on scratch
// memory, so that code is loaded before anything is captured. A problem the library refuses gives a plan that is not
// usable; the status is an error only if something else failed.
Status find_plan(cuda::CudaDevice& device, const Problem& problem, const Plan** plan);

// A description of the plan's own kind, for a task that sets its bias pointer.
Status make_description(const Problem& problem, cuda::cublasLtMatmulDesc_t* description);
void destroy_description(cuda::cublasLtMatmulDesc_t description);
Status set_bias(cuda::cublasLtMatmulDesc_t description, const void* bias);

// Enqueues one call.
Status multiply(cuda::CudaDevice& device, const Plan& plan, cuda::cublasLtMatmulDesc_t description, const void* a,
                const void* b, void* d, void* workspace, void* stream);

}  // namespace rondo::ops::lt
