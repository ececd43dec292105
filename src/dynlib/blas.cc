// Which BLAS libraries will do. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "dynlib/blas.h"

namespace rondo {

Blas::Blas()
    : Library({"a CBLAS library (OpenBLAS, MKL or libblas)",
               Setting::blas_path,
               {"libopenblas.so.0", "libmkl_rt.so.2", "libcblas.so.3", "libblas.so.3"},
               {},
               false,
               {"install OpenBLAS (Debian: libopenblas0)", {}, "libopenblas0"}}) {}

Status Blas::accept(std::string*) {
  if (!symbol("cblas_sgemm") || !symbol("cblas_dgemm"))
    return error(RONDO_LIBRARY_MISSING, "has no cblas_sgemm: a BLAS without the C interface");
  version_ = "CBLAS";
  if (auto config = reinterpret_cast<char* (*)()>(symbol("openblas_get_config"))) version_ = config();
  constexpr int kOpenMp = 2;  // others: 0, no threads, and 1, threads of its own
  auto parallel = reinterpret_cast<int (*)()>(symbol("openblas_get_parallel"));
  same_on_every_thread_ = parallel && parallel() != kOpenMp;
  return {};
}

Blas& blas() {
  static auto* instance = new Blas;
  return *instance;
}

}  // namespace rondo
