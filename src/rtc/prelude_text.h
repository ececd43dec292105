// The text of rtc/device/, which the compiler puts in front of every kernel. Written by embed.py at build time.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::rtc {

extern const char kPreludeText[];

}  // namespace rondo::rtc
