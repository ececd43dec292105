// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects as text: true shapes, values as NumPy writes them, and never an exception. */
@Tag("device")
class ShownTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));

  @AfterEach
  void close() {
    scope.close();
  }

  private static void shows(Tensor tensor, String facts, String values) {
    assertEquals("Tensor[" + facts + " on " + tensor.device() + "\n" + values + "]", tensor.toString());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void valuesAreInBrackets(Device device) {
    shows(engine.tensor(device, new float[] {1, -2.5f, 1e10f}), "F32 [3]", "[   1.0,   -2.5, 1.0E10]");
    shows(engine.tensor(device, new int[][] {{1, 2}, {3, 40}}), "I32 [2, 2]", "[[ 1,  2],\n [ 3, 40]]");
    shows(engine.arange(device, DType.I64, 8).reshape(2, 2, 2), "I64 [2, 2, 2]", "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
    shows(engine.full(device, DType.F64, 0.5), "F64 []", "0.5");
    shows(engine.empty(device, DType.F32, 0, 5), "F32 [0, 5]", "[]");
    shows(engine.tensor(device, new boolean[] {true, false}), "BOOL [2]", "[ true, false]");
    shows(engine.full(device, DType.F16, 1.5, 2), "F16 [2]", "[1.5, 1.5]");
    shows(engine.full(device, DType.U8, 200, 2), "U8 [2]", "[200, 200]");
    shows(engine.tensor(device, DType.U64, HostMemory.of(new long[] {-1}), 1), "U64 [1]", "[18446744073709551615]");
    shows(engine.arange(device, DType.I32, 6).reshape(2, 3).transpose(), "I32 [3, 2]", "[[0, 3],\n [1, 4],\n [2, 5]]");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void ofLargeOnesTheEdges(Device device) {
    shows(engine.arange(device, DType.I32, 2000), "I32 [2000]", "[   0,    1,    2, ..., 1997, 1998, 1999]");
    shows(engine.arange(device, DType.I32, 2000).reshape(4, 500), "I32 [4, 500]", "[[   0,    1,    2, ...,  497,  498,  499],\n"
        + " [ 500,  501,  502, ...,  997,  998,  999],\n [1000, 1001, 1002, ..., 1497, 1498, 1499],\n"
        + " [1500, 1501, 1502, ..., 1997, 1998, 1999]]");
    final String cut = engine.zeros(device, 100, 100).toString();
    assertEquals(7, cut.lines().filter(line -> line.contains("...")).count(), cut);
    shows(engine.arange(device, DType.I32, 1000).reshape(1000, 1).get(":3"), "I32 [3, 1]", "[[0],\n [1],\n [2]]");
  }

  @Test
  void whatCannotBeHadIsSaid() throws Exception {
    final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2});
    final CountDownLatch go = new CountDownLatch(1);
    engine.submit(context -> go.await(), List.of(), List.of(x));
    assertEquals("Tensor[F32 [2] on cpu:0, not computed yet]", x.toString());
    go.countDown();
    engine.record(() -> {
      assertEquals("Tensor[F32 [2] on cpu:0]", x.toString(), "a recording cannot wait");
    }).close();
    final String[] seen = new String[1];
    try (Variable variable = engine.variable()) {
      engine.submit(context -> seen[0] = x.toString(), List.of(x), List.of(variable));
      variable.await();
      assertTrue(variable.toString().matches("Variable\\[version=\\d+\\]"), variable.toString());
    }
    assertEquals("Tensor[F32 [2] on cpu:0]", seen[0], "a task cannot wait");
    engine.submit(context -> {
      throw new IllegalStateException("gone\nfor ever");
    }, List.of(), List.of(x), new TaskOptions().name("load"));
    // A text does not wait for long, and the task's thread may come late.
    for (int turn = 0; turn < 3000 && x.toString().contains("not computed yet"); turn++) {
      Thread.sleep(10);
    }
    assertTrue(x.toString().startsWith("Tensor[F32 [2] on cpu:0, Tensor.await: task 'load'") && !x.toString().contains("\n"), x.toString());
    assertEquals("Engine[ASYNC]", engine.toString());
    assertEquals("[2]", java.util.Arrays.toString(x.info().shape()));
    assertTrue(x.info().toString().contains("shape=[2], strides=[1]"), x.info().toString());
    engine.close();
    assertTrue(x.toString().contains("engine of this tensor is closed"), x.toString());
    assertEquals("Engine[closed]", engine.toString());
  }

  /** What is shown is no part of what a tape notes. */
  @Test
  void aTapeDoesNotNoteIt() {
    final Tensor x = engine.arange(Device.CPU, DType.F32, 2000);
    try (Tape tape = engine.tape(x)) {
      final long before = tape.info().nodes();
      assertTrue(x.toString().contains("..."));
      assertEquals(before, tape.info().nodes());
    }
  }
}
