// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Activation;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.NotFoundException;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The trained network for digits: 64 pixels, a hidden layer with relu, 10 classes. */
record Weights(float[] weight1, float[] bias1, float[] weight2, float[] bias2) implements Network {
  /** Pixels of an image: 8 rows of 8, from 0 (paper) to 1 (ink). */
  static final int PIXELS = 64;

  /** The digits 0 to 9. */
  static final int CLASSES = 10;

  /** From this probability on the network is sure. Of digits that it has not seen it is of nearly all, and nearly always right then. */
  static final float SURE = 0.9f;

  int hidden() {
    return bias1.length;
  }

  /** What {@code digits --parameters} writes: a safetensors file with w1, b1, w2, b2. */
  static Weights read(Path path) throws IOException {
    try (ModelFile file = ModelFile.open(path); Engine engine = Engine.create()) {
      final long[] shape = file.tensor("w1").shape();
      final long hidden = shape.length == 2 ? shape[1] : 0;
      return new Weights(load(engine, file, "w1", PIXELS, hidden), load(engine, file, "b1", hidden),
          load(engine, file, "w2", hidden, CLASSES), load(engine, file, "b2", CLASSES));
    } catch (NotFoundException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static float[] load(Engine engine, ModelFile file, String name, long... shape) throws IOException {
    final ModelFile.Entry entry = file.tensor(name);
    if (entry.dtype() != DType.F32 || !Arrays.equals(entry.shape(), shape) || entry.bytes() == 0) {
      throw new IOException(entry + " is not part of a network from " + PIXELS + " pixels to " + CLASSES + " classes");
    }
    try (Tensor tensor = file.load(name, engine, Device.CPU)) {
      return tensor.toFloatArray();
    }
  }

  @Override
  public String name() {
    return "digits";
  }

  @Override
  public int pixels() {
    return PIXELS;
  }

  @Override
  public int classes() {
    return CLASSES;
  }

  @Override
  public List<Tensor> upload(Engine engine, Device device) {
    return List.of(engine.tensor(device, weight1, PIXELS, hidden()), engine.tensor(device, bias1),
        engine.tensor(device, weight2, hidden(), CLASSES), engine.tensor(device, bias2));
  }

  @Override
  public Tensor probabilities(List<Tensor> weights, Tensor images) {
    final Tensor hidden = images.matmul(weights.get(0), new MatmulOptions().bias(weights.get(1)).activation(Activation.RELU));
    return hidden.matmul(weights.get(2), new MatmulOptions().bias(weights.get(3))).softmax(1);
  }
}
