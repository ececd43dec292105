// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.RondoException;
import dev.rondo.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Makes one launch of requests that arrive together. Requests wait in a queue with a bound; one thread, to which the model belongs,
 * takes as many as a batch holds, when there are that many or the first has waited long enough. While a batch runs, the next one
 * gathers.
 */
final class Batcher implements AutoCloseable {
  /** Images that were classified. */
  record Answer(float[] probabilities, int batchImages, long queuedNanos, long ranNanos) {}

  /** Too many images wait already. */
  static final class QueueFullException extends RuntimeException {
    QueueFullException(String message) {
      super(message);
    }
  }

  /** Nothing is classified any more, or not now. */
  static final class UnavailableException extends RuntimeException {
    UnavailableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** What is told of each batch. */
  interface Listener {
    void launched(int images, int rows, double seconds);

    void failed(Throwable cause);
  }

  private record Job(float[] images, int count, CompletableFuture<Answer> answer, long arrived) {}

  private final int pixels;
  private final int classes;
  private final int largest;
  private final int queueLimit;
  private final long maxWaitNanos;
  private final Supplier<Model> replacement;
  private final Listener listener;
  private final Thread thread = new Thread(this::run, "batches");

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Job> queue = new ArrayDeque<>(); // guarded by the lock, as is what follows
  private int queued; // images in the queue
  private boolean hurried;
  private boolean closed;
  private UnavailableException unavailable;

  private volatile Model model;
  private volatile String lost;

  /**
   * Starts the thread.
   *
   * @param model the model; the batcher closes it
   * @param queueLimit the most images that wait
   * @param maxWait how long the first request of a batch waits for others
   * @param replacement makes the model that goes on where the device of the first is lost; null: none does
   * @param listener is told of each batch
   */
  Batcher(Model model, int queueLimit, Duration maxWait, Supplier<Model> replacement, Listener listener) {
    this.model = model;
    this.pixels = model.pixels();
    this.classes = model.classes();
    this.largest = model.largestBatch();
    this.queueLimit = queueLimit;
    this.maxWaitNanos = maxWait.toNanos();
    this.replacement = replacement;
    this.listener = listener;
    thread.start();
  }

  /**
   * Puts images in the queue.
   *
   * @param images the pixels of at least one image and at most a batch
   * @return completed by the batcher's thread, which has other things to do than what follows
   * @throws QueueFullException if too many wait
   * @throws UnavailableException if the device is lost, or the batcher is closed
   */
  CompletableFuture<Answer> submit(float[] images) {
    final Job job = new Job(images, images.length / pixels, new CompletableFuture<>(), System.nanoTime());
    if (job.count() < 1 || job.count() > largest) {
      throw new IllegalArgumentException(job.count() + " images: a batch has 1 to " + largest);
    }
    lock.lock();
    try {
      if (unavailable != null) {
        throw unavailable;
      }
      if (closed) {
        throw new UnavailableException("the service is stopping", null);
      }
      if (queued + job.count() > queueLimit) {
        throw new QueueFullException(queued + " images wait, and at most " + queueLimit + " may");
      }
      queue.add(job);
      final int before = queued;
      queued += job.count();
      if (before == 0 || before < largest && queued >= largest) { // what the thread waits for
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
    return job.answer;
  }

  /** Images that wait now. */
  int queued() {
    lock.lock();
    try {
      return queued;
    } finally {
      lock.unlock();
    }
  }

  /** The model that classifies now. */
  Model model() {
    return model;
  }

  /** Why the first device was lost; null: it was not. */
  String lost() {
    return lost;
  }

  /** Whether images are classified. */
  boolean available() {
    lock.lock();
    try {
      return !closed && unavailable == null;
    } finally {
      lock.unlock();
    }
  }

  /** From now on a request waits for no others, only for the batch before its own: for when hardly any more will come. */
  void hurry() {
    lock.lock();
    try {
      hurried = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Takes no more requests, answers those that wait, and closes the model. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      final float[] probabilities = new float[largest * classes];
      for (List<Job> batch = gather(); !batch.isEmpty(); batch = gather()) {
        answer(batch, probabilities);
      }
    } finally {
      end();
    }
  }

  private void answer(List<Job> batch, float[] probabilities) {
    try {
      launch(batch, probabilities);
    } catch (RuntimeException | Error e) {
      try {
        if (e != unavailable) { // which was told of already
          listener.failed(e);
        }
      } finally {
        batch.forEach(job -> job.answer.completeExceptionally(e));
      }
    }
  }

  /** Nobody waits for a thread that is not there. */
  private void end() {
    final List<Job> left;
    lock.lock();
    try {
      if (unavailable == null) {
        unavailable = new UnavailableException(closed ? "the service is stopping" : "the thread of the network has ended", null);
      }
      left = new ArrayList<>(queue); // none where it ends because it is closed
      queue.clear();
      queued = 0;
    } finally {
      lock.unlock();
    }
    left.forEach(job -> job.answer.completeExceptionally(unavailable));
    model.close();
  }

  /** The next batch; empty when the batcher is closed and nothing waits. */
  private List<Job> gather() {
    final List<Job> batch = new ArrayList<>();
    lock.lock();
    try {
      while (queue.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      final long until = queue.isEmpty() ? 0 : queue.peek().arrived + maxWaitNanos;
      for (long left = until - System.nanoTime(); queued < largest && left > 0 && !hurried && !closed; left = until - System.nanoTime()) {
        try {
          changed.awaitNanos(left);
        } catch (InterruptedException e) {
          break; // nobody interrupts this thread; a smaller batch does no harm
        }
      }
      int images = 0;
      while (!queue.isEmpty() && images + queue.peek().count() <= largest) {
        batch.add(queue.remove());
        images += batch.get(batch.size() - 1).count();
      }
      queued -= images;
    } finally {
      lock.unlock();
    }
    return batch;
  }

  private void launch(List<Job> batch, float[] probabilities) {
    if (unavailable != null) {
      throw unavailable;
    }
    final long begin = System.nanoTime();
    int rows;
    try {
      rows = classify(batch, probabilities);
    } catch (RondoException e) {
      if (e.status() != Status.DEVICE_LOST) {
        throw e;
      }
      replace(e);
      rows = classify(batch, probabilities); // nobody has an answer of this batch yet
    }
    final long took = System.nanoTime() - begin;
    final int images = batch.stream().mapToInt(Job::count).sum();
    listener.launched(images, rows, took * 1e-9);
    int at = 0;
    for (final Job job : batch) {
      final int end = at + job.count() * classes;
      job.answer.complete(new Answer(Arrays.copyOfRange(probabilities, at, end), images, begin - job.arrived, took));
      at = end;
    }
  }

  private int classify(List<Job> batch, float[] probabilities) {
    final var input = model.input().clear();
    for (final Job job : batch) {
      input.put(job.images);
    }
    return model.classify(input.position() / pixels, probabilities);
  }

  /** Goes on with another model, or with none. */
  private void replace(RondoException cause) {
    lost = cause.getMessage();
    listener.failed(cause);
    if (replacement != null) {
      try {
        final Model old = model;
        model = replacement.get();
        old.close();
        return;
      } catch (RuntimeException e) {
        cause.addSuppressed(e);
      }
    }
    lock.lock();
    try {
      unavailable = new UnavailableException("the device is lost: " + cause.getMessage(), cause);
    } finally {
      lock.unlock();
    }
    throw unavailable;
  }
}
