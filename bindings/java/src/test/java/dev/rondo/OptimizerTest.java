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

/** Optimizers: a step, recorded and not, what is skipped, saving and resuming. */
@Tag("device")
class OptimizerTest {
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
  private final Scope scope = Scope.open();

  @AfterEach
  void close() {
    scope.close();
    engine.close();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void graphGoesByTheRateOfTheMoment(Device device) {
    final Tensor w = engine.full(device, DType.F32, 0, 3);
    final Tensor gradient = engine.full(device, DType.F32, 1, 3);
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions().rate(1), w);
    assertSame(engine, optimizer.engine());
    final Graph graph = engine.record(recording -> optimizer.step(List.of(gradient)));
    graph.launch();
    optimizer.setRate(4);
    graph.launch();
    assertArrayEquals(new float[] {-5, -5, -5}, w.toFloatArray());
    assertEquals(2, optimizer.states().get("optimizer.step").toLongArray()[0]);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void whatIsNotFiniteIsSkipped(Device device) {
    final Tensor w = engine.full(device, DType.F32, 1, 2);
    final Tensor gradient = engine.tensor(device, new float[] {2, Float.NaN});
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions().rate(1), w);
    optimizer.step(List.of(gradient), Operators.allFinite(gradient), null);
    assertArrayEquals(new float[] {1, 1}, w.toFloatArray());
    final Tensor good = engine.tensor(device, new float[] {2, 4});
    optimizer.step(List.of(good), Operators.allFinite(good), engine.full(device, DType.F32, 0.5));
    assertArrayEquals(new float[] {0, -1}, w.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void resumesBitForBit(Device device, @TempDir Path folder) {
    final OptimizerOptions options = new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(0.1).amsgrad(true).schedule(RateSchedule.COSINE)
        .decaySteps(9).maxNorm(1);
    final Tensor w = engine.tensor(device, new float[] {1, 2, 3});
    final Tensor gradient = engine.tensor(device, new float[] {0.5f, -3, 2});
    final Optimizer optimizer = Optimizer.create(options, w);
    for (int i = 0; i < 3; ++i) {
      optimizer.step(List.of(gradient));
    }
    final Map<String, Tensor> all = new LinkedHashMap<>(optimizer.states());
    assertEquals(List.of("optimizer.step", "optimizer.rate", "optimizer.0.exp_avg", "optimizer.0.exp_avg_sq", "optimizer.0.max_exp_avg_sq"),
        new ArrayList<>(all.keySet()));
    assertEquals(all.size(), optimizer.info().states());
    all.put("w", w);
    final Path file = folder.resolve("state");
    ModelFile.write(file, all);
    optimizer.step(List.of(gradient));
    final Tensor again = engine.full(device, DType.F32, 0, 3);
    final Optimizer resumed = Optimizer.create(options, again);
    try (ModelFile saved = ModelFile.open(file)) {
      saved.loadInto("w", again);
      resumed.load(saved);
    }
    resumed.step(List.of(gradient));
    assertArrayEquals(w.toFloatArray(), again.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void optionsOfMomentum(Device device) {
    final Tensor w = engine.full(device, DType.F32, 1, 2);
    final Tensor gradient = engine.full(device, DType.F32, 1, 2);
    // b = 1, then 0.5 * 1 + 0.25 * 1; the rate is 0.5, then 1; nothing decays.
    final Optimizer damped = Optimizer.create(new OptimizerOptions().rate(1).momentum(0.5).dampening(0.75).warmupSteps(2), w);
    damped.step(List.of(gradient));
    damped.step(List.of(gradient));
    assertArrayEquals(new float[] {-0.25f, -0.25f}, w.toFloatArray());
    // b = 1; w -= 1 + 0.5 * 1. Then the rate is a quarter, b = 0.5 + 1 and w -= (1 + 0.75) / 4.
    w.fill(2);
    final Optimizer ahead = Optimizer.create(new OptimizerOptions().rate(1).momentum(0.5).nesterov(true).schedule(RateSchedule.STEP)
        .decaySteps(1).rateDecay(0.25), w);
    ahead.step(List.of(gradient));
    assertArrayEquals(new float[] {0.5f, 0.5f}, w.toFloatArray());
    ahead.step(List.of(gradient));
    assertArrayEquals(new float[] {0.0625f, 0.0625f}, w.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void optionsOfMeans(Device device) {
    final Tensor w = engine.full(device, DType.BF16, 1, 2);
    final Tensor gradient = engine.full(device, DType.F32, 2, 2);
    // Both means are the gradient's own; w = 1 - 0.5 * 0.5 * 1, then less 0.5 * 2 / (2 + 2).
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(0.5).beta1(0).beta2(0).epsilon(2)
        .weightDecay(0.5).masterWeights(true), w);
    optimizer.step(List.of(gradient));
    assertArrayEquals(new float[] {0.5f, 0.5f}, optimizer.states().get("optimizer.0.master_weights").toFloatArray());
  }

  @Test
  void normsAreClipped() {
    final Tensor a = engine.tensor(Device.CPU, new float[] {3});
    final Tensor b = engine.tensor(Device.CPU, new float[] {0, 4});
    assertEquals(5, Operators.globalNorm(a, b).toFloatArray()[0]);
    assertEquals(5, Operators.clipGlobalNorm(new Tensor[] {a, b}, 2.5).toFloatArray()[0]);
    assertEquals(1.5f, a.toFloatArray()[0], 1e-5f);
  }

  @Test
  void mistakesAreNamed() {
    final Tensor w = engine.full(Device.CPU, DType.F32, 0, 3);
    fails(InvalidArgumentException.class, () -> Optimizer.create(new OptimizerOptions().rate(-1), w), "Optimizer.create");
    fails(InvalidArgumentException.class, () -> Optimizer.create(new OptimizerOptions(), w, w), "Optimizer.create");
    final Optimizer optimizer = Optimizer.create(new OptimizerOptions(), w);
    fails(InvalidArgumentException.class, () -> optimizer.step(List.of(w, w)), "Optimizer.step");
    fails(InvalidArgumentException.class, () -> optimizer.setRate(Double.NaN), "Optimizer.setRate");
  }
}
