// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A function that is recorded once for each signature of its inputs (devices, dtypes, shapes, order of axes) and then called as a graph.
 * Made by {@link Engine#graphFunction}.
 *
 * <pre>{@code
 * GraphFunction layer = engine.graphFunction(1, in -> List.of(in.get(0).matmul(w).tanh()));
 * Tensor y = layer.call(x).get(0);
 * }</pre>
 *
 * <p>Under a {@linkplain Engine#tape tape} a call is one operator with a gradient: what goes forwards and what goes back are graphs of
 * their own. Tensors from outside that the function uses are those of its recording.
 *
 * <p>Any number of threads may call at once. The function must not close or write its inputs.
 */
public final class GraphFunction extends NativeObject {
  private final Engine engine;
  private final int outputs;

  GraphFunction(Engine engine, int outputs, long address) {
    super("graph function", address, engine.gate(), NativeGraphFunction::callableDestroy);
    this.engine = engine;
    this.outputs = outputs;
    Scope.add(this);
  }

  static GraphFunction create(Engine engine, int outputs, GraphFunctionOptions options, TensorFunction function) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(function, "function");
    final long address = engine.acquire();
    try {
      return made(each -> new GraphFunction(engine, outputs, each), NativeGraphFunction::callableDestroy,
          NativeGraphFunction.callableCreate(address, outputs, options, new TensorCallback(engine, function::call,
              "the function gives %d tensors; the graph function was made with %d")));
    } finally {
      engine.release();
    }
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
   * Calls it; its results are new tensors. Does not wait for devices. The first call of a signature records and compiles; in a recording
   * the function is called, and its operators are recorded as any others.
   *
   * @param inputs of the same engine
   * @return as many tensors as it was made with
   * @throws InvalidArgumentException for tensors that do not fit
   * @throws InvalidStateException inside a task, for what was not recorded yet, and for inputs that were never written
   * @throws RondoException what the function threw, of {@link Status#USER_ERROR} if it was no exception of Rondo, with that as its cause
   */
  public List<Tensor> call(Tensor... inputs) {
    final long[] made = new long[outputs];
    call(inputs, made);
    return Tensor.made(engine, made);
  }

  /**
   * The same into tensors that are there, which share no memory with the inputs or with each other.
   *
   * @param inputs of the same engine
   * @param outputs one for each result, of its device, dtype and shape
   * @throws InvalidArgumentException for tensors that do not fit
   */
  public void callInto(List<Tensor> inputs, List<Tensor> outputs) {
    final Uses uses = use(outputs.toArray(new NativeObject[0]));
    try {
      call(inputs.toArray(new Tensor[0]), uses.addresses());
    } finally {
      uses.end();
    }
  }

  private void call(Tensor[] inputs, long[] made) {
    final List<Tensor> given = now(Arrays.asList(inputs));
    final List<NativeObject> used = new ArrayList<>(given);
    used.add(this);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    final ThreadState state = ThreadState.current();
    state.callbackFailure = null;
    try {
      NativeGraphFunction.callableCall(address(), Tape.addresses(given), made);
    } catch (RondoException e) {
      final Throwable cause = state.callbackFailure;
      state.callbackFailure = null;
      throw cause == null || cause == e ? e : e.with(cause);
    } finally {
      uses.end();
    }
  }

  /** Lets go of all graphs; calls in flight and tapes keep what they need. Later calls record anew. */
  public void clear() {
    final long address = acquire();
    try {
      NativeGraphFunction.callableClear(address);
    } finally {
      release();
    }
  }

  /**
   * Figures: signatures, calls, hits, memory.
   *
   * @return the figures
   */
  public GraphFunctionInfo info() {
    final long address = acquire();
    try {
      return NativeGraphFunction.callableQuery(address);
    } finally {
      release();
    }
  }

  /**
   * A report for people: the figures, each signature, and why what runs eagerly was not recorded.
   *
   * @return the text
   */
  public String report() {
    final long address = acquire();
    try {
      // Other threads may lengthen it meanwhile: what has no room is left out.
      final long capacity = NativeGraphFunction.callableReport(address, 0, 0) + 1;
      final long buffer = Memory.allocate(capacity);
      try {
        NativeGraphFunction.callableReport(address, buffer, capacity);
        return Memory.text(buffer);
      } finally {
        Memory.free(buffer);
      }
    } finally {
      release();
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "GraphFunction[closed]" : info().toString();
  }
}
