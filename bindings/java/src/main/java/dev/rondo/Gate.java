// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Knows of the calls under way that use an engine or an object of it, so that closing the engine comes after them: C does not allow to
 * destroy an engine under a call. Most are published by their threads ({@link InUse}); here those are counted that {@linkplain
 * Handle#pin pin} an object, in several places, because every call of a virtual thread passes here.
 */
final class Gate {
  private static final int PLACES = 16;
  private static final int APART = 32; // ints between places: no two in a line of the cache, nor in neighbours
  private static final long POLL_NANOS = 50_000;

  final long id = InUse.current().newId();
  private final AtomicIntegerArray counts = new AtomicIntegerArray((PLACES + 1) * APART);
  private volatile boolean closed;

  private static int place() {
    return (((int) Thread.currentThread().getId() * 0x9E3779B9 >>> 28) + 1) * APART;
  }

  /** False where the engine is closed or about to be. */
  boolean enter() {
    final int place = place();
    counts.getAndIncrement(place);
    if (closed) {
      counts.getAndDecrement(place);
      return false;
    }
    return true;
  }

  /** Also in another thread than the one that entered: the sum is what counts. */
  void exit() {
    counts.getAndDecrement(place());
  }

  boolean isClosed() {
    return closed;
  }

  /** Lets nobody in and waits until all are out. */
  void close() {
    closed = true;
    InUse.current().forgetAll(); // outside of calls, as it is checked before
    VarHandle.fullFence();
    boolean interrupted = false;
    final Patience patience = new Patience(id, "engine");
    while (isUsed()) {
      LockSupport.parkNanos(this, POLL_NANOS);
      interrupted |= Thread.interrupted(); // goes on waiting, and is told afterwards
      patience.looked();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isUsed() {
    return sum() != 0 || InUse.anywhere(id);
  }

  private int sum() {
    int sum = 0;
    for (int i = 1; i <= PLACES; ++i) {
      sum += counts.get(i * APART);
    }
    return sum;
  }
}
