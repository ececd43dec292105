// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients in buckets: what both ranks end with is the mean, or the sum, of what each would have alone. */
@Tag("device")
class BucketsTest {
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
  private final Scope scope = Scope.open();

  @AfterEach
  void close() {
    scope.close();
    engine.close();
  }

  /** loss = sum((x w) b), so that dw is x b and db is x w, whole numbers. */
  private final class Model {
    final Tensor x;
    final Tensor w;
    final Tensor b;

    Model(Device device, int rank) {
      x = engine.tensor(device, new float[] {1 + rank, 2, 3}, 1, 3);
      w = engine.tensor(device, new float[] {1, 2, 3, 4, 5, 6}, 3, 2);
      b = engine.tensor(device, new float[] {10, 100});
    }

    Tensor loss() {
      return x.matmul(w).mul(b).sum();
    }
  }

  private static final float[] DW = {10, 100, 20, 200, 30, 300}; // of rank 0; rank 1's first row is twice that
  private static final float[] DW_MEAN = {15, 150, 20, 200, 30, 300};
  private static final float[] DW_SUM = {30, 300, 40, 400, 60, 600};
  private static final float[] DB_MEAN = {22.5f, 29};
  private static final float[] DB_SUM = {45, 58};

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void bothRanksHaveTheGradientsOfBoth(List<Device> devices) {
    final List<Comm> ends = Comm.createAll(engine, devices.toArray(new Device[0]));
    for (final BucketsOptions options : List.of(new BucketsOptions(), new BucketsOptions().bucketBytes(4).edgeBytes(4),
        new BucketsOptions().sum(true))) {
      final List<Buckets> all = new ArrayList<>();
      final List<Graph> graphs = new ArrayList<>();
      final List<Model> models = new ArrayList<>();
      for (int rank = 0; rank < 2; ++rank) {
        final Model model = new Model(devices.get(rank), rank);
        final Buckets buckets = Buckets.create(ends.get(rank), options, model.w, model.b);
        assertSame(engine, buckets.engine());
        assertEquals(2, buckets.info().parameters());
        assertEquals(options.bucketBytes() == 4 ? 2 : 1, buckets.info().buckets());
        assertArrayEquals(new float[6], buckets.gradient(0).toFloatArray());
        models.add(model);
        all.add(buckets);
      }
      for (int rank = 0; rank < 2; ++rank) {
        final Model model = models.get(rank);
        all.get(rank).reduce(engine.tape(model.w, model.b), model.loss());
      }
      check(all, options.sum());
      for (int rank = 0; rank < 2; ++rank) {
        final Model model = models.get(rank);
        final Buckets buckets = all.get(rank);
        graphs.add(engine.record(recording -> buckets.reduce(engine.tape(model.w, model.b), model.loss())));
        buckets.gradients().forEach(each -> each.fill(-1));
      }
      for (int i = 0; i < 2; ++i) {
        graphs.forEach(Graph::launch);
        check(all, options.sum());
      }
    }
  }

  private static void check(List<Buckets> all, boolean sum) {
    for (final Buckets each : all) {
      final List<Tensor> gradients = each.gradients();
      assertArrayEquals(sum ? DW_SUM : DW_MEAN, gradients.get(0).toFloatArray());
      assertArrayEquals(sum ? DB_SUM : DB_MEAN, gradients.get(1).toFloatArray());
    }
  }

  @Test
  void outputsMayHaveGradientsOfTheirOwn() {
    final Comm end = Comm.create(engine, Device.CPU);
    final Model model = new Model(Device.CPU, 0);
    final Buckets buckets = Buckets.create(end, model.w, model.b);
    final Tape tape = engine.tape(model.w, model.b);
    final Tensor out = model.x.matmul(model.w).mul(model.b);
    fails(InvalidArgumentException.class, () -> buckets.reduce(tape, List.of(out), List.of(out, out)), "Buckets.reduce", "2 tensors for 1 outputs");
    buckets.reduce(tape, List.of(out), List.of(engine.full(Device.CPU, DType.F32, 1, 1, 2)));
    assertArrayEquals(DW, buckets.gradient(0).toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void gradientsOfOthersStayWithTheirRank(List<Device> devices) {
    final List<Comm> ends = Comm.createAll(engine, devices.toArray(new Device[0]));
    final List<Buckets> all = new ArrayList<>();
    final List<Model> models = new ArrayList<>();
    for (int rank = 0; rank < 2; ++rank) {
      final Model model = new Model(devices.get(rank), rank);
      models.add(model);
      all.add(Buckets.create(ends.get(rank), model.w, model.b));
    }
    for (final boolean given : new boolean[] {false, true}) {
      final List<Tensor> own = new ArrayList<>();
      for (int rank = 0; rank < 2; ++rank) {
        final Model model = models.get(rank);
        final Tape tape = engine.tape(model.w, model.b, model.x);
        if (given) {
          final Tensor out = engine.full(devices.get(rank), DType.F32, 0, 1, 3);
          assertSame(out, all.get(rank).reduceWith(tape, List.of(model.loss()), List.of(), List.of(model.x), List.of(out)).get(0));
          own.add(out);
        } else {
          own.addAll(all.get(rank).reduceWith(tape, model.loss(), model.x));
        }
      }
      check(all, false);
      assertEquals(2, own.size());
      own.forEach(each -> assertArrayEquals(new float[] {210, 430, 650}, each.toFloatArray()));
    }
    final Model model = models.get(0);
    final Tape tape = engine.tape(model.w, model.b, model.x);
    final Tensor loss = model.loss();
    fails(InvalidArgumentException.class, () -> all.get(0).reduceWith(tape, loss), "Buckets.reduceWith", "n_sources is 0");
    fails(InvalidArgumentException.class, () -> all.get(0).reduceWith(tape, loss, models.get(1).x), "Buckets.reduceWith", "sources[0]");
    fails(InvalidArgumentException.class,
        () -> all.get(0).reduceWith(tape, List.of(loss), List.of(), List.of(model.x), List.of(loss, loss)), "Buckets.reduceWith", "out has 2");
  }

  @Test
  void misuseIsRefused() {
    final Comm end = Comm.create(engine, Device.CPU);
    final Model model = new Model(Device.CPU, 0);
    fails(InvalidArgumentException.class, () -> Buckets.create(end), "Buckets.create");
    fails(InvalidArgumentException.class, () -> Buckets.create(end, model.w, model.w), "Buckets.create");
    final Buckets buckets = Buckets.create(end, model.w);
    end.close(); // the buckets keep it
    fails(InvalidArgumentException.class, () -> buckets.gradient(1), "Buckets.gradient");
    fails(InvalidArgumentException.class, () -> buckets.reduce(engine.tape(), model.w.sum()), "Buckets.reduce");
    final Tape given = engine.tape(model.w);
    final Tensor loss = model.loss();
    given.gradient(loss, model.w);
    fails(InvalidStateException.class, () -> buckets.reduce(given, loss), "Buckets.reduce");
    final Tape custom = engine.tape(model.w);
    final Tensor out = model.w.sum();
    Tape.customGradient("throws", List.of(model.w), List.of(out), dy -> {
      throw new IllegalStateException("no gradient today");
    });
    final RondoException failed = fails(UserException.class, () -> buckets.reduce(custom, out));
    assertEquals("no gradient today", failed.getCause().getMessage());
    assertTrue(buckets.toString().contains("parameters=1"));
    assertFalse(buckets.isClosed());
    buckets.close();
    buckets.close();
    assertEquals("Buckets[closed]", buckets.toString());
    fails(InvalidStateException.class, () -> buckets.gradient(0), "closed");
    fails(InvalidStateException.class, () -> Buckets.create(end, model.w), "this communicator is closed");
  }
}
