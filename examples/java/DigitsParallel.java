// Trains the network of the digits example on several ranks: each computes the gradients of its slice of every batch, and all-reduces
// in buckets, beside the way back, make them the gradients of the whole batch. Start it by one of
//
//   rondo launch -n 2 java -cp ... examples/java/DigitsParallel.java
//   mpirun -n 2 java -cp ... examples/java/DigitsParallel.java
//   srun -n 2 java -cp ... examples/java/DigitsParallel.java
//
// It trains with 1, 2, 4 ... of the ranks, prints what a step took, and draws that to digits_parallel.svg. A rank alone then trains
// with the same slices one after the other: on cpu devices, and with two ranks on any, its parameters are the same bit for bit, and
// those of examples/c/digits_parallel.c.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.Activation;
import dev.rondo.BinaryOp;
import dev.rondo.Buckets;
import dev.rondo.BucketsOptions;
import dev.rondo.Comm;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.DeviceKind;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.Operators;
import dev.rondo.Optimizer;
import dev.rondo.OptimizerKind;
import dev.rondo.OptimizerOptions;
import dev.rondo.RanksInfo;
import dev.rondo.RecordOptions;
import dev.rondo.RondoException;
import dev.rondo.Scope;
import dev.rondo.Tape;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

public final class DigitsParallel {
  private static final String USAGE = "usage: DigitsParallel [options]\n"
      + "  --device cpu|cuda|auto   where to train; of cuda devices the one of the rank's number on its machine (auto)\n"
      + "  --epochs N               passes over the training images (10)\n"
      + "  --batch N                images per step, on all ranks together; a multiple of the number of ranks (64)\n"
      + "  --optimizer sgd|adamw    SGD with momentum, or AdamW with gradients clipped (sgd)\n"
      + "  --seed N                 of initial parameters and order of images (1)\n"
      + "  --data FILE              the images (digits.bin in $RONDO_EXAMPLE_DATA, else examples/data/digits.bin)\n"
      + "  --out FILE               the picture to write (digits_parallel.svg)\n"
      + "  --parameters FILE        writes what all ranks have trained there, as safetensors: w1, b1, w2, b2\n"
      + "  --help                   this text\n";

  /** What does not fit the options or the number of ranks. */
  private static final class WrongOption extends RuntimeException {
    private static final long serialVersionUID = 1;

    WrongOption(String message) {
      super(message);
    }
  }

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

  // --- the network: 64 -> 128 relu -> 10, softmax cross-entropy, SGD with momentum or AdamW with clipping

  private static final int HIDDEN = 128;
  private static final long[][] SHAPES = {{PIXELS, HIDDEN}, {HIDDEN}, {HIDDEN, CLASSES}, {CLASSES}};

  private static final class Net {
    private final Engine engine;
    private final int batch;
    private final List<Tensor> values = new ArrayList<>(); // weight and bias of the first layer, then of the second
    private final Optimizer optimizer; // the same on every rank: its state is not divided
    private final Buckets buckets; // where other ranks have the other slices, else null
    private final Tensor trainImages;
    private final Tensor trainLabels;
    private final Tensor testImages;
    private final Tensor order; // training images in the order the whole training sees them
    private final List<Tensor> positions = new ArrayList<>(); // by slice of this rank: where in `order` its images of the next batch are

    /** comm: each of its ranks has one of the slices, as many as there are ranks. null: this one has all. Parameters are rank 0's. */
    Net(Engine engine, Device device, Data data, int batch, int[] order, Comm comm, int slices, OptimizerKind kind) {
      this.engine = engine;
      this.batch = batch;
      trainImages = engine.tensor(device, data.trainImages, data.trainLabels.length, PIXELS);
      trainLabels = engine.tensor(device, data.trainLabels);
      testImages = engine.tensor(device, data.testImages, data.testLabels.length, PIXELS);
      this.order = engine.tensor(device, order);
      final int rows = batch / slices;
      for (int slice = comm == null ? 0 : comm.info().rank(), last = comm == null ? slices : slice + 1; slice < last; ++slice) {
        final int begin = slice * rows;
        final int[] first = new int[rows];
        Arrays.setAll(first, i -> begin + i);
        positions.add(engine.tensor(device, first));
      }
      for (final long[] shape : SHAPES) {
        final double limit = shape.length == 2 ? Math.sqrt(6.0 / shape[0]) : 0;
        final Tensor value = Operators.randomUniform(engine, device, DType.F32, shape, -limit, limit);
        if (comm != null) {
          comm.broadcast(value, 0); // whatever the ranks' seeds are
        }
        values.add(value);
      }
      final OptimizerOptions options = new OptimizerOptions().kind(kind);
      if (kind == OptimizerKind.SGD) {
        options.rate(0.1).momentum(0.9);
      } else {
        options.rate(0.003).weightDecay(0.01).maxNorm(1); // of all gradients together, those of the whole batch
      }
      optimizer = Optimizer.create(options, values.toArray(new Tensor[0]));
      // The second layer's gradients are ready first: a bucket of its own lets their way begin while the first layer's are computed.
      buckets = comm == null ? null : Buckets.create(comm, new BucketsOptions().bucketBytes(16384), values.toArray(new Tensor[0]));
    }

    private Tensor layer(Tensor a, int weight, Activation activation) {
      return a.matmul(values.get(weight), new MatmulOptions().bias(values.get(weight + 1)).activation(activation));
    }

    /** Forward and backward of one slice: its gradients in new tensors, or in the buckets, and from there those of all ranks. */
    private List<Tensor> gradients(Tensor at) {
      final Tensor chosen = Operators.gatherRows(order, at);
      Operators.binaryScalar(BinaryOp.ADD, at, batch, at);
      final Tensor images = Operators.gatherRows(trainImages, chosen);
      final Tensor labels = Operators.gatherRows(trainLabels, chosen);
      final Tensor[] sources = values.toArray(new Tensor[0]);
      final Tape tape = engine.tape(sources);
      final Tensor logits = layer(layer(images, 0, Activation.RELU), 2, Activation.NONE);
      final Tensor loss = Operators.crossEntropy(logits, labels).mean();
      if (buckets == null) {
        return tape.gradients(loss, sources);
      }
      buckets.reduce(tape, loss);
      return buckets.gradients();
    }

    /** One training step. Only operators and collectives: call it to run it, or inside a recording to keep it. */
    void step() {
      try (Scope scope = Scope.open()) {
        final List<Tensor> sums = gradients(positions.get(0));
        final int own = positions.size();
        for (int slice = 1; slice < own; ++slice) {
          final List<Tensor> gradients = gradients(positions.get(slice));
          for (int i = 0; i < sums.size(); ++i) {
            Operators.binary(BinaryOp.ADD, sums.get(i), gradients.get(i), sums.get(i));
          }
        }
        if (own > 1) {
          sums.forEach(sum -> Operators.binaryScalar(BinaryOp.DIV, sum, own, sum));
        }
        optimizer.step(sums);
      }
    }

    /** The share of the test images that is classified right. */
    double test(int[] labels) {
      try (Scope scope = Scope.open()) {
        final long[] best = layer(layer(testImages, 0, Activation.RELU), 2, Activation.NONE).argmax(1).toLongArray();
        int right = 0;
        for (int i = 0; i < labels.length; ++i) {
          right += best[i] == labels[i] ? 1 : 0;
        }
        return (double) right / labels.length;
      }
    }

    float[] read() {
      float[] all = new float[0];
      for (final Tensor each : values) {
        final float[] more = each.toFloatArray();
        all = Arrays.copyOf(all, all.length + more.length);
        System.arraycopy(more, 0, all, all.length - more.length, more.length);
      }
      return all;
    }

    /** Writes the parameters as a safetensors file: f32 w1 [64, 128], b1 [128], w2 [128, 10], b2 [10]. */
    void write(Path path) {
      ModelFile.write(path, Map.of("w1", values.get(0), "b1", values.get(1), "w2", values.get(2), "b2", values.get(3)),
          Map.of("network", "relu(x w1 + b1) w2 + b2"));
    }
  }

  // --- the picture: images per second by the number of ranks, against what would be ideal

  /** What one training left behind. */
  private static final class Run {
    final int ranks;
    final double stepMicros; // time per step, without the first epoch
    final double imagesPerSecond;
    final double accuracy; // share of the test images that is right at the end
    final float[] parameters;

    Run(int ranks, double stepMicros, int batch, double accuracy, float[] parameters) {
      this.ranks = ranks;
      this.stepMicros = stepMicros;
      imagesPerSecond = 1e6 * batch / stepMicros;
      this.accuracy = accuracy;
      this.parameters = parameters;
    }
  }

  private static String picture(List<Run> runs) {
    final int most = runs.get(runs.size() - 1).ranks;
    final double ideal = runs.get(0).imagesPerSecond * most;
    final double high = 1.05 * runs.stream().mapToDouble(run -> run.imagesPerSecond).reduce(ideal, Math::max);
    final StringBuilder svg = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"420\" viewBox=\"0 0 640 420\">\n"
        + "<title>Training on several ranks</title>\n"
        + "<style>text{font:13px system-ui,sans-serif;fill:#52514e}.ideal{stroke:#a3a19b;stroke-dasharray:6 5}circle{fill:#c2410c}</style>\n"
        + "<rect width=\"640\" height=\"420\" fill=\"#fcfcfb\"/>\n"
        + "<text x=\"40\" y=\"70\">images per second; dashed: as many times one rank's</text>\n");
    svg.append(String.format(Locale.ROOT, "<line class=\"ideal\" x1=\"90\" y1=\"%.1f\" x2=\"590\" y2=\"%.1f\"/>%n",
        340 - 250 * runs.get(0).imagesPerSecond / high, 340 - 250 * ideal / high));
    for (final Run run : runs) {
      final double x = most > 1 ? 90 + 500.0 * (run.ranks - 1) / (most - 1) : 340;
      svg.append(String.format(Locale.ROOT, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>%n"
          + "<text x=\"%.1f\" y=\"360\" text-anchor=\"middle\">%d rank%s: %.0f per s</text>%n"
          + "<text x=\"%.1f\" y=\"380\" text-anchor=\"middle\">%.0f \u00b5s, %.3f right</text>%n", x, 340 - 250 * run.imagesPerSecond / high, x,
          run.ranks, run.ranks == 1 ? "" : "s", run.imagesPerSecond, x, run.stepMicros, run.accuracy));
    }
    return svg.append("</svg>\n").toString();
  }

  // --- training

  private final int epochs;
  private final int batch;
  private final long seed;
  private final OptimizerKind kind;
  private final String parameters; // where to write them, or null
  private final Data data;
  private final Engine engine;
  private final Device device;
  private final Comm world;
  private final RanksInfo ranks;
  private final int[] order;

  private DigitsParallel(Map<String, String> options, Data data, Engine engine, Device device, Comm world, RanksInfo ranks) {
    epochs = (int) number(options, "--epochs", 10, 1, 1000);
    batch = (int) number(options, "--batch", 64, 1, 1024);
    seed = number(options, "--seed", 1, 0, Long.MAX_VALUE);
    kind = kind(options);
    parameters = options.get("--parameters");
    this.data = data;
    this.engine = engine;
    this.device = device;
    this.world = world;
    this.ranks = ranks;
    // For each epoch a fresh order; what does not fill a batch at its end waits for the next epoch.
    final int used = data.trainLabels.length / batch * batch;
    final Shuffle shuffle = new Shuffle(seed);
    order = new int[epochs * used];
    for (int epoch = 0; epoch < epochs; ++epoch) {
      System.arraycopy(shuffle.order(data.trainLabels.length), 0, order, epoch * used, used);
    }
  }

  /** comm: the ranks that take part, each with a slice of every batch. null: this one alone, with so many slices one after the other. */
  private Run train(Comm comm, int slices) {
    final int steps = order.length / epochs / batch;
    engine.seed(seed);
    try (Scope scope = Scope.open()) {
      final Net net = new Net(engine, device, data, batch, order, comm, slices, kind);
      final Graph graph = engine.record(new RecordOptions().name("step"), recording -> net.step());
      double timed = 0;
      for (int epoch = 0; epoch < epochs; ++epoch) {
        engine.awaitAll();
        final long begin = System.nanoTime();
        for (int step = 0; step < steps; ++step) {
          graph.launch();
        }
        engine.awaitAll();
        timed += epoch > 0 || epochs == 1 ? (System.nanoTime() - begin) * 1e-3 : 0; // the first epoch compiles and loads what it meets
      }
      if (parameters != null && comm != null && slices == ranks.ranks() && ranks.rank() == 0) {
        net.write(Path.of(parameters));
      }
      return new Run(slices, timed / (Math.max(epochs - 1, 1) * steps), batch, net.test(data.testLabels), net.read());
    }
  }

  /** Trains with the first `count` ranks, and on rank 0 with as many slices alone; prints a line. Whether the same came out. */
  private boolean trainWith(int count, float[] whole, List<Run> runs) {
    final Run run;
    try (Comm some = world.split(ranks.rank() < count ? 0 : -1, 0)) {
      run = some == null ? null : train(some, count);
    }
    if (ranks.rank() != 0) {
      return true;
    }
    final float[] alone = train(null, count).parameters;
    runs.add(run);
    int different = 0;
    double distance = 0;
    double far = 0;
    for (int i = 0; i < alone.length; ++i) { // bits, not values
      different += Float.floatToRawIntBits(run.parameters[i]) == Float.floatToRawIntBits(alone[i]) ? 0 : 1;
      distance = Math.max(distance, Math.abs((double) run.parameters[i] - alone[i]));
      far = Math.max(far, Math.abs((double) run.parameters[i] - whole[i]));
    }
    System.out.printf(Locale.ROOT, "  %5d   %11.1f us   %8.0f   %8.2f     %.4f   ", count, run.stepMicros, run.imagesPerSecond,
        runs.get(0).stepMicros / run.stepMicros, run.accuracy);
    if (different == 0) {
      System.out.printf(Locale.ROOT, "all %d agree bit for bit; %.1e from the whole batch at once%n", alone.length, far);
    } else {
      System.out.printf(Locale.ROOT, "%d of %d differ, by up to %.1e%n", different, alone.length, distance);
    }
    // NCCL adds up in an order of its own from three ranks on.
    return different == 0 || device.kind() == DeviceKind.CUDA && count > 2 && distance < 1e-3;
  }

  private boolean run(Path out) throws IOException {
    final List<Run> runs = new ArrayList<>();
    float[] whole = null;
    boolean good = true;
    if (ranks.rank() == 0) {
      System.out.printf(Locale.ROOT, "%d images to train on, %d to test on; %d epochs of %d steps of %d images, seed %d; %d ranks on %s devices%n",
          data.trainLabels.length, data.testLabels.length, epochs, order.length / epochs / batch, batch, seed, ranks.ranks(),
          device.kind().name().toLowerCase(Locale.ROOT));
      System.out.println("  ranks   time of a step   images/s   speed-up   accuracy   parameters against one rank with the same slices");
      whole = train(null, 1).parameters;
    }
    for (int count = 1; count <= ranks.ranks(); count = count < ranks.ranks() && 2 * count > ranks.ranks() ? ranks.ranks() : 2 * count) {
      good &= trainWith(count, whole, runs);
    }
    // The others wait until rank 0 is done with its last training alone.
    world.barrier();
    world.await();
    if (ranks.rank() == 0) {
      if (!(runs.get(runs.size() - 1).accuracy >= 0.85)) {
        System.out.println("an accuracy below 0.85: something is wrong");
        good = false;
      }
      Files.writeString(out, picture(runs));
      System.out.println("picture   " + out);
    }
    return good;
  }

  // --- options

  private static long number(Map<String, String> options, String name, long fallback, long low, long high) {
    final String text = options.get(name);
    try {
      final long number = text == null ? fallback : Long.parseLong(text);
      if (number >= low && number <= high) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new WrongOption(name + " must be a whole number from " + low + " to " + high + ", not '" + text + "'");
  }

  private static OptimizerKind kind(Map<String, String> options) {
    final String text = options.getOrDefault("--optimizer", "sgd");
    if (!text.equals("sgd") && !text.equals("adamw")) {
      throw new WrongOption("--optimizer must be sgd or adamw, not '" + text + "'");
    }
    return text.equals("sgd") ? OptimizerKind.SGD : OptimizerKind.ADAMW;
  }

  /** The cuda device of this rank's number on its machine, or the cpu. A launcher may show each rank one device only. */
  private static Device choose(String text, RanksInfo ranks) throws IOException {
    if (text.equals("cpu")) {
      return Device.CPU;
    }
    final int count = Device.count(DeviceKind.CUDA);
    if (count == 0 && text.equals("cuda")) {
      throw new IOException("--device cuda, but there is no cuda device");
    }
    return count == 0 ? Device.CPU : Device.cuda((ranks.localRank() >= 0 ? ranks.localRank() : ranks.rank()) % count);
  }

  private static Map<String, String> parse(String[] arguments) {
    final Map<String, String> options = new HashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (!USAGE.contains("  " + arguments[i] + " ")) {
        throw new WrongOption("unknown option '" + arguments[i] + "' (--help lists them)");
      }
      if (i + 1 == arguments.length) {
        throw new WrongOption(arguments[i] + " needs a value");
      }
      options.put(arguments[i], arguments[i + 1]);
    }
    if (!List.of("cpu", "cuda", "auto").contains(options.getOrDefault("--device", "auto"))) {
      throw new WrongOption("--device must be cpu, cuda or auto, not '" + options.get("--device") + "'");
    }
    return options;
  }

  private static boolean run(Map<String, String> options) throws IOException {
    number(options, "--epochs", 10, 1, 1000);
    number(options, "--seed", 1, 0, Long.MAX_VALUE);
    kind(options);
    final long batch = number(options, "--batch", 64, 1, 1024);
    final RanksInfo ranks = Comm.ranks();
    if (batch % ranks.ranks() != 0) {
      throw new WrongOption("--batch " + batch + " is not a multiple of the " + ranks.ranks() + " ranks");
    }
    final String folder = System.getenv("RONDO_EXAMPLE_DATA");
    final Data data = new Data(Path.of(options.getOrDefault("--data", (folder == null ? "examples/data" : folder) + "/digits.bin")));
    if (data.trainLabels.length < batch) {
      throw new WrongOption("--batch " + batch + " is more than the " + data.trainLabels.length + " training images");
    }
    final Device device = choose(options.getOrDefault("--device", "auto"), ranks);
    try (Engine engine = Engine.create(); Comm world = Comm.create(engine, device)) {
      try {
        return new DigitsParallel(options, data, engine, device, world, ranks).run(Path.of(options.getOrDefault("--out", "digits_parallel.svg")));
      } catch (RuntimeException | IOException e) {
        world.abort(e.getMessage()); // else the others wait for this rank
        throw e;
      }
    }
  }

  public static void main(String[] arguments) {
    if (Arrays.asList(arguments).contains("--help")) {
      System.out.print(USAGE);
      return;
    }
    try {
      System.exit(run(parse(arguments)) ? 0 : 1);
    } catch (WrongOption e) {
      System.err.println("DigitsParallel: " + e.getMessage());
      System.exit(2);
    } catch (RondoException | IOException e) {
      System.err.println("DigitsParallel: " + e.getMessage());
      System.exit(1);
    }
  }
}
