// Holds the table of NCCL. One process-wide instance, never destroyed. Its own settings (NCCL_*) are left as they are.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/loading/function.h"
#include "dynlib/nccl_types.h"

namespace rondo::cuda {

class Nccl final : public Library {
 public:
  Nccl();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/nccl.def"
#undef RONDO_FN
  // major * 10000 + minor * 100 + patch; 0 before it is open.
  int number() const {
    return number_;
  }
  Remedy remedy() const override;
  std::string name_of(int since) const override;

 protected:
  Status accept(std::string* reservation) override;
  std::string sibling_folder() override;

 private:
  int number_ = 0;
};

Nccl& nccl();

}  // namespace rondo::cuda
