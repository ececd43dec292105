// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
   * The same into tensors that are there, which share no memory with the inputs or with each other.
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
    final List<Tensor> given = now(Arrays.asList(inputs));
    final List<NativeObject> used = new ArrayList<>(given);
    used.add(this);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      NativePrograms.programCall(address(), function, Tape.addresses(given), made);
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

  @Override
  public String toString() {
    return isClosed() ? "ProgramInstance[closed]" : "ProgramInstance" + outputs.keySet();
  }
}
