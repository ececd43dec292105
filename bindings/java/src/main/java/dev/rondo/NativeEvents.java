// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * What happens on native threads that Java should hear of: waits that are over, messages of the log, reports of compiling. One daemon thread takes them
 * from a queue of the native part, so that no native thread enters Java for it.
 */
final class NativeEvents {
  private static final int COMPLETED = 0; // as events.c has them
  private static final int COMPILING = 2;
  private static final System.Logger LOG = System.getLogger("dev.rondo");
  private static final Map<Long, Wait> WAITS = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static volatile BiConsumer<LogLevel, String> log;
  private static volatile CompileProgress progress;
  private static boolean started; // guarded by the class

  private static final class Wait {
    final Dependency waitedFor;
    final CompletableFuture<Void> future = new CompletableFuture<>();

    Wait(Dependency waitedFor) {
      this.waitedFor = waitedFor;
    }
  }

  private NativeEvents() {}

  /** A future that is completed when what was submitted so far is done with a variable. */
  static CompletableFuture<Void> watch(Dependency waitedFor, long engine, long variable) {
    start();
    if (ThreadState.current().recording != null) {
      throw new InvalidStateException("a recording is open on this thread: what is recorded cannot be waited for", null);
    }
    final long number = NUMBERS.incrementAndGet();
    final Wait wait = new Wait(waitedFor);
    WAITS.put(number, wait);
    try {
      watch0(engine, variable, number);
    } catch (RuntimeException | Error e) {
      WAITS.remove(number);
      if (!(e instanceof RondoException)) {
        throw e;
      }
      wait.future.completeExceptionally(e);
    }
    return wait.future;
  }

  static void log(LogLevel level, BiConsumer<LogLevel, String> consumer) {
    if (consumer != null) {
      start();
    }
    log = consumer;
    setLog0(consumer != null, level.value());
  }

  static void compileProgress(CompileProgress consumer) {
    if (consumer != null) {
      start();
    }
    progress = consumer;
    setCompileProgress0(consumer != null);
  }

  private static synchronized void start() {
    if (!started) {
      final Thread thread = new Thread(NativeEvents::drain, "rondo-events");
      thread.setDaemon(true);
      thread.start();
      started = true;
    }
  }

  private static void drain() {
    final long[] what = new long[4];
    while (true) {
      try {
        final byte[] message = take0(what);
        if (what[0] == COMPLETED) {
          complete(WAITS.remove(what[1]));
        } else if (what[0] == COMPILING) {
          final CompileProgress consumer = progress;
          if (consumer != null) {
            consumer.report(message.length == 0 ? null : new String(message, StandardCharsets.UTF_8), what[1], what[2], what[3] / 1e6);
          }
        } else {
          final BiConsumer<LogLevel, String> consumer = log;
          if (consumer != null) {
            consumer.accept(LogLevel.of((int) what[1]), new String(message, StandardCharsets.UTF_8));
          }
        }
      } catch (Throwable e) { // of a function of the user, or no memory: the next event is not its fault
        LOG.log(System.Logger.Level.ERROR, "a function that was called for an event threw", e);
      }
    }
  }

  private static void complete(Wait wait) {
    if (wait == null) {
      return; // its submission failed, and the future has that exception
    }
    try {
      wait.waitedFor.await(); // it is over: this tells how
    } catch (RondoException e) {
      wait.future.completeExceptionally(e);
      return;
    }
    wait.future.complete(null);
  }

  private static native void watch0(long engine, long variable, long number);

  private static native void setLog0(boolean on, int level);

  private static native void setCompileProgress0(boolean on);

  private static native byte[] take0(long[] what);
}
