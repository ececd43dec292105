// Declares the functions that translate Fourier transforms and windows, for the table of operators.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "onnx/translate/call.h"

namespace rondo_onnx {

enum class WindowKind { hann, hamming, blackman };
void signal_window(Call& call, WindowKind kind);
template <WindowKind kind>
void window_node(Call& call) {
  signal_window(call, kind);
}
void fourier_transform(Call& call);
void short_time_fourier(Call& call);

}  // namespace rondo_onnx
