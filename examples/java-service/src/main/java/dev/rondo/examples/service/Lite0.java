// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * EfficientNet-Lite0, which says what is in a photograph, with pretrained weights: the network of examples/c/lite0.c. An image is
 * {@link #SIDE} rows of as many pixels of red, green and blue, 0 to 255.
 */
final class Lite0 implements Network {
  static final int SIDE = 224;

  private static final List<Stage> STAGES = List.of(new Stage(1, 1, false), new Stage(2, 2, true), new Stage(2, 2, true), new Stage(3, 2, true),
      new Stage(3, 1, true), new Stage(4, 2, true), new Stage(1, 1, true));

  private final List<Array> arrays; // weight, bias, weight, bias, ... of the layers, in the order in which they are needed
  private final List<String> names;

  /** Blocks that follow each other: how many, the stride of the first, and whether they widen before the depthwise convolution. */
  private record Stage(int blocks, int stride, boolean expand) {}

  private record Array(long[] shape, float[] elements) {}

  private Lite0(List<Array> arrays, List<String> names) {
    this.arrays = arrays;
    this.names = names;
  }

  /** What examples/data/photographs.py makes: a safetensors file with the names of the classes among its metadata. */
  static Lite0 read(Path path) throws IOException {
    try (ModelFile file = ModelFile.open(path); Engine engine = Engine.create()) {
      final List<Array> arrays = new ArrayList<>();
      for (final String layer : layers()) {
        arrays.add(load(engine, file, layer + ".weight", layer.equals("classes") ? 2 : 4));
        arrays.add(load(engine, file, layer + ".bias", 1));
      }
      final List<String> names = file.metadata().getOrDefault("classes", "").lines().toList();
      if (names.size() != arrays.get(arrays.size() - 1).elements.length) {
        throw new IOException(path + " has names of " + names.size() + " classes and scores of " + arrays.get(arrays.size() - 1).elements.length);
      }
      return new Lite0(arrays, names);
    } catch (NotFoundException e) {
      throw new IOException("not a file of EfficientNet-Lite0: " + e.getMessage(), e);
    }
  }

  private static List<String> layers() {
    final List<String> layers = new ArrayList<>(List.of("stem"));
    int block = 0;
    for (final Stage stage : STAGES) {
      for (int i = 0; i < stage.blocks; ++i, ++block) {
        for (final String part : stage.expand ? List.of("expand", "depthwise", "project") : List.of("depthwise", "project")) {
          layers.add("blocks." + block + "." + part);
        }
      }
    }
    layers.addAll(List.of("head", "classes"));
    return layers;
  }

  private static Array load(Engine engine, ModelFile file, String name, int dimensions) throws IOException {
    final ModelFile.Entry entry = file.tensor(name);
    if (entry.dtype() != DType.F32 || entry.shape().length != dimensions || entry.bytes() == 0) {
      throw new IOException(entry + " is not part of EfficientNet-Lite0");
    }
    try (Tensor tensor = file.load(name, engine, Device.CPU)) {
      return new Array(entry.shape(), tensor.toFloatArray());
    }
  }

  /** What class i is called. */
  String className(int i) {
    return names.get(i);
  }

  @Override
  public String name() {
    return "photographs";
  }

  @Override
  public int pixels() {
    return SIDE * SIDE * 3;
  }

  @Override
  public int classes() {
    return names.size();
  }

  @Override
  public List<Tensor> upload(Engine engine, Device device) {
    return arrays.stream().map(array -> engine.tensor(device, array.elements, array.shape)).toList();
  }

  @Override
  public Tensor probabilities(List<Tensor> weights, Tensor images) {
    final Iterator<Tensor> layers = weights.iterator();
    Tensor x = images.reshape(-1, SIDE, SIDE, 3).sub(127).mul(1.0 / 128).transpose(0, 3, 1, 2);
    x = limited(convolution(layers, x, 2, null));
    for (final Stage stage : STAGES) {
      for (int i = 0; i < stage.blocks; ++i) {
        x = block(layers, x, i == 0 ? stage.stride : 1, stage.expand);
      }
    }
    final Tensor features = limited(convolution(layers, x, 1, null)).mean(2, 3);
    return features.matmul(layers.next(), new MatmulOptions().transposeB(true).bias(layers.next())).softmax(1);
  }

  /** Wider, each channel by itself, narrow again; what came in is added where it fits. */
  private static Tensor block(Iterator<Tensor> layers, Tensor x, int stride, boolean expand) {
    final Tensor wide = expand ? limited(convolution(layers, x, 1, null)) : x;
    return convolution(layers, limited(convolution(layers, wide, stride, null)), 1, stride == 1 ? x : null);
  }

  /** To 0 ... 6, which is called ReLU6. */
  private static Tensor limited(Tensor x) {
    return x.clip(0, 6);
  }

  /** Each side is padded so that the result has size / stride places, rounded up; of an odd number of zeros one more stands behind. */
  private static Tensor convolution(Iterator<Tensor> layers, Tensor x, int stride, Tensor residual) {
    final Tensor weight = layers.next();
    final long[] size = x.shape();
    final long[] kernel = weight.shape();
    final long[] before = new long[2];
    final long[] behind = new long[2];
    for (int axis = 0; axis < 2; ++axis) {
      final long places = (size[2 + axis] + stride - 1) / stride;
      final long zeros = Math.max(0, (places - 1) * stride + kernel[2 + axis] - size[2 + axis]);
      before[axis] = zeros / 2;
      behind[axis] = zeros - zeros / 2;
    }
    final ConvolutionOptions options = new ConvolutionOptions().stride(stride, stride).padding(before).paddingEnd(behind)
        .groups(size[1] / kernel[1]).bias(layers.next());
    if (residual != null && Arrays.equals(residual.shape(), new long[] {size[0], kernel[0], size[2], size[3]})) {
      options.residual(residual);
    }
    return Operators.convolution(x, weight, options);
  }
}
