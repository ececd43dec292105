// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callables as lambdas: recorded once per shape, trained through, refused and failing with what the lambda throws. */
@Tag("device")
class GraphFunctionTest {
  private Engine engine = Engine.create();

  @AfterEach
  void close() {
    engine.close();
  }

  private static float[] noise(int count, int seed) {
    final float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (i * 7919 + seed * 104729) % 1000 / 500f - 1;
    }
    return values;
  }

  /** Steps through layers of which the data chooses; gives the weights that they end with. */
  private List<float[]> train(Device device, boolean graphs) {
    final AtomicInteger runs = new AtomicInteger();
    final int[] ways = new int[2];
    final List<float[]> results = new ArrayList<>();
    try (Scope scope = Scope.open()) {
      final List<Tensor> parameters = new ArrayList<>();
      final List<TensorFunction> functions = new ArrayList<>();
      final List<GraphFunction> callables = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        final Tensor w = engine.tensor(device, noise(64, i), 8, 8);
        final Tensor b = engine.tensor(device, noise(8, 10 + i), 8);
        parameters.addAll(List.of(w, b));
        final TensorFunction layer = in -> List.of(in.get(0).matmul(w).add(b).tanh());
        functions.add(layer);
        callables.add(engine.graphFunction(1, in -> {
          runs.incrementAndGet();
          return layer.call(in);
        }));
      }
      for (int step = 0; step < 6; step++) {
        Tensor y = engine.tensor(device, noise(32, 100 + step), 4, 8);
        try (Tape tape = engine.tape(parameters.toArray(new Tensor[0]))) {
          for (int i = 0; i < 4; i++) {
            final int way = i == 0 ? 0 : y.sum().toFloatArray()[0] > 0 ? 1 : 2;
            if (way > 0) {
              ways[way - 1]++;
            }
            y = (graphs ? callables.get(way).call(y) : functions.get(way).call(List.of(y))).get(0);
          }
          final List<Tensor> gradients = tape.gradients(y.square().sum(), parameters.toArray(new Tensor[0]));
          for (int i = 0; i < parameters.size(); i++) {
            parameters.get(i).subInto(gradients.get(i).mul(0.01), parameters.get(i));
          }
        }
      }
      for (final Tensor each : parameters) {
        results.add(each.toFloatArray());
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    assertTrue(ways[0] > 0 && ways[1] > 0);
    assertEquals(graphs ? 3 : 0, runs.get());
    return results;
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void networksThatDecideTrainAsEagerOnes(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    final List<float[]> eager = train(device, false);
    final List<float[]> graphs = train(device, true);
    for (int i = 0; i < eager.size(); i++) {
      assertArrayEquals(eager.get(i), graphs.get(i));
    }
  }

  /** The gradient of x in the sum of f's gradients squared. */
  private float[] second(Tensor x, UnaryOperator<Tensor> f) {
    try (Tape outer = engine.tape(x); Tape inner = engine.tape(x)) {
      final Tensor dx = inner.gradient(f.apply(x).sum(), x);
      return outer.gradient(dx.square().sum(), x).toFloatArray();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void callsOfGraphsAndGradientsOfGradientsHaveEagerBits(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    try (Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(device, new float[] {0.5f, -1, 2, 0.25f}, 2, 2);
      final Tensor x = engine.tensor(device, new float[] {0.75f, -0.5f}, 1, 2);
      final UnaryOperator<Tensor> eager = in -> in.matmul(w).tanh();
      final Graph graph = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
          recording -> recording.output(eager.apply(recording.input(device, DType.F32, 1, 2))));
      final GraphFunction callable = engine.graphFunction(1, in -> List.of(eager.apply(in.get(0))));
      final List<float[]> gradients = new ArrayList<>();
      for (final UnaryOperator<Tensor> f
          : List.<UnaryOperator<Tensor>>of(eager, in -> graph.call(in).get(0), in -> callable.call(in).get(0))) {
        try (Tape tape = engine.tape(x, w)) {
          for (final Tensor each : tape.gradients(f.apply(x).sum(), x, w)) {
            gradients.add(each.toFloatArray());
          }
        }
        gradients.add(second(x, f));
      }
      for (int i = 3; i < gradients.size(); i++) {
        assertArrayEquals(gradients.get(i % 3), gradients.get(i));
      }
    }
  }

  @Test
  void customGradientCountsInCallablesAndGraphs() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new float[] {0.4f, 1.6f}, 2);
      final UnaryOperator<Tensor> straight = in -> {
        final Tensor y = in.round();
        Tape.customGradient("straight_through", List.of(in), List.of(y), dy -> List.of(dy.get(0).mul(3)));
        return y;
      };
      final Graph graph = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
          recording -> recording.output(straight.apply(recording.input(Device.CPU, DType.F32, 2))));
      final GraphFunction callable = engine.graphFunction(1, in -> List.of(straight.apply(in.get(0))));
      for (final UnaryOperator<Tensor> f : List.<UnaryOperator<Tensor>>of(in -> graph.call(in).get(0), in -> callable.call(in).get(0))) {
        try (Tape tape = engine.tape(x)) {
          assertArrayEquals(new float[] {6, 6}, tape.gradient(f.apply(x).mul(2).sum(), x).toFloatArray());
        }
      }
    }
  }

  @Test
  void eachShapeIsRecordedOnceByAnyThread() throws Exception {
    try (GraphFunction twice = engine.graphFunction(1, new GraphFunctionOptions().name("twice"), in -> List.of(in.get(0).mul(2)))) {
      final List<Thread> threads = new ArrayList<>();
      final AtomicInteger right = new AtomicInteger();
      for (int t = 0; t < 4; t++) {
        final int value = t;
        threads.add(new Thread(() -> {
          for (int n = 1; n < 6; n++) {
            try (Scope scope = Scope.open()) {
              final Tensor x = engine.full(Device.CPU, DType.F32, value, n);
              right.addAndGet(twice.call(x).get(0).toFloatArray()[n - 1] == 2 * value ? 1 : 0);
            }
          }
        }));
      }
      threads.forEach(Thread::start);
      for (final Thread thread : threads) {
        thread.join();
      }
      assertEquals(20, right.get());
      assertEquals(5, twice.info().recordings());
      assertEquals(15, twice.info().hits());
      assertTrue(twice.report().contains("callable 'twice': 5 signatures"), twice.report());
      twice.clear();
      assertEquals(0, twice.info().signatures());
    }
  }

  @Test
  void optionsAreHeard() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.tensor(Device.CPU, new float[] {1, 2, 3}, 3);
      final GraphFunctionOptions sizes = new GraphFunctionOptions().padSizes(4, 8).padAxis(0).padInputs(1).padOutputs(1).limitBytes(1).arenas(2);
      final GraphFunction padded = engine.graphFunction(1, sizes, in -> List.of(in.get(0).add(1)));
      assertArrayEquals(new float[] {2, 3, 4}, padded.call(x).get(0).toFloatArray());
      assertEquals(List.of(1L, 1L, 0L), List.of(padded.info().limitBytes(), padded.info().calls(), padded.info().evictions()));
      final Tensor into = engine.tensor(Device.CPU, new float[3], 3);
      padded.callInto(List.of(x), List.of(into));
      assertArrayEquals(new float[] {2, 3, 4}, into.toFloatArray());
      final TensorFunction waits = in -> {
        final Tensor sum = in.get(0).sum();
        sum.await();
        return List.of(sum);
      };
      assertThrows(InvalidStateException.class, () -> engine.graphFunction(1, waits).call(x));
      final GraphFunction eager = engine.graphFunction(1, new GraphFunctionOptions().flags(GraphFunctionFlags.FALL_BACK), waits);
      assertEquals(6, eager.call(x).get(0).toFloatArray()[0]);
      assertEquals(1, eager.info().fallbacks());
      assertTrue(eager.report().contains("last fallback:"), eager.report());
    }
  }

  @Test
  void whatALambdaThrowsIsTheCause() {
    try (Scope scope = Scope.open()) {
      final Tensor x = engine.full(Device.CPU, DType.F32, 0, 2);
      final Exception gone = new Exception("disk gone");
      final GraphFunction fails = engine.graphFunction(1, in -> {
        throw gone;
      });
      assertSame(gone, assertThrows(UserException.class, () -> fails.call(x)).getCause());
      final GraphFunction two = engine.graphFunction(1, in -> List.of(in.get(0).add(1), in.get(0).add(2)));
      final RondoException number = assertThrows(RondoException.class, () -> two.call(x));
      assertTrue(number.getCause().getMessage().contains("gives 2 tensors; the graph function was made with 1"), number.toString());
      final GraphFunction same = engine.graphFunction(1, in -> in);
      assertArrayEquals(new float[2], same.call(x).get(0).toFloatArray());
      assertFalse(engine.isRecording());
    }
  }

  @Test
  void whatDoesNotFitIsRefused() {
    final TensorFunction same = in -> List.of(in.get(0).add(0));
    assertTrue(assertThrows(InvalidArgumentException.class, () -> engine.graphFunction(0, same)).getMessage().contains("n_outputs is 0"));
    assertThrows(InvalidArgumentException.class, () -> engine.graphFunction(1, new GraphFunctionOptions().padSizes(4, 4), same));
    assertThrows(NullPointerException.class, () -> engine.graphFunction(1, null));
    try (Engine other = Engine.create(); Scope scope = Scope.open()) {
      final GraphFunction callable = engine.graphFunction(1, same);
      final Tensor foreign = other.full(Device.CPU, DType.F32, 0, 2);
      assertTrue(assertThrows(InvalidArgumentException.class, () -> callable.call(foreign)).getMessage()
          .startsWith("GraphFunction.call: inputs[0] belongs to another engine"));
    }
  }
}
