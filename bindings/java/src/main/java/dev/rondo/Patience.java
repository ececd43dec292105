// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** Of one wait of a closer for calls under way: after two seconds, and then every twenty, it looks after the threads that it waits for. */
final class Patience {
  private static final long NANOS = 2_000_000_000L;

  private final long id;
  private final String kind;
  private long next = System.nanoTime() + NANOS;

  /** What has the id is to be unused. */
  Patience(long id, String kind) {
    this.id = id;
    this.kind = kind;
  }

  /** Whether it was time to look: a use whose end was lost is forgotten then. */
  boolean looked() {
    if (System.nanoTime() - next <= 0) {
      return false;
    }
    InUse.lookAfter(id, kind);
    next = System.nanoTime() + 10 * NANOS;
    return true;
  }
}
