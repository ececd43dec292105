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
    final Graph graph; // null: it is recorded at sizes
    final SizedFunction record;
    final List<String> inputs; // null: the defaults
    final List<String> outputs;

    Function(String name, Graph graph, SizedFunction record, List<String> inputs, List<String> outputs) {
      this.name = Objects.requireNonNull(name, "name");
      this.graph = graph;
      this.record = record;
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
  private String into; // null: none
  private final List<String> from = new ArrayList<>();
  private final List<String> dims = new ArrayList<>();
  private final List<Long> least = new ArrayList<>();
  private final List<Long> most = new ArrayList<>();

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
    functions.add(new Function(name, Objects.requireNonNull(graph, "graph"), null, null, null));
    return this;
  }

  /**
   * Adds a dimension that varies between two sizes. All functions of such a file are recorded at sizes.
   *
   * @param name its name
   * @param from the smallest size
   * @param to the largest size
   * @return this
   */
  public ProgramWriter dim(String name, long from, long to) {
    dims.add(Objects.requireNonNull(name, "name"));
    least.add(from);
    most.add(to);
    return this;
  }

  /**
   * Adds a function whose sizes vary, whose inputs are named {@code input0} and so on, its outputs {@code output0}.
   *
   * @param name its name
   * @param record records it at sizes; it is called several times when the file is written
   * @return this
   */
  public ProgramWriter function(String name, SizedFunction record) {
    functions.add(new Function(name, null, Objects.requireNonNull(record, "record"), null, null));
    return this;
  }

  /**
   * Adds a function whose sizes vary, with names for its inputs and outputs, which all functions of the file have or none.
   *
   * @param name its name
   * @param record records it at sizes; it is called several times when the file is written
   * @param inputs a name for each input
   * @param outputs a name for each output
   * @return this
   */
  public ProgramWriter function(String name, SizedFunction record, List<String> inputs, List<String> outputs) {
    functions.add(new Function(name, null, Objects.requireNonNull(record, "record"), List.copyOf(inputs), List.copyOf(outputs)));
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
    functions.add(new Function(name, Objects.requireNonNull(graph, "graph"), null, List.copyOf(inputs), List.copyOf(outputs)));
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
   * Names a safetensors file that is written with the weights, in the folder of the program's, which is JSON then, and names this one by name,
   * size and SHA-256.
   *
   * @param name its name, without a folder
   * @return this
   */
  public ProgramWriter weightsInto(String name) {
    into = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Names a safetensors file that is there, in the folder of the program's, which is JSON then. Its tensors with names of weights are equal to
   * these, and it stays as it is. Several are given one by one.
   *
   * @param name its name, without a folder
   * @return this
   */
  public ProgramWriter weightsFrom(String name) {
    from.add(Objects.requireNonNull(name, "name"));
    return this;
  }

  /**
   * Writes the file, which takes the place of a former one when it is complete. Tensors that a function writes are states: the file has
   * what is in them now. Waits for them. Equal programs give equal bytes.
   *
   * @param path the file
   * @throws UnsupportedException if something cannot be in a file, or is newer than the version that shall read it: the message names all
   *     of it. Of functions whose sizes vary, also for what is no expression of the sizes
   * @throws RondoException what a {@link SizedFunction} threw, of {@link Status#USER_ERROR} if it was no exception of Rondo, with that as its
   *     cause
   * @throws InvalidArgumentException for a name that comes twice, for more or fewer names than a function has inputs or outputs, for a
   *     weight that no function uses, and for one that differs from the tensor of its name in a file of {@link #weightsFrom} or has no file to
   *     go into
   * @throws NotFoundException if such a file is not there
   * @throws IoException if a file cannot be read or written
   */
  public void write(Path path) {
    Objects.requireNonNull(path, "path");
    NativeLibrary.load();
    if (functions.stream().anyMatch(each -> (each.graph == null) == dims.isEmpty())) {
      throw new InvalidArgumentException("ProgramWriter.write: a file with dimensions (ProgramWriter.dim) has functions that are recorded at sizes, "
          + "and one without has graphs", null);
    }
    if (!dims.isEmpty()) {
      writeSized(path);
      return;
    }
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
          reader == null ? null : Memory.bytes(reader), Memory.bytes(into), texts(from));
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

  private void writeSized(Path path) {
    final long named = functions.stream().filter(each -> each.inputs != null).count();
    if (named != 0 && named != functions.size()) {
      throw new InvalidArgumentException("ProgramWriter.write: names of inputs and outputs are given for all functions, or for none", null);
    }
    final List<String> names = new ArrayList<>();
    final List<String> inputs = new ArrayList<>();
    final List<String> outputs = new ArrayList<>();
    for (final Function each : functions) {
      names.add(each.name);
      if (named != 0) {
        inputs.addAll(each.inputs);
        outputs.addAll(each.outputs);
      }
    }
    final NativeObject.Uses uses = NativeObject.use(weights.toArray(new NativeObject[0]));
    final ThreadState state = ThreadState.current();
    state.callbackFailure = null;
    try {
      writeSized0(Memory.bytes(Memory.nameOf(path)), texts(names), texts(dims), numbers(least), numbers(most), new Recorder(functions),
          named == 0 ? null : texts(inputs), named == 0 ? null : texts(outputs), texts(weightNames), uses.addresses(), texts(keys), texts(values),
          reader == null ? null : Memory.bytes(reader), Memory.bytes(into), texts(from));
    } catch (RondoException e) {
      final Throwable cause = state.callbackFailure;
      state.callbackFailure = null;
      throw cause == null || cause == e ? e : e.with(cause);
    } finally {
      uses.end();
    }
  }

  private static long[] numbers(List<Long> numbers) {
    return numbers.stream().mapToLong(each -> each).toArray();
  }

  /** Where the native part enters Java to record a function at sizes. */
  static final class Recorder {
    private final List<Function> functions;

    Recorder(List<Function> functions) {
      this.functions = List.copyOf(functions);
    }

    /** Fills in the address of a graph, which C owns. Called by the native part, below a call of Java's; returns a status. */
    static int run(Recorder recorder, int function, long[] sizes, long[] made) {
      final ThreadState state = ThreadState.current();
      ++state.calls;
      try {
        made[0] = recorder.record(recorder.functions.get(function), sizes);
        return Status.OK.value();
      } catch (Throwable e) { // whatever it is, it must not go on into C
        state.callbackFailure = e;
        return e instanceof RondoException ? ((RondoException) e).status().value() : Status.USER_ERROR.value();
      } finally {
        --state.calls;
      }
    }

    private long record(Function function, long[] sizes) throws Exception {
      final Graph graph = function.record.record(sizes);
      if (graph == null) {
        throw new InvalidArgumentException("ProgramWriter.write: function '" + function.name + "' gave null for a graph", null);
      }
      final GraphInfo info = graph.info();
      if (function.inputs != null) {
        final List<String> unused = new ArrayList<>();
        add(function, "inputs", function.inputs, info.inputs(), unused);
        add(function, "outputs", function.outputs, info.outputs(), unused);
      }
      if (!graph.handle.giveAway()) {
        throw new InvalidStateException("ProgramWriter.write: the graph of function '" + function.name + "' is in use", null);
      }
      return graph.address();
    }
  }

  static byte[][] texts(List<String> texts) {
    return texts.stream().map(Memory::bytes).toArray(byte[][]::new);
  }

  private static native void writeSized0(byte[] path, byte[][] names, byte[][] dims, long[] least, long[] most, Recorder recorder,
      byte[][] inputs, byte[][] outputs, byte[][] weightNames, long[] weights, byte[][] keys, byte[][] values, byte[] reader, byte[] into,
      byte[][] from);

  private static native void write0(byte[] path, byte[][] names, long[] graphs, byte[][] inputs, byte[][] outputs, byte[][] weightNames,
      long[] weights, byte[][] keys, byte[][] values, byte[] reader, byte[] into,
      byte[][] from);

  /**
   * Calls each function of a program file once for each choice of sizes of its dimensions, with inputs that a seed gives, and writes the file
   * anew with what came of it: its self-check.
   *
   * @param path the file
   * @param engine whose tensors the functions take
   * @param device where they run
   * @param sizes one array for each round of calls, with one size for each dimension; none: one round, where no size varies
   * @throws InvalidArgumentException for sizes that the program does not have
   * @throws UnsupportedException if a second run has other results, as of random numbers
   * @throws InvalidStateException while this thread records, and in a task
   */
  public static void addCheck(Path path, Engine engine, Device device, long[]... sizes) {
    Objects.requireNonNull(device, "device");
    final int calls = Math.max(sizes.length, 1);
    final int dims = sizes.length == 0 ? 0 : sizes[0].length;
    final long[] all = new long[calls * dims];
    for (int i = 0; i < sizes.length; ++i) {
      if (sizes[i].length != dims) {
        throw new IllegalArgumentException("each choice of sizes has one for each dimension");
      }
      System.arraycopy(sizes[i], 0, all, i * dims, dims);
    }
    final NativeObject.Uses uses = NativeObject.use(engine);
    try {
      NativePrograms.programAddCheck(Memory.nameOf(path), engine.address(), device, calls, all);
    } finally {
      uses.end();
    }
  }
}
