// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Autocast scopes and loss scalers: dtypes, nesting, a recorded step, what is skipped, resuming. */
@Tag("device")
class MixedPrecisionTest {
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
  private final Scope scope = Scope.open();

  @AfterEach
  void close() {
    scope.close();
    engine.close();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void innermostScopeCounts(Device device) {
    final Tensor x = engine.full(device, DType.F32, 1, 2, 2);
    try (Autocast outer = engine.autocast(DType.F16)) {
      assertEquals(DType.F16, x.matmul(x).dtype());
      outer.set("exp", Precision.WIDEST);
      assertEquals(DType.F16, x.matmul(x).exp().dtype());
      try (Autocast inner = engine.autocast(DType.BF16)) {
        assertEquals(DType.BF16, x.matmul(x).dtype());
        inner.set("exp", Precision.SINGLE);
        assertEquals(DType.F32, x.matmul(x).exp().dtype());
      }
      try (Autocast none = engine.autocast(DType.F32)) {
        assertEquals(DType.F32, x.matmul(x).dtype());
      }
      assertEquals(DType.F16, x.matmul(x).dtype());
    }
    assertEquals(DType.F32, x.matmul(x).dtype());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void listsAndTextsAreOverriddenByName(Device device) {
    final Tensor x = engine.full(device, DType.F32, 1, 2);
    final Expression thrice = new Expression("y = 3 * x", "thrice");
    try (Autocast half = engine.autocast(DType.F16)) {
      assertEquals(DType.F32, thrice.run(Argument.of("x", x)).get(0).dtype());
      assertEquals(DType.F32, Operators.concat(new Tensor[] {x, x}, 0).dtype());
      half.set("thrice", Precision.HALF).set("concat", Precision.HALF);
      assertEquals(DType.F16, thrice.run(Argument.of("x", x)).get(0).dtype());
      assertEquals(DType.F16, Operators.concat(new Tensor[] {x, x}, 0).dtype());
      thrice.close();
      fails(InvalidArgumentException.class, () -> half.set("thrice", Precision.HALF), "operation is 'thrice'");
    }
  }

  @Test
  void misuseIsRefusedByName() throws Exception {
    fails(InvalidArgumentException.class, () -> engine.autocast(DType.F64), "dtype is f64");
    final Autocast open = engine.autocast(DType.F16);
    fails(InvalidArgumentException.class, () -> open.set("expo", Precision.HALF), "operation is 'expo'");
    final Thread other = new Thread(() -> fails(InvalidStateException.class, open::close, "belongs to the thread"));
    other.start();
    other.join();
    open.close();
    open.close();
    fails(InvalidStateException.class, () -> open.set("exp", Precision.HALF), "closed");
    final LossScaler scaler = LossScaler.create(engine, Device.CPU, new LossScalerOptions());
    assertSame(engine, scaler.engine());
    fails(InvalidStateException.class, scaler::update, "no step was asked for");
    fails(InvalidArgumentException.class, () -> scaler.scale(engine.full(Device.CPU, DType.F16, 1)), "loss is f16");
    fails(InvalidArgumentException.class, () -> LossScaler.create(engine, Device.CPU, new LossScalerOptions().growthInterval(0)), "growthInterval is 0");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void recordedStepSkipsAndScales(Device device) {
    final Tensor x = engine.tensor(device, new float[][] {{1, 2}});
    final Tensor w = engine.tensor(device, new float[][] {{3}, {4}});
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions().rate(0.5), w);
    final LossScaler scaler = LossScaler.create(engine, device, new LossScalerOptions().initialScale(1024).growthInterval(1));
    final Graph step = engine.record(recording -> {
      final Tape tape = engine.tape(w);
      final Tensor loss;
      try (Autocast half = engine.autocast(DType.F16)) {
        loss = x.matmul(w).sum();
      }
      scaler.step(optimizer, tape.gradients(scaler.scale(loss), w));
      scaler.update();
    });
    step.launch();
    assertArrayEquals(new float[] {2.5f, 3}, w.toFloatArray());
    final Map<String, Tensor> states = scaler.states();
    assertEquals(List.of("loss_scaler.scale", "loss_scaler.good_steps", "loss_scaler.skipped_steps"), new ArrayList<>(states.keySet()));
    assertEquals(2048, states.get("loss_scaler.scale").toFloatArray()[0]);
    x.fill(Double.POSITIVE_INFINITY);
    step.launch();
    assertArrayEquals(new float[] {2.5f, 3}, w.toFloatArray());
    assertEquals(1024, states.get("loss_scaler.scale").toFloatArray()[0]);
    assertEquals(1, states.get("loss_scaler.skipped_steps").toLongArray()[0]);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void stepsOfOthersGoByTheScaler(Device device) {
    final Tensor w = engine.full(device, DType.F32, 1, 2);
    final Tensor gradient = engine.full(device, DType.F32, Double.NaN, 2);
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions().rate(1), w);
    final LossScaler scaler = LossScaler.create(engine, device, new LossScalerOptions().initialScale(8));
    for (int i = 0; i < 2; ++i) {
      final Tensor[] by = scaler.finite(List.of(gradient, w));
      assertArrayEquals(new float[] {i == 0 ? 0.125f : 0.25f}, by[1].toFloatArray());
      optimizer.step(List.of(gradient), by[0], by[1]);
      scaler.update();
      assertArrayEquals(i == 0 ? new float[] {1, 1} : new float[] {0.5f, 0.5f}, w.toFloatArray());
      gradient.fill(2);
    }
    assertEquals(1, scaler.states().get("loss_scaler.skipped_steps").toLongArray()[0]);
    fails(InvalidArgumentException.class, () -> scaler.finite(List.of()), "LossScaler.finite");
    fails(InvalidArgumentException.class, () -> scaler.finite(List.of(engine.full(device, DType.I32, 1))), "gradients[0] is i32");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void resumes(Device device, @TempDir Path folder) {
    final Tensor w = engine.full(device, DType.F32, 1, 3);
    final Tensor gradient = engine.full(device, DType.F32, Double.NaN, 3);
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions(), w);
    final LossScaler scaler = LossScaler.create(engine, device, new LossScalerOptions().backoffFactor(0.25).growthFactor(4));
    scaler.step(optimizer, List.of(gradient));
    scaler.update();
    final Path file = folder.resolve("state");
    ModelFile.write(file, new LinkedHashMap<>(scaler.states()));
    final LossScaler again = LossScaler.create(engine, device, new LossScalerOptions());
    try (ModelFile saved = ModelFile.open(file)) {
      again.load(saved);
    }
    assertEquals(16384, again.states().get("loss_scaler.scale").toFloatArray()[0]);
    assertEquals(1, again.states().get("loss_scaler.skipped_steps").toLongArray()[0]);
  }
}
