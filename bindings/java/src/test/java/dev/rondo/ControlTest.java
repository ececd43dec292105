// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Control flow as lambdas, called at once and recorded. */
@Tag("device")
class ControlTest {
  private Engine engine = Engine.create();

  @AfterEach
  void close() {
    engine.close();
  }

  /** Halves what is large, counts how often, and adds what the number of turns chooses. */
  private static void program(Tensor x, Tensor turns) {
    final Tensor going = x.max().gt(10);
    Control.whileTrue(going, () -> {
      x.mulInto(0.5, x);
      turns.addInto(1, turns);
      x.max().gtInto(10, going);
    });
    Control.switchTo(turns, () -> x.addInto(100, x), () -> x.addInto(200, x));
    Control.ifElse(x.sum().gt(0), () -> x.addInto(1, x), () -> x.subInto(1, x));
    Control.ifTrue(x.sum().gt(1000), () -> x.fill(0));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void launchesDecideAsEagerCallsDo(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {0, 0}, 2);
      final Tensor turns = engine.full(device, DType.I64, 0, 1);
      final Graph graph = engine.record(() -> program(x, turns));
      for (final float start : new float[] {8, 16, 64, -500}) {
        x.write(start, 1);
        turns.fill(0);
        program(x, turns);
        final float[] eager = x.toFloatArray();
        final long[] counted = turns.toLongArray();
        x.write(start, 1);
        turns.fill(0);
        graph.launch();
        assertArrayEquals(eager, x.toFloatArray());
        assertArrayEquals(counted, turns.toLongArray());
        assertEquals(start == 16 ? 1 : start == 64 ? 3 : 0, counted[0]);
      }
    }
  }

  @Test
  void exceptionsOfBodiesComeThrough() {
    try (Scope scope = Scope.open()) {
      final Tensor yes = engine.full(Device.CPU, DType.BOOL, 1);
      final Tensor x = engine.full(Device.CPU, DType.F32, 0, 2);
      final RuntimeException failure = new IllegalStateException("no");
      final Runnable work = () -> {
        assertSame(failure, assertThrows(IllegalStateException.class, () -> Control.ifTrue(yes, () -> {
          x.addInto(100, x);
          throw failure;
        })));
        Control.whileTrue(yes, 3, () -> x.addInto(1, x));
      };
      engine.record(work).launch();
      assertArrayEquals(new float[] {3, 3}, x.toFloatArray());
    }
  }

  @Test
  void whatABodyMakesIsClosedAtItsEnd() {
    try (Scope scope = Scope.open()) {
      final Tensor yes = engine.full(Device.CPU, DType.BOOL, 1);
      final Tensor[] made = new Tensor[1];
      Control.ifTrue(yes, () -> made[0] = yes.cast(DType.F32));
      assertTrue(made[0].isClosed());
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    try (Scope scope = Scope.open()) {
      final Tensor many = engine.full(Device.CPU, DType.BOOL, 1, 2);
      final Exception refused = assertThrows(InvalidArgumentException.class, () -> Control.ifTrue(many, () -> { }));
      assertTrue(refused.getMessage().startsWith("Control.ifElse: condition"), refused.getMessage());
      final Tensor number = engine.full(Device.CPU, DType.F32, 0, 1);
      assertThrows(InvalidArgumentException.class, () -> Control.switchTo(number, () -> { }));
      assertThrows(NullPointerException.class, () -> Control.ifTrue(many, null));
    }
  }
}
