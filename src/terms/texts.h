// Texts of groups of nodes that are written alike in recordings and in models' files (graph/passes/, onnx/patterns/).
// A macro is a part of a string literal.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

// x factor / 2, whichever product comes first.
#define RONDO_HALF_OF(factor) \
  "[Mul(Mul(x, " factor "), 0.5) | Mul(x, Mul(" factor ", 0.5)) | Mul(Mul(x, 0.5), " factor ")]"
// The factors of GELU and of GELU by tanh.
#define RONDO_ERF_FACTOR "Add(Erf:u([Div(x, 1.4142135) | Mul(x, 0.70710678)]), 1)"
#define RONDO_TANH_FACTOR "Add(Tanh(Mul(Add(x, Mul([Pow(x, 3) | Mul(x, Mul(x, x))], 0.044715)), 0.7978845)), 1)"

// x c + (-h, l) s, where h and l are the parts of x.
#define RONDO_ROTARY_TEXT(h, l) "Add(Mul(Concat:t(Neg(" h "), " l "), s), Mul(x, c))"
