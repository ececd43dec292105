// Presents the table of normalisations (normalisations.def) as data: a row for each of them.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ops/operators/enumerators.h"
#include "rtc/device/rows/normalisations.h"

namespace rondo::ops {

// An operator, or its gradient.
struct NormalisationRow {
  const char* name;
  const char* formula;  // what kernel text calls it
};
inline constexpr NormalisationRow kNormalisations[][2] = {
#define NORMALISATION(name, Formula, ...) {{#name, #Formula}, {#name "_grad", #Formula "Grad"}},
#include "ops/operators/normalisations.def"
#undef NORMALISATION
};
inline const NormalisationRow& normalisation_row(Normalisation op, bool gradient) {
  return kNormalisations[static_cast<int>(op)][gradient];
}

// Calls f.template operator()<formula>().
template <class F>
void with_normalisation(Normalisation op, bool gradient, const F& f) {
  switch (op) {
#define NORMALISATION(name, Formula, ...) \
  case Normalisation::name:               \
    return gradient ? f.template operator()<device::Formula##Grad>() : f.template operator()<device::Formula>();
#include "ops/operators/normalisations.def"
#undef NORMALISATION
  }
}

}  // namespace rondo::ops
