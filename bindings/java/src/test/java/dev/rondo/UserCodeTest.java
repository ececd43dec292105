// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Expressions written as text, and modules of CUDA C++. */
@Tag("device")
class UserCodeTest {
  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void computesWhatTheTextSays(Device device, EngineMode mode) {
    try (Engine engine = Engine.create(new EngineOptions().mode(mode)); Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(device, new float[] {1, 2, 3}, 3);
      final Expression text = new Expression("y = a * x + n; z = sum(y)", "scaled");
      assertEquals(List.of("a", "x", "n"), text.operands());
      assertEquals(List.of("y", "z"), text.results());
      final List<Tensor> made = text.run(Argument.of("a", 0.5), Argument.of("x", x), Argument.of("n", 4));
      assertArrayEquals(new float[] {4.5f, 5, 5.5f}, made.get(0).toFloatArray());
      assertArrayEquals(new float[] {15}, made.get(1).toFloatArray());
      final List<Tensor> again =
          text.run(Arrays.asList(x, null), Argument.of("a", 2.0), Argument.of("x", x), Argument.of("n", 0));
      assertSame(x, again.get(0));
      assertArrayEquals(new float[] {2, 4, 6}, x.toFloatArray());
      final Expression shares = new Expression("p = softmax(x * a) * 1.5");
      assertArrayEquals(new float[] {0.5f, 0.5f, 0.5f},
          shares.run(Argument.of("x", x), Argument.of("a", 0)).get(0).toFloatArray(), 1e-6f);
      final RondoException missing = assertThrows(InvalidArgumentException.class, () -> text.run(Argument.of("x", x)));
      assertTrue(missing.getMessage().contains("'a'"), missing.getMessage());
      final RondoException wrong = assertThrows(InvalidArgumentException.class, () -> new Expression("y = x +"));
      assertTrue(wrong.getMessage().contains("1:8"), wrong.getMessage());
      final Tensor y = engine.tensor(device, new float[] {8}, 1);
      final Expression halve = new Expression("p = p * r");
      halve.runEach(List.of(new Expression.Set(List.of(x), Argument.of("p", x), Argument.of("r", 0.5)),
          new Expression.Set(List.of(y), Argument.of("p", y), Argument.of("r", 0.5))));
      assertArrayEquals(new float[] {1, 2, 3}, x.toFloatArray());
      assertArrayEquals(new float[] {4}, y.toFloatArray());
      halve.runEach(List.of());
      assertThrows(InvalidArgumentException.class, () -> halve.runEach(List.of(new Expression.Set(List.of(x)),
          new Expression.Set(List.of(y), Argument.of("p", y), Argument.of("r", 0.5)))));
      assertThrows(InvalidArgumentException.class, () -> halve.runEach(List.of(
          new Expression.Set(List.of(x), Argument.of("p", x), Argument.of("r", 0.5)),
          new Expression.Set(List.of(x), Argument.of("p", x), Argument.of("r", 0.5)))));
      text.close();
      assertThrows(InvalidStateException.class, text::operands);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void textsHaveProductsWithMoreBeforeAndBehind(Device device, EngineMode mode) {
    try (Engine engine = Engine.create(new EngineOptions().mode(mode)); Scope scope = Scope.open()) {
      final Tensor a = engine.tensor(device, new float[] {1, -1, 2, 0.5f}, 2, 2);
      final Tensor b = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
      final Tensor mask = engine.tensor(device, new float[] {1, 2}, 2);
      final Tensor bias = engine.tensor(device, new float[] {-1, 1}, 2);
      final Expression text = new Expression("y = relu(matmul(relu(a) * mask, b - 1) * s + bias)");
      final Argument[] operands = {Argument.of("a", a), Argument.of("mask", mask), Argument.of("b", b),
          Argument.of("bias", bias), Argument.of("s", 2)};
      final float[] exact = {0, 3, 3, 11};
      assertArrayEquals(exact, text.run(operands).get(0).toFloatArray());
      final Tensor[] made = new Tensor[1];
      final Graph graph = engine.record(recording -> made[0] = recording.keep(text.run(operands).get(0)));
      graph.launch();
      graph.launch();
      assertArrayEquals(exact, made[0].toFloatArray());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void modulesRunOnGpus(Device device, EngineMode mode) {
    try (Engine engine = Engine.create(new EngineOptions().mode(mode)); Scope scope = Scope.open()) {
      final String text = "template <class T> __global__ void scale(const T* x, T* y, T a, int n) {\n"
          + "  if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x];\n}\n";
      final String kernels = "scale<float>(const float* x, float* y, float a, int n)";
      if (device.kind() == DeviceKind.CPU) {
        assertThrows(UnsupportedException.class, () -> new CudaModule(engine, device, text, kernels));
        return;
      }
      final CudaModule module = new CudaModule(engine, device, text, kernels, new ModuleOptions().name("scale.cu").options("-DTILE=4"));
      final Tensor x = engine.tensor(device, new float[] {1, 2, 3}, 3);
      final Tensor y = engine.full(device, DType.F32, 0, 3);
      final LaunchOptions shape = new LaunchOptions().gridX(1).gridY(1).gridZ(1).blockX(32).blockY(1).blockZ(1).sharedBytes(64)
          .priority(0).stream(-1).flags(LaunchFlags.STRIDED);
      module.launch("scale<float>", shape, Argument.of("x", x), Argument.of("y", y), Argument.of("a", 2.0), Argument.of("n", 3));
      assertArrayEquals(new float[] {2, 4, 6}, y.toFloatArray());
      assertSame(engine, module.engine());
      assertThrows(InvalidArgumentException.class, () -> module.launch("other", shape));
      assertThrows(CompileFailedException.class, () -> new CudaModule(engine, device, "wrong", kernels));
    }
  }
}
