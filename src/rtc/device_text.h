// Declares the texts of rtc/device/, which embed.py writes into the library at build time, packed.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rondo::rtc {

// Each is packed. ASCII stands for itself, so a text that is not packed is written as it is. Larger bytes stand for
// bytes of what was written so far, from one more than a number to base 255 back, whose digits are kept plus 1. A byte
// 128 + 16 h + n, with h below 4 and n below 16, is for n + 3 bytes and has the high digit h; the low one follows. A
// byte 192 + n is for n + 4 bytes; both digits follow. A text that begins with a byte 1 counts
// back into kReduceText too, as if it were written after that.
void append_text(const char* packed, std::string* to);
std::string text_of(const char* packed);

extern const char kPreludeText[];  // the compiler puts it in front of every kernel
extern const char kF8Text[];       // in front of those that cast from or to 8-bit floats
extern const char kStridedText[];  // in front of those of families with strided arguments (ops/task/cuda_kernel.h)
extern const char kReduceText[];
extern const char kReduceExpressionText[];  // after kReduceText
extern const char kReduceFinishText[];      // after kReduceText
extern const char kRemapText[];
extern const char kSortText[];
extern const char kSequenceText[];
extern const char kPutText[];
extern const char kRowsText[];
extern const char kRowsSplitText[];
extern const char kRowExpressionText[];  // after kRowsText or kRowsSplitText
extern const char kRowFinishText[];      // in front of kMatmulText, if it is needed
extern const char kMatmulText[];
extern const char kMatmulTilesText[];  // after that and kTensorCoreText
extern const char kMatmulRowsText[];   // the same
extern const char kMatmulIntegerText[];
extern const char kNormText[];
extern const char kWindowText[];
extern const char kCumulateText[];
extern const char kConvolutionText[];
extern const char kPeerText[];
extern const char kOptimizerText[];
extern const char kAttentionText[];
extern const char kAttentionRowsText[];   // after that
extern const char kAttentionTilesText[];  // after that and kTensorCoreText
extern const char kTensorCoreText[];
extern const char kRotaryText[];
extern const char kBagsText[];  // after kSortText and kOptimizerText
extern const char kInteractionText[];
extern const char kNumbersText[];

}  // namespace rondo::rtc
