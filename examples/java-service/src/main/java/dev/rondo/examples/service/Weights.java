// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The trained network, in the host's memory, so that it can be put on another device when one is lost: 64 pixels, a hidden layer
 * with relu, 10 classes.
 */
record Weights(float[] weight1, float[] bias1, float[] weight2, float[] bias2) {
  int hidden() {
    return bias1.length;
  }

  /** What {@code digits --parameters} writes: the four arrays as f32, one behind the other. */
  static Weights read(Path file) throws IOException {
    final int row = Model.PIXELS + 1 + Model.CLASSES; // numbers for each hidden neuron
    final FloatBuffer data = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
    final int hidden = (data.limit() - Model.CLASSES) / row;
    if (hidden < 1 || hidden * row + Model.CLASSES != data.limit()) {
      throw new IOException(file + " has " + data.limit() + " numbers, which are no network from " + Model.PIXELS + " pixels to "
          + Model.CLASSES + " classes");
    }
    final Weights weights = new Weights(new float[Model.PIXELS * hidden], new float[hidden], new float[hidden * Model.CLASSES],
        new float[Model.CLASSES]);
    data.get(weights.weight1).get(weights.bias1).get(weights.weight2).get(weights.bias2);
    return weights;
  }
}
