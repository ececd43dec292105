// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs in Java that docs/coming-from.md shows beside PyTorch's and MXNet's. */
@Tag("device")
class ComingFromTest {
  private static final float[][] BATCHES = {{1, -1, 0.5f, 0, 2, 1}, {0.25f, 1, 1, -2, 0, 0.5f}, {3, 1, -1, 0, 0, 1}};

  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
  }

  private final class Network {
    final Tensor x;
    final Tensor labels;
    final Tensor w;
    final Optimizer optimizer;
    final LossScaler scaler;
    final List<Comm> ranks;

    Network(Device device) {
      x = engine.zeros(device, 2, 3);
      labels = engine.tensor(device, new long[] {0, 2});
      w = engine.arange(device, DType.F32, 12).reshape(3, 4).mul(0.125).copy();
      optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(0.01), w);
      scaler = LossScaler.create(engine, device, new LossScalerOptions());
      ranks = Comm.createAll(engine, device);
    }

    Tensor train() {
      Tape tape = engine.tape(w);
      Tensor loss = Operators.crossEntropy(x.matmul(w), labels).mean();
      optimizer.step(tape.gradients(loss, w));
      return loss;
    }

    Tensor trainOnRanks() {
      Tape tape = engine.tape(w);
      Tensor loss = Operators.crossEntropy(x.matmul(w), labels).mean();
      Tensor gradient = tape.gradients(loss, w).get(0);
      ranks.get(0).allReduce(gradient, ReduceOp.MEAN, gradient);
      optimizer.step(List.of(gradient));
      return loss;
    }

    Tensor trainInHalf() {
      Tape tape = engine.tape(w);
      Tensor loss;
      try (Autocast half = engine.autocast(DType.F16)) {
        loss = Operators.crossEntropy(x.matmul(w), labels).mean();
      }
      scaler.step(optimizer, tape.gradients(scaler.scale(loss), w));
      scaler.update();
      return loss;
    }
  }

  private float[] lossesOfLaunches(Network net, Function<Network, Tensor> step) {
    Recorded<Tensor> graph = engine.record(() -> step.apply(net));
    float[] losses = new float[BATCHES.length];
    for (int i = 0; i < BATCHES.length; ++i) {
      net.x.write(BATCHES[i]);
      graph.launch();
      losses[i] = graph.value().toFloatArray()[0];
    }
    return losses;
  }

  /** Trains eagerly and from a graph; both end with the same weights. */
  private void compare(Device device, Function<Network, Tensor> step) {
    Network eager = new Network(device);
    float[] losses = new float[BATCHES.length];
    for (int i = 0; i < BATCHES.length; ++i) {
      eager.x.write(BATCHES[i]);
      losses[i] = step.apply(eager).toFloatArray()[0];
    }
    Network net = new Network(device);
    assertArrayEquals(losses, lossesOfLaunches(net, step));
    assertArrayEquals(eager.w.toFloatArray(), net.w.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void wholeSteps(Device device) {
    compare(device, Network::train);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void mixedPrecisionInside(Device device) {
    compare(device, Network::trainInHalf);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void collectivesInside(Device device) {
    compare(device, Network::trainOnRanks);
  }

  private Tensor gradientOfParts(Tensor x, Tensor w) {
    GraphFunction part = engine.graphFunction(1, in -> List.of(in.get(0).matmul(w).tanh()));
    Tape tape = engine.tape(w);
    Tensor y = part.call(x).get(0);
    return tape.gradients(y.sum(), w).get(0);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void graphedParts(Device device) {
    Tensor x = engine.tensor(device, new float[] {1, 2, -1, 0.5f}, 2, 2);
    Tensor w = engine.tensor(device, new float[] {0.5f, 0.25f, -0.5f, 1}, 2, 2);
    Tape tape = engine.tape(w);
    Tensor eager = tape.gradients(x.matmul(w).tanh().sum(), w).get(0);
    assertArrayEquals(eager.toFloatArray(), gradientOfParts(x, w).toFloatArray());
  }

  private Graph forBatchesOf(long batch, Network net) {
    RecordOptions options = new RecordOptions().arena("batches").flags(RecordFlags.CALLABLE);
    return engine.record(options, recording -> {
      Tensor x = recording.input(net.w.device(), DType.F32, batch, 3);
      recording.output(x.matmul(net.w).softmax(-1));
    });
  }

  private List<Tensor> sharedMemory(Network net, List<Tensor> batches) {
    List<Graph> graphs = List.of(forBatchesOf(32, net), forBatchesOf(16, net), forBatchesOf(8, net)); // the largest first
    List<Tensor> results = new ArrayList<>();
    for (int i = 0; i < graphs.size(); ++i) {
      results.add(graphs.get(i).call(batches.get(i)).get(0)); // the caller's; no later call overwrites it
    }
    return results;
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void graphsShareMemory(Device device) {
    Network net = new Network(device);
    List<Tensor> batches = List.of(engine.ones(device, 32, 3), engine.ones(device, 16, 3), engine.ones(device, 8, 3));
    List<Tensor> results = sharedMemory(net, batches);
    for (int i = 0; i < batches.size(); ++i) {
      assertArrayEquals(batches.get(i).matmul(net.w).softmax(-1).toFloatArray(), results.get(i).toFloatArray());
    }
  }

  private int engineCalls(Tensor x) {
    AtomicInteger counted = new AtomicInteger();
    Variable written = engine.variable();
    for (int i = 0; i < 10; ++i) {
      engine.submit(context -> counted.incrementAndGet(), List.of(x), List.of(written));
    }
    written.await();
    return counted.get();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void tasksOfOnesOwn(Device device) {
    assertEquals(10, engineCalls(engine.ones(device, 4)));
  }
}
