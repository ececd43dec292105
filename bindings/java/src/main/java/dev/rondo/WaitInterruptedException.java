// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/**
 * A thread was interrupted while it waited: {@link InterruptedException} without the need to declare it. The thread's interrupt status is
 * set, as whoever interrupted left it. What was waited for goes on and may be waited for again. A wait that is over at once is not
 * interrupted.
 */
public final class WaitInterruptedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  WaitInterruptedException() {
    super("the thread was interrupted while it waited; what it waited for goes on");
  }
}
