// Holds the table of oneDNN, for convolutions on the cpu. Version 3 of its C interface; version 2 has another one under
// the same names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "dynlib/loading/function.h"

namespace rondo {

class Onednn final : public Library {
 public:
  Onednn();
#define RONDO_FN(type, name, parameters, since) Function<type parameters> name{*this, #name, since};
#include "dynlib/onednn.def"
#undef RONDO_FN
  std::string name_of(int since) const override;

 protected:
  Status accept(std::string* reservation) override;
};

Onednn& onednn();

}  // namespace rondo
