// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** What the library knows of a thread: its innermost scope, its recording, and whether it runs a task. */
final class ThreadState {
  private static final ThreadLocal<ThreadState> STATES = ThreadLocal.withInitial(ThreadState::new);

  Scope scope;
  Recording recording;
  int tasks; // entered and not left

  private ThreadState() {}

  static ThreadState current() {
    return STATES.get();
  }

  boolean insideTask() {
    return tasks > 0;
  }
}
