// A network that decides by its data which layer comes next, with layers that are graphs: graph functions under a tape. It is
// trained twice, with layers called eagerly and as graphs: to the same bits. What a step takes is printed.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

public final class GraphFunctionLayers {
  private static final int WIDTH = 16;
  private static final int STEPS = 200;
  private static final int LAYERS = 3;

  /** x + silu(rmsNorm(x) w + b); as a graph function it is called once for each size of batch. */
  private static final class Layer {
    final Tensor w;
    final Tensor b;
    final GraphFunction graphs;
    final AtomicInteger runs = new AtomicInteger();

    Layer(Engine engine, Device device) {
      w = engine.normal(device, 0, 0.25, WIDTH, WIDTH);
      b = engine.normal(device, 0, 0.25, WIDTH);
      graphs = engine.graphFunction(1, in -> List.of(run(in.get(0))));
    }

    Tensor run(Tensor x) {
      runs.incrementAndGet();
      return x.add(Operators.rmsNorm(x, -1, null, 1e-5).matmul(w).add(b).silu());
    }

    Tensor through(Tensor x, boolean asGraph) {
      return asGraph ? graphs.call(x).get(0) : run(x);
    }
  }

  /** The loss of a step: sin(x) is to come of a new batch x. Which layers it goes through is for the host to see. */
  private static float step(Engine engine, Device device, List<Layer> layers, boolean asGraphs, int batch) {
    final List<Tensor> parameters = new ArrayList<>();
    for (final Layer layer : layers) {
      parameters.addAll(List.of(layer.w, layer.b));
    }
    final Tensor[] sources = parameters.toArray(new Tensor[0]);
    try (Scope scope = Scope.open(); Tape tape = engine.tape(sources)) {
      final Tensor x = engine.normal(device, 0, 1, batch, WIDTH);
      Tensor y = layers.get(0).through(x, asGraphs);
      for (int i = 0; i < 3; i++) {
        final boolean positive = y.sum().toFloatArray()[0] > 0;
        y = layers.get(positive ? 1 : 2).through(y, asGraphs);
      }
      final Tensor loss = y.squaredDifference(x.sin()).mean();
      final List<Tensor> gradients = tape.gradients(loss, sources);
      for (int i = 0; i < sources.length; i++) {
        sources[i].subInto(gradients.get(i).mul(0.3), sources[i]);
      }
      return loss.getFloat();
    }
  }

  /** Trains; gives all weights. */
  private static List<float[]> train(Engine engine, Device device, boolean asGraphs) {
    engine.seed(7);
    try (Scope scope = Scope.open()) {
      final List<Layer> layers = new ArrayList<>();
      for (int i = 0; i < LAYERS; i++) {
        layers.add(new Layer(engine, device));
      }
      final double[] loss = new double[2];
      long begin = 0;
      for (int i = 0; i < STEPS; i++) {
        loss[2 * i / STEPS] += step(engine, device, layers, asGraphs, i % 2 == 1 ? 8 : 5) * 2 / STEPS;
        if (i == STEPS / 2 - 1) {
          begin = System.nanoTime(); // all is recorded and compiled
        }
      }
      final double spent = (System.nanoTime() - begin) / 1e3 * 2 / STEPS;
      int runs = 0;
      final List<float[]> weights = new ArrayList<>();
      for (final Layer layer : layers) {
        runs += layer.runs.get();
        weights.addAll(List.of(layer.w.toFloatArray(), layer.b.toFloatArray()));
      }
      System.out.printf(Locale.ROOT,
          "layers %s: loss %.3f, then %.3f; %.0f us a step; their functions were called %d times%n",
          asGraphs ? "as graphs" : "called eagerly", loss[0], loss[1], spent, runs);
      return weights;
    }
  }

  public static void main(String[] arguments) {
    final Device device = arguments.length > 0 && arguments[0].startsWith("cuda") ? Device.cuda(0) : Device.CPU;
    try (Engine engine = Engine.create()) {
      final List<float[]> eager = train(engine, device, false);
      final List<float[]> graphs = train(engine, device, true);
      for (int i = 0; i < eager.size(); i++) {
        if (!Arrays.equals(eager.get(i), graphs.get(i))) {
          System.err.println("the weights differ");
          System.exit(1);
        }
      }
      System.out.println("the weights are equal, bit for bit");
    }
  }
}
