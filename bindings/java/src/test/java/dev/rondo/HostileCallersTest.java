// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rondo.program.Overflow;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What callers do who run out of stack, change what they have given, keep what they were lent, or return what is no tensor. */
@Timeout(120)
class HostileCallersTest {
  @Test
  void closingComesBackAfterStackOverflow() throws Exception {
    final Engine engine = Engine.create();
    final Tensor x = engine.ones(Device.CPU, 3);
    final CountDownLatch overflowed = new CountDownLatch(1);
    final Thread overflows = Overflow.thread(engine, x, 300, overflowed);
    overflows.start();
    overflowed.await();
    overflows.interrupt();
    overflows.join();
    x.close();
    engine.close();
  }

  @Test
  void closingComesBackAfterStackOverflowOfAThreadThatGoesOn() throws Exception {
    final Engine engine = Engine.create();
    final Tensor x = engine.ones(Device.CPU, 3);
    final CountDownLatch overflowed = new CountDownLatch(1);
    final Thread goesOn = Overflow.thread(engine, x, 300, overflowed);
    goesOn.start();
    try {
      overflowed.await();
      final Thread closer = new Thread(() -> {
        x.close();
        engine.close();
      });
      closer.start();
      closer.join(60_000);
      assertFalse(closer.isAlive(), () -> Arrays.toString(closer.getStackTrace()));
    } finally {
      goesOn.interrupt();
      goesOn.join();
    }
  }

  @Test
  void aShapeThatChangesMeanwhileIsReadOnce() throws Exception {
    final VarHandle element = MethodHandles.arrayElementVarHandle(long[].class);
    final long[] shape = {1};
    final AtomicBoolean stop = new AtomicBoolean();
    final Thread changes = new Thread(() -> {
      while (!stop.get()) {
        element.setVolatile(shape, 0, 1L);
        element.setVolatile(shape, 0, 1L << 26);
      }
    });
    changes.start();
    try (Engine engine = Engine.create()) {
      final HostMemory one = HostMemory.of(new float[] {1});
      for (int i = 0; i < 50_000; ++i) {
        try (Tensor t = engine.tensor(Device.CPU, DType.F32, one, shape)) {
          assertEquals(1, t.elements());
        } catch (InvalidArgumentException e) {
          assertTrue(e.getMessage().contains("bytes"), e::toString);
        }
      }
    } finally {
      stop.set(true);
      changes.join();
    }
  }

  @Test
  void aTensorLentToAGradientCanBeUsedByAnotherThread() throws Exception {
    final AtomicReference<Tensor> lent = new AtomicReference<>();
    final AtomicBoolean stop = new AtomicBoolean();
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; ++i) {
      readers.add(new Thread(() -> {
        while (!stop.get()) {
          final Tensor tensor = lent.get();
          try {
            if (tensor != null) {
              tensor.toFloatArray();
            }
          } catch (InvalidStateException e) {
            Thread.onSpinWait(); // closed, as it should be
          } catch (Throwable e) {
            failure.set(e);
          }
        }
      }));
    }
    readers.forEach(Thread::start);
    try (Engine engine = Engine.create()) {
      for (int i = 0; i < 300; ++i) {
        try (Tensor x = engine.ones(Device.CPU, 1000); Tape tape = engine.tape(x); Tensor y = x.mul(2)) {
          Tape.customGradient("mine", List.of(x), List.of(y), gradients -> {
            lent.set(gradients.get(0));
            return List.of(gradients.get(0));
          });
          try (Tensor loss = y.sum(); Tensor gradient = tape.gradient(loss, x)) {
            assertEquals(1000, gradient.elements());
          }
        }
      }
    } finally {
      stop.set(true);
      for (final Thread each : readers) {
        each.join();
      }
    }
    assertEquals(null, failure.get());
  }

  /** What is done with a buffer that was kept reaches no memory of Rondo's. */
  static void assertEnded(ByteBuffer kept) {
    if (Runtime.version().feature() >= 22) {
      assertThrows(IllegalStateException.class, () -> kept.putInt(0, 7));
      assertThrows(IllegalStateException.class, () -> kept.getInt(0));
    } else {
      for (int i = 0; i < kept.capacity(); i += 4096) {
        kept.putInt(i, 7);
      }
    }
  }

  @Test
  void aBufferThatATaskKeptReachesNoTensor() {
    final Operand[] operand = {null};
    final ByteBuffer[] kept = {null, null};
    try (Engine engine = Engine.create(); Tensor x = engine.zeros(Device.CPU, 1 << 16); Variable other = engine.variable()) {
      engine.submit(context -> {
        operand[0] = context.output(0);
        kept[0] = operand[0].buffer();
        operand[0].buffer().putFloat(0, 1); // the same memory
        kept[0].putFloat(4, kept[0].getFloat(0) + 1);
      }, List.of(), List.of(x));
      assertArrayEquals(new float[] {1, 2, 0}, x.get(":3").copy().toFloatArray());
      engine.submit(context -> {
        kept[1] = context.buffer(x);
        kept[1].putFloat(8, 3);
      }, List.of(), List.of(x, other));
      assertArrayEquals(new float[] {1, 2, 3}, x.get(":3").copy().toFloatArray());
      assertEnded(kept[0]);
      assertEnded(kept[1]);
      assertArrayEquals(new float[] {1, 2, 3}, x.get(":3").copy().toFloatArray());
      assertThrows(InvalidStateException.class, operand[0]::buffer);
      x.close();
      engine.trimMemory(Device.CPU);
      assertEnded(kept[0]);
      assertEnded(kept[1]);
    }
  }

  @Test
  void aBufferOfATensorThatIsClosedMeanwhileStaysUntilTheTaskEnds() throws Exception {
    final float[] seen = {0};
    try (Engine engine = Engine.create(); Variable done = engine.variable(); Tensor x = engine.ones(Device.CPU, 1 << 20)) {
      x.await();
      engine.submit(context -> {
        final ByteBuffer buffer = context.buffer(x);
        x.close();
        engine.trimMemory(Device.CPU);
        seen[0] = buffer.getFloat(1 << 21);
      }, List.of(), List.of(done));
      done.await();
    }
    assertEquals(1, seen[0]);
  }

  @Test
  void aBufferOfAStageThatIsCompletedHasEnded() {
    final ByteBuffer[] kept = {null};
    try (Engine engine = Engine.create(); Tensor x = engine.zeros(Device.CPU, 1 << 16)) {
      final CompletableFuture<Void> stage = new CompletableFuture<>();
      final CompletableFuture<Void> began = new CompletableFuture<>();
      engine.submit(Task.async(context -> {
        kept[0] = context.output(0).buffer();
        began.complete(null);
        return stage;
      }), List.of(), List.of(x));
      began.join();
      kept[0].putFloat(0, 5);
      stage.complete(null);
      assertEquals(5, x.getFloat(0));
      assertEnded(kept[0]);
      assertEquals(5, x.getFloat(0));
    }
  }

  @Test
  void aStageThatCompletesTwiceOrThrowsAfterwardsEndsItsTaskOnce() {
    for (final boolean twice : new boolean[] {true, false}) {
      try (Engine engine = Engine.create(); Tensor x = engine.zeros(Device.CPU, 1)) {
        engine.submit(Task.async(context -> {
          context.output(0).buffer().putFloat(0, 3);
          return new CompletableFuture<Void>() {
            @Override
            public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
              action.accept(null, null);
              if (twice) {
                action.accept(null, new IllegalStateException("again"));
                return this;
              }
              throw new IllegalStateException("afterwards");
            }
          };
        }), List.of(), List.of(x));
        if (twice) {
          assertEquals(3, x.getFloat(0));
        } else {
          assertTrue(assertThrows(UserException.class, x::await).getMessage().contains("afterwards"));
        }
      }
    }
  }

  @Test
  void whatARecordingReturnsBesideTensorsIsHandedThrough(@TempDir Path folder) {
    try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 1)) {
      final Recorded<Path> path = engine.record(() -> folder.resolve("model.bin"));
      assertEquals(folder.resolve("model.bin"), path.value());
      final Recorded<Optional<Tensor>> some = engine.record(() -> Optional.of(x.add(1)));
      some.launch();
      assertEquals(2f, some.value().get().getFloat(0));
      some.value().get().close();
      final Recorded<Iterable<Tensor>> once = engine.record(() -> {
        final Iterator<Tensor> left = List.of(x).iterator();
        return (Iterable<Tensor>) () -> left;
      });
      assertTrue(once.value().iterator().hasNext(), "it was gone through");
      path.close();
      some.close();
      once.close();
    }
  }

  @Test
  void anEngineMadeInARecordingStaysAndOthersAreClosed() {
    final Engine[] made = {null};
    final Tensor[] temporary = {null};
    try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 2)) {
      final Graph graph = engine.record((Recording recording) -> {
        temporary[0] = x.add(1);
        made[0] = Engine.create();
        x.addInto(1, x);
      });
      assertTrue(temporary[0].isClosed());
      assertFalse(made[0].isClosed());
      made[0].close();
      graph.close();
    }
  }

  @Test
  void shapesWithAZeroAreShownShortly() {
    try (Engine engine = Engine.create()) {
      for (final long size : new long[] {1_000_000, 3_000_000_000L, (1L << 32) + 5}) {
        try (Tensor t = engine.empty(Device.CPU, DType.F32, size, 0)) {
          assertTrue(t.toString().length() < 200, () -> t.toString().length() + " characters");
          if (size > Integer.MAX_VALUE) {
            assertThrows(InvalidArgumentException.class, t::toArray);
          }
        }
      }
    }
  }

  @Test
  void pathsOfOtherFileSystemsAreRefused(@TempDir Path folder) throws Exception {
    try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 1);
        FileSystem zip = FileSystems.newFileSystem(java.net.URI.create("jar:" + folder.resolve("z.zip").toUri()), Map.of("create", "true"))) {
      final String name = "of_another_file_system";
      final Path inside = zip.getPath(name);
      engine.beginTrace();
      try (Graph graph = engine.record(() -> x.addInto(1, x))) {
        for (final Executable write : List.<Executable>of(() -> ModelFile.write(inside, Map.of("a", x)), () -> ModelFile.open(inside),
            () -> graph.dot(inside), () -> graph.profile(inside), () -> engine.endTrace(inside), () -> KernelCache.save(inside, 90),
            () -> KernelCache.load(inside), () -> Program.open(inside), () -> new ProgramWriter().function("f", graph).write(inside))) {
          final InvalidArgumentException refused = assertThrows(InvalidArgumentException.class, write);
          assertTrue(refused.getMessage().contains("default file system"), refused::getMessage);
        }
      }
      assertFalse(Files.exists(Path.of(name)));
      assertFalse(Files.exists(inside));
    }
  }

  @Test
  void messagesHaveTheSameDigitsAndLettersInEveryLocale() {
    final Locale before = Locale.getDefault();
    try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 12); GraphFunction none = engine.graphFunction(1, in -> List.of())) {
      for (final String locale : new String[] {"ar-EG-u-nu-arab", "tr-TR"}) {
        Locale.setDefault(Locale.forLanguageTag(locale));
        final RondoException wrong = assertThrows(RondoException.class, () -> none.call(x));
        assertTrue(wrong.getCause().getMessage().contains("gives 0 tensors; the graph function was made with 1"), wrong::toString);
        assertTrue(x.toString().contains("[12]") && x.info().toString().contains("bytes=48"), x::toString);
        assertTrue(assertThrows(InvalidArgumentException.class, () -> x.get("99")).getMessage().contains("99"));
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void aListThatHoldsItselfIsHandedThrough() {
    try (Engine engine = Engine.create(); Tensor x = engine.ones(Device.CPU, 1)) {
      final Recorded<List<Object>> graph = engine.record(() -> {
        final List<Object> itself = new ArrayList<>();
        itself.add(x.add(1));
        itself.add(itself);
        return itself;
      });
      graph.launch();
      assertEquals(2f, ((Tensor) graph.value().get(0)).getFloat(0));
      ((Tensor) graph.value().get(0)).close();
      graph.close();
    }
  }

  @Test
  void factsAndOptionsAreEqualByWhatTheyHold() {
    try (Engine engine = Engine.create(); Tensor a = engine.ones(Device.CPU, 2); Tensor b = engine.ones(Device.CPU, 2); Tensor c = engine.ones(Device.CPU, 3)) {
      assertEquals(a.info(), b.info());
      assertEquals(a.info().hashCode(), b.info().hashCode());
      assertNotEquals(a.info(), c.info());
      assertEquals(Rondo.feature("cuda"), Rondo.feature("cuda"));
      assertEquals(Rondo.feature("cuda").hashCode(), Rondo.feature("cuda").hashCode());
      assertNotEquals(Rondo.feature("cuda"), Rondo.feature("nccl"));
      assertEquals(Device.parse("cpu:0"), Device.CPU);
      assertEquals(new EngineOptions(), new EngineOptions());
      assertEquals(new EngineOptions().workers(3).hashCode(), new EngineOptions().workers(3).hashCode());
      assertNotEquals(new EngineOptions(), new EngineOptions().workers(3));
      assertTrue(new EngineOptions().workers(3).toString().contains("workers=3"));
    }
  }
}
