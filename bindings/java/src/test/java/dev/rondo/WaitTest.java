// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Waits: their limits, interrupts, virtual threads. */
class WaitTest {
  private static final Duration LONG = Duration.ofSeconds(Long.MAX_VALUE);

  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
  private final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
  private final Variable variable = engine.variable();
  private final CountDownLatch go = new CountDownLatch(1);

  @AfterEach
  void close() {
    go.countDown();
    scope.close();
  }

  private void hold() {
    engine.submit(context -> go.await(), List.of(), List.of(x, variable));
  }

  @Test
  void aLimitEndsAWaitAndNotTheTask() {
    hold();
    for (final Duration limit : List.of(Duration.ZERO, Duration.ofMillis(1), Duration.ofNanos(1), Duration.ofMillis(50), Duration.ofMillis(-1))) {
      assertFalse(x.await(limit));
      assertFalse(variable.await(limit));
      assertFalse(engine.awaitAll(limit));
    }
    fails(NullPointerException.class, () -> x.await(null), "limit");
    go.countDown();
    assertTrue(x.await(LONG) && variable.await(Duration.ofHours(1)) && engine.awaitAll(LONG));
    assertTrue(x.await(Duration.ZERO));
    assertArrayEquals(new float[] {1, 2}, x.toFloatArray());
  }

  @Test
  void aFailureIsToldWithinTheLimit() {
    final IllegalStateException thrown = new IllegalStateException("broken");
    engine.submit(context -> {
      throw thrown;
    }, List.of(), List.of(x, variable));
    assertSame(thrown, fails(UserException.class, () -> x.await(LONG), "broken").getCause());
    assertSame(thrown, fails(UserException.class, () -> variable.await(LONG), "broken").getCause());
    assertSame(thrown, fails(UserException.class, () -> engine.awaitAll(LONG), "broken").getCause());
    assertTrue(engine.awaitAll(LONG), "told once");
  }

  /** The last of seventeen failures and the first: what a task threw goes with its failure. */
  @Test
  void eachFailureHasItsOwnCause() {
    final Tensor[] failed = new Tensor[200];
    final Exception[] thrown = new Exception[failed.length];
    for (int i = 0; i < failed.length; ++i) {
      failed[i] = engine.empty(Device.CPU, DType.F32, 1);
      final Exception own = thrown[i] = new Exception("the same text");
      engine.submit(context -> {
        throw own;
      }, List.of(), List.of(failed[i]), new TaskOptions().name("task" + i));
    }
    for (int i = 0; i < failed.length; ++i) {
      final Tensor after = failed[i].add(1);
      final UserException failure = fails(UserException.class, after::await);
      assertSame(thrown[i], failure.getCause());
      assertEquals("task" + i, failure.operator().get());
      assertEquals(Device.CPU, failure.device().get());
    }
    assertFalse(fails(InvalidArgumentException.class, () -> x.reshape(3)).operator().isPresent(), "no task failed");
  }

  private interface Wait {
    void run() throws Exception;
  }

  private void assertInterrupts(Wait wait) throws Exception {
    final AtomicReference<Throwable> thrown = new AtomicReference<>();
    final AtomicReference<Boolean> status = new AtomicReference<>();
    final Thread thread = new Thread(() -> {
      try {
        wait.run();
      } catch (Throwable e) {
        thrown.set(e);
      }
      status.set(Thread.currentThread().isInterrupted());
    });
    thread.start();
    Thread.sleep(30);
    assertTrue(thread.isAlive());
    thread.interrupt();
    thread.join();
    assertTrue(thrown.get() instanceof WaitInterruptedException, String.valueOf(thrown.get()));
    assertTrue(status.get(), "the interrupt status stays");
  }

  @Test
  void anInterruptEndsAWaitAndNotTheTask() throws Exception {
    hold();
    assertInterrupts(x::await);
    assertInterrupts(() -> x.await(LONG));
    assertInterrupts(x::toFloatArray);
    assertInterrupts(variable::await);
    assertInterrupts(engine::awaitAll);
    go.countDown();
    x.await();
    Thread.currentThread().interrupt(); // what is over at once is not interrupted
    x.await();
    assertArrayEquals(new float[] {1, 2}, x.toFloatArray());
    assertTrue(Thread.interrupted());
  }

  /** Two virtual threads with one carrier: one waits for what only the other one lets go on. */
  static final class OneCarrier {
    public static void main(String[] arguments) throws Exception {
      try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
        final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
        final Variable variable = engine.variable();
        for (final Wait wait : List.<Wait>of(x::await, x::toFloatArray, variable::await, engine::awaitAll, () -> x.await(LONG),
            () -> engine.awaitAll(LONG))) {
          final CountDownLatch go = new CountDownLatch(1);
          final CountDownLatch waits = new CountDownLatch(1);
          engine.submit(context -> go.await(), List.of(), List.of(x, variable));
          final Thread first = start(() -> {
            waits.countDown();
            run(wait);
          });
          final Thread second = start(() -> {
            run(waits::await);
            go.countDown();
          });
          first.join(20_000);
          if (first.isAlive() || second.isAlive()) {
            System.out.println("the carrier is held");
            Runtime.getRuntime().halt(1);
          }
        }
        final CountDownLatch never = new CountDownLatch(1);
        engine.submit(context -> never.await(), List.of(), List.of(x));
        final String[] seen = new String[2];
        final Thread interrupted = start(() -> {
          seen[0] = String.valueOf(x.await(Duration.ofMillis(5)));
          try {
            x.await();
          } catch (WaitInterruptedException e) {
            seen[1] = "interrupted " + Thread.currentThread().isInterrupted();
          }
        });
        Thread.sleep(100);
        interrupted.interrupt();
        interrupted.join();
        never.countDown();
        failuresAndClosing(engine);
        System.out.println("all waits ended, " + seen[0] + ", " + seen[1]);
      }
    }

    /** A parked wait tells of failures as any other, and is not minded by who closes meanwhile. */
    private static void failuresAndClosing(Engine engine) throws Exception {
      final CountDownLatch go = new CountDownLatch(2);
      final Exception thrown = new Exception("broken");
      final Tensor broken = engine.zeros(Device.CPU, 1);
      final Tensor closed = engine.zeros(Device.CPU, 1);
      engine.submit(context -> {
        go.await();
        throw thrown;
      }, List.of(), List.of(broken));
      engine.submit(context -> go.await(), List.of(), List.of(closed));
      final Throwable[] seen = {null, new Throwable("none")};
      final Thread fails = start(() -> seen[0] = thrownBy(broken::await));
      final Thread waits = start(() -> seen[1] = thrownBy(closed::await));
      Thread.sleep(50);
      final Thread closer = new Thread(closed::close);
      closer.start();
      while (!closed.isClosed()) {
        Thread.sleep(1);
      }
      go.countDown();
      go.countDown();
      fails.join();
      waits.join();
      closer.join();
      if (!(seen[0] instanceof UserException) || seen[0].getCause() != thrown || seen[1] != null
          || List.of(seen[0].getStackTrace()).stream().noneMatch(frame -> frame.getMethodName().contains("failuresAndClosing"))) {
        throw new IllegalStateException(seen[1] == null ? seen[0] : seen[1]);
      }
    }

    private static Throwable thrownBy(Wait wait) {
      try {
        wait.run();
        return null;
      } catch (Throwable e) {
        return e;
      }
    }

    private static void run(Wait wait) {
      try {
        wait.run();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    private static Thread start(Runnable work) throws Exception {
      return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
    }
  }

  @Test
  void aVirtualThreadLeavesItsCarrierWhileItWaits() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from Java 21 on");
    final String out = Child.run(OneCarrier.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1",
        "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
    assertTrue(out.endsWith("all waits ended, false, interrupted true\n"), out);
  }
}
