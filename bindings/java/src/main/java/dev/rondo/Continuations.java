// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;

/**
 * Completes the futures that users have, on threads that do nothing else: what users chain to one may take long, throw, or wait for another
 * future, and no other wait is held up by it.
 *
 * <p>A future is handed over without taking memory, so that it is completed even where the heap is full at that moment. A few threads
 * complete them; where all are held up, a keeper starts one more after a while. It tries again where no thread is to be had.
 */
final class Continuations {
  private static final int THREADS = Math.max(4, Runtime.getRuntime().availableProcessors()); // at once; more where these are held up
  private static final long HELD_UP_NANOS = 20_000_000; // then the oldest future gets another thread
  private static final long IDLE_MILLIS = 10_000; // then a thread beyond those ends
  private static final Object LOCK = new Object(); // guards what follows; threads that have nothing to do wait for it
  private static Given first; // those whose wait is over, the oldest first
  private static Given last;
  private static int threads;
  private static int idle; // of these; they are there for the oldest future, or about to be
  private static boolean kept;
  private static volatile Thread keeper;
  private static int number; // of the last thread, for the keeper

  private Continuations() {}

  /** A future of a user, what its wait calls when it is over, and its place among those that are to be completed. */
  private static final class Given implements BiConsumer<Void, Throwable> {
    private final CompletableFuture<Void> future = new CompletableFuture<>();
    private Throwable failure;
    private Given next;
    private boolean given; // is among those, or was

    /** When the wait is over, on the thread that completes waits. */
    @Override
    public void accept(Void nothing, Throwable thrown) {
      failure = thrown;
      for (boolean handed = false; !handed; ) {
        try {
          handOver();
          handed = true;
        } catch (Throwable e) { // no memory for a first call
          Threads.pause();
        }
      }
    }

    private void handOver() {
      synchronized (LOCK) {
        if (!given) {
          if (first == null) {
            first = this;
          } else {
            last.next = this;
          }
          last = this;
          given = true;
        }
        if (idle > 0) {
          LOCK.notify();
          return;
        }
      }
      wakeKeeper();
    }

    /** Completes it and all that is chained to it: again where memory was short on the way, which goes on with what is left. */
    private void complete() {
      for (boolean done = false; !done; ) {
        try {
          if (failure == null) {
            future.complete(null);
          } else {
            future.completeExceptionally(failure);
          }
          done = true;
        } catch (Throwable e) { // no memory for a moment
          Threads.pause();
        }
      }
    }
  }

  /** A future for a user, with what comes of another one. */
  static CompletableFuture<Void> of(CompletableFuture<Void> wait) {
    final Given given = new Given();
    if (wait.isDone()) {
      wait.whenComplete((nothing, failure) -> given.failure = failure);
      given.complete(); // at once: nothing is chained to it yet
    } else {
      keep();
      wait.whenComplete(given);
    }
    return given.future;
  }

  /** Starts the keeper; without it nothing is waited for, and the caller learns why. */
  private static void keep() {
    synchronized (LOCK) {
      if (!kept) {
        Threads.start("rondo-futures", Continuations::startThreads);
        kept = true;
      }
    }
  }

  /** The keeper's work: it starts threads, and runs no code of the user's. */
  private static void startThreads() {
    keeper = Thread.currentThread();
    for (;;) {
      try {
        startThreadsFrom(oldest());
      } catch (Throwable e) { // no memory for a first call
        Threads.pause();
      }
    }
  }

  private static void startThreadsFrom(Given found) {
    Given oldest = found;
    for (long since = System.nanoTime(); true; Thread.interrupted()) { // nobody has a reason to interrupt it, and it would park no more
      final Given before = oldest;
      oldest = oldest();
      if (oldest != before) {
        since = System.nanoTime();
      }
      if (oldest == null) {
        LockSupport.park(LOCK);
      } else if (!isNeeded(System.nanoTime() - since >= HELD_UP_NANOS) || !start()) { // what is not to be had is tried again
        LockSupport.parkNanos(LOCK, HELD_UP_NANOS);
      }
    }
  }

  private static Given oldest() {
    synchronized (LOCK) {
      return first;
    }
  }

  /** Whether one more thread is to come to the oldest future. */
  private static boolean isNeeded(boolean waitsLong) {
    synchronized (LOCK) {
      return first != null && idle == 0 && (threads < THREADS || waitsLong);
    }
  }

  private static boolean start() {
    count(1);
    try {
      Threads.start("rondo-futures-" + ++number, Continuations::completeAll);
      return true;
    } catch (Throwable e) { // no thread, or no memory for one
      count(-1);
      return false;
    }
  }

  private static void count(int more) {
    synchronized (LOCK) {
      threads += more;
      idle += more;
    }
  }

  private static void completeAll() {
    for (Given given = take(false); given != null; given = take(true)) {
      given.complete();
      Thread.interrupted(); // left behind by what is chained to it
    }
  }

  /** The oldest, for a thread that is idle until there is one; null where there are more threads than usual and this one is to end. */
  private static Given take(boolean wasBusy) {
    final Given taken;
    synchronized (LOCK) {
      final long begin = System.nanoTime();
      idle += wasBusy ? 1 : 0;
      while (first == null) {
        if (threads > THREADS && System.nanoTime() - begin >= IDLE_MILLIS * 1_000_000) {
          count(-1);
          return null;
        }
        try {
          LOCK.wait(IDLE_MILLIS);
        } catch (InterruptedException | Error e) {
          continue; // nobody has a reason to; or there is no memory to wait
        }
      }
      taken = first;
      first = taken.next;
      taken.next = null;
      if (--idle > 0 || first == null) {
        return taken;
      }
    }
    wakeKeeper(); // another thread may be needed for the next one
    return taken;
  }

  private static void wakeKeeper() {
    for (boolean woken = false; !woken; ) {
      try {
        LockSupport.unpark(keeper);
        woken = true;
      } catch (Throwable e) { // no memory for a first call
        Threads.pause();
      }
    }
  }
}
