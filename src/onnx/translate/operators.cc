// The table of operators, as rows that are looked up by domain, name and version.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/translate/operators.h"

#include <iterator>

#include "onnx/translate/signals.h"

namespace rondo_onnx {

namespace {

constexpr OperatorRow kOperators[] = {
#define RONDO_ONNX(domain, Name, since, function) {domain, #Name, since, function},
#include "onnx/translate/operators.def"
#undef RONDO_ONNX
};

}  // namespace

const OperatorRow* find_operator(const std::string& domain, const std::string& name, int64_t opset, bool* known) {
  const OperatorRow* best = nullptr;
  *known = false;
  for (const OperatorRow& each : kOperators) {
    if (name != each.name || domain != each.domain) continue;
    *known = true;
    if (each.since <= opset && (!best || each.since > best->since)) best = &each;
  }
  return best;
}

const OperatorRow* operator_row(int64_t index) {
  return index >= 0 && index < static_cast<int64_t>(std::size(kOperators)) ? &kOperators[index] : nullptr;
}

}  // namespace rondo_onnx
