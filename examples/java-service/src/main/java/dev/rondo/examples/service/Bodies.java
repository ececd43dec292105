// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that bodies of requests may take together, from the first byte to the answer. A request that says how long it is takes all of
 * it at once, so that what is let in also ends.
 */
final class Bodies {
  private static final int SLOWEST = 64 << 10; // bytes of a second

  private final long bound = Runtime.getRuntime().maxMemory() / 4;
  private final Duration patience;
  private final AtomicLong held = new AtomicLong();

  /**
   * Makes it, with a quarter of the heap.
   *
   * @param patience how long a body of few bytes may take
   */
  Bodies(Duration patience) {
    this.patience = patience;
  }

  /** Takes as much, or nothing if it is not there. */
  boolean take(long bytes) {
    if (held.addAndGet(bytes) <= bound) {
      return true;
    }
    held.addAndGet(-bytes);
    return false;
  }

  void give(long bytes) {
    held.addAndGet(-bytes);
  }

  long held() {
    return held.get();
  }

  long bound() {
    return bound;
  }

  /** How long a body of this length may take. */
  Duration patience(long bytes) {
    return patience.plusSeconds(bytes / SLOWEST);
  }
}
