// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What newcomers write first: the lines in Java of the table of docs/coming-from.md that has PyTorch's everyday ones, as they stand there. */
class EverydayTest {
  @Test
  void linesOfThePage() {
    final Device device = Device.CPU;
    final float[][] data = {{1, 2, 3}, {4, 5, 6}};
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      assertEquals(0, engine.zeros(device, 2, 3).sum().item());
      Tensor a = engine.tensor(device, data);
      assertArrayEquals(new long[] {2, 3}, a.shape());
      Tensor b = engine.ones(device, 2, 3);
      assertEquals(6, engine.arange(device, DType.I64, 4).sum().item());
      engine.seed(7);
      assertArrayEquals(new long[] {2, 3}, engine.normal(device, 0, 1, 2, 3).shape());
      assertEquals(27, a.add(b).sum().item());
      assertEquals(42, a.mul(2).sum().item());
      assertEquals(-15, a.neg().add(1).sum().item());
      a.addi(b);
      assertArrayEquals(new float[] {2, 3, 4, 5, 6, 7}, a.toFloatArray());
      assertArrayEquals(a.exp().shape(), a.tanh().shape());
      assertEquals(4.5, a.mean().item());
      assertArrayEquals(new float[] {9, 18}, a.sum(new int[] {1}, true).toFloatArray());
      assertArrayEquals(new long[] {3, 2}, a.transpose().shape());
      assertArrayEquals(new long[] {1, 6}, a.reshape(1, -1).shape());
      assertArrayEquals(new float[] {2, 3, 4}, a.get(0).toFloatArray());
      assertArrayEquals(new float[] {3, 4, 6, 7}, a.get(":, 1:3").toFloatArray());
      assertArrayEquals(new long[] {4, 3}, a.concat(b, 0).shape());
      final Tensor m = a.gt(3);
      assertArrayEquals(new float[] {1, 1, 4, 5, 6, 7}, Operators.where(m, a, b).toFloatArray());
      assertEquals(DType.F16, a.cast(DType.F16).dtype());
      assertEquals(DType.F32, a.dtype());
      if (Device.count(DeviceKind.CUDA) > 0) {
        assertEquals(DeviceKind.CUDA, a.to(Device.cuda(0)).device().kind());
      }
      final Tensor w = engine.ones(device, 3, 1);
      try (NoGradients unnoted = NoGradients.open()) {
        assertArrayEquals(new long[] {2, 1}, a.matmul(w).shape());
      }
      b = w;
      final Tape tape = engine.tape(w);
      final Tensor loss = a.matmul(b).sum();
      assertArrayEquals(new float[] {7, 9, 11}, tape.gradient(loss, w).toFloatArray());
      engine.awaitAll();
      final Tensor six = a;
      a = loss;
      assertEquals(27, a.item());
      final InvalidArgumentException many = assertThrows(InvalidArgumentException.class, six::item);
      assertEquals("Tensor.item: the tensor has 6 elements; it must have one", many.getMessage());
    }
  }

  /** A function that is made of others says its own name, not theirs. */
  @Test
  void messagesNameTheFunctionThatWasCalled() {
    final Device absent = Device.cuda(99);
    try (Engine engine = Engine.create()) {
      final Map<String, Executable> calls =
          Map.of("Engine.empty", () -> engine.empty(absent, DType.F32, 2), "Engine.zeros", () -> engine.zeros(absent, 2),
              "Engine.ones", () -> engine.ones(absent, 2), "Engine.full", () -> engine.full(Device.CPU, DType.I8, 1000, 2));
      calls.forEach((name, call) -> {
        final String said = assertThrows(RondoException.class, call).getMessage();
        assertTrue(said.startsWith(name + ": "), said);
      });
    }
  }
}
