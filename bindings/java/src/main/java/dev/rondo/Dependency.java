// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.time.Duration;

/** What tasks read and write, and are ordered by: a {@link Tensor} or a {@link Variable}. Nothing else implements it. */
public interface Dependency extends AutoCloseable {
  /**
   * Blocks until every task submitted before that this waits for has finished, on the device too: for a tensor those that write it, for
   * a variable those that read it as well. A virtual thread is parked meanwhile and leaves its carrier to others.
   *
   * @throws RondoException the first cause, if this is poisoned
   * @throws WaitInterruptedException if the thread is interrupted before; the tasks go on
   */
  void await();

  /**
   * The same, but blocks so long at most.
   *
   * @param limit how long; zero asks only
   * @return false if the limit is over first: the tasks go on, and may be waited for again
   * @throws RondoException the first cause, if this is poisoned
   * @throws WaitInterruptedException if the thread is interrupted before; the tasks go on
   */
  boolean await(Duration limit);

  @Override
  void close();
}
