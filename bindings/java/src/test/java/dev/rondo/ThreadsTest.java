// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many threads on one engine: operators, recordings, graphs, tasks and futures at once. */
@Tag("device")
class ThreadsTest {
  private static final int THREADS = 32;

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void thirtyTwoThreadsShareAnEngine(Device device) throws Exception {
    try (Engine engine = Engine.create(); Tensor shared = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2)) {
      final AtomicInteger ran = new AtomicInteger();
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      final CyclicBarrier together = new CyclicBarrier(THREADS);
      final List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; ++t) {
        final int number = t;
        threads.add(new Thread(() -> {
          try {
            together.await();
            work(engine, device, shared, number, ran);
          } catch (Throwable e) {
            failure.set(e);
          }
        }));
        threads.get(t).start();
      }
      for (final Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get(), () -> String.valueOf(failure.get()));
      engine.awaitAll();
      assertEquals(THREADS * 5, ran.get());
    }
  }

  private static void work(Engine engine, Device device, Tensor shared, int number, AtomicInteger ran) {
    try (Scope scope = Scope.open(); Variable variable = engine.variable()) {
      final Tensor x = engine.full(device, DType.F32, number, 2, 2);
      final Tensor[] y = new Tensor[1];
      final Graph graph = engine.record(recording -> y[0] = recording.keep(x.add(shared).mul(2)));
      for (int i = 0; i < 5; ++i) {
        x.fill(number + i);
        graph.launch();
        engine.submit(context -> ran.incrementAndGet(), List.of(), List.of(variable));
        final float base = 2 * (number + i);
        y[0].awaitAsync().join();
        assertArrayEquals(new float[] {base + 2, base + 4, base + 6, base + 8}, y[0].toFloatArray());
        assertEquals(10, shared.sum().item());
      }
      variable.await();
    }
  }
}
