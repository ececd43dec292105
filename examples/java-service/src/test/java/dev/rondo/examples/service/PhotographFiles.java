// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.ModelFile;
import dev.rondo.Tensor;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;

/** Files for the tests of photographs: a network of the real structure with few channels and random weights, and pictures. */
final class PhotographFiles {
  static final int CLASSES = 12;

  private PhotographFiles() {}

  /** What examples/data/photographs.py made, if it was run. */
  static Optional<Path> pretrained() {
    final String folder = System.getProperty("service.photographs", "");
    return folder.isEmpty() || !Files.isDirectory(Path.of(folder)) ? Optional.empty() : Optional.of(Path.of(folder));
  }

  /** Writes the network; a name that is given is left out. */
  static void write(Path file, String... without) {
    final Random random = new Random(15);
    final int[] kernels = {3, 3, 3, 5, 5, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5, 3};
    try (Engine engine = Engine.create()) {
      final Map<String, Tensor> all = new LinkedHashMap<>();
      add(all, engine, random, "stem", 4, 3, 3, 3);
      for (int block = 0; block < kernels.length; ++block) {
        final int wide = block == 0 ? 4 : 6;
        if (block > 0) {
          add(all, engine, random, "blocks." + block + ".expand", wide, 4, 1, 1);
        }
        add(all, engine, random, "blocks." + block + ".depthwise", wide, 1, kernels[block], kernels[block]);
        add(all, engine, random, "blocks." + block + ".project", 4, wide, 1, 1);
      }
      add(all, engine, random, "head", 8, 4, 1, 1);
      add(all, engine, random, "classes", CLASSES, 8);
      final Map<String, Tensor> some = new LinkedHashMap<>(all);
      List.of(without).forEach(some::remove);
      ModelFile.write(file, some, Map.of("classes", IntStream.range(0, CLASSES).mapToObj(i -> "thing " + i).collect(Collectors.joining("\n"))));
      all.values().forEach(Tensor::close);
    }
  }

  private static void add(Map<String, Tensor> all, Engine engine, Random random, String name, long... shape) {
    int count = 1;
    for (final long size : shape) {
      count *= (int) size;
    }
    final double limit = 3 * Math.sqrt(6.0 * shape[0] / count);
    final float[] weight = new float[count];
    for (int i = 0; i < count; ++i) {
      weight[i] = (float) ((2 * random.nextDouble() - 1) * limit);
    }
    all.put(name + ".weight", engine.tensor(Device.CPU, weight, shape));
    all.put(name + ".bias", engine.tensor(Device.CPU, new float[(int) shape[0]]));
  }

  /** A picture of two colours and a disc. */
  static BufferedImage picture(int width, int height, int type) {
    final BufferedImage image = new BufferedImage(width, height, type);
    final Graphics2D pen = image.createGraphics();
    pen.setColor(new Color(40, 90, 200));
    pen.fillRect(0, 0, width, height / 2);
    pen.setColor(new Color(220, 180, 60));
    pen.fillRect(0, height / 2, width, height - height / 2);
    pen.setColor(new Color(200, 30, 40));
    pen.fillOval(width / 3, height / 3, width / 3, height / 3);
    pen.dispose();
    return image;
  }

  static byte[] encode(BufferedImage image, String format) throws IOException {
    final var bytes = new ByteArrayOutputStream();
    if (!ImageIO.write(image, format, bytes)) {
      throw new IOException("the JDK does not write this as " + format);
    }
    return bytes.toByteArray();
  }
}
