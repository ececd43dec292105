// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** A way to move bytes between the ranks of a group, of the program's own; see {@link Comm#create(Engine, Device, int, int, Exchange, CommOptions)}. */
@FunctionalInterface
public interface Exchange {
  /**
   * Moves all messages of a step, in any order but that those between the same two ranks stay in theirs, and returns when that is done.
   * Called from threads of Rondo's, which Java knows as daemon threads, several at once for different channels. What it throws fails
   * the collective with that message.
   *
   * @param step what is sent and received
   * @throws Exception if it cannot be done, or if the step {@linkplain ExchangeStep#stopped() is stopped}
   */
  void run(ExchangeStep step) throws Exception;
}
