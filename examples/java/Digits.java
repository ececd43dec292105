// Trains a two-layer network on real handwritten digits twice from the same seed: eagerly, one operator after the other, and
// replayed, as one recorded graph launched once per step. The same training as examples/c/digits.c, with the same parameters bit for
// bit: 64 -> 128 relu -> dropout -> 10, softmax cross-entropy, SGD with momentum.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.Activation;
import dev.rondo.Autocast;
import dev.rondo.BinaryOp;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.DeviceKind;
import dev.rondo.Dropout;
import dev.rondo.Engine;
import dev.rondo.EngineMode;
import dev.rondo.EngineOptions;
import dev.rondo.Graph;
import dev.rondo.GraphInfo;
import dev.rondo.LossScaler;
import dev.rondo.LossScalerOptions;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.Operators;
import dev.rondo.Optimizer;
import dev.rondo.OptimizerKind;
import dev.rondo.OptimizerOptions;
import dev.rondo.RateSchedule;
import dev.rondo.RecordOptions;
import dev.rondo.ReduceOp;
import dev.rondo.Rondo;
import dev.rondo.RondoException;
import dev.rondo.Scope;
import dev.rondo.Tape;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

public final class Digits {
  private static final String USAGE = "usage: Digits [options]\n"
      + "  --device cpu|cuda:0|auto         where to train (auto: the first CUDA device, else cpu)\n"
      + "  --engine async|threaded|naive    how the engine issues work (async)\n"
      + "  --epochs N                       passes over the training images (40)\n"
      + "  --batch N                        images per step (64)\n"
      + "  --seed N                         of initial parameters, dropout and order of images (1)\n"
      + "  --precision f32|f16|bf16         of the layers; parameters are f32 (f32)\n"
      + "  --data FILE                      the images (digits.bin in $RONDO_EXAMPLE_DATA, else examples/data/digits.bin)\n"
      + "  --parameters FILE                writes the trained parameters there, as safetensors: w1, b1, w2, b2\n"
      + "  --help                           this text\n";

  // --- the data: 8x8 images, split 80 / 20 by a fixed permutation

  private static final int PIXELS = 64;
  private static final int CLASSES = 10;

  private static final class Data {
    final float[] trainImages;
    final float[] testImages;
    final int[] trainLabels;
    final int[] testLabels;

    Data(Path path) throws IOException {
      final ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
      if (file.limit() < 16 || file.getLong(0) != 0x3153544947494452L || file.getInt(12) != PIXELS) { // "RDIGITS1"
        throw new IOException(path + " is not a file of digits");
      }
      final int n = file.getInt(8);
      if (file.limit() < 16 + n * (PIXELS + 1)) {
        throw new IOException(path + " ends before its " + n + " images do");
      }
      final int train = (int) ((long) n * 8 / 10);
      final int[] order = new Shuffle(8020).order(n); // fixed: the split is the same whatever the seed of a training
      trainImages = images(file, order, 0, train);
      trainLabels = labels(file, order, 0, train);
      testImages = images(file, order, train, n);
      testLabels = labels(file, order, train, n);
    }

    private static float[] images(ByteBuffer file, int[] order, int from, int to) {
      final float[] images = new float[(to - from) * PIXELS];
      for (int i = 0; i < images.length; ++i) {
        images[i] = (file.get(16 + order[from + i / PIXELS] * (PIXELS + 1) + i % PIXELS) & 0xff) / 16.0f;
      }
      return images;
    }

    private static int[] labels(ByteBuffer file, int[] order, int from, int to) {
      final int[] labels = new int[to - from];
      for (int i = 0; i < labels.length; ++i) {
        labels[i] = file.get(16 + order[from + i] * (PIXELS + 1) + PIXELS);
      }
      return labels;
    }
  }

  /** Random orders by splitmix64 (Steele, Lea and Flood, OOPSLA 2014): small, and the same everywhere. */
  private static final class Shuffle {
    private long state;

    Shuffle(long seed) {
      state = seed;
    }

    int[] order(int n) {
      final int[] order = new int[n];
      Arrays.setAll(order, i -> i);
      for (int i = n - 1; i > 0; --i) {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        final int j = (int) Long.remainderUnsigned(z ^ z >>> 31, i + 1);
        final int other = order[j];
        order[j] = order[i];
        order[i] = other;
      }
      return order;
    }
  }

  // --- the network

  private static final int HIDDEN = 128;
  private static final double DROPOUT = 0.2;
  private static final double FIRST_RATE = 0.3; // learning rate of the first step; it shrinks by the same factor every step, down to
  private static final double LAST_RATE = 0.05; // that of the last
  private static final double MOMENTUM = 0.9;

  /** Weights start uniform with the deviation that keeps activations of relu layers in scale, biases at zero. */
  private static Tensor parameter(Engine engine, Device device, long... shape) {
    final double limit = Math.sqrt(6.0 / shape[0]);
    return shape.length == 2 ? Operators.randomUniform(engine, device, DType.F32, shape, -limit, limit)
        : engine.full(device, DType.F32, 0, shape);
  }

  /** Everything a training needs lives on the device, so one step is nothing but operators. */
  private static final class Net {
    private final Engine engine;
    private final long batch;
    private final Tensor weight1;
    private final Tensor bias1;
    private final Tensor weight2;
    private final Tensor bias2;
    private final Tensor[] parameters;
    private final Tensor trainImages;
    private final Tensor trainLabels;
    private final Tensor testImages;
    private final Tensor order; // training images in the order the whole training sees them
    private final Tensor positions; // where in `order` the next batch is; every step moves it on
    private final Optimizer optimizer;
    private final DType precision; // of the layers: F32, or 16 bits with parameters in F32
    private final LossScaler scaler; // null where they compute in F32
    private final Tensor loss; // sum of the batches' mean losses since takeLoss
    private final Tensor addToLoss;

    Net(Engine engine, Device device, Data data, int batch, int[] order, DType precision) {
      final int[] first = new int[batch];
      Arrays.setAll(first, i -> i);
      this.engine = engine;
      this.batch = batch;
      trainImages = engine.tensor(device, data.trainImages, data.trainLabels.length, PIXELS);
      trainLabels = engine.tensor(device, data.trainLabels);
      testImages = engine.tensor(device, data.testImages, data.testLabels.length, PIXELS);
      this.order = engine.tensor(device, order);
      positions = engine.tensor(device, first);
      weight1 = parameter(engine, device, PIXELS, HIDDEN);
      bias1 = parameter(engine, device, HIDDEN);
      weight2 = parameter(engine, device, HIDDEN, CLASSES);
      bias2 = parameter(engine, device, CLASSES);
      parameters = new Tensor[] {weight1, bias1, weight2, bias2};
      final double shrinks = Math.pow(LAST_RATE / FIRST_RATE, (double) batch / order.length); // in every step
      optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.SGD).rate(FIRST_RATE).momentum(MOMENTUM)
          .schedule(RateSchedule.STEP).decaySteps(1).rateDecay(shrinks), parameters);
      this.precision = precision;
      scaler = precision == DType.F32 ? null : LossScaler.create(engine, device, new LossScalerOptions());
      loss = engine.full(device, DType.F32, 0);
      addToLoss = loss.accumulator();
    }

    private static Tensor layer(Tensor a, Tensor weight, Tensor bias, Activation activation) {
      return a.matmul(weight, new MatmulOptions().bias(bias).activation(activation));
    }

    /** One training step: forward, backward and update of the next batch. Call it to run it, or inside a recording to keep it. */
    void step() {
      try (Scope scope = Scope.open()) {
        // The batch: order[positions], then on to the next positions.
        final Tensor chosen = Operators.gatherRows(order, positions);
        Operators.binaryScalar(BinaryOp.ADD, positions, batch, positions);
        final Tensor images = Operators.gatherRows(trainImages, chosen);
        final Tensor labels = Operators.gatherRows(trainLabels, chosen);

        // Forward: a tape notes how the loss depends on the parameters.
        final Tape tape = engine.tape(parameters);
        try (Autocast cast = engine.autocast(precision)) { // in a scope of F32 nothing is cast
          final Tensor hidden = layer(images, weight1, bias1, Activation.RELU);
          final Dropout dropout = hidden.dropout(DROPOUT);
          final Tensor logits = layer(dropout.out(), weight2, bias2, Activation.NONE);
          final Tensor losses = Operators.crossEntropy(logits, labels);
          Operators.reduce(ReduceOp.MEAN, losses, null, false, addToLoss);
        }

        // Backward, and the update: one task for all parameters. Its learning rate and the number of steps so far are on the device, so
        // that the rate can shrink in a graph that is launched unchanged. So is the scale of the loss, which gradients in 16 bits need,
        // and whether they were all finite.
        if (scaler == null) {
          optimizer.step(tape.gradients(loss, parameters));
        } else {
          scaler.step(optimizer, tape.gradients(scaler.scale(loss), parameters));
          scaler.update();
        }
      }
    }

    double takeLoss() {
      final double sum = loss.toFloatArray()[0];
      loss.fill(0);
      return sum * batch;
    }

    /** The share of the test images that is classified right. */
    double test(int[] labels) {
      try (Scope scope = Scope.open(); Autocast cast = engine.autocast(precision)) {
        final Tensor hidden = layer(testImages, weight1, bias1, Activation.RELU); // no dropout when it counts
        final long[] best = layer(hidden, weight2, bias2, Activation.NONE).argmax(1).toLongArray();
        int right = 0;
        for (int i = 0; i < labels.length; ++i) {
          right += best[i] == labels[i] ? 1 : 0;
        }
        return (double) right / labels.length;
      }
    }

    float[] read() {
      float[] all = new float[0];
      for (final Tensor each : parameters) {
        final float[] values = each.toFloatArray();
        all = Arrays.copyOf(all, all.length + values.length);
        System.arraycopy(values, 0, all, all.length - values.length, values.length);
      }
      return all;
    }

    /** Writes the parameters as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10]. */
    void write(Path path) {
      ModelFile.write(path, Map.of("w1", weight1, "b1", bias1, "w2", weight2, "b2", bias2),
          Map.of("network", "relu(x w1 + b1) w2 + b2"));
    }
  }

  // --- training

  /** One training from the seed, eager or replayed; returns its parameters, and writes them where a path is given. */
  private static float[] train(Engine engine, Device device, Data data, boolean replay, int epochs, int batch, long seed, int[] order,
      DType precision, String path) {
    System.out.println("\n" + (replay ? "replayed" : "eager") + " training");
    engine.seed(seed);
    try (Scope scope = Scope.open()) {
      final Net net = new Net(engine, device, data, batch, order, precision);
      final int steps = order.length / epochs / batch;
      final Graph graph = replay ? engine.record(new RecordOptions().name("step"), recording -> net.step()) : null;
      if (graph != null) {
        final GraphInfo info = graph.info();
        System.out.printf(Locale.ROOT, "  graph: %d tasks in %d segments, %d captured as CUDA graph: %d nodes, %d edges%n", info.tasks(),
            info.segments(), info.captured(), info.nodes(), info.edges());
      }
      double accuracy = 0;
      for (int epoch = 1; epoch <= epochs; ++epoch) {
        engine.awaitAll();
        final long begin = System.nanoTime();
        for (int step = 0; step < steps; ++step) {
          if (graph != null) {
            graph.launch();
          } else {
            net.step();
          }
        }
        engine.awaitAll();
        final double took = (System.nanoTime() - begin) * 1e-6;
        accuracy = net.test(data.testLabels);
        System.out.printf(Locale.ROOT, "  epoch %3d   loss %.4f   test accuracy %.4f   %8.2f ms%n", epoch, net.takeLoss() / (steps * batch),
            accuracy, took);
      }
      if (accuracy < 0.8) {
        throw new IllegalStateException("an accuracy of " + accuracy + ": something is wrong");
      }
      if (path != null) {
        net.write(Path.of(path));
      }
      return net.read();
    }
  }

  private static int number(Map<String, String> options, String name, int fallback) {
    return options.containsKey(name) ? Integer.parseInt(options.get(name)) : fallback;
  }

  private static Device choose(String text) {
    if (!text.equals("auto")) {
      return Device.parse(text);
    }
    if (Device.count(DeviceKind.CUDA) > 0) {
      return Device.cuda(0);
    }
    final String why = Rondo.feature("cuda").reason().split("; ", 2)[0]; // what is missing; the rest lists what was tried
    System.out.println("on the cpu, without CUDA: " + why + " (the command rondo doctor says more)");
    return Device.CPU;
  }

  public static void main(String[] arguments) throws IOException {
    final Map<String, String> options = new HashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (arguments[i].equals("--help")) {
        System.out.print(USAGE);
        return;
      }
      if (!USAGE.contains("  " + arguments[i] + " ") || i + 1 == arguments.length) {
        System.err.println("Digits: " + arguments[i] + (i + 1 == arguments.length ? " needs a value or" : "") + " is no option (--help lists them)");
        System.exit(2);
      }
      options.put(arguments[i], arguments[i + 1]);
    }
    try {
      run(options);
    } catch (NumberFormatException e) {
      System.err.println("Digits: a whole number is needed: " + e.getMessage());
      System.exit(2);
    } catch (RondoException | IOException e) {
      System.err.println("Digits: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void run(Map<String, String> options) throws IOException {
    final int epochs = number(options, "--epochs", 40);
    final int batch = number(options, "--batch", 64);
    final long seed = number(options, "--seed", 1);
    final String folder = System.getenv("RONDO_EXAMPLE_DATA");
    final Data data = new Data(Path.of(options.getOrDefault("--data", (folder == null ? "examples/data" : folder) + "/digits.bin")));
    final Device device = choose(options.getOrDefault("--device", "auto"));
    final DType precision = DType.valueOf(options.getOrDefault("--precision", "f32").toUpperCase(Locale.ROOT));
    final EngineMode mode = EngineMode.valueOf(options.getOrDefault("--engine", "async").toUpperCase(Locale.ROOT));
    try (Engine engine = Engine.create(new EngineOptions().mode(mode))) {
      System.out.printf("rondo %s, %s engine, %s: %s%n", Rondo.version(), engine.mode().name().toLowerCase(Locale.ROOT), device,
          device.info().name());
      // For each epoch a fresh order; what does not fill a batch at its end waits for the next epoch.
      final int used = data.trainLabels.length / batch * batch;
      final int[] order = new int[epochs * used];
      final Shuffle shuffle = new Shuffle(seed);
      for (int epoch = 0; epoch < epochs; ++epoch) {
        System.arraycopy(shuffle.order(data.trainLabels.length), 0, order, epoch * used, used);
      }
      final float[] eager = train(engine, device, data, false, epochs, batch, seed, order, precision, null);
      final float[] replayed = train(engine, device, data, true, epochs, batch, seed, order, precision, options.get("--parameters"));
      final boolean same = Arrays.equals(eager, replayed); // bits: Arrays.equals takes NaN for equal to itself
      System.out.println("\nparameters      " + (same ? "all " + eager.length + " agree bit for bit" : "differ"));
      if (!same) {
        System.exit(1);
      }
    }
  }
}
