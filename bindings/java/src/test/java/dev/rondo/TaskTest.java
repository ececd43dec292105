// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks as lambdas, what they may ask, what becomes of their exceptions; variables; futures. */
@Tag("device")
class TaskTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
  }

  @Test
  void runOnDaemonWorkersInOrder() {
    final Variable variable = engine.variable();
    final List<Integer> order = Collections.synchronizedList(new ArrayList<>());
    final AtomicReference<Thread> thread = new AtomicReference<>();
    for (int i = 0; i < 100; ++i) {
      final int number = i;
      engine.submit(context -> {
        order.add(number);
        thread.set(Thread.currentThread());
      }, List.of(), List.of(variable));
    }
    variable.await();
    assertEquals(100, order.size());
    for (int i = 0; i < 100; ++i) {
      assertEquals(i, order.get(i));
    }
    assertEquals(100, variable.version());
    assertSame(engine, variable.engine());
    assertNotEquals(Thread.currentThread(), thread.get());
    assertTrue(thread.get().isDaemon());
    assertEquals("rondo", thread.get().getName());
  }

  @Test
  void readAndWriteTensors() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3});
    final Tensor y = engine.empty(Device.CPU, DType.F32, 3);
    engine.submit(context -> {
      assertEquals(Device.CPU, context.device());
      assertEquals(0, context.stream());
      assertFalse(context.isCapturing());
      assertNotEquals(0, context.address(x));
      final ByteBuffer from = context.buffer(x);
      final ByteBuffer to = context.buffer(y);
      for (int i = 0; i < 12; i += 4) {
        to.putFloat(i, 10 * from.getFloat(i));
      }
    }, List.of(x), List.of(y), new TaskOptions().name("tenfold").priority(1));
    assertArrayEquals(new float[] {10, 20, 30}, y.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void runOnADevicesStream(Device device) {
    final Tensor x = engine.tensor(device, new float[] {1, 2, 3});
    final Tensor y = x.add(1);
    final AtomicReference<Device> seen = new AtomicReference<>();
    final AtomicReference<Boolean> stream = new AtomicReference<>();
    engine.submit(context -> {
      seen.set(context.device());
      stream.set(context.stream() != 0);
      if (device.kind() == DeviceKind.CUDA) {
        fails(InvalidArgumentException.class, () -> context.buffer(y), "cpu");
      }
    }, List.of(x), List.of(y), new TaskOptions().device(device).flags(TaskFlag.NO_CAPTURE));
    assertArrayEquals(new float[] {2, 3, 4}, y.toFloatArray());
    assertEquals(device, seen.get());
    assertEquals(device.kind() == DeviceKind.CUDA, stream.get());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void exceptionsPoisonAndAreTheCause(Device device, EngineMode mode) {
    try (Engine own = Engine.create(new EngineOptions().mode(mode)); Scope inner = Scope.open()) {
      final Tensor x = own.tensor(device, new float[] {1});
      final Tensor y = own.tensor(device, new float[] {2});
      final IllegalArgumentException thrown = new IllegalArgumentException("disk gone \u2713 " + mode + device);
      final TaskOptions options = new TaskOptions().device(device).name("load");
      final Runnable submit = () -> own.submit(context -> {
        throw thrown;
      }, List.of(x), List.of(y), options);
      if (mode == EngineMode.NAIVE) {
        assertSame(thrown, fails(UserException.class, submit::run, "disk gone \u2713").getCause());
      } else {
        submit.run();
      }
      final UserException failure = fails(UserException.class, y::await, "Tensor.await", "load", "disk gone \u2713");
      assertSame(thrown, failure.getCause());
      assertEquals(Status.USER_ERROR, failure.status());
      assertEquals(Optional.of("load"), failure.operator());
      assertEquals(Optional.of(device), failure.device());
      assertSame(thrown, fails(UserException.class, y::toFloatArray, "Tensor.read").getCause());
      final CompletionException future = fails(CompletionException.class, () -> y.awaitAsync().join());
      assertSame(thrown, future.getCause().getCause());
      final Tensor z = mode == EngineMode.NAIVE ? null : y.add(1);
      if (z != null) {
        assertSame(thrown, fails(UserException.class, z::await).getCause(), "skipped with the same cause");
      }
      fails(UserException.class, own::awaitAll, "disk gone");
      own.awaitAll();
      y.fill(3);
      assertArrayEquals(new float[] {3}, y.toFloatArray());
      assertArrayEquals(new float[] {1}, x.toFloatArray());
    }
  }

  @Test
  void aRondoExceptionKeepsItsStatus() {
    final Variable variable = engine.variable();
    engine.submit(context -> engine.empty(Device.cuda(1000), DType.F32, 1), List.of(), List.of(variable));
    final RondoException failure = fails(RondoException.class, variable::await, "Engine.empty");
    assertTrue(failure instanceof NotFoundException || failure instanceof LibraryMissingException, failure.toString());
  }

  @Test
  void errorsAndDeepRecursionDoNotEndTheProcess() {
    final Variable variable = engine.variable();
    for (final Task task : List.<Task>of(context -> {
      throw new AssertionError("no\0t");
    }, context -> recurse(0), context -> {
      throw new InterruptedException();
    })) {
      engine.submit(task, List.of(), List.of(variable));
      fails(UserException.class, variable::await);
    }
    engine.submit(context -> {}, List.of(), List.of(variable));
    variable.await();
  }

  private static int recurse(int depth) {
    return recurse(depth + 1) + depth;
  }

  @Test
  void waitingInsideIsRefusedAndClosingIsNot() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1});
    final Variable variable = engine.variable();
    final AtomicReference<TaskContext> kept = new AtomicReference<>();
    engine.submit(context -> {
      kept.set(context);
      fails(InvalidStateException.class, x::await, "Tensor.await");
      fails(InvalidStateException.class, x::toFloatArray, "Tensor.read");
      fails(InvalidStateException.class, engine::awaitAll, "Engine.awaitAll");
      fails(InvalidStateException.class, engine::close, "inside a task");
      fails(InvalidStateException.class, () -> engine.record(recording -> {}), "Engine.record");
      x.add(1).close();
      x.close();
    }, List.of(x), List.of(variable));
    variable.await();
    assertTrue(x.isClosed());
    assertFalse(engine.isClosed());
    fails(InvalidStateException.class, () -> kept.get().device(), "while the task runs");
  }

  @Test
  void aContextBelongsToItsThread() throws Exception {
    final Variable variable = engine.variable();
    engine.submit(context -> {
      final AtomicReference<Throwable> seen = new AtomicReference<>();
      final Thread other = new Thread(() -> {
        try {
          context.stream();
        } catch (RondoException e) {
          seen.set(e);
        }
      });
      other.start();
      other.join();
      assertTrue(seen.get() instanceof InvalidStateException);
    }, List.of(), List.of(variable));
    variable.await();
  }

  @Test
  void futuresCompleteWhenTheWorkIsDone() throws Exception {
    final CountDownLatch go = new CountDownLatch(1);
    final Variable variable = engine.variable();
    final Tensor x = engine.tensor(Device.CPU, new float[] {1});
    engine.submit(context -> go.await(), List.of(), List.of(variable, x));
    final var futures = List.of(variable.awaitAsync(), x.awaitAsync(), engine.awaitAllAsync());
    final BlockingQueue<String> thread = new LinkedBlockingQueue<>();
    futures.get(0).thenRun(() -> thread.add(Thread.currentThread().getName()));
    Thread.sleep(20);
    futures.forEach(future -> assertFalse(future.isDone()));
    go.countDown();
    // Nobody joins the future before: who does may run what hangs on it.
    assertTrue(thread.take().startsWith("rondo-futures-"));
    futures.forEach(future -> future.join());
    for (int i = 0; i < 1000; ++i) {
      final Tensor y = x.add(i);
      y.awaitAsync().join();
      y.close();
    }
  }

  @Test
  void aRecordedTaskRunsWithEachLaunch() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {0});
    final Graph graph = engine.record(recording -> engine.submit(context -> {
      final ByteBuffer buffer = context.buffer(x);
      buffer.putFloat(0, buffer.getFloat(0) + 1);
    }, List.of(x), List.of(x)));
    graph.launch();
    graph.launch();
    assertArrayEquals(new float[] {2}, x.toFloatArray());
  }

  @Test
  void wrongArgumentsAreRefused() {
    final Variable variable = engine.variable();
    fails(NullPointerException.class, () -> engine.submit(null, List.of(), List.of(variable)), "task");
    fails(NullPointerException.class, () -> engine.submit(context -> {}, List.of(), List.of(variable), null), "options");
    try (Engine other = Engine.create(); Variable foreign = other.variable()) {
      fails(InvalidArgumentException.class, () -> engine.submit(context -> {}, List.of(foreign), List.of()), "Engine.submit");
    }
    variable.close();
    fails(InvalidStateException.class, () -> engine.submit(context -> {}, List.of(variable), List.of()), "variable is closed");
    fails(InvalidStateException.class, variable::version, "variable is closed");
    fails(InvalidStateException.class, variable::awaitAsync, "variable is closed");
    fails(InvalidStateException.class, variable::await, "variable is closed");
    fails(InvalidArgumentException.class,
        () -> engine.submit(context -> {}, List.of(), List.of(), new TaskOptions().name("a\0b")), "character 0");
    fails(NullPointerException.class, () -> new TaskOptions().device(null), "device");
  }
}
