// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Communicators: two ranks of one process, driven by one thread or by two, and a process alone. */
@Tag("device")
class CommTest {
  private final Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));
  private final Scope scope = Scope.open();
  private List<Comm> ends;

  @AfterEach
  void close() {
    scope.close();
    engine.close();
  }

  private void group(List<Device> devices) {
    group(devices, new CommOptions());
  }

  private void group(List<Device> devices, CommOptions options) {
    ends = Comm.createAll(engine, options, devices.toArray(new Device[0]));
  }

  private Tensor up(int rank, float... values) {
    return engine.tensor(ends.get(rank).info().device(), values);
  }

  private interface OnRank {
    Tensor run(Comm end, Tensor mine);
  }

  /** What both ranks get; rank 0 gives 1, 2, 3, 4 and rank 1 ten times that. */
  private List<float[]> both(OnRank body) {
    final List<Tensor> results = new ArrayList<>();
    results.add(body.run(ends.get(0), up(0, 1, 2, 3, 4)));
    results.add(body.run(ends.get(1), up(1, 10, 20, 30, 40)));
    final List<float[]> values = new ArrayList<>();
    results.forEach(each -> values.add(each == null ? null : each.toFloatArray()));
    return values;
  }

  private static void assertValues(List<float[]> values, float[] first, float[] second) {
    assertArrayEquals(first, values.get(0));
    assertArrayEquals(second, values.get(1));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void everyCollective(List<Device> devices) {
    group(devices);
    final float[] sum = {11, 22, 33, 44};
    final float[] all = {1, 2, 3, 4, 10, 20, 30, 40};
    assertSame(engine, ends.get(0).engine());
    assertValues(both((end, mine) -> end.allReduce(mine, ReduceOp.SUM)), sum, sum);
    assertValues(both((end, mine) -> end.allReduce(mine, ReduceOp.SUM, mine)), sum, sum);
    assertValues(both((end, mine) -> end.allReduce(mine, ReduceOp.MAX)), new float[] {10, 20, 30, 40}, new float[] {10, 20, 30, 40});
    assertValues(both(Comm::allGather), all, all);
    assertValues(both((end, mine) -> end.allGather(mine, engine.empty(mine.device(), DType.F32, 8))), all, all);
    assertValues(both((end, mine) -> end.reduceScatter(mine, ReduceOp.SUM)), new float[] {11, 22}, new float[] {33, 44});
    assertValues(both((end, mine) -> end.reduceScatter(mine, ReduceOp.PROD, engine.empty(mine.device(), DType.F32, 2))), new float[] {10, 40},
        new float[] {90, 160});
    assertValues(both((end, mine) -> end.reduce(mine, ReduceOp.SUM, 1)), null, sum);
    assertValues(both((end, mine) -> end.reduce(mine, ReduceOp.MEAN, 0, mine)), new float[] {5.5f, 11, 16.5f, 22}, new float[] {10, 20, 30, 40});
    assertValues(both(Comm::allToAll), new float[] {1, 2, 10, 20}, new float[] {3, 4, 30, 40});
    assertValues(both((end, mine) -> end.allToAll(mine, engine.empty(mine.device(), DType.F32, 4))), new float[] {1, 2, 10, 20},
        new float[] {3, 4, 30, 40});
    assertValues(both((end, mine) -> {
      end.broadcast(mine, 1);
      return mine;
    }), new float[] {10, 20, 30, 40}, new float[] {10, 20, 30, 40});
    assertValues(both((end, mine) -> {
      if (end.info().rank() == 0) {
        end.send(mine, 1);
      } else {
        end.receive(mine, 0);
      }
      return mine;
    }), new float[] {1, 2, 3, 4}, new float[] {1, 2, 3, 4});
    ends.forEach(Comm::barrier);
    ends.forEach(Comm::await);
    for (int rank = 0; rank < 2; ++rank) {
      final CommInfo info = ends.get(rank).info();
      assertEquals(rank, info.rank());
      assertEquals(2, info.ranks());
      assertEquals(devices.get(rank), info.device());
      assertEquals(CommState.WORKING, info.state());
      assertEquals(14, info.submitted());
      ends.get(rank).check();
      assertTrue(ends.get(rank).toString().contains("transport=" + info.transport()));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void sendsThatCrossAreAGroup(List<Device> devices) {
    group(devices);
    assertValues(both((end, mine) -> {
      final int peer = 1 - end.info().rank();
      final Tensor theirs = engine.full(mine.device(), DType.F32, 0, 4);
      end.group(() -> {
        end.send(mine, peer);
        end.receive(theirs, peer);
        fails(InvalidStateException.class, () -> end.group(() -> { }), "group");
      });
      return theirs;
    }), new float[] {10, 20, 30, 40}, new float[] {1, 2, 3, 4});
  }

  @Test
  void aGroupThatThrowsSubmitsNothing() {
    group(List.of(Device.CPU, Device.CPU));
    final Comm end = ends.get(0);
    final Tensor mine = up(0, 1);
    final IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> end.group(() -> {
      end.send(mine, 1);
      throw new IllegalStateException("a change of mind");
    }));
    assertEquals("a change of mind", thrown.getMessage());
    fails(InvalidArgumentException.class, () -> end.group(() -> end.send(mine, 7)), "Comm.send", "7");
    assertEquals(0, end.info().submitted());
    assertValues(both((each, tensor) -> each.allReduce(tensor, ReduceOp.SUM)), new float[] {11, 22, 33, 44}, new float[] {11, 22, 33, 44});
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void recordedTheyAreNodesOfTheGraph(List<Device> devices) {
    group(devices);
    final List<Tensor> values = List.of(up(0, 1, 2), up(1, 3, 4));
    final List<Tensor> sums = new ArrayList<>();
    final List<Graph> graphs = new ArrayList<>();
    for (int rank = 0; rank < 2; ++rank) {
      final Comm end = ends.get(rank);
      final Tensor mine = values.get(rank);
      graphs.add(engine.record(recording -> sums.add(recording.keep(end.allReduce(mine.mul(2), ReduceOp.SUM).add(1)))));
    }
    for (int i = 0; i < 2; ++i) {
      graphs.forEach(Graph::launch);
      sums.forEach(each -> assertArrayEquals(new float[] {9, 13}, each.toFloatArray()));
    }
    graphs.forEach(graph -> assertEquals(1, graph.info().segments(), graph::report));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void splitting(List<Device> devices) {
    group(devices);
    final List<Comm> turned = Comm.split(ends, new int[] {5, 5}, new int[] {1, 0});
    assertEquals(1, turned.get(0).info().rank());
    assertEquals(0, turned.get(1).info().rank());
    final List<Comm> one = Comm.split(ends, new int[] {-1, 0}, null);
    assertNull(one.get(0));
    assertEquals(1, one.get(1).info().ranks());
    assertArrayEquals(new float[] {7}, one.get(1).allReduce(up(1, 7), ReduceOp.SUM).toFloatArray());
    fails(InvalidArgumentException.class, () -> Comm.split(ends, new int[] {0}, null), "1 colours", "no keys", "2 ends");
    fails(InvalidArgumentException.class, () -> Comm.split(ends, new int[] {0, 0}, new int[] {0}), "1 keys", "2 ends");
    fails(InvalidArgumentException.class, () -> Comm.split(List.of(), new int[0], null), "Comm.split");
    fails(InvalidArgumentException.class, () -> Comm.split(List.of(ends.get(0), ends.get(0)), new int[2], null), "each comes once");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#pairs")
  void anAbortEndsWhatIsUnderWayAndAGroupIsMadeAgain(List<Device> devices) {
    group(devices);
    fails(InvalidStateException.class, () -> Comm.reform(ends), "Comm.reform");
    final Tensor kept = up(0, 1, 2);
    final Tensor sum = ends.get(0).allReduce(kept, ReduceOp.SUM); // to which rank 1 does not come
    ends.get(1).abort("enough of it");
    fails(RankLostException.class, sum::await, "enough of it");
    fails(RankLostException.class, ends.get(0)::await, "enough of it");
    ends.forEach(end -> fails(RankLostException.class, () -> whenItFails(end), "enough of it"));
    fails(RankLostException.class, () -> ends.get(1).allReduce(up(1, 1), ReduceOp.SUM), "enough of it");
    assertEquals(CommState.FAILED, ends.get(1).info().state());
    assertArrayEquals(new float[] {1, 2}, kept.toFloatArray());
    fails(RankLostException.class, engine::awaitAll, "enough of it");
    ends = Comm.reform(ends);
    assertValues(both((end, mine) -> end.allReduce(mine, ReduceOp.SUM)), new float[] {11, 22, 33, 44}, new float[] {11, 22, 33, 44});
  }

  /** A rank hears of a failure a moment after the one that saw it. */
  private static void whenItFails(Comm end) throws InterruptedException {
    for (int i = 0; i < 4000; ++i) {
      end.check();
      Thread.sleep(5);
    }
  }

  @Test
  void whoDoesNotComeCostsTheTimeLimit() {
    group(List.of(Device.CPU, Device.CPU), new CommOptions().timeLimitMs(300).name("pair").maxBlocks(4));
    final Tensor sum = ends.get(0).allReduce(up(0, 1), ReduceOp.SUM);
    fails(TimedOutException.class, sum::await, "all_reduce", "time limit");
    fails(TimedOutException.class, engine::awaitAll, "all_reduce");
  }

  /** Runs both at the same time; a failure of either is the test's. */
  private static <T> List<T> together(List<Callable<T>> ranks) throws Exception {
    final ExecutorService threads = Executors.newFixedThreadPool(ranks.size());
    try {
      final List<T> results = new ArrayList<>();
      for (final Future<T> each : threads.invokeAll(ranks)) {
        results.add(each.get());
      }
      return results;
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void ranksThatAreThreadsMeet(@TempDir Path folder) throws Exception {
    for (final EngineMode mode : List.of(EngineMode.ASYNC, EngineMode.THREADED, EngineMode.NAIVE)) {
      final List<Callable<float[]>> ranks = new ArrayList<>();
      for (int i = 0; i < 2; ++i) {
        final int rank = i;
        ranks.add(() -> {
          final CommOptions options = new CommOptions().rank(rank).ranks(2).address("file:" + folder.resolve(mode.name())).secret("tacit");
          try (Engine own = Engine.create(new EngineOptions().mode(mode)); Comm world = Comm.create(own, Device.CPU, options);
              Comm turned = world.split(0, -rank); Tensor mine = own.tensor(Device.CPU, new float[] {rank, 1});
              Tensor sum = turned.allReduce(mine, ReduceOp.SUM)) {
            assertEquals(1 - rank, turned.info().rank());
            assertNull(world.split(-1, 0));
            turned.barrier();
            turned.await();
            return sum.toFloatArray();
          }
        });
      }
      together(ranks).forEach(sum -> assertArrayEquals(new float[] {1, 2}, sum));
    }
  }

  @Test
  void aRankThatLeavesIsMissedAndTheOtherGoesOn(@TempDir Path folder) throws Exception {
    final List<Callable<Float>> ranks = new ArrayList<>();
    for (int i = 0; i < 2; ++i) {
      final int rank = i;
      ranks.add(() -> {
        final CommOptions options = new CommOptions().rank(rank).ranks(2).address("file:" + folder.resolve("here")).secret("tacit");
        try (Engine own = Engine.create(); Comm world = Comm.create(own, Device.CPU, options); Tensor one = own.full(Device.CPU, DType.F32, 1)) {
          if (rank == 1) {
            return 1f;
          }
          try (Tensor sum = world.allReduce(one, ReduceOp.SUM)) {
            fails(RankLostException.class, sum::await, "rank 1");
          } catch (RankLostException e) {
            assertTrue(e.getMessage().contains("rank 1"), e.getMessage()); // it had left before
          }
          world.abort("rank 1 has left");
          try (Comm rest = world.reform(); Tensor sum = rest.allReduce(one, ReduceOp.SUM)) {
            assertEquals(1, rest.info().ranks());
            return sum.toFloatArray()[0];
          }
        }
      });
    }
    assertEquals(List.of(1f, 1f), together(ranks));
  }

  @Test
  void withoutALauncherAProcessIsAlone() {
    final RanksInfo ranks = Comm.ranks();
    assertEquals(0, ranks.rank());
    assertEquals(1, ranks.ranks());
    final Comm end = Comm.create(engine, Device.CPU);
    assertEquals(1, end.info().ranks());
    assertEquals(3, end.allReduce(engine.full(Device.CPU, DType.F32, 3), ReduceOp.MEAN).item());
  }

  @Test
  void optionsSayWhatTheyAre() {
    final CommOptions options = new CommOptions().rank(1).ranks(3).address("host:1").secret("s").name("n").timeLimitMs(5).maxBlocks(2);
    assertEquals(List.of(1, 3, "host:1", "s", "n", 5L, 2L), List.of(options.rank(), options.ranks(), options.address(), options.secret(),
        options.name(), options.timeLimitMs(), options.maxBlocks()));
    fails(InvalidArgumentException.class, () -> Comm.create(engine, Device.CPU, new CommOptions().rank(3).ranks(3).address("host:1")),
        "Comm.create", "0 to 2");
    fails(InvalidArgumentException.class, () -> Comm.createAll(engine, new CommOptions().ranks(2), Device.CPU, Device.CPU), "must not be set");
    fails(InvalidArgumentException.class, () -> Comm.createAll(engine), "n is 0");
  }

  @Test
  void misuseIsRefused() {
    group(List.of(Device.CPU, Device.CPU));
    final Comm end = ends.get(0);
    final Tensor mine = up(0, 1, 2, 3);
    fails(InvalidArgumentException.class, () -> end.reduceScatter(mine, ReduceOp.SUM), "Comm.reduceScatter");
    fails(UnsupportedException.class, () -> end.allReduce(mine, ReduceOp.ARGMAX), "Comm.allReduce");
    fails(InvalidArgumentException.class, () -> end.broadcast(mine, 2), "Comm.broadcast");
    fails(InvalidArgumentException.class, () -> end.allGather(mine, mine), "Comm.allGather");
    assertThrows(NullPointerException.class, () -> end.allReduce(null, ReduceOp.SUM));
    assertThrows(NullPointerException.class, () -> end.send(null, 1));
    engine.record(recording -> fails(InvalidStateException.class, () -> Comm.split(ends, new int[2], null), "recording")).close();
    final AtomicReference<Throwable> inTask = new AtomicReference<>();
    engine.submit(context -> {
      try {
        end.await();
      } catch (RondoException e) {
        inTask.set(e);
      }
    }, List.of(), List.of(mine));
    mine.await();
    assertEquals(InvalidStateException.class, inTask.get().getClass());
  }

  @Test
  void aClosedOneIsNotUsed() {
    group(List.of(Device.CPU, Device.CPU));
    final Comm end = ends.get(0);
    final Tensor mine = up(0, 1);
    assertFalse(end.isClosed());
    end.group(() -> {
      end.close(); // waits for nothing here
      fails(InvalidStateException.class, () -> end.send(mine, 1), "this communicator is closed");
      fails(InvalidStateException.class, engine::close, "a group of collectives");
    });
    assertTrue(end.isClosed());
    end.close();
    assertEquals("Comm[closed]", end.toString());
    fails(InvalidStateException.class, end::info, "this communicator is closed");
    fails(InvalidStateException.class, () -> Comm.split(ends, new int[2], null), "this communicator is closed");
    final Tensor theirs = up(1, 1);
    final Tensor closed = up(1, 1);
    closed.close();
    fails(InvalidStateException.class, () -> ends.get(1).send(closed, 0), "this tensor is closed");
    engine.close();
    fails(InvalidStateException.class, () -> ends.get(1).allReduce(theirs, ReduceOp.SUM), "the engine of this communicator is closed");
    fails(InvalidStateException.class, () -> Comm.create(engine, Device.CPU), "this engine is closed");
  }
}
