// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Model files: what is written is read; files of the Python package; what is refused. */
@Tag("device")
class ModelFileTest {
  private static final Path PYTHON = Path.of(System.getProperty("rondo.root"), "tests/models/files");

  private Engine engine = Engine.create();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    engine.close();
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#modes")
  void whatIsWrittenIsRead(Device device, EngineMode mode) {
    engine.close();
    engine = Engine.create(new EngineOptions().mode(mode));
    final Path path = folder.resolve("m\u00f6del.safetensors");
    try (Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(device, new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
      final Tensor b = engine.tensor(device, new long[] {-7}, 1);
      final Map<String, String> metadata = new LinkedHashMap<>();
      metadata.put("format", "rondo");
      metadata.put("\"", "\ud83d\ude00\n");
      ModelFile.write(path, Map.of("w\u00f6rter", w, "turned", w.transpose(), "b", b), metadata);

      final ModelFile file = ModelFile.open(path);
      assertEquals(List.of("b", "turned", "w\u00f6rter"), file.tensors().stream().map(ModelFile.Entry::name).collect(Collectors.toList()));
      assertEquals(List.copyOf(metadata.entrySet()), List.copyOf(file.metadata().entrySet()));
      final ModelFile.Entry turned = file.tensor("turned");
      assertEquals(DType.F32, turned.dtype());
      assertEquals("F32", turned.formatDtype());
      assertArrayEquals(new long[] {3, 2}, turned.shape());
      assertEquals(24, turned.bytes());
      assertEquals("turned: F32 [3, 2]", turned.toString());

      assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, file.load("turned", engine, device).toFloatArray());
      assertArrayEquals(new long[] {-7}, file.load("b", engine, device).toLongArray());
      final Tensor sum = engine.full(device, DType.F32, 10, 2, 3);
      file.loadInto("w\u00f6rter", sum.accumulator());
      file.close();
      assertArrayEquals(new float[] {11, 12, 13, 14, 15, 16}, sum.toFloatArray());
      assertEquals("ModelFile[closed]", file.toString());
      fails(InvalidStateException.class, file::tensors, "model file is closed");
    }
  }

  @Test
  void filesOfThePythonPackage() throws Exception {
    try (Scope scope = Scope.open()) {
      final ModelFile file = ModelFile.open(PYTHON.resolve("rondo.safetensors"));
      final Map<String, Tensor> loaded = new LinkedHashMap<>();
      for (final ModelFile.Entry each : file.tensors()) {
        loaded.put(each.name(), file.load(each.name(), engine, Device.CPU));
      }
      ModelFile.write(folder.resolve("again"), loaded, file.metadata());
      assertArrayEquals(Files.readAllBytes(PYTHON.resolve("rondo.safetensors")), Files.readAllBytes(folder.resolve("again")));

      final ModelFile every = ModelFile.open(PYTHON.resolve("dtypes.safetensors"));
      int lacking = 0;
      for (final ModelFile.Entry each : every.tensors()) {
        if (each.dtype() == null) {
          fails(UnsupportedException.class, () -> every.load(each.name(), engine, Device.CPU), each.name());
          ++lacking;
        } else {
          assertEquals(each.dtype(), every.load(each.name(), engine, Device.CPU).dtype());
        }
      }
      assertTrue(lacking > 5);
    }
  }

  @Test
  void whatIsWrongIsRefused() throws Exception {
    final Path path = folder.resolve("model");
    try (Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(Device.CPU, new float[] {1, 2});
      fails(IoException.class, () -> ModelFile.write(folder.resolve("missing/model"), Map.of("w", w)), "missing");
      fails(InvalidArgumentException.class, () -> ModelFile.write(path, Map.of("__metadata__", w)), "__metadata__");
      fails(InvalidArgumentException.class, () -> ModelFile.write(path, Map.of("w\0", w)), "character 0");
      assertTrue(Files.notExists(path));
      fails(NotFoundException.class, () -> ModelFile.open(path), "model");
      Files.write(path, new byte[] {3, 0, 0, 0, 0, 0, 0, 0, '{'});
      fails(IoException.class, () -> ModelFile.open(path), "header");

      ModelFile.write(path, Map.of("w", w));
      final ModelFile file = ModelFile.open(path);
      assertTrue(file.metadata().isEmpty());
      fails(NotFoundException.class, () -> file.tensor("b"), "'b'");
      fails(NotFoundException.class, () -> file.load("b", engine, Device.CPU), "'b'");
      fails(NullPointerException.class, () -> file.load(null, engine, Device.CPU));
      final Tensor other = engine.tensor(Device.CPU, new float[] {1, 2, 3});
      fails(InvalidArgumentException.class, () -> file.loadInto("w", other), "out");
      w.close();
      fails(InvalidStateException.class, () -> ModelFile.write(path, Map.of("w", w)), "closed");

      // Cut while it is open: an error of the tensor, no signal.
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        channel.truncate(20);
      }
      final Tensor cut = file.load("w", engine, Device.CPU);
      assertNull(fails(IoException.class, cut::await, "since it was opened").getCause());
      fails(IoException.class, engine::awaitAll);
    }
  }
}
