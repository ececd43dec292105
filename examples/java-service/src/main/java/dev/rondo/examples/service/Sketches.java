// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Activation;
import dev.rondo.ConvolutionOptions;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.NotFoundException;
import dev.rondo.Operators;
import dev.rondo.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The network for sketches, with its trained weights: 28 x 28 pixels, three convolutions that halve each side, a hidden layer, and 11 classes, the
 * digits and none of them. {@link Training} makes its file.
 */
record Sketches(List<float[]> weights, float sure) implements Network {
  /** Pixels of a sketch: rows from the top, from 0 (paper) to 1 (ink). */
  static final int PIXELS = Ink.SIDE * Ink.SIDE;

  /** What is no digit: the class behind them. */
  static final int NONE = 10;

  /** The digits, and none. */
  static final int CLASSES = NONE + 1;

  private static final Map<String, long[]> SHAPES = new LinkedHashMap<>();

  static {
    SHAPES.put("fine.weight", new long[] {16, 1, 5, 5});
    SHAPES.put("fine.bias", new long[] {16});
    SHAPES.put("middle.weight", new long[] {32, 16, 3, 3});
    SHAPES.put("middle.bias", new long[] {32});
    SHAPES.put("coarse.weight", new long[] {40, 32, 3, 3});
    SHAPES.put("coarse.bias", new long[] {40});
    SHAPES.put("hidden.weight", new long[] {40 * 4 * 4, 48});
    SHAPES.put("hidden.bias", new long[] {48});
    SHAPES.put("classes.weight", new long[] {48, CLASSES});
    SHAPES.put("classes.bias", new long[] {CLASSES});
  }

  /** Shapes of the weights, in the order in which they are needed, by name. */
  static Map<String, long[]> shapes() {
    return SHAPES;
  }

  /** The file that this program has with it. */
  static Sketches read() throws IOException {
    final Path file = Files.createTempFile("sketches", ".safetensors");
    try (InputStream in = Sketches.class.getResourceAsStream("sketches.safetensors")) {
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return read(file);
    } finally {
      Files.delete(file);
    }
  }

  /** What {@link Training} wrote. */
  static Sketches read(Path path) throws IOException {
    try (ModelFile file = ModelFile.open(path); Engine engine = Engine.create()) {
      final List<float[]> weights = new ArrayList<>();
      for (final Map.Entry<String, long[]> each : SHAPES.entrySet()) {
        final ModelFile.Entry entry = file.tensor(each.getKey());
        if (entry.dtype() != DType.F32 || !Arrays.equals(entry.shape(), each.getValue())) {
          throw new IOException(entry + " is not part of the network for sketches: it needs F32 " + Arrays.toString(each.getValue()));
        }
        try (Tensor tensor = file.load(each.getKey(), engine, Device.CPU)) {
          weights.add(tensor.toFloatArray());
        }
      }
      return new Sketches(weights, Float.parseFloat(file.metadata().getOrDefault("sure", "missing")));
    } catch (NotFoundException | NumberFormatException e) {
      throw new IOException(path + " is not a file of the network for sketches: " + e.getMessage(), e);
    }
  }

  @Override
  public String name() {
    return "sketches";
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
    final List<Tensor> tensors = new ArrayList<>();
    for (final long[] shape : SHAPES.values()) {
      tensors.add(engine.tensor(device, weights.get(tensors.size()), shape));
    }
    return tensors;
  }

  @Override
  public Tensor probabilities(List<Tensor> weights, Tensor images) {
    return logits(weights, images).softmax(1);
  }

  /** Of which {@link #probabilities} is the softmax. */
  static Tensor logits(List<Tensor> weights, Tensor images) {
    Tensor x = images.reshape(-1, 1, Ink.SIDE, Ink.SIDE);
    for (int layer = 0; layer < 3; ++layer) {
      final Tensor weight = weights.get(2 * layer);
      final long around = weight.size(2) / 2;
      x = Operators.convolution(x, weight, new ConvolutionOptions().stride(2, 2).padding(around, around).bias(weights.get(2 * layer + 1))
          .activation(Activation.RELU));
    }
    final Tensor hidden = x.reshape(-1, weights.get(6).size(0)).matmul(weights.get(6), new MatmulOptions().bias(weights.get(7))
        .activation(Activation.RELU));
    return hidden.matmul(weights.get(8), new MatmulOptions().bias(weights.get(9)));
  }
}
