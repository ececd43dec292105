// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing stays behind, whether it is closed or left to the garbage collector. */
class LeakTest {
  private static final int CYCLES = 100_000;
  private static final long ALLOWED = 24 << 20; // bytes the process may grow by; one page a cycle would be 400 MB

  private static long resident() throws Exception {
    System.gc();
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  private interface Cycle {
    void run(int i) throws Exception;
  }

  private static void assertFlat(int cycles, Cycle cycle) throws Exception {
    for (int i = 0; i < cycles / 5; ++i) {
      cycle.run(i);
    }
    final long before = resident();
    for (int i = 0; i < cycles; ++i) {
      cycle.run(i);
    }
    final long grown = resident() - before;
    assertTrue(grown < ALLOWED, grown + " bytes more after " + cycles + " cycles");
  }

  @Test
  void closedTensorsAndOperators() throws Exception {
    try (Engine engine = Engine.create(); Tensor a = engine.full(Device.CPU, DType.F32, 1, 256)) {
      a.await();
      final long inUse = engine.memory(Device.CPU).inUse();
      final float[] data = new float[256];
      assertFlat(CYCLES, i -> {
        try (Tensor b = engine.tensor(Device.CPU, data); Tensor c = a.add(b); Tensor view = c.reshape(16, 16)) {
          if (i % 100 == 0) {
            view.read(HostMemory.of(data));
          }
        }
      });
      engine.awaitAll();
      assertEquals(inUse, engine.memory(Device.CPU).inUse());
    }
  }

  @Test
  void scopesOfThem() throws Exception {
    try (Engine engine = Engine.create(); Tensor a = engine.full(Device.CPU, DType.F32, 1, 256)) {
      assertFlat(CYCLES / 5, i -> {
        try (Scope scope = Scope.open()) {
          a.add(1).mul(2).reshape(16, 16).sum(0);
        }
      });
    }
  }

  @Test
  void tapesAndGradientsOfTheUser() throws Exception {
    try (Engine engine = Engine.create(); Tensor a = engine.full(Device.CPU, DType.F32, 1, 256)) {
      a.await();
      final long inUse = engine.memory(Device.CPU).inUse();
      assertFlat(CYCLES / 20, i -> {
        try (Scope scope = Scope.open()) {
          final Tape tape = engine.tape(a);
          final Tensor b = a.square();
          Tape.customGradient("custom", List.of(a), List.of(b), dy -> List.of(i % 2 == 0 ? dy.get(0) : dy.get(0).mul(a)));
          if (i % 10 != 0) {
            tape.gradient(b.sum(), a);
          }
        }
      });
      engine.awaitAll();
      assertEquals(inUse, engine.memory(Device.CPU).inUse());
    }
  }

  @Test
  void communicatorsAndWhatIsMadeWithThem() throws Exception {
    try (Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC)); Tensor a = engine.full(Device.CPU, DType.F32, 1, 256)) {
      assertFlat(500, i -> {
        try (Scope scope = Scope.open()) {
          final List<Comm> ends = Comm.createAll(engine, Device.CPU, Device.CPU);
          for (final Comm end : ends) {
            end.allReduce(a, ReduceOp.SUM);
            Buckets.create(end, a).gradient(0);
            Optimizer.create(new OptimizerOptions(), a).states();
            LossScaler.create(engine, Device.CPU, new LossScalerOptions()).states();
          }
          Comm.split(ends, new int[] {0, -1}, null);
          Comm.create(engine, Device.CPU, 0, 1, step -> { }, new CommOptions());
          try {
            Comm.create(engine, Device.CPU, 0, 2, step -> {
              throw new IllegalStateException("cycle " + i);
            }, new CommOptions());
          } catch (UserException e) {
            assertTrue(e.getMessage().contains("cycle " + i));
          }
        }
        engine.awaitAll();
      });
    }
  }

  @Test
  void tasksAndFutures() throws Exception {
    try (Engine engine = Engine.create(); Variable variable = engine.variable()) {
      assertFlat(CYCLES, i -> {
        engine.submit(context -> {}, List.of(), List.of(variable));
        if (i % 10 == 0) {
          variable.awaitAsync().join();
        }
      });
    }
  }

  @Test
  void failedTasksAndCalls() throws Exception {
    try (Engine engine = Engine.create(); Variable variable = engine.variable(); Tensor x = engine.full(Device.CPU, DType.F32, 1, 4)) {
      assertFlat(CYCLES / 10, i -> {
        engine.submit(context -> {
          throw new IllegalStateException("failure " + i);
        }, List.of(), List.of(variable));
        try {
          variable.await();
        } catch (UserException e) {
          assertEquals("failure " + i, e.getCause().getMessage());
        }
        try {
          x.reshape(3);
        } catch (InvalidArgumentException e) {
          assertEquals(Status.INVALID_ARGUMENT, e.status());
        }
      });
    }
  }

  @Test
  void graphsAndEngines() throws Exception {
    assertFlat(400, i -> {
      try (Engine engine = Engine.create(); Tensor x = engine.full(Device.CPU, DType.F32, 1, 64)) {
        for (int j = 0; j < 10; ++j) {
          try (Graph graph = engine.record(recording -> engine.submit(context -> {}, List.of(x), List.of(x.exp())))) {
            graph.launch();
          }
        }
      }
    });
  }

  @Test
  void whatIsNotClosedIsFreedAndCounted() throws Exception {
    try (Engine engine = Engine.create(); Tensor a = engine.full(Device.CPU, DType.F32, 1, 256)) {
      a.await();
      final long inUse = engine.memory(Device.CPU).inUse();
      final long leaks = leaksOfOtherTests();
      assertFlat(CYCLES, i -> {
        a.add(1);
        if (i % 5000 == 0) {
          awaitFreed(engine, inUse); // the collector does not see the tensors' memory, and this heap alone would not fill
        }
      });
      awaitFreed(engine, inUse);
      assertEquals(inUse, engine.memory(Device.CPU).inUse());
      assertEquals(CYCLES + CYCLES / 5, Rondo.leaks() - leaks);
    }
  }

  // What other tests of this process did not close is counted when the collector finds it: that is over here.
  private static long leaksOfOtherTests() throws Exception {
    long leaks = Rondo.leaks();
    for (int quiet = 0; quiet < 5; ++quiet) {
      System.gc();
      Thread.sleep(20);
      if (Rondo.leaks() != leaks) {
        leaks = Rondo.leaks();
        quiet = 0;
      }
    }
    return leaks;
  }

  private static void awaitFreed(Engine engine, long inUse) throws Exception {
    for (int i = 0; i < 3000; ++i) {
      System.gc();
      engine.awaitAll();
      if (engine.memory(Device.CPU).inUse() == inUse) {
        return;
      }
      Thread.sleep(10);
    }
  }

  @Test
  void aTasksObjectsAreReleased() throws Exception {
    try (Engine engine = Engine.create(); Variable variable = engine.variable()) {
      final WeakReference<Object> held = submit(engine, variable);
      variable.await();
      for (int i = 0; i < 3000 && held.get() != null; ++i) {
        System.gc();
        Thread.sleep(10);
      }
      assertEquals(null, held.get(), "the task's lambda is still referenced");
    }
  }

  private static WeakReference<Object> submit(Engine engine, Variable variable) {
    final Object object = new Object();
    engine.submit(context -> object.hashCode(), List.of(), List.of(variable));
    return new WeakReference<>(object);
  }
}
