// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;

/**
 * What happens on native threads that Java should hear of. One daemon thread completes waits and runs no code of the user's: futures that
 * users have are completed by other threads ({@link Continuations}). Another one calls the user's functions for messages of the log and
 * reports of compiling. Neither ends, whatever is thrown.
 */
final class NativeEvents {
  private static final int WAITS_QUEUE = 0; // as events.c has them
  private static final int MESSAGES_QUEUE = 1;
  private static final int COMPILING = 2;
  private static final System.Logger LOG = System.getLogger("dev.rondo");
  private static final Map<Long, CompletableFuture<Void>> WAITS = new ConcurrentHashMap<>();
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static volatile BiConsumer<LogLevel, String> log;
  private static volatile CompileProgress progress;
  private static boolean completes; // whether the threads were started; guarded by the class
  private static boolean tells;

  private NativeEvents() {}

  /**
   * A future of what was submitted so far to a variable, or of what uses it if not of its contents. It is completed by the thread of the
   * waits: nothing but what wakes threads and hands over may depend on it.
   */
  static CompletableFuture<Void> watch(long variable, boolean contents) {
    return watched(number -> watch0(variable, contents, number));
  }

  /** The same of all that was submitted to an engine. */
  static CompletableFuture<Void> watchAll(long engine) {
    return watched(number -> watchAll0(engine, number));
  }

  private static CompletableFuture<Void> watched(LongConsumer submit) {
    startCompleting();
    if (ThreadState.current().recording != null) {
      throw new InvalidStateException("a recording is open on this thread: what is recorded cannot be waited for", null);
    }
    final CompletableFuture<Void> future = new CompletableFuture<>();
    final long number = NUMBERS.incrementAndGet();
    WAITS.put(number, future);
    boolean submitted = false;
    try {
      submit.accept(number);
      submitted = true;
    } catch (RondoException e) {
      future.completeExceptionally(e);
    } finally {
      if (!submitted) {
        WAITS.remove(number);
      }
    }
    return future;
  }

  static void log(LogLevel level, BiConsumer<LogLevel, String> consumer) {
    if (consumer != null) {
      startTelling();
    }
    log = consumer;
    setLog0(consumer != null, level.value());
  }

  static void compileProgress(CompileProgress consumer) {
    if (consumer != null) {
      startTelling();
    }
    progress = consumer;
    setCompileProgress0(consumer != null);
  }

  private static synchronized void startCompleting() {
    if (!completes) {
      Threads.start("rondo-events", NativeEvents::complete);
      completes = true;
    }
  }

  private static synchronized void startTelling() {
    if (!tells) {
      Threads.start("rondo-messages", NativeEvents::tell);
      tells = true;
    }
  }

  // --- waits

  private static void complete() {
    final long[] what = new long[7];
    final Object[] texts = new Object[3];
    while (true) {
      try {
        take0(WAITS_QUEUE, what, texts);
      } catch (Throwable e) { // no memory to find the native method, before anything is taken
        Threads.pause();
        continue;
      }
      // Where Java has no memory for a moment, the wait is over all the same: again until it is told.
      LinkageError lost = null;
      for (boolean told = false; !told; ) {
        try {
          complete(what, texts, lost);
          told = true;
        } catch (LinkageError e) { // of a class that was first needed where there was no memory: there is none from now on
          lost = e;
        } catch (Throwable e) {
          Threads.pause();
        }
      }
      Arrays.fill(texts, null);
    }
  }

  /** lost: the failure that there is instead of the right one, which cannot be made any more; else null. */
  private static void complete(long[] what, Object[] texts, LinkageError lost) {
    final CompletableFuture<Void> future = WAITS.get(what[1]);
    if (future == null) {
      return; // who asked for it has got an Error instead
    }
    if (what[4] == Status.OK.value()) {
      future.complete(null);
    } else if (lost != null) {
      future.completeExceptionally(lost);
    } else {
      final byte[] message = texts[0] == null ? new byte[0] : (byte[]) texts[0];
      try {
        RondoException.raise((int) what[4], message, (byte[]) texts[1], (int) what[5], (int) what[6], (Throwable) texts[2]);
      } catch (RondoException e) {
        future.completeExceptionally(e);
      }
    }
    WAITS.remove(what[1]);
  }

  /** Completes waits as they may end later: a class that is first needed where the heap is full is given up by the virtual machine. */
  static void rehearse() {
    final byte[] message = "rondo_binary(add): rondo_wait: a->b is NULL".getBytes(StandardCharsets.UTF_8);
    for (final Status each : Status.values()) {
      final CompletableFuture<Void> future = new CompletableFuture<>();
      final long number = NUMBERS.incrementAndGet();
      WAITS.put(number, future);
      complete(new long[] {WAITS_QUEUE, number, 0, 0, each.value(), DeviceKind.CPU.value(), 0}, new Object[] {message, message, null}, null);
      Continuations.of(future);
    }
  }

  // --- messages

  private static void tell() {
    final long[] what = new long[7];
    final Object[] texts = new Object[3];
    while (true) {
      try {
        take0(MESSAGES_QUEUE, what, texts);
        tell(what, (byte[]) texts[0]);
      } catch (Throwable e) { // of a function of the user, or no memory: the next event is not its fault
        report(e);
      }
      Thread.interrupted(); // an interrupt that the function left behind is not the next one's
    }
  }

  private static void tell(long[] what, byte[] message) {
    final String text = message == null ? null : new String(message, StandardCharsets.UTF_8);
    if (what[0] == COMPILING) {
      final CompileProgress consumer = progress;
      if (consumer != null) {
        consumer.report(text, what[1], what[2], what[3] / 1e6);
      }
    } else {
      final BiConsumer<LogLevel, String> consumer = log;
      if (consumer != null) {
        consumer.accept(LogLevel.of((int) what[1]), text == null ? "" : text);
      }
    }
  }

  private static void report(Throwable thrown) {
    try {
      LOG.log(System.Logger.Level.ERROR, "a function that was called for an event threw", thrown);
    } catch (Throwable again) { // the handler of a log may throw as well, and then there is nobody left to tell
      return;
    }
  }

  private static native void watch0(long variable, boolean contents, long number);

  private static native void watchAll0(long engine, long number);

  private static native void setLog0(boolean on, int level);

  private static native void setCompileProgress0(boolean on);

  private static native void take0(int queue, long[] what, Object[] texts);
}
