// A network that decides by its data which layer comes next, with layers that are graphs: callables under a tape. It is
// trained twice, with layers called eagerly and as callables, and leaves the same bits.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

public final class CallableLayers {
  private static final int WIDTH = 16;
  private static final int STEPS = 20;
  private static final int LAYERS = 3;

  /** tanh(x w + b); as a callable its function is called once for each size of batch. */
  private static final class Layer {
    final Tensor w;
    final Tensor b;
    final Callable graphs;
    final AtomicInteger runs = new AtomicInteger();

    Layer(Engine engine, Device device) {
      w = engine.normal(device, 0, 0.25, WIDTH, WIDTH);
      b = engine.normal(device, 0, 0.25, WIDTH);
      graphs = engine.callable(1, in -> List.of(run(in.get(0))));
    }

    Tensor run(Tensor x) {
      runs.incrementAndGet();
      return x.matmul(w).add(b).tanh();
    }

    Tensor through(Tensor x, boolean asGraph) {
      return asGraph ? graphs.call(x).get(0) : run(x);
    }
  }

  /** One step on a new batch; which layers it goes through is for the host to see. */
  private static void step(Engine engine, Device device, List<Layer> layers, boolean asGraphs, int batch) {
    final List<Tensor> parameters = new ArrayList<>();
    for (final Layer layer : layers) {
      parameters.addAll(List.of(layer.w, layer.b));
    }
    final Tensor[] sources = parameters.toArray(new Tensor[0]);
    try (Scope scope = Scope.open(); Tape tape = engine.tape(sources)) {
      Tensor y = layers.get(0).through(engine.normal(device, 0, 1, batch, WIDTH), asGraphs);
      for (int i = 0; i < 3; i++) {
        final boolean positive = y.sum().toFloatArray()[0] > 0;
        y = layers.get(positive ? 1 : 2).through(y, asGraphs);
      }
      final List<Tensor> gradients = tape.gradients(y.mul(y).sum(), sources);
      for (int i = 0; i < sources.length; i++) {
        sources[i].subInto(gradients.get(i).mul(0.01), sources[i]);
      }
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
      for (int i = 0; i < STEPS; i++) {
        step(engine, device, layers, asGraphs, i % 2 == 1 ? 8 : 5);
      }
      int runs = 0;
      final List<float[]> weights = new ArrayList<>();
      for (final Layer layer : layers) {
        runs += layer.runs.get();
        weights.addAll(List.of(layer.w.toFloatArray(), layer.b.toFloatArray()));
      }
      System.out.println(STEPS + " steps with layers " + (asGraphs ? "as graphs" : "called eagerly")
          + ": their functions were called " + runs + " times");
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
