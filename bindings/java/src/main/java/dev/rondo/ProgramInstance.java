// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a program with their weights on one device. Made by {@link Program#instance}. Any number of threads may call at once;
 * calls of one function run one after the other.
 */
public final class ProgramInstance extends NativeObject {
  private final Engine engine;
  private final Map<String, Integer> outputs; // how many a function has; not changed

  ProgramInstance(Engine engine, Map<String, Integer> outputs, long address) {
    super("program instance", address, engine.gate(), NativePrograms::programInstanceDestroy);
    this.engine = engine;
    this.outputs = outputs;
    Scope.add(this);
  }

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * Calls a function, as {@link Graph#call} does a graph; its results are new tensors. Does not wait. One whose sizes vary takes inputs of any
   * size within the bounds, and records at the first call of each.
   *
   * @param function its name
   * @param inputs one for each input, in the file's order
   * @return one tensor for each output, in the file's order
   * @throws NotFoundException if there is no such function: the message has the names there are
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   */
  public List<Tensor> call(String function, Tensor... inputs) {
    Objects.requireNonNull(function, "function");
    final long[] made = new long[outputs.getOrDefault(function, 0)];
    call(function, inputs, made);
    return Tensor.made(engine, made);
  }

  /**
   * The same with a time limit, from now on. When it is over, nothing of the call begins any more: not the call, if it still waits for what was
   * submitted before it; no further operator on a cpu; no further turn of a loop that the host decides. What has begun ends as it would. The
   * results carry {@link TimedOutException} then, which waits throw. Does not wait itself.
   *
   * @param limit the time, which is rounded up to milliseconds
   * @param function its name
   * @param inputs one for each input, in the file's order
   * @return one tensor for each output, in the file's order
   * @throws NotFoundException if there is no such function: the message has the names there are
   * @throws InvalidArgumentException for a limit of zero or less, and as {@link #call}
   * @throws InvalidStateException while this thread records, or has a tape open
   * @throws TimedOutException if making the graph took as long
   */
  public List<Tensor> callWithin(Duration limit, String function, Tensor... inputs) {
    Objects.requireNonNull(function, "function");
    final long[] made = new long[outputs.getOrDefault(function, 0)];
    call(inputs, given -> NativePrograms.programCallWithin(address(), function, Waits.milliseconds(limit), given, made));
    return Tensor.made(engine, made);
  }

  /**
   * Calls a function by the names of its inputs, all of them in any order, and of the outputs that are wanted.
   *
   * @param function its name
   * @param inputs each input by its name
   * @param outputs names of outputs
   * @return these outputs by their names, in their order
   * @throws NotFoundException for a name that is not there
   * @throws InvalidArgumentException for an input that is not given, a name that comes twice, and a tensor that does not fit
   */
  public Map<String, Tensor> callNamed(String function, Map<String, Tensor> inputs, List<String> outputs) {
    return callNamed(0, function, inputs, outputs);
  }

  /**
   * The same with a time limit, as of {@link #callWithin}.
   *
   * @param limit the time, which is rounded up to milliseconds
   * @param function its name
   * @param inputs each input by its name
   * @param outputs names of outputs
   * @return these outputs by their names, in their order
   * @throws NotFoundException for a name that is not there
   * @throws InvalidArgumentException for a limit of zero or less, an input that is not given, a name that comes twice, and a tensor that does
   *     not fit
   * @throws InvalidStateException while this thread records, or has a tape open
   * @throws TimedOutException if making the graph took as long
   */
  public Map<String, Tensor> callNamedWithin(Duration limit, String function, Map<String, Tensor> inputs, List<String> outputs) {
    if (limit.isZero() || limit.isNegative()) {
      throw new InvalidArgumentException("ProgramInstance.callNamedWithin: limit is " + limit + "; more than 0 is needed", null);
    }
    return callNamed(Waits.milliseconds(limit), function, inputs, outputs);
  }

  private Map<String, Tensor> callNamed(long limit, String function, Map<String, Tensor> inputs, List<String> outputs) {
    Objects.requireNonNull(function, "function");
    Objects.requireNonNull(inputs, "inputs");
    Objects.requireNonNull(outputs, "outputs");
    final List<String> names = new ArrayList<>();
    final List<Tensor> tensors = new ArrayList<>();
    inputs.forEach((name, tensor) -> {
      names.add(name);
      tensors.add(tensor);
    });
    final String[] wanted = outputs.toArray(new String[0]);
    final long[] made = new long[wanted.length];
    call(tensors.toArray(new Tensor[0]),
        given -> NativePrograms.programCallNamed(address(), function, limit, names.toArray(new String[0]), given, wanted, made));
    final List<Tensor> results = Tensor.made(engine, made);
    final Map<String, Tensor> named = new LinkedHashMap<>();
    for (int i = 0; i < wanted.length; ++i) {
      named.put(wanted[i], results.get(i));
    }
    return Collections.unmodifiableMap(named);
  }

  /**
   * As {@link #call}, into tensors that are there, which share no memory with the inputs or with each other.
   *
   * @param function its name
   * @param inputs one for each input, in the file's order
   * @param outputs one for each output, in the file's order
   * @throws NotFoundException if there is no such function: the message has the names there are
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   */
  public void callInto(String function, List<Tensor> inputs, List<Tensor> outputs) {
    Objects.requireNonNull(function, "function");
    final Uses uses = use(outputs.toArray(new NativeObject[0]));
    try {
      call(function, inputs.toArray(new Tensor[0]), uses.addresses());
    } finally {
      uses.end();
    }
  }

  private void call(String function, Tensor[] inputs, long[] made) {
    call(inputs, given -> NativePrograms.programCall(address(), function, given, made));
  }

  private void call(Tensor[] inputs, Consumer<long[]> call) {
    final List<Tensor> given = now(Arrays.asList(inputs));
    final List<NativeObject> used = new ArrayList<>(given);
    used.add(this);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      call.accept(Tape.addresses(given));
    } finally {
      uses.end();
    }
  }

  /**
   * A function as a graph: for its parameters and sections, reports and profiles. It lives on without the instance.
   *
   * @param function its name
   * @return the graph
   * @throws NotFoundException if there is no such function: the message has the names there are
   */
  public Graph graph(String function) {
    Objects.requireNonNull(function, "function");
    final long address = acquire();
    try {
      return made(each -> new Graph(engine, each), NativeGraph::graphDestroy, NativePrograms.programGraph(address, function));
    } finally {
      release();
    }
  }

  /**
   * A function whose sizes vary: for figures and the report of its graphs, and to let go of them. It lives on without the instance.
   *
   * @param function its name
   * @return the function; its calls are the instance's
   * @throws NotFoundException if there is no such function: the message has the names there are
   * @throws UnsupportedException for a function of one size, which {@link #graph} gives
   */
  public GraphFunction function(String function) {
    Objects.requireNonNull(function, "function");
    final long address = acquire();
    try {
      return made(each -> new GraphFunction(engine, outputs.getOrDefault(function, 0), each), NativeGraphFunction::callableDestroy,
          NativePrograms.programCallable(address, function));
    } finally {
      release();
    }
  }

  /**
   * A weight; of a state, the tensor that the functions write. What is written into it the next calls see, and for other than states other
   * instances may see it too.
   *
   * @param name its name
   * @return the tensor
   * @throws NotFoundException if there is no such weight
   */
  public Tensor weight(String name) {
    Objects.requireNonNull(name, "name");
    final long address = acquire();
    try {
      return Tensor.made(engine, NativePrograms.programInstanceWeight(address, name));
    } finally {
      release();
    }
  }

  /**
   * Writes the program as a file, with its weights and states as they are now and the author's texts: what was trained becomes a file again.
   *
   * @param path the file
   * @throws InvalidStateException while this thread records, and in a task
   * @throws IoException if it cannot be written
   */
  public void save(Path path) {
    save(path, null, List.of());
  }

  /**
   * The same as JSON apart from its weights, as of {@link ProgramWriter#weightsInto} and {@link ProgramWriter#weightsFrom}.
   *
   * @param path the file of the program
   * @param into the name of a safetensors file in its folder, which is written; null: none
   * @param from names of safetensors files in its folder, which are there
   * @throws InvalidArgumentException for neither {@code into} nor {@code from}, for names that are no files of this folder, and for a weight that
   *     differs from the tensor of its name in such a file or has no file to go into
   * @throws NotFoundException if such a file is not there
   * @throws InvalidStateException while this thread records, and in a task
   * @throws IoException if a file cannot be read or written
   */
  public void saveAsJson(Path path, @Nullable String into, List<String> from) {
    if (into == null && from.isEmpty()) {
      throw new InvalidArgumentException("ProgramInstance.saveAsJson: into is null and from is empty; JSON needs a file for its weights in one of them, "
          + "and save writes both as one file", null);
    }
    save(path, into, List.copyOf(from));
  }

  private void save(Path path, @Nullable String into, List<String> from) {
    Objects.requireNonNull(path, "path");
    final long address = acquire();
    try {
      save0(address, Memory.bytes(Memory.nameOf(path)), Memory.bytes(into), ProgramWriter.texts(from));
    } finally {
      release();
    }
  }

  private static native void save0(long instance, byte[] path, byte[] into, byte[][] from);

  @Override
  public String toString() {
    return isClosed() ? "ProgramInstance[closed]" : "ProgramInstance" + outputs.keySet();
  }
}
