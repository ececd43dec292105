// The tables of libcuda, NVRTC and cuBLASLt. One process-wide instance each, never destroyed (no CUDA call may happen
// in a static destructor).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/cuda_types.h"
#include "dynlib/function.h"

namespace rondo::cuda {

class Driver final : public Library {
 public:
  Driver();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/driver.def"
#undef RONDO_FN
  // CUDA version of the driver, e.g. 13000; 0 before it is open.
  int driver_version() const {
    return driver_version_;
  }

 protected:
  Status accept() override;

 private:
  int driver_version_ = 0;
};

class Nvrtc final : public Library {
 public:
  Nvrtc();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/nvrtc.def"
#undef RONDO_FN
  int major() const {
    return major_;
  }
  int minor() const {
    return minor_;
  }

 protected:
  void preload(const std::string& folder) override;
  Status accept() override;

 private:
  int major_ = 0, minor_ = 0;
};

class CublasLt final : public Library {
 public:
  CublasLt();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/cublaslt.def"
#undef RONDO_FN

 protected:
  Status accept() override;
  std::string sibling_folder() override;
};

Driver& driver();
Nvrtc& nvrtc();
CublasLt& cublaslt();

}  // namespace rondo::cuda
