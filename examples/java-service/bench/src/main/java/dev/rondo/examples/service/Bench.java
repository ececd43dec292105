// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * {@code direct MODEL DEVICE}: microseconds of one call, Rondo and ONNX Runtime in turn, without a service.
 * {@code serve MODEL DEVICE|ort jetty|jdk MAX_BATCH MAX_WAIT}: the service with this model behind this server, on a free port.
 */
public final class Bench {
  private static final int[] SIZES = {1, 16, 256};

  private Bench() {}

  public static void main(String[] arguments) throws Exception {
    final Weights weights = Weights.read(Path.of(arguments[1]));
    if (arguments[0].equals("direct")) {
      direct(weights, Device.parse(arguments[2]));
    } else {
      serve(weights, arguments[2], arguments[3].equals("jdk"), Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]));
    }
  }

  private static Model model(Weights weights, String where, int largest) throws Exception {
    return where.equals("ort") ? new OrtModel(weights, largest) : new RondoModel(weights, Device.parse(where), largest);
  }

  private static void direct(Weights weights, Device device) throws Exception {
    final float[] pixels = new float[256 * Weights.PIXELS];
    final Random random = new Random(1);
    for (int i = 0; i < pixels.length; ++i) {
      pixels[i] = random.nextFloat();
    }
    final float[] rondo = new float[256 * Weights.CLASSES];
    final float[] ort = new float[256 * Weights.CLASSES];
    try (Model first = model(weights, device.toString(), 256); Model second = model(weights, "ort", 256)) {
      first.input().put(0, pixels);
      second.input().put(0, pixels);
      for (final int size : SIZES) {
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE};
        for (int round = 0; round < 7; ++round) {
          best[0] = Math.min(best[0], median(first, size, rondo));
          best[1] = Math.min(best[1], median(second, size, ort));
        }
        for (int i = 0; i < size * Weights.CLASSES; ++i) {
          if (Math.abs(rondo[i] - ort[i]) > 1e-4f) {
            throw new IllegalStateException("the models differ: " + rondo[i] + " and " + ort[i] + " at " + i);
          }
        }
        System.out.printf(Locale.ROOT, "%d %.2f %.2f%n", size, best[0], best[1]);
      }
    }
  }

  /** Microseconds of a call. */
  private static double median(Model model, int size, float[] probabilities) {
    final long[] took = new long[1000];
    for (int i = 0; i < took.length; ++i) {
      final long begin = System.nanoTime();
      model.classify(size, probabilities);
      took[i] = System.nanoTime() - begin;
    }
    Arrays.sort(took);
    return took[took.length / 2] * 1e-3;
  }

  private static void serve(Weights weights, String where, boolean jdk, int maxBatch, int maxWaitMicros) throws Exception {
    final Metrics metrics = new Metrics();
    final Metrics.Batches counts = metrics.network("digits", "/classify");
    final Batcher batcher =
        new Batcher(model(weights, where, maxBatch), 16384, Duration.ofNanos(1000L * maxWaitMicros), null, counts);
    counts.watch(batcher);
    final int port;
    if (jdk) {
      final ExecutorService threads = Executors.newFixedThreadPool(64);
      port = new JdkServer(new Api(batcher, null, 0, null, null, Map.of(), metrics, threads), "127.0.0.1", 0, threads).port();
    } else {
      final QueuedThreadPool threads = new QueuedThreadPool();
      port = new JettyServer(new Api(batcher, null, 0, null, null, Map.of(), metrics, threads), new Bodies(Duration.ofSeconds(30)),
          new Connections(65536, Duration.ofSeconds(10)), "127.0.0.1", 0, threads, Duration.ZERO).port();
    }
    System.out.println(port);
  }
}
