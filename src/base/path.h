// What the compiler cannot know: which code every submission passes and which almost none. The path is laid out
// together, without the making of errors in between, so that it touches few lines and pages of code.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#define RONDO_HOT [[gnu::hot]]
#define RONDO_COLD [[gnu::cold, gnu::noinline]]
