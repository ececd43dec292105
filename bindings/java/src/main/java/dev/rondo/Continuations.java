// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * Completes the futures that users have, on threads that do nothing else: what users chain to one may take long, throw, or wait for another
 * future, and no other wait is held up by it. A pool whose waits for futures make it start a thread more.
 */
final class Continuations {
  private static final ForkJoinPool POOL = new ForkJoinPool(Math.max(4, Runtime.getRuntime().availableProcessors()), Worker::new, null, true);

  private Continuations() {}

  private static final class Worker extends ForkJoinWorkerThread {
    Worker(ForkJoinPool pool) {
      super(pool);
    }

    @Override
    protected void onStart() {
      setName("rondo-futures-" + getPoolIndex());
      setContextClassLoader(null);
    }
  }

  /** A future for a user, with what comes of another one. */
  static CompletableFuture<Void> of(CompletableFuture<Void> wait) {
    final CompletableFuture<Void> given = new CompletableFuture<>();
    if (wait.isDone()) {
      wait.whenComplete((nothing, failure) -> complete(given, failure)); // at once: nothing is chained to it yet
    } else {
      wait.whenComplete((nothing, failure) -> handOver(given, failure));
    }
    return given;
  }

  private static void handOver(CompletableFuture<Void> given, Throwable failure) {
    try {
      POOL.execute(() -> {
        complete(given, failure);
        Thread.interrupted(); // left behind by what is chained to it
      });
    } catch (Throwable e) { // no thread, or no memory to hand it over: here, so that it is completed
      complete(given, failure);
    }
  }

  private static void complete(CompletableFuture<Void> given, Throwable failure) {
    while (!given.isDone()) {
      try {
        if (failure == null) {
          given.complete(null);
        } else {
          given.completeExceptionally(failure);
        }
      } catch (Throwable e) { // no memory for a moment
        Threads.pause();
      }
    }
  }
}
