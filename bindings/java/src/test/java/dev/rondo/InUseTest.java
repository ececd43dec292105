// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Uses and closing at once: nothing is destroyed in use, twice or never. Objects here know when they are destroyed, in place of C. */
@Timeout(300)
class InUseTest {
  private static final int THREADS = 32;

  /** An object whose destroyer only counts. */
  private static final class Probe extends NativeObject {
    final AtomicInteger destroyed;

    Probe(Gate gate) {
      this(gate, new AtomicInteger());
    }

    private Probe(Gate gate, AtomicInteger destroyed) {
      super("probe", 1, gate, address -> destroyed.incrementAndGet());
      this.destroyed = destroyed;
    }

    void alive() {
      assertEquals(0, destroyed.get(), "destroyed in use");
    }
  }

  /** What a thread does to objects that all threads share. */
  private static void play(Probe[] shared, Gate gate, ExecutorService others, Random random, AtomicReference<Throwable> failure) {
    for (int i = 0; i < 400; ++i) {
      final int at = random.nextInt(shared.length);
      final Probe a = shared[at];
      final Probe b = shared[random.nextInt(shared.length)];
      try {
        switch (random.nextInt(8)) {
          case 0: // a new one, which others find
            shared[at] = new Probe(gate);
            a.close();
            assertEquals(1, a.destroyed.get(), "close returns before it is destroyed");
            break;
          case 1: // inside a function of the user, where nothing is waited for
            ++ThreadState.current().calls;
            try {
              a.close();
            } finally {
              --ThreadState.current().calls;
            }
            break;
          case 2: // ends in another thread
            a.handle.pin();
            others.execute(() -> {
              try {
                a.alive();
              } catch (Throwable e) {
                failure.set(e);
              }
              a.handle.unpin();
            });
            break;
          case 3: // a call inside a call
            a.acquire();
            try {
              use(b, a, new Probe(gate));
              a.alive();
            } finally {
              a.release();
            }
            break;
          case 4: // more than fit at first
            final NativeObject[] many = new NativeObject[40];
            Arrays.setAll(many, j -> j % 2 == 0 ? a : b);
            final NativeObject.Uses uses = NativeObject.use(many);
            try {
              a.alive();
              b.alive();
            } finally {
              uses.end();
            }
            break;
          default:
            use(a, b, null);
        }
      } catch (InvalidStateException e) {
        assertTrue(e.getMessage().contains("probe is closed"), e.getMessage());
      }
    }
  }

  private static void use(Probe a, Probe b, Probe c) {
    final InUse inUse = InUse.current();
    inUse.begin(a, b, c);
    try {
      a.alive();
      Thread.onSpinWait();
      b.alive();
    } finally {
      inUse.end(a, b, c);
    }
    if (c != null) {
      c.close();
    }
  }

  private static void everybodyPlays(ThreadFactory factory, long seed) throws Exception {
    final Gate gate = new Gate();
    final Probe[] shared = new Probe[6];
    Arrays.setAll(shared, i -> new Probe(gate));
    final Probe[] first = shared.clone();
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final ExecutorService others = Executors.newFixedThreadPool(2);
    final List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; ++t) {
      final Random random = new Random(seed * THREADS + t);
      threads.add(factory.newThread(() -> {
        try {
          play(shared, gate, others, random, failure);
        } catch (Throwable e) {
          failure.set(e);
        }
      }));
      threads.get(t).start();
    }
    for (final Thread thread : threads) {
      thread.join();
    }
    others.shutdown();
    assertTrue(others.awaitTermination(60, TimeUnit.SECONDS));
    assertNull(failure.get(), () -> "seed " + seed + ": " + failure.get());
    for (final Probe[] some : new Probe[][] {first, shared}) {
      for (final Probe each : some) {
        assertEquals(each.isClosed() ? 1 : 0, each.destroyed.get(), "the last use destroys what is closed, once");
        each.close();
        assertEquals(1, each.destroyed.get());
      }
    }
    gate.close();
    assertFalse(gate.enter());
  }

  /** One begins a use while another closes, as close together as two threads get: what orders them is a fence on either side. */
  @Test
  void aUseThatBeginsWithTheClosing() throws Exception {
    final int rounds = 50_000;
    final Gate gate = new Gate();
    final Probe[] probes = new Probe[rounds];
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final AtomicInteger used = new AtomicInteger();
    final AtomicInteger refused = new AtomicInteger();
    final CyclicBarrier together = new CyclicBarrier(2);
    Arrays.setAll(probes, i -> new Probe(gate));
    final Thread user = new Thread(() -> {
      try {
        final InUse inUse = InUse.current();
        together.await();
        for (final Probe each : probes) {
          try {
            inUse.begin(each);
          } catch (InvalidStateException e) {
            refused.incrementAndGet();
            continue;
          }
          try {
            each.alive();
            used.incrementAndGet();
          } finally {
            inUse.end(each);
          }
        }
      } catch (Throwable e) {
        failure.set(e);
      }
    });
    user.start();
    together.await();
    for (int i = 0; i < rounds; ++i) {
      probes[i].close();
      assertEquals(1, probes[i].destroyed.get());
      while (used.get() + refused.get() < i && user.isAlive()) { // stays beside it
        Thread.onSpinWait();
      }
    }
    user.join();
    assertNull(failure.get(), () -> String.valueOf(failure.get()));
    assertEquals(rounds, used.get() + refused.get());
  }

  @Test
  void thirtyTwoThreadsUseAndCloseAtRandom() throws Exception {
    for (long seed = 0; seed < 8; ++seed) {
      everybodyPlays(Thread::new, seed);
    }
  }

  @Test
  void virtualThreadsDoToo() throws Exception {
    final ThreadFactory factory;
    try {
      final Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      factory = (ThreadFactory) Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    } catch (NoSuchMethodException e) {
      return; // before Java 21 there are none
    }
    final AtomicInteger turn = new AtomicInteger();
    everybodyPlays(factory, 100);
    everybodyPlays(work -> turn.getAndIncrement() % 2 == 0 ? new Thread(work) : factory.newThread(work), 101);
  }

  /** An engine that is closed meanwhile: its own end comes after all uses, and none begins after it. */
  @Test
  void aGateClosesAfterTheUsesOfItsObjects() throws Exception {
    for (int round = 0; round < 100; ++round) {
      final Gate gate = new Gate();
      final Probe probe = new Probe(gate);
      final AtomicInteger closed = new AtomicInteger();
      final AtomicReference<Throwable> failure = new AtomicReference<>();
      final List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; ++t) {
        threads.add(new Thread(() -> {
          try {
            for (;;) {
              probe.acquire();
              try {
                assertEquals(0, closed.get(), "used after its engine was closed");
              } finally {
                probe.release();
              }
            }
          } catch (InvalidStateException e) {
            if (!e.getMessage().equals("the engine of this probe is closed")) {
              failure.set(e);
            }
          } catch (Throwable e) {
            failure.set(e);
          }
        }));
        threads.get(t).start();
      }
      Thread.sleep(0, 1 + round * 5000);
      gate.close();
      closed.set(1);
      for (final Thread thread : threads) {
        thread.join();
      }
      assertNull(failure.get(), () -> String.valueOf(failure.get()));
      probe.close();
    }
  }

  /** The same with real ones: the library says of an address that was destroyed that it is none of its objects'. */
  @Test
  void thirtyTwoThreadsUseAndCloseTensorsAtRandom() throws Exception {
    final Engine engine = Engine.create();
    final Tensor[] shared = new Tensor[8];
    Arrays.setAll(shared, i -> engine.tensor(Device.CPU, new float[] {i, 1}));
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final AtomicInteger done = new AtomicInteger();
    final List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; ++t) {
      final Random random = new Random(t);
      threads.add(new Thread(() -> {
        try {
          for (int i = 0; i < 300; ++i) {
            final int at = random.nextInt(shared.length);
            final Tensor a = shared[at];
            try {
              if (random.nextInt(4) == 0) {
                shared[at] = a.add(1);
                a.close();
              } else {
                Operators.binary(BinaryOp.ADD, a, shared[random.nextInt(shared.length)], null).close();
              }
              done.incrementAndGet();
            } catch (InvalidStateException e) {
              assertTrue(e.getMessage().contains("tensor is closed"), e.getMessage());
              shared[at] = engine.tensor(Device.CPU, new float[] {i, 1});
            }
          }
        } catch (Throwable e) {
          failure.set(e);
        }
      }));
      threads.get(t).start();
    }
    for (final Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get(), () -> String.valueOf(failure.get()));
    assertTrue(done.get() > THREADS, () -> done + " calls");
    engine.awaitAll();
    engine.close();
    fails(InvalidStateException.class, () -> shared[0].add(1), "closed");
  }

  /** What a thread made is kept when it has ended, and its places serve another one. */
  @Test
  void whatThreadsLeaveIsKept() throws Exception {
    final Gate gate = new Gate();
    final List<AtomicInteger> counts = new ArrayList<>();
    for (int t = 0; t < 20; ++t) {
      final Thread thread = new Thread(() -> {
        for (int i = 0; i < 200; ++i) { // more than the first places
          counts.add(new Probe(gate).destroyed);
        }
      });
      thread.start();
      thread.join();
    }
    for (int i = 0; counts.stream().anyMatch(each -> each.get() == 0); ++i) {
      assertTrue(i < 600, "not all that was abandoned is destroyed");
      System.gc();
      Thread.sleep(10);
    }
    Thread.sleep(20);
    assertTrue(counts.stream().allMatch(each -> each.get() == 1));
  }

  /** Runs in threads that stay until the body is over, after each other. */
  private static void withThreads(int number, IntConsumer inEach, Runnable body) throws Exception {
    final List<Thread> threads = new ArrayList<>();
    final CountDownLatch end = new CountDownLatch(1);
    try {
      for (int t = 0; t < number; ++t) {
        final int mine = t;
        final CountDownLatch done = new CountDownLatch(1);
        final Thread thread = new Thread(null, () -> {
          inEach.accept(mine);
          done.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            return;
          }
        }, "user", 128 << 10);
        thread.start();
        threads.add(thread);
        done.await();
      }
      body.run();
    } finally {
      end.countDown();
      for (final Thread thread : threads) {
        thread.join();
      }
    }
  }

  /** With ten times as many threads, each with an object that another one used too, all closings look at ten times as many, not a hundred. */
  @Test
  void aCloserLooksAtThoseWhoUsedTheObject() throws Exception {
    for (final int number : new int[] {60, 600}) {
      final Gate gate = new Gate();
      final Probe[] probes = new Probe[number];
      final Probe everybodys = new Probe(gate);
      withThreads(number, mine -> {
        probes[mine] = new Probe(gate);
        use(probes[mine], everybodys, null);
        if (mine > 0) {
          use(probes[mine - 1], everybodys, null);
        }
      }, () -> {
        int looked = 0;
        for (final Probe each : probes) {
          looked += each.handle.looksAt();
          each.close();
          assertEquals(1, each.destroyed.get());
        }
        assertTrue(looked <= 4 * number, looked + " looks");
        final int looks = everybodys.handle.looksAt();
        assertTrue(looks >= number && looks <= InUse.threads() + 1, looks + " looks");
        everybodys.close();
      });
    }
  }

  /** Of threads that come, use an object and end, the object keeps a few. */
  @Test
  void aCloserDoesNotLookAtThreadsThatHaveEnded() throws Exception {
    final Gate gate = new Gate();
    final Probe probe = new Probe(gate);
    for (int i = 0; i < 200; ++i) {
      final Thread thread = new Thread(() -> use(probe, probe, null));
      thread.start();
      thread.join();
    }
    assertTrue(probe.handle.looksAt() <= 5, () -> probe.handle.looksAt() + " looks");
    probe.close();
    assertEquals(1, probe.destroyed.get());
  }

  /** A use that was lost with its thread is not waited for. */
  @Test
  void aThreadThatHasEndedUsesNothing() throws Exception {
    final Gate gate = new Gate();
    final Probe probe = new Probe(gate);
    final Thread thread = new Thread(() -> InUse.current().begin(probe));
    thread.start();
    thread.join();
    probe.close();
    assertEquals(1, probe.destroyed.get());
    gate.close();
  }

  /** The common pool of newer versions of Java clears what is local to its threads between tasks. */
  @Test
  void whatThreadsForgetIsGivenUp() throws Exception {
    final Gate gate = new Gate();
    final Probe probe = new Probe(gate);
    probe.acquire();
    probe.release();
    final int before = InUse.threads();
    final Thread forgetful = new Thread(() -> {
      for (int i = 0; i < 50; ++i) {
        new InUse(); // as if it had forgotten
      }
    });
    forgetful.start();
    forgetful.join();
    for (int i = 0; i < 50; ++i) {
      ForkJoinPool.commonPool().submit(() -> {
        probe.acquire();
        new Probe(gate).close();
        probe.release();
      }).join();
      Thread.sleep(1);
    }
    final int most = before + 1 + ForkJoinPool.commonPool().getParallelism() + 2; // and what other tests left
    assertTrue(InUse.threads() <= Math.max(16, 2 * most), () -> InUse.threads() + " threads, " + before + " before");
    probe.close();
    assertEquals(1, probe.destroyed.get());
  }
}
