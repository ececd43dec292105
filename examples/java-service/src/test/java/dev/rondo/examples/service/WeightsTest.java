// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.ModelFile;
import dev.rondo.RondoException;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of the model: the one that the C example wrote, and files that have something else. */
class WeightsTest {
  @TempDir
  private Path folder;

  private void write(Path file, int pixels, int hidden, int classes) {
    try (Engine engine = Engine.create(); Tensor w1 = engine.full(Device.CPU, DType.F32, 1, pixels, hidden);
        Tensor b1 = engine.full(Device.CPU, DType.F32, 2, hidden); Tensor w2 = engine.full(Device.CPU, DType.F32, 3, hidden, classes);
        Tensor b2 = engine.full(Device.CPU, DType.F32, 4, classes)) {
      ModelFile.write(file, Map.of("w1", w1, "b1", b1, "w2", w2, "b2", b2));
    }
  }

  @Test
  void whatTheExampleWrote() throws Exception {
    assertEquals(128, Weights.read(Path.of(System.getProperty("service.model"))).hidden());
    final Path small = folder.resolve("small.safetensors");
    write(small, 64, 3, 10);
    final Weights weights = Weights.read(small);
    assertEquals(3, weights.hidden());
    assertEquals(192, weights.weight1().length);
    assertEquals(4, weights.bias2()[9]);
  }

  @Test
  void somethingElse() throws Exception {
    final Path file = folder.resolve("other.safetensors");
    assertThrows(IOException.class, () -> Weights.read(file));
    Files.writeString(file, "no model");
    assertThrows(RondoException.class, () -> Weights.read(file));
    write(file, 65, 3, 10);
    final IOException thrown = assertThrows(IOException.class, () -> Weights.read(file));
    assertTrue(thrown.getMessage().contains("w1") && thrown.getMessage().contains("not part of a network from 64 pixels"), thrown.getMessage());
    write(file, 64, 3, 9);
    assertThrows(IOException.class, () -> Weights.read(file));
  }
}
