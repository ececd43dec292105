// Holds the tables of libcuda, NVRTC and cuBLASLt. One process-wide instance each, never destroyed (no CUDA call may
// happen in a static destructor).
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "dynlib/cuda_types.h"
#include "dynlib/loading/function.h"

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
  Remedy remedy() const override;
  // Compute capabilities, times ten: of a device that is being opened, and the lowest of those so far, 0 before. The
  // compilers for devices are chosen by it, without a call that could fail.
  void note_device(int capability);
  int lowest_capability() const {
    return lowest_capability_.load();
  }

 protected:
  Status accept(std::string* reservation) override;

 private:
  int driver_version_ = 0;
  std::atomic<int> lowest_capability_{0};
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
  Remedy remedy() const override;

 protected:
  std::vector<void*> preload(const std::string& folder) override;
  Status accept(std::string* reservation) override;

 private:
  int major_ = 0, minor_ = 0;
};

class CublasLt final : public Library {
 public:
  CublasLt();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/cublaslt.def"
#undef RONDO_FN

  Remedy remedy() const override;

 protected:
  Status accept(std::string* reservation) override;
  std::string sibling_folder() override;
};

// Major versions of CUDA, and the oldest architecture for which their compiler and libraries are made.
struct Release {
  int major;
  int oldest_architecture;
};
// The newest of those Rondo knows that a driver can use (major of its CUDA version; 0: not known) and that serves
// devices of that capability (times ten); null if there is none.
const Release* release_for(int driver_major, int capability);

// The driver's major version of CUDA; 0 without a driver.
int driver_major();
// Why a release is not the best for the devices here; empty if none is too old for it.
std::string too_new_for_a_device(int major);
// The package of CUDA of this major version, by the name that it had before the version was part of the name.
Remedy install(const char* what, const char* package, int major);

Driver& driver();
Nvrtc& nvrtc();
CublasLt& cublaslt();

}  // namespace rondo::cuda
