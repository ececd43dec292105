// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Objects that nobody closed. The property dev.rondo.leaks says what happens besides freeing them: "report" (also without the
 * property) logs the first of each kind, "trace" logs each with the place where it was made, "off" logs none. A thread of its own logs, so
 * that a handler which throws or blocks holds no memory.
 */
final class Leaks {
  private static final System.Logger LOG = System.getLogger("dev.rondo");
  private static final String MODE = System.getProperty("dev.rondo.leaks", "report").toLowerCase(Locale.ROOT);
  private static final boolean TRACE = MODE.equals("trace");
  private static final AtomicLong COUNT = new AtomicLong();
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();
  private static final BlockingQueue<Runnable> MESSAGES = new ArrayBlockingQueue<>(1000); // what comes while it is full is not logged
  private static final AtomicBoolean STARTED = new AtomicBoolean();

  private Leaks() {}

  static Throwable site() {
    return TRACE ? new Throwable("made here") : null;
  }

  static long count() {
    return COUNT.get();
  }

  static void report(String kind, Throwable site) {
    COUNT.incrementAndGet();
    if (site != null) {
      log(() -> LOG.log(System.Logger.Level.WARNING, "a " + kind + " was not closed and is freed by the garbage collector", site));
    } else if (!MODE.equals("off") && REPORTED.add(kind)) {
      log(() -> LOG.log(System.Logger.Level.WARNING, "a " + kind + " was not closed and is freed by the garbage collector; further ones are not"
          + " reported. -Ddev.rondo.leaks=trace reports each with the place where it was made, =off none"));
    }
  }

  private static void log(Runnable message) {
    if (!MESSAGES.offer(message) || STARTED.getAndSet(true)) {
      return;
    }
    try {
      Threads.start("rondo-leaks", Leaks::logAll);
    } catch (Throwable e) { // no thread is to be had: the next report tries again
      STARTED.set(false);
    }
  }

  private static void logAll() {
    while (true) {
      try {
        MESSAGES.take().run();
      } catch (Throwable e) { // whatever a handler throws: the next report is logged all the same
        Threads.pause();
      }
    }
  }
}
