// Holds the table of cuDNN. One process-wide instance, never destroyed. It is accepted only where a call into it cannot
// end the process: cuDNN aborts when a part of it or the cuBLASLt of its own major version of CUDA cannot be opened.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynlib/cudnn_types.h"
#include "dynlib/loading/function.h"

namespace rondo::cuda {

class Cudnn final : public Library {
 public:
  Cudnn();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/cudnn.def"
#undef RONDO_FN
  // As the tables write versions, e.g. 9190 for 9.19; 0 before it is open.
  int number() const {
    return number_;
  }
  Remedy remedy() const override;
  std::string name_of(int since) const override;

 protected:
  Status accept(std::string* reservation) override;
  std::string sibling_folder() override;

 private:
  Status open_parts(std::vector<void*>* parts);
  Status judge(std::string* reservation);

  int number_ = 0;
};

Cudnn& cudnn();

}  // namespace rondo::cuda
