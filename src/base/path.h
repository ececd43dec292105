// What the compiler cannot know: which code every submission passes, which only some do, and which almost none. The
// path is laid out together, without the rest in between, so that it touches few lines and pages of code: a launch in
// the driver fills most of a processor's instruction cache already, and each line more throws out one of the driver's.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#define RONDO_HOT [[gnu::hot]]
#define RONDO_APART [[gnu::noinline]]
#define RONDO_COLD [[gnu::cold, gnu::noinline]]
