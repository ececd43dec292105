// Trains an encoder as BERT was (Devlin et al., 2019): of each stretch of a text some bytes are hidden, and the network says which they
// were, by what stands on either side. A step, from the choice of its stretches to the new weights, is one graph, launched again and
// again; asking is another one. The same training as examples/c/bert.c, with the same losses and weights bit for bit.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.AttentionOptions;
import dev.rondo.BinaryOp;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.DeviceKind;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.GraphInfo;
import dev.rondo.InvalidArgumentException;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.Operators;
import dev.rondo.Optimizer;
import dev.rondo.OptimizerKind;
import dev.rondo.OptimizerOptions;
import dev.rondo.RecordOptions;
import dev.rondo.ReduceOp;
import dev.rondo.Rondo;
import dev.rondo.RondoException;
import dev.rondo.Scope;
import dev.rondo.Tape;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

public final class Bert {
  private static final String USAGE = "usage: Bert [options]\n"
      + "  --device cpu|cuda:0|auto  where to train (auto: the first CUDA device, else cpu)\n"
      + "  --text FILE               what is read, ASCII (/usr/share/common-licenses/GPL-3, which every Debian machine has)\n"
      + "  --steps N                 of training (600)\n"
      + "  --tests N                 batches that are asked for afterwards (16)\n"
      + "  --seed N                  of weights and of what is hidden (1)\n"
      + "  --eager yes|no            each operator by itself, in the place of graphs (no)\n"
      + "  --parameters FILE         writes the trained weights there, as safetensors\n"
      + "  --help                    this text\n";

  // --- the text: stretches of it, of each of which some bytes are hidden

  private static final int PLACES = 16; // bytes of a stretch
  private static final int HIDDEN = 2; // of them, hidden ones
  private static final int BATCH = 64; // stretches of a step
  private static final int WORDS = 128; // ASCII; 0 stands for a hidden byte

  /** The bytes of a file, of which each is 1 to 127 and there are enough. */
  private static byte[] readText(String path) {
    final byte[] text;
    try {
      text = Files.readAllBytes(Path.of(path));
    } catch (IOException e) {
      throw new IllegalStateException("--text: cannot open '" + path + "': " + e, e);
    }
    for (int i = 0; i < text.length; ++i) {
      if (text[i] <= 0) { // bytes are signed: 128 and more are negative
        throw new IllegalStateException("--text: '" + path + "' is not ASCII: byte " + i + " is none of it");
      }
    }
    if (text.length < 20 * PLACES) {
      throw new IllegalStateException("--text: '" + path + "' has " + text.length + " bytes, too few to learn from");
    }
    return text;
  }

  /** Batches, one behind the other. */
  private static final class Batches {
    final int n;
    final int[] bytes; // [n, BATCH * PLACES]: of stretches, with the hidden ones 0
    final int[] places; // [n, BATCH * HIDDEN]: where those are, counted through the batch
    final int[] labels; // [n, BATCH * HIDDEN]: what they were
    private long state;

    /** n batches of stretches of the text from {@code begin} to {@code end}. */
    Batches(byte[] text, int begin, int end, int n, long seed) {
      this.n = n;
      bytes = new int[n * BATCH * PLACES];
      places = new int[n * BATCH * HIDDEN];
      labels = new int[n * BATCH * HIDDEN];
      state = seed;
      for (int i = 0; i < n * BATCH; ++i) {
        final int stretch = begin + below(end - begin - PLACES + 1);
        for (int k = 0; k < PLACES; ++k) {
          bytes[i * PLACES + k] = text[stretch + k];
        }
        for (int h = 0; h < HIDDEN; ++h) {
          int k = below(PLACES);
          while (bytes[i * PLACES + k] == 0) {
            k = below(PLACES);
          }
          bytes[i * PLACES + k] = 0;
          places[i * HIDDEN + h] = i % BATCH * PLACES + k;
          labels[i * HIDDEN + h] = text[stretch + k];
        }
      }
    }

    /** A number less than n, by a generator of 64 bits (Steele et al., SplitMix, 2014). */
    private int below(int n) {
      state += 0x9e3779b97f4a7c15L;
      long z = state;
      z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
      z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
      return (int) Long.remainderUnsigned(z ^ z >>> 31, n);
    }
  }

  // --- the network

  private static final int LAYERS = 2;
  private static final int WIDTH = 64;
  private static final int HEADS = 4;
  private static final int INNER = 4 * WIDTH;
  private static final double EPSILON = 1e-5; // of normalisation

  /**
   * The weights, in the order in which they are drawn. Those whose elements begin as one number are drawn too, as the C example does, so
   * that what follows them is the same.
   */
  private static final class Weights {
    private final Engine engine;
    private final Device device;
    final List<Tensor> all = new ArrayList<>();

    Weights(Engine engine, Device device) {
      this.engine = engine;
      this.device = device;
    }

    /** Uniform around 0 with the variance. */
    Tensor matrix(int rows, int columns, double variance) {
      final double limit = Math.sqrt(3 * variance);
      all.add(engine.uniform(device, -limit, limit, rows, columns));
      return all.get(all.size() - 1);
    }

    Tensor constant(int size, double value) {
      all.add(engine.uniform(device, value, value, size));
      return all.get(all.size() - 1);
    }
  }

  private static final class Dense {
    private final Tensor weight; // [out, in]
    private final MatmulOptions options;

    Dense(Weights weights, int inputs, int outputs) {
      weight = weights.matrix(outputs, inputs, 1.0 / inputs);
      options = new MatmulOptions().transposeB(true).bias(weights.constant(outputs, 0));
    }

    Tensor of(Tensor x) {
      return x.matmul(weight, options);
    }
  }

  private static final class Norm {
    private final Tensor weight;
    private final Tensor bias;

    Norm(Weights weights) {
      weight = weights.constant(WIDTH, 1);
      bias = weights.constant(WIDTH, 0);
    }

    /** Along the last axis. */
    Tensor of(Tensor x) {
      return Operators.layerNorm(x, -1, weight, bias, EPSILON);
    }
  }

  /** Each place gathers from all others and is then taken through a network of its own, each behind a sum that is normalised. */
  private static final class Layer {
    private final Dense packed;
    private final Dense seen;
    private final Norm attended;
    private final Dense wide;
    private final Dense narrow;
    private final Norm end;

    Layer(Weights weights) {
      packed = new Dense(weights, WIDTH, 3 * WIDTH);
      seen = new Dense(weights, WIDTH, WIDTH);
      attended = new Norm(weights);
      wide = new Dense(weights, WIDTH, INNER);
      narrow = new Dense(weights, INNER, WIDTH);
      end = new Norm(weights);
    }

    /** Queries, keys and values are parts of one product: nothing is copied. */
    private Tensor attention(Tensor x) {
      final Tensor parts = packed.of(x).reshape(BATCH, PLACES, 3, HEADS, WIDTH / HEADS);
      final Tensor[] qkv = new Tensor[3];
      for (int i = 0; i < 3; ++i) {
        qkv[i] = parts.slice(2, i, i + 1, 1).reshape(BATCH, PLACES, HEADS, WIDTH / HEADS);
      }
      final Tensor out = Operators.attention(qkv[0], qkv[1], qkv[2], new AttentionOptions())[0];
      return seen.of(out.reshape(BATCH, PLACES, WIDTH));
    }

    Tensor of(Tensor x) {
      final Tensor between = attended.of(x.add(attention(x)));
      return end.of(between.add(narrow.of(wide.of(between).gelu())));
    }
  }

  private static final class Network {
    private final Tensor words; // [WORDS, WIDTH]: where places come from, and what they are compared with
    private final Tensor places; // [PLACES, WIDTH]
    private final Norm begin;
    private final List<Layer> layers = new ArrayList<>();
    private final Dense dense;
    private final Norm end;
    private final MatmulOptions toWords;

    Network(Weights weights) {
      words = weights.matrix(WORDS, WIDTH, 1.0 / WIDTH);
      places = weights.matrix(PLACES, WIDTH, 1.0 / WIDTH);
      begin = new Norm(weights);
      for (int i = 0; i < LAYERS; ++i) {
        layers.add(new Layer(weights));
      }
      dense = new Dense(weights, WIDTH, WIDTH);
      end = new Norm(weights);
      toWords = new MatmulOptions().transposeB(true).bias(weights.constant(WORDS, 0));
    }

    /** What it thinks of each hidden byte of a batch, [n, WORDS]: {@code hidden}, [n], says where they are, counted through the batch. */
    Tensor of(Tensor bytes, Tensor hidden) {
      Tensor x = begin.of(Operators.gatherRows(words, bytes).add(places));
      for (final Layer layer : layers) {
        x = layer.of(x);
      }
      // Only what is asked for goes on. The table says which byte a place looks like.
      final Tensor asked = Operators.gatherRows(x.reshape(BATCH * PLACES, WIDTH), hidden);
      return end.of(dense.of(asked).gelu()).matmul(words, toWords);
    }
  }

  // --- a network, and what its steps work on: everything is on the device, so one step is nothing but operators

  private static final class Work {
    private final Engine engine;
    private final Device device;
    private final Weights weights;
    private final Network network;
    private final Optimizer optimizer;
    private Tensor bytes; // of all batches
    private Tensor places;
    private Tensor labels;
    private final Tensor turn; // [1], i32: which of them is next
    private final Tensor loss; // the sum of the losses so far, []
    private final Tensor addToLoss;
    private final Tensor right; // how many hidden bytes were found, [], i64
    private final Tensor addToRight;

    Work(Engine engine, Device device, Batches batches) {
      this.engine = engine;
      this.device = device;
      weights = new Weights(engine, device);
      network = new Network(weights);
      optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(1e-3).weightDecay(0.01).maxNorm(1),
          weights.all.toArray(new Tensor[0]));
      turn = engine.full(device, DType.I32, 0, 1);
      loss = engine.full(device, DType.F32, 0);
      addToLoss = loss.accumulator();
      right = engine.full(device, DType.I64, 0);
      addToRight = right.accumulator();
      takeUp(batches);
    }

    /** Work on other batches, from the first one on. */
    void takeUp(Batches batches) {
      bytes = engine.tensor(device, batches.bytes, batches.n, BATCH * PLACES);
      places = engine.tensor(device, batches.places, batches.n, BATCH * HIDDEN);
      labels = engine.tensor(device, batches.labels, batches.n, BATCH * HIDDEN);
      turn.fill(0);
    }

    /** What the network thinks of the hidden bytes of the next batch. */
    private Tensor forward() {
      return network.of(Operators.gatherRows(bytes, turn).reshape(BATCH, PLACES), Operators.gatherRows(places, turn).reshape(-1));
    }

    /** Learns from the next batch. */
    void train() {
      try (Scope scope = Scope.open()) {
        final Tensor wanted = Operators.gatherRows(labels, turn).reshape(-1);
        final Tensor[] sources = weights.all.toArray(new Tensor[0]);
        final Tape tape = engine.tape(sources);
        final Tensor mean = Operators.crossEntropy(forward(), wanted).mean();
        optimizer.step(tape.gradients(mean, sources));
        Operators.copy(mean, addToLoss);
        Operators.binaryScalar(BinaryOp.ADD, turn, 1, turn);
      }
    }

    /** Counts the hidden bytes of the next batch that it finds. */
    void ask() {
      try (Scope scope = Scope.open()) {
        final Tensor wanted = Operators.gatherRows(labels, turn).reshape(-1);
        final Tensor same = forward().argmax(1).cast(DType.I32).eq(wanted);
        Operators.reduce(ReduceOp.SUM, same, null, false, addToRight);
        Operators.binaryScalar(BinaryOp.ADD, turn, 1, turn);
      }
    }

    double takeLoss() {
      final double sum = loss.item();
      loss.fill(0);
      return sum;
    }

    /** How many numbers are trained. */
    long size() {
      return weights.all.stream().mapToLong(Tensor::elements).sum();
    }

    /** Writes weights.000, weights.001 ... as a safetensors file. */
    void write(Path path) {
      final Map<String, Tensor> named = new TreeMap<>();
      for (final Tensor each : weights.all) {
        named.put(String.format(Locale.ROOT, "weights.%03d", named.size()), each);
      }
      ModelFile.write(path, named);
    }
  }

  // --- training

  private static final int EVERY = 50; // steps between two lines that say how it goes

  /** Records what {@code body} does; or gives back null, where it is to be called each time. */
  private static Graph record(Engine engine, String name, boolean eager, Runnable body) {
    if (eager) {
      return null;
    }
    final Graph graph = engine.record(new RecordOptions().name(name), body);
    final GraphInfo info = graph.info();
    System.out.printf(Locale.ROOT, "graph     %s: %d tasks in %d segment%s, %d captured, %d nodes%n", name, info.tasks(), info.segments(),
        info.segments() == 1 ? "" : "s", info.captured(), info.nodes());
    return graph;
  }

  private static void launch(Graph graph, Runnable body, int times) {
    for (int i = 0; i < times; ++i) {
      if (graph != null) {
        graph.launch();
      } else {
        body.run();
      }
    }
  }

  /** Says whether the loss is no smaller in the end than at the beginning. */
  private static boolean learn(Work work, boolean eager, int all) {
    final Graph graph = record(work.engine, "step", eager, work::train);
    double first = 0;
    double mean = 0;
    for (int done = 0; done < all;) {
      final int steps = Math.min(EVERY, all - done);
      launch(graph, work::train, steps);
      mean = work.takeLoss() / steps;
      first = done == 0 ? mean : first;
      done += steps;
      System.out.printf(Locale.ROOT, "step %5d   loss %.5f%n", done, mean);
    }
    return all >= 2 * EVERY && !(mean < first);
  }

  private static Device choose(String text) {
    if (!text.equals("auto")) {
      try {
        return Device.parse(text);
      } catch (InvalidArgumentException e) {
        throw new IllegalArgumentException("--device must be cpu, cuda:0 or auto, not '" + text + "'", e);
      }
    }
    if (Device.count(DeviceKind.CUDA) > 0) {
      return Device.cuda(0);
    }
    final String why = Rondo.feature("cuda").reason().split("; ", 2)[0]; // what is missing; the rest lists what was tried
    System.out.println("on the cpu, without CUDA: " + why + " (the command rondo doctor says more)");
    return Device.CPU;
  }

  private static long number(Map<String, String> options, String name, long fallback, long low, long high) {
    final String text = options.getOrDefault(name, Long.toString(fallback));
    try {
      final long number = Long.parseLong(text);
      if (number >= low && number <= high) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Says the same as of a number out of the range.
    }
    throw new IllegalArgumentException(name + " must be a whole number from " + low + " to " + high + ", not '" + text + "'");
  }

  private static boolean run(Map<String, String> options) {
    final int steps = (int) number(options, "--steps", 600, 1, 100000);
    final int tests = (int) number(options, "--tests", 16, 1, 1000);
    final long seed = number(options, "--seed", 1, 0, Long.MAX_VALUE);
    final String eagerly = options.getOrDefault("--eager", "no");
    if (!eagerly.equals("yes") && !eagerly.equals("no")) {
      throw new IllegalArgumentException("--eager must be yes or no, not '" + eagerly + "'");
    }
    final boolean eager = eagerly.equals("yes");
    final byte[] text = readText(options.getOrDefault("--text", "/usr/share/common-licenses/GPL-3"));
    final Device device = choose(options.getOrDefault("--device", "auto"));
    final int kept = text.length - text.length / 10; // the end is for the test
    final Batches batches = new Batches(text, 0, kept, steps, seed);
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      engine.seed(seed);
      System.out.printf("rondo %s, %s engine, %s: %s%n", Rondo.version(), engine.mode().name().toLowerCase(Locale.ROOT), device,
          device.info().name());
      final Work work = new Work(engine, device, batches);
      System.out.printf(Locale.ROOT, "network   %d layers of width %d, %d weights, %d x %d bytes a step%n", LAYERS, WIDTH, work.size(), BATCH,
          PLACES);
      final boolean bad = learn(work, eager, steps);
      if (bad) {
        System.err.println("Bert: the loss did not fall");
      }
      work.takeUp(new Batches(text, kept, text.length, tests, seed + 1));
      launch(record(engine, "ask", eager, work::ask), work::ask, tests);
      System.out.printf(Locale.ROOT, "asked     %d of %d hidden bytes found in text that it never saw%n", work.right.toLongArray()[0],
          (long) tests * BATCH * HIDDEN);
      if (options.containsKey("--parameters")) {
        work.write(Path.of(options.get("--parameters")));
      }
      return !bad;
    }
  }

  private static void end(int status, String problem) {
    System.err.println("Bert: " + problem);
    System.exit(status);
  }

  public static void main(String[] arguments) {
    final Map<String, String> options = new HashMap<>();
    for (int i = 0; i < arguments.length; i += 2) {
      if (arguments[i].equals("--help")) {
        System.out.print(USAGE);
        return;
      }
      if (!USAGE.contains("  " + arguments[i] + " ")) {
        end(2, "unknown option '" + arguments[i] + "' (--help lists them)");
      }
      if (i + 1 == arguments.length) {
        end(2, arguments[i] + " needs a value");
      }
      options.put(arguments[i], arguments[i + 1]);
    }
    try {
      if (!run(options)) {
        System.exit(1);
      }
    } catch (IllegalArgumentException e) {
      end(2, e.getMessage());
    } catch (RondoException | IllegalStateException e) {
      end(1, e.getMessage());
    }
  }
}
