// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.AttentionOptions;
import dev.rondo.GraphFunction;
import dev.rondo.GraphFunctionOptions;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.MatmulOptions;
import dev.rondo.ModelFile;
import dev.rondo.NotFoundException;
import dev.rondo.Operators;
import dev.rondo.Scope;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * MiniLM, which makes a vector of length 1 of each sentence, with pretrained weights on a device: the network of examples/c/minilm.c.
 * One recorded graph for each of a few numbers of sentences and of pieces of words, all with the same weights; a batch is filled up to
 * the next. Belongs to one thread at a time.
 */
final class Encoder implements AutoCloseable {
  /** The most sentences of one launch. */
  static final int MOST_ROWS = 16;

  /** The most pieces of a sentence. */
  static final int MOST_PIECES = 256;

  private static final int[] ROWS = {1, 4, MOST_ROWS};
  private static final long[] PLACES = {16, 32, 64, 128, MOST_PIECES};
  private static final int LAYERS = 6;
  private static final int HEAD = 32;
  private static final double EPSILON = 1e-12; // of its layer normalisation

  private final Device device;
  private final Engine engine;
  private final List<Tensor> weights = new ArrayList<>(); // all that follow
  private final Tensor word;
  private final Tensor place; // with the type that all pieces of one sentence have
  private final Dense norm;
  private final List<Layer> layers = new ArrayList<>();
  private final GraphFunction graphs;
  private final int width;
  private final int words;

  /** Weights [out, in] and biases [out]; of a normalisation, both [width]. */
  private record Dense(Tensor weight, Tensor bias) {
    Tensor of(Tensor x) {
      return x.matmul(weight, new MatmulOptions().transposeB(true).bias(bias));
    }

    Tensor norm(Tensor x, Tensor y) {
      return Operators.layerNorm(x.add(y), -1, weight, bias, EPSILON);
    }
  }

  private record Layer(Dense qkv, Dense out, Dense attended, Dense wide, Dense narrow, Dense end) {}

  /**
   * Loads the weights.
   *
   * @param file what examples/data/sentences.py fetches: model.safetensors
   * @param device where it runs
   */
  Encoder(Path file, Device device) throws IOException {
    this.device = device;
    engine = Engine.create();
    try (ModelFile parts = ModelFile.open(file)) {
      word = own(load(parts, "embeddings.word_embeddings.weight", 2));
      try (Scope scope = Scope.open()) {
        final Tensor types = load(parts, "embeddings.token_type_embeddings.weight", 2);
        place = own(scope.keep(load(parts, "embeddings.position_embeddings.weight", 2).add(types.slice(0, 0, 1, 1))));
      }
      norm = norm(parts, "embeddings.LayerNorm");
      for (int i = 0; i < LAYERS; ++i) {
        final String name = "encoder.layer." + i + ".";
        final String self = name + "attention.self.";
        layers.add(new Layer(dense(parts, self + "query", self + "key", self + "value"), dense(parts, name + "attention.output.dense"),
            norm(parts, name + "attention.output.LayerNorm"), dense(parts, name + "intermediate.dense"),
            dense(parts, name + "output.dense"), norm(parts, name + "output.LayerNorm")));
      }
      words = (int) word.shape()[0];
      width = (int) word.shape()[1];
      if (width % HEAD != 0 || place.shape()[0] < MOST_PIECES) {
        throw new IOException(file + " is no sentence encoder of heads of " + HEAD + " and sentences of " + MOST_PIECES + " pieces");
      }
      graphs = engine.graphFunction(1, new GraphFunctionOptions().name("sentences").padAxis(1).padSizes(PLACES).padInputs(1).limitBytes(1L << 30),
          x -> List.of(forward(x.get(0), x.get(1))));
      for (final long each : PLACES) { // what does not work is known now
        vectors(List.of(new int[(int) each]));
      }
    } catch (NotFoundException e) {
      release();
      throw new IOException("not a file of MiniLM: " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      release();
      throw e;
    }
  }

  private Tensor own(Tensor weight) {
    weights.add(weight);
    return weight;
  }

  private void release() {
    weights.forEach(Tensor::close);
    engine.close();
  }

  private Tensor load(ModelFile file, String name, int dimensions) throws IOException {
    final ModelFile.Entry entry = file.tensor(name);
    if (entry.dtype() != DType.F32 || entry.shape().length != dimensions || entry.bytes() == 0) {
      throw new IOException("not a file of MiniLM: " + entry + " has another shape or dtype");
    }
    return file.load(name, engine, device);
  }

  private Dense norm(ModelFile file, String name) throws IOException {
    return new Dense(own(load(file, name + ".weight", 1)), own(load(file, name + ".bias", 1)));
  }

  /** Parts of the file one below the other. */
  private Dense dense(ModelFile file, String... parts) throws IOException {
    try (Scope scope = Scope.open()) {
      final Tensor[] rows = new Tensor[parts.length];
      final Tensor[] biases = new Tensor[parts.length];
      for (int i = 0; i < parts.length; ++i) {
        rows[i] = load(file, parts[i] + ".weight", 2);
        biases[i] = load(file, parts[i] + ".bias", 1);
      }
      return new Dense(own(scope.keep(Operators.concat(rows, 0))), own(scope.keep(Operators.concat(biases, 0))));
    }
  }

  /** Pieces of words that it knows. */
  int words() {
    return words;
  }

  /** Elements of a vector. */
  int width() {
    return width;
  }

  /** Where it runs. */
  Device device() {
    return device;
  }

  /** Rows of the launch that a batch is filled up to. */
  static int rows(int sentences) {
    return IntStream.of(ROWS).filter(each -> each >= sentences).findFirst().orElseThrow();
  }

  /**
   * The vectors of sentences, one behind the other.
   *
   * @param sentences the numbers of their pieces, 1 to {@link #MOST_ROWS} of 1 to {@link #MOST_PIECES}
   */
  float[] vectors(List<int[]> sentences) {
    final int rows = rows(sentences.size());
    final int longest = sentences.stream().mapToInt(each -> each.length).max().orElseThrow();
    final int[] ids = new int[rows * longest];
    final int[] lengths = new int[rows]; // of those that there are not, 0: their rows are no numbers, and nobody reads them
    for (int i = 0; i < sentences.size(); ++i) {
      lengths[i] = sentences.get(i).length;
      System.arraycopy(sentences.get(i), 0, ids, i * longest, lengths[i]);
    }
    try (Tensor given = engine.tensor(device, ids, rows, longest); Tensor counts = engine.tensor(device, lengths, rows);
        Tensor all = graphs.call(given, counts).get(0); Tensor asked = all.slice(0, 0, sentences.size(), 1)) {
      return asked.toFloatArray();
    }
  }

  /** Operators from ids [n, places] and lengths [n] to vectors [n, width]. */
  private Tensor forward(Tensor ids, Tensor lengths) {
    final long n = ids.shape()[0];
    final long places = ids.shape()[1];
    Tensor x = norm.norm(Operators.gatherRows(word, ids), place.slice(0, 0, places, 1));
    for (final Layer layer : layers) {
      x = through(layer, x, lengths);
    }
    final Tensor present = engine.arange(device, DType.I32, places).lt(lengths.reshape(n, 1)).cast(DType.F32).reshape(n, places, 1);
    final Tensor sum = x.mul(present).sum(1); // of length 1 the sum is what the mean is
    return sum.div(sum.l2Norm(new int[] {1}, true));
  }

  private static Tensor through(Layer layer, Tensor x, Tensor lengths) {
    final long n = x.shape()[0];
    final long places = x.shape()[1];
    final long heads = x.shape()[2] / HEAD;
    final Tensor packed = layer.qkv.of(x).reshape(n, places, 3, heads, HEAD);
    final Tensor[] qkv = new Tensor[3];
    for (int i = 0; i < 3; ++i) {
      qkv[i] = packed.slice(2, i, i + 1, 1).reshape(n, places, heads, HEAD);
    }
    final Tensor attended = Operators.attention(qkv[0], qkv[1], qkv[2], new AttentionOptions().queryLengths(lengths).keyLengths(lengths))[0];
    final Tensor seen = layer.attended.norm(x, layer.out.of(attended.reshape(n, places, heads * HEAD)));
    return layer.end.norm(seen, layer.narrow.of(layer.wide.of(seen).gelu()));
  }

  /** Of a lost device too: it is not waited for. */
  @Override
  public void close() {
    graphs.close();
    release();
  }
}
