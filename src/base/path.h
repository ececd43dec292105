// What the compiler cannot know: which code every submission passes and which almost none. After a wait of some
// milliseconds the caches hold other things, and a launch costs as many misses as it touches lines and pages of code;
// so the path is laid out together, without the making of errors in between.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#define RONDO_HOT [[gnu::hot]]
#define RONDO_COLD [[gnu::cold, gnu::noinline]]
