// The table of a CBLAS library for the cpu: OpenBLAS, MKL or the system's BLAS.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/function.h"

namespace rondo {

class Blas final : public Library {
 public:
  Blas();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/blas.def"
#undef RONDO_FN

 protected:
  Status accept(std::string* reservation) override;
};

Blas& blas();

}  // namespace rondo
