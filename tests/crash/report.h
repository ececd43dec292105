// A program that dies says on stderr of what, where and in the middle of which tasks: it may have run among fifty
// others, on a machine that is gone since. Whoever links this has it, from before main() on.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace crash {

// What the program is at, which the report says too; both live until another call, or are null.
void at(const char* what, const char* part);
// From now on the library keeps the last tasks for it, in a folder that is gone when the program ends well. Where the
// environment names another (RONDO_LAST_TASKS), that one stays; RONDO_TEST_LAST_TASKS=off leaves the library alone.
// While there is one thread and no engine yet.
void keep_last_tasks();

}  // namespace crash
