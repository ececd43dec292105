// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** What tasks read and write, and are ordered by: a {@link Tensor} or a {@link Variable}. Nothing else implements it. */
public interface Dependency extends AutoCloseable {
  /**
   * Blocks until every task submitted before that uses this has finished, on the device too.
   *
   * @throws RondoException the first cause, if this is poisoned
   */
  void await();

  @Override
  void close();
}
