// Tells the compiler which code every submission passes, which only some do, and which almost none. The path is laid
// out together, without the rest in between, so that it touches few lines and pages of code: a launch in the driver
// fills most of a processor's instruction cache already, and each line more throws out one of the driver's.
//
// Hot functions have no check of their stack either: it would cost some eight instructions each, and none of these
// functions has an array that a caller fills.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__clang__)  // which spells it in its own way, and releases are not built with it
#define RONDO_HOT [[gnu::hot]]
#else
#define RONDO_HOT [[gnu::hot, gnu::no_stack_protector]]
#endif
#define RONDO_APART [[gnu::noinline]]
#define RONDO_COLD [[gnu::cold, gnu::noinline]]
