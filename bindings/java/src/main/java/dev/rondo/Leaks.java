// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Objects that nobody closed. The property dev.rondo.leaks says what happens besides freeing them: "report" (also without the
 * property) logs the first of each kind, "trace" logs each with the place where it was made, "off" logs none.
 */
final class Leaks {
  private static final System.Logger LOG = System.getLogger("dev.rondo");
  private static final String MODE = System.getProperty("dev.rondo.leaks", "report").toLowerCase(Locale.ROOT);
  private static final boolean TRACE = MODE.equals("trace");
  private static final AtomicLong COUNT = new AtomicLong();
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

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
      LOG.log(System.Logger.Level.WARNING, "a " + kind + " was not closed and is freed by the garbage collector", site);
    } else if (!MODE.equals("off") && REPORTED.add(kind)) {
      LOG.log(System.Logger.Level.WARNING, "a " + kind + " was not closed and is freed by the garbage collector; further ones are not"
          + " reported. -Ddev.rondo.leaks=trace reports each with the place where it was made, =off none");
    }
  }
}
