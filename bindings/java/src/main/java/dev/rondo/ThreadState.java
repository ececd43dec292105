// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** What the library knows of a thread: what it uses, its innermost scope, its recording, and whether Rondo called it. */
final class ThreadState {
  private static final ThreadLocal<ThreadState> STATES = ThreadLocal.withInitial(ThreadState::new);

  final InUse inUse = new InUse();
  Scope scope;
  Recording recording;
  int calls; // of tasks, gradients, callables, exchanges and groups of the user, entered and not left
  Throwable callbackFailure; // what the last of these threw, for the exception of who called

  private ThreadState() {}

  static ThreadState current() {
    return STATES.get();
  }

  boolean insideCall() {
    return calls > 0;
  }

  /** Whether a function of the user's that a method of the library called, a recording's too, is not done: what is around it is in use. */
  boolean insideMethod() {
    return calls > 0 || recording != null;
  }
}
