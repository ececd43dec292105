// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks that end when a future is completed. */
@Tag("device")
class AsyncTaskTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC).workers(1));

  @AfterEach
  void close() {
    scope.close();
  }

  private Tensor zeros(int elements) {
    return engine.full(Device.CPU, DType.F32, 0, elements);
  }

  @Test
  void endWithWhatTheFutureWrote() {
    final Tensor x = zeros(4);
    engine.submit(Task.async(context -> {
      final ByteBuffer to = context.output(0).buffer();
      return CompletableFuture.runAsync(() -> {
        while (to.hasRemaining()) {
          to.putFloat(3);
        }
      });
    }), List.of(), List.of(x));
    assertArrayEquals(new float[] {4, 4, 4, 4}, x.add(1).toFloatArray());
  }

  @Test
  void holdNoWorkerMeanwhile() {
    final List<CompletableFuture<Void>> open = new ArrayList<>();
    final CountDownLatch started = new CountDownLatch(10);
    for (int i = 0; i < 10; ++i) {
      final CompletableFuture<Void> future = new CompletableFuture<>();
      open.add(future);
      engine.submit(Task.async(context -> {
        started.countDown();
        return future;
      }), List.of(), List.of());
    }
    final Variable other = engine.variable();
    engine.submit(context -> { }, List.of(), List.of(other));
    other.await(); // the one worker has run all before it
    assertEquals(0, started.getCount());
    for (final CompletableFuture<Void> each : open) {
      each.complete(null);
    }
    engine.awaitAll();
  }

  @Test
  void failWithTheFuturesException() {
    final IOException gone = new IOException("disk gone");
    final Tensor x = zeros(1);
    engine.submit(Task.async(context -> CompletableFuture.supplyAsync(() -> {
      throw new java.util.concurrent.CompletionException(gone);
    })), List.of(), List.of(x), new TaskOptions().name("fetch"));
    final UserException seen = assertThrows(UserException.class, x::await);
    assertSame(gone, seen.getCause());
    assertEquals(Optional.of("fetch"), seen.operator());

    final Tensor y = zeros(1);
    engine.submit(Task.async(context -> CompletableFuture.failedFuture(
        assertThrows(InvalidArgumentException.class, () -> x.reshape(7)))), List.of(), List.of(y));
    fails(InvalidArgumentException.class, y::await, "reshape");
  }

  @Test
  void failIfTheFunctionThrowsOrReturnsNothing() {
    final Tensor x = zeros(1);
    engine.submit(Task.async(context -> {
      throw new IOException("no connection");
    }), List.of(), List.of(x));
    fails(UserException.class, x::await, "no connection");
    final Tensor y = zeros(1);
    engine.submit(Task.async(context -> null), List.of(), List.of(y));
    fails(UserException.class, y::await, "not a stage");
    assertThrows(NullPointerException.class, () -> Task.async(null));
  }

  @Test
  void mayBeCompletedBeforeTheFunctionReturns() {
    final Variable variable = engine.variable();
    for (int i = 0; i < 50; ++i) {
      engine.submit(Task.async(context -> CompletableFuture.completedFuture("done")), List.of(), List.of(variable));
    }
    variable.await();
    assertEquals(50, variable.version());
  }

  @Test
  void runAgainAtEachLaunch() {
    final Tensor x = zeros(2);
    final Graph graph = engine.record(recording -> engine.submit(Task.async(context -> {
      final ByteBuffer to = context.output(0).buffer();
      return CompletableFuture.runAsync(() -> to.putFloat(0, to.getFloat(0) + 1));
    }), List.of(x), List.of(x)));
    graph.launch();
    graph.launch();
    assertArrayEquals(new float[] {2, 0}, x.toFloatArray());
  }

  @Test
  void doNotHoldTheEngineBack() throws InterruptedException {
    final CompletableFuture<Void> never = new CompletableFuture<>();
    final CountDownLatch started = new CountDownLatch(1);
    try (Scope own = Scope.open()) {
      final Engine other = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
      other.submit(Task.async(context -> {
        started.countDown();
        return never;
      }), List.of(), List.of());
      started.await();
    }
    assertFalse(never.isDone());
    assertTrue(never.complete(null)); // which nobody needs any more
  }

  @Test
  void haveNoAuxiliaryStreamsOnTheCpu() {
    final Variable variable = engine.variable();
    engine.submit(context -> fails(InvalidArgumentException.class, () -> context.auxiliaryStream(0), "auxiliary stream 0"),
        List.of(), List.of(variable));
    variable.await();
    fails(InvalidArgumentException.class,
        () -> engine.submit(context -> { }, List.of(), List.of(), new TaskOptions().auxiliaryStreams(2)), "auxiliaryStreams");
  }
}
