// The base of the suites about recordings. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness.h"

namespace conformance {

class OnRecording : public OnEngine {
 protected:
  void expect_captured(rondo_graph* graph, int32_t segments = 1) const {
    const rondo_graph_info info = graph_info(graph);
    EXPECT_EQ(info.segments, segments) << graph_report(graph);
    if (on_cuda()) {
      EXPECT_GE(info.captured, 1) << graph_report(graph);
    } else {
      EXPECT_EQ(info.captured, 0) << graph_report(graph);
    }
  }
  Tensor ones(int64_t n, Real value = 1) const { return up(full(RONDO_F32, {n}, value)); }
  Real first(rondo_tensor* tensor) const { return download(tensor)[0]; }
};
}  // namespace conformance
