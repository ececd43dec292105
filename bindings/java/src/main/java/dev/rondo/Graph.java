// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** A compiled recording: replayed as often as wanted. Made by {@link Engine#record}. */
public class Graph extends NativeObject {
  private final Engine engine;

  Graph(Engine engine, long address) {
    super("graph", address, engine.gate(), NativeGraph::graphDestroy);
    this.engine = engine;
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

  /** Submits one run. Does not wait: launches are ordered with everything else by what they read and write. */
  public void launch() {
    final long address = acquire();
    try {
      NativeGraph.graphLaunch(address);
    } finally {
      release();
    }
  }

  /**
   * Submits one run of a graph that was recorded with {@link RecordFlags#CALLABLE}, on these inputs; its results are new tensors. Does
   * not wait. Any number of threads may call at once: calls of one graph run one after the other, each as one step, and no answer is
   * mixed up.
   *
   * <pre>{@code
   * Graph model = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE), recording -> {
   *   Tensor in = recording.input(x.device(), x.dtype(), x.shape());
   *   recording.output(in.matmul(w).relu());
   * });
   * Tensor y = model.call(x).get(0);
   * }</pre>
   *
   * @param inputs one for each {@link Recording#input}, in that order
   * @return one tensor for each {@link Recording#output}, in that order
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   * @throws InvalidStateException for a graph that is launched
   */
  public List<Tensor> call(Tensor... inputs) {
    final long[] made = new long[info().outputs()];
    callInto(inputs, made);
    return Tensor.made(engine, made);
  }

  /**
   * The same into tensors that are there, which share no memory with the inputs or with each other.
   *
   * @param inputs one for each {@link Recording#input}, in that order
   * @param outputs one for each {@link Recording#output}, in that order
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   * @throws InvalidStateException for a graph that is launched
   */
  public void callInto(List<Tensor> inputs, List<Tensor> outputs) {
    final Uses uses = use(outputs.toArray(new NativeObject[0]));
    try {
      callInto(inputs.toArray(new Tensor[0]), uses.addresses());
    } finally {
      uses.end();
    }
  }

  private void callInto(Tensor[] inputs, long[] outputs) {
    withInputs(inputs, given -> NativeGraph.graphCall(address(), given, outputs));
  }

  private void withInputs(Tensor[] inputs, Consumer<long[]> call) {
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
   * Gives a {@link Recording#parameter} another value, for launches and calls that are submitted from now on; those before have the
   * old one. Costs no device work.
   *
   * @param name of the parameter
   * @param value what it is from now on
   * @throws NotFoundException if there is no parameter of that name
   * @throws InvalidArgumentException for a value that its dtype does not hold exactly (integers and bool)
   */
  public void set(String name, double value) {
    final long address = acquire();
    try {
      NativeGraph.graphSet(address, name, value);
    } finally {
      release();
    }
  }

  /**
   * The same with an integer.
   *
   * @param name of the parameter
   * @param value what it is from now on
   * @throws NotFoundException if there is no parameter of that name
   * @throws InvalidArgumentException for a value that its dtype does not hold exactly
   */
  public void set(String name, long value) {
    final long address = acquire();
    try {
      NativeGraph.graphSetI64(address, name, value);
    } finally {
      release();
    }
  }

  /**
   * Switches a {@link Recording#section} for launches and calls that are submitted from now on.
   *
   * @param name of the section
   * @param on whether it runs
   * @throws NotFoundException if there is no section of that name
   */
  public void enable(String name, boolean on) {
    final long address = acquire();
    try {
      NativeGraph.graphEnable(address, name, on ? 1 : 0);
    } finally {
      release();
    }
  }

  /**
   * Figures: tasks, segments, nodes, memory, times.
   *
   * @return the figures
   */
  public GraphInfo info() {
    final long address = acquire();
    try {
      return NativeGraph.graphQuery(address);
    } finally {
      release();
    }
  }

  /**
   * A report for people: what was captured, what split the graph, where and why, memory and times.
   *
   * @return the text
   */
  public String report() {
    final long address = acquire();
    try {
      final long capacity = NativeGraph.graphReport(address, 0, 0) + 1;
      final long buffer = Memory.allocate(capacity);
      try {
        NativeGraph.graphReport(address, buffer, capacity);
        return Memory.text(buffer);
      } finally {
        Memory.free(buffer);
      }
    } finally {
      release();
    }
  }

  /**
   * Writes the graph as Graphviz DOT.
   *
   * @param path the file
   * @throws IoException if it cannot be written
   */
  public void dot(Path path) {
    final long address = acquire();
    try {
      NativeGraph.graphDot(address, Memory.nameOf(path));
    } finally {
      release();
    }
  }

  /**
   * Launches the graph once, each task by itself, and measures them; waits for the run. {@link #report} then has the critical path and
   * the tasks that took longest.
   *
   * @throws InvalidStateException for a graph that is called, in a recording and in a task
   */
  public void profile() {
    final long address = acquire();
    try {
      NativeGraph.graphProfile(address, null);
    } finally {
      release();
    }
  }

  /**
   * The same, with a file for all of it as JSON, which {@code rondo graph FILE} shows.
   *
   * @param path the file
   * @throws InvalidStateException for a graph that is called, in a recording and in a task
   * @throws IoException if the file cannot be written; the run took place
   */
  public void profile(Path path) {
    final long address = acquire();
    try {
      NativeGraph.graphProfile(address, Memory.nameOf(path));
    } finally {
      release();
    }
  }

  /**
   * {@link #call} once, each task by itself and measured, as {@link #profile()} does for a graph that is launched; waits for the run.
   *
   * @param inputs one for each {@link Recording#input}, in that order
   * @return one tensor for each {@link Recording#output}, in that order
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   * @throws InvalidStateException for a graph that is launched, in a recording and in a task
   */
  public List<Tensor> profileCall(Tensor... inputs) {
    return profileCall((Path) null, inputs);
  }

  /**
   * The same, with a file for all of it as JSON, which {@code rondo graph FILE} shows.
   *
   * @param path the file
   * @param inputs one for each {@link Recording#input}, in that order
   * @return one tensor for each {@link Recording#output}, in that order
   * @throws InvalidArgumentException for a number of tensors, or a tensor, that does not fit
   * @throws InvalidStateException for a graph that is launched, in a recording and in a task
   * @throws IoException if the file cannot be written; the run took place
   */
  public List<Tensor> profileCall(Path path, Tensor... inputs) {
    final long[] made = new long[info().outputs()];
    withInputs(
        inputs,
        given -> NativeGraph.graphProfileCall(address(), Memory.nameOf(path), given, made));
    return Tensor.made(engine, made);
  }

  @Override
  public String toString() {
    return isClosed() ? "Graph[closed]" : info().toString();
  }
}
