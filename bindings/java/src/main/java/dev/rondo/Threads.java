// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** Threads of the library's own: daemons that hold nothing of the thread that happens to start them. */
final class Threads {
  private Threads() {}

  /** Starts one. It inherits neither values of the starting thread nor its class loader, so that an application's can be collected. */
  static void start(String name, Runnable body) {
    final Thread thread = new Thread(null, body, name, 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    thread.start();
  }

  /** For a moment, whatever the state of the thread; throws nothing. */
  static void pause() {
    try {
      Thread.sleep(1);
    } catch (Throwable e) { // an interrupt, or no memory: then it does not pause
      return;
    }
  }
}
