// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes one launch, who waits how long, and who is refused: with a model that runs when the test lets it. */
@Timeout(30)
class BatcherTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  /** Says of each image its first pixel, as the probability of 0. */
  private static final class FakeModel implements Model {
    final Semaphore may = new Semaphore(0);
    final List<Integer> batches = new ArrayList<>();
    private final FloatBuffer input;
    volatile RuntimeException failure;
    volatile boolean closed;

    FakeModel(int largest) {
      input = FloatBuffer.allocate(largest * Weights.PIXELS);
    }

    @Override
    public int pixels() {
      return Weights.PIXELS;
    }

    @Override
    public int classes() {
      return Weights.CLASSES;
    }

    @Override
    public int largestBatch() {
      return input.capacity() / Weights.PIXELS;
    }

    @Override
    public FloatBuffer input() {
      return input;
    }

    @Override
    public int classify(int images, float[] probabilities) {
      may.acquireUninterruptibly();
      batches.add(images);
      if (failure != null) {
        throw failure;
      }
      for (int i = 0; i < images; ++i) {
        probabilities[i * Weights.CLASSES] = input.get(i * Weights.PIXELS);
      }
      return largestBatch();
    }

    @Override
    public String device() {
      return "fake:0";
    }

    @Override
    public Memory memory() {
      return new Memory(0, 0);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class Counts implements Batcher.Listener {
    volatile int launched;
    volatile int failed;

    @Override
    public void launched(int images, int rows, double seconds) {
      launched += images;
    }

    @Override
    public void failed(Throwable cause) {
      ++failed;
    }
  }

  private final Counts counts = new Counts();

  private Batcher batcher(Model model, int queue, Duration maxWait) {
    return new Batcher(model, queue, maxWait, null, counts);
  }

  private static float[] images(int count, float first) {
    final float[] images = new float[count * Weights.PIXELS];
    for (int i = 0; i < count; ++i) {
      images[i * Weights.PIXELS] = first + i;
    }
    return images;
  }

  private static void check(CompletableFuture<Batcher.Answer> answer, int count, float first) throws Exception {
    final float[] all = answer.get(20, TimeUnit.SECONDS).probabilities();
    assertEquals(count * Weights.CLASSES, all.length);
    for (int i = 0; i < count; ++i) {
      assertEquals(first + i, all[i * Weights.CLASSES]);
    }
  }

  @Test
  void whatArrivesDuringALaunchIsTheNextLaunch() throws Exception {
    final FakeModel model = new FakeModel(8);
    try (Batcher batcher = batcher(model, 100, Duration.ZERO)) {
      final var first = batcher.submit(images(1, 0.5f));
      while (batcher.queued() > 0) { // until it is taken
        Thread.onSpinWait();
      }
      final List<CompletableFuture<Batcher.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < 5; ++i) {
        answers.add(batcher.submit(images(1, i)));
      }
      answers.add(batcher.submit(images(3, 5)));
      assertEquals(8, batcher.queued());
      model.may.release(2);
      check(first, 1, 0.5f);
      for (int i = 0; i < 5; ++i) {
        check(answers.get(i), 1, i);
        assertEquals(8, answers.get(i).get().batchImages());
      }
      check(answers.get(5), 3, 5);
    }
    assertEquals(List.of(1, 8), model.batches);
    assertEquals(9, counts.launched);
  }

  @Test
  void aFullBatchDoesNotWait() throws Exception {
    final FakeModel model = new FakeModel(4);
    model.may.release(2);
    try (Batcher batcher = batcher(model, 100, LONG)) {
      final var one = batcher.submit(images(1, 1));
      final var three = batcher.submit(images(3, 2));
      check(one, 1, 1);
      check(three, 3, 2);
    }
    assertEquals(List.of(4), model.batches);
  }

  @Test
  void nobodyWaitsForOthersWhenInAHurry() throws Exception {
    final FakeModel model = new FakeModel(4);
    model.may.release(2);
    try (Batcher batcher = batcher(model, 100, LONG)) {
      final var one = batcher.submit(images(1, 1));
      batcher.hurry();
      check(one, 1, 1);
      check(batcher.submit(images(2, 2)), 2, 2);
      assertTrue(one.get().queuedNanos() < LONG.toNanos() / 2);
    }
    assertEquals(List.of(1, 2), model.batches);
  }

  @Test
  void theFirstWaitsForOthersAsLongAsIsSaid() throws Exception {
    for (int millis = 300;; millis *= 2) {
      final FakeModel model = new FakeModel(4);
      model.may.release(2);
      final long begin = System.nanoTime();
      final long apart;
      try (Batcher batcher = batcher(model, 100, Duration.ofMillis(millis))) {
        final var one = batcher.submit(images(1, 1));
        Thread.sleep(50);
        final var two = batcher.submit(images(1, 2));
        apart = System.nanoTime() - begin;
        check(one, 1, 1);
        check(two, 1, 2);
        final long waited = one.get().queuedNanos();
        assertTrue(waited >= millis * 1_000_000L, () -> waited + " ns");
        assertTrue(two.get().queuedNanos() < waited || model.batches.size() == 2);
      }
      if (apart < millis * 1_000_000L) { // else the machine was too busy for the second to come in time
        assertEquals(List.of(2), model.batches);
        return;
      }
    }
  }

  @Test
  void whatDoesNotFitComesWithTheNext() throws Exception {
    final FakeModel model = new FakeModel(4);
    model.may.release(10);
    try (Batcher batcher = batcher(model, 100, Duration.ofMillis(200))) {
      final var three = batcher.submit(images(3, 1));
      final var two = batcher.submit(images(2, 4));
      check(three, 3, 1);
      check(two, 2, 4);
    }
    assertEquals(List.of(3, 2), model.batches);
  }

  @Test
  void theQueueHasABound() throws Exception {
    final FakeModel model = new FakeModel(4);
    final Batcher batcher = batcher(model, 6, LONG);
    final var running = batcher.submit(images(4, 0));
    while (batcher.queued() > 0) {
      Thread.onSpinWait();
    }
    final var waiting = batcher.submit(images(4, 4));
    final var also = batcher.submit(images(2, 8));
    final var thrown = assertThrows(Batcher.QueueFullException.class, () -> batcher.submit(images(1, 9)));
    assertTrue(thrown.getMessage().contains("6 images wait"), thrown.getMessage());
    model.may.release(10);
    check(running, 4, 0);
    batcher.close(); // those that wait are answered, without waiting for more
    check(waiting, 4, 4);
    check(also, 2, 8);
    assertTrue(model.closed);
    assertThrows(Batcher.UnavailableException.class, () -> batcher.submit(images(1, 0)));
    batcher.close();
  }

  @Test
  void aFailureIsOfItsBatchAlone() throws Exception {
    final FakeModel model = new FakeModel(4);
    model.may.release(10);
    try (Batcher batcher = batcher(model, 100, Duration.ZERO)) {
      model.failure = new IllegalStateException("planned");
      final var fails = batcher.submit(images(1, 1));
      final var thrown = assertThrows(ExecutionException.class, () -> fails.get(20, TimeUnit.SECONDS));
      assertInstanceOf(IllegalStateException.class, thrown.getCause());
      model.failure = null;
      check(batcher.submit(images(1, 2)), 1, 2);
      assertTrue(batcher.available());
    }
    assertEquals(1, counts.failed);
  }

  @Test
  void aThreadThatEndsLeavesNobodyWaiting() throws Exception {
    final FakeModel model = new FakeModel(1);
    final Batcher.Listener listener = new Batcher.Listener() {
      @Override
      public void launched(int images, int rows, double seconds) {}

      @Override
      public void failed(Throwable cause) {
        throw new LinkageError("planned");
      }
    };
    try (Batcher batcher = new Batcher(model, 100, Duration.ZERO, null, listener)) {
      model.failure = new IllegalStateException("planned");
      final var running = batcher.submit(images(1, 1));
      final var waiting = batcher.submit(images(1, 2));
      model.may.release(10);
      final var failed = assertThrows(ExecutionException.class, () -> running.get(20, TimeUnit.SECONDS));
      assertInstanceOf(IllegalStateException.class, failed.getCause());
      final var left = assertThrows(ExecutionException.class, () -> waiting.get(20, TimeUnit.SECONDS));
      assertInstanceOf(Batcher.UnavailableException.class, left.getCause());
      assertFalse(batcher.available());
      assertThrows(Batcher.UnavailableException.class, () -> batcher.submit(images(1, 3)));
    }
    assertTrue(model.closed);
  }

  @Test
  void sizesThatNoBatchHolds() {
    final FakeModel model = new FakeModel(4);
    try (Batcher batcher = batcher(model, 100, Duration.ZERO)) {
      assertThrows(IllegalArgumentException.class, () -> batcher.submit(new float[0]));
      assertThrows(IllegalArgumentException.class, () -> batcher.submit(images(5, 0)));
      assertEquals(0, batcher.queued());
    }
    assertFalse(counts.launched > 0);
  }
}
