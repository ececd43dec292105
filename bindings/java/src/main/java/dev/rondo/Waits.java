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
 * Waits that can be interrupted and limited. A thread of the system waits in the native part, which knows nothing of interrupts, so it
 * comes back from time to time and looks for one. A virtual thread is parked until the future of the wait is completed: in the native
 * part it would hold its carrier.
 */
final class Waits {
  private static final long SLICE_MILLIS = 20; // how late an interrupt may be seen

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

  private static boolean await(Limited wait, Supplier<CompletableFuture<Void>> future, long nanos) {
    return VirtualThreads.isCurrent() ? isOver(wait, 0) || isCompleted(wait, future.get(), nanos) : isOverWithin(wait, nanos);
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

  private static boolean isOverWithin(Limited wait, long nanos) {
    final long begin = System.nanoTime();
    while (true) {
      final boolean interrupted = Thread.currentThread().isInterrupted();
      final long left = nanos == Long.MAX_VALUE ? nanos : Math.max(0, nanos - (System.nanoTime() - begin));
      final long slice = interrupted ? 0 : Math.min(SLICE_MILLIS, left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1));
      if (isOver(wait, slice)) {
        return true;
      }
      if (interrupted) {
        throw new WaitInterruptedException();
      }
      if (left == 0) {
        return false;
      }
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
      final RondoException failure = (RondoException) e.getCause(); // futures of Rondo have no other
      if (failure instanceof InvalidStateException) { // closed meanwhile, which a wait under way does not mind
        return isOver(wait, -1);
      }
      throw failure.with(failure.getCause()); // with the place where this thread waits
    }
  }
}
