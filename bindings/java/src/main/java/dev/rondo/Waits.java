// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Waits that can be interrupted and limited. A thread of the system waits in the native part for a while, which is quickest, and then, as a
 * virtual thread does at once, which would hold its carrier there, is parked until the future of the wait is completed.
 */
final class Waits {
  private static final long NATIVE_MILLIS = 20; // how late an interrupt may be seen there

  /** A wait of the native part with a limit: it throws {@link TimedOutException} without an operator where the limit is over. */
  interface Limited {
    void await(long milliseconds);
  }

  private Waits() {}

  static void await(Limited wait, Supplier<CompletableFuture<Void>> future) {
    await(wait, future, Long.MAX_VALUE);
  }

  /** False where the limit is over first. */
  static boolean await(Limited wait, Supplier<CompletableFuture<Void>> future, Duration limit) {
    final long seconds = Objects.requireNonNull(limit, "limit").getSeconds();
    return await(wait, future, limit.isNegative() ? 0 : seconds > Integer.MAX_VALUE ? Long.MAX_VALUE : limit.toNanos());
  }

  /** As the native part takes it: rounded up, and -1 for a negative one. */
  static long milliseconds(Duration limit) {
    final long seconds = Objects.requireNonNull(limit, "limit").getSeconds();
    if (seconds < 0) {
      return -1;
    }
    return seconds > Integer.MAX_VALUE ? Long.MAX_VALUE : (limit.toNanos() + 999_999) / 1_000_000;
  }

  private static boolean await(Limited wait, Supplier<CompletableFuture<Void>> future, long nanos) {
    final long begin = System.nanoTime();
    final boolean interrupted = Thread.currentThread().isInterrupted();
    final long first = interrupted || VirtualThreads.isCurrent() ? 0 : Math.min(NATIVE_MILLIS, nanos / 1_000_000);
    if (isOver(wait, first)) {
      return true;
    }
    if (interrupted) {
      throw new WaitInterruptedException();
    }
    final long left = nanos == Long.MAX_VALUE ? nanos : nanos - (System.nanoTime() - begin);
    return left > 0 ? isCompleted(wait, future.get(), left) : isOver(wait, 0);
  }

  private static boolean isOver(Limited wait, long milliseconds) {
    try {
      wait.await(milliseconds);
      return true;
    } catch (TimedOutException e) {
      if (e.operator().isPresent()) { // a task failed with a limit of its own
        throw e;
      }
      return false;
    }
  }

  private static boolean isCompleted(Limited wait, CompletableFuture<Void> future, long nanos) {
    try {
      future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WaitInterruptedException();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof RondoException)) {
        throw new IllegalStateException(e.getCause()); // futures of Rondo have no other
      }
      final RondoException failure = (RondoException) e.getCause();
      if (failure instanceof InvalidStateException) { // closed meanwhile, which a wait under way does not mind
        return isOver(wait, -1);
      }
      throw failure.with(failure.getCause()); // with the place where this thread waits
    }
  }
}
