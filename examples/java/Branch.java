// A training step with a branch in it, as one graph: which of two layers a batch goes through is known on the device
// only. The same function is called eagerly and recorded: to the same bits, and in less time.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

public final class Branch {
  private static final int BATCH = 8;
  private static final int WIDTH = 16;
  private static final int STEPS = 200;

  private final Engine engine;
  private final Device device;
  /** A batch, of which tanh(x) is to come, and how far off it was. */
  private final Tensor x;
  private final Tensor loss;
  /** Of the first layer, and of the two that follow it by turns. */
  private final List<Tensor> w = new ArrayList<>();
  /** Of the functions that issue bodies. */
  private int calls;

  private Branch(Engine engine, Device device) {
    this.engine = engine;
    this.device = device;
    x = engine.zeros(device, BATCH, WIDTH);
    loss = engine.zeros(device);
    for (int i = 0; i < 3; i++) {
      w.add(engine.zeros(device, WIDTH, WIDTH));
    }
  }

  private void begin() {
    engine.seed(7);
    calls = 0;
    try (Scope scope = Scope.open()) {
      for (final Tensor each : w) {
        each.set("...", engine.normal(device, 0, 0.25, WIDTH, WIDTH));
      }
    }
  }

  private void nextBatch() {
    try (Scope scope = Scope.open()) {
      x.set("...", engine.normal(device, 0, 1, BATCH, WIDTH));
    }
  }

  /** A body: forwards through the first layer and the one given, and back. */
  private void train(Tensor second) {
    calls++;
    final Tensor[] layers = {w.get(0), second};
    try (Scope scope = Scope.open(); Tape tape = engine.tape(layers)) {
      final Tensor mean = x.matmul(layers[0]).matmul(second).squaredDifference(x.tanh()).mean();
      final List<Tensor> gradients = tape.gradients(mean, layers);
      for (int i = 0; i < layers.length; i++) {
        layers[i].subInto(gradients.get(i).mul(0.2), layers[i]);
      }
      loss.set("...", mean); // made before the branch, so that it outlives it
    }
  }

  private void step() {
    try (Scope scope = Scope.open()) {
      Control.ifElse(x.sum().gt(0), () -> train(w.get(1)), () -> train(w.get(2)));
    }
  }

  /** Trains; gives all weights. */
  private float[][] run(String how, Runnable step) {
    begin();
    float first = 0;
    long since = 0;
    for (int i = 0; i < STEPS; i++) {
      nextBatch();
      step.run();
      if (i == 0) {
        first = loss.getFloat();
        since = System.nanoTime();
      }
    }
    final float last = loss.getFloat(); // waits
    System.out.printf(Locale.ROOT,
        "%s: loss %.3f at first, %.3f at last; %.0f us a step; functions of bodies were called %d times%n", how, first,
        last, (System.nanoTime() - since) / 1e3 / STEPS, calls);
    return w.stream().map(Tensor::toFloatArray).toArray(float[][]::new);
  }

  public static void main(String[] arguments) {
    final Device device = arguments.length > 0 && arguments[0].startsWith("cuda") ? Device.cuda(0) : Device.CPU;
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Branch network = new Branch(engine, device);
      network.begin();
      network.nextBatch();
      // Nothing runs; both bodies are kept.
      final Graph graph = engine.record(network::step);

      // Eagerly it waits for the number, and calls one of the two functions; the graph decides without this thread.
      final float[][] eager = network.run("called eagerly", network::step);
      final float[][] launched = network.run("launched", graph::launch);
      System.out.println((graph.info().conditionalNodes() > 0 ? "the CUDA graph" : "the host") + " decided");
      if (!Arrays.deepEquals(eager, launched)) {
        System.err.println("the weights differ");
        System.exit(1);
      }
      System.out.println("the weights are equal, bit for bit");
    }
  }
}
