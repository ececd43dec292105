// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operands of tasks: memory on the cpu, addresses elsewhere, in recordings too. Outputs that a recording names. */
@Tag("device")
class OperandTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
  }

  /** Doubles on the host. What is made on the way is closed at once: the tasks hold what they need. */
  private static Tensor doubled(Engine engine, Tensor x) {
    try (Tensor from = x.to(Device.CPU); Tensor to = engine.empty(Device.CPU, DType.F32, 3)) {
      engine.submit(context -> {
        final FloatBuffer in = context.input(0).buffer().asFloatBuffer();
        final FloatBuffer out = context.output(0).buffer().asFloatBuffer();
        for (int i = 0; i < 3; ++i) {
          out.put(i, 2 * in.get(i));
        }
      }, List.of(from), List.of(to), new TaskOptions().name("double"));
      return to.to(x.device());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void areThereWhenTheTensorsAreClosedEagerAndRecorded(Device device, EngineMode mode) {
    try (Engine own = Engine.create(new EngineOptions().mode(mode)); Scope inner = Scope.open()) {
      final Tensor x = own.tensor(device, new float[] {1, 2, 3});
      assertArrayEquals(new float[] {3, 5, 7}, doubled(own, x).add(1).toFloatArray());
      final Tensor[] y = new Tensor[1];
      assertFalse(own.isRecording());
      final Graph graph = own.record(recording -> {
        assertTrue(own.isRecording());
        y[0] = recording.keep(doubled(own, x).add(1));
      });
      for (int i = 0; i < 3; ++i) {
        graph.launch();
      }
      assertArrayEquals(new float[] {3, 5, 7}, y[0].toFloatArray());
      assertEquals(device.kind() == DeviceKind.CUDA ? 2 : 0, graph.info().captured(), graph.report());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void areAddressesOfTheDevice(Device device) {
    final Tensor x = engine.tensor(device, new float[] {1, 2, 3});
    final Tensor y = engine.tensor(device, new float[] {4, 5, 6});
    final Tensor part = y.slice(0, 1, 3, 1);
    final long base = y.data();
    final CompletableFuture<String> failure = new CompletableFuture<>();
    engine.submit(context -> {
      try {
        assertNotEquals(0, context.input(0).address());
        assertEquals(base + 4, context.output(0).address());
        assertEquals(device, context.output(0).info().device());
        assertEquals(2, context.output(0).info().elements());
        if (device.kind() == DeviceKind.CUDA) {
          fails(InvalidArgumentException.class, () -> context.input(0).buffer(), "on the cpu");
        }
        failure.complete("");
      } catch (Throwable e) {
        failure.complete(e.toString());
        throw e;
      }
    }, List.of(x), List.of(part), new TaskOptions().device(device).flags(TaskFlag.NO_CAPTURE));
    assertEquals("", failure.join());
    assertArrayEquals(new float[] {4, 5, 6}, y.toFloatArray());
  }

  @Test
  void whatIsOnlyReadIsReadOnlyAndNumbersAreChecked() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3});
    final Tensor none = engine.full(Device.CPU, DType.I64, 0, 0);
    final Tensor gaps = x.slice(0, 0, 3, 2);
    final Variable done = engine.variable();
    final CompletableFuture<Void> seen = new CompletableFuture<>();
    engine.submit(context -> {
      try {
        final ByteBuffer buffer = context.input(0).buffer();
        assertEquals(2, buffer.getFloat(4));
        assertThrows(ReadOnlyBufferException.class, () -> buffer.putFloat(0, 1));
        assertEquals(0, context.input(1).buffer().remaining());
        fails(InvalidArgumentException.class, () -> context.input(2).buffer(), "gaps");
        fails(InvalidArgumentException.class, () -> context.input(3), "reads 3");
        fails(InvalidArgumentException.class, () -> context.input(-1), "-1");
        fails(InvalidArgumentException.class, () -> context.output(1), "4 operands");
        fails(InvalidArgumentException.class, () -> context.output(-1), "-1");
        context.output(0).buffer().putFloat(0, 7);
        seen.complete(null);
      } catch (Throwable e) {
        seen.completeExceptionally(e);
      }
    }, List.of(x, none, gaps), List.of(x));
    seen.join();
    assertArrayEquals(new float[] {7, 2, 3}, x.toFloatArray());
    final CompletableFuture<Void> mixed = new CompletableFuture<>();
    engine.submit(context -> {
      try {
        fails(InvalidStateException.class, () -> context.input(0), "names a variable");
        fails(InvalidStateException.class, () -> context.output(0), "names a variable");
        mixed.complete(null);
      } catch (Throwable e) {
        mixed.completeExceptionally(e);
      }
    }, List.of(x), List.of(done));
    mixed.join();
  }

  @Test
  void whatCannotBeAnOperandIsRefused() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3});
    final Tensor never = engine.empty(Device.CPU, DType.F32, 3);
    final Task nothing = context -> {};
    fails(InvalidStateException.class, () -> engine.submit(nothing, List.of(never), List.of(x)), "Engine.submit");
    fails(InvalidArgumentException.class, () -> engine.submit(nothing, List.of(), List.of(x.accumulator())), "accumulator");
    fails(InvalidArgumentException.class, () -> engine.submit(nothing, List.of(), List.of(x.broadcast(2, 3))), "writes[0]");
    try (Engine other = Engine.create(); Tensor foreign = other.full(Device.CPU, DType.F32, 0, 1)) {
      fails(InvalidArgumentException.class, () -> engine.submit(nothing, List.of(foreign), List.of()), "another engine");
      fails(InvalidArgumentException.class, () -> engine.record(recording -> recording.keep(foreign)), "Recording.keep");
    }
    final Recording[] over = new Recording[1];
    engine.record(new RecordOptions().flags(RecordFlags.NAMED_OUTPUTS), recording -> over[0] = recording).close();
    fails(InvalidStateException.class, () -> over[0].keep(x), "Recording.keep");
    x.close();
    fails(InvalidStateException.class, () -> engine.submit(nothing, List.of(), List.of(x)), "tensor is closed");
    fails(InvalidStateException.class, () -> engine.record(recording -> recording.keep(x)), "tensor is closed");
  }

  @Test
  void whatNobodyReadsIsLeftOutUnlessAllIsWantedAsWritten() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3});
    final java.util.function.Consumer<Recording> body = recording -> {
      x.exp(); // nobody reads it
      recording.keep(x.add(1));
    };
    try (Graph graph = engine.record(body); Graph whole = engine.record(new RecordOptions().flags(RecordFlags.AS_WRITTEN), body)) {
      assertEquals(1, graph.info().tasks(), graph.report());
      assertEquals(2, whole.info().tasks(), whole.report());
    }
  }

  @Test
  void aProductTakesInWhatFollowsItWhereFewerRoundingsAreWanted() {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3, 4}, 2, 2).cast(DType.F16);
    final Tensor bias = engine.tensor(Device.CPU, new float[] {-9, 1}).cast(DType.F16);
    final java.util.function.Consumer<Recording> body = recording -> recording.keep(x.matmul(x).add(bias).relu());
    try (Graph all = engine.record(body); Graph fewer = engine.record(new RecordOptions().flags(RecordFlags.FEWER_ROUNDINGS), body)) {
      assertTrue(all.info().tasks() > 1, all.report());
      assertEquals(1, fewer.info().tasks(), fewer.report());
      assertTrue(fewer.report().contains("roundings saved: 2"), fewer.report());
    }
  }
}
