// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.ModelFile;
import dev.rondo.NotFoundException;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The trained network, in the host's memory, so that it can be put on another device when one is lost: 64 pixels, a hidden layer
 * with relu, 10 classes.
 */
record Weights(float[] weight1, float[] bias1, float[] weight2, float[] bias2) {
  int hidden() {
    return bias1.length;
  }

  /** What {@code digits --parameters} writes: a safetensors file with w1, b1, w2, b2. */
  static Weights read(Path path) throws IOException {
    try (ModelFile file = ModelFile.open(path); Engine engine = Engine.create()) {
      final long[] shape = file.tensor("w1").shape();
      final long hidden = shape.length == 2 ? shape[1] : 0;
      return new Weights(load(engine, file, "w1", Model.PIXELS, hidden), load(engine, file, "b1", hidden),
          load(engine, file, "w2", hidden, Model.CLASSES), load(engine, file, "b2", Model.CLASSES));
    } catch (NotFoundException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static float[] load(Engine engine, ModelFile file, String name, long... shape) throws IOException {
    final ModelFile.Entry entry = file.tensor(name);
    if (entry.dtype() != DType.F32 || !Arrays.equals(entry.shape(), shape) || entry.bytes() == 0) {
      throw new IOException(entry + " is not part of a network from " + Model.PIXELS + " pixels to " + Model.CLASSES + " classes");
    }
    try (Tensor tensor = file.load(name, engine, Device.CPU)) {
      return tensor.toFloatArray();
    }
  }
}
