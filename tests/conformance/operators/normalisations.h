// The normalisations of the table (ops/operators/normalisations.def): how each is called, and its reference value.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness.h"

namespace conformance {

// What a row becomes before weight and bias. A row of the table without one does not compile.
namespace normalised {
inline Real mean_of_squares(const std::vector<Real>& row) {
  Real sum = 0;
  for (const Real value : row) sum += value * value / Real(row.size());
  return sum;
}
inline void rms_norm(std::vector<Real>& row, Real epsilon) {
  const Real root = std::sqrt(mean_of_squares(row) + epsilon);
  for (Real& value : row) value /= root;
}
inline void layer_norm(std::vector<Real>& row, Real epsilon) {
  Real mean = 0;
  for (const Real value : row) mean += value / Real(row.size());
  for (Real& value : row) value -= mean;
  rms_norm(row, epsilon);
}
}  // namespace normalised

struct NormalisationCase {
  std::string name;
  bool takes_bias;
  std::function<rondo_status(rondo_tensor* a, int32_t axis, rondo_tensor* weight, rondo_tensor* bias, double epsilon,
                             rondo_tensor** out)>
      call;
  void (*reference)(std::vector<Real>& row, Real epsilon);

  // With the bias only where the function takes one.
  Tensor operator()(rondo_tensor* a, int32_t axis, rondo_tensor* weight, rondo_tensor* bias, double epsilon) const {
    rondo_tensor* out = nullptr;
    must(call(a, axis, weight, bias, epsilon, &out));
    return Tensor(out);
  }
};
inline NormalisationCase normalisation_case(const char* name,
                                            rondo_status (*call)(rondo_tensor*, int32_t, rondo_tensor*, rondo_tensor*,
                                                                 double, rondo_tensor**),
                                            void (*reference)(std::vector<Real>&, Real)) {
  return {name, true, call, reference};
}
inline NormalisationCase normalisation_case(const char* name,
                                            rondo_status (*call)(rondo_tensor*, int32_t, rondo_tensor*, double,
                                                                 rondo_tensor**),
                                            void (*reference)(std::vector<Real>&, Real)) {
  return {name, false,
          [call](rondo_tensor* a, int32_t axis, rondo_tensor* weight, rondo_tensor*, double epsilon,
                 rondo_tensor** out) { return call(a, axis, weight, epsilon, out); },
          reference};
}
inline const std::vector<NormalisationCase>& normalisations() {
  static const std::vector<NormalisationCase> all = {
#define NORMALISATION(name, ...) normalisation_case(#name, rondo_##name, normalised::name),
#include "../../../src/ops/operators/normalisations.def"
#undef NORMALISATION
  };
  return all;
}

}  // namespace conformance
