// Holds the table of a CBLAS library for the cpu: OpenBLAS, MKL or the system's BLAS.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/loading/function.h"

namespace rondo {

class Blas final : public Library {
 public:
  Blas();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/blas.def"
#undef RONDO_FN
  // Once it is open: whether a call is done by the thread that makes it, and several may call at once. True for an
  // OpenBLAS that no one else had opened before: its threads would take the processors of those that run tasks.
  bool serial() const {
    return serial_;
  }
  // True if its threads, and their number, do not depend on the thread that calls, as they do with OpenMP.
  bool same_on_every_thread() const {
    return same_on_every_thread_;
  }

 protected:
  Status accept(std::string* reservation) override;

 private:
  void take_kernels() const;
  bool same_on_every_thread_ = false, serial_ = false;
};

Blas& blas();

}  // namespace rondo
