// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.BinaryOp;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.ModelFile;
import dev.rondo.Operators;
import dev.rondo.Optimizer;
import dev.rondo.OptimizerKind;
import dev.rondo.OptimizerOptions;
import dev.rondo.RateSchedule;
import dev.rondo.RecordOptions;
import dev.rondo.ReduceOp;
import dev.rondo.Scope;
import dev.rondo.Tape;
import dev.rondo.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Trains the network for sketches on {@link Handwriting}: each step draws its pictures, so that none is seen twice. */
final class Training {
  /** Steps of the file that is shipped. */
  static final int STEPS = 12_000;

  private static final int BATCH = 128;
  private static final int HELD_OUT = 100; // batches
  private static final double CARELESS = 1.4; // times as much as the hand that it was trained on
  private static final double RATE = 2e-3; // from there along half a cosine to 0
  private static final double DECAY = 0.02;
  private static final long SEED = 1;

  private Training() {}

  /**
   * Trains from the seed and writes the file.
   *
   * @param file where to
   * @param device where it runs
   * @param steps of {@link #BATCH} pictures
   */
  @SuppressWarnings("try") // scopes close what is made in them
  static void run(Path file, Device device, int steps) {
    final Handwriting handwriting = new Handwriting(SEED, 1);
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      engine.seed(SEED);
      final Map<String, Tensor> named = new LinkedHashMap<>();
      Sketches.shapes().forEach((name, shape) -> named.put(name, initial(engine, device, shape)));
      final List<Tensor> weights = new ArrayList<>(named.values());
      final Tensor[] sources = weights.toArray(new Tensor[0]);
      final Optimizer optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(RATE).weightDecay(DECAY)
          .schedule(RateSchedule.COSINE).decaySteps(steps).warmupSteps(Math.min(steps / 10, 200)), sources);
      final Tensor pictures = engine.zeros(device, BATCH, Sketches.PIXELS);
      final Tensor labels = engine.full(device, DType.I32, 0, BATCH);
      final Tensor sum = engine.full(device, DType.F32, 0);
      final Tensor total = sum.accumulator();
      final Graph graph = engine.record(new RecordOptions().name("step"), recording -> {
        try (Scope inner = Scope.open()) {
          final Tape tape = engine.tape(sources);
          Operators.reduce(ReduceOp.MEAN, Operators.crossEntropy(Sketches.logits(weights, pictures), labels), null, false, total);
          optimizer.step(tape.gradients(sum, sources));
        }
      });
      final int[] drawn = new int[BATCH];
      final long begin = System.nanoTime();
      for (int step = 1; step <= steps; ++step) {
        draw(handwriting, pictures, drawn);
        labels.write(drawn);
        graph.launch();
        if (step % 500 == 0) {
          System.out.printf(Locale.ROOT, "step %d   loss %.4f   %.0f s%n", step, sum.item() / 500, (System.nanoTime() - begin) * 1e-9);
          sum.fill(0);
        }
      }
      final Confidence confidence = confidence(weights, pictures);
      System.out.println(confidence);
      for (final String each : List.of("classes.weight", "classes.bias")) {
        Operators.binaryScalar(BinaryOp.MUL, named.get(each), 1 / confidence.temperature(), named.get(each));
      }
      ModelFile.write(file, named, Map.of("sure", String.format(Locale.ROOT, "%.3f", confidence.sure())));
    }
  }

  /** The next pictures, and what they are. */
  private static void draw(Handwriting handwriting, Tensor pictures, int[] labels) {
    final float[] pixels = new float[BATCH * Sketches.PIXELS];
    for (int i = 0; i < BATCH; ++i) {
      final Handwriting.Example example = handwriting.next();
      System.arraycopy(example.picture(), 0, pixels, i * Sketches.PIXELS, Sketches.PIXELS);
      labels[i] = example.label();
    }
    pictures.write(pixels);
  }

  /** Measured on drawings by a more careless hand than the ones that it was trained on. */
  @SuppressWarnings("try")
  private static Confidence confidence(List<Tensor> weights, Tensor pictures) {
    final Handwriting handwriting = new Handwriting(SEED + 1, CARELESS);
    final float[] logits = new float[HELD_OUT * BATCH * Sketches.CLASSES];
    final int[] labels = new int[HELD_OUT * BATCH];
    final int[] some = new int[BATCH];
    for (int i = 0; i < HELD_OUT; ++i) {
      draw(handwriting, pictures, some);
      System.arraycopy(some, 0, labels, i * BATCH, BATCH);
      try (Scope scope = Scope.open()) {
        System.arraycopy(Sketches.logits(weights, pictures).toFloatArray(), 0, logits, i * BATCH * Sketches.CLASSES, BATCH * Sketches.CLASSES);
      }
    }
    return Confidence.of(logits, labels);
  }

  /** Weights start uniform with the deviation that keeps activations of relu layers in scale, biases at zero. */
  private static Tensor initial(Engine engine, Device device, long... shape) {
    if (shape.length == 1) {
      return engine.zeros(device, shape);
    }
    final double limit = Math.sqrt(6.0 / (shape.length == 2 ? shape[0] : shape[1] * shape[2] * shape[3]));
    return engine.uniform(device, -limit, limit, shape);
  }
}
