// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Writes program files: graphs that are called ({@link RecordFlags#CALLABLE}) become functions, and tensors from outside that they use
 * become weights, which the functions share.
 *
 * <pre>{@code
 * new ProgramWriter()
 *     .function("encode", graph, List.of("tokens"), List.of("vector"))
 *     .weight("embedding", w)
 *     .metadata("labels", "cat,dog")
 *     .write(path);
 * }</pre>
 *
 * <p>For one thread at a time. {@link Program} opens what was written.
 */
public final class ProgramWriter {
  private static final class Function {
    final String name;
    final Graph graph;
    final List<String> inputs; // null: the defaults
    final List<String> outputs;

    Function(String name, Graph graph, List<String> inputs, List<String> outputs) {
      this.name = Objects.requireNonNull(name, "name");
      this.graph = Objects.requireNonNull(graph, "graph");
      this.inputs = inputs;
      this.outputs = outputs;
    }
  }

  private final List<Function> functions = new ArrayList<>();
  private final List<String> weightNames = new ArrayList<>();
  private final List<Tensor> weights = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final List<String> values = new ArrayList<>();
  private String reader; // null: this version

  /** Of nothing yet. */
  public ProgramWriter() {}

  /**
   * Adds a function, whose inputs are named {@code input0} and so on, its outputs {@code output0}.
   *
   * @param name its name
   * @param graph what it does; it is read when the file is written, and must be open then
   * @return this
   */
  public ProgramWriter function(String name, Graph graph) {
    functions.add(new Function(name, graph, null, null));
    return this;
  }

  /**
   * Adds a function with names for its inputs and outputs.
   *
   * @param name its name
   * @param graph what it does; it is read when the file is written, and must be open then
   * @param inputs a name for each input
   * @param outputs a name for each output
   * @return this
   */
  public ProgramWriter function(String name, Graph graph, List<String> inputs, List<String> outputs) {
    functions.add(new Function(name, graph, List.copyOf(inputs), List.copyOf(outputs)));
    return this;
  }

  /**
   * Gives a name to a tensor from outside that a function uses. The others are {@code weight0} and so on.
   *
   * @param name its name
   * @param tensor the tensor, whole: no part of another
   * @return this
   */
  public ProgramWriter weight(String name, Tensor tensor) {
    Objects.requireNonNull(name, "name");
    weights.add(Objects.requireNonNull(tensor, "tensor"));
    weightNames.add(name);
    return this;
  }

  /**
   * Adds a text of the author, such as the labels of a classifier.
   *
   * @param key its key
   * @param value the text
   * @return this
   */
  public ProgramWriter metadata(String key, String value) {
    Objects.requireNonNull(key, "key");
    values.add(Objects.requireNonNull(value, "value"));
    keys.add(key);
    return this;
  }

  /**
   * Says which is the oldest version of the library that shall read the file; without it, this one.
   *
   * @param version the version, such as {@code 0.1}
   * @return this
   */
  public ProgramWriter reader(String version) {
    reader = Objects.requireNonNull(version, "version");
    return this;
  }

  /**
   * Writes the file, which takes the place of a former one when it is complete. Tensors that a function writes are states: the file has
   * what is in them now. Waits for them. Equal programs give equal bytes.
   *
   * @param path the file
   * @throws UnsupportedException if something cannot be in a file, or is newer than the version that shall read it: the message names all
   *     of it
   * @throws InvalidArgumentException for a name that comes twice, for more or fewer names than a function has inputs or outputs, and for a
   *     weight that no function uses
   * @throws IoException if it cannot be written
   */
  public void write(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.load();
    final List<NativeObject> used = new ArrayList<>();
    functions.forEach(each -> used.add(each.graph));
    used.addAll(weights);
    final NativeObject.Uses uses = NativeObject.use(used.toArray(new NativeObject[0]));
    try {
      final List<String> names = new ArrayList<>();
      final List<String> inputs = new ArrayList<>();
      final List<String> outputs = new ArrayList<>();
      for (final Function each : functions) {
        final GraphInfo info = each.graph.info();
        names.add(each.name);
        add(each, "inputs", each.inputs, info.inputs(), inputs);
        add(each, "outputs", each.outputs, info.outputs(), outputs);
      }
      final long[] addresses = uses.addresses();
      final int count = functions.size();
      write0(Memory.bytes(Memory.nameOf(path)), texts(names), Arrays.copyOf(addresses, count), texts(inputs), texts(outputs),
          texts(weightNames), Arrays.copyOfRange(addresses, count, addresses.length), texts(keys), texts(values),
          reader == null ? null : Memory.bytes(reader));
    } finally {
      uses.end();
    }
  }

  /** As many names as the graph has inputs, or outputs; null is one that C chooses. */
  private static void add(Function function, String what, List<String> names, int count, List<String> all) {
    if (names != null && names.size() != count) {
      throw new InvalidArgumentException("ProgramWriter.write: function '" + function.name + "' has " + count + " " + what + ", not "
          + names.size() + ": each needs a name", null);
    }
    all.addAll(names != null ? names : Collections.nCopies(count, null));
  }

  private static byte[][] texts(List<String> texts) {
    return texts.stream().map(Memory::bytes).toArray(byte[][]::new);
  }

  private static native void write0(byte[] path, byte[][] names, long[] graphs, byte[][] inputs, byte[][] outputs, byte[][] weightNames,
      long[] weights, byte[][] keys, byte[][] values, byte[] reader);
}
