// A recommender of the kind of DLRM learns who clicks: numbers go through a small network, categories are looked up in tables, the
// products of all pairs of these vectors go through another one. A whole step, in which only the rows that were read are updated, is
// recorded once as a graph and launched for every batch; the first steps, run operator by operator beside it, leave the same bits. The
// same training as examples/c/dlrm.c, with the same losses, tables and parameters bit for bit.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.Activation;
import dev.rondo.Autocast;
import dev.rondo.BagMode;
import dev.rondo.BinaryOp;
import dev.rondo.DType;
import dev.rondo.DescendOptions;
import dev.rondo.Device;
import dev.rondo.DeviceKind;
import dev.rondo.EmbeddingBag;
import dev.rondo.Engine;
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
import dev.rondo.ReduceOp;
import dev.rondo.Rondo;
import dev.rondo.RondoException;
import dev.rondo.Scope;
import dev.rondo.Tape;
import dev.rondo.Tensor;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

public final class Dlrm {
  private static final String USAGE = "usage: Dlrm [--half] [DEVICE [STEPS [BATCH [FILE]]]]\n"
      + "  --half  the upper network computes in f16, and the loss is scaled; what is trained stays f32\n"
      + "  DEVICE  cpu (without an argument), cuda:0 or auto\n"
      + "  STEPS   of training (1024)\n"
      + "  BATCH   samples of a step (128)\n"
      + "  FILE    gets the trained tables and parameters, as safetensors\n";

  // --- the data: made-up clicks, about which a hidden model decides by chance, so that there is something to learn and an end to it

  private static final int DENSE = 13;
  private static final int BAG = 2;
  private static final int[] ROWS = {2000, 1000, 500, 300, 100, 50, 20, 8}; // how many categories each table has
  private static final int TABLES = ROWS.length;
  private static final int HIDDEN = 3; // numbers that the hidden model has of each category

  /** A linear congruential generator. */
  private static final class Chance {
    private long state;

    Chance(long seed) {
      state = seed;
    }

    /** From 0 to 1: the upper bits. */
    double draw() {
      state = state * 6364136223846793005L + 1442695040888963407L;
      return (state >>> 11) / 9007199254740992.0;
    }

    /** About normal: a sum of twelve. */
    double drawNormal() {
      double sum = -6;
      for (int i = 0; i < 12; ++i) {
        sum += draw();
      }
      return sum;
    }
  }

  private static final class HiddenModel {
    private final double[] slopes = new double[DENSE];
    private final double[][] categories = new double[TABLES][]; // of each table, HIDDEN of each row

    HiddenModel() {
      final Chance chance = new Chance(12345);
      Arrays.setAll(slopes, k -> 0.4 * chance.drawNormal());
      for (int t = 0; t < TABLES; ++t) {
        categories[t] = new double[ROWS[t] * HIDDEN];
        Arrays.setAll(categories[t], i -> 0.25 * chance.drawNormal());
      }
    }

    /** What it thinks of sample number i: a line through the numbers, and how its categories go together. */
    double logit(float[] dense, int[] indices, int i) {
      double logit = -0.7;
      for (int k = 0; k < DENSE; ++k) {
        logit += slopes[k] * dense[i * DENSE + k];
      }
      final double[][] of = new double[TABLES][HIDDEN];
      for (int t = 0; t < TABLES; ++t) {
        for (int k = 0; k < HIDDEN; ++k) {
          for (int j = 0; j < BAG; ++j) {
            of[t][k] += categories[t][indices[(i * TABLES + t) * BAG + j] * HIDDEN + k];
          }
        }
      }
      for (int t = 0; t < TABLES; ++t) {
        for (int other = 0; other < t; ++other) {
          for (int k = 0; k < HIDDEN; ++k) {
            logit += of[t][k] * of[other][k];
          }
        }
      }
      return logit;
    }
  }

  private static final class Clicks {
    final int n;
    final float[] dense; // DENSE each: numbers that are known
    final int[] indices; // TABLES * BAG each: categories, the first ones more often than the last
    final float[] labels; // 1 where a click followed
    final double best; // mean loss of the hidden model itself: nobody can do better
    final double blind; // that of a model which knows the share of clicks and nothing else

    /** The same seed makes the same clicks on every machine. */
    Clicks(int n, long seed) {
      final HiddenModel model = new HiddenModel();
      final Chance chance = new Chance(seed);
      double sum = 0;
      double share = 0;
      this.n = n;
      dense = new float[n * DENSE];
      indices = new int[n * TABLES * BAG];
      labels = new float[n];
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < DENSE; ++k) {
          dense[i * DENSE + k] = (float) chance.drawNormal();
        }
        for (int k = 0; k < TABLES * BAG; ++k) {
          final double drawn = chance.draw();
          indices[i * TABLES * BAG + k] = (int) (drawn * drawn * drawn * ROWS[k / BAG]);
        }
        final double logit = model.logit(dense, indices, i);
        labels[i] = chance.draw() < 1 / (1 + Math.exp(-logit)) ? 1 : 0;
        sum += (Math.max(logit, 0) - logit * labels[i] + Math.log1p(Math.exp(-Math.abs(logit)))) / n;
        share += labels[i] / (double) n;
      }
      best = sum;
      blind = -share * Math.log(share) - (1 - share) * Math.log(1 - share);
    }
  }

  // --- the model

  private static final int WIDTH = 16; // of all vectors that are multiplied
  private static final int VECTORS = 1 + TABLES;
  private static final int PAIRS = VECTORS * (VECTORS - 1) / 2;
  private static final int[] INPUTS = {DENSE, 64, WIDTH + PAIRS, 64}; // of layers
  private static final int[] OUTPUTS = {64, WIDTH, 64, 1};

  /** Samples on the device. */
  private static final class Samples {
    final Tensor dense; // [n, DENSE]
    final Tensor indices; // [n, TABLES * BAG]
    final Tensor labels; // [n, 1]

    Samples(Engine engine, Device device, Clicks clicks) {
      dense = engine.tensor(device, clicks.dense, clicks.n, DENSE);
      indices = engine.tensor(device, clicks.indices, clicks.n, TABLES * BAG);
      labels = engine.tensor(device, clicks.labels, clicks.n, 1);
    }

    /** Those of others that are at these positions. */
    Samples(Samples others, Tensor positions) {
      dense = Operators.gatherRows(others.dense, positions);
      indices = Operators.gatherRows(others.indices, positions);
      labels = Operators.gatherRows(others.labels, positions);
    }
  }

  /** Everything a training needs lives on the device, so one step is nothing but operators. */
  private static final class Model {
    private final Engine engine;
    private final Device device;
    private final int batch;
    private final int count; // of samples to train on
    private final Samples training;
    private final Tensor positions; // i32 [batch]: which samples are next; every step moves it on
    private final Tensor[] tables = new Tensor[TABLES]; // [rows, WIDTH]
    private final Tensor[] parameters = new Tensor[2 * INPUTS.length]; // of each layer the weight and the bias
    private final Optimizer optimizer; // of these
    private final Tensor rate; // the optimizer's: tables go by it too
    private final LossScaler scaler; // of a half model; else null
    private final Tensor loss; // sum of the batches' mean losses since takeLoss
    private final Tensor addToLoss;

    /** The upper network of a half model computes in f16, and its loss is scaled; what is trained stays f32. */
    Model(Engine engine, Device device, int batch, boolean half, Clicks clicks) {
      this.engine = engine;
      this.device = device;
      this.batch = batch;
      count = clicks.n;
      engine.seed(1);
      training = new Samples(engine, device, clicks);
      positions = engine.arange(device, DType.I32, batch);
      for (int i = 0; i < TABLES; ++i) {
        tables[i] = engine.uniform(device, -0.1, 0.1, ROWS[i], WIDTH);
      }
      for (int i = 0; i < INPUTS.length; ++i) {
        final double limit = Math.sqrt(6.0 / (INPUTS[i] + OUTPUTS[i]));
        parameters[2 * i] = engine.uniform(device, -limit, limit, INPUTS[i], OUTPUTS[i]);
        parameters[2 * i + 1] = engine.zeros(device, OUTPUTS[i]);
      }
      optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.SGD).rate(0.4), parameters);
      rate = Objects.requireNonNull(optimizer.states().get("optimizer.rate"), "optimizer.rate");
      scaler = half ? LossScaler.create(engine, device, new LossScalerOptions()) : null;
      loss = engine.full(device, DType.F32, 0);
      addToLoss = loss.accumulator();
    }

    private MatmulOptions layer(int number, Activation activation) {
      return new MatmulOptions().bias(parameters[2 * number + 1]).activation(activation);
    }

    /** A sample's vectors lie side by side in one tensor, and who makes one writes it there: nothing is joined by copies. */
    private final class Vectors {
      final Tensor all; // [n, VECTORS, WIDTH]
      final Tensor dense; // a view of it, [n, WIDTH]
      final Tensor rows; // likewise, [n, TABLES, WIDTH]
      final Tensor indices; // [TABLES, n, BAG]: a view of those of samples

      /** Looks the rows up. */
      Vectors(Samples samples) {
        final long n = samples.dense.size(0);
        all = engine.empty(device, DType.F32, n, VECTORS, WIDTH);
        rows = all.slice(1, 1, VECTORS, 1);
        dense = all.slice(1, 0, 1, 1).reshape(n, WIDTH);
        indices = samples.indices.reshape(n, TABLES, BAG).transpose(1, 0, 2);
        Operators.embeddingBag(tables, indices, null, BagMode.SUM, rows);
      }
    }

    /**
     * The mean loss of samples whose rows are looked up, written into a tensor. In a half model what is above the vectors computes in f16;
     * what is written into a view of them does not.
     */
    private void forward(Samples samples, Vectors vectors, Tensor loss) {
      final Tensor hidden = samples.dense.matmul(parameters[0], layer(0, Activation.RELU));
      Operators.matmul(hidden, parameters[2], layer(1, Activation.RELU), vectors.dense);
      if (scaler == null) {
        above(samples, vectors, loss);
        return;
      }
      try (Autocast half = engine.autocast(DType.F16)) {
        above(samples, vectors, loss);
      }
    }

    private void above(Samples samples, Vectors vectors, Tensor loss) {
      final Tensor pairs = Operators.dotInteraction(vectors.all, true);
      final Tensor above = pairs.matmul(parameters[4], layer(2, Activation.RELU));
      final Tensor losses = above.matmul(parameters[6], layer(3, Activation.NONE)).bceWithLogits(samples.labels);
      Operators.reduce(ReduceOp.MEAN, losses, null, false, loss);
    }

    /**
     * The next batch forward and back, and all updates. Call it to run it, or inside a recording to keep it. With a scaled loss layers and
     * tables are updated if all gradients are finite, and otherwise neither: the device decides.
     */
    void step() {
      try (Scope scope = Scope.open()) {
        final Samples samples = new Samples(training, positions);
        Operators.binaryScalar(BinaryOp.ADD, positions, batch, positions);
        Operators.binaryScalar(BinaryOp.MOD, positions, count, positions);

        // The tape begins behind the look-up: it gives the gradient of what was looked up, from which the rows get theirs.
        final Vectors vectors = new Vectors(samples);
        final Tensor[] sources = Arrays.copyOf(parameters, parameters.length + 1);
        sources[parameters.length] = vectors.rows;
        final Tape tape = engine.tape(sources);
        forward(samples, vectors, addToLoss);
        final List<Tensor> gradients = tape.gradients(scaler == null ? loss : scaler.scale(loss), sources);
        final Tensor[] goesBy = scaler == null ? new Tensor[2] : scaler.finite(gradients); // whether all are finite, and 1 / the scale
        optimizer.step(gradients.subList(0, parameters.length), goesBy[0], goesBy[1]);
        EmbeddingBag.descend(List.of(tables), vectors.indices, null, BagMode.SUM, gradients.get(parameters.length), rate,
            new DescendOptions().finite(goesBy[0]).scale(goesBy[1]));
        if (scaler != null) {
          scaler.update();
        }
      }
    }

    double takeLoss() {
      final double sum = loss.item();
      loss.fill(0);
      return sum;
    }

    /** The mean loss of samples that it is not trained on. */
    double test(Samples samples) {
      try (Scope scope = Scope.open()) {
        final Tensor mean = engine.empty(device, DType.F32);
        forward(samples, new Vectors(samples), mean);
        return mean.item();
      }
    }

    /** All tables and parameters, by name: tables.0, tables.1 ... and of each layer layers.0.weight, layers.0.bias ... */
    Map<String, Tensor> named() {
      final Map<String, Tensor> named = new LinkedHashMap<>();
      for (int i = 0; i < TABLES; ++i) {
        named.put("tables." + i, tables[i]);
      }
      for (int i = 0; i < parameters.length; ++i) {
        named.put("layers." + i / 2 + (i % 2 == 0 ? ".weight" : ".bias"), parameters[i]);
      }
      return named;
    }

    boolean isSameAs(Model other) {
      final Iterator<Tensor> others = other.named().values().iterator();
      return named().values().stream().allMatch(each -> Arrays.equals(each.toFloatArray(), others.next().toFloatArray())); // bits
    }
  }

  // --- training

  private static final int TRAINING = 16384;
  private static final int TESTS = 4096;
  private static final int COMPARED = 3; // steps, eager and launched
  private static final int PARTS = 8; // of the training, each of which says how it went

  /** The graph of a step, which nothing may split: what was recorded is one piece, on a GPU one CUDA graph. */
  private static Graph record(Engine engine, Model model, DeviceKind kind) {
    final Graph graph = engine.record((Runnable) model::step);
    final GraphInfo info = graph.info();
    if (info.segments() != 1 || info.captured() != (kind == DeviceKind.CUDA ? 1 : 0)) {
      throw new IllegalStateException("the step is not one graph, but " + info.segments() + " pieces, of which " + info.captured()
          + " are CUDA graphs");
    }
    System.out.println("a step is one graph of " + info.tasks() + " tasks");
    return graph;
  }

  private static void run(boolean half, Device device, int steps, int batch, String file) {
    final Clicks clicks = new Clicks(TRAINING, 1);
    final Clicks unseen = new Clicks(TESTS, 2);
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      System.out.printf("rondo %s, %s engine, %s: %s%n", Rondo.version(), engine.mode().name().toLowerCase(Locale.ROOT), device,
          device.info().name());
      final Model model = new Model(engine, device, batch, half, clicks);
      final Model eager = new Model(engine, device, batch, half, clicks);
      final Samples tests = new Samples(engine, device, unseen);
      final double before = model.test(tests);

      final Graph graph = record(engine, model, device.kind());
      for (int i = 0; i < COMPARED; ++i) {
        graph.launch();
        eager.step();
      }
      if (!model.isSameAs(eager)) {
        throw new IllegalStateException("a step that was launched left other bits than the same one operator by operator");
      }
      System.out.println(COMPARED + " steps launched leave the bits of " + COMPARED + " operator by operator");
      model.takeLoss();

      double first = 0;
      double last = 0;
      for (int part = 0; part < PARTS; ++part) {
        final int begin = part * steps / PARTS;
        final int end = (part + 1) * steps / PARTS;
        for (int i = begin; i < end; ++i) {
          graph.launch();
        }
        last = model.takeLoss() / Math.max(end - begin, 1);
        first = part == 0 ? last : first;
        System.out.printf(Locale.ROOT, "to step %4d: loss %.4f%n", end, last);
      }
      final double after = model.test(tests);
      System.out.printf(Locale.ROOT, "unseen: loss %.4f, before %.4f; %.4f by the share of clicks alone, %.4f by the model that made them%n",
          after, before, unseen.blind, unseen.best);
      if (file != null) {
        ModelFile.write(Path.of(file), model.named());
      }
      if (steps >= PARTS && !(last < first)) {
        throw new IllegalStateException("the loss did not fall: " + first + " at first, " + last + " at last");
      }
      if (steps >= 512 && !(after < unseen.blind - 0.02)) {
        throw new IllegalStateException("nothing was learnt: " + after + " of unseen samples, " + unseen.blind
            + " by the share of clicks alone");
      }
    }
  }

  private static int positive(String what, String[] arguments, int place, int fallback) {
    if (arguments.length <= place) {
      return fallback;
    }
    if (!arguments[place].matches("[0-9]{1,5}") || Integer.parseInt(arguments[place]) < 1 || Integer.parseInt(arguments[place]) > TRAINING) {
      System.err.println("Dlrm: " + what + " is '" + arguments[place] + "'; 1 to " + TRAINING + " is needed");
      System.exit(2);
    }
    return Integer.parseInt(arguments[place]);
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

  public static void main(String[] given) {
    if (List.of(given).contains("--help")) {
      System.out.print(USAGE);
      return;
    }
    final boolean half = given.length > 0 && given[0].equals("--half");
    final String[] arguments = half ? Arrays.copyOfRange(given, 1, given.length) : given;
    final int steps = positive("STEPS", arguments, 1, 1024);
    final int batch = positive("BATCH", arguments, 2, 128);
    try {
      run(half, choose(arguments.length > 0 ? arguments[0] : "cpu"), steps, batch, arguments.length > 3 ? arguments[3] : null);
    } catch (RondoException | IllegalStateException e) {
      System.err.println("Dlrm: " + e.getMessage());
      System.exit(1);
    }
  }
}
