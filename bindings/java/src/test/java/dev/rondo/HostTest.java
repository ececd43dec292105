// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Programs that are hard on a guest: each is a process of its own, which ends by itself or says what was not so. */
class HostTest {
  /** A condition of a program. */
  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      System.out.println(otherwise);
      Runtime.getRuntime().halt(1);
    }
  }

  /** An engine that nothing refers to any more has a task that takes long. */
  static final class SlowAbandonedEngine {
    private static void abandon() {
      final Engine engine = Engine.create();
      final Tensor written = engine.zeros(Device.CPU, 1);
      written.await();
      engine.submit(task -> Thread.sleep(60_000), List.of(), List.of(written));
    }

    public static void main(String[] arguments) throws Exception {
      final Engine engine = Engine.create(new EngineOptions().memoryLimit(64 << 20));
      abandon();
      for (int i = 0; i < 3; ++i) {
        System.gc();
        Thread.sleep(100);
      }
      final long begun = System.nanoTime();
      for (int i = 0; i < 100; ++i) {
        engine.ones(Device.CPU, 1 << 20).await(); // garbage of 4 MiB each
      }
      check(System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(50), "reclaiming waited for the slow task");
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void aSlowTaskOfAnAbandonedEngineHoldsNothingUp() throws Exception {
    Child.run(SlowAbandonedEngine.class, List.of("-Ddev.rondo.leaks=off"));
  }

  /** Whatever a log does with the report of garbage, the memory is free. In an unnamed module, for the handler of a log. */
  private static final String BLOCKED_LOG = String.join("\n", "import dev.rondo.*;", "import java.util.logging.*;", "class BlockedLog {",
      "  static void abandon(Engine engine) {", "    for (int i = 0; i < 20; ++i) engine.ones(Device.CPU, 1 << 18).await();", "  }",
      "  public static void main(String[] arguments) throws Exception {", "    Logger logger = Logger.getLogger(\"dev.rondo\");",
      "    logger.setUseParentHandlers(false);", "    logger.addHandler(new Handler() {", "      public void publish(LogRecord message) {", "        HOW",
      "      }", "      public void flush() {}", "      public void close() {}", "    });", "    Engine engine = Engine.create();",
      "    abandon(engine);", "    int i = 0;",
      "    for (; i < 300 && engine.memory(Device.CPU).inUse() > 1 << 20; ++i) { System.gc(); Thread.sleep(20); }",
      "    Runtime.getRuntime().halt(i < 300 ? 0 : 1);", "  }", "}");

  @Test
  void aLogThatThrowsOrBlocksHoldsNoMemory() throws Exception {
    Child.runSource("BlockedLog", BLOCKED_LOG.replace("HOW", "throw new IllegalStateException(\"the disk is full\");"));
    Child.runSource("BlockedLog", BLOCKED_LOG.replace("HOW", "try { Thread.sleep(600000); } catch (InterruptedException e) {}"));
  }

  static final class InterruptedFirstUse {
    public static void main(String[] arguments) {
      Thread.currentThread().interrupt();
      for (int i = 0; i < 2; ++i) {
        check(Rondo.version().equals(Fingerprint.VERSION), "another version");
      }
      check(Thread.interrupted(), "the interrupt is gone");
      try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 2)) {
        check(x.sum().item() == 2, "not the sum");
      }
    }
  }

  @Test
  void anInterruptAtFirstUseDisablesNothing() throws Exception {
    Child.run(InterruptedFirstUse.class, List.of());
  }

  static final class ManyWaiters {
    private static long processorTime() {
      return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis();
    }

    public static void main(String[] arguments) throws Exception {
      final Engine engine = Engine.create();
      final Tensor slow = engine.zeros(Device.CPU, 1);
      slow.await();
      final CountDownLatch end = new CountDownLatch(1);
      engine.submit(task -> end.await(), List.of(), List.of(slow));
      for (int i = 0; i < 500; ++i) {
        final Thread waiter = new Thread(null, slow::await, "waiter", 256 << 10);
        waiter.setDaemon(true);
        waiter.start();
      }
      Thread.sleep(1000);
      final long before = processorTime();
      Thread.sleep(2000);
      final long taken = processorTime() - before;
      check(taken < 500, "500 threads that wait take " + taken / 2 + " ms of a processor each second");
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void threadsThatWaitTakeNoProcessorTime() throws Exception {
    Child.run(ManyWaiters.class, List.of());
  }

  /** Another part of the program fills the heap now and then. */
  static final class FullHeap {
    private static volatile boolean over;

    private static void hog() {
      while (!over) {
        List<Object> taken = new ArrayList<>();
        try {
          while (!over) {
            taken.add(new byte[4096]);
          }
        } catch (OutOfMemoryError e) {
          try {
            while (!over) {
              taken.add(new byte[16]);
            }
          } catch (OutOfMemoryError again) {
            Threads.pause();
          }
        }
        taken = null;
        Threads.pause();
      }
    }

    private interface Use {
      void run() throws Exception;
    }

    /** Again and again; any failure is one of memory. */
    private static Thread play(Use use) {
      final Thread thread = new Thread(() -> {
        while (!over) {
          try {
            use.run();
          } catch (OutOfMemoryError | UserException | ExecutionException e) { // the caller's, or of a task
            Threads.pause();
          } catch (Throwable e) {
            while (true) {
              try {
                e.printStackTrace(System.out);
                Runtime.getRuntime().halt(1);
              } catch (OutOfMemoryError again) {
                Threads.pause();
              }
            }
          }
        }
      });
      thread.start();
      return thread;
    }

    public static void main(String[] arguments) throws Exception {
      final Engine engine = Engine.create();
      final Tensor x = engine.ones(Device.CPU, 64);
      x.await();
      final long before = engine.memory(Device.CPU).inUse();
      final List<Thread> threads = new ArrayList<>();
      threads.add(play(() -> {
        try (Variable held = engine.variable()) {
          engine.submit(task -> Threads.pause(), List.of(), List.of(held));
          held.awaitAsync().get(60, TimeUnit.SECONDS);
        }
      }));
      threads.add(play(() -> {
        try (Tensor y = x.add(1)) {
          y.toFloatArray();
        }
      }));
      threads.add(play(() -> {
        try (Tensor w = engine.empty(Device.CPU, DType.F32, 1)) {
          engine.submit(task -> task.output(0).buffer().putFloat(0, 1), List.of(), List.of(w));
          w.await();
        }
      }));
      final Thread hog = new Thread(FullHeap::hog);
      hog.start();
      final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Integer.parseInt(arguments[0]));
      while (System.nanoTime() - end < 0) {
        Threads.pause();
      }
      over = true;
      hog.join();
      for (final Thread thread : threads) {
        thread.join();
      }
      long used = Long.MAX_VALUE;
      for (int i = 0; i < 100 && used > before; ++i) {
        System.gc();
        Thread.sleep(10);
        used = engine.memory(Device.CPU).inUse();
      }
      check(used <= before, used - before + " bytes are nobody's");
      x.close();
      engine.close();
    }
  }

  @Test
  void aFullHeapLosesNoFutureAndNoMemory() throws Exception {
    Child.run(FullHeap.class, List.of("-Xmx64m", "-Ddev.rondo.leaks=off"), "3");
  }

  /** What is chained to a future hands over to whatever the virtual thread is to do next. */
  static final class BlockedContinuation {
    public static void main(String[] arguments) throws Exception {
      final Engine engine = Engine.create();
      final Tensor first = engine.zeros(Device.CPU, 1), second = engine.zeros(Device.CPU, 1);
      first.await();
      second.await();
      engine.submit(task -> Thread.sleep(100), List.of(), List.of(first));
      final BlockingQueue<Integer> handed = new ArrayBlockingQueue<>(1);
      first.awaitAsync().thenRun(() -> {
        try {
          handed.take();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      Thread.sleep(300);
      final CountDownLatch done = new CountDownLatch(1);
      final Runnable body = () -> {
        engine.submit(task -> Thread.sleep(50), List.of(), List.of(second));
        second.await();
        handed.add(1);
        done.countDown();
      };
      Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
      check(done.await(60, TimeUnit.SECONDS), "the virtual thread waits for a continuation that waits for it");
      Runtime.getRuntime().halt(0);
    }
  }

  /** Virtual threads close what another thread uses, and the only carrier is free meanwhile. */
  static final class ClosingVirtualThreads {
    private static Thread start(Runnable body) throws Exception {
      return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    }

    public static void main(String[] arguments) throws Exception {
      final Engine engine = Engine.create();
      final Tensor slow = engine.zeros(Device.CPU, 1);
      slow.await();
      final CountDownLatch end = new CountDownLatch(1);
      engine.submit(task -> end.await(), List.of(), List.of(slow));
      final Thread reader = new Thread(slow::await);
      reader.start();
      while (reader.getState() != Thread.State.TIMED_WAITING && reader.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
      final List<Thread> closers = new ArrayList<>();
      for (int i = 0; i < 8; ++i) {
        closers.add(start(slow::close));
      }
      while (!slow.isClosed()) {
        Thread.sleep(1);
      }
      start(end::countDown).join(30_000);
      check(end.getCount() == 0, "threads that wait for a call hold the carrier");
      for (final Thread closer : closers) {
        closer.join();
      }
      reader.join();
      engine.close();
    }
  }

  @Test
  void virtualThreadsThatCloseHoldNoCarrier() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from Java 21 on");
    Child.run(ClosingVirtualThreads.class, List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
  }

  private static final String CLOSING_WAITS = String.join("\n", "import dev.rondo.*;", "import java.util.*;", "import java.util.concurrent.*;",
      "import java.util.logging.*;", "class ClosingWaits {", "  public static void main(String[] arguments) throws Exception {",
      "    BlockingQueue<String> heard = new LinkedBlockingQueue<>();", "    Logger logger = Logger.getLogger(\"dev.rondo\");",
      "    logger.setUseParentHandlers(false);", "    logger.addHandler(new Handler() {",
      "      public void publish(LogRecord message) { heard.add(message.getMessage()); }", "      public void flush() {}",
      "      public void close() {}", "    });", "    Engine engine = Engine.create();", "    Tensor slow = engine.zeros(Device.CPU, 1);",
      "    slow.await();", "    CountDownLatch end = new CountDownLatch(1);", "    engine.submit(task -> end.await(), List.of(), List.of(slow));",
      "    Thread reader = new Thread(slow::await, \"the reader\");", "    reader.start();",
      "    while (reader.getState() == Thread.State.NEW || reader.getState() == Thread.State.RUNNABLE) Thread.sleep(1);",
      "    Thread closer = new Thread(slow::close);", "    closer.start();", "    System.out.println(heard.poll(60, TimeUnit.SECONDS));",
      "    end.countDown();", "    closer.join();", "    engine.close();", "  }", "}");

  @Test
  void closingNamesTheThreadThatItWaitsFor() throws Exception {
    final String out = Child.runSource("ClosingWaits", CLOSING_WAITS);
    assertTrue(out.contains("closing a tensor waits for a call of the thread the reader that uses it"), out);
  }

  @Test
  void aVirtualThreadWaitsWhileAContinuationBlocks() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads are there from Java 21 on");
    assertTrue(Child.run(BlockedContinuation.class, List.of()).isEmpty());
  }
}
