// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Futures of waits: what completes them, on which threads, and that nothing which users do keeps others from being completed. */
@Timeout(120)
class FuturesTest {
  private static void await(CompletableFuture<?> future) throws Exception {
    future.get(60, TimeUnit.SECONDS);
  }

  /** A task that ends when the latch is open. */
  private static void hold(Engine engine, CountDownLatch latch, Tensor writes) {
    engine.submit(context -> latch.await(), List.of(), List.of(writes));
  }

  @Test
  void aWriterSubmittedLaterDelaysNoFuture() throws Exception {
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 4)) {
      t.await();
      for (int i = 0; i < 20; ++i) {
        final CountDownLatch later = new CountDownLatch(1);
        final CompletableFuture<Void> done = t.awaitAsync();
        hold(engine, later, t);
        await(done);
        assertFalse(t.awaitAsync().isDone());
        later.countDown();
        t.await();
      }
    }
  }

  @Test
  void aFailureSubmittedLaterIsNotTheFutures() throws Exception {
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 4)) {
      final CountDownLatch first = new CountDownLatch(1);
      hold(engine, first, t);
      final CompletableFuture<Void> before = t.awaitAsync();
      engine.submit(context -> {
        throw new IllegalStateException("mine");
      }, List.of(t), List.of(t));
      final CompletableFuture<Void> after = t.awaitAsync();
      first.countDown();
      await(before);
      final ExecutionException failure = assertThrows(ExecutionException.class, () -> await(after));
      assertInstanceOf(UserException.class, failure.getCause());
      assertInstanceOf(IllegalStateException.class, failure.getCause().getCause());
      assertThrows(RondoException.class, engine::awaitAll);
    }
  }

  @Test
  void aTaskThatEndsWithAFutureDoesNotBlockOthers() throws Exception {
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 4); Tensor u = engine.zeros(Device.CPU, 4)) {
      for (int i = 0; i < 200; ++i) {
        final CompletableFuture<Void> before = t.awaitAsync();
        engine.submit(Task.async(context -> u.awaitAsync()), List.of(), List.of(t));
        await(before);
        await(t.awaitAsync());
      }
    }
  }

  @Test
  void aLogHandlerThatThrowsEndsNoThread() throws Exception {
    try (Engine engine = Engine.create(); Tensor t = engine.ones(Device.CPU, 1)) {
      Rondo.setLog(LogLevel.DEBUG, (level, text) -> {
        throw new Error("the disk is full");
      });
      try {
        for (int i = 0; i < 20; ++i) {
          Engine.create().close();
          await(t.awaitAsync());
        }
      } finally {
        Rondo.setLog(LogLevel.WARNING, null);
      }
      await(t.awaitAsync());
    }
  }

  @Test
  void continuationsMayWaitAndInterrupt() throws Exception {
    try (Engine engine = Engine.create(); Tensor w = engine.zeros(Device.CPU, 1)) {
      w.await();
      for (int i = 0; i < 50; ++i) {
        final CountDownLatch latch = new CountDownLatch(1);
        try (Tensor r = engine.zeros(Device.CPU, 1)) {
          hold(engine, latch, r);
          final List<CompletableFuture<Void>> chained = new ArrayList<>();
          for (int each = 0; each < 8; ++each) {
            chained.add(r.awaitAsync().thenRun(() -> {
              w.awaitAsync().join();
              Thread.currentThread().interrupt();
            }));
          }
          latch.countDown();
          for (final CompletableFuture<Void> each : chained) {
            await(each);
          }
        }
        await(w.awaitAsync());
      }
    }
  }

  @Test
  void threadsOfFuturesInheritNothing() throws Exception {
    final InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
    final AtomicReference<Object> loader = new AtomicReference<>("none");
    final AtomicReference<Object> inherited = new AtomicReference<>("none");
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 1)) {
      final Thread first = new Thread(() -> {
        local.set("of the first caller");
        final CountDownLatch latch = new CountDownLatch(1);
        hold(engine, latch, t);
        final CompletableFuture<Void> chained = t.awaitAsync().thenRun(() -> {
          loader.set(Thread.currentThread().getContextClassLoader());
          inherited.set(local.get());
        });
        latch.countDown();
        chained.join();
      });
      first.setContextClassLoader(new java.net.URLClassLoader(new java.net.URL[0]));
      first.start();
      first.join();
    }
    assertNull(loader.get());
    assertNull(inherited.get());
  }

  @Test
  void awaitsBeyondTheTasksInFlightDoNotBlock() throws Exception {
    try (Engine engine = Engine.create(new EngineOptions().maxTasks(8)); Tensor slow = engine.zeros(Device.CPU, 1);
        Tensor other = engine.zeros(Device.CPU, 1)) {
      final CountDownLatch latch = new CountDownLatch(1);
      hold(engine, latch, slow);
      final List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 5000; ++i) {
        all.add(slow.awaitAsync());
        all.add(engine.awaitAllAsync());
      }
      other.addInto(1, other);
      other.await();
      latch.countDown();
      for (final CompletableFuture<Void> each : all) {
        await(each);
      }
    }
  }

  @Test
  void waitsForEverythingNeedNoThreadEach() throws Exception {
    try (Engine engine = Engine.create(); Tensor slow = engine.zeros(Device.CPU, 1)) {
      slow.await();
      final CountDownLatch latch = new CountDownLatch(1);
      hold(engine, latch, slow);
      final int before = Thread.activeCount();
      final List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int i = 0; i < 1000; ++i) {
        all.add(engine.awaitAllAsync());
      }
      assertTrue(Thread.activeCount() < before + 20, () -> Thread.activeCount() + " threads");
      latch.countDown();
      for (final CompletableFuture<Void> each : all) {
        await(each);
      }
    }
  }

  @Test
  void tasksRunWithTheClassLoaderOfTheirSubmitter() throws Exception {
    final AtomicReference<ClassLoader> seen = new AtomicReference<>();
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 1); java.net.URLClassLoader mine = new java.net.URLClassLoader(new java.net.URL[0])) {
      final Thread thread = Thread.currentThread();
      final ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(mine);
      try {
        engine.submit(context -> seen.set(Thread.currentThread().getContextClassLoader()), List.of(), List.of(t));
      } finally {
        thread.setContextClassLoader(before);
      }
      t.await();
      assertEquals(mine, seen.get());
    }
  }

  @Test
  void anInterruptInATaskDoesNotHitTheNext() throws Exception {
    try (Engine engine = Engine.create(new EngineOptions().workers(1))) {
      for (int i = 0; i < 8; ++i) {
        final AtomicReference<Boolean> interrupted = new AtomicReference<>();
        try (Tensor t = engine.zeros(Device.CPU, 1)) {
          engine.submit(context -> Thread.currentThread().interrupt(), List.of(), List.of(t));
          engine.submit(context -> interrupted.set(Thread.currentThread().isInterrupted()), List.of(t), List.of(t));
          t.await();
        }
        assertEquals(false, interrupted.get());
      }
    }
  }

  /** A stage that calls back twice, or calls back and throws. */
  private static final class Unruly extends CompletableFuture<Void> {
    private final boolean twice;

    Unruly(boolean twice) {
      this.twice = twice;
    }

    @Override
    public CompletableFuture<Void> whenComplete(java.util.function.BiConsumer<? super Void, ? super Throwable> action) {
      action.accept(null, null);
      if (!twice) {
        throw new IllegalStateException("after the call");
      }
      action.accept(null, null);
      return this;
    }
  }

  @Test
  void aStageThatCompletesTwiceEndsItsTaskOnce() throws Exception {
    try (Engine engine = Engine.create()) {
      for (int i = 0; i < 500; ++i) {
        final boolean twice = i % 2 == 0;
        try (Tensor t = engine.zeros(Device.CPU, 1)) {
          engine.submit(Task.async(context -> new Unruly(twice)), List.of(), List.of(t));
          try {
            t.await();
          } catch (UserException e) {
            assertFalse(twice, e::toString); // the function threw
          }
        }
      }
      try {
        engine.awaitAll();
      } catch (UserException e) {
        assertTrue(e.getMessage().contains("after the call"), e::toString);
      }
    }
  }

  /** Nothing can be asked of it. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }

    @Override
    public String toString() {
      throw new IllegalStateException("no text");
    }
  }

  @Test
  void anExceptionWithoutATextStaysTheCause() {
    try (Engine engine = Engine.create(); Tensor t = engine.zeros(Device.CPU, 1)) {
      engine.submit(context -> {
        throw new Mute();
      }, List.of(), List.of(t));
      final RondoException failure = assertThrows(RondoException.class, t::await);
      assertInstanceOf(Mute.class, failure.getCause());
      assertThrows(RondoException.class, engine::awaitAll);
    }
  }
}
