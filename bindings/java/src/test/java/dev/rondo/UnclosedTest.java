// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors that nobody closes: memory that runs out is looked for among them first, before the program, or the machine, is out of it. */
@Tag("device")
class UnclosedTest {
  private static final long MIB = 1 << 20;

  /** What runs in a process of its own, with a small heap: prints the most that it had resident. */
  static final class Program {
    private static final long TOO_MUCH = 2 << 20; // KiB: ends before the machine suffers

    private static long peak() throws Exception {
      return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmHWM"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
    }

    public static void main(String[] arguments) throws Exception {
      final int tensors = Integer.parseInt(arguments[0]);
      try (Engine engine = Engine.create()) {
        final Tensor a = engine.full(Device.CPU, DType.F32, 1, Long.parseLong(arguments[1]) / Float.BYTES);
        Tensor last = a;
        for (int i = 0; i < tensors / 2 && peak() < TOO_MUCH; ++i) {
          last = a.mul(2).add(1);
        }
        last.await();
        engine.awaitAll();
        System.out.println(peak() / 1024 + " " + engine.memory(Device.CPU).limit() + " " + last.slice(0, 0, 1, 1).item());
      }
    }
  }

  private static String[] run(String limit, String... arguments) throws Exception {
    return Child.run(Program.class, List.of("-Xmx256m", "-Ddev.rondo.memoryLimit=" + limit, "-Ddev.rondo.leaks=off"), arguments).split("\\s+");
  }

  @Test
  void oneHundredThousandOfThemEndFlat() throws Exception {
    final String[] result = run("128m", "100000", "65536"); // 6.4 GB in all
    assertTrue(Long.parseLong(result[0]) < 700, "the process had " + result[0] + " MiB");
    assertEquals(128 * MIB, Long.parseLong(result[1]));
    assertEquals(3, Double.parseDouble(result[2]));
  }

  @Test
  void largeOnesGoOnAtTheLimit() throws Exception {
    final String[] result = run("256M", "4000", "1048576"); // 4 GB in all
    assertTrue(Long.parseLong(result[0]) < 900, "the process had " + result[0] + " MiB");
    assertEquals(3, Double.parseDouble(result[2]));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void anEnginesLimitIsKeptByGarbage(Device device, EngineMode mode) {
    try (Engine engine = Engine.create(new EngineOptions().mode(mode).memoryLimit(24 * MIB).maxTasks(4)); Scope scope = Scope.open()) {
      final Tensor a = engine.full(device, DType.F32, 1, MIB / Float.BYTES);
      final Thread thread = new Thread(() -> { // no scope there
        for (int i = 0; i < 300; ++i) {
          assertEquals(3, a.mul(2).add(1).max().item());
        }
      });
      final List<Throwable> thrown = new ArrayList<>();
      thread.setUncaughtExceptionHandler((ignored, e) -> thrown.add(e));
      thread.start();
      join(thread);
      assertEquals(List.of(), thrown);
      assertTrue(engine.memory(device).retries() > 0);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatIsInUseIsNotGarbage() {
    try (Engine engine = Engine.create(new EngineOptions().memoryLimit(8 * MIB)); Scope scope = Scope.open()) {
      final List<Tensor> held = new ArrayList<>();
      fails(OutOfMemoryException.class, () -> {
        for (int i = 0; i < 20; ++i) {
          held.add(engine.full(Device.CPU, DType.F32, i, MIB / Float.BYTES));
          held.get(i).await();
        }
      }, "out of memory on cpu:0", "limit 8");
      assertEquals(3, held.get(3).slice(0, 7, 8, 1).toFloatArray()[0], "what is there is intact");
    }
  }

  @Test
  void theDefaultLimitIsHalfOfTheMachine() {
    try (Engine engine = Engine.create(); Tensor a = engine.full(Device.CPU, DType.F32, 1, 4)) {
      a.await();
      assertEquals(Device.CPU.info().totalMemory() / 2, engine.memory(Device.CPU).limit());
    }
    assertEquals(512 * MIB, Reclaim.limit("512m"));
    assertEquals(3 << 10, Reclaim.limit("3K"));
    assertEquals(0, Reclaim.limit("0"));
    assertEquals(17, Reclaim.limit("17"));
    assertEquals(Long.MAX_VALUE, Reclaim.limit("999999999999g"));
    for (final String wrong : List.of("", "-1", "1.5g", "lots", "1t")) {
      fails(InvalidArgumentException.class, () -> Reclaim.limit(wrong), "dev.rondo.memoryLimit", "'" + wrong + "'", "512m");
    }
  }
}
