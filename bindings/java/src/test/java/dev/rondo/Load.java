// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A program of {@link LoadTest}: threads use objects that others close and replace, engines too, while the collector runs all the time. A use
 * gives what it should, or says that the object is closed; any other exception ends the program with 1.
 */
final class Load {
  private static final int ENGINES = 2;
  private static final int SLOTS = 16; // tensors of each engine
  private static final float VALUE = 3;
  private static final int LEAST = 1000; // uses that count as a load: a busy machine gives no processor for seconds
  private static final long PATIENCE = 60_000_000_000L; // for these, beyond the end

  /** An engine and what was made with it. */
  private static final class World {
    final Engine engine = Engine.create(new EngineOptions().workers(2));
    final AtomicReferenceArray<Tensor> tensors = new AtomicReferenceArray<>(SLOTS);
    final Recorded<Tensor> graph;

    World(Random random) {
      for (int i = 0; i < SLOTS; ++i) {
        tensors.set(i, make(random));
      }
      try (Tensor x = make(random)) {
        graph = engine.record(() -> x.mul(1).add(0));
      }
    }

    Tensor make(Random random) {
      return engine.full(Device.CPU, DType.F32, VALUE, 1 + random.nextInt(500));
    }
  }

  private final AtomicReferenceArray<World> worlds = new AtomicReferenceArray<>(ENGINES);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final AtomicLong uses = new AtomicLong();
  private final AtomicLong refusals = new AtomicLong();
  private final long end;

  private Load(long seconds) {
    end = System.nanoTime() + seconds * 1_000_000_000L;
    for (int i = 0; i < ENGINES; ++i) {
      worlds.set(i, new World(new Random(i)));
    }
  }

  public static void main(String[] arguments) throws Exception {
    final int threads = Integer.parseInt(arguments[1]);
    final boolean virtual = arguments[2].equals("virtual");
    final Load load = new Load(Long.parseLong(arguments[0]));
    final CountDownLatch left = new CountDownLatch(threads);
    for (int i = 0; i < threads; ++i) {
      final Random random = new Random(i);
      final Runnable body = () -> {
        load.play(random);
        left.countDown();
      };
      if (virtual) {
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
      } else {
        new Thread(body, "load-" + i).start();
      }
    }
    while (left.getCount() > 0) {
      System.gc();
      load.replaceEngine(new Random());
      Thread.sleep(20);
      if (System.nanoTime() - load.end > 2 * PATIENCE) {
        Thread.getAllStackTraces().forEach((thread, frames) -> System.out.println(thread + " " + Arrays.toString(frames)));
        System.out.println(left.getCount() + " threads hang");
        Runtime.getRuntime().halt(1);
      }
    }
    for (int i = 0; i < ENGINES; ++i) {
      load.worlds.get(i).engine.close();
    }
    if (load.failure.get() != null) {
      load.failure.get().printStackTrace(System.out);
      Runtime.getRuntime().halt(1);
    }
    final double seconds = ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() / 1e3; // what uses are to be seen beside
    System.out.println("uses " + load.uses + " refusals " + load.refusals + " in " + seconds + " s of the processors");
  }

  /** Makes another engine in the place of one, which is closed while threads use it. */
  private void replaceEngine(Random random) {
    worlds.getAndSet(random.nextInt(ENGINES), new World(random)).engine.close();
  }

  private void play(Random random) {
    for (long late = System.nanoTime() - end; (late < 0 || late < PATIENCE && uses.get() < LEAST) && failure.get() == null;
        late = System.nanoTime() - end) {
      final World world = worlds.get(random.nextInt(ENGINES));
      try {
        use(world, random);
        uses.incrementAndGet();
      } catch (InvalidStateException e) { // closed meanwhile, which is what is played
        refusals.incrementAndGet();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }
  }

  private static void check(float[] values) {
    for (final float each : values) {
      if (each != VALUE) {
        throw new AssertionError(each + " among " + values.length + " elements");
      }
    }
  }

  private void use(World world, Random random) {
    final int slot = random.nextInt(SLOTS);
    final Tensor x = world.tensors.get(slot);
    switch (random.nextInt(13)) {
      case 0: // a new one, which others find; the collector finds some of the old ones
        world.tensors.set(slot, world.make(random));
        if (random.nextBoolean()) {
          x.close();
        }
        break;
      case 1:
        try (Tensor y = x.mul(2); Tensor z = y.sub(x)) {
          check(z.toFloatArray());
        }
        break;
      case 2:
        try (Tensor y = x.add(x)) {
          y.await();
        }
        break;
      case 3:
        check(x.toFloatArray());
        break;
      case 4:
        try (Tensor first = x.get(":1")) {
          check(first.toFloatArray());
        }
        break;
      case 5: // a task that keeps nothing of what it is lent
        try (Tensor y = world.engine.empty(Device.CPU, DType.F32, x.shape())) {
          world.engine.submit(context -> context.output(0).buffer().put(context.input(0).buffer()), List.of(x), List.of(y));
          check(y.toFloatArray());
        }
        break;
      case 6: // one that others complete
        world.engine.submit(Task.async(context -> {
          final ByteBuffer from = context.input(0).buffer();
          return CompletableFuture.runAsync(() -> from.getFloat(0));
        }), List.of(x), List.of());
        break;
      case 7:
        x.awaitAsync().whenComplete((nothing, thrown) -> uses.incrementAndGet());
        break;
      case 8:
        world.graph.launch();
        check(world.graph.value().toFloatArray());
        break;
      case 9:
        if (!x.toString().startsWith("Tensor[")) {
          throw new AssertionError(x);
        }
        break;
      case 10:
        x.mul(1); // for the collector
        break;
      case 11:
        gradient(world, x);
        break;
      default:
        try (Recorded<Tensor> own = world.engine.record(() -> x.mul(1)); Tensor y = own.value()) {
          own.launch();
          check(y.toFloatArray());
        }
    }
  }

  private static void gradient(World world, Tensor x) {
    try (Tape tape = world.engine.tape(x); Tensor y = x.mul(VALUE); Tensor sum = y.sum()) {
      final List<Tensor> made = new ArrayList<>();
      Tape.customGradient("threefold", List.of(x), List.of(y), gradients -> {
        made.add(gradients.get(0).mul(VALUE));
        return made;
      });
      try (Tensor gradient = tape.gradient(sum, x)) {
        check(gradient.toFloatArray());
      }
    }
  }
}
